"""The documented beginnings of well-known issuers' keys; `secrets` says which characters may follow.

`rule_prefixes` has those of a maintained rule set; here is what it lacks, or what it has for longer keys only.
"""

from holdfast.trust.rule_prefixes import PREFIXES

_SHORT = 4  # characters of a beginning that other texts may have too
_ENOUGH = 16  # characters after a longer one

# Only keys begin with these; twelve letters, digits and punctuation may follow.
DISTINCT = (
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-"),
    *("xoxr-", "xoxs-", "xapp-", "whsec_", "SG.", "GOCSPX-", "ya29.", "ATBB", "lin_oauth_", "dp.st.", "hvs.", "hvb."),
    *("glc_", "NRAK-", "NRII-", "NRJS-", "sbp_", "nfp_", "FlyV1 fm", "sq0csp-", "sq0idp-", "access_token$production$"),
    *("dt0s01.", "LTAI", "xai-", "dckr_pat_", "dckr_oat_", "CCIPAT_", "CCIPRJ_", "bkua_", "tskey-", "CFPAT-", "figd_"),
    *("AKCp", "cmVmdGtu", "aio_", "tfp_", "EZAK", "EZTK", "xsmtpsib-", "lsv2_pt_", "lsv2_sk_", "EAACEdEose0cBA"),
    *("sk-ant-", "r8_", "gsk_", "glpat-", "npm_secret_", "APA91b", "sntrys_", "pat-na1-", "pat-eu1-", "rpa_", "tvly-"),
    *("hvr.", "AQ.Ab8", "secret_v1_", "phc_", "phx_", "u-s4t2ud-", "patM", "ctp_", "wrap_v1_"),
    *("amzn.mws.", "sk-proj-", "sk-or-v1-", "sk-svcacct-", "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
    *("rzp_live_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-", "e2b_", "xaat-", "xapt-"),
)
# Ordinary words may begin with these; many letters and digits, and nothing else, must follow.
WORDLIKE = ("npm_", "hf_", "dapi", "fo1_", "ico-", "AIza", "EAAA", "key-", "live_", "test_", "secret_")
# Keys of cloud accounts: capital letters and digits, twenty characters in all.
CAPITALS = ("AKIA", "ASIA", "AGPA", "AROA", "AIDA", "ABIA", "ACCA")


def by_count() -> "dict[int, list[str]]":
    """Return the beginnings of the rule set by how many characters must follow."""
    found: dict[int, list[str]] = {}
    for least, prefixes in PREFIXES.items():
        for prefix in prefixes:
            found.setdefault(least * 3 // 4 if len(prefix) <= _SHORT else min(least, _ENOUGH), []).append(prefix)
    return found

"""The documented prefixes of well-known issuers' keys; `secrets` says which characters may follow."""

# Only keys begin with these; letters, digits and punctuation may follow.
DISTINCT = (
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-"),
    *("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "whsec_"),
    *("shpat_", "shpss_", "shpca_", "shppa_", "dop_v1_", "doo_v1_", "dor_v1_", "pypi-AgE", "SG.", "GOCSPX-", "ya29."),
    *("ATATT3", "ATBB", "lin_api_", "lin_oauth_", "ntn_", "dp.pt.", "dp.st.", "hvs.", "hvb.", "glsa_", "glc_", "NRAK-"),
    *("NRII-", "sntrys_", "sntryu_", "pscale_tkn_", "pscale_pw_", "pscale_oauth_", "PMAK-", "sbp_", "nfp_", "FlyV1 fm"),
    *("HRKU-", "sq0atp-", "sq0csp-", "sq0idp-", "access_token$production$", "dt0c01.", "dt0s01.", "LTAI", "xai-"),
    *("pplx-", "rubygems_", "dckr_pat_", "dckr_oat_", "CCIPAT_", "CCIPRJ_", "bkua_", "sgp_", "AGE-SECRET-KEY-1"),
    *("tskey-", "CFPAT-", "figd_", "AKCp", "cmVmdGtu", "aio_", "pul-", "pnu_", "tfp_", "shippo_live_", "shippo_test_"),
    *("EZAK", "EZTK", "duffel_live_", "duffel_test_", "fio-u-", "rdme_", "tk-us-", "xkeysib-", "xsmtpsib-", "CLOJARS_"),
    *("ops_eyJ", "sha256~", "lsv2_pt_", "lsv2_sk_", "EAACEdEose0cBA", "sk-ant-", "r8_", "gsk_"),
)
# Ordinary words may begin with these; many letters and digits, and nothing else, must follow.
WORDLIKE = ("npm_", "hf_", "dapi", "fo1_", "ico-", "AIza", "EAAA", "key-", "live_", "test_", "secret_")
# Keys of cloud accounts: capital letters and digits, twenty characters in all.
CAPITALS = ("AKIA", "ASIA", "AGPA", "AROA", "AIDA", "ABIA", "ACCA")

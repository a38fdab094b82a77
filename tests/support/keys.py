"""Invented keys in the documented shapes, generated at run time, so that no scanner finds one in this repository."""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

from holdfast.trust import secret_names

if TYPE_CHECKING:
    from collections.abc import Callable

HEX = "0123456789abcdef"
DIGITS = string.digits
LETTERS = string.ascii_letters + DIGITS
CAPITALS = string.ascii_uppercase + "234567"
URL = LETTERS + "_-"

# Issuer: literal parts, and parts as (characters, count).
SHAPES: dict[str, tuple[str | tuple[str, int], ...]] = {
    "Anthropic": ("sk-ant-api03-", (URL, 93), "AA"),
    "OpenAI": ("sk-", (LETTERS, 20), "T3BlbkFJ", (LETTERS, 20)),
    "OpenAI project": ("sk-proj-", (URL, 74), "T3BlbkFJ", (URL, 74)),
    "GitHub": ("ghp_", (LETTERS, 36)),
    "GitHub OAuth": ("gho_", (LETTERS, 36)),
    "GitHub app": ("ghs_", (LETTERS, 36)),
    "GitHub fine-grained": ("github_pat_", (LETTERS, 22), "_", (LETTERS, 59)),
    "GitLab": ("glpat-", (URL, 20)),
    "GitLab deploy": ("gldt-", (URL, 20)),
    "GitLab runner": ("glrt-", (URL, 20)),
    "Slack bot": ("xoxb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (LETTERS, 24)),
    "Slack app": ("xapp-1-A", (CAPITALS, 10), "-", (DIGITS, 13), "-", (HEX, 64)),
    "Slack webhook": (
        "https://hooks.slack.com/services/T",
        (CAPITALS, 8),
        "/B",
        (CAPITALS, 10),
        "/",
        (LETTERS, 24),
    ),
    "Discord webhook": ("https://discord.com/api/webhooks/", (DIGITS, 18), "/", (URL, 68)),
    "Stripe": ("sk_live_", (LETTERS, 24)),
    "Stripe restricted": ("rk_live_", (LETTERS, 24)),
    "Stripe webhook": ("whsec_", (LETTERS, 32)),
    "AWS": ("AKIA", (CAPITALS, 16)),
    "AWS, for a time": ("ASIA", (CAPITALS, 16)),
    "AWS secret": ("aws_secret_access_key = ", (LETTERS + "/+", 40)),
    "Google": ("AIza", (URL, 35)),
    "Google OAuth": ("GOCSPX-", (URL, 28)),
    "Google token": ("ya29.", (URL, 60)),
    "npm": ("npm_", (LETTERS, 36)),
    "PyPI": ("pypi-AgEIcHlwaS5vcmc", (URL, 80)),
    "Hugging Face": ("hf_", (string.ascii_letters, 34)),
    "DigitalOcean": ("dop_v1_", (HEX, 64)),
    "Shopify": ("shpat_", (HEX, 32)),
    "SendGrid": ("SG.", (URL, 22), ".", (URL, 43)),
    "Mailgun": ("key-", (HEX, 32)),
    "Mailchimp": ((HEX, 32), "-us12"),
    "Twilio": ("SK", (HEX, 32)),
    "Telegram": ((DIGITS[1:], 9), ":AA", (URL, 33)),
    "Azure storage": ("AccountKey=", (LETTERS + "+/", 86), "=="),
    "Azure AD": ((LETTERS, 3), "8Q~", (LETTERS + "_~.-", 34)),
    "Databricks": ("dapi", (HEX, 32)),
    "Atlassian": ("ATATT3xFfGF0", (URL, 170)),
    "Linear": ("lin_api_", (LETTERS, 40)),
    "Notion": ("ntn_", (LETTERS, 46)),
    "Airtable": ("pat", (LETTERS, 14), ".", (HEX, 64)),
    "Doppler": ("dp.pt.", (LETTERS, 43)),
    "Vault": ("hvs.", (URL, 90)),
    "Terraform": ((LETTERS, 14), ".atlasv1.", (URL, 60)),
    "Grafana": ("glsa_", (LETTERS, 32), "_", (HEX, 8)),
    "New Relic": ("NRAK-", (CAPITALS, 27)),
    "New Relic browser": ("NRBR-", (HEX, 19)),
    "SonarQube user": ("squ_", (HEX, 40)),
    "SonarQube project": ("sqp_", (HEX, 40)),
    "WakaTime": ("waka_", (HEX, 8), "-", (HEX, 4), "-4", (HEX, 3), "-a", (HEX, 3), "-", (HEX, 12)),
    "Riot Games": ("RGAPI-", (HEX, 8), "-", (HEX, 4), "-4", (HEX, 3), "-a", (HEX, 3), "-", (HEX, 12)),
    "Heroku of old": ("HRKU-", (HEX, 8), "-", (HEX, 4), "-4", (HEX, 3), "-a", (HEX, 3), "-", (HEX, 12)),
    "AppSync": ("da2-", (string.ascii_lowercase + DIGITS, 26)),
    "Postman team": ("PMAT-", (CAPITALS, 26)),
    "WunderGraph": ("cosmo_", (HEX, 32)),
    "Sentry": ("sntryu_", (HEX, 64)),
    "PlanetScale": ("pscale_tkn_", (URL, 43)),
    "Postman": ("PMAK-", (HEX, 24), "-", (HEX, 34)),
    "Supabase": ("sbp_", (HEX, 40)),
    "Netlify": ("nfp_", (LETTERS, 36)),
    "Square": ("sq0csp-", (URL, 43)),
    "Braintree": ("access_token$production$", (HEX[:10] + "bcd", 16), "$", (HEX, 32)),
    "Facebook": ("EAACEdEose0cBA", (LETTERS, 60)),
    "Twitter": ("A" * 21, (LETTERS, 80)),
    "Dynatrace": ("dt0c01.", (CAPITALS, 24), ".", (CAPITALS, 64)),
    "Alibaba": ("LTAI", (LETTERS, 20)),
    "Replicate": ("r8_", (LETTERS, 37)),
    "Perplexity": ("pplx-", (LETTERS, 48)),
    "Groq": ("gsk_", (LETTERS, 52)),
    "xAI": ("xai-", (LETTERS, 80)),
    "RubyGems": ("rubygems_", (HEX, 48)),
    "Docker Hub": ("dckr_pat_", (URL, 27)),
    "CircleCI": ("CCIPAT_", (LETTERS, 22), "_", (HEX, 40)),
    "Buildkite": ("bkua_", (HEX, 40)),
    "Sourcegraph": ("sgp_", (HEX, 40)),
    "age": ("AGE-SECRET-KEY-1", (string.ascii_uppercase, 58)),
    "Tailscale": ("tskey-auth-", (LETTERS, 12), "-", (LETTERS, 22)),
    "Contentful": ("CFPAT-", (URL, 43)),
    "Figma": ("figd_", (URL, 40)),
    "Artifactory": ("AKCp", (LETTERS, 69)),
    "Pulumi": ("pul-", (HEX, 40)),
    "Typeform": ("tfp_", (URL, 59)),
    "EasyPost": ("EZAK", (LETTERS, 54)),
    "Brevo": ("xkeysib-", (HEX, 64), "-", (LETTERS, 16)),
    "LangSmith": ("lsv2_pt_", (HEX, 32), "_", (HEX, 10)),
    "Razorpay": ("rzp_live_", (LETTERS, 14)),
    "Flutterwave": ("FLWSECK-", (HEX, 32), "-X"),
    "E2B": ("e2b_", (HEX, 40)),
    "Axiom": ("xaat-", (HEX, 8), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 4), "-", (HEX, 12)),
    "Zapier webhook": ("https://hooks.zapier.com/hooks/catch/", (DIGITS, 7), "/", (LETTERS, 7), "/"),
    "JWT": ("eyJhbGciOiJIUzI1NiJ9.", (URL, 60), ".", (URL, 43)),
    "address": ("postgres://app:", (LETTERS, 20), "@db.example/app"),
}

# Parts from which a property test builds texts: prefixes and literal parts of keys, names before a value, and
# characters between or around them.
NAMES = (
    *("password", "passwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key"),
    *("access-key", "accesskey", "credential", "credentials", "authorization", "basic", "bearer", "AccountKey"),
)
LITERALS = (
    *dict.fromkeys(part for shape in SHAPES.values() for part in shape if isinstance(part, str)),
    *(
        *secret_names.DISTINCT,
        *secret_names.WORDLIKE,
        *secret_names.CAPITALS,
        "pk-",
        "rk_",
        "AC",
        "-----BEGIN ",
        "PRIVATE KEY-----",
    ),
)
JOINTS = (*" \t\n_-./:=`'\"(),;@~%+$\\|{}[]<>", "://", " = ", ": ", ":=", "=>", "é", "日", "\u0307", "\u200d")
# The same with letters that a pattern with IGNORECASE treats as equal.
DISGUISES: tuple[Callable[[str], str], ...] = (
    *(str, str.upper, str.title),
    lambda piece: piece.translate(str.maketrans("ski", "\u017f\u212a\u0131")),
    lambda piece: piece.translate(str.maketrans("i", "\u0130")),
)


def made(issuer: str, seed: int = 0) -> str:
    """Return an invented key of an issuer; the same for the same seed."""
    dice = random.Random(f"{issuer} {seed}")  # noqa: S311 - a key that opens nothing
    return "".join(part if isinstance(part, str) else _drawn(dice, *part) for part in SHAPES[issuer])


def _drawn(dice: random.Random, characters: str, count: int) -> str:
    """Return `count` of the characters; the first and the last are letters or digits."""
    plain = [char for char in characters if char.isalnum()]
    inner = [dice.choice(characters) for _ in range(count - 2)]
    return "".join([dice.choice(plain), *inner, dice.choice(plain)])


def telling(issuer: str, seed: int = 0) -> str:
    """Return the longest random part of an invented key, which must appear nowhere."""
    dice = random.Random(f"{issuer} {seed}")  # noqa: S311 - a key that opens nothing
    return max((_drawn(dice, *part) for part in SHAPES[issuer] if not isinstance(part, str)), key=len)

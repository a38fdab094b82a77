"""The patterns behind `safe`: what looks like a secret, and characters that must not reach a terminal or a reader."""

import re

from holdfast.trust import key_prefixes


def _any(prefixes: tuple[str, ...]) -> str:
    """Return a pattern that matches any of the prefixes."""
    return "(?:" + "|".join(re.escape(prefix) for prefix in prefixes) + ")"


# Forms of keys that their issuers document, then "name = value", then user:password@ in addresses. A repeat that
# may fail after a long run is bounded or possessive: the text may be hostile, and the time must grow only linearly.
_SECRETS = re.compile(
    rf"""
    -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    | \b[spr]k[-_](?=[A-Za-z_-]{{0,64}}+[0-9])[A-Za-z0-9_-]{{16,}}
    | \b{_any(key_prefixes.DISTINCT)}[A-Za-z0-9_.$~-]{{12,}}=*
    | \b{_any(key_prefixes.WORDLIKE)}(?:[A-Za-z0-9]{{28,}}|(?<=AIza)[A-Za-z0-9_-]{{30,}}|(?<=EAAA)[A-Za-z0-9_-]{{50,}})
    | \b{_any(key_prefixes.CAPITALS)}[A-Z0-9]{{16}}\b
    | \beyJ[A-Za-z0-9_-]{{16,}}(?:\.[A-Za-z0-9_-]*)*
    | \b(?:AC|SK)[0-9a-f]{{32}}\b  # Twilio
    | \b[0-9a-f]{{32}}-us[0-9]{{1,2}}\b  # Mailchimp
    | \b[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{33}}  # Telegram
    | \bpat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}\b  # Airtable
    | \b[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_-]{{50,}}  # Terraform
    | \b[A-Za-z0-9_~.]{{3}}[0-9]Q~[A-Za-z0-9_~.-]{{31,34}}  # Azure
    | (?<=\bAccountKey=)[A-Za-z0-9+/]{{80,}}=*
    | \bA{{20,}}[A-Za-z0-9%]{{50,}}  # Twitter
    | (?<=\bhooks\.slack\.com/services/)[A-Za-z0-9/_-]{{20,}}
    | (?<=\bdiscord\.com/api/webhooks/)[A-Za-z0-9/_-]{{20,}}
    | (?<=\b(?i:bearer)[ ])(?=[A-Za-z._~+/-]{{0,64}}+[0-9])[A-Za-z0-9._~+/-]{{16,}}=*
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMED = re.compile(
    r"""
    ( (?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|credentials?) (?:[_-][a-z0-9]{1,24}){0,4}+
      ["']? [ \t]*+ (?::=|=>|[:=]) [ \t]*+
    | \bauthorization ["']? [ \t]*+ [:=] [ \t]*+ ["']? (?:basic|bearer|token) [ \t]++ )
    ( (?:"(?:[^"\\\n]|\\.){4,}+"|'(?:[^'\\\n]|\\.){4,}+')(?:[^\s"',;]{6,})? | ["']?[^\s"',;]{6,} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}+://[^\s/:]*+:)[^\s/]+(?=@)", re.IGNORECASE)

# Whole terminal escapes; then control characters but tab and newline, zero-width, bidirectional and tag characters.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)", re.DOTALL
)
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)


def masked(text: str, mask: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `mask`."""
    text = _SECRETS.sub(mask, text)
    text = _NAMED.sub(lambda match: match[0] if _is_masked(match[2], mask) else match[1] + mask, text)
    return _ADDRESS.sub(lambda match: match[1] + mask, text)


def _is_masked(value: str, mask: str) -> bool:
    """Whether a value was masked before; up to five characters after the mask are no secret and stay."""
    return value.startswith(mask) and len(value) < len(mask) + 6


def printable(text: str) -> str:
    """Return `text` without control characters and terminal escapes."""
    return _CONTROL.sub("", _ESCAPE.sub("", text))

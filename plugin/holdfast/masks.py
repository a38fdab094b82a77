"""The patterns behind text.py: what looks like a secret, and what no terminal or reader should be handed."""

import re

# Shapes that the issuers of keys document, then "name = value" and user:password@ in addresses. Repeats that may fail
# after a long run are bounded or possessive: the text is anybody's, and the time must grow with its length only.
_SECRETS = re.compile(
    r"""
    -----BEGIN[ A-Z]*PRIVATE[ ]KEY-----.*?(?:-----END[ A-Z]*PRIVATE[ ]KEY-----|\Z)
    | \b[spr]k[-_](?=[A-Za-z_-]{0,64}+[0-9])[A-Za-z0-9_-]{16,}
    | \b(?:npm_|hf_)[A-Za-z0-9]{30,}
    | \b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|pypi-AgE|dop_v1_|shp(?:at|ss)_|SG\.)[A-Za-z0-9_.-]{12,}
    | \b(?:AKIA|ASIA|AGPA|AROA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \beyJ[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]*)*
    | (?<=\b(?i:bearer)[ ])(?=[A-Za-z._~+/-]{0,64}+[0-9])[A-Za-z0-9._~+/-]{16,}=*
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMED = re.compile(
    r"""
    ( (?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|credentials?) (?:[_-][a-z0-9]{1,24}){0,4}+
      ["']? [ \t]*+ (?::=|=>|[:=]) [ \t]*+
    | \bauthorization ["']? [ \t]*+ [:=] [ \t]*+ ["']? (?:basic|bearer|token) [ \t]++ )
    ( "(?:[^"\\\n]|\\.){4,}+" | '(?:[^'\\\n]|\\.){4,}+' | ["']?[^\s"',;]{6,} )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{0,30}+://[^\s/:]*+:)[^\s/]+(?=@)", re.IGNORECASE)

# Terminal escapes as a whole first; then controls but tab and newline, zero-width, bidirectional and tag characters.
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
    text = _NAMED.sub(lambda found: found[1] + mask, text)
    return _ADDRESS.sub(lambda found: found[1] + mask, text)


def printable(text: str) -> str:
    """Return `text` without control characters and terminal escapes."""
    return _CONTROL.sub("", _ESCAPE.sub("", text))

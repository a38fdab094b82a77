"""The keys of issues, such as PLT-123, in titles and requests."""

import re

# Standards are written like the key of an issue.
_STANDARDS = r"(?:UTF|SHA|ISO|RFC|CVE|AES|RSA|MD|HTTP|GPT)"
_KEY = re.compile(rf"(?<![A-Za-z0-9])(?!{_STANDARDS}-)[A-Z][A-Z0-9]+-[1-9][0-9]*(?![A-Za-z0-9])")
_ADDRESS = re.compile(r"https?://(?P<host>[\w.-]{1,100})/[^\s<>\"'`)\]]{1,300}")


def key(text: str) -> str:
    """Return the first key of an issue in a text, such as "PLT-123", "" when there is none."""
    match = _KEY.search(text)
    return match[0] if match else ""


def without_keys(text: str) -> str:
    """Return a text without addresses of issues and without keys."""
    return _KEY.sub(" ", _ADDRESS.sub(lambda match: " " if key(match[0]) else match[0], text))


def fields(text: str) -> dict[str, str]:
    """Return the keys of the frontmatter that name the first issue in a text, {} when there is none.

    An address of another tracker than Linear gives `issue` instead of `linear_issue`.
    """
    issue = key(text)
    address = next((one for one in _ADDRESS.finditer(text) if key(one[0]) == issue), None) if issue else None
    if not issue or not address:
        return {"linear_issue": issue} if issue else {}
    if address["host"] == "linear.app":
        return {"linear_issue": issue, "linear_url": address[0]}
    return {"issue": issue}

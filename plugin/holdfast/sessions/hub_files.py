"""The files that the entries of the hub name in their context, as people and updates write them."""

import re

_NAMED = re.compile(
    r"\bfiles(?:[ _-](?:modified|changed))?\s*:\s*(?:\[(?P<list>[^\]\n]*)\]|(?P<rest>[^;\n]*))", re.IGNORECASE
)
_MORE = re.compile(r"\s+and \d+ more\Z")


def named(context: str) -> list[str]:
    """Return the files that a context names after `Files:`, `files modified:`, `files_modified:` and the like."""
    found = []
    for each in _NAMED.finditer(context):
        listed = each["list"] if each["list"] is not None else _MORE.sub("", each["rest"].rstrip())
        found += [name.strip(" \t`\"'") for name in listed.split(",")]
    return list(dict.fromkeys(name for name in found if name and " " not in name))

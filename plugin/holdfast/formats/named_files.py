"""The files that a context names, as people and updates write them into the entries of the hub."""

import re

_NAMED = re.compile(
    r"\bfiles(?:[ _-](?:modified|(?P<changed>changed)))?\s*:\s*(?:\[(?P<list>[^\]\n]*)\]|(?P<rest>[^;\n]*))",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s+and \d+ more\Z")


def named(context: str, *, measured: bool = True) -> list[str]:
    """Return the files that a context names after `Files:`, `files modified:`, `files_modified:` and the like.

    Without `measured` those after `Files changed:` are left out, which holdfast itself writes of its sessions.
    """
    found = []
    for each in _NAMED.finditer(context):
        if each["changed"] and not measured:
            continue
        listed = each["list"] if each["list"] is not None else _MORE.sub("", each["rest"].rstrip())
        found += [name.strip(" \t`\"'") for name in listed.split(",")]
    return list(dict.fromkeys(name for name in found if name and " " not in name))

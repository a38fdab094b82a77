"""How the entries of a hub name each other: `Parent: Git Neuron (abc123)`, `Children: issue workflow (def456), …`."""

import re
from dataclasses import dataclass

_LINK = re.compile(r"(?<![^,;()])(?P<name>[^,;()]*+)\((?P<id>[^()\s]+?)\)")
_BARE = re.compile(r"`(?P<id>[^`\s]+)`")
CUTS = ("...", "…")  # after an id that is shortened
_SHORTEST = 6  # characters of a shortened id that is still unique enough


@dataclass(slots=True, frozen=True)
class Link:
    """One end of a parent-child link: the id, and the name before it, "" for none."""

    ident: str
    name: str = ""

    @property
    def shown(self) -> str:
        """The link as an entry has it."""
        return f"{self.name} ({self.ident})" if self.name else f"`{self.ident}`"


def read(value: str) -> list[Link]:
    """Return the links in a value; none in words such as "none", "N/A", or a remark in brackets that has blanks."""
    found = [Link(match["id"].strip("`"), match["name"].rstrip().strip(" -*`")) for match in _LINK.finditer(value)]
    if found:
        return found
    found = [Link(match["id"]) for match in _BARE.finditer(value)]
    lone = value.strip()
    return found or ([Link(lone)] if re.fullmatch(r"[\w.-]+", lone) and re.search(r"\d", lone) else [])


def same(one: str, other: str) -> bool:
    """Whether two ids name one session; one may be shortened, as in `abc123...`."""
    bare = [ident.removesuffix(CUTS[0]).removesuffix(CUTS[1]) for ident in (one, other)]
    cut = [ident != short for ident, short in zip((one, other), bare, strict=True)]
    if bare[0] == bare[1]:
        return True
    long, short = (bare[0], bare[1]) if cut[1] else (bare[1], bare[0])
    return any(cut) and len(short) >= _SHORTEST and long.startswith(short)

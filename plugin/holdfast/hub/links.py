"""How the entries of a hub name each other: `Parent: Git Neuron (abc123)`, `Children: issue workflow (def456), …`."""

import re
from bisect import bisect_left
from dataclasses import dataclass

_LINK = re.compile(r"(?<![^,;()])(?P<name>[^,;()]*+)\((?P<id>[^()\s]+?)\)")
_BARE = re.compile(r"`(?P<id>[^`\s]+)`")
CUTS = ("...", "…")  # after an id that is shortened
_SHORTEST = 6  # characters of a shortened id that is still unique enough

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


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
    links = [Link(match["id"].strip("`"), match["name"].rstrip().strip(" -*`")) for match in _LINK.finditer(value)]
    if links:
        return links
    links = [Link(match["id"]) for match in _BARE.finditer(value)]
    lone = value.strip()
    return links or ([Link(lone)] if re.fullmatch(r"[\w.-]+", lone) and re.search(r"\d", lone) else [])


def same(one: str, other: str) -> bool:
    """Whether two ids name one session; one may be shortened, as in `abc123...`."""
    bare = [_bare(ident) for ident in (one, other)]
    cut = [ident != short for ident, short in zip((one, other), bare, strict=True)]
    if bare[0] == bare[1]:
        return True
    long, short = (bare[0], bare[1]) if cut[1] else (bare[1], bare[0])
    return any(cut) and len(short) >= _SHORTEST and long.startswith(short)


def _bare(ident: str) -> str:
    """Return an id without the mark that it is shortened."""
    return ident.removesuffix(CUTS[0]).removesuffix(CUTS[1])


class Known:
    """Ids among which one is found, also by a shortened one, without a comparison with each of them."""

    def __init__(self, idents: "Iterable[str]") -> None:
        self._order = {ident: number for number, ident in enumerate(dict.fromkeys(idents))}
        self._whole: dict[str, list[str]] = {}
        for ident in self._order:
            self._whole.setdefault(_bare(ident), []).append(ident)
        self._sorted = sorted(self._whole)
        self._cuts = {ident for ident in self._order if _bare(ident) != ident}
        self._lengths = sorted({len(_bare(ident)) for ident in self._cuts})
        self._found: dict[str, list[str]] = {}

    def first(self, ident: str) -> str:
        """Return the id itself, or else the first that names the same session; "" where there is none."""
        if ident in self._order:
            return ident
        return next(iter(self.same(ident)), "") if ident else ""

    def same(self, ident: str) -> list[str]:
        """Return the ids that name the same session, in their order."""
        if ident not in self._found:
            bare = _bare(ident)
            longer = self._beginning(bare) if bare != ident else self._shortened(bare)
            found = {*self._whole.get(bare, []), *longer}
            self._found[ident] = sorted(found, key=self._order.__getitem__)
        return self._found[ident]

    def _beginning(self, bare: str) -> list[str]:
        """Return the ids that begin with a shortened one."""
        idents: list[str] = []
        at = bisect_left(self._sorted, bare) if len(bare) >= _SHORTEST else len(self._sorted)
        while at < len(self._sorted) and self._sorted[at].startswith(bare):
            idents += self._whole[self._sorted[at]]
            at += 1
        return idents

    def _shortened(self, ident: str) -> list[str]:
        """Return the shortened ids with which a whole one begins."""
        lengths = [length for length in self._lengths if _SHORTEST <= length < len(ident)]
        return [one for length in lengths for one in self._whole.get(ident[:length], []) if one in self._cuts]

"""Entries of a hub that descend from themselves by way of others."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SHOWN = 8  # ids of a cycle that are shown


class Cycles:
    """The cycles among these ids; `above` returns the id of a parent, "" for none. Each id is looked at once."""

    def __init__(self, idents: "Iterable[str]", above: "Callable[[str], str]") -> None:
        self._at: dict[str, tuple[list[str], int]] = {}  # the cycle of an id, and its place in it
        seen: set[str] = set()
        for ident in idents:
            way: dict[str, int] = {}
            at = ident
            while at and at not in seen:
                seen.add(at)
                way[at] = len(way)
                at = above(at)
            if at in way:
                cycle = [*way][way[at] :]
                self._at |= {one: (cycle, number) for number, one in enumerate(cycle)}

    def of(self, ident: str) -> str:
        """Return the ids of the cycle of an id, from itself upwards, "" where it is in none or names only itself."""
        cycle, number = self._at.get(ident, ([], 0))
        if len(cycle) < 2:
            return ""
        shown = (cycle[number:] if number + _SHOWN < len(cycle) else cycle[number:] + cycle)[:_SHOWN]
        return ", ".join(shown[: len(cycle)]) + (f" and {len(cycle) - _SHOWN} more" if len(cycle) > _SHOWN else "")

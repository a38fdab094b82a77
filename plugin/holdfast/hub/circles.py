"""Entries of a hub that descend from themselves by way of others."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SHOWN = 8  # ids of a circle that are shown


class Circles:
    """The circles among these ids; `above` returns the id of a parent, "" for none. Each id is looked at once."""

    def __init__(self, idents: "Iterable[str]", above: "Callable[[str], str]") -> None:
        self._at: dict[str, tuple[list[str], int]] = {}  # the circle of an id, and its place in it
        seen: set[str] = set()
        for ident in idents:
            way: dict[str, int] = {}
            at = ident
            while at and at not in seen:
                seen.add(at)
                way[at] = len(way)
                at = above(at)
            if at in way:
                circle = [*way][way[at] :]
                self._at |= {one: (circle, number) for number, one in enumerate(circle)}

    def of(self, ident: str) -> str:
        """Return the ids of the circle of an id, from itself upwards, "" where it is in none or names only itself."""
        circle, number = self._at.get(ident, ([], 0))
        if len(circle) < 2:
            return ""
        shown = (circle[number:] if number + _SHOWN < len(circle) else circle[number:] + circle)[:_SHOWN]
        return ", ".join(shown[: len(circle)]) + (f" and {len(circle) - _SHOWN} more" if len(circle) > _SHOWN else "")

"""The severity of drift, computed from the points of its items."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.context.drift.item import Item

LEVELS = ("none", "slight", "marked", "severe")


def points(items: "Iterable[Item]") -> int:
    """Return the points of all items; of several items of one kind only the heaviest counts."""
    heaviest: dict[str, int] = {}
    for item in items:
        heaviest[item.kind] = max(item.weight, heaviest.get(item.kind, 0))
    return sum(heaviest.values())


def of(items: "Iterable[Item]", limits: "Sequence[int]") -> str:
    """Return the severity; `limits` are the points at which drift becomes slight, marked and severe."""
    found = points(items)
    return LEVELS[sum(found >= limit for limit in limits)]


def is_marked(level: str) -> bool:
    """Return whether a severity is marked or severe."""
    return level in LEVELS[2:]

"""How much has drifted: what the points of all items come to."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.drifts.item import Item

LEVELS = ("none", "slight", "marked", "severe")
MARKED = LEVELS.index("marked")


def points(items: "Iterable[Item]") -> int:
    """Return the points of all items; several of a kind are one thing seen from several sides: the heaviest counts."""
    heaviest: dict[str, int] = {}
    for item in items:
        heaviest[item.kind] = max(item.weight, heaviest.get(item.kind, 0))
    return sum(heaviest.values())


def of(items: "Iterable[Item]", limits: "Sequence[int]") -> str:
    """Return the severity of a drift; `limits` are the points from which on it is slight, marked and severe."""
    found = points(items)
    return LEVELS[sum(found >= limit for limit in limits)]


def is_marked(level: str) -> bool:
    """Whether a severity is marked, or worse."""
    return LEVELS.index(level) >= MARKED

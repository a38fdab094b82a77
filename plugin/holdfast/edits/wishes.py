"""What may be wished for in a state file: a text, items, rows of a table, entries of a log, a menu."""

from holdfast.edits.menus import Menu
from holdfast.edits.pieces import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Rows = dict[str, list[str] | None]

_DEEPEST = 30  # keys within keys of a wish


class Want:
    """One wish: the keys that lead to it, and what is wanted there, which is one of these.

    - `text` to set, or `items` to add; of a log `items` are its new entries, made at `minute`, "" for the time of the
      edit. With `gone`, of the entries beyond the newest `most` those go, each by itself, whose text it allows.
    - `rows` of a table, each by its key, which is its cell in the first of the `columns`: its cells in their order, or
      None for a row that goes, but only while it has the cells in `was`, as holdfast wrote them.
    - a `menu`: the lines of a section that holdfast words itself.
    """

    __slots__ = ("columns", "gone", "items", "keys", "menu", "minute", "most", "rows", "text", "was")

    def __init__(  # noqa: PLR0913 - by name, and each kind of wish gives two or three of them
        self,
        keys: tuple[str, ...],
        *,
        text: str = "",
        items: list[str] | None = None,
        minute: str = "",
        gone: "Callable[[str], bool] | None" = None,
        most: int = 0,
        rows: "Rows | None" = None,
        columns: list[str] | None = None,
        was: dict[str, list[str]] | None = None,
        menu: Menu | None = None,
    ) -> None:
        self.keys = keys
        self.text = fit(text)
        self.items = None if items is None else [fit(item) for item in items]
        self.minute = minute
        self.gone = gone
        self.most = most
        self.rows = rows
        self.columns = columns or []
        self.was = was or {}
        self.menu = menu

    @property
    def where(self) -> str:
        """The keys as people write them: Metadata.Focus."""
        return ".".join(self.keys)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        tabled = self.rows is not None and self.columns
        return not (self.text or self.items or tabled or self.menu or self.gone)

    @property
    def line(self) -> str:
        """Its text on one line, items joined."""
        return " ".join((self.text or "; ".join(dict.fromkeys(self.items or []))).split())

    @property
    def section(self) -> bool:
        """Whether only a section can have it."""
        return self.menu is not None or self.rows is not None


def flatten(wanted: object, keys: tuple[str, ...] = ()) -> "Iterator[Want]":
    """Yield each wish of a nested object in order; what is neither object, list nor value is a wish without words."""
    if isinstance(wanted, dict) and wanted and len(keys) < _DEEPEST:
        for key, value in wanted.items():
            yield from flatten(value, (*keys, fit(str(key))))
    elif isinstance(wanted, list):
        yield Want(keys, items=[words for item in wanted if (words := fit(_words(item)))])
        inner = [number for number, item in enumerate(wanted) if isinstance(item, (dict, list))]
        yield from (Want((*keys, str(number))) for number in inner)
    elif keys:
        yield Want(keys, text=_words(wanted))


def _words(value: object) -> str:
    """Return a value of JSON as a person writes it, "" for null, and for lists and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""

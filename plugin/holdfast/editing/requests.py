"""Requests for a state file: a text, items, rows of a table, entries of a log, or managed lines."""

from holdfast.editing.managed_lines import ManagedLines
from holdfast.editing.pieces import fit
from holdfast.formats import managed_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Rows = dict[str, list[str] | None]

_DEEPEST = 30  # keys within keys of a request


class Request:
    """One request: the keys of its place, and its content, which is one of these.

    - `text` to set, or `items` to add. For a log, `items` are new entries of the time `minute` in UTC, "" for the time
      of the edit; `gone` removes those entries beyond the newest `most` for which `gone(minute, text)` is true, with
      the minute as the file has it.
    - `rows` of a table, by the key in the first of the `columns`: the cells in the order of `columns`, "" for one that
      stays unchanged, or None to remove the row. A row with text in other columns stays and gets the cells in `ended`.
    - `managed_lines`: the lines of a section that holdfast words itself.
    """

    __slots__ = ("columns", "ended", "gone", "items", "keys", "managed_lines", "minute", "most", "rows", "text")

    def __init__(  # noqa: PLR0913 - by name, and each kind of request gives two or three of them
        self,
        keys: tuple[str, ...],
        *,
        text: str = "",
        items: list[str] | None = None,
        minute: str = "",
        gone: "Callable[[str, str], bool] | None" = None,
        most: int = 0,
        rows: "Rows | None" = None,
        columns: list[str] | None = None,
        ended: dict[str, list[str]] | None = None,
        managed_lines: ManagedLines | None = None,
    ) -> None:
        self.keys = keys
        self.text = fit(text)
        self.items = None if items is None else [fit(item) for item in items]
        self.minute = minute
        self.gone = gone
        self.most = most
        self.rows = rows
        self.columns = columns or []
        self.ended = ended or {}
        self.managed_lines = managed_lines

    @property
    def where(self) -> str:
        """The keys as people write them: Metadata.Focus."""
        return ".".join(self.keys)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        tabled = self.rows is not None and self.columns
        return not (self.text or self.items or tabled or self.managed_lines or self.gone)

    @property
    def line(self) -> str:
        """Its text on one line, items joined."""
        return " ".join(managed_block.inline(self.text or "; ".join(dict.fromkeys(self.items or []))).split())

    @property
    def section(self) -> bool:
        """Whether only a section can have it."""
        return self.managed_lines is not None or self.rows is not None


def flatten(requested: object, keys: tuple[str, ...] = ()) -> "Iterator[Request]":
    """Yield each request of a nested object, in order; null, and what is nested too deep, is a request without text."""
    if isinstance(requested, dict) and requested and len(keys) < _DEEPEST:
        for key, value in requested.items():
            yield from flatten(value, (*keys, fit(str(key))))
    elif isinstance(requested, list):
        yield Request(keys, items=[words for item in requested if (words := fit(_words(item)))])
        inner = [number for number, item in enumerate(requested) if isinstance(item, (dict, list))]
        yield from (Request((*keys, str(number))) for number in inner)
    elif keys:
        yield Request(keys, text=_words(requested))


def _words(value: object) -> str:
    """Return a value of JSON as a person writes it, "" for null, and for lists and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""

"""Tables whose columns are equally wide in each row, as formatters of Markdown write them, stay so."""

from holdfast.core.words import width
from holdfast.editing.pieces import Edit
from holdfast.formats.table import BAR
from holdfast.markdown.document import Document, splice

_RULE = frozenset("- ")


def aligned(rows: list[str]) -> list[str]:
    """Return the rows of a table, the second of which is its rule, with columns equally wide; [] for other lines."""
    parts = [BAR.split(row.strip().encode())[1:-1] for row in rows]
    cells = [[cell.decode().strip() for cell in row] for row in parts]
    widths = [max(3, *map(width, column)) for column in zip(cells[0], *cells[2:], strict=False)]
    whole = all(len(row) == len(widths) for row in cells) and _RULE.issuperset("".join(cells[1]))
    if not whole:
        return []
    cells[1] = ["-" * most for most in widths]
    padded = ([cell + " " * (most - width(cell)) for cell, most in zip(row, widths, strict=True)] for row in cells)
    return [f"| {' | '.join(row)} |" for row in padded]


def kept(document: Document, start: int, edit: Edit | None) -> Edit | None:
    """Return an edit of the table that begins at `start`, with columns equally wide if they were so before."""
    end = next((stop for kind, at, stop in document.blocks(start, len(document.data)) if kind == "table"), start)
    before = document.data[start:end]
    if edit is None or not start <= edit.start <= edit.end <= end or not _is_aligned(before):
        return edit
    after = splice(before, edit.start - start, edit.end - start, edit.data).decode()
    newline = document.newline.decode()
    made = newline.join(aligned(after.splitlines())) + (newline if after.endswith(newline) else "")
    return Edit((start, end, made.encode()), edit.old, edit.new)


def _is_aligned(table: bytes) -> bool:
    try:
        rows = table.decode().splitlines()
    except UnicodeDecodeError:
        return False
    return len(rows) > 1 and aligned(rows) == rows

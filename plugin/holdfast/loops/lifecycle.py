"""The life of an open question in LOOPS.md: captured, explored, closed with an outcome."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator

from holdfast import clock, discovery, files, ids, store
from holdfast.dialects import names, placeholders
from holdfast.edits import layout
from holdfast.errors import HoldfastError
from holdfast.loops import composing
from holdfast.loops.book import NEW, Book, fitting, refuse_odd
from holdfast.loops.elements import tidy
from holdfast.loops.loop import FIELDS, KIND, Loop
from holdfast.loops.place import PLACES, path_of
from holdfast.markdown.document import Document, splices
from holdfast.paths import Place

_OPEN = frozenset({"open", "open loops", "active", "active loops", "clarifying", "clarifying loops", "current loops"})
_CLOSED = frozenset(
    f"{word}{rest}"
    for word in ("closed", "resolved", "done", "completed", "archived", "archive", "answered")
    for rest in ("", " loops", " questions")
)


def add(place: Place, root: str, said: dict[str, str], now: float, texts: Iterable[bytes] = ()) -> Loop:
    """Capture a question, said by its title, context and question; the caller holds the lock.

    It gets an id that no worktree ever had, nor any of the texts.
    """
    path, taken, others = path_of(root), "", [*texts, *_elsewhere(place)]
    fields = {name: tidy(said.get(name, "")) for name in ("title", "context", "question")}
    fields["title"] = " ".join(fields["title"].split())
    if not fields["title"]:
        raise HoldfastError('The title is empty. Give one, such as: holdfast loop add "Which sources are in scope?"')
    fields["captured"] = clock.write(now)

    def made(book: Book) -> bytes:
        nonlocal taken
        if not taken or ids.highest(KIND, [book.data]) >= int(taken.removeprefix(f"{KIND}-")):
            taken = ids.next_number(place, KIND, [book.data, *others])
        return _with_new(book, taken, fields)

    return _write(path, made, lambda: taken, {**fields, "status": "open"})[0]


def texts(place: Place, patterns: Iterable[str]) -> Iterator[bytes]:
    """Yield every file in which ids of this project stand: its loops, and its state files."""
    found = discovery.state_files(place.root, tuple(patterns)).paths
    for path in [*(f"{place.root}/{known}" for known in PLACES), *found]:
        try:
            if os.path.getsize(path) <= discovery.LARGEST:
                yield files.read(path)
        except OSError:
            continue


def explore(place: Place, root: str, ident: str, approach: str, now: float) -> tuple[Loop, bool]:
    """Note that a loop is being clarified, and how; the caller holds the lock.

    Return it, and whether anything changed.
    """
    wanted = {"approach": tidy(approach)} if tidy(approach) else {}

    def made(book: Book) -> bytes:
        loop = _meant(place, book, ident)
        if loop.over:
            raise HoldfastError(f"{loop.ident} is closed. Capture what is open now: holdfast loop add TITLE")
        fields = wanted if loop.started else {"started": clock.write(now), **wanted}
        return _changed(book, loop, "clarifying", "exploring", fields)

    return _write(path_of(root), made, lambda: ident, {**wanted, "status": "clarifying"})


def close(place: Place, root: str, ident: str, said: dict[str, str], now: float) -> tuple[Loop, bool]:
    """Close a loop with its outcome: its result, evidence, and the id of a decision; the caller holds the lock.

    Return it, and whether anything changed.
    """
    wanted = {name: tidy(said.get(name, "")) for name in ("result", "evidence", "decision")}
    if not wanted["result"] or placeholders.is_nothing_else(wanted["result"]):
        raise HoldfastError(f"The outcome says nothing. Type: holdfast loop close {ident} --outcome TEXT")

    def made(book: Book) -> bytes:
        loop = _meant(place, book, ident)
        if is_closed(loop, wanted):
            return book.data
        return _changed(book, loop, "closed", "outcome", {"closed": clock.write(now), **wanted})

    told = {name: text for name, text in wanted.items() if text}
    return _write(path_of(root), made, lambda: ident, {**told, "status": "closed"})


def is_closed(loop: Loop, said: dict[str, str]) -> bool:
    """Whether a loop is closed with this very outcome already; HoldfastError when it is with another."""
    if not loop.over or not loop.result:
        return False
    if loop.result == tidy(said["result"]) and tidy(said.get("evidence", "")) in {"", loop.evidence}:
        return True
    raise HoldfastError(
        f"{loop.ident} is closed already, with another outcome (line {loop.line}). "
        "Edit it there, or capture what is open now: holdfast loop add TITLE"
    )


def _elsewhere(place: Place) -> Iterator[bytes]:
    """Yield what stands in the LOOPS.md of each working tree of the repository."""
    for root in _trees(place):
        with contextlib.suppress(OSError):  # a link, a pipe, one too large: none that holdfast ever wrote
            yield files.read(path_of(root))


def _trees(place: Place) -> Iterator[str]:
    """Yield the roots of the working trees that the repository knows."""
    if os.path.basename(place.common) == ".git":
        yield os.path.dirname(place.common)
    folder = f"{place.common}/worktrees"
    for name in sorted(os.listdir(folder)) if place.common and os.path.isdir(folder) else ():
        try:
            yield os.path.dirname(os.fsdecode(files.read(f"{folder}/{name}/gitdir")).strip())
        except OSError:
            continue


def _meant(place: Place, book: Book, ident: str) -> Loop:
    """Return the loop that is to be edited, where that can be done."""
    loop = book.loop(ident)
    if loop.problem:
        raise HoldfastError(f"{place.relative(book.path) or book.path}: {loop.ident} is not edited: {loop.problem}")
    book.refuse(loop.end)
    return loop


def _changed(book: Book, loop: Loop, status: str, holder: str, fields: dict[str, str]) -> bytes:
    """Return the file with a loop's status turned, and the fields of one of its elements set."""
    put = composing.put(book.data, loop, holder, fields, book.document.newline)
    return splices(book.data, [*composing.turned(book.data, loop, status), *put])


def _with_new(book: Book, ident: str, fields: dict[str, str]) -> bytes:
    """Return the file with a new loop after the last one that is open, before the closed ones, or at the end."""
    at, like = _place(book)
    book.refuse(at)
    return splices(book.data, [layout.spaced(book.document, at, composing.composed(book.data, like, ident, fields))])


def _place(book: Book) -> tuple[int, Loop | None]:
    """Return where a new loop goes, and the one that it is indented like."""
    document = book.document
    closed = [section for section in document.headings if names.forms(section.title) & _CLOSED]
    like = book.loops[-1] if book.loops else None
    live = [loop for loop in book.open if not any(section.body <= loop.start < section.end for section in closed)]
    if live:
        return document.line_end(live[-1].end - 1), live[-1]
    for section in document.headings:
        if names.forms(section.title) & _OPEN:
            return layout.content_end(document, section, section.end), like
    if closed:
        return _end(document, closed[0].start), like
    return (document.line_end(like.end - 1), like) if like else (_end(document, len(book.data)), None)


def _end(document: Document, end: int) -> int:
    """Return where the text ends before an offset, and before the rule and the note that close it."""
    before = [section for section in document.headings if section.start < end]
    if before:
        return layout.content_end(document, before[-1], end)
    return layout.last_line(document, document.body, end)


def _write(
    path: str, make: Callable[[Book], bytes], meant: Callable[[], str], fields: dict[str, str]
) -> tuple[Loop, bool]:
    """Write what `make` makes of the file once it reads back as it was meant.

    Return the loop that is meant, and whether anything changed.
    """
    refuse_odd(path)
    after = Book(path, b"")

    def change(data: bytes) -> bytes:
        nonlocal after
        if not data and os.path.lexists(path):
            raise HoldfastError(f"{path} is empty: somebody may just be saving it. Delete it to begin a new one.")
        before = Book(path, fitting(path, data or NEW))
        after = Book(path, fitting(path, make(before)))
        if after.data != before.data:
            _look_again(before, after, meant(), fields)
        return after.data

    changed = store.upsert(path, change)
    return after.loop(meant()), changed


def _look_again(before: Book, after: Book, ident: str, fields: dict[str, str]) -> None:
    """Refuse an edit that does not read back, or that makes another loop, or what is broken, read otherwise."""
    loop = after.loop(ident)
    others = [[_told(each) for each in book.loops if each.ident != loop.ident] for book in (before, after)]
    if others[0] != others[1] or len(after.flaws) > len(before.flaws):
        raise HoldfastError(f"{after.path} is not written: the loops around {loop.ident} would read otherwise")
    for name, text in fields.items():
        if loop.said(name) != text:
            raise HoldfastError(f"{after.path} is not written: the {name} of {loop.ident} would not read back the same")


def _told(loop: Loop) -> list[str]:
    return [loop.ident, loop.status, *map(loop.said, FIELDS)]

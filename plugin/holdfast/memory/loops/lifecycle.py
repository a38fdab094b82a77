"""The life of an open question in LOOPS.md: captured, explored, closed with an outcome."""

import contextlib
import glob
import os
from collections.abc import Callable, Iterable, Iterator

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import layout, store
from holdfast.formats import names
from holdfast.markdown.document import Document, splices
from holdfast.memory.loops import elements
from holdfast.memory.loops.book import NEW, Book, fitting, refuse_odd
from holdfast.memory.loops.elements import FIELDS, INNER, KIND, OWN, STATUSES, Element, Loop, Splice, tidy
from holdfast.project import discovery, ids
from holdfast.project.paths import Project
from holdfast.trust import clone

_OPEN = frozenset({"open", "open loops", "active", "active loops", "clarifying", "clarifying loops", "current loops"})
_CLOSED = frozenset(
    f"{word}{rest}"
    for word in ("closed", "resolved", "done", "completed", "archived", "archive", "answered")
    for rest in ("", " loops", " questions")
)


def add(  # noqa: PLR0913 - one argument for each thing that is known of a new loop
    project: Project, root: str, given: dict[str, str], now: float, texts: Iterable[bytes] = (), *, state: str = ""
) -> Loop:
    """Capture a question, given by its title, context and question; the caller holds the lock.

    It gets an id that no worktree and none of the texts contains. `state` is the state file that the loops belong to,
    see `discovery.loops_path`.
    """
    path, taken, others = discovery.loops_path(root, state), "", [*texts, *_elsewhere(project)]
    fields = {name: tidy(given.get(name, "")) for name in ("title", "context", "question")}
    fields["title"] = " ".join(fields["title"].split())
    if not fields["title"]:
        raise HoldfastError('The title is empty. Give one, such as: holdfast loop add "Which sources are in scope?"')
    fields["captured"] = clock.write(now)

    def made(book: Book) -> bytes:
        nonlocal taken
        own = _counting(project, path, book.data)
        if not taken or ids.highest(KIND, [own]) >= int(taken.removeprefix(f"{KIND}-")):
            taken = ids.next_number(project, KIND, [own, *others])
        return _with_new(book, taken, fields)

    return _write(path, made, lambda: taken, {**fields, "status": "open"})[0]


def texts(project: Project, patterns: Iterable[str]) -> Iterator[bytes]:
    """Yield each text that may contain ids of this project: loops, state files, what commands did in them."""
    texts_read = discovery.state_files(project.root, tuple(patterns)).paths
    loops = {f"{project.root}/{known}" for known in discovery.PATHS} | {*map(discovery.companion_of, texts_read)}
    done = glob.glob(f"{glob.escape(project.store)}/steps/*")  # also entries that left Recent Updates
    for path in [*sorted(loops), *texts_read, *done]:
        try:
            if os.path.getsize(path) <= discovery.LARGEST:
                yield _counting(project, path, files.read(path))
        except OSError:
            continue


def _counting(project: Project, path: str, text: bytes) -> bytes:
    """Return the text of a file, or only the ids in reach if it may come from elsewhere."""
    near = ids.in_reach(project.store, text)
    return text if near == text or not clone.TrustCheck().untrusted([path]) else near


def explore(  # noqa: PLR0913 - one argument for each thing that is known of the loop
    project: Project,
    root: str,
    ident: str,
    approach: str,
    now: float,
    *,
    state: str = "",
    listed: Loop | None = None,
) -> tuple[Loop, bool]:
    """Record that a loop is being clarified, and how; the caller holds the lock. Return it, and whether it changed.

    `state` is the state file that the loops belong to. `listed` is the loop as a table has it: one that LOOPS.md does
    not have yet is added there first.
    """
    requested = {"approach": tidy(approach)} if tidy(approach) else {}

    def made(book: Book) -> bytes:
        book = _with_listed(_trusted(project, book), ident, listed)
        loop = _meant(project, book, ident)
        if loop.over:
            raise HoldfastError(f"{loop.ident} is closed. Capture what is open now: holdfast loop add TITLE")
        fields = requested if loop.started else {"started": clock.write(now), **requested}
        return _changed(book, loop, "clarifying", "exploring", fields)

    path = discovery.loops_path(root, state)
    return _write(path, made, lambda: ident, {**requested, "status": "clarifying"})


def close(  # noqa: PLR0913 - one argument for each thing that is known of the loop
    project: Project,
    root: str,
    ident: str,
    given: dict[str, str],
    now: float,
    *,
    state: str = "",
    listed: Loop | None = None,
) -> tuple[Loop, bool]:
    """Close a loop with its outcome: its result, evidence, and the id of a decision; the caller holds the lock.

    Return it, and whether it changed. `state` and `listed` are those of `explore`.
    """
    requested = {name: tidy(given.get(name, "")) for name in ("result", "evidence", "decision")}
    if not requested["result"] or names.is_nothing_else(requested["result"]):
        what = "says nothing" if requested["result"] else "is missing"
        raise HoldfastError(f"The outcome {what}. Type: holdfast loop close {ident} --outcome TEXT")

    def made(book: Book) -> bytes:
        book = _with_listed(_trusted(project, book), ident, listed)
        loop = _meant(project, book, ident)
        if is_closed(loop, requested):
            return book.data
        return _changed(book, loop, "closed", "outcome", {"closed": clock.write(now), **requested})

    fields = {name: text for name, text in requested.items() if text}
    return _write(discovery.loops_path(root, state), made, lambda: ident, {**fields, "status": "closed"})


def edited(book: Book, edits: dict[str, dict[str, str]]) -> Book:
    """Return LOOPS.md with another title or status of some loops, as a person wrote them into a table."""
    for ident, fields in edits.items():
        loop, data = book.loop(ident), book.data
        title = _only(loop, loop.children, "title") if "title" in fields else None
        text = elements.between("title", fields["title"], "", _STEP, book.document.newline) if title else b""
        changes = [(title.inner, title.inner_end, text)] if title else []
        after = Book(book.path, splices(data, [*changes, *turned(data, loop, fields.get("status", loop.status))]))
        _look_again(book, after, ident, fields)
        book = after
    return book


def _trusted(project: Project, book: Book) -> Book:
    """Return LOOPS.md; HoldfastError when the output, which names a loop, reaches Claude and the text is untrusted."""
    if book.data != NEW:  # the file is there
        clone.require_trusted_project(project, book.path)
    return book


def _with_listed(book: Book, ident: str, listed: Loop | None) -> Book:
    """Return LOOPS.md with the requested loop, added from a table if it is missing."""
    meant = ids.parse(KIND, ident)
    if listed is None or listed.ident != meant or any(loop.has_id(meant) for loop in book.loops):
        return book
    fields = {"title": tidy(" ".join(listed.title.split())) or meant, "captured": tidy(listed.captured)}
    return Book(book.path, _with_new(book, meant, fields))


def is_closed(loop: Loop, given: dict[str, str]) -> bool:
    """Whether a loop is closed with this outcome already; HoldfastError when it is closed with another one."""
    if not loop.over or not loop.result:
        return False
    if loop.result == tidy(given["result"]) and tidy(given.get("evidence", "")) in {"", loop.evidence}:
        return True
    raise HoldfastError(
        f"{loop.ident} is closed already, with another outcome (line {loop.line}). "
        "Edit it there, or capture what is open now: holdfast loop add TITLE"
    )


def _elsewhere(project: Project) -> Iterator[bytes]:
    """Yield the bytes of LOOPS.md in each working tree of the repository."""
    for root in _trees(project):
        with contextlib.suppress(OSError):  # a link, a pipe or a large file: holdfast did not write it
            path = discovery.loops_path(root)
            yield _counting(project, path, files.read(path))


def _trees(project: Project) -> Iterator[str]:
    """Yield the roots of the working trees that the repository knows."""
    if os.path.basename(project.common) == ".git":
        yield os.path.dirname(project.common)
    folder = f"{project.common}/worktrees"
    for name in sorted(os.listdir(folder)) if project.common and os.path.isdir(folder) else ():
        try:
            yield os.path.dirname(os.fsdecode(files.read(f"{folder}/{name}/gitdir")).strip())
        except OSError:
            continue


def _meant(project: Project, book: Book, ident: str) -> Loop:
    """Return the loop to edit; HoldfastError when it cannot be edited."""
    loop = book.loop(ident)
    if loop.problem:
        raise HoldfastError(f"{project.relative(book.path) or book.path}: {loop.ident} is not edited: {loop.problem}")
    book.refuse(loop.end)
    return loop


def _changed(book: Book, loop: Loop, status: str, holder: str, fields: dict[str, str]) -> bytes:
    """Return the file with another status of a loop, and the fields of one of its elements set."""
    put = put_element(book.data, loop, holder, fields, book.document.newline)
    return splices(book.data, [*turned(book.data, loop, status), *put])


def _with_new(book: Book, ident: str, fields: dict[str, str]) -> bytes:
    """Return the file with a new loop after the last one that is open, before the closed ones, or at the end."""
    at, like = _place(book)
    book.refuse(at)
    return splices(book.data, [layout.spaced(book.document, at, composed(book.data, like, ident, fields))])


def _place(book: Book) -> tuple[int, Loop | None]:
    """Return where a new loop goes, and the loop whose indentation it takes."""
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
    """Write what `make` returns for the file, if it reads back as requested.

    Return the requested loop, and whether anything changed.
    """
    refuse_odd(path)
    after = Book(path, b"")

    def change(data: bytes) -> bytes:
        nonlocal after
        if not data and os.path.lexists(path):
            raise HoldfastError(f"{path} is empty: another program may be saving it. Delete it to begin a new one.")
        before = Book(path, fitting(path, data or NEW))
        after = Book(path, fitting(path, make(before)))
        if after.data != before.data:
            _look_again(before, after, meant(), fields)
        return after.data

    changed = store.upsert(path, change)
    return after.loop(meant()), changed


def _look_again(before: Book, after: Book, ident: str, fields: dict[str, str]) -> None:
    """Refuse an edit that does not read back, that changes another loop, or that adds a flaw."""
    loop = after.loop(ident)
    others = [[_values(each) for each in book.loops if each.ident != loop.ident] for book in (before, after)]
    if others[0] != others[1] or len(after.flaws) > len(before.flaws):
        raise HoldfastError(f"{after.path} is not written: the loops around {loop.ident} would read otherwise")
    for name, text in fields.items():
        if loop.text(name) != text:
            raise HoldfastError(f"{after.path} is not written: the {name} of {loop.ident} would not read back the same")


def _values(loop: Loop) -> list[str]:
    return [loop.ident, loop.status, *map(loop.text, FIELDS)]


_STEP = "  "


def composed(data: bytes, like: Loop | None, ident: str, fields: dict[str, str]) -> list[str]:
    """Return the lines of a new loop that is open, indented like another one; a field without text is left out."""
    indent = elements.indentation(data, like.start) if like else ""
    step = step_of(data, like) if like else _STEP
    inner = [
        line for name in OWN if fields.get(name) for line in elements.lines(name, fields[name], indent + step, step)
    ]
    return [f'{indent}<loop id="{ident}" status="{STATUSES[0]}">', *inner, f"{indent}</loop>"]


def turned(data: bytes, loop: Loop, status: str) -> list["Splice"]:
    """Return the splices that set the status in each place where the loop has one."""
    places = [(child.inner, child.inner_end) for child in loop.children if child.name == "status"]
    places += [loop.own_status] if loop.own_status else []
    found = [(start, end, status.encode()) for start, end in places if _word(data[start:end]) != status]
    at = loop.tag_end - 1
    return found if loop.own_status else [(at, at, f' status="{status}"'.encode()), *found]


def _word(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip().casefold()


def put_element(data: bytes, loop: Loop, name: str, fields: dict[str, str], newline: bytes) -> list["Splice"]:
    """Return the splices that set these fields in the element `name` of a loop; its other fields stay."""
    texts = {tag: fields[field] for tag, field in INNER[name].items() if fields.get(field)}
    holder = _only(loop, loop.children, name)
    step = step_of(data, loop)
    if holder is None:
        indent = elements.indentation(data, loop.start) + step
        inner = [line for tag, text in texts.items() for line in elements.lines(tag, text, indent + step, step)]
        block = [f"{indent}<{name}>", *inner, f"{indent}</{name}>"]
        return [elements.before(data, loop.end, "loop", block, newline)]
    there = holder.children
    indent = elements.indentation(data, there[0].start if there else holder.start) + ("" if there else step)
    found: list[Splice] = []
    new: list[str] = []
    for tag, text in texts.items():
        element = _only(loop, there, tag)
        if element is None:
            new += elements.lines(tag, text, indent, step)
        elif elements.text_of(data, element) != text:
            own = elements.indentation(data, element.start)
            found.append((element.inner, element.inner_end, elements.between(tag, text, own, step, newline)))
    return [*found, elements.before(data, holder.end, name, new, newline)] if new else found


def _only(loop: Loop, found: list[Element], name: str) -> Element | None:
    """Return the one element of a name, None for none; HoldfastError when it appears twice."""
    same = [element for element in found if element.name == name]
    if len(same) > 1:
        raise HoldfastError(f"{loop.ident} on line {loop.line} has <{name}> {len(same)} times; keep one of them")
    return same[0] if same else None


def step_of(data: bytes, loop: Loop) -> str:
    """Return the indentation of the elements of a loop, relative to the loop."""
    own = elements.indentation(data, loop.start)
    inner = elements.indentation(data, loop.children[0].start) if loop.children else ""
    return inner[len(own) :] if inner.startswith(own) and len(inner) > len(own) else _STEP

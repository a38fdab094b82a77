"""What is holdfast's own in a state file: the time of the last change, and the lines between its marks.

Below a mark `<!-- holdfast:… -->`, up to a blank line, lines are added and a task's box is ticked. Nothing is taken
away.
"""

import re
import zlib
from collections.abc import Iterable

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.formats.state_file import StateFile
from holdfast.markdown.blocks import gap
from holdfast.markdown.document import Document, code_span, splice
from holdfast.markdown.metadata_edit import edit

_BLOCKS = {"tasks": "Execution Progress", "files": "Files Modified"}
_LINE = pattern(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_TASK = pattern(r"- \[(.)\] ")
_FORMATTED = pattern(rb"[\s*_\\<>|+-]+")
_TICKS = {"completed": "x", "deleted": "-"}


def stamp(state: StateFile, now: float) -> bytes:
    """Return the file with the time of its last change set to `now`; see `stamp_splice`."""
    found = stamp_splice(state, now)
    return splice(state.document.data, *found) if found else state.document.data


def stamp_splice(state: StateFile, now: float) -> tuple[int, int, bytes] | None:
    """Return the splice that sets the time of the last change to `now` (seconds since 1970), in the form it has.

    None where the format keeps no such time, where none is in the file, where its form is not known to be exact,
    where it is later than `now`, and where it is unclear.
    """
    if state.problem or state.file_format is None:
        return None
    for place in state.file_format.stamp:
        spots = state.record.find(place)
        text = state.record.text(spots[0]) if len(spots) == 1 else ""
        form = clock.form(text)
        if not form:
            continue
        if clock.read(text) > now:
            return None
        label, value = spots[0].label, clock.write(now, form)
        if label:
            return label.value_start, label.value_end, value.encode()
        return _keyed(state.document, spots[0].path, value)
    return None


def stamped(state: StateFile) -> tuple[int, str]:
    """Return the 1-based line of the time of the last change and its text, (0, "") for none."""
    for place in state.file_format.stamp if state.file_format else []:
        for spot in state.record.find(place):
            return state.record.line(spot), state.record.text(spot)
    return 0, ""


def _keyed(document: Document, path: str, value: str) -> tuple[int, int, bytes] | None:
    """Return the splice that sets a key of the frontmatter, None where that cannot be done safely."""
    try:
        return edit(document, path, value)
    except HoldfastError:
        return None


def with_blocks(data: bytes, names: "Iterable[str]") -> bytes:
    """Return the file with a place for these of `_BLOCKS`: in the one section of that title, else in a new one."""
    for name in names:
        document, title = Document(data), _BLOCKS[name]
        if document.block(name) is not None or document.conflicted():
            continue
        own = document.only(title)
        at = own.end if own else _before_log(document)
        changed = splice(data, at, at, _spaced(document, at, _mark(name) if own else f"## {title}\n\n{_mark(name)}"))
        span = Document(changed).block(name)
        if span and span[0] > at:  # not so in an unclosed fence or comment
            data = changed
    return data


def measured_splices(
    document: Document, paths: list[str], tasks: list[tuple[str, str]], listed: "Iterable[str]" = ()
) -> list[tuple[int, int, bytes]]:
    """Return the splices that put each path and each (subject, status) into its block, a completed task ticked.

    Lines are added and boxes ticked, nothing else changes; what was `listed` before is not added again. [] for a file
    without the blocks, or in conflict.
    """
    if document.conflicted():
        return []
    ticks = {one_line(subject).strip(): _TICKS.get(status, " ") for subject, status in tasks}
    entries = {
        "files": ["- " + code_span(one_line(path)) for path in paths],
        "tasks": [f"- [{tick}] {subject}" for subject, tick in ticks.items()],
    }
    splices = []
    for name, (start, end) in ((name, span) for name in _BLOCKS if (span := document.block(name))):
        before = document.data[start:end]
        lines = _LINE.findall(before.decode("utf-8", "surrogateescape"))
        known = {*map(_key, lines), *listed}
        lines = [_ticked(line, ticks) for line in lines] if name == "tasks" else lines
        new = [entry for entry in dict.fromkeys(entries[name]) if _key(entry) not in known]
        newline = document.newline.decode()
        open_end = bool(new) and document.data[end - 1 : end] not in {b"\n", b"\r"}
        lines += [*([newline] if open_end else []), *(entry + newline for entry in new)]
        after = "".join(lines).encode("utf-8", "surrogateescape")
        if after != before:
            splices.append((start, end, after if before else _apart(document, start, after)))
    return splices


def _apart(document: Document, at: int, lines: bytes) -> bytes:
    """Return the first lines of a block, a blank line away from its mark and from what follows it."""
    rest = document.data[at:]
    return (
        gap(document.data[:at], document.newline)
        + lines
        + (document.newline if rest and rest[:1] not in b"\r\n" else b"")
    )


def open_tasks(document: Document) -> list[str]:
    """Return the tasks in a file's block whose box is open, in their order."""
    span = document.block("tasks")
    lines = _LINE.findall(document.text(*span)) if span else []
    return [line[len("- [ ] ") :].strip() for line in lines if line.startswith("- [ ] ")]


def _ticked(line: str, ticks: dict[str, str]) -> str:
    """Return a task's line with its empty box ticked when the task is done; what a person put into it stays."""
    box = _TASK.match(line)
    tick = ticks.get(line[box.end() :].strip(), " ") if box and box[1] == " " else " "
    return line if tick == " " else f"- [{tick}] {line[6:]}"


def _key(line: str) -> str:
    """Return what makes a line of a block this entry: a task's subject, or the code span of a path."""
    box = _TASK.match(line)
    if box:
        return line[box.end() :].strip()
    span = re.match(r"- (`+) ?(.+?) ?\1(?!`)", line)
    return span[0] if span else line.strip()


def _before_log(document: Document) -> int:
    """Return where a new section begins: before the log, and before the rule above it."""
    log = document.only("Session Log")
    if log is None:
        return len(document.data)
    rules = [at for kind, at, end in document.blocks(document.body, log.start) if kind == "rule"]
    alone = rules and not document.data[document.line_end(rules[-1]) : log.start].strip()
    return rules[-1] if alone else log.start


def _mark(name: str) -> str:
    """Return an empty block."""
    return f"<!-- holdfast:{name} -->\n"


def _spaced(document: Document, at: int, text: str) -> bytes:
    """Return a section for insertion at an offset: a blank line on either side, line ends as in the file."""
    after = "\n" if at < len(document.data) else ""
    block = (text + after).encode().replace(b"\n", document.newline)
    return gap(document.data[:at], document.newline) + block


def checksum(text: bytes) -> str:
    """Return eight hexadecimal digits for a text, independent of blanks and of the marks that formatters change."""
    return f"{zlib.crc32(_FORMATTED.sub(b'', text)):08x}"


def one_line(text: str) -> str:
    """Return text that fits on a line of a UTF-8 file."""
    return " ".join(text.splitlines()).encode("utf-8", "replace").decode()

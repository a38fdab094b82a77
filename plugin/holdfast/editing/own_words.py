"""Current State, Next Steps, decisions and questions in holdfast's words, until a person or the model writes there.

The lines are below a mark with their number and a checksum of them, so that a change by others is noticed.
"""

from collections.abc import Iterable, Iterator

from holdfast.core.patterns import pattern
from holdfast.editing import layout
from holdfast.formats import names
from holdfast.formats.format import WORDS
from holdfast.formats.managed_block import checksum
from holdfast.formats.record import Record
from holdfast.markdown.document import Section
from holdfast.markdown.document import splices as spliced

Splice = tuple[int, int, bytes]

BLOCKS = {
    "current": "state",
    "next": "next",
    "decisions": "decisions",
    "questions": "questions",
    "blockers": "blockers",
}  # word of the model -> name in the mark
APPENDED = frozenset({"decisions"})  # what others add there stays with holdfast's lines
_BESIDE = APPENDED | {"next"}  # the same, until a sync replaces them
_SUM = pattern(rb"<!-- holdfast:[a-z]+ \d+ ([0-9a-f]{8}) ")


class _Block:
    """The lines below the mark of one section: their span, that with the mark, and whether they are unchanged."""

    def __init__(self, record: Record, section: Section, span: tuple[int, int]) -> None:
        document = record.document
        self.start, self.end = span
        self.begin = document.line_start(len(document.data[: span[0]].rstrip()) - 1)
        match = _SUM.match(document.data, self.begin)
        self.whole = match is not None and match[1].decode() == checksum(document.data[slice(*span)])
        end = layout.content_end(document, section, record.own_end(section))
        outside = document.data[section.body : self.begin] + document.data[self.end : max(end, self.end)]
        self.alone = not outside.strip()


def splices(record: Record, lines: dict[str, list[str]]) -> "list[Splice]":
    """Return the splices that bring sections up to date, by the words of the model: see `BLOCKS`.

    A section that is only a placeholder gets its lines below a mark. When others have written in the section, the
    mark is removed, and holdfast's lines too unless these were changed; next steps and decisions stay beside theirs.
    """
    found = []
    for word, requested in lines.items():
        section = _section(record, word)
        if section is None:
            continue
        block = _block(record, section, word)
        if block is None:
            found += _begun(record, section, _marked(BLOCKS[word], requested))
        elif not block.whole:
            found.append((block.begin, block.start, b""))
        elif not block.alone and word not in _BESIDE:
            found.append(_without(record, block))
        else:
            shown = [line for line in requested if block.alone or names.NOT_KNOWN not in line]
            new = record.document.newline.join(line.encode() for line in _marked(BLOCKS[word], shown))
            old = record.document.data[block.begin : block.end].rstrip(b"\r\n")
            found += [(block.begin, block.begin + len(old), new)] if old != new else []
    return found


def created(record: Record, word: str, lines: list[str]) -> "Splice | None":
    """Return the splice that adds the section of a word with these lines, None if the file has it or cannot have it."""
    title = next((place.removeprefix("section:") for place in record.file_format.model.get(word, [])), "")
    part = record.file_format.part(title)
    if part is None or record.spots(word) or record.document.conflicted():
        return None
    from holdfast.editing import insert  # once in a session

    at, above, closed = insert.place_of(record, part)
    heading = [f"{'#' * insert.level_of(record, part)} {part.title}", ""]
    return layout.spaced(
        record.document, at, [*above, *heading, *_marked(BLOCKS[word], lines), *(["", "---"] if closed else [])]
    )


def is_written(record: Record, word: str) -> bool:
    """Return whether a section of the model has holdfast's words, such as those about an earlier session."""
    section = _section(record, word)
    return section is not None and _block(record, section, word) is not None


def released(record: Record, keys: "Iterable[str]") -> bytes:
    """Return a file without holdfast's words in the sections that these keys of requests name and replace."""
    blocks = _named(record, [*keys], set(BLOCKS) - APPENDED)
    return spliced(record.document.data, [_without(record, block) for block in blocks])


def text(record: Record, key: str) -> str:
    """Return holdfast's words in the section that the key of a request names, "" where there are none."""
    blocks = _named(record, [key], set(BLOCKS) - APPENDED)
    return next((record.document.text(block.start, block.end).strip() for block in blocks), "")


def _named(record: Record, keys: list[str], words: "Iterable[str]") -> "Iterator[_Block]":
    """Yield holdfast's lines, as far as nobody changed them, in the sections that these keys of requests name."""
    for word in words:
        section = _section(record, word)
        block = _block(record, section, word) if section else None
        if section and block and block.whole and any(_names(key, section, word) for key in keys):
            yield block


def _names(key: str, section: Section, word: str) -> bool:
    """Whether the key of a request names a section."""
    return names.plain(key) in names.forms(section.title) or word in {key, WORDS.get(names.plain(key))}


def _section(record: Record, word: str) -> Section | None:
    """Return the one section for a word of the model, None where there is none or several."""
    sections = [spot.section for spot in record.spots(word) if spot.kind == "section"]
    return sections[0] if len(sections) == 1 else None


def _block(record: Record, section: Section, word: str) -> _Block | None:
    """Return holdfast's lines in a section, None where there are none."""
    span = record.document.block(BLOCKS[word])
    return _Block(record, section, span) if span and section.body <= span[0] <= section.end else None


def _begun(record: Record, section: Section, lines: list[str]) -> "list[Splice]":
    """Return the splice that puts lines in the place of a placeholder, [] if the section has other text."""
    document = record.document
    end = layout.content_end(document, section, record.own_end(section))
    blocks = document.blocks(section.body, end)
    if not blocks or not record.vacant(document.text(blocks[0][1], end).strip()):
        return []
    return [layout.replaced(document, blocks[0][1], end, lines)]


def _without(record: Record, block: _Block) -> "Splice":
    """Return the splice that takes holdfast's lines and their mark away, with the blank line after them."""
    data = record.document.data
    newline = record.document.newline
    end = block.end + len(newline) * data.startswith(newline, block.end)
    return block.begin, end, b""


def _marked(name: str, lines: list[str]) -> list[str]:
    """Return lines below a mark with their number and checksum."""
    inner = "".join(f"{line}\n" for line in lines).encode()
    return [f"<!-- holdfast:{name} {len(lines)} {checksum(inner)} -->", "", *lines]

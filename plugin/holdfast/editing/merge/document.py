"""The merge of a whole Markdown file: bytes in, bytes out, and nothing lost."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

from holdfast.core.errors import HoldfastError
from holdfast.editing.merge import rules
from holdfast.editing.merge.engine import Engine
from holdfast.editing.merge.outline import Reader
from holdfast.git import merge as git_merge
from holdfast.markdown.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.editing.merge.nodes import Node
    from holdfast.editing.merge.rules import Rule

    Texts = tuple[bytes, bytes, bytes]  # base, ours, theirs
    Trees = tuple[Node, Node, Node]
    Outliner = Callable[[Document], Node]

_BOM = b"\xef\xbb\xbf"
RULES: tuple[Rule, ...] = (rules.ticked, rules.later, rules.cells)


def outline(document: Document) -> Node:
    """Return the tree of a state file."""
    return Reader(document, {}).read()


def with_new_lines(base: bytes, side: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a side of a merge with a change made in the lines that it added; lines of the base stay."""
    there = {line.strip() for line in base.splitlines()}
    lines = side.splitlines(keepends=True)
    return b"".join(line if line.strip() in there else change(line) for line in lines)


def merged(
    texts: Texts,
    marker: int = git_merge.MARKER,
    read: Outliner = outline,
    own: Sequence[Rule] = (),
    arranged: Callable[[Trees], Trees] | None = None,
) -> tuple[bytes, bool]:
    """Return the merge of three versions of a file, and whether it is free of conflicts.

    `read` returns the tree of a version, `own` are rules that count before the general ones, and `arranged` moves parts
    of the trees that one side moved, so that all three have them in one place. Where the structure cannot decide, or
    the result would lack a line or not read as Markdown, git's merge of lines counts. HoldfastError for bytes that git
    cannot merge either.
    """
    base, ours, theirs = texts
    taken = rules.chosen(base, ours, theirs)
    if taken is not None:
        return taken, True
    if any(b"\0" in text for text in texts):
        raise HoldfastError("it is binary")
    mark = _BOM if rules.chosen(*(b"+" if text.startswith(_BOM) else b"-" for text in texts)) == b"+" else b""
    bare = [text.removeprefix(_BOM) for text in texts]
    crlf = rules.chosen(*(b"\r\n" if _is_crlf(text) else b"\n" for text in bare)) == b"\r\n"
    mixed = len({_is_crlf(text) for text in bare}) > 1  # a side changed the ends of all lines
    if mixed:
        bare = [text.replace(b"\r\n", b"\n") for text in bare]
    data, clean = _structured((bare[0], bare[1], bare[2]), marker, read, own, arranged)
    return mark + (data.replace(b"\n", b"\r\n") if mixed and crlf else data), clean


def _is_crlf(text: bytes) -> bool:
    return text.count(b"\n") == text.count(b"\r\n") > 0


def _structured(
    texts: Texts,
    marker: int,
    read: Outliner,
    own: Sequence[Rule],
    arranged: Callable[[Trees], Trees] | None,
) -> tuple[bytes, bool]:
    """Return the merge of the trees of three texts where nothing is wrong with it, else git's merge of lines."""

    def lines(base: bytes, ours: bytes, theirs: bytes) -> tuple[bytes, bool]:
        return git_merge.text(base, ours, theirs, marker)

    documents = [Document(text) for text in texts]
    engine = Engine(lines, (*own, *RULES), next((d.newline for d in documents[1:] if d.data), b"\n"))
    try:
        trees = (read(documents[0]), read(documents[1]), read(documents[2]))
        data, clean = engine.merge(*(arranged(trees) if arranged else trees))
    except (HoldfastError, RecursionError):  # lists may be nested deeper than a program can follow
        return lines(*texts)
    result = data or b""
    outside = _outside(result, marker)
    sound = _keeps_all(texts, result, engine.decided) and _brings_nothing_back(texts, outside)
    return (result, clean) if sound and (not clean or _reads_well(documents, result)) else lines(*texts)


def _outside(result: bytes, marker: int) -> bytes:
    """Return a result without its conflicts."""
    begin, end = b"<" * marker + b" ours", b">" * marker + b" theirs"
    return re.sub(rb"^%b\r?$.*?^%b\r?$" % (begin, end), b"", result, flags=re.MULTILINE | re.DOTALL)


def _keeps_all(texts: Texts, result: bytes, decided: list[bytes]) -> bool:
    """Whether each line that a side added is in the result, but for those that a rule decided."""
    counts = [Counter(_lines(text)) for text in texts]
    there = {*_lines(result), *(line.strip() for line in decided)}
    return all(line in there for side in counts[1:] for line in side - counts[0])


def _brings_nothing_back(texts: Texts, outside: bytes) -> bool:
    """Whether the result has no line, outside of conflicts, that one side deleted and the other left alone."""
    base, ours, theirs = (Counter(_lines(text)) for text in texts)
    gone = {line for line, count in base.items() if sorted((ours[line], theirs[line])) == [0, count]}
    back = gone.intersection(_lines(outside))
    return not back or all(back.isdisjoint(_unmoved(texts[0], side)) for side in texts[1:])


def _unmoved(base: bytes, side: bytes) -> list[bytes]:
    """Return the lines that a side has where the base has them."""
    known = _lines(base)
    blocks = SequenceMatcher(None, known, _lines(side)).get_matching_blocks()
    return [line for at, _, size in blocks for line in known[at : at + size]]


def _lines(text: bytes) -> list[bytes]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _reads_well(documents: list[Document], result: bytes) -> bool:
    """Whether nothing is broken in the result that is whole on both sides."""
    known = {what for document in documents[1:] for _, what in document.flaws}
    return all(what in known for _, what in Document(result).flaws)

"""A Markdown file as a tree of elements for a page. Raw HTML stays text, and no element loads anything."""

from __future__ import annotations

from holdfast.markdown import commonmark, tags
from holdfast.markdown.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = str | list[Any]  # a text; or the name of an element, its one attribute or "", and its nodes

_DEEPEST = 24  # elements in each other; what lies deeper is put into the last of them
_SCHEMES = ("http://", "https://", "mailto:")
_NAMES = {
    "BlockQuote": "blockquote",
    "Emphasis": "em",
    "HtmlBlock": "pre",
    "Item": "li",
    "Paragraph": "p",
    "Strikethrough": "del",
    "Strong": "strong",
    "Table": "table",
    "TableHead": "tr",
    "TableRow": "tr",
}


def read(text: str) -> tuple[str, list[Node]]:
    """Return the frontmatter of a Markdown file, "" for none, and the nodes of what follows it."""
    document = Document(text.encode("utf-8", "replace"))
    body = _with_headings(document)
    front = document.data[: document.body].decode("utf-8", "replace") if document.frontmatter else ""
    return front.strip().strip("-").strip(), _Builder().nodes(body.decode("utf-8", "replace"))


def _with_headings(document: Document) -> bytes:
    """Return what follows the frontmatter, with a heading in place of each pair of tag lines."""
    data = document.data
    if not tags.find(data):
        return data[document.body :]
    pieces, at = [], document.body
    edges = [
        (one.start, one.body, b"### " + one.title.replace("_", " ").capitalize().encode()) for one in document.tags
    ]
    edges += [(one.end, (data.find(b"\n", one.end) + 1) or len(data), b"") for one in document.tags]
    for start, end, heading in sorted(edges):
        pieces += [data[at:start], b"\n\n", heading, b"\n\n"]
        at = end
    return b"".join([*pieces, data[at:]])


class _Builder:
    """Builds the nodes of one text; `_open` are the elements around, the outermost first."""

    def __init__(self) -> None:
        self._open: list[list[Node]] = [[]]
        self._deeper = 0  # how many elements are open that are too deep to become one
        self._cell = "td"

    def nodes(self, text: str) -> list[Node]:
        """Return the nodes of a text."""
        for event in commonmark.events(text):
            if isinstance(event, str):
                self._alone(event)
            else:
                ((moment, what),) = event.items()
                if moment == "Start":
                    self._start(what)
                elif moment == "End":
                    self._end()
                else:
                    self._leaf(moment, what)
        return self._open[0]

    def _alone(self, event: str) -> None:
        """Add a break or a rule."""
        if event == "SoftBreak":
            self._text("\n")
        else:
            self._open[-1].append(["hr" if event == "Rule" else "br", "", []])

    def _leaf(self, kind: str, what: Any) -> None:
        """Add a text, or what has no nodes of its own."""
        if kind == "Code":
            self._open[-1].append(["code", "", [what]])
        elif kind == "TaskListMarker":
            self._open[-1].append(["box", "x" if what else "", []])
        elif not (kind in {"Html", "InlineHtml"} and what.lstrip().startswith("<!--")):
            self._text(str(what))

    def _text(self, text: str) -> None:
        here = self._open[-1]
        if here and isinstance(here[-1], str):
            here[-1] += text
        else:
            here.append(text)

    def _start(self, what: Any) -> None:
        """Open an element."""
        if len(self._open) > _DEEPEST:
            self._deeper += 1
            return
        name, value = (what, None) if isinstance(what, str) else next(iter(what.items()))
        element, attribute = self._element(name, value)
        inner: list[Node] = []
        self._open[-1].append([element, attribute, inner])
        self._open.append(inner)

    def _element(self, name: str, value: Any) -> tuple[str, str]:
        """Return the name and the attribute of an element; an unknown one is a plain span."""
        if name == "Heading":
            return value["level"].lower(), ""
        if name == "CodeBlock":
            return "pre", ""
        if name == "List":
            return ("ul", "") if value is None else ("ol", str(value))
        if name == "Link":
            target = value["dest_url"]
            return ("a", target) if target.lower().startswith(_SCHEMES) else ("span", "")
        if name == "TableCell":
            return self._cell, ""
        if name in {"TableHead", "TableRow"}:
            self._cell = "th" if name == "TableHead" else "td"
        return _NAMES.get(name, "span"), ""

    def _end(self) -> None:
        """Close the innermost element; one that stayed empty, such as the block of a comment, is dropped."""
        if self._deeper:
            self._deeper -= 1
            return
        inner = self._open.pop()
        if not inner and self._open[-1][-1][0] in {"pre", "p", "span"}:
            self._open[-1].pop()

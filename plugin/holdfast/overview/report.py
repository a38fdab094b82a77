"""All that a report shows: sessions with their state files, hand-overs and events, and the figures of these sessions.

A report leaves this machine. So texts that were not accepted here are left out, whoever reads it, and no path says
where the project is.
"""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import islice

from holdfast.core import clock, files
from holdfast.hub import tree
from holdfast.markdown import blocks, tags
from holdfast.markdown.document import Document
from holdfast.overview import figures, handover, timeline
from holdfast.overview.timeline import Filter
from holdfast.project import client_registration
from holdfast.sessions import listed, short_ids, survey
from holdfast.trust import redaction, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.overview.page import Row
    from holdfast.overview.session_events import Event
    from holdfast.overview.timeline import Timeline
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace

    Node = str | list[Any]  # a text; or the name of an element, its one attribute or "", and its nodes


MOST = 1000  # sessions, the latest: a page of more is slow to make and to open
_EVENTS = 300  # of a session, the newest
_LISTED = 200  # files, tasks and subagents of a session
_REPEATED = 10_000  # texts that come again and again, such as paths
_CHARACTERS = 100_000  # of a state file


def read(workspace: Workspace, most: int = MOST) -> Row:
    """Return the JSON object of a report on at most so many sessions, the latest, 0 for all; nothing is written."""
    order = survey.Survey([], workspace).session_index.latest()
    journals = [*(islice(order, most) if most else order)]
    idents = {ident for ident, _ in journals}
    happened = timeline.read(workspace.project, Filter(), facts=workspace.facts, journals=journals)
    counted = figures.read(workspace, idents=idents)  # before the survey, which adds what state files say
    before = journals[-1][1] if most and len(journals) == most else 0.0
    found = survey.survey(workspace, guarded=True, done_before=before, most=most)
    everyone = tree.listed(found)
    latest = sorted(everyone, key=lambda one: (one.id in idents, one.last_active), reverse=True)
    shown = {one.id for one in (latest[:most] if most else latest)}
    events = _by_session(happened)
    rows = []
    for group, sessions in listed.grouped(everyone, workspace.now, everything=True).items():
        mine = [one for one in sessions if one.id in shown]
        rows += [_session(one, group, workspace.project.root, happened, events) for one in mine]
    shortened = short_ids.shortened(str(row["id"]) for row in rows)
    for row in rows:
        row["short"] = shortened[str(row["id"])]
    workspace.save()
    return {
        "project": safe.line(os.path.basename(workspace.project.root), 100),
        "made": clock.write(workspace.now),
        "version": client_registration.version(),
        "groups": list(listed.GROUPS),
        "sessions": rows,
        "earlier": len(everyone) - len(rows) + found.passed_over + found.left,
        "documents": _documents(found, rows),
        "commits": [_event(one) for one in events.get("", [])],
        "untrusted": {"count": len(found.untrusted), "names": redaction.short_names(found.untrusted)},
        "figures": counted.row(),
    }


def _by_session(happened: Timeline) -> dict[str, list[Event]]:
    """Return the events of each session, newest first; those of none are under ""."""
    by_session: dict[str, list[Event]] = {}
    for event in happened.events:
        by_session.setdefault(event.session, []).append(event)
    return by_session


def _session(session: Session, group: str, root: str, happened: Timeline, events: dict[str, list[Event]]) -> Row:
    """Return the object of a session in a group of the list."""
    own = events.get(session.id, [])
    accepted = not session.summary.get("untrusted")
    touched = session.inside()
    return {
        "id": session.id,
        "title": safe.line(session.title, 200),
        "group": group,
        "status": session.status,
        "process": session.presence,
        "branch": safe.line(session.branch, 100),
        "worktree": "" if session.worktree in {"", root} else safe.line(os.path.basename(session.worktree), 100),
        "started": _time(session.started),
        "last_active": _time(session.last_active),
        "ended": _time(session.ended),
        "state_file": session.state_name,
        "format": safe.line(str(session.summary.get("format", "")), 40),
        "accepted": accepted,
        "handover": handover.summarised(session.summary) if accepted else [],
        "answer": safe.line(session.talk.answer, 600),
        "progress": listed.tasks(session),
        "tasks": [[safe.line(subject, 200), status] for subject, status, _ in [*session.tasks.values()][:_LISTED]],
        "files": [safe.line(path, 400) for path in touched[:_LISTED]],
        "more_files": max(0, len(touched) - _LISTED),
        "agents": [
            [safe.line(child.type, 60) or "-", child.status, round(max(0.0, child.last_active - child.started), 3)]
            for child in [*session.children.values()][:_LISTED]
        ],
        "spans": [[_time(first), _time(last)] for first, last in happened.spans.get(session.id, [])],
        "events": [_event(one if accepted else one._replace(omitted=())) for one in own[:_EVENTS]],
        "more_events": max(0, len(own) - _EVENTS),
    }


@lru_cache(_REPEATED)
def _masked(text: str) -> str:
    """Return a recorded text without secrets; an earlier version, which recorded it, may have known fewer of them."""
    return safe.mask(text)


def _time(at: float) -> str:
    return clock.write(at) if at else ""


def _event(event: Event) -> Row:
    """Return the object of an event, without what is empty."""
    row: Row = {"at": clock.write(event.at), "kind": event.kind}
    row |= {
        key: _masked(text)
        for key, text in (("text", event.text), ("path", event.path), ("why", event.why), ("status", event.status))
        if text
    }
    row |= {"times": event.times} if event.times > 1 else {}
    row |= {"kept": event.kept} if event.kept else {}
    return row | ({"omitted": [*map(_masked, event.omitted)]} if event.omitted else {})


def _documents(found: Survey, rows: list[Row]) -> dict[str, Row]:
    """Return the text of each state file by its name: the frontmatter, and the nodes of `nodes_of`.

    The hub, which has the entries of all sessions, is left out, and so is what was not accepted here.
    """
    names = {str(row["state_file"]) for row in rows if row["accepted"]}
    requested = {
        one.state_name: one.state for one in found.listed if one.state_name in names and one.state != found.hub
    }
    return {name: document for name, path in sorted(requested.items()) if (document := _document(path))}


def _document(path: str) -> Row:
    """Return the text of a state file, {} if it cannot be read now."""
    try:
        text = files.read(path).decode("utf-8", "replace")
    except OSError:
        return {}
    front, nodes = nodes_of(safe.safe(text[:_CHARACTERS]))
    return {"front": front, "nodes": nodes, "more": max(0, len(text) - _CHARACTERS)}


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


def nodes_of(text: str) -> tuple[str, list[Node]]:
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
        for event in blocks.events(text):
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

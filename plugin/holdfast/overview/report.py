"""All that a report shows of sessions, as JSON and as one HTML page: the one importer of jinja2.

A report leaves this machine. So texts that were not accepted here are left out, whoever reads it, and no path says
where the project is.

The page opens from disk and loads nothing. It has its scripts and styles inside, and its content security policy allows
these by their hashes and nothing else. Jinja escapes every text; the texts that the script shows are JSON, and become
text nodes.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from holdfast.core import clock, fast_json, files
from holdfast.hub import tree
from holdfast.overview import figures, handover, session_events
from holdfast.overview.session_events import Event, Filter, Timeline
from holdfast.project import client_registration
from holdfast.sessions import listed, survey
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

Row = dict[str, object]

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
    happened = session_events.read_timeline(workspace.project, Filter(), facts=workspace.facts, journals=journals)
    counted = figures.read(workspace, idents=idents)  # before the survey, which adds what state files say
    before = journals[-1][1] if most and len(journals) == most else 0.0
    found = survey.survey(workspace, guarded=True, done_before=before, most=most)
    everyone = tree.listed(found)
    latest = sorted(everyone, key=lambda one: (one.id in idents, one.last_active), reverse=True)
    shown = {one.id for one in (latest[:most] if most else latest)}
    events = _by_session(happened)
    rows = []
    groups = listed.grouped(everyone, workspace.now, everything=True)
    for group, sessions in groups.items():
        mine = [one for one in sessions if one.id in shown]
        rows += [_session(one, group, workspace.project.root, happened, events) for one in mine]
    shortened = listed.shortened(str(row["id"]) for row in rows)
    for row in rows:
        row["short"] = shortened[str(row["id"])]
    workspace.save()
    return {
        "project": safe.line(os.path.basename(workspace.project.root), 100),
        "made": clock.write(workspace.now),
        "version": client_registration.version(),
        "groups": list(listed.GROUPS),
        "sessions": rows,
        "earlier": sum(map(len, groups.values())) - len(rows) + found.passed_over + found.left,
        "documents": _documents(found, rows),
        "commits": [_event(one) for one in events.get("", [])],
        "untrusted": {"count": len(found.untrusted), "names": clone.short_names(found.untrusted)},
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
    """Return the text of each state file by its name, and how many characters of it are left out.

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
    return {"text": safe.safe(text[:_CHARACTERS]), "more": max(0, len(text) - _CHARACTERS)}


MARK = b'<meta name="generator" content="holdfast report">'
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/web"
_SCRIPTS = ("elements", "sessions", "timeline", "figures", "main")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}  # so that no text ends the element or begins a comment
_DATA = b'<script type="application/json" id="report">'
_BEGINNING = 8192  # bytes in which a report says what it is


def compose(report: Row) -> bytes:
    """Return the page of a report, as `overview.report.read` returns it."""
    import jinja2
    from markupsafe import Markup

    styles = [_read("uplot/uPlot.min.css"), _read("style.css")]
    script = "\n".join(_read(f"{name}.js") for name in _SCRIPTS)
    scripts = [_read("uplot/uPlot.iife.min.js"), f'(() => {{\n"use strict";\n{script}}})();\n']
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    page = environment.from_string(_read("report.html")).render(
        report=report,
        figures=report["figures"],
        tables=_tables(report["figures"]),  # type: ignore[arg-type] # it is a row
        number="{:,}".format,
        policy=_policy(styles, scripts),
        styles=[*map(Markup, styles)],
        scripts=[*map(Markup, scripts)],
        licence=Markup(_read("uplot/LICENSE").strip()),  # noqa: S704 - our own file
        data=Markup(_escaped(report)),  # noqa: S704 - escaped for the element that it is in
    )
    return page.encode()


def is_report(path: str) -> bool:
    """Return whether a file is a report that holdfast made; OSError when it cannot be read."""
    return MARK in files.read(path, files.OWN_LIMIT)[:_BEGINNING]


def measured(path: str) -> tuple[int, int]:
    """Return how many bytes a page has, and how many sessions its data has, both read from the file."""
    data = files.read(path, files.OWN_LIMIT)
    begin = data.index(_DATA) + len(_DATA)
    report = fast_json.loads(data[begin : data.index(b"</script>", begin)])
    sessions = report["sessions"] if isinstance(report, dict) else []
    return len(data), len(sessions)


def _read(name: str) -> str:
    """Return a file of the page, whose lines end in LF as the page's do, so that hashes are those of the browser."""
    return files.read(f"{_FOLDER}/{name}").decode().replace("\r\n", "\n")


def _escaped(value: object) -> str:
    """Return a value as JSON for a script element: ASCII without the characters of markup."""
    text = fast_json.dumps(value)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def _policy(styles: Iterable[str], scripts: Iterable[str]) -> str:
    """Return the content security policy: nothing but these scripts and styles, and images inside the page."""
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)),
        "style-src": " ".join(map(_hash, styles)),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _tables(figures: dict[str, list[Row]]) -> list[Row]:
    """Return the tables of the figures: days, subagents, branches and zones."""
    days = [
        (row["day"], row["sessions"], f"{row['tasks_done']}/{row['tasks']}", _count(row["tokens"]))
        for row in reversed(figures["days"])
        if row["sessions"]
    ]
    agents = [
        (row["type"], row["count"], row["completed"], row["orphaned"], f"{row['median_seconds']:.0f} s")
        for row in figures["agents"]
    ]
    tokens = ("requests", "fresh", "cache_write", "cache_read", "output")
    branches = [(row["branch"], *(_count(row[key]) for key in tokens)) for row in figures["branches"]]
    zones = [(row["zone"], row["sessions"]) for row in figures["zones"]]
    return [
        _table("days", "Days", "Day, Sessions, Tasks done, Tokens", days),
        _table("agents", "Subagents", "Type, Count, Completed, Orphaned, Median time", agents),
        _table("branches", "Branches", "Branch, Requests, Fresh, Cache write, Cache read, Output", branches),
        _table("zones", "Worst zone of the context", "Zone, Sessions", zones),
    ]


def _table(ident: str, title: str, headings: str, rows: Sequence[tuple[object, ...]]) -> Row:
    return {"id": f"table-{ident}", "title": title, "headings": headings.split(", "), "rows": rows}


def _count(value: object) -> str:
    return f"{value:,}"

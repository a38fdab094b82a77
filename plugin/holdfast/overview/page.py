"""A report as one HTML page that opens from disk and loads nothing: the one importer of jinja2.

The page has its scripts and styles inside, and its content security policy allows these by their hashes and nothing
else. Jinja escapes every text; the texts that the script shows are JSON, and become text nodes.
"""

import base64
import hashlib
import os

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = dict[str, object]

MARK = b'<meta name="generator" content="holdfast report">'
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/web"
_SCRIPTS = ("elements", "sessions", "timeline", "figures", "main")
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}  # so that no text ends the element or begins a comment
_DATA = b'<script type="application/json" id="report">'
_BEGINNING = 8192  # bytes in which a report says what it is


def compose(report: "Row") -> bytes:
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


def _policy(styles: "Iterable[str]", scripts: "Iterable[str]") -> str:
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


def _tables(figures: "dict[str, list[Row]]") -> "list[Row]":
    """Return the tables of the figures: days, subagents, branches, zones, and files that sessions change together."""
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
    together = [(", ".join(row["paths"]), row["sessions"]) for row in figures["together"]]  # type: ignore[arg-type]
    return [
        _table("days", "Days", "Day, Sessions, Tasks done, Tokens", days),
        _table("agents", "Subagents", "Type, Count, Completed, Orphaned, Median time", agents),
        _table("branches", "Branches", "Branch, Requests, Fresh, Cache write, Cache read, Output", branches),
        _table("zones", "Worst zone of the context", "Zone, Sessions", zones),
        _table("together", "Changed together", "Files, Sessions", together),
    ]


def _table(ident: str, title: str, headings: str, rows: "Sequence[tuple[object, ...]]") -> "Row":
    return {"id": f"table-{ident}", "title": title, "headings": headings.split(", "), "rows": rows}


def _count(value: object) -> str:
    return f"{value:,}"

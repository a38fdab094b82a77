"""`holdfast report`: its model and its page, without a browser; `test_report_page` opens it in one."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core import files
from holdfast.overview import report
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.cli.test_json import SCHEMA, flaws
from tests.overview.test_timeline import FACTS, remember
from tests.support import hooks, keys

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
PAGE = "sessions.html"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;{{ 7*7 }}"


class _Parts(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note the text of the latest element."""
        if self.elements and self.elements[-1][0] in {"script", "style"} and data.strip():
            self.texts.append((self.elements[-1][0], data))


def model(project: Project) -> dict[str, Any]:
    """Return what `holdfast report --json` prints."""
    reply = project.cli("report", "--json")
    assert reply.code == 0, reply
    found = json.loads(reply.out)
    assert flaws(found, SCHEMA["report"]) == []
    assert isinstance(found, dict)
    return found


def page(project: Project) -> str:
    """Return the page that `holdfast report --html` writes."""
    reply = project.cli("report", "--html", PAGE)
    assert reply.code == 0, reply
    return (project.root / PAGE).read_text()


def test_a_page_has_the_latest_sessions_and_counts_the_others(prepared: Project) -> None:
    """Also where all are open; with 0 it has all of them, and the figures are of those that it has."""
    for number in range(6):
        asked = {"kind": "prompt", "text": f"Piece {number}"}
        facts = {"kind": "start", "pid": 0}, asked, {"kind": "edit", "path": f"{number}.py"}
        prepared.remember(f"session-{number}", *facts, at=1_760_000_000.0 + number)
    prepared.write_state(title="By hand")
    for most, ids in ((2, {"session-5", "session-4"}), (0, {f"session-{number}" for number in range(6)})):
        found: Any = report.read(Workspace(paths.locate(str(prepared.root))), most)
        assert {row["id"] for row in found["sessions"] if row["id"].startswith("session-")} == ids
        assert len(found["sessions"]) + found["earlier"] == 7
        assert {row["id"] for row in found["figures"]["sessions"]} == ids


def test_a_session_has_its_state_file_its_hand_over_and_its_events(prepared: Project) -> None:
    """As `list`, `log` and `stats` have them."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("a.py")
    prepared.fire("TaskCreated")
    prepared.fire("Stop")
    prepared.settled("one")
    assert prepared.cli("sync", "--json", '{"Next Steps": ["Sum the totals"]}', "--session", "one").code == 0
    found = model(prepared)
    (one,) = found["sessions"]
    (listed,) = json.loads(prepared.cli("list", "--all", "--json").out)
    assert {key: one[key] for key in ("id", "title", "status", "branch", "state_file")} == {
        key: listed[key] for key in ("id", "title", "status", "branch", "state_file")
    }
    assert ["Next steps", ["Sum the totals"]] in one["handover"]
    assert (one["tasks"], one["files"]) == ([["Write tests", "pending"]], ["a.py"])
    logged = [json.loads(line) for line in prepared.cli("log", "--json").out.splitlines()]
    assert [(event["at"], event["kind"]) for event in one["events"]] == [
        (event["at"], event["kind"]) for event in logged if event["session"]
    ]
    assert found["figures"] == json.loads(prepared.cli("stats", "--json").out)
    document = found["documents"][one["state_file"]]
    assert "last_updated" in document["text"]
    assert "## Next Steps\n" in document["text"]


def test_each_journal_is_read_once(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """For events, figures and sessions together, whatever is cached."""
    for ident, count in (("short", 1), ("long", 50)):
        remember(prepared, ident, facts=FACTS * count)
    assert prepared.cli("list").code == 0  # which fills the cache
    remember(prepared, "new")
    reads: list[str] = []

    def counted(name: str) -> None:
        before = getattr(files, name)

        def noted(path: str, *limits: int) -> bytes:
            reads.append(path)
            return bytes(before(path, *limits))

        monkeypatch.setattr(files, name, noted)

    counted("read")
    counted("tail")
    monkeypatch.setenv("HOLDFAST_DATA", str(prepared.data))
    found = report.read(Workspace(paths.locate(str(prepared.root))))
    assert sorted(os.path.basename(path) for path in reads if path.endswith(".jsonl")) == [
        "long.jsonl",
        "new.jsonl",
        "short.jsonl",
    ]
    assert json.loads(json.dumps(found["figures"])) == json.loads(prepared.cli("stats", "--json").out)


def test_the_page_has_the_model_and_allows_nothing_else(here: Project) -> None:
    """The hashes of the policy are those of its scripts and styles; there is no address of anything to load."""
    remember(here, "one")
    parts = _Parts(page(here))
    policy = next(found["content"] for name, found in parts.elements if found.get("http-equiv"))
    assert policy
    hashes = {
        kind: {
            f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
            for name, text in parts.texts
            if name == kind and not text.startswith("{")
        }
        for kind in ("script", "style")
    }
    rules = {name: {*values} for name, *values in (rule.split() for rule in policy.split("; "))}
    assert rules == {
        "default-src": {"'none'"},
        "script-src": hashes["script"],
        "style-src": hashes["style"],
        "img-src": {"data:"},
        "base-uri": {"'none'"},
        "form-action": {"'none'"},
        "require-trusted-types-for": {"'script'"},
    }
    assert [len(found) for found in hashes.values()] == [2, 2]
    assert [found for _, found in parts.elements if found.get("src") or found.get("style")] == []
    assert [found["href"] for _, found in parts.elements if "href" in found] == ["data:,"]
    data = next(text for name, text in parts.texts if name == "script" and text.startswith("{"))
    assert {**json.loads(data), "made": ""} == {**model(here), "made": ""}
    assert "Permission is hereby granted" in (here.root / PAGE).read_text()  # the licence of uPlot


def test_hostile_texts_stay_texts(here: Project) -> None:
    """In titles, paths, branches and state files: no element comes of them, nor a character that steers."""
    remember(
        here,
        "one",
        facts=(
            {"kind": "start", "source": "startup", "branch": HOSTILE},
            {"kind": "prompt", "text": HOSTILE + "\u202etxt" + "x" * 10_000},
            {"kind": "edit", "tool": "Edit", "path": f"src/{HOSTILE}"},
            {"kind": "child", "agent": "a1", "type": HOSTILE, "status": "completed"},
        ),
    )
    here.write_state(title="x", state=HOSTILE, following=HOSTILE)
    names = [name for name, _ in _Parts(page(here)).elements]
    assert (names.count("script"), names.count("img")) == (3, 0)
    assert "\\u003cscript\\u003ealert(1)" in (here.root / PAGE).read_text()
    assert "\u202e" not in json.dumps(model(here), ensure_ascii=False)
    assert max(len(one["title"]) for one in model(here)["sessions"]) <= 200


def test_a_text_that_was_not_accepted_is_left_out(prepared: Project) -> None:
    """Also in the user's own terminal, because the page goes to others: a count, and three short names."""
    prepared.accepts = False
    for number in range(4):
        prepared.write_state(
            f"2025120{number + 1}-143000-their-{number}.md", title="Canary title", state="Canary state"
        )
    found = model(prepared)
    assert found["untrusted"]["count"] == 4
    assert found["untrusted"]["names"].count('"') == 6
    assert "Canary" not in json.dumps(found)
    assert "Canary" not in page(prepared)
    assert "their-0" in page(prepared)


def test_secrets_are_masked(here: Project) -> None:
    """In a journal of an earlier version, which did not know this kind, and in a state file."""
    secret = keys.made("GitHub")
    remember(here, "one", facts=({"kind": "start"}, {"kind": "prompt", "text": f"use {secret} for it"}))
    here.write_state(title="x", state=f"the token is {secret}")
    found = page(here)
    assert secret not in found
    assert found.count("[masked]") > 1


def test_the_message_says_what_was_written(here: Project) -> None:
    """Its size and its sessions; an older report is replaced."""
    remember(here, "one")
    for shown in ("1 session", "2 sessions"):
        reply = here.cli("report", "--html", PAGE)
        size = (here.root / PAGE).stat().st_size
        assert reply.out == f"{PAGE}: {shown}, {(size + 1023) // 1024:,} KB. Open it in a browser.\n"
        remember(here, "two")
    reported = json.loads(here.cli("report", "--html", PAGE, "--json").out)
    assert reported == {"path": str(here.root / PAGE), "bytes": (here.root / PAGE).stat().st_size, "sessions": 2}


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("mine", [], "is there and is not a report of holdfast. Give another name, or --force."),
        (None, [], "is not a plain file. Give --html the name of one."),
        ("mine", ["--force"], ""),
        ("", [], ""),
    ],
)
def test_a_file_of_somebody_else_stays(here: Project, content: str | None, options: list[str], message: str) -> None:
    """Unless it is empty or `--force` is given."""
    path = here.root / PAGE
    path.mkdir() if content is None else path.write_text(content)
    reply = here.cli("report", "--html", PAGE, *options)
    assert (reply.code, message in reply.err) == (1 if message else 0, True)
    assert path.is_dir() or (path.read_text() == content) == bool(message)


def test_a_link_is_not_written_through(here: Project, tmp_path: Path) -> None:
    """The message says so."""
    (here.root / PAGE).symlink_to(tmp_path / "elsewhere")
    reply = here.cli("report", "--html", PAGE)
    assert (reply.code, "is a link" in reply.err, (tmp_path / "elsewhere").exists()) == (1, True, False)


def test_without_a_file_it_prints_the_figures(here: Project) -> None:
    """And says how to get the page; none is made."""
    here.remember("one", {"kind": "start"}, {"kind": "prompt", "text": "Sort the addresses"}, at=1.0)
    assert here.cli("report").out == here.cli("stats").out != ""
    shown = here.cli("report", HOLDFAST_SCREEN="80x24").out
    assert "Sort the addresses" in shown
    assert shown.endswith("holdfast report --html report.html\n")
    assert list(here.root.glob("*.html")) == []

"""The checklist that an ended session leaves: which items it has, and which of them are answered already."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.checklist import checklist, unfinished
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.support import hooks
from tests.support.facts import fold

if TYPE_CHECKING:
    from holdfast.sessions.session import Session
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
START = {"kind": "start", "root": "/p", "host": "h"}
EDIT = {"kind": "edit", "path": "a.py"}
END = {"kind": "end", "reason": "other"}
STATE = {"kind": "state", "path": ".agents/sessions/s.md", "root": "/p", "by": "edit"}
# What the format asks to be done before a session's file is deleted.
DELETION = [
    "External issue updated with final status",
    "Decisions captured as ADRs (if architectural)",
    "Lessons learned added to relevant docs",
    "Remaining work created as issues",
    "No orphaned references to session file",
    "Delete the session file",
]


def _fold(*facts: dict[str, Any]) -> Session:
    return fold("0123456789", [{"at": 1_800_000_000.0 + number, **fact} for number, fact in enumerate(facts)])


def _task(status: str) -> dict[str, Any]:
    return {"kind": "task", "id": "1", "subject": "lex", "status": status}


def _child(status: str) -> dict[str, Any]:
    return {"kind": "child", "agent": "a", "type": "Explore", "status": status}


# Facts before the end, and the item that they answer.
ITEMS: list[tuple[list[dict[str, Any]], str]] = [
    ([EDIT], "- [x] Tasks finished"),
    ([_task("completed")], "- [x] Tasks finished"),
    ([_task("deleted")], "- [x] Tasks finished"),
    ([_task("in_progress")], "- [ ] Tasks finished; 1 open: lex"),
    ([EDIT, _child("completed")], "- [x] Children finished"),
    ([EDIT, _child("running")], "- [ ] Children finished; 1 open: Explore"),
    ([STATE, EDIT], "- [ ] State file says what was done; 1 open: a.py"),
    ([EDIT, STATE], "- [x] State file says what was done"),
    ([EDIT, END, {"kind": "measured", "uncommitted": 0}], "- [x] Changes committed"),
    (
        [EDIT, END, {"kind": "measured", "uncommitted": 9, "examples": ["a", "b", "c", "d", "e"]}],
        "- [ ] Changes committed; 9 open: a, b, c, d, …",
    ),
    ([STATE, END, {"kind": "measured", "mentions": []}], "- [x] No orphaned references to session file"),
    (
        [STATE, END, {"kind": "measured", "mentions": ["README.md"]}],
        "- [ ] No orphaned references to session file; 1 open: README.md",
    ),
    ([STATE], "- [ ] No orphaned references to session file"),
]


@pytest.mark.parametrize(("facts", "item"), ITEMS)
def test_items_are_answered_where_that_can_be_measured(facts: list[dict[str, Any]], item: str) -> None:
    """A box is ticked when journal and git say so; what speaks against it is counted and named."""
    ended = facts if END in facts else [*facts, END]
    assert item in [one.text for one in checklist.items(_fold(START, *ended))]


def test_the_deletion_checklist_is_complete() -> None:
    """A session with a state file leaves every item of the format, those of meaning open; one without leaves none."""
    texts = [one.text for one in checklist.items(_fold(START, STATE, EDIT, END))]
    assert [item for item in DELETION if not any(text.startswith(f"- [ ] {item}") for text in texts)] == []
    assert ".agents/sessions/s.md" in texts[-1]
    without = [one.text for one in checklist.items(_fold(START, EDIT, END))]
    assert [item for item in DELETION if any(item in text for text in without)] == []


@pytest.mark.parametrize(
    ("still_open", "done", "most", "lines"),
    [
        ("", "tasks todos", 6, ["Nothing that is measured is open.", "- [x] tasks", "- [x] todos"]),
        ("todos", "tasks delete", 6, ["- [ ] todos; 1 open: a", "- [x] tasks"]),
        ("tasks todos steps", "", 2, ["- [ ] tasks; 1 open: a", "- [ ] and 2 more: --all"]),
        ("tasks todos", "steps state", 2, ["- [ ] tasks; 1 open: a", "- [ ] todos; 1 open: a"]),
    ],
)
def test_what_is_open_comes_first(still_open: str, done: str, most: int, lines: list[str]) -> None:
    """Only what was measured is shown, in so many lines."""
    items = [checklist.Item(kind, kind, done=True) for kind in done.split()]
    items += [checklist.Item(kind, kind, ["a"]) for kind in still_open.split()]
    assert checklist.short(items, most) == lines


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ([EDIT, END], []),
        ([_task("in_progress")], ["1 task"]),
        ([_task("in_progress"), END, {"kind": "measured", "tasks_count": 2, "tasks": ["a", "b"]}], ["2 tasks"]),
        ([EDIT, END, {"kind": "measured", "uncommitted": 3}], ["3 uncommitted files"]),
        ([EDIT, END, {"kind": "measured", "uncommitted": 1}, START], []),
    ],
)
def test_a_start_counts_what_was_measured(facts: list[dict[str, Any]], expected: list[str]) -> None:
    """Only measured items count, and a new start begins anew."""
    assert checklist.counts(_fold(START, *facts)) == expected


def test_the_end_of_a_session_is_measured(prepared: Project) -> None:
    """What git knows at the end of a session, is in the next start."""
    path = prepared.write_state()
    path.write_text(f"{path.read_text()}\nThis is {path.name}.\n")
    for name in ("README.md", ".agents/SESSION-STATE.md"):
        (prepared.root / name).write_text(f"See {path.name}.\n")
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "all")
    (prepared.root / "a.py").write_text("new\n")
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.edit("a.py")
    prepared.fire("SessionEnd", reason="prompt_input_exit")
    prepared.settled()
    (measured,) = prepared.facts(kind="measured")
    assert sorted(measured["examples"]) == [f".agents/sessions/{path.name}", "a.py"]
    assert measured["mentions"] == ["README.md"]
    message = prepared.fire("SessionStart", "two").message
    assert "1 uncommitted file (a.py) left: /holdfast:checklist one" in message
    reported = prepared.cli("checklist", "--all").out
    assert f"ended {time.strftime('%Y-%m-%d', time.gmtime())}" in reported
    assert re.search(r"- \[ \] Changes committed; \d open: .*a\.py", reported)
    assert "- [ ] No orphaned references to session file; 1 open: README.md" in reported
    assert "- [x] Tasks finished" in reported


def test_the_work_of_others_is_not_a_sessions_own(prepared: Project) -> None:
    """Files that only another session changed, and its state file, do not count as uncommitted; unclaimed ones do."""
    for session, name in (("one", "a.py"), ("two", "b.py")):
        prepared.fire("SessionStart", session)
        prepared.fire("UserPromptSubmit", session, prompt=f"Write {name}")
        (prepared.root / name).write_text("new\n")
        prepared.edit(name, session)
        prepared.fire("Stop", session)
        prepared.settled(session)
    for path in (prepared.store / "touched").iterdir():  # as after an hour
        path.unlink()
    (prepared.root / "c.py").write_text("made by a command\n")
    prepared.fire("SessionEnd", "two")
    prepared.settled("two")
    (measured,) = prepared.facts("two", kind="measured")
    (own,) = [path.name for path in prepared.state_files() if "b-py" in path.name]
    assert {"b.py", "c.py", f".agents/sessions/{own}"} <= set(measured["examples"])
    assert not {"a.py"} & set(measured["examples"])
    assert sum(name.startswith(".agents/sessions/") for name in measured["examples"]) == 1


def test_a_checklist_needs_no_state_file(here: Project) -> None:
    """In a project that was not prepared the end of a session is measured and reported all the same."""
    here.fire("SessionStart")
    (here.root / "a.py").write_text("new\n")
    here.edit("a.py")
    here.fire("SessionEnd")
    here.settled()
    assert "1 uncommitted file (a.py) left: /holdfast:checklist one" in here.fire("SessionStart", "two").message
    assert "- [ ] Changes committed; 1 open: a.py" in here.cli("checklist", "one").out


@pytest.mark.parametrize(("kind", "count", "shown"), [("files", 1, 120), ("files", 2, 60), ("todos", 2, 120)])
def test_evidence_is_cut_where_more_has_to_fit(kind: str, count: int, shown: int) -> None:
    """One open thing, and each line with a TODO, has 120 characters; of more each has 60."""
    names = [f"{number}{'x' * 138}" for number in range(count)]
    line = checklist.Item(kind, "Words", names).text
    assert [len(part.strip()) for part in line.partition("open: ")[2].split(",")] == [shown] * count


def test_a_file_that_several_sessions_share_is_not_one_sessions_unfinished_work(prepared: Project) -> None:
    """What a project's memory leaves open is not measured for a session that has it as its state file."""
    name, text = shapes.MEMORY
    shared = prepared.root / "memory-bank/activeContext.md"
    shared.parent.mkdir()
    shared.write_text(f"{text}\n## Next Steps\n\n- [ ] Publish\n- TBD\n")
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    workspace = Workspace(paths.locate(str(prepared.root)))
    session = workspace.recorded("one")
    own = unfinished.measure(workspace, session)
    prepared.accept()
    measured = unfinished.measure(workspace, session.replace(state=str(shared)))
    of_the_file = {"tasks", "children", "state", "unfilled"}
    assert of_the_file <= own.keys()
    assert not of_the_file & measured.keys(), name

"""Where the brief lists each session, file and question, and what it says of the own state file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context import brief
from holdfast.context.compaction.after import Returned
from holdfast.context.compaction.must_keep import MustKeep
from holdfast.journal.session import Child
from holdfast.sessions.session import Session
from tests.support.facts import fold

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000.0
SAME = "/p/.agents/sessions/own.md"
SHARED = {"format": "gsd", "shared": True}
HUB = {"format": "genie", "shared": True}


def _one(ident: str = "other", path: str = "a.py", branch: str = "topic", **fields: Any) -> Session:
    """Return a session with a journal that changed a file; its title is `Work` and its id."""
    facts: list[dict[str, Any]] = [{"kind": "start", "at": NOW - 60, "host": "elsewhere", "branch": branch}]
    facts += [{"kind": "prompt", "at": NOW - 60, "text": f"Work {ident}"}]
    facts += [{"kind": "edit", "at": NOW - 60, "path": path}] if path else []
    return fold(ident, facts).replace(**fields)


def _file(name: str, **fields: Any) -> Session:
    """Return a state file without a session; its title is `Work` and its name."""
    summary = {"title": f"Work {name}", **fields.pop("summary", {})}
    return Session("").replace(state=f"/p/{name}", state_name=name, summary=summary, **fields)


def _composed(
    *everyone: Session, whole: bool = True, limit: int = 9000, initialised: bool = True, **fields: Any
) -> str:
    """Return the brief for the session `own`."""
    found = brief.Brief(list(everyone), "own")
    for name, value in fields.items():
        setattr(found, name, value)
    return brief.compose(found, NOW, limit, initialised=initialised, whole=whole)


def _sections(text: str) -> dict[str, str]:
    """Return the text below each heading of a brief."""
    return {title: body for title, _, body in (part.partition("\n") for part in text.split("## ")[1:])}


def _where(text: str, words: str) -> str:
    """Return the headings of the sections that have these words."""
    return ", ".join(title for title, body in _sections(text).items() if words in body)


OWN = _one("own", path="own.py", branch="main")
KEEPING = _one("own", path="own.py", branch="main", state=SAME, state_name=".agents/sessions/own.md")
HANDED = _file(".continue-here.md", summary={"format": "continue-here", "artifacts": ["x.md"]})
LISTED = {"id": "kid", "category": "completed", "title": "Kid"}


@pytest.mark.parametrize(
    ("own", "others", "where"),
    [
        (OWN, [_one(live=True)], "Live sessions"),
        (OWN, [_one(live=True, passed_on=True)], ""),
        (OWN, [_one()], "Unfinished sessions"),
        (OWN, [_one(passed_on=True)], ""),
        (OWN, [_one(path="")], ""),
        (OWN, [_one(silent=True)], "Stale sessions"),
        (OWN, [_one(silent=True, path="")], ""),
        (OWN, [_one(ended=NOW - 1)], "Unfinished sessions"),
        (OWN, [_one(ended=NOW - 1, branch="main")], "Unfinished work nearby"),
        (OWN, [_one(ended=NOW - 1, branch="main", path="")], ""),
        (OWN, [_one(ended=NOW - 1, branch="main", summary={"category": "completed"})], ""),
        (OWN, [_one(branch="main")], "Unfinished work nearby"),
        (OWN, [_one(path="own.py")], "Unfinished work nearby"),
        (OWN, [_one(path="own.py", silent=True)], "Unfinished work nearby"),
        (OWN, [_one(summary={"status": "done", "category": "completed"})], ""),
        (OWN, [_one(summary={"status": "paused", "category": "paused"})], "Unfinished sessions"),
        (KEEPING, [_one(live=True, state=SAME)], "Live sessions"),
        (KEEPING, [_one(state=SAME)], ""),
        (KEEPING, [_one(state="/p/b.md")], "Unfinished sessions"),
        (KEEPING, [_one(live=True, state="/p/b.md")], "Live sessions"),
        (OWN, [_one(state="/p/b.md", summary=SHARED)], "Unfinished sessions"),
        (OWN, [_one(state="/p/x.md", state_name="x.md", summary={"category": "paused", "status": "p"}), HANDED], ""),
        (
            OWN,
            [_one(state="/p/y.md", state_name="y.md", summary={"category": "paused", "status": "p"}), HANDED],
            "Unfinished sessions",
        ),
        (
            OWN,
            [_one(state="/p/x.md", state_name="x.md", summary={"category": "active", "status": "a"}), HANDED],
            "Unfinished sessions",
        ),
        (OWN, [_one(state_name="x.md", summary={"category": "paused", "status": "p"}), HANDED], "Unfinished sessions"),
    ],
)
def test_a_session_is_listed_where_it_belongs(own: Session, others: list[Session], where: str) -> None:
    """In one section, by its work, process and state file; what is over, or goes on elsewhere, is in none."""
    assert _where(_composed(own, *others), '- "Work other"') == where


@pytest.mark.parametrize(
    ("file", "where"),
    [
        (_file("STATE.md", summary={**SHARED, "category": "active"}), "Other state files"),
        (_file("STATE.md", summary={**SHARED, "category": "completed"}), ""),
        (_file("HUB.md", summary=HUB), ""),
        (_file("HUB.md", summary={**HUB, "problem": "line 3: two tables"}), "Open in the hub"),
        (_file("HUB.md", summary={**HUB, "entries": [LISTED]}), ""),
        (_file("HUB.md", summary={**HUB, "entries": [{**LISTED, "category": "active"}]}), "Open in the hub"),
    ],
)
def test_a_shared_file_is_listed_while_it_has_open_work(file: Session, where: str) -> None:
    """A hub is listed for its open entries or its damage, any other file until it is completed."""
    assert _where(_composed(OWN, file), f'- "{file.title}"') == where


@pytest.mark.parametrize(
    ("status", "category", "listed", "shown"),
    [
        ("orphaned", "", "", True),
        ("orphaned", "", "active", True),
        ("orphaned", "", "completed", False),
        ("orphaned", "completed", "", False),
        ("completed", "", "", False),
        ("running", "", "", False),
    ],
)
def test_an_unfinished_subagent_is_listed_until_it_is_closed(
    status: str, category: str, listed: str, *, shown: bool
) -> None:
    """The hub closes it, or the end of its session's work."""
    child = Child("kid", NOW - 60)
    child.type, child.status = "Explore", status
    parent = _one(children={"kid": child}, summary={"category": category, "status": category})
    hub = _file("HUB.md", summary={**HUB, "entries": [{**LISTED, "category": listed}] if listed else []})
    assert _where(_composed(OWN, parent, hub), "Explore subagent kid") == ("Unfinished subagents" if shown else "")
    assert ("1 unfinished subagent." in _composed(OWN, parent, hub, whole=False)) is shown


@pytest.mark.parametrize("branch", ["", "main"])
def test_work_without_a_branch_is_not_on_the_same_branch(branch: str) -> None:
    """Only a known branch makes work concern the work at hand."""
    own, other = _one("own", path="own.py", branch=branch), _one(branch=branch)
    assert _where(_composed(own, other), "Work other") == (
        "Unfinished work nearby" if branch else "Unfinished sessions"
    )
    assert _where(_composed(other), "Work other") == "Unfinished sessions"


def test_the_session_that_the_user_is_asked_about_comes_first() -> None:
    """Three sessions at most are near; the others are counted. A hand-over has a section of its own."""
    same = [_one(f"same{number}", branch="main") for number in range(4)]
    text = _composed(OWN, *same, HANDED, asked=[same[3]], whole=False)
    near = _sections(text)["Unfinished work nearby"]
    assert [name for name in ("same3", "same0", "same1", "same2") if name in near] == ["same3", "same0", "same1"]
    assert near.index("Work same3") < near.index("Work same0")
    assert "Also open here: 1 unfinished session. `holdfast brief --all` lists them." in text
    asked = _composed(OWN, HANDED, asked=[HANDED])
    assert "Whether to resume" in _sections(asked)["Asked at the start"]
    assert "Unfinished work nearby" not in asked


def test_what_is_counted_is_not_listed() -> None:
    """Without `--all` the line counts what the sections leave out; a project of genie names each session."""
    others = [
        _one("fresh"),
        _one("silent", silent=True),
        _one("near", branch="main"),
        _file("STATE.md", summary=SHARED),
    ]
    loops = [["LOOP-1", "open", "Why"]]
    rest = "1 other state file, 1 open loop. `holdfast brief --all` lists them."
    counted = _composed(OWN, *others, loops=loops, whole=False)
    assert f"Also open here: 1 unfinished session, 1 stale session, {rest}" in counted
    assert list(_sections(counted)) == ["Unfinished work nearby", "How the state is kept"]
    named = _composed(OWN, *others, loops=loops, whole=False, names_all=True)
    assert f"Also open here: {rest}" in named
    assert [one in _sections(named)["Other unfinished sessions"] for one in ("fresh", "silent", "near")] == [
        True,
        True,
        False,
    ]
    whole = _composed(OWN, *others, loops=loops)
    assert "Also open here" not in whole
    assert _sections(whole)["Open loops"].strip() == "- LOOP-1 (open): Why"


@pytest.mark.parametrize(("question", "listed"), [("Why", True), ("LOOP-1 Why", False)])
def test_loops_are_listed_unless_the_own_file_lists_them(question: str, *, listed: bool) -> None:
    """A state file that names loops among its questions has them already."""
    own = _one("own", summary={"questions": [question]})
    assert ("Open loops" in _composed(own, loops=[["LOOP-1", "open", "Why"]])) is listed


@pytest.mark.parametrize(
    ("own", "limit", "words"),
    [
        (None, 9000, "A state file's Current State and Next Steps are"),
        (OWN, 9000, "This session has no state file yet"),
        (OWN, 2000, "## How the state is kept"),
        (OWN, 1999, "State files are kept with `holdfast sync"),
        (_one("own", client="codex"), 9000, "the sandbox protects .agents"),
        (KEEPING, 9000, "are edited like any file"),
        (_one("own", state=SAME, summary={"format": "agents"}), 9000, "Current State and Next Steps are"),
        (_one("own", state=SAME, summary={"format": "gsd"}), 9000, "A state file's sections are"),
        (_one("own", summary={"format": "gsd"}), 9000, "Current State and Next Steps are"),
    ],
)
def test_the_brief_explains_how_the_own_state_is_kept(own: Session | None, limit: int, words: str) -> None:
    """By the own file's format, and what the client's sandbox allows; a short brief has one line for it."""
    text = _composed(*([own] if own else []), limit=limit)
    assert words in text
    assert ("like any file" in text) is (limit >= 2000 and not (own and own.client))
    assert ("has no state file yet" in text) is not bool(own and own.state)


def test_without_init_the_brief_explains_that_nothing_is_kept() -> None:
    """What an own state file would have is of no use then."""
    text = _composed(OWN, _one(), initialised=False)
    assert "`holdfast init` makes it keep state files" in text
    assert "A state file's" not in text


@pytest.mark.parametrize(
    ("mine", "theirs", "named"),
    [("", "", "(other"), ("", "codex", "(Codex session other"), ("codex", "", "(Claude session other")],
)
def test_a_session_is_named_with_its_client_where_there_are_several(mine: str, theirs: str, named: str) -> None:
    """If both are Claude Code the id is enough, wherever the brief names the session."""
    own = _one("own", client=mine)
    for live in (True, False):
        assert named in _composed(own, _one(client=theirs, live=live), whole=False, names_all=True)


KEPT = MustKeep("focus", "Focus", ["the rates"])


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, False),
        ({"initialised": True}, True),
        ({"returned": Returned([])}, False),
        ({"returned": Returned([KEPT])}, True),
        ({"untrusted": ["a.md"]}, True),
        ({"handovers": [HANDED]}, True),
        ({"in_use": ["- a.py"]}, True),
        ({"more": {"stale": 1}, "whole": False}, True),
    ],
)
def test_a_project_without_init_gets_a_brief_only_for_something(fields: dict[str, Any], *, shown: bool) -> None:
    """Nothing to say and no state files to keep: no text."""
    assert bool(_composed(OWN, **{"initialised": False, **fields})) is shown


@pytest.mark.parametrize(
    ("paths", "more", "words"),
    [
        ([], {}, ""),
        (["a.md"], {}, "\n1 file may come from elsewhere"),
        (["a.md", "b.md"], {"stale": 1}, "\nat least 2 files may come from elsewhere"),
        (["a.md"], {"stale": 0}, "\n1 file may come from elsewhere"),
    ],
)
def test_untrusted_files_are_counted(paths: list[str], more: dict[str, int], words: str) -> None:
    """Where not all files were looked at, the number is the least."""
    text = _composed(OWN, untrusted=paths, more=more)
    assert words in text
    assert ("elsewhere" in text) is bool(words)


def test_what_does_not_fit_is_counted_by_section() -> None:
    """One entry alone goes by its section's name; files in use have at most 1,500 characters."""
    lines = [f"- {number:03}{'x' * 95}" for number in range(20)]
    text = _composed(OWN, in_use=lines)
    assert _sections(text)["Files in use by others"].count("- 0") == 14
    assert "Left out for length: 6 of 20 in files in use by others. `holdfast brief --all`" in text
    assert "Left out" not in _composed(OWN, in_use=lines[:14])
    alone = _composed(OWN, in_use=["- " + "x" * 1600])
    assert "Left out for length: files in use by others. " in alone
    assert "Files in use by others" not in _sections(alone)
    more = _composed(OWN, more={"handed": 2})
    assert "Left out for length: 2 more in paused work. " in more


@pytest.mark.parametrize(("length", "shown"), [(1473, True), (1474, False)])
def test_an_entry_may_fill_the_room_of_its_section(length: int, *, shown: bool) -> None:
    """The heading and the line ends count."""
    assert ("Files in use by others" in _sections(_composed(OWN, in_use=["x" * length]))) is shown


def test_what_returns_after_a_compaction_follows_the_own_state(tmp_path: Path) -> None:
    """Without a compaction nothing returns."""
    path = tmp_path / "own.md"
    path.write_text("Half done.\n")
    own = _one("own", state=str(path), state_name="own.md")
    text = _composed(own, returned=Returned([KEPT]))
    assert text.index("> Half done.") < text.index("- Focus: the rates")
    assert "Left out by the summary" not in _composed(own)


def test_the_own_state_has_the_room_that_others_leave(tmp_path: Path) -> None:
    """Alone it may fill the brief; beside other sections it has a good half."""
    path = tmp_path / "own.md"
    path.write_text("Half done.\n" * 500)
    own = _one("own", state=str(path), state_name="own.md")
    alone, beside = (_composed(own, limit=4000, whole=False, in_use=lines) for lines in ([], ["- a.py"]))
    assert alone.count("Half done.") > beside.count("Half done.") * 1.5

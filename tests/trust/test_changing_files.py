"""A file that another program replaces while holdfast reads and checks it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.memory import loop_listing, phases
from holdfast.memory.loops import book, lifecycle, questions
from holdfast.project import paths
from holdfast.sessions import survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import ledger
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from holdfast.memory.loops.loop import Loop

NAME = ".agents/sessions/20251204-143000-parser.md"
OURS = b"# Parser\n\n## Current State\nOurs.\n\n## Next Steps\n- [ ] Ours\n"
THEIRS = OURS.replace(b"Ours", b"Evil")


def _replace(path: Path, data: bytes) -> None:
    new = path.with_name("new")
    new.write_bytes(data)
    new.rename(path)


@pytest.mark.parametrize("moment", ["before the check", "before git is asked"])
def test_the_text_that_is_shown_is_the_one_that_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """A stranger's text is withheld if the user's own is back by the time at which the file is checked."""
    here = Repository.create(tmp_path / "here")
    here.commit("mine", {NAME: OURS})
    path = here.folder / NAME
    _replace(path, THEIRS)
    name = "untrusted" if moment == "before the check" else "_ask_git"
    check: Callable[..., set[str]] = getattr(ledger.TrustCheck, name)

    def replaced(self: ledger.TrustCheck, *rest: Iterable[str]) -> set[str]:
        _replace(path, OURS)
        return check(self, *rest)

    monkeypatch.setattr(ledger.TrustCheck, name, replaced)
    workspace = Workspace(paths.locate(str(here.folder)), time.time())
    found = survey.survey(workspace, guarded=True)
    assert found.untrusted == [str(path)]
    assert "Evil" not in str([one.summary for one in found.sessions])

    monkeypatch.undo()
    workspace = Workspace(paths.locate(str(here.folder)), time.time())
    assert "Ours" in str([one.summary for one in survey.survey(workspace, guarded=True).sessions])


def test_a_file_that_is_gone_when_git_is_asked_is_untrusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout removes a file before it writes it anew."""
    here = Repository.create(tmp_path / "here")
    here.commit("mine", {NAME: OURS})
    path = here.folder / NAME
    _replace(path, THEIRS)
    ask: Callable[..., set[str]] = ledger.TrustCheck._ask_git  # noqa: SLF001 - the moment that matters is inside

    def removed(self: ledger.TrustCheck, *rest: Iterable[str]) -> set[str]:
        path.unlink()
        return ask(self, *rest)

    monkeypatch.setattr(ledger.TrustCheck, "_ask_git", removed)
    found = survey.survey(Workspace(paths.locate(str(here.folder)), time.time()), guarded=True)
    assert "Evil" not in str([one.summary for one in found.sessions])


def test_a_text_that_is_read_after_the_check_is_the_same(tmp_path: Path) -> None:
    """The brief has no text of a file that was replaced after it was checked."""
    here = Repository.create(tmp_path / "here")
    here.commit("mine", {NAME: OURS})
    workspace = Workspace(paths.locate(str(here.folder)), time.time())
    (session,) = survey.survey(workspace, guarded=True).sessions
    assert b"Ours" in session.text()
    _replace(here.folder / NAME, THEIRS)
    assert session.text() == b""


LOOPS = ".agents/LOOPS.md"
ROADMAP = "ROADMAP.md"
_LOOPS = b'# Loops\n\n<loop id="LOOP-001" status="open">\n  <title>Ours</title>\n</loop>\n'
_ROADMAP = b"# Roadmap\n\n## Phase 1: Ours\n"
_TABLE = OURS + (
    b"\n## Active Loops\n\n| ID | Title | Status | Captured |\n|----|-------|--------|----------|\n"
    b"| LOOP-001 | Ours | open | 2025-12-04 |\n\n## Recent Updates\n"
)


def _listed(workspace: Workspace) -> object:
    root = workspace.project.root
    return [loop.row() for loop in loop_listing.in_book(f"{root}/{LOOPS}", workspace.cache)[0]]


def _in_tables(workspace: Workspace) -> object:
    return [loop.row() for loop in loop_listing.in_tables(survey.survey(workspace, guarded=False))]


def _repeated(workspace: Workspace) -> object:
    found = book.readable(workspace.project.root)
    return found and found.data


def _asked(workspace: Workspace) -> object:
    return questions.still_open(survey.survey(workspace, guarded=True))


def _phases(workspace: Workspace) -> object:
    return phases.roadmap(workspace.project.root, f"{workspace.project.root}/{NAME}")


_READ: dict[str, tuple[Callable[[Workspace], object], str, bytes]] = {
    "loop list": (_listed, LOOPS, _LOOPS),
    "texts that repeat loops": (_repeated, LOOPS, _LOOPS),
    "open questions": (_asked, LOOPS, _LOOPS),
    "roadmap": (_phases, ROADMAP, _ROADMAP),
    "tables": (_in_tables, NAME, _TABLE),
}


@pytest.mark.parametrize("moment", ["before the check", "after the check", "never"])
@pytest.mark.parametrize("case", _READ)
def test_loops_and_phases_are_those_that_were_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, moment: str
) -> None:
    """Nothing is read of another text that is in the file before each check, or after each."""
    read, name, data = _READ[case]
    here = Repository.create(tmp_path / "here")
    here.commit("mine", {name: data})
    path, check = here.folder / name, ledger.TrustCheck.untrusted
    if moment == "before the check":
        _replace(path, data.replace(b"Ours", b"Evil"))

    def replaced(self: ledger.TrustCheck, given: Iterable[str]) -> set[str]:
        checked = [*given]
        if moment != "never" and str(path) in checked:
            _replace(path, data)
        found = check(self, checked)
        if moment == "after the check" and str(path) in checked:
            _replace(path, data.replace(b"Ours", b"Evil"))
        return found

    monkeypatch.setattr(ledger.TrustCheck, "untrusted", replaced)
    monkeypatch.setenv("CLAUDECODE", "1")
    try:
        found = str(read(Workspace(paths.locate(str(here.folder)), time.time())))
    except HoldfastError as error:
        found = str(error)
    assert "Evil" not in found
    assert moment != "never" or "Ours" in found


@pytest.mark.parametrize("command", ["explore", "close"])
def test_a_loop_of_a_text_that_came_after_the_check_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Claude learns nothing of it, and it stays as it is; for a person it changes."""
    here = Repository.create(tmp_path / "here")
    here.commit("mine", {LOOPS: _LOOPS})
    project, path, at = paths.locate(str(here.folder)), here.folder / LOOPS, time.time()
    run: dict[str, Callable[[], tuple[Loop, bool]]] = {
        "explore": lambda: lifecycle.explore(project, project.root, "1", "Ask them", at),
        "close": lambda: lifecycle.close(project, project.root, "1", {"result": "We do"}, at),
    }
    _replace(path, _LOOPS.replace(b"Ours", b"Evil"))
    monkeypatch.setenv("CLAUDECODE", "1")
    with store.writing(project), pytest.raises(HoldfastError, match="may come from elsewhere"):
        run[command]()
    assert path.read_bytes() == _LOOPS.replace(b"Ours", b"Evil")
    monkeypatch.delenv("CLAUDECODE")
    with store.writing(project):
        loop, changed = run[command]()
    assert (loop.title, changed) == ("Evil", True)


def test_what_is_read_of_a_changing_file_is_not_kept(tmp_path: Path) -> None:
    """A result is kept only for the version of the file that was read."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    cache = Cache(str(tmp_path / "store"))

    def read(_: str) -> str:
        _replace(path, b"new")
        return "old"

    assert cache.read(str(path), read) == "old"
    assert not cache.is_one_version(str(path), "", "")
    assert cache.read(str(path), lambda _: "new") == "new"
    assert cache.is_one_version(str(path), "", "")

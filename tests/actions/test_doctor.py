"""`holdfast doctor`: what it looks at, what it finds wrong, and the remedy that comes with each finding."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.actions import doctor
from holdfast.project import discovery, error_log, paths
from tests.hazards.shapes import AGENTS as SHAPE
from tests.support import hooks
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
CHECKS = [
    "Python",
    "packages",
    "git",
    "plugin",
    "project",
    "store",
    "state files",
    "plugin data",
    "hooks",
    "settings",
    "formats",
]


def _examine(project: Project, **changes: str | None) -> dict[str, dict[str, str]]:
    """Return the findings that are not as they should be, by check."""
    reply = project.cli("doctor", "--json", cwd=None, **changes)
    findings = json.loads(reply.out)["findings"]
    assert reply.code == (0 if all(finding["level"] == "ok" for finding in findings) else 1)
    assert all(bool(finding["remedy"]) == (finding["level"] == "error") for finding in findings)
    return {finding["what"]: finding for finding in findings if finding["level"] != "ok"}


def _well(project: Project) -> None:
    """Make everything as it should be."""
    settings = project.home / ".claude/settings.json"
    settings.write_text(json.dumps({"enabledPlugins": {"holdfast@holdfast-tools": True}}))
    project.fire("SessionStart")


@pytest.mark.parametrize(
    ("listed", "found", "ok"),
    [
        ([], "1 session; `claude agents` does not list one", True),
        (["one"], "1 session; `claude agents` lists the same", True),
        (["one", "two"], "no hooks fire in 1 session of Claude Code: two", False),
        (None, "", True),
    ],
)
def test_live_sessions_are_compared_with_the_clients_own_list(
    prepared: Project, listed: list[str] | None, found: str, *, ok: bool
) -> None:
    """A session that only the client knows has no hooks; one that ended, or is in another project, does not count."""
    _well(prepared)
    prepared.fire("SessionStart", "over")
    prepared.fire("SessionEnd", "over")
    rows = None if listed is None else [{"sessionId": one, "cwd": str(prepared.root)} for one in listed]
    path = prepared.client_lists(rows and [*rows, {"sessionId": "three", "cwd": str(prepared.home)}])
    checks = json.loads(prepared.cli("doctor", "--json", PATH=path).out)["findings"]
    live = [(check["why"], check["level"] == "ok") for check in checks if check["what"] == "live"]
    assert live == ([(found, ok)] if found else [])


def test_where_all_is_well(prepared: Project) -> None:
    """With plugin, project and hooks in place every check passes, in words and as JSON, and nothing is left behind."""
    _well(prepared)
    before = snapshot(prepared.root)
    assert _examine(prepared) == {}
    reply = prepared.cli("doctor")
    assert (reply.code, reply.err) == (0, "")
    assert [line for line in reply.out.splitlines() if not line.startswith("✓ ")] == []
    assert [check for check in CHECKS if f"✓ {check}: " not in reply.out] == []
    assert "last received: start just now" in reply.out
    assert set(snapshot(prepared.root)) == set(before)


def test_a_new_machine(here: Project) -> None:
    """Before anything was done each thing that is missing has its remedy."""
    found = _examine(here)
    assert set(found) == {"plugin"}
    assert "install.sh" in found["plugin"]["remedy"]
    reply = here.cli("doctor")
    assert reply.code == 1
    assert reply.out.count("    → ") == 1
    assert "keeps journals only; `holdfast init` makes it keep state files" in reply.out


def test_a_plugin_that_was_loaded_by_hand_counts(prepared: Project) -> None:
    """Hooks that fire without any settings file naming them are no fault."""
    prepared.fire("SessionStart")
    assert "plugin" not in _examine(prepared)


def test_a_project_that_wires_the_hooks_itself_counts(prepared: Project) -> None:
    """Settings of the project with our launcher in them are as good as the plugin."""
    (prepared.root / ".claude").mkdir()
    shutil.copy(prepared.plugin / ".claude/settings.json", prepared.root / ".claude/settings.json")
    assert "plugin" not in _examine(prepared)


def _no_git(project: Project) -> dict[str, str | None]:
    tools = project.folder / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "readlink"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    return {"PATH": str(tools)}


def _store_is_a_file(project: Project) -> dict[str, str | None]:
    shutil.rmtree(project.store)
    project.store.write_text("")
    return {}


def _state_files_are_a_file(project: Project) -> dict[str, str | None]:
    (project.root / ".agents/sessions").write_text("")
    return {}


def _fault(project: Project) -> dict[str, str | None]:
    error_log.record(str(project.store), "Stop", ValueError("this went wrong"))
    return {}


def _bad_format(project: Project) -> dict[str, str | None]:
    (project.root / ".agents/holdfast.toml").write_text('[formats.ours]\nplaces = "x.md"\n')
    return {}


def _too_many(project: Project) -> dict[str, str | None]:
    (project.root / ".agents/sessions").mkdir()
    for number in range(discovery.MAX_NAMES + 1):
        (project.root / f".agents/sessions/{number}.md").write_text("")
    return {}


BREAKS: dict[str, tuple[Callable[[Project], dict[str, str | None]], str, str]] = {
    "git": (_no_git, "not found on PATH", "Install git"),
    "store": (_store_is_a_file, "File exists", "writable"),
    "state files": (_state_files_are_a_file, "File exists", "writable"),
    "settings": (_bad_format, "[formats.ours] places", "holdfast.toml"),
    "formats": (_too_many, "1 more are too many", "Move those"),
    "errors": (_fault, "this went wrong", "errors.log"),
}


@pytest.mark.parametrize("check", BREAKS)
def test_what_is_wrong_is_found(prepared: Project, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thing that can keep holdfast from working is found, distinguished, and has its remedy."""
    monkeypatch.setattr(discovery, "MAX_NAMES", 20)
    make, reported, remedy = BREAKS[check]
    _well(prepared)
    found = _examine(prepared, **make(prepared))
    assert reported in found[check]["why"]
    assert remedy in found[check]["remedy"]
    assert set(found) <= {check, "hooks"}  # without a store nothing is known of the hooks


def test_a_hooks_fault_is_reported_by_doctor_and_at_the_next_start(prepared: Project) -> None:
    """A hook that failed shows nowhere at once; the next start says how many did, and doctor which."""
    _well(prepared)
    assert prepared.send("Stop", b"not JSON") == (0, "", "")
    assert "1 error since the last start" in prepared.fire("SessionStart", "two").message
    assert "Stop: ValueError: not JSON" in _examine(prepared)["errors"]["why"]


def test_without_a_home_no_folder_for_plugin_data_is_checked(
    prepared: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is none; a folder of state files that leads out is named all the same."""
    (tmp_path / "elsewhere").mkdir()
    (prepared.root / ".agents/sessions").symlink_to(tmp_path / "elsewhere")
    monkeypatch.delenv("HOME")
    checks = {one.what: one.why for one in doctor._folders(paths.locate(str(prepared.root)))}  # noqa: SLF001 - without a home no command finds its packages
    assert "leads out of the project" in checks["state files"]
    assert "plugin data" not in checks


def test_a_missing_folder_is_made_for_the_check_and_removed_with_those_above(
    prepared: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin's data folder may be several folders below one that exists."""
    monkeypatch.setenv("HOLDFAST_DATA", str(tmp_path / "one/two/three"))
    checks = doctor._folders(paths.locate(str(prepared.root)))  # noqa: SLF001 - a command finds no packages there
    assert [(one.why, one.remedy) for one in checks if one.what == "plugin data"] == [
        (str(tmp_path / "one/two/three"), "")
    ]
    assert not (tmp_path / "one").exists()


def test_outside_a_project(here: Project, tmp_path: Path) -> None:
    """Doctor answers anywhere, even where nothing is kept."""
    (tmp_path / "plain").mkdir()
    reply = here.cli("doctor", cwd=tmp_path / "plain")
    assert (reply.code, reply.err) == (1, "")
    assert "no repository here" in reply.out
    assert list((tmp_path / "plain").iterdir()) == []


def test_settings_that_keep_hooks_from_running(prepared: Project) -> None:
    """Each is named with its file, also where another file enables the plugin."""
    _well(prepared)
    folder = prepared.root / ".claude"
    folder.mkdir()
    local = folder / "settings.local.json"
    cases = {
        "disableAllHooks in": {"disableAllHooks": True},
        "allowManagedHooksOnly in": {"allowManagedHooksOnly": True},
        "switched off in": {"enabledPlugins": {"holdfast@holdfast-tools": False}},
    }
    for words, settings in cases.items():
        local.write_text(json.dumps(settings))
        found = _examine(prepared)["plugin"]
        assert found["why"].startswith(words)
        assert str(local) in found["why"]
    local.unlink()
    assert "plugin" not in _examine(prepared)


def test_settings_that_lead_out_of_the_project_are_not_read(prepared: Project, tmp_path: Path) -> None:
    """A link in a clone says nothing about the user's own settings."""
    _well(prepared)
    (tmp_path / "settings.json").write_text('{"disableAllHooks": true}')
    (prepared.root / ".claude").symlink_to(tmp_path)
    assert "plugin" not in _examine(prepared)


def test_conflict_copies_are_no_sessions(prepared: Project) -> None:
    """Doctor names them; a number in a name is none where no file has the name without it."""
    _well(prepared)
    folder = prepared.root / ".agents/sessions"
    folder.mkdir()
    state = SHAPE[1].replace("Exporter", "Importer")
    (folder / "one.md").write_text(state)
    (folder / "part 2.md").write_text(SHAPE[1])
    copies = [
        "one 2.md",
        "one (1).md",
        "one (Ann's conflicted copy 2026-11-27).md",
        "one.sync-conflict-20261127-101010-ABC.md",
    ]
    for name in copies:
        (folder / name).write_text(state)
    prepared.accept()
    found = _examine(prepared)["copies"]
    assert all(name in found["why"] for name in sorted(copies)[:3])
    known = {row["id"] for row in json.loads(prepared.cli("list", "--all", "--json").out)}
    assert known == {"one", "part 2"}  # the first is the name of a file and of a session


def test_a_state_file_whose_filter_is_missing(prepared: Project) -> None:
    """Git cannot stage it, and says how to set the filter up."""
    _well(prepared)
    prepared.write_state()
    (prepared.root / ".gitattributes").write_text("*.md filter=lfs\n")
    prepared.accept()
    found = _examine(prepared)["filters"]
    assert "the filter lfs is not set up here" in found["why"]
    assert found["remedy"] == "Type: git lfs install"
    prepared.git("config", "filter.lfs.clean", "cat")
    assert "filters" not in _examine(prepared)


def test_errors_of_other_projects_are_not_those_of_this_one(prepared: Project) -> None:
    """The log in the plugin's own folder has what belongs to no project."""
    _well(prepared)
    data = paths.data_dir(prepared.environment())
    Path(data).mkdir(exist_ok=True, parents=True)
    error_log.record(data, "Stop", ValueError("elsewhere"))
    assert "errors" not in _examine(prepared)
    error_log.record(data, "Stop", OSError(28, "No space left on device", f"{prepared.store}/journal/one.jsonl"))
    assert "No space left" in _examine(prepared)["errors"]["why"]  # its own log had no room for it
    assert "1 error since the last start" in prepared.fire("SessionStart", "two").message


def test_init_says_that_git_ignores_what_is_to_be_shared(here: Project) -> None:
    """Nothing is called shared that git never sees."""
    (here.root / ".gitignore").write_text(".agents/\n")
    out = here.cli("init", "--shared").out
    assert "git ignores .agents" in out
    assert "To share this" not in out

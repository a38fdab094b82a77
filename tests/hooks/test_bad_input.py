"""Bad input and bad places: every hook ends well, says nothing misleading, logs one line, and loses nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks
from tests.support.hooks import EVENTS
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.hooks import Project, Reply

here, prepared = hooks.here, hooks.prepared
NOBODY = 65534
# Keys of the wrong type, as deep as any accessor goes.
WRONG: list[Any] = [None, True, -1, 1e999, [], [[]], {}, {"file_path": {}}, ["x"], "\0", "\ud800", "/" + "a/" * 3000]
KEYS = (
    *("cwd", "source", "prompt", "tool_name", "tool_input", "tool_response", "task_id", "task_subject", "agent_id"),
    *("agent_type", "last_assistant_message", "background_tasks", "trigger", "compact_summary", "reason"),
)
CONTROLS = "".join(map(chr, range(32))) + "\x7f\x9b31m\u202e\u200b\ufeff\u2028"


def _whole(here: Project, event: str, **fields: Any) -> bytes:
    return json.dumps(here.payload(event, **fields)).encode()


def _big(here: Project, event: str) -> bytes:
    big = "x" * 20_000_000
    key = {"UserPromptSubmit": "prompt", "PostCompact": "compact_summary", "Stop": "last_assistant_message"}.get(event)
    return _whole(here, event, **{key or "tool_input": big if key else {"file_path": "a.txt", "content": big}})


# What is wrong with the input, how it is made, and whether that is a fault to be logged.
INPUTS: dict[str, tuple[Callable[[Project, str], bytes], bool]] = {
    "not JSON": (lambda *_: b"\x00\xff{{not json", True),
    "empty": (lambda *_: b"", True),
    "blank": (lambda *_: b" \n\t", True),
    "not an object": (lambda *_: b'["session_id"]', True),
    "cut off": (lambda here, event: _whole(here, event)[:-9], True),
    "followed by more": (lambda here, event: _whole(here, event) * 2, True),
    "no keys": (lambda *_: b"{}", True),
    "nested deeply": (lambda *_: b'{"session_id": "one", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", True),
    "unknown event": (lambda here, event: _whole(here, event, hook_event_name="Frobnicate"), True),
    "session_id leaves": (lambda here, event: _whole(here, event, session_id="../../x"), True),
    "session_id a number": (lambda here, event: _whole(here, event, session_id=[1]), True),
    "session_id with NUL": (lambda here, event: _whole(here, event, session_id="a\0b"), True),
    "session_id too long": (lambda here, event: _whole(here, event, session_id="a" * 129), True),
    "20 MB": (_big, False),
    "only the session": (lambda *_: b'{"session_id": "one"}', False),
    "unknown keys": (lambda here, event: _whole(here, event, brand_new={"a": [1]}), False),
    "control characters": (
        lambda here, event: _whole(
            here, event, **{**dict.fromkeys(KEYS, CONTROLS), "tool_input": {"file_path": CONTROLS}}
        ),
        False,
    ),
    "NUL in paths": (lambda here, event: _whole(here, event, cwd="/\0", tool_input={"file_path": "a\0b"}), False),
}


def check(reply: Reply, event: str) -> None:
    """Check that a reply cannot fail or mislead the client."""
    assert (reply.code, reply.err) == (0, "")
    if reply.out and event == "SessionStart":
        assert set(reply.json) <= {"hookSpecificOutput", "systemMessage"}
        assert set(reply.json.get("hookSpecificOutput", {})) <= {"hookEventName", "additionalContext", "sessionTitle"}
    elif reply.out and event == "SubagentStart":
        assert set(reply.json["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    elif event == "PreCompact":
        reported = re.fullmatch(r"<(holdfast-[0-9a-f]{8})>\n(.*)\n</\1>", reply.out, re.DOTALL)
        heads = ("Facts of this working session", "Other sessions of this project")
        assert not reply.out or (reported and reported[2].startswith(heads))
    else:
        assert reply.out == ""


@pytest.mark.parametrize("wrong", INPUTS)
def test_bad_input(prepared: Project, wrong: str) -> None:
    """Whatever any event's hook is given, it exits 0, and a fault is one line in the log."""
    make, logged = INPUTS[wrong]
    prepared.write_state()
    before = {name: state for name, state in snapshot(prepared.root).items() if ".git" not in name}
    for number, event in enumerate(EVENTS, 1):
        check(prepared.send(event, make(prepared, event)), event)
        assert len(prepared.log) == (number if logged else 0), prepared.log
    prepared.settled()
    after = snapshot(prepared.root)
    assert {name: after.get(name) for name in before if ".git" not in name} == before
    assert not (prepared.root.parent / "x.jsonl").exists()


@pytest.mark.parametrize("value", WRONG, ids=lambda value: repr(value)[:20])
def test_keys_of_the_wrong_type(prepared: Project, value: Any) -> None:
    """Every key may hold anything: the hook exits 0, and what it journals can be read back."""
    for event in EVENTS:
        data = json.dumps({**prepared.payload(event), **dict.fromkeys(KEYS, value)})
        check(prepared.send(event, data.replace("Infinity", "1e999").encode()), event)
    assert all(isinstance(fact["kind"], str) for fact in prepared.facts())
    assert prepared.cli("list", "--all").code == 0


@pytest.mark.parametrize("half", ["\ud83d", "\0"], ids=["cut", "null"])
def test_a_path_that_no_file_can_have(prepared: Project, half: str) -> None:
    """Half a character, as a text that was cut leaves it, or a null one: no fact of that file, and no fault."""
    every: tuple[dict[str, Any], ...] = (
        {"tool_name": "Edit", "tool_input": {"file_path": f"/{half}/a.py"}},
        {"tool_name": "EnterWorktree", "tool_response": {"worktreePath": f"/{half}", "worktreeBranch": "b"}},
        {"tool_name": "Edit", "tool_input": {"file_path": "b.py"}, "cwd": f"/{half}"},
    )
    for fields in every:
        data = json.dumps(prepared.payload("PostToolUse", **fields)).encode()
        check(prepared.send("PostToolUse", data), "PostToolUse")
    assert prepared.log == []
    assert [fact["path"] for fact in prepared.facts(kind="edit")] == ["b.py"]
    assert prepared.facts(kind="worktree") == []


def _store_is_a_file(here: Project) -> dict[str, Any]:
    shutil.rmtree(here.store, ignore_errors=True)
    here.store.write_text("not a folder\n")
    return {}


def _journals_lead_out(here: Project) -> dict[str, Any]:
    (here.folder / "elsewhere").write_text("not ours\n")
    (here.store / "journal").mkdir(parents=True, exist_ok=True)
    (here.store / "journal/one.jsonl").unlink(missing_ok=True)
    (here.store / "journal/one.jsonl").symlink_to(here.folder / "elsewhere")
    return {}


def _read_only(here: Project) -> dict[str, Any]:
    here.accepts = False
    for path in (here.root, *here.root.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    if os.getuid():
        return {}
    for folder in (here.folder, *here.folder.parents):
        if not os.stat(folder).st_mode & 0o001:
            folder.chmod(0o711)
    if not shutil.which("setpriv"):
        pytest.skip("nothing here can take the rights of root away")
    for site in here.data.glob("site-*"):  # the packages are links into a folder that only root may read
        packages = shutil.copytree(site, here.folder / site.name)
        site.unlink()
        site.symlink_to(packages)
    for path in (here.root, *here.root.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    return {"around": ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")}


def _full(_here: Project) -> dict[str, Any]:
    return {"around": ("sh", "-c", 'ulimit -f 0 && exec "$@"', "sh")}


def _deleted_cwd(here: Project) -> dict[str, Any]:
    gone = here.folder / "gone"
    script = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && exec "$@"'
    return {"around": ("sh", "-c", script, "sh"), "CLAUDE_PROJECT_DIR": str(gone)}


def _no_git(here: Project) -> dict[str, Any]:
    (here.folder / "empty").mkdir()
    return {"PATH": str(here.folder / "empty")}


def _bare(here: Project) -> dict[str, Any]:
    here.git("clone", "-q", "--bare", str(here.root), str(here.folder / "bare"))
    return {"cwd": here.folder / "bare", "CLAUDE_PROJECT_DIR": str(here.folder / "bare")}


def _no_home(_here: Project) -> dict[str, Any]:
    return {"HOME": None, "CLAUDE_PLUGIN_DATA": None}


def _no_repository(here: Project) -> dict[str, Any]:
    (here.folder / "plain").mkdir()
    return {"cwd": here.folder / "plain", "CLAUDE_PROJECT_DIR": str(here.folder / "plain")}


def _git_file_leads_nowhere(here: Project) -> dict[str, Any]:
    given = _no_repository(here)
    (here.folder / "plain/.git").write_text("gitdir: /nowhere/.git/worktrees/gone\n")
    return given


# The place, and whether each fact that is lost there must leave one line in a log that can be written.
PLACES: dict[str, tuple[Callable[[Project], dict[str, Any]], bool]] = {
    "store is a file": (_store_is_a_file, True),
    "journal is a link": (_journals_lead_out, True),
    "read-only": (_read_only, False),
    "full disk": (_full, False),
    "deleted cwd": (_deleted_cwd, False),
    "no git": (_no_git, False),
    "bare": (_bare, False),
    "no home": (_no_home, False),
    "no repository": (_no_repository, False),
    ".git leads nowhere": (_git_file_leads_nowhere, False),
}


@pytest.mark.parametrize("where", PLACES)
def test_bad_places(prepared: Project, where: str) -> None:
    """Wherever a hook runs, it exits 0 and leaves every file that was there as it was."""
    make, logged = PLACES[where]
    prepared.write_state()
    given = make(prepared)
    before = {name: state for name, state in snapshot(prepared.folder).items() if state[0] != "folder"}
    for event in EVENTS:
        known = len(prepared.log)
        reply = prepared.send(event, _whole(prepared, event, cwd=""), **given)
        # A shell that starts in a deleted folder complains on its own, before it reads a line of ours.
        check(reply._replace(err="") if "getcwd" in reply.err else reply, event)
        fewest = event != "UserPromptExpansion"  # a command of others is nothing to journal, unless it begins a session
        assert not logged or fewest <= len(prepared.log) - known <= 1, prepared.log
    if given.get("HOME", "") is not None:  # without a home there are no packages to settle with
        prepared.settled()
    after = snapshot(prepared.folder)
    assert {name: after.get(name) for name in before if "home/" not in name} == {
        name: state for name, state in before.items() if "home/" not in name
    }


def test_without_git_a_state_file_is_still_kept(prepared: Project) -> None:
    """Where git is missing nothing is staged, and the journal says why; the file is the session's all the same."""
    path = prepared.write_state()
    data = _whole(prepared, "PostToolUse", tool_input={"file_path": str(path)})
    assert prepared.send("PostToolUse", data, **_no_git(prepared)) == (0, "", "")
    assert "git could not be run" in prepared.facts(kind="note")[0]["text"]
    assert "2025-12-04T14:30:00Z" not in path.read_text().split("last_updated")[1]
    assert prepared.staged() == []


@pytest.mark.parametrize("where", ["store is a file", "read-only", "full disk"])
def test_an_edited_state_file_survives_a_bad_place(prepared: Project, where: str) -> None:
    """A state file that cannot be taken care of keeps its bytes, and nothing is left beside it."""
    path = prepared.write_state()
    text = path.read_bytes()
    given = PLACES[where][0](prepared)
    data = _whole(prepared, "PostToolUse", tool_input={"file_path": str(path)})
    assert prepared.send("PostToolUse", data, **given) == (0, "", "")
    assert path.read_bytes() == text
    assert os.listdir(path.parent) == [path.name]
    assert len(prepared.log) <= 1


@pytest.mark.parametrize("where", ["store is a file", "read-only", "full disk"])
def test_a_brief_is_given_where_nothing_can_be_kept(prepared: Project, where: str) -> None:
    """A session that starts where no fact can be kept still learns what the one before left."""
    prepared.write_state(title="The parser")
    if where != "store is a file":
        facts = [{"kind": "start", "root": str(prepared.root)}, {"kind": "edit", "path": "lexer.py"}, {"kind": "end"}]
        prepared.remember("before", *facts)
    reply = prepared.send("SessionStart", _whole(prepared, "SessionStart"), **PLACES[where][0](prepared))
    # Where there is no store, nobody can have trusted it.
    assert where != "store is a file" or "1 file may come from elsewhere" in reply.context
    assert where == "store is a file" or "lexer.py" in reply.context


@pytest.fixture
def small_disk(prepared: Project) -> Iterator[Path]:
    """Give a disk of the project's own, with room for next to nothing."""
    prepared.store.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", prepared.store], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    yield prepared.store
    subprocess.run(["umount", "-l", prepared.store], check=True)


def test_a_disk_that_fills_up_loses_no_fact_that_was_kept(prepared: Project, small_disk: Path) -> None:
    """When the disk is full, facts are lost whole and the journal stays readable; with room again it goes on."""
    for number in range(30):
        check(prepared.fire("Stop", last_assistant_message=f"{number} " + "word " * 60), "Stop")
        check(prepared.fire("PostCompact", compact_summary="word " * 600), "PostCompact")
    kept = prepared.facts(kind="answer")
    assert 0 < len(kept) < 30
    assert [fact["text"].split()[0] for fact in kept] == [str(number) for number in range(len(kept))]
    subprocess.run(["mount", "-o", "remount,size=64k", small_disk], check=True)
    prepared.edit("after.txt")
    assert prepared.facts(kind="edit")[0]["path"] == "after.txt"
    assert prepared.log


@pytest.mark.processes
@pytest.mark.parametrize("words", [[], ["codex"], ["", ""], ["nobody", "PostToolUse"], ["codex", "Frobnicate", "x"]])
def test_a_hook_of_another_client_with_other_arguments(here: Project, words: list[str]) -> None:
    """It exits 0 and says nothing, whatever its client was told to type."""
    command = [str(here.plugin / "hooks/launch"), str(here.plugin / "hooks/event.py"), *words]
    done = subprocess.run(command, input=b"{}", cwd=here.root, env=here.environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

"""No secret of any kind is kept, staged or reported, whichever way it comes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks, secret_kinds
from tests.support.hostile import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project, Reply

here = hooks.here
prepared = hooks.prepared

KINDS = secret_kinds.table()
NAMED = secret_kinds.named()
SHORT = {kind: pair for kind, pair in KINDS.items() if len(pair[0]) < 60}  # more of an id is not kept
FEW = 12  # of the kinds, in the quick tests


def _prompt(project: Project, text: str) -> Reply:
    return project.fire("UserPromptSubmit", prompt=f"Use {text} for it")


def _answer(project: Project, text: str) -> Reply:
    return project.fire("Stop", last_assistant_message=f"It is {text} now")


def _tool_input(project: Project, text: str) -> Reply:
    given = {"taskId": "1", "subject": f"Try {text}", "status": "pending"}
    return project.fire("PostToolUse", tool_name="TaskUpdate", tool_input=given)


def _file_name(project: Project, text: str) -> Reply:
    return project.fire("PostToolUse", tool_name="Edit", tool_input={"file_path": f"notes/{text}"}, tool_response={})


def _folder_name(project: Project, text: str) -> Reply:
    given = {"file_path": f"notes/{text}/long_name.py"}
    return project.fire("PostToolUse", tool_name="Write", tool_input=given, tool_response={})


def _agent_transcript(project: Project, text: str) -> Reply:
    path = f"/tmp/{text}/agent-a.jsonl"  # noqa: S108 - there is no such file
    return project.fire("SubagentStop", agent_id="a", agent_type="tester", agent_transcript_path=path)


def _worktree(project: Project, text: str) -> Reply:
    given = {"worktreePath": f"/tmp/{text}", "worktreeBranch": text}  # noqa: S108 - there is no such folder
    return project.fire("PostToolUse", tool_name="EnterWorktree", tool_response=given)


def _branch(project: Project, text: str) -> Reply:
    (project.root / ".git/HEAD").write_text(f"ref: refs/heads/{text}\n")
    project.fire("SessionStart", source="startup")
    reply = project.fire("Stop", last_assistant_message="Done")
    (project.root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return reply


def _unusable_id(project: Project, text: str) -> Reply:
    return project.fire("SessionStart", session=f"../{text}")


def _agent(project: Project, text: str) -> Reply:
    project.fire("SubagentStart", agent_id=text, agent_type="tester")
    return project.fire("SubagentStop", agent_id=text, agent_type=text, last_assistant_message=text)


def _task(project: Project, text: str) -> Reply:
    return project.fire("TaskCreated", task_id=text, task_subject="A task", task_description=text)


def _reason(project: Project, text: str) -> Reply:
    return project.fire("SessionEnd", reason=text)


def _trigger(project: Project, text: str) -> Reply:
    project.fire("PreCompact", trigger=text, custom_instructions=text)
    return project.fire("PostCompact", trigger=text, compact_summary=f"<summary>{text}</summary>")


def _state_file(project: Project, text: str) -> Reply:
    sections = {"Current State": f"With {text}", "Next Steps": [f"Try {text}"]}
    return project.cli("sync", "--json", json.dumps(sections), CLAUDE_CODE_SESSION_ID="one")


def _hand_over(project: Project, text: str) -> Reply:
    return project.cli("pause", "--note", f"Look at {text}", "--next", f"Try {text}", CLAUDE_CODE_SESSION_ID="one")


def _hub(project: Project, text: str) -> Reply:
    words = [f"purpose=Use {text}", f"context=It is {text}"]
    return project.cli("update", "action=started", "agent=git", "session_id=hub-one", *words)


def _loop(project: Project, text: str) -> Reply:
    return project.cli("loop", "add", f"Is it {text}?", CLAUDE_CODE_SESSION_ID="one")


CARRIERS: dict[str, tuple[Callable[[Project, str], Reply], dict[str, tuple[str, str]]]] = {
    "prompt": (_prompt, KINDS),
    "answer": (_answer, KINDS),
    "tool input": (_tool_input, KINDS),
    "file name": (_file_name, NAMED),
    "folder name": (_folder_name, NAMED),
    "agent's transcript": (_agent_transcript, NAMED),
    "worktree": (_worktree, NAMED),
    "branch": (_branch, NAMED),
    "unusable id": (_unusable_id, SHORT),
    "agent id": (_agent, KINDS),
    "task id": (_task, KINDS),
    "reason": (_reason, KINDS),
    "trigger": (_trigger, KINDS),
    "state file": (_state_file, KINDS),
    "hand-over": (_hand_over, KINDS),
    "hub entry": (_hub, KINDS),
    "loop": (_loop, KINDS),
}


def kept(project: Project) -> bytes:
    """Return the bytes of all files of the store, the working tree and the home, and of all that was ever staged."""
    objects = project.git("cat-file", "--batch-all-objects", "--batch").encode()
    found = [objects]
    for folder in (project.root, project.store, project.home):
        for inner, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name != ".git"]
            found += [Path(inner, name).read_bytes() for name in names if Path(inner, name).is_file()]
    return b"\n".join(found)


def carried(project: Project, carrier: str, kinds: dict[str, tuple[str, str]]) -> list[str]:
    """Send each kind in a carrier, and return the kinds that were reported, or kept in a file."""
    send, _ = CARRIERS[carrier]
    assert project.cli("start", "A session", CLAUDE_CODE_SESSION_ID="one").code == 0
    leaked = [kind for kind, (text, secret) in kinds.items() if secret in shown(send(project, text))]
    leaked += [kind for kind, (_, secret) in kinds.items() if secret in shown(project.fire("SessionStart"))]
    project.fire("SessionEnd")  # a start settles nothing
    project.settled()
    files = kept(project)
    return leaked + [kind for kind, (_, secret) in kinds.items() if secret.encode() in files]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_is_no_secret_is_carried(prepared: Project, carrier: str) -> None:
    """An ordinary word goes through each carrier into a file or a report: else the carriers would show nothing."""
    assert carried(prepared, carrier, {"a word": ("oddities", "oddities")})


@pytest.mark.parametrize("carrier", CARRIERS)
def test_no_secret_is_kept_or_reported(prepared: Project, carrier: str) -> None:
    """Some kinds of secrets, through each carrier."""
    kinds = CARRIERS[carrier][1]
    few = dict(list(kinds.items())[:: max(1, len(kinds) // FEW)])
    assert carried(prepared, carrier, few) == []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_no_secret_of_any_kind_is_kept_or_reported(prepared: Project, carrier: str) -> None:
    """All kinds of secrets, through each carrier."""
    assert carried(prepared, carrier, CARRIERS[carrier][1]) == []

"""What programs write: payloads of events, journals, transcripts, settings, what git prints."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from holdfast.core import fast_json
from holdfast.core.cache import Cache
from holdfast.core.client import claude_code
from holdfast.core.errors import HoldfastError
from holdfast.formats import catalogue
from holdfast.formats.state_file import StateFile, summary
from holdfast.git import commits, queries
from holdfast.journal import facts, folding, kinds, log, payload, transcript
from holdfast.journal.session import Recorded
from holdfast.project import paths, settings
from holdfast.sessions import session_cache
from holdfast.sessions.session import Session
from tests.fuzz import words
from tests.fuzz.target import Target
from tests.support.facts import fold

# In memory where the system has a place for that: each input is written anew, and no power cut is tried here.
_MEMORY = "/dev/shm"  # noqa: S108 - the folder made in it has a name that nobody can know
_SCRATCH = tempfile.TemporaryDirectory(prefix="holdfast-fuzz-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
ROOT = Path(_SCRATCH.name) / "project"
(ROOT / ".agents").mkdir(parents=True)
_STORE = str(ROOT / ".agents/.holdfast")
_PLACE = paths.Project(str(ROOT), "", "", _STORE)
_EVENTS = (
    *("UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "TaskCreated", "TaskCompleted"),
    *("SubagentStart", "SubagentStop", "Stop", "PreCompact", "PostCompact", "SessionEnd", "SessionStart"),
)
_BODY = {
    "session_id": "one",
    "cwd": "/p",
    "agent_id": "a1",
    "agent_type": "Explore",
    "prompt": "Go on, token=abcdef123",
}
_BODY |= {"last_assistant_message": "Done.", "task_id": "7", "task_subject": "Parse", "source": "startup"}
_CALLS = (
    {"tool_name": "Edit", "tool_input": {"file_path": "src/a.py"}},
    {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "/p/a.ipynb"}},
    {"tool_name": "TaskUpdate", "tool_input": {"taskId": "7", "subject": "Parse", "status": "completed"}},
    {"tool_name": "EnterWorktree", "tool_response": {"worktreePath": "/p/w", "worktreeBranch": "b"}},
    {"background_tasks": [{"id": "b1"}, 3], "trigger": "auto", "compact_summary": "All of it.", "reason": "clear"},
)
_TEXTS = ("session_id", "cwd", "agent_id", "prompt", "tool_name")
JOURNAL = """\
{"at": 1.5, "kind": "start", "source": "startup", "pid": 7, "host": "h", "root": "/p", "worktree": "/p/w"}
{"at": 2, "kind": "prompt", "text": "Go on"}
{"at": 3, "kind": "edit", "tool": "Write", "path": ".agents/sessions/x.md"}
{"at": 4, "kind": "state", "path": ".agents/sessions/x.md", "root": "/p", "by": "settle"}
{"at": 5, "kind": "edit", "tool": "Edit", "path": "src/a.py", "agent": "a1"}
{"at": 6, "kind": "child", "agent": "a1", "status": "running", "type": "Explore"}
{"at": 7, "kind": "task", "id": "7", "subject": "Parse", "status": "in_progress"}
{"at": 8, "kind": "loop", "id": "LOOP-001", "title": "Which", "status": "open"}
{"at": 8, "kind": "zone", "zone": 2}
{"at": 9, "kind": "settled", "facts": 8}
{"at": 9, "kind": "measured", "uncommitted": ["a"], "examples": [], "mentions": {}}
{"at": 10, "kind": "worktree", "path": "/p/v", "branch": "b"}
{"at": 11, "kind": "restored", "since": 4}
{"at": 12, "kind": "status", "status": "paused", "text": "silent"}
{"at": 13, "kind": "end", "reason": "clear"}
"""
# All that can be asked of a session beside its attributes.
_ASKED = sorted({name for kind in Session.__mro__ for name, value in vars(kind).items() if isinstance(value, property)})
KINDS = tuple(f'"kind": "{kind}"'.encode() for kind in kinds.KINDS)
_LINE = {"type": "assistant", "message": {"model": "m", "usage": {"input_tokens": 10, "cache_read_input_tokens": 5}}}
_BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"postTokens": 900}}
_FORMAT = b"""
[formats.own]
places = ["notes/*.md"]
recognised = [["section:Now", "absent:title:Plan"]]
stamp = ["label:Updated"]
samples = ["What is next."]
status = { active = ["going"], completed = ["over"] }
model = { focus = ["label:Now/Focus"], next = ["section:Next"], status = ["front:status"] }
part = [{ title = "Now", level = 2, holds = "fields", fields = [{ name = "Focus", need = "required" }] },
        { title = "Log", holds = "log", entry = "- {minute} {text}", newest = "first" }]
entries = { sections = ["Now"], id = "Id", model = {}, part = [] }
template = { text = "# {title}" }
"""
_DIFF = b"""\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1,2 @@ def f():
-old
+new
++++ more
diff --git "a/\\303\\244\\t.py" "b/\\303\\244\\t.py"
--- "a/\\303\\244\\t.py"
+++ "b/\\303\\244\\t.py"
@@ -0,0 +1 @@
+x
"""
_LOG = b"\0\0" + b"a" * 40 + b"\x001700000000\0:Fix\0:This reverts commit " + b"b" * 40 + b".\n\0\na.py\0b c.py"


def an_event(data: bytes) -> None:
    """Check that what a hook is given is refused with a ValueError, or becomes facts that a journal can hold."""
    try:
        body = payload.parse(data)
    except ValueError:
        return
    assert not body.session or (len(body.session) <= 128 and "/" not in body.session)
    body.items("background_tasks")
    for event in _EVENTS:
        fact = facts.of(claude_code.EVENTS[event], body, _PLACE, claude_code)
        if fact is None:
            continue
        line = log.line({"at": 1.0, **fact})
        assert len(line) < log.LINE_LIMIT
        assert b"\n" not in line
        assert [found["kind"] for found in log.facts_in(line)] == [fact["kind"]]


def recorded(session: Recorded) -> dict[str, object]:
    """Return the attributes of a session that a journal gives it."""
    return {name: value for name, value in vars(session).items() if name in session_cache._RECORDED}


def a_journal(data: bytes) -> None:
    """Check that any lines come to a session, in one piece or in two, and that it can be kept and asked."""
    known = log.facts_in(data)
    path = Path(log.path_of(_STORE, "one"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    latest = log.latest_times(_STORE)
    assert set(latest) == {str(fact["kind"]) for fact in known}
    whole = fold("one", known, "/p")
    halves = folding.fold(Recorded("one", "/p"), known[: len(known) // 2])
    halves = folding.fold(halves, known[len(known) // 2 :])
    reported = fast_json.dumps(session_cache._encoded(recorded(whole)))
    assert reported == fast_json.dumps(session_cache._encoded(recorded(halves)))
    for each in _ASKED:
        getattr(whole, each)
    assert all(isinstance(each, str) for each in (*whole.inside(), *whole.unfinished(), *whole.running()))


def a_transcript(data: bytes) -> None:
    """Check that what a request weighed is reported the same, however long the pieces are in which the file is read."""
    path = ROOT / "transcript.jsonl"
    path.write_bytes(data)
    reported = [transcript.usage(str(path), block) for block in (1 << 16, 7)]
    values = [
        usage and (usage.fresh, usage.written, usage.cached, usage.output, usage.used, usage.model, usage.at)
        for usage in reported
    ]
    assert values[0] == values[1]
    assert reported[0] is None or 0 <= reported[0].used < 10**13


def settings_and_formats(data: bytes) -> None:
    """Check that a file is used or refused with its name, and that files can be read through its dialects."""
    path = ROOT / paths.SETTINGS
    path.write_bytes(data)
    try:
        settings.load(str(ROOT), {}, Cache(""))
    except HoldfastError as error:
        assert str(path) in str(error)
    formats = catalogue.known(str(ROOT), Cache(""))
    assert not formats.complaint or str(path) in formats.complaint
    assert all(isinstance(place, str) for place in formats.patterns)
    for name in ("x.md", "notes/x.md"):
        summary(StateFile(b"# T\n\n## Now\n**Focus:** f\n**Id:** i\n\n## Next\n- a\n", name, formats))


def a_variable(data: bytes) -> None:
    """Check that what is in a variable of the environment is used, or refused with its name."""
    value = os.fsdecode(data).replace("\0", "")
    for name in settings.NAMES:
        variable = f"HOLDFAST_{name.upper()}"
        try:
            settings.load("", {variable: value}, Cache(""))
        except HoldfastError as error:
            assert variable in str(error)


def what_git_prints(data: bytes) -> None:
    """Check that a log and a diff come to commits and lines, whatever is in them."""
    output = os.fsdecode(data)
    for path, number, line in queries._added_in_diff(output):
        assert isinstance(path, str)
        assert number >= 0
        assert "\n" not in line
    made = commits.parsed(output, 0.0)
    standing = commits.not_reverted(made)
    assert len(standing) <= len(made)
    commits._normalised(output)


def _payloads() -> list[bytes]:
    found = [{**_BODY, "hook_event_name": event, **call} for event in _EVENTS[:1] for call in _CALLS]
    values: tuple[object, ...] = ("\ud800", "a\0b", "/\ud800/x", "x" * 5000, "../" * 9, "~", "a/" * 2000, 7, [], {})
    odd = [{**found[0], key: value} for key in _TEXTS for value in values]
    inner = [{**found[0], "tool_input": {"file_path": value}} for value in values]
    return [json.dumps(each).encode() for each in (*found, *odd, *inner)]


def _transcripts() -> list[bytes]:
    lines = [_LINE, _BOUNDARY, {**_LINE, "isSidechain": True}, {"type": "user"}, _LINE]
    whole = [json.dumps(line).encode() for line in lines]
    return [b"\n".join(whole) + b"\n", b"\n".join(whole[:2]) + b"\n", whole[0], b"\n".join([whole[0], b"{"])]


_TOML = (
    b"= ",
    b"[",
    b"]",
    b"[[",
    b"{",
    b"}",
    b'"',
    b"'''",
    b"# ",
    b"zones = [1,2,3]\n",
    b"1979-05-27",
    b"0x",
    b"nan",
    b",",
)
_NAMES = tuple(f"{name} = ".encode() for name in settings.NAMES)

TARGETS = [
    Target("payload", an_event, _payloads, (*words.JSON, *words.ODD, b'"file_path"', b"../", b"/"), 300),
    Target(
        "journal", a_journal, lambda: [JOURNAL.encode()], (*words.JSON, *words.ODD, *KINDS, b'{"at": 1, ', b"\n"), 300
    ),
    Target("transcript", a_transcript, _transcripts, (*words.JSON, *words.ODD, b'"usage"', b"\n"), 300),
    Target(
        "settings",
        settings_and_formats,
        lambda: [settings.TEMPLATE.replace("# ", "").encode(), settings.TEMPLATE.encode(), _FORMAT],
        (*_TOML, *_NAMES, *words.ODD, words.MANY, b"0x" + b"f" * 5000, b"[" * 900, b"part = ", b"section:", b"absent:"),
        120,
        1 << 13,  # TOML takes the square of the dots in a key; a file larger than settings.LARGEST is not read
    ),
    Target(
        "variable",
        a_variable,
        lambda: [b"10", b"true", b"a, b", b"20,40,50", b"warn"],
        (*words.ODD, words.MANY, b","),
        200,
    ),
    Target(
        "git",
        what_git_prints,
        lambda: [_DIFF, _LOG, _LOG * 3],
        (*words.ODD, words.MANY, b"@@ -1,2 +3,4 @@", b"\n", b'"'),
        300,
    ),
]

"""What one settle or update reads, counted: parsed texts, starts of git, and lines of the journal."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.formats import state_file
from holdfast.hub import document
from holdfast.journal import log
from holdfast.markdown import blocks
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

STATE_FILE, HUB = b"---\nsession:", b"# Session State"


class Counts:
    """What was parsed, which commands of git were started, and which lines of journals were read."""

    def __init__(self) -> None:
        self.recognised: list[bytes] = []
        self.parsed: list[bytes] = []
        self.git: list[list[str]] = []
        self.lines: list[bytes] = []

    def restart(self) -> None:
        """Forget what was before, and the hub that was parsed last: a command begins without it."""
        for each in (self.recognised, self.parsed, self.git, self.lines):
            each.clear()
        document.parsed.cache_clear()

    def of(self, begin: bytes) -> int:
        """Return how often a text that begins so was parsed, whole or for its format."""
        parses = (sum(text.startswith(begin) for text in texts) for texts in (self.recognised, self.parsed))
        return max(parses)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counts:
    """Count from now on, in this process."""
    found = Counts()
    outline, facts_in = blocks.outline, log.facts_in
    recognise, popen = state_file.StateFile.__init__, subprocess.Popen.__init__

    def parsed(data: bytes, *arguments: Any) -> Any:
        found.parsed.append(data)
        return outline(data, *arguments)

    def recognised(state: Any, data: bytes, *arguments: Any) -> None:
        found.recognised.append(data)
        recognise(state, data, *arguments)

    def started(process: Any, command: list[str], *arguments: Any, **options: Any) -> None:
        found.git.append(command)
        popen(process, command, *arguments, **options)

    def folded(data: bytes) -> Any:
        found.lines += data.splitlines()
        return facts_in(data)

    monkeypatch.setattr(blocks, "outline", parsed)
    monkeypatch.setattr(state_file.StateFile, "__init__", recognised)
    monkeypatch.setattr(subprocess.Popen, "__init__", started)
    monkeypatch.setattr(log, "facts_in", folded)
    return found


@pytest.mark.parametrize("tracked", [True, False])
def test_one_settle_reads_everything_once(prepared: Project, counts: Counts, *, tracked: bool) -> None:
    """The state file is parsed twice at most, before and after, git is started twice, each fact is folded once."""
    for name in ("a.py", "b.py"):
        (prepared.root / name).write_text("x = 1\n")
    if tracked:
        prepared.git("add", "a.py", "b.py")
        prepared.git("commit", "-q", "-m", "Begin")
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="make it two")
    (prepared.root / "a.py").write_text("x = 2\n")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    (path,) = prepared.state_files()
    (prepared.root / "b.py").write_text("x = 2\n")
    prepared.remember("one", {"kind": "edit", "tool": "Edit", "path": "b.py"})
    counts.restart()
    done = prepared.cli("settle", "--session", "one")
    assert (done.code, done.out) == (0, "Settled 1 session: one\n")
    assert "`b.py`" in path.read_text()
    assert counts.of(STATE_FILE) == 2
    assert len(counts.git) <= 2, counts.git
    journal = (prepared.store / "journal/one.jsonl").read_bytes().splitlines()
    kinds = (b'"kind": "prompt"', b'"kind": "answer"', b'"kind": "commit"', b'"kind": "edit"')
    quoted = [line for line in journal if any(kind in line for kind in kinds)]
    assert max(counts.lines.count(line) for line in journal if line not in quoted) == 1
    assert max(map(counts.lines.count, quoted)) == 2  # folded, and read for the quotes of Current State
    # Once to edit it, and once as it is now: a session start is to find that in the cache.
    assert counts.of(HUB) <= 2


def test_an_update_after_one_that_was_not_staged_parses_the_hub_once(
    prepared: Project, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier update is completed first, on the same bytes."""
    monkeypatch.setitem(prepared.variables, "HOLDFAST_HUB", "tracked")
    begin = ("update", "session_id=11111111-2222-4333-8444-555555555555")
    prepared.cli(*begin, "action=started", "agent=implementor", "purpose=Write the parser")
    (hub,) = prepared.root.glob(".agents/SESSION-STATE.md")
    hub.write_bytes(hub.read_bytes() + b"\nA note of a person\n")
    assert "not staged" in prepared.cli(*begin, "action=in_progress", "context=tests_pass:false").out
    counts.restart()
    done = prepared.cli(*begin, "action=completed", "context=tests_pass:true done_report:reports/parser.md")
    assert done.code == 0
    assert "tests_pass: true" in hub.read_text()
    assert counts.of(HUB) == 1

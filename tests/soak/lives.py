"""What the sessions of a soak do: drawn from one seed, so that the same seed has the same plan."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, NamedTuple

from .plan import CRASH, LEAVE, TREE, Call, Step, cut, loop
from .steps import pause, run, step, take_up

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = 6  # files that everybody edits


class Life(NamedTuple):
    """A session: its id, what it does, and how it ends: by leaving, by a crash, or not at all."""

    ident: str
    steps: list[Step]
    ends: str
    adopts: str  # the state file of a person's that it goes on with, "" for none


def sessions(seed: int, count: int) -> list[Life]:
    """Return the lives of the sessions."""
    chances = [random.Random(f"{seed} {number}") for number in range(count)]  # noqa: S311 - moments, not secrets
    return [_Session(chance, f"s{seed}-{number:02d}", number).life() for number, chance in enumerate(chances)]


class _Session:
    """One life, while it is made up."""

    def __init__(self, chance: random.Random, ident: str, number: int) -> None:
        self.chance, self.ident = chance, ident
        self.adopts = f".agents/sessions/by-hand-{ident}.md" if number % 8 == 3 else ""
        self.count = 0
        self.child = ""  # the subagent at work
        self.compacted = self.moved = False

    def life(self) -> Life:
        """Return the whole of it."""
        steps = [[self._start("startup")], [self._prompt()]]
        if self.adopts:
            steps.append([self._edit(self.adopts)])
        for _ in range(self.chance.randint(1, 3)):
            steps += self._round()
        ends = self.chance.choices(["leave", "crash", "live"], [5, 3, 2])[0]
        if ends == "leave":
            steps.append([self._hook("SessionEnd", {"kind": "end", "reason": "other"}, reason="other")])
        return Life(self.ident, steps, ends, self.adopts)

    def _round(self) -> Iterator[Step]:
        """Yield the steps from a prompt to the end of the answer."""
        chance = self.chance
        yield [self._task("TaskCreated", "pending")]
        task = self.count
        if not self.child and chance.random() < 0.4:
            yield [self._spawned()]
        yield [self._edited() for _ in range(chance.randint(1, 3))]
        if chance.random() < 0.3:
            yield from self._shared()
        if not self.moved and chance.random() < 0.15:
            yield from self._visit()
        if self.child and chance.random() < 0.6:
            yield [self._returned()]
        if chance.random() < 0.7:
            yield [self._task("TaskCompleted", "completed", task)]
        if chance.random() < 0.5:
            yield from self._typed()
        if not self.compacted and chance.random() < 0.1:
            yield from self._compaction()
        yield [self._answer()]
        if not self.adopts and chance.random() < 0.2:
            yield from self._put_down()
        if chance.random() < 0.12:
            yield CRASH
            yield [self._start("resume")]

    def _hook(self, event: str, stated: dict[str, Any], text: str = "", **fields: Any) -> Call:
        """Return an event; the field `text` holds the fact's own text."""
        reported = {text: stated["text"]} if text else {}
        return Call("fact", stated, event, {**reported, **fields}, cut=cut(self.chance))

    def _words(self, kind: str) -> str:
        """Return words that stand for nothing else in the whole soak."""
        return f"{kind} {self._whose()}"

    def _whose(self) -> str:
        self.count += 1
        return f"{self.count} of {self.ident}."

    def _start(self, source: str) -> Call:
        return self._hook("SessionStart", {"kind": "start", "source": source}, source=source)

    def _prompt(self) -> Call:
        return self._hook("UserPromptSubmit", {"kind": "prompt", "text": self._words("Work")}, "prompt")

    def _answer(self) -> Call:
        return self._hook("Stop", {"kind": "answer", "text": self._words("Answer")}, "last_assistant_message")

    def _edit(self, path: str, event: str = "PostToolUse", agent: str = "") -> Call:
        stated = {"kind": "edit" if event == "PostToolUse" else "attempt", "path": path}
        fields: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": path, "new_string": "x" * 500}}
        own = {"agent_id": agent, "agent_type": "general-purpose"} if agent else {}
        return self._hook(event, {**stated, **({"agent": agent} if agent else {})}, **fields, **own)

    def _edited(self) -> Call:
        self.count += 1
        agent = self.child if self.chance.random() < 0.5 else ""
        return self._edit(f"src/{self.ident}/file-{self.count}.py", agent=agent)

    def _shared(self) -> Iterator[Step]:
        path = f"src/shared-{self.chance.randrange(SHARED)}.py"
        yield [self._edit(path, "PreToolUse")]
        yield [self._edit(path)]

    def _visit(self) -> Iterator[Step]:
        """Yield the work in a working tree of the session's own, which it removes, or leaves for good."""
        self.moved = True
        stated = {"kind": "worktree", "path": TREE}
        reported = {"worktreePath": TREE, "worktreeBranch": self.ident}
        yield [Call("look", {}, words=("git", "worktree", "add", "--quiet", "-b", self.ident, TREE))]
        yield [self._hook("PostToolUse", stated, tool_name="EnterWorktree", tool_response=reported)]
        yield [self._edited() for _ in range(self.chance.randint(1, 2))]
        if not self.adopts:
            yield from self._stepped()
        if self.chance.random() < 0.3:
            yield [self._answer()]
        yield LEAVE
        if self.chance.random() < 0.5:
            yield [Call("look", {"words": "removed"}, words=("git", "worktree", "remove", "--force", TREE))]

    def _put_down(self) -> Iterator[Step]:
        yield [pause(self._whose(), self.ident, self.chance)]
        if self.chance.random() < 0.5:
            yield [take_up(self.ident, self.chance)]

    def _task(self, event: str, status: str, number: int = 0) -> Call:
        subject = f"Task {number} of {self.ident}." if number else self._words("Task")
        stated = {"kind": "task", "id": f"t{number or self.count}", "status": status, "subject": subject}
        return self._hook(event, stated, task_id=stated["id"], task_subject=subject)

    def _spawned(self) -> Call:
        self.count += 1
        self.child = f"{self.ident}-child-{self.count}"
        stated = {"kind": "child", "agent": self.child, "status": "running"}
        return self._hook("SubagentStart", stated, agent_id=self.child, agent_type="general-purpose")

    def _returned(self) -> Call:
        child, self.child = self.child, ""
        fields = {"agent_id": child, "agent_type": "general-purpose", "last_assistant_message": "looked around"}
        return self._hook("SubagentStop", {"kind": "child", "agent": child, "status": "completed"}, **fields)

    def _compaction(self) -> Iterator[Step]:
        self.compacted = True
        yield [self._hook("PreCompact", {"kind": "compact", "trigger": "manual"}, trigger="manual")]
        yield [self._start("compact")]
        yield [self._hook("PostCompact", {"kind": "summary", "text": self._words("Summary")}, "compact_summary")]

    def _stepped(self) -> Iterator[Step]:
        yield from ([step(kind, self._whose(), self.chance)] for kind in run(self.chance))

    def _typed(self) -> Iterator[Step]:
        """Yield what Claude runs in its own shell."""
        way = self.chance.random()
        if self.adopts or way < 0.4:
            yield [loop(self._words("Question"), self.chance)]
        elif way < 0.7:
            yield from self._stepped()
        else:
            yield [self._synced()]

    def _synced(self) -> Call:
        text = self._words("Seen")
        words = ("sync", "--json", json.dumps({self.chance.choice(["Session Log", "Next Steps"]): [text]}))
        return Call("sync", {"text": text}, words=words, cut=cut(self.chance))

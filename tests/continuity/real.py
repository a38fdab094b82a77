"""Plays a story through the real client; the scripted model says and does what the story has, and nothing else.

A question with choices and a plan need a person at a terminal, so that here the model only says them.
"""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

from tests.client.api import FULL, HEAVY, Api, Request, Turn, Weigh, text, text_of, tool
from tests.client.claude import Claude

from .project import Carriers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.wire import Json

    from . import script
    from .project import Project

_MARK = "SessionStart hook additional context: "
_FENCE = re.compile(r".*?(<holdfast-(\w+)>.*</holdfast-\2>)", re.DOTALL)


class Real:
    """The real client in a project."""

    def __init__(self, project: Project, binary: Path) -> None:
        """Play into this project with this executable."""
        self.project, self.binary = project, binary
        self.carriers = Carriers()

    def play(self, story: script.Story) -> Carriers:
        """Play all sessions, then one prompt in a session that follows, then pause the last one of the story."""
        with Api() as api:
            client = Claude(
                self.binary, self.project.home, self.project.folder, api.url, self.project.plugin, extra=self._extra
            )
            played = [self._whole(client, api, session) for session in story.sessions]
            self.carriers.state = self.project.state_files()
            api.script([text("Ready.")])
            client.run("Hello")
            self.carriers.brief = _added(api.main_requests()[-1])
        self.project.settle()
        self.carriers.hand_over = self.project.hand_over(played[-1])
        return self.carriers

    @property
    def _extra(self) -> dict[str, str]:
        return {name: value for name, value in self.project.env.items() if name not in ("PATH", "HOME")} | FULL

    def _whole(self, client: Claude, api: Api, session: script.Session) -> str:
        self.project.branch(session.branch)
        ident = str(uuid.uuid4())
        followed = [*session.turns[1:], None]
        tasks: list[str] = []
        with client.conversation(ident) as talk:
            for turn, after in zip(session.turns, followed, strict=True):
                heavy = bool(after and after.summary)
                api.script(*self._turns(api, turn, tasks, heavy=heavy))
                if turn.summary:
                    api.summarise(f"<summary>\n{turn.summary}\n</summary>")
                talk.say(turn.prompt)
                self.project.settle()
                self._look(api, turn)
        self.project.settle()
        return ident

    def _look(self, api: Api, turn: script.Turn) -> None:
        """Keep what the first request after a compaction has."""
        if not turn.summary:
            return
        asked = api.compaction_requests()[-1]
        at = max(number for number, request in enumerate(api.log) if request is asked)
        first = next(request for request in api.log[at:] if request.kind == "main")
        self.carriers.summary.append(turn.summary)
        self.carriers.compacted.append(f"{turn.summary}\n\n{_added(first)}")

    def _turns(self, api: Api, turn: script.Turn, tasks: list[str], *, heavy: bool) -> list[Turn]:
        """Return what the model does in a turn."""
        done = [self._step(api, step, tasks, last=step is turn.steps[-1]) for step in turn.steps]
        if heavy:
            done[-1] = [Weigh(HEAVY), *done[-1]]
        return done

    def _step(self, api: Api, step: script.Step, tasks: list[str], *, last: bool) -> Turn:
        """Return one answer of the model. Words before the last ones come with a call, for they would end the turn."""
        if step.kind == "agent":
            return self._agent(api, step)
        call = self._call(step, tasks)
        if call:
            return [call]
        return [text(step.text)] if last else [text(step.text), tool("Bash", command="true")]

    def _call(self, step: script.Step, tasks: list[str]) -> Json | None:
        """Return the tool that a step calls, None for one that only says something."""
        if step.kind in ("write", "edit"):
            return self._change(step)
        if step.kind == "bash":
            return tool("Bash", command=step.head, description="Run it")
        if step.kind == "task":
            tasks.append(step.head)
            return tool("TaskCreate", subject=step.head, description=step.head)
        if step.kind == "done":
            return tool("TaskUpdate", taskId=str(tasks.index(step.head) + 1), status="completed")
        return None

    def _change(self, step: script.Step) -> Json:
        path = str(self.project.folder / step.head)
        if step.kind == "write":
            return tool("Write", file_path=path, content=step.text + "\n")
        old, new = step.text.split("\n=>\n")
        return tool("Edit", file_path=path, old_string=old, new_string=new)

    def _agent(self, api: Api, step: script.Step) -> Turn:
        kind, _, task = step.head.partition(": ")
        api.script([text(step.text)], marker=task)
        given = {"description": task, "prompt": task, "subagent_type": kind}
        return [tool("Agent", **given, run_in_background=False)]


def _added(request: Request) -> str:
    """Return the fenced text that the last SessionStart hook added to a request, "" where none is in it."""
    found = _FENCE.match(text_of(request).rpartition(_MARK)[2])
    return found[1] if found else ""

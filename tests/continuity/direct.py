"""Plays a story by sending the client's events straight to the hooks that hooks.json registers: no client runs."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from . import script
from .project import Carriers

if TYPE_CHECKING:
    from .project import Project


class Direct:
    """A client that has no model: it says and does what the story has."""

    def __init__(self, project: Project) -> None:
        """Play into this project."""
        self.project = project
        self.carriers = Carriers()
        self._hooks = json.loads((project.plugin / "hooks/hooks.json").read_text())["hooks"]
        self._tasks: dict[str, str] = {}
        self._session = ""

    def play(self, story: script.Story) -> Carriers:
        """Play all sessions, then start one that only receives its brief, then pause the last one of the story."""
        for session in story.sessions:
            self._whole(session)
        played = self._session
        self.carriers.state = self.project.state_files()
        self.carriers.brief = self._start("startup")
        self._fire("SessionEnd", reason="prompt_input_exit")
        self.project.settle()
        self.carriers.hand_over = self.project.hand_over(played)
        return self.carriers

    def _whole(self, session: script.Session) -> None:
        self.project.branch(session.branch)
        self._tasks = {}
        self._start("startup")
        for turn in session.turns:
            self._turn(turn)
        self._fire("SessionEnd", reason="prompt_input_exit")
        self.project.settle()

    def _start(self, source: str) -> str:
        if source == "startup":
            self._session = str(uuid.uuid4())
        return self._fire("SessionStart", source, source=source)

    def _turn(self, turn: script.Turn) -> None:
        self._record("user", turn.prompt)
        self._fire("UserPromptSubmit", prompt=turn.prompt)
        if turn.summary:
            self._compact(turn.summary)
        for step in turn.steps:
            getattr(self, f"_{step.kind}")(step)
        self._fire("Stop", stop_hook_active=False, last_assistant_message=turn.answer, background_tasks=[])
        self.project.settle()

    def _compact(self, summary: str) -> None:
        self._fire("PreCompact", "auto", trigger="auto", custom_instructions="")
        raw = f"<summary>\n{summary}\n</summary>"
        self._fire("PostCompact", "auto", trigger="auto", compact_summary=raw)
        given = self._start("compact")
        self.project.settle()
        self.carriers.summary.append(summary)
        self.carriers.compacted.append(f"{summary}\n\n{given}")

    def _answer(self, step: script.Step) -> None:
        self._record("assistant", [{"type": "text", "text": step.text}])

    def _write(self, step: script.Step) -> None:
        path = self.project.folder / step.head
        path.parent.mkdir(parents=True, exist_ok=True)
        given = {"file_path": str(path), "content": step.text + "\n"}
        self._before("Write", given)
        path.write_text(given["content"])
        self._after("Write", given, {"type": "create", "filePath": str(path)})

    def _edit(self, step: script.Step) -> None:
        path = self.project.folder / step.head
        old, new = step.text.split("\n=>\n")
        given = {"file_path": str(path), "old_string": old, "new_string": new}
        self._before("Edit", given)
        text = path.read_text() if path.exists() else old
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(old, new, 1))
        self._after("Edit", given, {"filePath": str(path)})

    def _bash(self, step: script.Step) -> None:
        given = {"command": step.head, "description": "Run it"}
        self._before("Bash", given)
        done = self.project.run(["sh", "-c", step.head], env=self._own_env())
        if done.returncode == 0:
            self._after("Bash", given, {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False})

    def _task(self, step: script.Step) -> None:
        number = self._tasks.setdefault(step.head, str(len(self._tasks) + 1))
        named = {"task_id": number, "task_subject": step.head, "task_description": step.head}
        given = {"subject": step.head, "description": step.head}
        self._before("TaskCreate", given)
        self._fire("TaskCreated", **named)
        self._after("TaskCreate", given, {"task": {"id": number, "subject": step.head}})

    def _done(self, step: script.Step) -> None:
        number = self._tasks.get(step.head, "1")
        given = {"taskId": number, "status": "completed"}
        self._before("TaskUpdate", given)
        self._fire("TaskCompleted", task_id=number, task_subject=step.head, task_description=step.head)
        changed = {"from": "in_progress", "to": "completed"}
        self._after("TaskUpdate", given, {"success": True, "taskId": number, "statusChange": changed})

    def _ask(self, step: script.Step) -> None:
        questions, answers = script.choices(step.text)
        self._before("AskUserQuestion", {"questions": questions})
        given = {"questions": questions, "answers": answers}
        self._after("AskUserQuestion", given, given)

    def _plan(self, step: script.Step) -> None:
        text, reason = script.plan(step.text)
        path = str(self.project.home / ".claude/plans/plan.md")
        given = {"plan": text, "planFilePath": path}
        self._before("ExitPlanMode", given)
        if step.head == "accepted":
            self._after("ExitPlanMode", given, {"plan": text, "isAgent": False, "filePath": path})
        else:
            self._result(f"The user doesn't want to proceed with this tool use. The user said:\n{reason}")

    def _agent(self, step: script.Step) -> None:
        kind, _, task = step.head.partition(": ")
        given = {"description": task, "prompt": task, "subagent_type": kind}
        named = {"agent_id": uuid.uuid4().hex[:17], "agent_type": kind}
        self._before("Agent", given)
        self._fire("SubagentStart", **named)
        self._fire("SubagentStop", **named, stop_hook_active=False, last_assistant_message=step.text)
        content = [{"type": "text", "text": step.text}]
        self._after("Agent", given, {"status": "completed", "prompt": task, "content": content})

    def _tool(self, step: script.Step) -> None:
        """Send a tool of a transcript that needs nothing done here."""
        self._before(step.head, step.data["input"])
        self._after(step.head, step.data["input"], step.data.get("response") or {})

    def _before(self, name: str, given: dict[str, Any]) -> None:
        self._use = f"toolu_{uuid.uuid4().hex[:24]}"
        self._record("assistant", [{"type": "tool_use", "id": self._use, "name": name, "input": given}])
        self._fire("PreToolUse", name, tool_name=name, tool_input=given, tool_use_id=self._use)

    def _after(self, name: str, given: dict[str, Any], response: dict[str, Any]) -> None:
        self._result(json.dumps(response, ensure_ascii=False))
        self._fire("PostToolUse", name, tool_name=name, tool_input=given, tool_use_id=self._use, tool_response=response)

    def _result(self, text: str) -> None:
        self._record("user", [{"type": "tool_result", "tool_use_id": self._use, "content": text}])

    @property
    def _transcript(self) -> str:
        return str(self.project.home / f"{self._session}.jsonl")

    def _record(self, role: str, content: str | list[dict[str, Any]]) -> None:
        """Write a line of the session's transcript, as the client does before the hook runs."""
        line = {"type": role, "message": {"role": role, "content": content}, "sessionId": self._session}
        line |= {"uuid": str(uuid.uuid4()), "timestamp": datetime.now(UTC).isoformat()}
        with open(self._transcript, "a", encoding="utf-8") as file:
            file.write(json.dumps(line | {"cwd": str(self.project.folder)}, ensure_ascii=False) + "\n")

    def _own_env(self) -> dict[str, str]:
        given = {"CLAUDE_CODE_SESSION_ID": self._session, "CLAUDE_PROJECT_DIR": str(self.project.folder)}
        return {**given, "CLAUDE_PLUGIN_ROOT": str(self.project.plugin)}

    def _fire(self, event: str, subject: str = "", **fields: Any) -> str:
        """Run the hooks that an event has for its subject (a tool, a source), and return the context they add."""
        base = {"session_id": self._session, "transcript_path": self._transcript, "cwd": str(self.project.folder)}
        payload = json.dumps({**base, "hook_event_name": event, **fields}, ensure_ascii=False)
        groups = [group for group in self._hooks.get(event, []) if _meant(group.get("matcher", ""), subject)]
        return "\n".join(filter(None, (self._run(hook, payload) for group in groups for hook in group["hooks"])))

    def _run(self, hook: dict[str, Any], payload: str) -> str:
        root = str(self.project.plugin)
        words = [word.replace("${CLAUDE_PLUGIN_ROOT}", root) for word in (hook["command"], *hook.get("args", []))]
        done = self.project.run(words if hook.get("args") else ["sh", "-c", *words], payload, self._own_env())
        assert done.returncode == 0, done.stderr
        if not done.stdout.startswith("{"):
            return ""
        return str(json.loads(done.stdout).get("hookSpecificOutput", {}).get("additionalContext", ""))


def _meant(matcher: str, subject: str) -> bool:
    return matcher in ("", "*") or re.fullmatch(matcher, subject) is not None

"""Work whose words are as hard on a linter as people's and models' words are, in a state file of any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.hooks import Project

SESSION = "6f0d2a9e-7b1d-4c7e-9a54-0d6f1b2c3d4e"
CHILD = "7f0d2a9e-7b1d-4c7e-9a54-0d6f1b2c3d4e"
TITLE = "Parse all invoices_of_north in src/a_b.py"
ANSWER = """## What I did

The parser reads headers (`a_b`) and rows.

1. first
2. second

```python
x = 1
```

Next: sum the totals. I decided to use Decimal instead of float because it is exact. Should the dates be in UTC?"""
HARDER = """## What *I* did

The parser reads headers (`a_b`), __init__ and *all* rows; see https://example.com/a_b_c for why.
1) first
+ second\t
* third

| a | b |
|--|--|
| 1 | 2 |

# Next
Next: sum the totals of <all> files, # 3 first."""
SHORT = "- Totals are done.\n\nThe rest waits for Mara  \n"
ODD = "Use *Decimal* not float_for_money | <b>see</b> https://example.com/a_b"
HARD = "Use `Decimal` for money; then 1. see  "
NEXT = ["sum the totals", "write_the_report for north", "ask Mara"]


def turns(project: Project, first: int, last: int, *, hard: bool = False) -> None:
    """Let the session work for some turns: prompts, edits, a task, a question, a commit, an answer."""
    words, answer = (ODD, HARDER) if hard else (HARD, ANSWER)
    for number in range(first, last):
        _fire(project, "UserPromptSubmit", prompt=f"{TITLE} Part {number}.\n\n- one\n- two  \n")
        path = project.root / f"src/a_b_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n")
        project.edit(str(path), SESSION, "Write")
        _fire(project, "TaskCreated", task_id=str(number), task_subject=f"{words} {number}", task_description="")
        if number % 2:
            _fire(project, "TaskCompleted", task_id=str(number), task_subject=f"{words} {number}", task_description="")
        asked = {"questions": [{"question": f"{words}? {number}", "options": [{"label": "Yes"}], "header": "h"}]}
        answered = {**asked, "answers": {f"{words}? {number}": "Yes"}}
        _fire(project, "PostToolUse", tool_name="AskUserQuestion", tool_input=asked, tool_response=answered)
        _fire(project, "SubagentStart", agent_id=f"a{number}", agent_type="general-purpose")
        _fire(project, "SubagentStop", agent_id=f"a{number}", last_assistant_message=answer)
        said = SHORT if number % 2 else answer
        _fire(project, "Stop", last_assistant_message=said, stop_hook_active=False, background_tasks=[])
        project.settled()


def begin(project: Project) -> None:
    """Start the session."""
    _fire(project, "SessionStart", source="startup")


def command(project: Project, *words: str) -> None:
    """Run a command as Claude's shell does; it may refuse, where a format has no place for what it writes."""
    done = project.cli(*words, CLAUDE_CODE_SESSION_ID=SESSION, HOLDFAST_DATA=str(project.data))
    assert "Traceback" not in done.err, done.err


def memory(project: Project, *, hard: bool = False) -> None:
    """Use each command that writes into a state file."""
    words, answer = (ODD, HARDER) if hard else (HARD, ANSWER)
    command(project, "phase", "skip-to", "2", "Reports and totals")
    command(project, "task", "add", words)
    command(project, "task", "start", "Write the report")
    command(project, "loop", "add", words, "--context", answer, "--question", "Which one?")
    command(project, "loop", "add", "A second loop, with 東京 and emoji 🎯", "--context", "None.")
    command(project, "loop", "explore", "1", "--approach", words)
    command(project, "plan", "propose", words)
    command(project, "plan", "reject", words)
    command(project, "plan", "propose", "A plan with `code`")
    command(project, "plan", "approve")
    command(project, "discuss", words)
    command(project, "return", "--summary", words)
    command(project, "loop", "close", "2", "--outcome", answer)
    command(project, "task", "complete")
    command(project, "budget")


def genie(project: Project) -> None:
    """Keep the session and a child of it in the hub, as agents do."""
    of = (f"session_id={SESSION}", "agent=git")
    for action in ("started", "in_progress", "waiting"):
        context = f"context=files_modified:[a_b.py,c.py] reason: {HARD}"
        command(project, "update", f"action={action}", *of, f"purpose={TITLE}", context)
    child = ("agent=tests", f"session_id={CHILD}")
    command(project, "update", "action=started", *child, f"parent_session={SESSION}", "purpose=check it")
    command(project, "update", "action=completed", *child, "context=tests_pass:true done_report:.genie/x.md")


def _fire(project: Project, event: str, **fields: Any) -> None:
    done = project.fire(event, SESSION, **fields)
    assert done.code == 0, done

"""agents-sessions.md and the issue's section on it, one case per requirement, through the command line and hooks."""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.requirements.support_states import (
    SECONDS_PER_HOUR,
    SESSION_FILE,
    agents,
    audited,
    findings,
    headings,
    hours_ago,
    line_of,
    of_kind,
    put,
    section,
    swap,
    synced,
)
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

NAME = re.compile(r"(\d{8}-\d{6})-[^\s/]+\.md")
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
BRACKETS = re.compile(r"^\s*(?:[-*]\s+)?\[[^\]]{8,}\]\s*$", re.MULTILINE)
LOG_ENTRY = re.compile(r"^### (\d{4}-\d\d-\d\d \d\d:\d\d) - (.+)$", re.MULTILINE)
REQUIRED = ("session.title", "session.status", "session.created", "session.last_updated", "orchestration.current_task")
SECTIONS = ("Context", "Current State", "Next Steps")
AGENT = {"agent_id": "a877", "agent_type": "backend-dev"}
KNOWLEDGE = (
    ("Work tracking", "external issue"),
    ("Implementation details", "git commits"),
    ("Architectural decisions", "ADRs"),
    ("API contracts", "API documentation"),
    ("Remaining work", "external issue backlog"),
)
DELETION = (
    "External issue updated with final status",
    "Decisions captured as ADRs (if architectural)",
    "Lessons learned added to relevant docs",
    "Remaining work created as issues",
    "No orphaned references to session file",
    "Delete the session file",
)


def worked(project: Project, *prompts: str, session: str = "one") -> Path:
    """Let a session hear these prompts and edit a file, and return the state file that this makes."""
    project.fire("SessionStart", session)
    for prompt in prompts or ("Parse the invoices of last year",):
        project.fire("UserPromptSubmit", session, prompt=prompt)
    known = set(project.state_files())
    project.edit("src/parse.py", session)
    project.settled(session)
    (path,) = set(project.state_files()) - known
    return path


def stopped(project: Project, stated: str = "The lexer is done.", session: str = "one") -> None:
    """End a turn of a session with an answer."""
    project.fire("Stop", session, last_assistant_message=stated)
    project.settled(session)


def value(text: str, key: str) -> str:
    """Return the text of a key of the frontmatter, "" where it is not there."""
    found = re.search(rf"^\s*(?:- )?{key}: *(.*)$", text.partition("\n---\n")[0], re.MULTILINE)
    return found[1].strip().strip("\"'") if found else ""


def spawned(text: str) -> list[dict[str, str]]:
    """Return the entries of spawned_agents with their keys."""
    front = text.partition("\n---\n")[0]
    found: list[dict[str, str]] = []
    for line in front.partition("spawned_agents:")[2].splitlines()[1:]:
        key, colon, stated = line.strip().removeprefix("- ").partition(":")
        if not line.startswith(" ") or not colon:
            break
        if line.lstrip().startswith("- "):
            found.append({})
        found[-1][key] = stated.strip().strip("\"'")
    return found


def delegated(project: Project, session: str = "one", task: str = "Wrap the client library") -> str:
    """Start a subagent as the client does, which notes what it is called beside its transcript; return its brief."""
    folder = project.home / "t/subagents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent-a877.meta.json").write_text(json.dumps({"agentType": "backend-dev", "description": task}))
    reply = project.fire("SubagentStart", session, **AGENT)
    project.rested()
    return reply.context if reply.out else ""


def released(project: Project, stated: str = "One module, three functions.", session: str = "one") -> None:
    """Let that subagent end."""
    project.fire("SubagentStop", session, **AGENT, last_assistant_message=stated)
    stopped(project, session=session)


def committed(project: Project) -> None:
    """Commit all there is."""
    project.git("add", "--all")
    project.git("commit", "-q", "-m", "all")


def box(lines: str, words: str) -> str:
    """Return the line of a checklist that begins with these words after its box."""
    return next(line for line in lines.splitlines() if re.match(rf"- \[.\] {re.escape(words)}", line))


# Sessions


@pytest.mark.parametrize("first", ["an edit", "a task"])
def test_a_session_file_is_for_active_work(prepared: Project, first: str) -> None:
    """The document: "Coordination artifacts for active work": talk alone makes none, the first edit or task does."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    stopped(prepared)
    assert prepared.state_files() == []
    if first == "an edit":
        prepared.edit("src/parse.py")
    else:
        prepared.fire("TaskCreated")
    prepared.settled()
    assert len(prepared.state_files()) == 1


def test_a_file_name_is_a_timestamp_in_utc_and_a_description(prepared: Project) -> None:
    """`.agents/sessions/YYYYMMDD-HHMMSS-<description>.md`, the time in UTC and that of `created`."""
    path = worked(prepared)
    found = NAME.fullmatch(path.name)
    assert found
    created = value(path.read_text(), "created")
    assert found[1] == created.translate({ord(sign): None for sign in "-:Z"}).replace("T", "-")
    assert (
        abs(time.time() - time.mktime(time.strptime(created, "%Y-%m-%dT%H:%M:%SZ")) + time.timezone) < SECONDS_PER_HOUR
    )
    assert path.name.endswith("-parse-the-invoices-of-last-year.md")


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("20251204-143000-weather-fallback.md", True),
        ("weather-fallback.md", False),
        ("PLT-123-weather-fallback.md", False),
        ("20251204-143000-PLT-123-weather-fallback.md", False),
        ("20251304-143000-weather-fallback.md", False),
    ],
)
def test_audit_tells_good_file_names_from_bad_ones(prepared: Project, name: str, good: bool) -> None:  # noqa: FBT001 - a column of the table
    """Good has a timestamp; bad has none ("missing timestamp"), an impossible one, or an issue key."""
    row = audited(prepared, f".agents/sessions/{name}", agents())
    assert (row["complete"], row["code"] == 0, findings(row) == []) == (good, good, good)
    assert all("name" in found[2] for found in findings(row))


@pytest.mark.parametrize(
    ("title", "slugs"),
    [
        ("Zoë's 2nd try", ["zoë-s-2nd-try"]),
        ("می\u200cروم خانه", ["میروم-خانه"]),
        ("Über①② e\u0301te\u0301", ["über①②-été"]),
        ("1️⃣ first", ["1-first"]),
        ("🎉👩🏽‍💻", ["session"]),
        ("Parse   the/invoices: part 2", ["parse-the-invoices-part-2"]),
        ("🎉 Ship it!", ["ship-it"]),
        ("Café menu", ["café-menu", "cafe-menu"]),
        ("UTF-8 and SHA-256 sums", ["utf-8-and-sha-256-sums"]),
        pytest.param(
            "Größe prüfen",
            ["größe-prüfen", "groesse-pruefen", "grosse-prufen"],
        ),
        pytest.param("解析发票", ["解析发票"]),
        pytest.param("Разбор счетов", ["разбор-счетов", "razbor-schetov"]),
        pytest.param("चालान पढ़ें", ["चालान-पढ़ें"]),
        pytest.param("تحليل الفواتير", ["تحليل-الفواتير"]),
    ],
)
def test_titles_in_any_script_give_readable_file_names(prepared: Project, title: str, slugs: list[str]) -> None:
    """Issue: titles in any script give readable file names."""
    reply = prepared.cli("start", title)
    assert reply.code == 0
    assert os.path.basename(reply.out.strip())[16:-3] in slugs


def test_a_long_title_gives_a_name_that_a_file_can_have(prepared: Project) -> None:
    """A name has at most 255 bytes, whatever the title's script, and ends with a whole character."""
    name = os.path.basename(prepared.cli("start", "解析所有发票" * 40).out.strip())
    assert NAME.fullmatch(name)
    assert (prepared.root / ".agents/sessions" / name).is_file()
    assert len(os.fsencode(name)) <= 255
    assert name.encode().decode() == name


@pytest.mark.parametrize(
    "title",
    [
        "PLT-123: weather fallback",
        "[BACK-7] weather fallback",
        "Weather fallback (PLT-9)",
        "Weather PLT-9 fallback BACK-3",
        "Weather fallback https://linear.app/acme/issue/PLT-123/weather",
        "Weather fallback https://acme.atlassian.net/browse/PLT-123",
    ],
)
def test_an_issue_key_does_not_enter_the_file_name(prepared: Project, title: str) -> None:
    """Issue: a key goes into `linear_issue` or `issue` instead."""
    name = prepared.cli("start", title).out.strip()
    assert name.endswith("-weather-fallback.md")
    text = (prepared.root / name).read_text()
    key = re.search(r"[A-Z]+-\d+", title)
    assert key
    assert key[0] in {value(text, "linear_issue"), value(text, "issue")}
    assert of_kind(audited(prepared, name), "broken") == []


def test_an_issue_key_in_a_request_does_not_enter_the_file_name(prepared: Project) -> None:
    """The same where a hook makes the file."""
    path = worked(prepared, "PLT-123: add a fallback for the weather service")
    assert "plt-123" not in path.name.casefold()
    assert "PLT-123" in {value(path.read_text(), "linear_issue"), value(path.read_text(), "issue")}


# Frontmatter


def test_a_file_with_all_that_the_template_has_is_complete(prepared: Project) -> None:
    """The session template, filled in: waves, nested code, criteria, decisions and log are no findings."""
    row = audited(prepared, SESSION_FILE, agents())
    assert (row["code"], row["complete"], findings(row)) == (0, True, [])


@pytest.mark.parametrize("key", REQUIRED)
@pytest.mark.parametrize("damage", ["gone", "empty"])
def test_required_frontmatter(prepared: Project, key: str, damage: str) -> None:
    """Each key marked REQUIRED: without it, or empty, the audit names the key."""
    last = key.rpartition(".")[2]
    line = next(one for one in agents().splitlines(keepends=True) if one.startswith(f"  {last}:"))
    row = audited(prepared, SESSION_FILE, swap(agents(), (line, f"  {last}:\n" if damage == "empty" else "")))
    assert (row["code"], row["complete"]) == (1, False)
    assert [(found[0], key in found[2]) for found in findings(row)] == [("missing", True)]


def test_linear_issue_and_url_are_optional(prepared: Project) -> None:
    """`linear_issue` and `linear_url` may be left out, and agents, too."""
    text = re.sub(r"  linear_(?:issue|url): .*\n", "", agents())
    text = text[: text.index("  spawned_agents:")] + text[text.index("---\n\n# Session:") :]
    assert findings(audited(prepared, SESSION_FILE, text)) == []


@pytest.mark.parametrize("status", ["in_progress", "paused"])
def test_audit_takes_the_three_statuses(prepared: Project, status: str) -> None:
    """The document: "in_progress|paused|completed": each is right."""
    text = swap(agents(), ("status: in_progress", f"status: {status}"))
    assert findings(audited(prepared, SESSION_FILE, text)) == []


def test_audit_takes_completed_where_no_box_is_open(prepared: Project) -> None:
    """The document: "completed": right where nothing in the file speaks against it."""
    text = swap(agents(), ("status: in_progress", "status: completed")).replace("- [ ]", "- [x]")
    assert findings(audited(prepared, SESSION_FILE, text)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("status: in_progress", "status: banana", id="status"),
        pytest.param(f'created: "{hours_ago(3)[:4]}', 'created: "yesterday', id="created"),
        pytest.param(f'last_updated: "{hours_ago(1)[:4]}', 'last_updated: "next week', id="last_updated"),
        pytest.param("      status: completed", "      status: banana", id="an agent's status"),
    ],
)
def test_audit_names_statuses_and_dates_that_are_none(prepared: Project, old: str, new: str) -> None:
    """Issue: audit statuses and dates: today `banana` and "yesterday" pass."""
    text = swap(agents(), (old, new))
    row = audited(prepared, SESSION_FILE, text)
    assert [found[1] for found in findings(row)] == [line_of(text, new)]
    assert row["code"] == 1


def test_times_are_iso_8601_in_utc(prepared: Project) -> None:
    """`date -u +"%Y-%m-%dT%H:%M:%SZ"`: so the times of a new file are written, and a sync keeps the form."""
    path = worked(prepared)
    _, text = synced(prepared, path, {"Context": "Totals are wrong."})
    assert ISO.fullmatch(value(text, "created"))
    assert ISO.fullmatch(value(text, "last_updated"))


# Title, context and task


ASKED = "I can write a parser or a printer for the totals. Which of the two do you want?"


@pytest.mark.parametrize("reply", ["the printer for the totals please", "der Drucker für die Summen bitte"])
def test_an_answer_is_never_a_title(prepared: Project, reply: str) -> None:
    """Issue: what counts is that the turn before ended with a question, in whatever language."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="hello there")
    stopped(prepared, ASKED)
    prepared.fire("UserPromptSubmit", prompt=reply)
    prepared.edit("src/printer.py")
    stopped(prepared, "It prints.")
    (path,) = prepared.state_files()
    assert value(path.read_text(), "title") == "Work on main"


@pytest.mark.parametrize(
    ("prompts", "title"),
    [
        pytest.param(["Parse the invoices"], "Parse the invoices", id="one request"),
        pytest.param(["hi", "Parse the invoices"], "Parse the invoices", id="a greeting first"),
        pytest.param(
            ["Hello!", "good morning", "Parse the invoices"],
            "Parse the invoices",
            id="two greetings",
        ),
        pytest.param(["Find out why rows are lost", "yes"], "Find out why rows are lost", id="yes"),
        pytest.param(["Find out why rows are lost", "fix it"], "Find out why rows are lost", id="fix it"),
        pytest.param(["Find out why rows are lost", "go on", "ok, do that"], "Find out why rows are lost", id="go on"),
        pytest.param(
            ["What does the lexer do?", "Let the lexer know comments"],
            "Let the lexer know comments",
            id="the request that led to the edit",
        ),
        pytest.param(["Hi Claude, parse the invoices"], "parse the invoices", id="a greeting before the request"),
        pytest.param(["No, use tabs"], "use tabs", id="an answer before the request"),
        pytest.param(["Fix: the lexer", "1"], "Fix: the lexer", id="a choice by number"),
        pytest.param(["你好", "解析发票", "好的\uff0c继续"], "解析发票", id="Chinese"),
        pytest.param(["Привет", "Разбери счета", "да, продолжай"], "Разбери счета", id="Russian"),
        pytest.param(["yes", "Parse the invoices"], "Parse the invoices", id="yes first"),
        pytest.param(
            ["which port is the guest page on?", "Repair the login of guests on Safari"],
            "Repair the login of guests on Safari",
            id="a question in passing first",
        ),
        pytest.param(["@CLAUDE.md says it: parse the invoices"], "@CLAUDE.md says it: parse the invoices", id="a file"),
    ],
)
def test_the_title_is_the_request_that_led_to_the_first_edit(prepared: Project, prompts: list[str], title: str) -> None:
    """Issue: take title and current_task from the work, never from a greeting, "yes" or "fix it"; Context names it."""
    text = worked(prepared, *prompts).read_text()
    assert (value(text, "title"), headings(text, 1)) == (title, [f"Session: {title}"])
    assert (
        section(text, "Context").strip()
        == "What was asked in full stays on the machine where it was asked (setting `quotes`)."
    )
    assert value(text, "current_task") == title


QUOTED = {
    "answers": (
        "Sort the shelf list",
        "What was asked in full stays on the machine where it was asked (setting `quotes`).",
    ),
    "all": (
        "Sort the shelf list",
        "> Sort the shelf list. Ana is ill, so do all of it without her until she is back at her desk again.",
    ),
    "none": ("Work on main", "[Why this is done, and why now.]"),
}


@pytest.mark.parametrize("quotes", QUOTED)
def test_what_the_user_typed_is_quoted_as_the_setting_says(prepared: Project, quotes: str) -> None:
    """In a shared project a title and no more by default; by "none" nothing, not even in the name of the file."""
    (prepared.root / ".agents/holdfast.toml").write_text(f'quotes = "{quotes}"\n')
    path = worked(prepared, QUOTED["all"][1].removeprefix("> "))
    text, (title, context) = path.read_text(), QUOTED[quotes]
    assert (value(text, "title"), value(text, "current_task")) == (title, title)
    assert section(text, "Context").strip() == context
    assert ("Ana" in text, "sort" in path.name) == (quotes == "all", quotes != "none")


def test_audit_checklist_and_handoff_agree_on_the_next_steps(prepared: Project) -> None:
    """Immediate actions for continuation: what holdfast writes where it knows none is none, for all three."""
    path = worked(prepared, "Label the shelf G")
    assert "- Not known; see Current State." in path.read_text()
    row = audited(prepared, path.relative_to(prepared.root).as_posix())
    assert "Next Steps" in {found["what"] for found in row["findings"]}
    assert "[ ] State file filled in; 1 open: Next Steps" in prepared.cli("checklist", "one").out
    assert "Next Steps names no step" in prepared.cli("handoff", "one").err


GREETINGS = [
    *(
        "hi",
        "Hey Claude!",
        "good morning",
        "yes",
        "Yes, please do.",
        "go on",
        "fix it",
        "continue",
        "OK 👍",
        "👍🏽",
        "2",
    ),
    *("danke", "ja, mach weiter", "merci", "oui vas-y", "sí, adelante", "grazie mille", "sim, pode", "привет", "好的"),
    *("weitermachen", "pode continuar", "继续做", "続きをお願いします", "계속하라."),
    *("はい", "계속해줘", "धन्यवाद", "شكرا", "thanks, that looks good!", "/clear", "..."),
]


@pytest.mark.parametrize("prompt", GREETINGS)
def test_a_greeting_is_never_a_title(prepared: Project, prompt: str) -> None:
    """Issue: a greeting, "yes", "go on" or "fix it" is never a title, even where nothing else was reported."""
    path = worked(prepared, prompt)
    text = path.read_text()
    assert (value(text, "title"), path.name[16:]) == ("Work on main", "work-on-main.md")
    assert f"> {prompt}" not in section(text, "Context")


@pytest.mark.parametrize(
    ("kinds", "title"),
    [
        (["ai-title"], "Totals of last year"),
        (["ai-title", "custom-title", "ai-title"], "The tax return"),
        (["custom-title", "torn"], "The tax return"),
    ],
)
def test_the_clients_own_title_is_taken_before_a_request(prepared: Project, kinds: list[str], title: str) -> None:
    """Issue: "Use the client's own conversation title when there is one", the one that a person gave first."""
    lines = {
        "ai-title": {"type": "ai-title", "aiTitle": "Totals of last year", "sessionId": "one"},
        "custom-title": {"type": "custom-title", "customTitle": "The tax return", "sessionId": "one"},
        "torn": {"type": "user", "text": "about a custom-title"},
    }
    written = "".join(f"{json.dumps(lines[kind])}\n" for kind in kinds)
    (prepared.home / "t.jsonl").write_text(written + ('{"type": "ai-title"' if "torn" in kinds else ""))
    path = worked(prepared, "go on")
    assert value(path.read_text(), "title") == title
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of last year")
    prepared.edit("src/second.py")
    stopped(prepared)
    assert prepared.state_files() == [path]
    assert value(path.read_text(), "title") == title


def test_the_clients_title_takes_the_place_of_a_request(prepared: Project) -> None:
    """It comes while the first answer is under way, or by a person's command."""
    assert value(worked(prepared, "Parse the invoices of last year").read_text(), "title").startswith("Parse")
    line = {"type": "custom-title", "customTitle": "The tax return", "sessionId": "one"}
    (prepared.home / "t.jsonl").write_text(f"{json.dumps(line)}\n")
    prepared.edit("src/second.py")
    stopped(prepared)
    (path,) = prepared.state_files()
    assert value(path.read_text(), "title") == "The tax return"
    assert path.name.endswith("-the-tax-return.md")


def test_a_conversation_that_is_renamed_renames_its_work(prepared: Project) -> None:
    """Issue: `/rename` is followed, and a later title of the client's own is not."""
    log = prepared.home / "t.jsonl"
    titles = [("ai-title", "aiTitle", "Invoices"), ("ai-title", "aiTitle", "Invoices, all of them")]
    titles += [("custom-title", "customTitle", "The tax return"), ("custom-title", "customTitle", "Tax of 2024")]
    expected = ["Invoices", "Invoices", "The tax return", "Tax of 2024"]
    for number, ((kind, key, words), title) in enumerate(zip(titles, expected, strict=True)):
        with log.open("a") as file:
            file.write(json.dumps({"type": kind, key: words, "sessionId": "one"}) + "\n")
        if number == 0:
            worked(prepared, "Parse the invoices of last year")
        else:
            prepared.edit(f"src/file{number}.py")
            stopped(prepared)
        (path,) = prepared.state_files()
        assert value(path.read_text(), "title") == title


def test_a_title_of_holdfasts_own_improves_and_the_file_is_renamed(prepared: Project) -> None:
    """Issue: while the title is holdfast's own it may improve; the file is renamed while it is not committed."""
    worked(prepared, "fix it")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of last year")
    prepared.edit("src/second.py")
    stopped(prepared)
    (path,) = prepared.state_files()
    assert value(path.read_text(), "title") == "Parse the invoices of last year"
    assert path.name.endswith("-parse-the-invoices-of-last-year.md")
    assert [name for name in prepared.staged() if name.startswith(".agents/sessions/")] == [
        path.relative_to(prepared.root).as_posix()
    ]


def test_a_committed_file_is_not_renamed(prepared: Project) -> None:
    """Issue: rename the file only until it is committed; its title improves all the same."""
    path = worked(prepared, "fix it")
    committed(prepared)
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of last year")
    prepared.edit("src/second.py")
    stopped(prepared)
    assert prepared.state_files() == [path]
    assert value(path.read_text(), "title") == "Parse the invoices of last year"


def test_a_title_of_a_person_stays(prepared: Project) -> None:
    """What a person or Claude wrote as the title is never replaced, nor is its file renamed."""
    path = worked(prepared, "fix it")
    synced(prepared, path, {"session": {"title": "The price list"}})
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of last year")
    prepared.edit("src/second.py")
    stopped(prepared)
    assert prepared.state_files() == [path]
    assert value(path.read_text(), "title") == "The price list"


def test_current_task_follows_the_task_in_progress(prepared: Project) -> None:
    """Issue: `current_task` ("What's actively being worked") follows the task in progress."""
    path = worked(prepared)
    for number, subject in enumerate(("Write tests", "Write docs"), 1):
        prepared.fire("TaskCreated", task_id=str(number), task_subject=subject)
    for ident, status, task in (("1", "in_progress", "Write tests"), ("2", "in_progress", "Write docs")):
        called = {"taskId": ident, "status": status}
        prepared.fire("PostToolUse", tool_name="TaskUpdate", tool_input=called, tool_response={})
        stopped(prepared)
        assert value(path.read_text(), "current_task") == task
        prepared.fire("TaskCompleted", task_id=ident, task_subject=task)


# Spawned agents


def test_spawned_agents_has_agent_task_and_status(prepared: Project) -> None:
    """Issue: maintain `spawned_agents` (agent, status, task): in_progress while the subagent runs."""
    path = worked(prepared)
    delegated(prepared)
    stopped(prepared)
    (agent,) = spawned(path.read_text())
    assert (agent["agent"], agent["task"], agent["status"]) == ("backend-dev", "Wrap the client library", "in_progress")


def test_an_agent_that_ended_is_completed_with_its_summary(prepared: Project) -> None:
    """`status: completed` and `summary: "Outcome summary"`, with secrets masked."""
    path = worked(prepared)
    delegated(prepared)
    released(prepared, "One module, three functions; password=hunter2hunter2 was in a test.")
    (agent,) = spawned(path.read_text())
    assert (agent["agent"], agent["status"]) == ("backend-dev", "completed")
    assert agent["summary"].startswith("One module, three functions")
    assert "hunter2" not in path.read_text()


def test_a_corrected_status_of_an_agent_that_ended_stays(prepared: Project) -> None:
    """What somebody else wrote in one of these places stays: the work of an agent may be open again."""
    path = worked(prepared)
    delegated(prepared)
    released(prepared, "One module, three functions.")
    (agent,) = spawned(path.read_text())
    row = {"agent": agent["agent"], "task": agent["task"], "status": "in_progress"}
    synced(prepared, path, {"spawned_agents": [row]})
    prepared.fire("UserPromptSubmit", prompt="and the docs")
    prepared.edit("docs/client.md")
    stopped(prepared, "The docs are there, too, with an example.")
    (agent,) = spawned(path.read_text())
    assert agent["status"] == "in_progress"


def test_an_agent_that_ends_after_the_turn_is_completed_at_the_next_one(prepared: Project) -> None:
    """`status: completed`: a subagent in the background ends after a Stop; the next turn changes nothing else."""
    path = worked(prepared)
    delegated(prepared)
    stopped(prepared)
    released(prepared)
    (agent,) = spawned(path.read_text())
    assert agent["status"] == "completed"
    assert "backend-dev finished" in section(path.read_text(), "Session Log")


def test_a_planned_agent_is_taken_and_a_deleted_one_stays_away(prepared: Project) -> None:
    """A row that Claude planned gets its subagent's status and outcome; a row that somebody deleted stays deleted."""
    rows = "    - agent: backend-dev\n      task: Wrap it\n      status: pending\n"
    path = put(prepared, SESSION_FILE, re.sub(r"    - agent:.*?summary: [^\n]*\n", rows, agents(), flags=re.DOTALL))
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    delegated(prepared)
    stopped(prepared)
    (row,) = spawned(path.read_text())
    assert (row["task"], row["status"]) == ("Wrap it", "in_progress")
    path.write_text(
        swap(
            path.read_text(),
            ("    - agent: backend-dev\n      task: Wrap it\n", ""),
            ("      status: in_progress\n", ""),
        )
    )
    released(prepared)
    assert spawned(path.read_text()) == []


def test_two_agents_of_one_type_are_two_rows(prepared: Project) -> None:
    """Each subagent has its row; one whose session ended first is pending again, whatever was there before."""
    path = worked(prepared)
    for ident in ("a1", "a2"):
        prepared.fire("SubagentStart", agent_id=ident, agent_type="Explore")
    prepared.fire("SubagentStop", agent_id="a2", agent_type="Explore", last_assistant_message='Says "no": it\'s #1')
    stopped(prepared)
    assert [(row["status"], row.get("summary", "")) for row in spawned(path.read_text())] == [
        ("in_progress", ""),
        ("completed", 'Says \\"no\\": it\'s #1'),
    ]
    assert of_kind(audited(prepared, path.relative_to(prepared.root).as_posix()), "broken") == []
    reported = json.loads(prepared.cli("status", "--json").out)["agents"]
    assert [row["summary"] for row in reported] == ["", 'Says "no": it\'s #1']
    prepared.fire("SubagentStart", agent_id="a3", agent_type="Explore")
    stopped(prepared)
    path.write_text(path.read_text().replace("    - agent: Explore\n      status: in_progress\n", "", 1))
    prepared.fire("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="It is blue.")
    stopped(prepared)
    rows = {row.get("summary", ""): row["status"] for row in spawned(path.read_text())}
    assert rows == {'Says \\"no\\": it\'s #1': "completed", "It is blue.": "completed"}


@pytest.mark.parametrize("own", [True, False], ids=["planned here", "of a hand-over"])
@pytest.mark.parametrize("task", ["Wrap it", "Measure: roof"])
def test_work_of_somebody_else_is_not_completed(prepared: Project, task: str, *, own: bool) -> None:
    """`task: Brief task description`: an open row is a subagent's only if its session planned it, and it fits."""
    rows = f"    - agent: backend-dev\n      task: '{task}'\n      status: in_progress\n"
    path = put(prepared, SESSION_FILE, re.sub(r"    - agent:.*?summary: [^\n]*\n", rows, agents(), flags=re.DOTALL))
    prepared.fire("SessionStart")
    if own:
        prepared.edit(SESSION_FILE)
    else:
        assert prepared.cli("continue", SESSION_FILE, CLAUDE_CODE_SESSION_ID="one").code == 0
    delegated(prepared)
    released(prepared)
    before, *new = [(row["task"], row["status"]) for row in spawned(path.read_text())]
    meant = own and task == "Wrap it"
    assert before == (task, "completed" if meant else "in_progress")
    assert new == ([] if meant else [("Wrap the client library", "completed")])


def test_a_subagent_that_is_started_again_is_in_progress_and_has_both_outcomes(prepared: Project) -> None:
    """Updates session with outcomes: row, hub and log follow the second start of a subagent, and its second end."""
    path = worked(prepared)
    put(prepared, ".genie/SESSION-STATE.md", "# Session State\n\n## Active Sessions\n")
    delegated(prepared)
    released(prepared, "First the lexer was wrapped.")
    delegated(prepared)
    prepared.edit("src/more.py")
    stopped(prepared)
    assert [row["status"] for row in spawned(path.read_text())] == ["in_progress"]
    assert json.loads(prepared.cli("tree", "--json").out)[1]["status"] == "active"
    hub = prepared.root / ".genie/SESSION-STATE.md"
    assert hub.read_text().count("**Status:** active") == 2
    released(prepared, "Second the parser was wrapped, too.")
    (row,) = spawned(path.read_text())
    assert row["status"] == "completed"
    for text in (row["summary"], hub.read_text(), section(path.read_text(), "Session Log")):
        assert "First the lexer" in text
        assert "Second the parser" in text
    assert hub.read_text().count("**Status:** completed") == 1


def test_an_agent_that_the_end_of_its_session_cut_off_is_pending(prepared: Project) -> None:
    """`status: pending|in_progress|completed`: nobody goes on with it before somebody takes it up."""
    path = worked(prepared)
    delegated(prepared)
    stopped(prepared)
    prepared.fire("SessionEnd", "one")
    prepared.settled("one")
    (row,) = spawned(path.read_text())
    assert (row["status"], row["summary"]) == ("pending", "Its session ended before it was done.")


@pytest.mark.parametrize("kind", ["docs", "backend-dev"])
def test_a_start_as_an_agent_names_what_is_open_for_it(prepared: Project, kind: str) -> None:
    """SessionStart Hook: provides agent-specific context: the agent's own tasks in open files."""
    rows = "    - agent: docs\n      task: 'Write the manual'\n      status: pending\n"
    put(prepared, SESSION_FILE, re.sub(r"    - agent:.*?summary: [^\n]*\n", rows, agents(), flags=re.DOTALL))
    reply = prepared.fire("SessionStart", "two", agent_type=kind)
    assert ("Write the manual, pending, in" in reply.context) == (kind == "docs")


@pytest.mark.parametrize("how", ["settle --hub", "validate --fix"])
def test_the_hub_stops_naming_a_file_that_somebody_deleted(prepared: Project, how: str) -> None:
    """No orphaned references to session file: not only `close --delete` takes the path out of the hub."""
    put(prepared, ".genie/SESSION-STATE.md", "# Session State\n\n## Active Sessions\n")
    path = worked(prepared)
    stopped(prepared)
    prepared.fire("SessionEnd", "one")
    prepared.settled("one")
    assert prepared.cli("close", "one").code == 0
    committed(prepared)
    path.unlink()
    committed(prepared)
    assert f"its state file {path.relative_to(prepared.root)} is gone" in prepared.cli("validate").out
    prepared.cli(*how.split())
    assert path.name not in (prepared.root / ".genie/SESSION-STATE.md").read_text()
    assert prepared.cli("validate").code == 0


def test_agents_written_by_hand_stay(prepared: Project) -> None:
    """What the file says of its agents stays byte for byte where nothing else was measured of them."""
    path = put(prepared, SESSION_FILE, agents())
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    prepared.edit("src/second.py")
    stopped(prepared)
    assert spawned(path.read_text()) == spawned(agents())


WRAPPER = {
    "agent": "backend-dev",
    "task": "Wrap the client library",
    "status": "completed",
    "summary": "Three functions",
}
MANUAL = {"agent": "docs", "task": "Write the manual", "status": "in_progress"}


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize(
    "rows", [[WRAPPER], [MANUAL], [WRAPPER, MANUAL], []], ids=["there", "new", "both", "none listed"]
)
def test_spawned_agents_can_be_corrected_by_sync(
    prepared: Project, rows: list[dict[str, str]], *, nested: bool
) -> None:
    """The row of an agent and its task is set, a new one is added, twice is once, and a settle keeps all of it."""
    text = agents() if rows else re.sub(r"(?m)^    [- ] .*\n", "", agents())
    wanted = {"spawned_agents": rows or [MANUAL]}
    for _ in range(2):
        reply, after = synced(
            prepared, put(prepared, SESSION_FILE, text), {"orchestration": wanted} if nested else wanted
        )
        assert reply.code == 0, reply
        text = after
    listed = spawned(after)
    assert [row for row in rows or [MANUAL] if row not in listed] == []
    assert len(listed) == len({row["agent"] for row in listed})
    assert findings(audited(prepared, SESSION_FILE)) == []


def test_a_workflow_of_the_updater_is_a_spawned_agent_of_its_parent(prepared: Project) -> None:
    """What a session delegates by an update is listed in its state file, then with its outcome; once."""
    put(prepared, ".genie/SESSION-STATE.md", "# Session State\n\n## Active Sessions\n")
    path = worked(prepared)
    begun = ("action=started", "agent=tests", "session_id=flow-1", "purpose=Test the parser", "parent_session=one")
    for _ in range(2):
        assert prepared.cli("update", *begun).code == 0
    (row,) = spawned(path.read_text())
    assert row == {"agent": "tests", "task": "Test the parser", "status": "in_progress"}
    for _ in range(2):
        assert prepared.cli("update", "action=completed", "session_id=flow-1", "context=outcome:5 tests pass").code == 0
    prepared.edit("src/second.py")
    stopped(prepared)
    assert path.read_text().count("tests finished\n\nTest the parser: 5 tests pass\n") == 1
    assert spawned(path.read_text()) == [row | {"status": "completed", "summary": "5 tests pass"}]
    assert path.relative_to(prepared.root).as_posix() in prepared.staged()


@pytest.mark.parametrize(
    "row", [{"agent": "x", "status": "failed"}, {"task": "no agent"}, "x", {"agent": "x", "y": "z"}]
)
def test_an_agent_that_is_none_is_refused(prepared: Project, row: object) -> None:
    """The answer says what an agent is, and the file stays."""
    path = put(prepared, SESSION_FILE, agents())
    before = path.read_bytes()
    reply, _ = synced(prepared, path, {"spawned_agents": [row]})
    assert reply.code == 1
    assert "agent is an object" in reply.err or "is not a status" in reply.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("command", ["status", "handoff", "tree"])
def test_spawned_agents_are_shown(prepared: Project, command: str) -> None:
    """Issue: show `spawned_agents` in status, handoff and tree."""
    put(prepared, SESSION_FILE, agents().replace("      status: completed", "      status: in_progress"))
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    prepared.edit("src/second.py")
    stopped(prepared)
    reported = prepared.cli(command).out
    assert "backend-dev" in reported.casefold()
    assert "Wrap the client library" in reported


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_wave_of_a_new_name_is_begun_by_sync(prepared: Project, newline: str, *, nested: bool) -> None:
    """### Wave 1: [Name], ### Wave 2: [Name]: another one comes after them, its boxes are ticked, and twice is once."""
    path = put(prepared, SESSION_FILE, agents().replace("\n", newline))
    for boxes in (["[ ] BACK-127 - Sweep 🧹", "[x] BACK-128 - Look"], ["[x] back-127 - sweep 🧹"]):
        wave = {"Wave 3: Chimney": boxes}
        for code in (0, 0):
            reply, text = synced(prepared, path, {"Execution Progress": wave} if nested else wave)
            assert reply.code == code, reply
        assert "already" in reply.out
    plain = path.read_bytes().decode()
    assert plain.count("\n") == plain.count(newline)
    progress = section(text.replace("\r\n", "\n"), "Execution Progress")
    assert progress.endswith(
        "- [ ] BACK-126 - Stream to disk\n\n### Wave 3: Chimney\n- [x] BACK-127 - Sweep 🧹\n- [x] BACK-128 - Look\n\n"
    )
    assert synced(prepared, path, {"Step 3: Chimney": ["[ ] Sweep"]})[0].code == 1


@pytest.mark.parametrize("given", ["None", ["None"]])
def test_none_takes_the_place_of_what_blocked(prepared: Project, given: object) -> None:
    """Current blocker (if any): "None" as a text or as an item takes those away, and a new one takes its place."""
    path = put(prepared, SESSION_FILE, agents())
    assert section(synced(prepared, path, {"Blockers": given})[1], "Blockers") == "- None\n\n---\n\n"
    assert section(synced(prepared, path, {"Blockers": ["Ana is ill"]})[1], "Blockers") == "- Ana is ill\n\n---\n\n"


def test_agents_of_the_file_count_for_children_finished(prepared: Project) -> None:
    """Issue: count `spawned_agents` for "Children finished"."""
    put(prepared, SESSION_FILE, swap(agents(), ("      status: completed", "      status: in_progress")))
    line = box(prepared.cli("close", "--check").out, "Children finished")
    assert line.startswith("- [ ]")
    assert "backend-dev" in line


@pytest.mark.parametrize("by", ["another's row", "a correction", "a row by its session"])
@pytest.mark.parametrize("named", [True, False], ids=["with a task", "without a task"])
def test_an_open_row_is_no_finished_child_because_another_of_its_type_ended(
    prepared: Project, by: str, *, named: bool
) -> None:
    """Issue: count `spawned_agents`: a subagent's end finishes its own row, and only until somebody opens it again."""
    rows = "    - agent: backend-dev\n      task: 'Measure: roof'\n      status: in_progress\n"
    text = re.sub(r"    - agent:.*?summary: [^\n]*\n", rows, agents(), flags=re.DOTALL)
    path = put(prepared, SESSION_FILE, swap(text, (rows, "")) if by == "a correction" else text)
    prepared.fire("SessionStart")
    assert prepared.cli("continue", SESSION_FILE, CLAUDE_CODE_SESSION_ID="one").code == 0
    if by == "a row by its session":
        prepared.edit(SESSION_FILE)
    delegated(prepared, task="Wrap the client library" if named else "")
    released(prepared, "The API for tiles.")
    if by == "a correction":
        (row,) = spawned(path.read_text())
        assert synced(prepared, path, {"spawned_agents": [row | {"status": "in_progress"}]})[0].code == 0
    assert "in_progress" in [row["status"] for row in spawned(path.read_text())]
    for _ in range(2):
        line = box(prepared.cli("close", "--check").out, "Children finished")
        assert line.startswith("- [ ]"), line
        assert "1 open: backend-dev" in line
    assert "Backend-dev agent" in prepared.cli("tree").out
    assert prepared.cli("close", "--delete", "one").code == 1


def test_no_tick_next_to_a_running_child(prepared: Project) -> None:
    """Issue: "[x] Children finished" next to a running child is not true."""
    worked(prepared)
    delegated(prepared)
    assert box(prepared.cli("close", "--check", "--all").out, "Children finished").startswith("- [ ]")
    released(prepared)
    assert box(prepared.cli("close", "--check", "--all").out, "Children finished").startswith("- [x]")


# Sections


@pytest.mark.parametrize("title", SECTIONS)
@pytest.mark.parametrize("damage", ["gone", "empty"])
def test_every_session_file_must_have_these_sections(prepared: Project, title: str, damage: str) -> None:
    """The document: "Every session file MUST have": Context, Current State and Next Steps, with something in them."""
    text = agents()
    whole = f"## {title}\n{section(text, title)}"
    text = swap(text, (whole, f"## {title}\n\n" if damage == "empty" else ""))
    row = audited(prepared, SESSION_FILE, text)
    (found,) = findings(row)
    assert (row["code"], found[0], title in found[2]) == (1, "missing", True)
    assert damage == "gone" or found[1] == line_of(text, f"## {title}")


def test_a_new_file_has_the_sections_of_the_template(prepared: Project) -> None:
    """The document: "# Session: [Title]", then the sections of the template; those that begin and end it do so."""
    text = worked(prepared).read_text()
    order = ["Context", "Current State", "Files Modified", "Next Steps", "Session Log"]
    assert headings(text, 1) == ["Session: Parse the invoices of last year"]
    assert sorted(title for title in headings(text) if title in order) == sorted(order)
    assert headings(text)[:2] == order[:2]
    assert headings(text)[-1] == "Session Log"
    assert "\n---\n\n## Session Log\n" in text


def test_an_untouched_template_is_not_complete(prepared: Project) -> None:
    """The words that the template has as examples count as not filled in."""
    text = agents()
    for title, sample in (
        ("Context", "Background for anyone picking up this work."),
        ("Current State", "Where we are right now. What just happened."),
        ("Blockers", "- Current blocker (if any)"),
    ):
        text = swap(text, (section(text, title), f"{sample}\n\n"))
    row = audited(prepared, SESSION_FILE, text)
    assert [found["what"] for found in of_kind(row, "placeholder")] == ["Context", "Current State", "Blockers"]
    assert row["code"] == 1


# Current State and Next Steps


def test_current_state_and_next_steps_are_never_left_as_brackets(prepared: Project) -> None:
    """Issue: between marks holdfast writes where Claude stopped (the gist of its answer) and the open tasks."""
    path = worked(prepared)
    for number, subject in enumerate(("Write tests", "Write docs"), 1):
        prepared.fire("TaskCreated", task_id=str(number), task_subject=subject)
    prepared.fire("TaskCompleted", task_id="1", task_subject="Write tests")
    stopped(prepared, "The lexer is done, and totals are next.")
    text = path.read_text()
    state, following = section(text, "Current State"), section(text, "Next Steps")
    assert "The lexer is done, and totals are next." in state
    assert "Write docs" in following
    assert "Write tests" not in following
    for reported in (state, following):
        assert not BRACKETS.search(reported)
        assert reported.count("<!-- holdfast:") == 1
    name = path.relative_to(prepared.root).as_posix()
    assert {"Current State", "Next Steps"} & {
        found["what"] for found in of_kind(audited(prepared, name), "placeholder")
    } == set()


def test_what_claude_answered_is_masked_and_follows_each_turn(prepared: Project) -> None:
    """Where Claude stopped is that of its last turn, with secrets masked."""
    path = worked(prepared)
    stopped(prepared, "The lexer is done; password=hunter2hunter2 works.")
    first = section(path.read_text(), "Current State")
    prepared.fire("TaskCreated")
    stopped(prepared, "The totals are right now.")
    second = section(path.read_text(), "Current State")
    assert "The lexer is done" in first
    assert "hunter2" not in path.read_text()
    assert "The totals are right now." in second
    assert "The lexer is done" not in second


def test_holdfast_stops_when_somebody_writes_there(prepared: Project) -> None:
    """Issue: when Claude or a person writes there, holdfast stops; the other section goes on."""
    path = worked(prepared)
    prepared.fire("TaskCreated")
    stopped(prepared, "The lexer is done.")
    assert "The lexer is done." in section(path.read_text(), "Current State")
    before = section(path.read_text(), "Current State")
    path.write_text(path.read_text().replace(before, "\nBlocked by the supplier.\n\n"))
    prepared.fire("TaskCreated", task_id="2", task_subject="Call the supplier")
    stopped(prepared, "Nothing more can be done today.")
    text = path.read_text()
    assert section(text, "Current State").strip() == "Blocked by the supplier."
    assert "Call the supplier" in section(text, "Next Steps")


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        ("## Next Steps", "Blocked by the supplier.\n\n## Next Steps", "Blocked by the supplier."),
        ("> The lexer is done.", "> The lexer waits.", "waits."),
        ("## Current State\n", "## Current State\n- A list\n", "- A list"),
    ],
)
def test_words_beside_or_within_the_marks_count_as_somebodys(
    prepared: Project, before: str, after: str, left: str
) -> None:
    """The marks go with holdfast's own lines, which stay only where they are what was changed; nothing else is lost."""
    path = worked(prepared)
    stopped(prepared, "The lexer is done.")
    path.write_text(swap(path.read_text(), (before, after)))
    for stated in ("The totals are done.", "All is done."):
        prepared.edit("src/second.py")
        stopped(prepared, stated)
    reported = section(path.read_text(), "Current State")
    assert left in reported
    assert "holdfast:state" not in reported
    assert "done." not in reported


@pytest.mark.parametrize("title", ["Current State", "Next Steps"])
def test_a_sync_takes_the_place_of_holdfasts_words(prepared: Project, title: str) -> None:
    """What Claude writes with `holdfast sync` replaces what holdfast wrote there, and stays."""
    path = worked(prepared)
    stopped(prepared, "The lexer is done.")
    wanted: dict[str, Any] = {"Current State": "Half of it.", "Next Steps": ["Parse the totals"]}
    synced(prepared, path, {title: wanted[title]})
    stopped(prepared, "The totals are done.")
    reported = section(path.read_text(), title)
    assert reported.strip() == (wanted[title] if title == "Current State" else "- Parse the totals")


def test_a_placeholder_by_hand_is_filled_and_an_empty_section_is_not(prepared: Project) -> None:
    """Brackets of any file of a session are filled in; what somebody emptied stays empty."""
    text = swap(agents(), (section(agents(), "Current State"), "[Where the work stands]\n\n"))
    text = swap(text, (section(text, "Next Steps"), "\n"))
    path = put(prepared, SESSION_FILE, text)
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    stopped(prepared, "- **State:** <!-- half # done | of it __all__ `x")
    row = audited(prepared, SESSION_FILE)
    assert "State: " in section(path.read_text(), "Current State")
    assert not section(path.read_text(), "Next Steps").strip()
    assert [found["what"] for found in of_kind(row, "placeholder", "broken", "missing")] == ["Next Steps"]


@pytest.mark.parametrize("first", ["at once", "after its settle"])
def test_after_clear_the_file_says_where_the_work_stopped(prepared: Project, first: str) -> None:
    """The document: "MUST be handoff-ready": a session that `/clear` began takes no answer and no open task away."""
    with prepared.busy():
        prepared.fire("SessionStart")
        prepared.fire("UserPromptSubmit", prompt="Parse the invoices of last year")
        prepared.edit("src/parse.py")
        prepared.fire("TaskCreated")
        if first == "after its settle":
            prepared.cli("settle")
        prepared.fire("Stop", last_assistant_message="The lexer is done.")
        prepared.fire("SessionEnd", reason="clear")
        prepared.fire("SessionStart", "two", source="clear")
    prepared.cli("settle")
    (path,) = prepared.state_files()
    assert "The lexer is done." in section(path.read_text(), "Current State")
    assert "- Write tests\n" in section(path.read_text(), "Next Steps")
    if first == "at once":  # the file is not there yet when the second session begins, which makes its own
        return
    prepared.fire("UserPromptSubmit", "two", prompt="Sum the totals")
    prepared.edit("src/totals.py", "two")
    stopped(prepared, "The totals are right.", "two")
    assert "The totals are right." in section(path.read_text(), "Current State")
    assert "- Write tests\n" in section(path.read_text(), "Next Steps")


def test_a_handed_over_session_is_ready_without_a_word_of_claude(prepared: Project) -> None:
    """The document: "MUST be handoff-ready": after a turn the hand-over says how far the work is."""
    worked(prepared)
    prepared.fire("TaskCreated")
    stopped(prepared, "The lexer is done.")
    reply = prepared.cli("handoff")
    assert (reply.code, reply.err) == (0, "")
    assert "The lexer is done." in reply.out
    assert "Write tests" in reply.out


# Progress and log


def test_tasks_stand_in_execution_progress_ticked_when_done(prepared: Project) -> None:
    """The document: "Add to progress checklist": each of Claude's tasks has a box."""
    path = worked(prepared)
    prepared.fire("TaskCreated")
    prepared.fire("TaskCreated", task_id="2", task_subject="Write docs")
    prepared.fire("TaskCompleted")
    stopped(prepared)
    reported = section(path.read_text(), "Execution Progress")
    assert [line for line in reported.splitlines() if line.startswith("- [")] == [
        "- [x] Write tests",
        "- [ ] Write docs",
    ]


def test_waves_by_hand_stay_as_they_are(prepared: Project) -> None:
    """The template's waves are a person's; tasks are added beside them."""
    path = put(prepared, SESSION_FILE, agents())
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    prepared.fire("TaskCreated")
    stopped(prepared)
    reported = section(path.read_text(), "Execution Progress")
    assert reported.startswith(section(agents(), "Execution Progress").rstrip("\n"))
    assert "- [ ] Write tests\n" in reported


@pytest.mark.parametrize(
    ("open_box", "other"),
    [("Old links still work", "Acceptance Criteria"), ("BACK-126 - Stream to disk", "Execution Progress")],
)
def test_boxes_of_the_file_count_for_tasks_finished(prepared: Project, open_box: str, other: str) -> None:
    """Issue: Acceptance Criteria and Execution Progress count for "Tasks finished"."""
    text = agents().replace("- [ ]", "- [x]")
    put(prepared, SESSION_FILE, swap(text, (f"- [x] {open_box}", f"- [ ] {open_box}")))
    assert other in text
    line = box(prepared.cli("close", "--check").out, "Tasks finished")
    assert line.startswith("- [ ]")
    assert open_box in line


# What a person writes under Execution Progress -> what of it is open.
OPEN_ROWS = {
    "a table with signs": (
        "| Task | State |\n|---|---|\n| Print labels | ✅ |\n| Rent a lift | ⬜ |\n",
        ["Rent a lift"],
    ),
    "a table with boxes": ("| Task | How far |\n|---|---|\n| Print labels | [x] |\n| Deposit | [ ] |\n", ["Deposit"]),
    "a table in words": (
        "| Aufgabe | Stand |\n|---|---|\n| Etiketten | erledigt |\n| Kaution | offen |\n| Police | todo |\n",
        ["Kaution", "Police"],
    ),
    "signs before items": ("- ✅ Glue labels\n- ❌ The lift drives\n- ☐ The hall is empty\n", ["The lift", "The hall"]),
    "crosses among remarks": ("- ❌ Never drive at night\n- Ask for the key\n", []),
    "a table of files": ("| File | Status |\n|---|---|\n| a.py | new |\n", []),
    "a comparison": ("| Library | Typed |\n|---|---|\n| attrs | yes |\n", []),
    "all is done": ("| Task | State |\n|---|---|\n| Print labels | done |\n", []),
}


@pytest.mark.parametrize(("progress", "left"), OPEN_ROWS.values(), ids=OPEN_ROWS)
def test_open_rows_and_signs_count_for_tasks_finished(prepared: Project, progress: str, left: list[str]) -> None:
    """The document: "Tasks finished": whatever form a person's list has, the hand-over names it, too."""
    text = agents().replace("- [ ]", "- [x]")
    put(prepared, SESSION_FILE, text.replace("## Execution Progress\n", f"## Execution Progress\n\n{progress}", 1))
    line = box(prepared.cli("close", "--check").out, "Tasks finished")
    assert line.startswith("- [ ]" if left else "- [x]"), line
    assert all(one in line for one in left), line
    assert prepared.cli("pause").code == 0
    remaining = prepared.cli("handoff").out
    assert all(one in remaining for one in left), remaining


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        ("- [x] Order\n   - [ ] Signature by Kai\n", "Signature by Kai"),
        ("1. [ ] Order\n   - [ ] Signature by Kai\n", "Signature by Kai"),
        ("| Step | State |\n|---|---|\n| Hand over the keys | done |\n| Call the bank | open |\n", "Call the bank"),
    ],
)
def test_what_is_open_among_next_steps_is_open(prepared: Project, steps: str, left: str) -> None:
    """An open box inside a ticked item, and a row that is not done; a row that is done is none."""
    text = agents().replace("- [ ]", "- [x]")
    old = section(text, "Next Steps")
    put(prepared, SESSION_FILE, text.replace(f"## Next Steps\n{old}", f"## Next Steps\n\n{steps}\n"))
    reported = prepared.cli("close", "--check").out
    assert left in reported
    assert "Hand over the keys" not in reported


def test_tasks_are_finished_where_every_box_is_ticked(prepared: Project) -> None:
    """With no open box and no open task the item is ticked."""
    put(prepared, SESSION_FILE, agents().replace("- [ ]", "- [x]"))
    assert box(prepared.cli("close", "--check").out, "Tasks finished").startswith("- [x]")


def test_files_modified_follows_the_edits(prepared: Project) -> None:
    """The document: "Update Files Modified if applicable": every file once."""
    path = worked(prepared)
    prepared.edit("src/second.py")
    prepared.edit("src/parse.py")
    stopped(prepared)
    listed = re.findall(r"^- `(.+)`$", section(path.read_text(), "Files Modified"), re.MULTILINE)
    assert listed == ["src/parse.py", "src/second.py"]


def test_the_log_begins_with_the_session(prepared: Project) -> None:
    """The document: "### YYYY-MM-DD HH:MM - [Agent/Action]" and what happened: the first entry is the start."""
    text = worked(prepared).read_text()
    ((minute, action),) = LOG_ENTRY.findall(section(text, "Session Log"))
    assert value(text, "created").startswith(minute.replace(" ", "T"))
    assert "start" in action.casefold()
    assert "`one`" in section(text, "Session Log")


@pytest.mark.parametrize(
    ("given", "action", "line"),
    [
        ("Measured the upload", "Update", "Measured the upload"),
        ("Tests: 12 passed, 1 skipped", "Tests", "12 passed, 1 skipped"),
        ("backend-dev\nAdded the retry; see 4b1c", "backend-dev", "Added the retry; see 4b1c"),
        ("🚀 Deploy: läuft", "🚀 Deploy", "läuft"),
        ("At 10:30 the upload took 3 s", "Update", "At 10:30 the upload took 3 s"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_entry_can_be_added_to_the_log(prepared: Project, given: str, action: str, line: str, newline: str) -> None:
    """The document: "### YYYY-MM-DD HH:MM - [Agent/Action]", and below it a "Brief description of what happened"."""
    path = put(prepared, SESSION_FILE, agents().replace("\n", newline))
    _, text = synced(prepared, path, {"Session Log": [given]})
    log = section(text.replace("\r\n", "\n"), "Session Log")
    last = LOG_ENTRY.findall(log)[-1]
    assert last[1] == action
    assert log.rstrip().splitlines()[-3:] == [f"### {last[0]} - {action}", "", line]
    assert abs(time.time() - time.mktime(time.strptime(last[0], "%Y-%m-%d %H:%M")) + time.timezone) < SECONDS_PER_HOUR
    assert synced(prepared, path, {"Session Log": [given]})[1] == text
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(newline.encode())


@pytest.mark.parametrize("title", ["Bob looked", "2026-11-27 - Bob", "27.11.2026 09:30 - Bob", "2026-11-27 09:30"])
def test_the_audit_refuses_a_heading_of_the_log_in_another_form(prepared: Project, title: str) -> None:
    """The document: `### YYYY-MM-DD HH:MM - [Agent/Action]`; the line of the heading is named."""
    path = worked(prepared)
    path.write_text(f"{path.read_text()}\n### {title}\nIt is done.\n")
    row = audited(prepared, path.relative_to(prepared.root).as_posix())
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if text == f"### {title}")
    assert [(found["what"], found["line"]) for found in of_kind(row, "invalid")] == [("Session Log", line)]


def test_the_log_records_pause_resume_and_close(prepared: Project) -> None:
    """Issue: the Session Log records pause, resume and close, each with its minute, oldest first."""
    path = worked(prepared)
    for command in (("pause",), ("continue", "one"), ("close",)):
        assert prepared.cli(*command).code == 0
    entries = LOG_ENTRY.findall(section(path.read_text(), "Session Log"))
    for (_, action), word in zip(entries[1:], ("pause", "resume", "clos|complete"), strict=True):
        assert re.search(word, action.casefold())


@pytest.mark.parametrize(
    ("word", "heading"), [("paused", "Session paused"), ("completed", "Session closed")], ids=["paused", "completed"]
)
@pytest.mark.parametrize("by", ["Write", "sync", "sync nested"])
def test_the_log_records_the_status_that_the_model_writes(prepared: Project, by: str, word: str, heading: str) -> None:
    """After each significant action: the word that Claude writes into the frontmatter is one; it is told once."""
    path = worked(prepared)
    if by == "Write":
        path.write_text(path.read_text().replace("  status: in_progress", f"  status: {word}"))
        prepared.edit(str(path), tool="Write")
    else:
        given = {"status": word} if by == "sync" else {"session": {"status": word}}
        for _ in range(2):
            assert prepared.cli("sync", "--json", json.dumps(given), CLAUDE_CODE_SESSION_ID="one").code == 0
    for _ in range(2):
        stopped(prepared)
    assert section(path.read_text(), "Session Log").count(heading) == 1
    assert value(path.read_text(), "status") == word


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("word", ["completed", "paused"])
def test_the_same_status_by_sync_counts_after_the_work_went_on(prepared: Project, word: str, *, settled: bool) -> None:
    """Update status when state changes: that the file says it still is no reason to set it back afterwards."""
    path = worked(prepared)
    asked = ("sync", "--json", json.dumps({"status": word}))
    assert prepared.cli(*asked, CLAUDE_CODE_SESSION_ID="one").code == 0
    prepared.fire("UserPromptSubmit", prompt="and the dates")
    prepared.edit("src/dates.py")
    if settled:
        stopped(prepared)
    assert prepared.cli(*asked, CLAUDE_CODE_SESSION_ID="one").code == 0
    for _ in range(2):
        stopped(prepared)
        assert value(path.read_text(), "status") == word
    (row,) = json.loads(prepared.cli("list", "--all", "--json").out)
    assert row["status"] == word


def test_the_log_records_subagents(prepared: Project) -> None:
    """Issue: the Session Log records subagents: which one, and how it ended."""
    path = worked(prepared)
    delegated(prepared)
    released(prepared)
    reported = section(path.read_text(), "Session Log")
    assert "backend-dev" in reported
    assert "One module, three functions." in reported


def lines_beyond_the_skeleton(text: str) -> list[str]:
    """Return the lines of a file that are no frontmatter, heading, rule, comment or blank line."""
    body = text.partition("\n---\n")[2]
    return [line for line in body.splitlines() if line.strip("> ") and not line.startswith(("#", "---", "<!--"))]


def turn(project: Project, prompt: str, answer: str, *files: str, commit: str = "") -> None:
    """Play a turn that changes files, and commits them where a subject is given."""
    project.fire("UserPromptSubmit", prompt=prompt)
    for name in files:
        path = project.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{prompt}\n")
        project.edit(name)
    if commit:
        project.git("add", *files)
        project.git("commit", "-q", "-m", commit)
    stopped(project, answer)


TURNS = (
    ("Add retries to the price fetcher", "Two ways: tenacity, or a loop of our own. Which one do you prefer?", ()),
    ("our own loop please", "`retry()` is in src/retry.py now. 12 tests pass.", ("src/retry.py", "src/fetch.py")),
    ("never retry on 4xx", "4xx raises at once; only 5xx is retried.", ("src/retry.py",)),
    ("use jitter", "Full jitter did not work with the fake clock. I use equal jitter instead.", ("src/retry.py",)),
    ("commit it", 'Committed as "Retry failed requests".', ("src/retry.py",)),
    ("what about Retry-After?", "The supplier sends it in seconds. Shall I honour it?", ()),
    ("yes", "Retry-After is honoured now, with two tests.", ("src/retry.py", "tests/test_retry.py")),
    ("the timeout comes from settings", "It is read from `settings.toml`, 10 s by default.", ("src/settings.py",)),
    ("commit", 'Committed "Honour Retry-After".', ("src/settings.py",)),
    ("anything left?", "Two things are left:\n\n- The counter\n- docs/fetch.md\n\nShall I start with the counter?", ()),
)


@pytest.mark.parametrize(("count", "most"), [(2, 12), (10, 25)])
@pytest.mark.parametrize("way", ["shared", "private"])
def test_the_size_is_for_a_reader(prepared: Project, count: int, most: int, way: str) -> None:
    """Issue: beyond its skeleton a short session has at most 12 lines, ten turns at most 25; no section is empty."""
    if way == "private":
        (prepared.root / ".agents/holdfast.toml").unlink()
        prepared.cli("init", "--private")
    prepared.fire("SessionStart")
    for prompt, answer, files in TURNS[:count]:
        turn(prepared, prompt, answer, *files, commit=prompt if "commit" in prompt else "")
    path = next((prepared.root if way == "shared" else prepared.store / "private").glob(".agents/sessions/*.md"))
    text = path.read_text()
    assert len(lines_beyond_the_skeleton(text)) <= most, text
    assert [title for title in headings(text) if not section(text, title).strip()] == []
    assert not BRACKETS.search(text)


def test_the_log_has_each_turn_and_each_significant_action(prepared: Project) -> None:
    """The document: "After each significant action: add entry": one line each, those of before in one line per day."""
    prepared.fire("SessionStart")
    turn(prepared, *TURNS[1][:2], *TURNS[1][2], commit="Add retries")
    path = prepared.state_files()[0]
    kept = section(path.read_text(), "Session Log")
    assert [action for _, action in LOG_ENTRY.findall(kept)][1:] == [
        "Commit",
        "Claude changed src/retry.py, src/fetch.py",
    ]
    for prompt, answer, files in TURNS[2:5]:
        turn(prepared, prompt, answer, *files)
    kept = section(path.read_text(), "Session Log")
    entries = LOG_ENTRY.findall(kept)
    assert [action for _, action in entries][1:] == [
        "What was said and done until then",
        *["Claude changed src/retry.py"] * 2,
    ]
    assert "Add retries" in kept
    assert "4xx raises at once" in kept
    assert of_kind(audited(prepared, path.relative_to(prepared.root).as_posix()), "broken") == []
    assert [minute for minute, _ in entries] == sorted(minute for minute, _ in entries)


ENDS = {
    "finish": (("finish", "done"), True),
    "close": (("close",), True),
    "update": (("update", "action=completed", "session_id=one", "context=outcome:merged"), True),
    "and paused again": (("finish", "later"), False),
}


@pytest.mark.parametrize(("command", "done"), ENDS.values(), ids=ENDS)
def test_current_state_and_next_steps_are_true_after_each_command(
    prepared: Project, command: tuple[str, ...], *, done: bool
) -> None:
    """Whatever completes the work, and whatever takes that back, at once and not only after the next turn."""
    path = worked(prepared)
    stopped(prepared, "The lexer is done. Next comes the parser.")
    if not done:
        prepared.cli("finish", "done", CLAUDE_CODE_SESSION_ID="one")
    reply = prepared.cli(*command, CLAUDE_CODE_SESSION_ID="one")
    assert reply.code == 0, reply
    text = path.read_text()
    assert ("The work is completed." in section(text, "Current State")) == done
    assert ("None. The work is completed." in section(text, "Next Steps")) == done


@pytest.mark.parametrize("first", ["done", "later", ""])
def test_work_that_is_given_up_is_dropped_everywhere(prepared: Project, first: str) -> None:
    """The answer, the list and the hub say the same, also if the work was completed or paused before."""
    path = worked(prepared)
    stopped(prepared)
    for answer in filter(None, (first, "drop")):
        assert prepared.cli("finish", answer, CLAUDE_CODE_SESSION_ID="one").code == 0
    assert [row["status"] for row in json.loads(prepared.cli("list", "--all", "--json").out)] == ["dropped"]
    assert "dropped" in prepared.cli("hub").out
    if first != "done":
        assert "The work was given up." in section(path.read_text(), "Current State")
    stopped(prepared)
    assert "The work was given up." in section(path.read_text(), "Current State")
    assert "- None. The work was given up." in section(path.read_text(), "Next Steps")


BY_COMMAND = {
    "a decision": (("sync", "--json", '{"Decisions": ["Retry twice"]}'), "Decision", "Retry twice"),
    "a plan": (("plan", "propose", "Split the parser"), "Presented PLAN-001 for approval", "Split the parser"),
    "an approval": (("plan", "approve"), "Approved PLAN-001", "Split the parser"),
    "a task": (("task", "complete"), "Completed PLAN-001", "Split the parser"),
}


def test_the_log_has_what_commands_did(prepared: Project) -> None:
    """Heading with time and action, one line of text; once, and in order."""
    path = worked(prepared)
    for command, _, _ in BY_COMMAND.values():
        for _ in range(2):
            prepared.cli(*command, CLAUDE_CODE_SESSION_ID="one")
    kept = section(path.read_text(), "Session Log")
    logged = [action for _, action in LOG_ENTRY.findall(kept)][1:]
    own = [action for action in logged if action != "Commit"]  # the repository's first one may be of this second
    assert own == [action for _, action, _ in BY_COMMAND.values()]
    for _, action, text in BY_COMMAND.values():
        assert re.search(rf"- {action}\n+{text}\n", f"{kept}\n")
    stopped(prepared)
    assert of_kind(audited(prepared, path.relative_to(prepared.root).as_posix()), "broken") == []


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(("command", "word", "status"), [
    ("pause", "in_progress", "active"), ("close", "in_progress", "active"), ("pause", "completed", "completed"),
])  # fmt: skip
def test_the_status_that_a_person_writes_after_a_command_counts(
    prepared: Project, command: str, word: str, status: str, *, live: bool
) -> None:
    """Update status when state changes: in an editor too, also for work that is over; what git brings is no person."""
    path = worked(prepared)
    if not live:
        prepared.fire("SessionEnd", "one")
        prepared.settled("one")
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "work")
    assert prepared.cli(command, "one").code == 0
    chosen = path.read_text()
    path.write_text(re.sub(r"(?m)^  status: .*", f"  status: {word}", chosen, count=1))
    for options in ((), ("--all",)):
        (row,) = json.loads(prepared.cli("list", *options, "--json").out)
        assert row["status"] == status
    prepared.cli("settle")
    assert f"**Status:** {status}\n" in prepared.cli("hub").out
    path.write_text(chosen)
    prepared.git("commit", "-q", "-a", "-m", "chosen")
    prepared.git("checkout", "-q", "HEAD~1", "--", str(path))
    (row,) = json.loads(prepared.cli("list", "--all", "--json").out)
    assert row["status"] == {"pause": "paused", "close": "completed"}[command]


def test_the_log_has_each_entry_once_also_after_a_sync_of_claude(prepared: Project) -> None:
    """### YYYY-MM-DD HH:MM - [Agent/Action]: that a command names the file once more begins no other log."""
    path = worked(prepared)
    for number in range(5):
        prepared.fire("UserPromptSubmit", prompt=f"Part {number}")
        prepared.edit(f"src/part{number}.py")
        prepared.fire("Stop", last_assistant_message=f"Part {number} is weighed and written down.")
        prepared.settled("one")
        requested = json.dumps({"Blockers": [f"Scale {number}"]})
        assert prepared.cli("sync", "--json", requested, CLAUDE_CODE_SESSION_ID="one").code == 0
    log = section(path.read_text(), "Session Log")
    assert [log.count(f"Part {number} is weighed") for number in range(5)] == [1] * 5


def test_work_that_was_taken_over_is_not_said_to_be_without_a_commit(prepared: Project) -> None:
    """Brief description of what happened: who closes it saw only the end of it."""
    path = worked(prepared)
    prepared.fire("SessionEnd", "one")
    prepared.settled("one")
    prepared.fire("SessionStart", "two")
    assert prepared.cli("resume", "one", CLAUDE_CODE_SESSION_ID="two").code == 0
    assert prepared.cli("close", CLAUDE_CODE_SESSION_ID="two").code == 0
    assert "Session closed\n\nThe work is over.\n" in path.read_text()


@pytest.mark.parametrize("change", ["an entry", "all", "a line above"])
def test_the_log_keeps_what_somebody_changed_in_it(prepared: Project, change: str) -> None:
    """What a person wrote, changed or deleted in the log stays so, whatever is logged after it."""
    prepared.fire("SessionStart")
    turn(prepared, *TURNS[1][:2], *TURNS[1][2])
    path = prepared.state_files()[0]
    log = section(path.read_text(), "Session Log")
    after = {
        "an entry": log.replace("12 tests pass.", "13 tests pass."),
        "all": "\n### 2026-01-01 10:00 - Mine\nAll mine.\n",
        "a line above": f"\nMy own words.\n{log}",
    }[change]
    path.write_text(path.read_text().replace(log, after))
    for prompt, answer, files in TURNS[2:6]:
        turn(prepared, prompt, answer, *files)
    kept = section(path.read_text(), "Session Log")
    assert {"an entry": "13 tests pass.", "all": "All mine.", "a line above": "My own words."}[change] in kept
    assert "12 tests pass" not in kept or change == "a line above"
    assert "Full jitter did not work" in kept


def test_the_log_records_test_runs_and_edits_that_were_taken_back(prepared: Project) -> None:
    """Issue: each significant action (commit, test run): the transcript has the command and its result."""
    prepared.fire("SessionStart")
    rows = []
    for number, (command, result) in enumerate(
        (
            ("uv run pytest -q | tail -3", "== 3 failed, 9 passed in 1.20s =="),
            ("git checkout -- src/retry.py", ""),
            ("ls", "a"),
            ("python3 -m unittest test_dates", "\nRan 0 tests in 0.000s\n\nOK"),
            ("pytest tests/none", "== no tests ran in 0.01s =="),
            ("npx jest none", "No tests found, exiting with code 1"),
            ("go test ./...", "?   example.com/a\t[no test files]\nok  example.com/b\t0.1s [no tests to run]"),
            ("cargo test", "running 4 tests\ntest result: ok. 4 passed\nrunning 0 tests\ntest result: ok. 4 passed"),
        )
    ):
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 1 + number))
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
        given = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result}
        rows += [{"type": "assistant", "timestamp": at, "message": {"content": [use]}}]
        rows += [{"type": "user", "timestamp": at, "message": {"content": [given]}}]
    (prepared.home / "t.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    turn(prepared, *TURNS[1][:2], *TURNS[1][2])
    (path,) = prepared.state_files()
    log = section(path.read_text(), "Session Log")
    assert "uv run pytest -q: 3 failed, 9 passed in 1.20s" in log
    assert "Edits taken back" in log
    assert "git checkout -- src/retry.py" in log
    assert "ls" not in log.split()
    for command in ("python3 -m unittest test_dates", "pytest tests/none", "npx jest none", "go test ./..."):
        assert f"{command}: no test ran" in " ".join(log.split())
    prepared.git("add", "--all")
    prepared.git("commit", "-q", "-m", "Retry with jitter")
    assert prepared.cli("close", "one").code == 0
    closed = section(path.read_text(), "Session Log").rpartition("Session closed")[2]
    assert re.search(r"Commits: .*\w{7} Retry with jitter\. Tests: .*cargo test: test result: ok\. 4 passed\.", closed)


# Lifecycle


def test_pause_resume_and_close_set_the_status(prepared: Project) -> None:
    """`paused` is temporarily stopped, `in_progress` active, `completed` ready for cleanup."""
    path = put(prepared, SESSION_FILE, agents().replace("- [ ]", "- [x]"))
    for command, status in (
        (("pause",), "paused"),
        (("continue", SESSION_FILE), "in_progress"),
        (("close",), "completed"),
    ):
        assert prepared.cli(*command).code == 0
        assert value(path.read_text(), "status") == status
        assert ISO.fullmatch(value(path.read_text(), "last_updated"))


@pytest.mark.parametrize("command", ["pause", "close"])
def test_a_status_that_cannot_be_written_is_not_reported(prepared: Project, command: str) -> None:
    """Issue: "The session is paused" is reported only where the file says so."""
    text = swap(agents(), ("- Try a file", "<<<<<<< HEAD\n- Try a file\n=======\n- Try\n>>>>>>> other\n- Or a file"))
    path = put(prepared, SESSION_FILE, text)
    reply = prepared.cli(command, SESSION_FILE)
    assert reply.code != 0
    assert path.read_text() == text
    assert not re.search(r"paused|completed|continue", reply.out)
    assert not (prepared.root / ".continue-here.md").exists()


def test_a_session_that_went_silent_is_paused_by_a_sweep(prepared: Project) -> None:
    """The document: "Keep status as in_progress when paused: update status": a sweep does, and the log says so."""
    path = put(prepared, SESSION_FILE, re.sub(r'(created|last_updated): ".*"', rf'\1: "{hours_ago(99)}"', agents()))
    assert prepared.cli("sweep", "later", "all").code == 0
    assert value(path.read_text(), "status") == "paused"
    assert LOG_ENTRY.findall(path.read_text())[-1][1] == "Session paused"


def test_a_log_in_local_time_stays_in_order(prepared: Project) -> None:
    """A log whose newest entry is ahead of UTC is kept in its own zone: entries of holdfast come after it."""
    local = time.strftime("%Y-%m-%d %H:%M", time.gmtime(time.time() + 5.5 * SECONDS_PER_HOUR - 300))
    path = put(prepared, SESSION_FILE, swap(agents(), ("### 2026-02-11 08:00 - Started", f"### {local} - Started")))
    assert prepared.cli("pause", SESSION_FILE).code == 0
    (first, second) = LOG_ENTRY.findall(path.read_text())
    assert (first[0], second[1]) == (local, "Session paused")
    assert first[0] < second[0]
    read = time.mktime(time.strptime(second[0], "%Y-%m-%d %H:%M")) - time.timezone
    assert abs(read - time.time() - 5.5 * SECONDS_PER_HOUR) < 300


def test_an_edit_by_claude_is_stamped(prepared: Project) -> None:
    """The document: "After each significant action" the file is updated: Claude's own edit sets `last_updated`."""
    path = put(prepared, SESSION_FILE, agents())
    prepared.fire("SessionStart")
    path.write_text(swap(agents(), ("The upload step works", "The upload and the retry work")))
    prepared.edit(SESSION_FILE)
    stopped(prepared)
    assert value(path.read_text(), "last_updated") > value(agents(), "last_updated")


@pytest.mark.parametrize("way", ["shared", "private"])
@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (("sync", "--json", '{"Decisions": ["S3 instead of a second disk"]}'), "S3 instead of a second disk"),
        (("sync", "--json", '{"Current State": "S3 costs 40 EUR."}'), "S3 costs 40 EUR."),
        (("task", "start", "Upload step"), "Upload step"),
        (("discuss", "Which region?"), "Which region?"),
        (("loop", "add", "Who pays for the bucket"), "Who pays for the bucket"),
        (("start", "Exports to S3"), "Exports to S3"),
    ],
)
def test_a_session_that_only_talks_can_keep_what_it_found(
    here: Project, way: str, command: tuple[str, ...], kept: str
) -> None:
    """Issue: `sync`, `task`, `loop` and `start` work in a session that has not edited anything."""
    here.cli("init", *(["--private"] if way == "private" else []))
    here.accept()
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="Compare S3 and a second disk for the exports")
    stopped(here, "S3 costs more and nobody has to watch it.")
    reply = here.cli(*command, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="one")
    assert (reply.code, reply.err) == (0, "")
    here.fire("SessionEnd")
    here.settled()
    root = here.root if way == "shared" else here.store / "private"
    texts = [path.read_text() for path in root.glob(".agents/**/*.md") if path.name != "SESSION-STATE.md"]
    assert sum(kept in text for text in texts) == 1
    states = [text for text in texts if "orchestration:" in text]
    assert len(states) == (1 if command[0] != "loop" or way == "private" else 0) or command[0] == "start"
    assert all(not BRACKETS.search(text.partition("## Next Steps")[0]) for text in states[-1:]) or command[0] == "start"


def test_sync_writes_decisions_in_the_form_of_the_document(prepared: Project) -> None:
    """The document: `### Decision N: [Title]`, `**Decision**`, `**Rationale**`: numbers go on, nothing is twice."""
    path = put(prepared, SESSION_FILE, agents())
    requested = {"Decisions": ["Keep old links", {"decision": "Retry twice", "rationale": "The network is bad."}]}
    first, _ = synced(prepared, path, requested)
    assert "Retry twice. Rationale: The network is bad." in first.out
    reply, text = synced(prepared, path, requested)
    assert (first.code, reply.code) == (0, 0)
    found = section(text, "Decisions")
    assert "### Decision 2: Keep old links\n\n**Decision**: Keep old links\n" in found
    assert "### Decision 3: Retry twice\n\n**Decision**: Retry twice\n**Rationale**: The network is bad.\n" in found
    assert found.count("### Decision") == 3
    assert findings(audited(prepared, SESSION_FILE)) == []
    new = worked(prepared)
    _, text = synced(prepared, new, requested)
    kept = section(text, "Decisions").lstrip()
    assert kept.startswith("### Decision 1: Keep old links\n\n**Decision**: Keep old links\n")
    assert [one for one in items(prepared) if one["kind"] == "decisions" and "Keep old links" in one["why"]]


# Hand-over


def behind(project: Project, limits: str = "[1, 2, 15]") -> str:
    """Let a session fall behind its file, which says nothing of its tasks; return the file's name."""
    (project.root / ".agents/holdfast.toml").write_text(f"drift_limits = {limits}\n")
    path = put(project, SESSION_FILE, agents())
    now = time.time()
    os.utime(path, (now - 3000, now - 3000))
    facts: list[dict[str, Any]] = [
        {"at": now - 4000, "kind": "start", "root": str(project.root), "host": "elsewhere", "branch": "main"},
        {"at": now - 3000, "kind": "state", "path": SESSION_FILE, "root": str(project.root), "by": "edit"},
        {"at": now - 2000, "kind": "edit", "tool": "Edit", "path": "src/second.py"},
        {"at": now - 1900, "kind": "task", "id": "1", "subject": "Ask the supplier", "status": "completed"},
        {"at": now - 1800, "kind": "task", "id": "2", "subject": "Call the supplier", "status": "pending"},
    ]
    project.remember("one", *facts)
    return SESSION_FILE


def test_a_hand_over_has_state_next_steps_and_files(prepared: Project) -> None:
    """The document: "Before Handing Off": the hand-over has where it stopped, the next steps and the files."""
    path = worked(prepared)
    synced(prepared, path, {"Current State": "The lexer is done.", "Next Steps": ["Parse the totals"]})
    reply = prepared.cli("handoff")
    assert reply.code == 0
    for words in ("The lexer is done.", "Parse the totals", "src/parse.py", path.name):
        assert words in reply.out


@pytest.mark.parametrize("title", ["Current State", "Next Steps"])
def test_a_hand_over_is_refused_where_a_part_is_open(prepared: Project, title: str) -> None:
    """The document: "Before Handing Off": a part that is not filled in is named with its line."""
    text = agents()
    text = swap(text, (section(text, title), "[to be filled]\n\n"))
    put(prepared, SESSION_FILE, text)
    reply = prepared.cli("handoff")
    assert reply.code == 1
    assert re.search(rf"line {line_of(text, f'## {title}')}\b|line {line_of(text, '[to be')}\b", reply.err)
    assert title in reply.err


def test_handoff_refuses_while_drift_is_marked(prepared: Project) -> None:
    """Issue: `handoff` refuses while drift is marked and says what to update."""
    behind(prepared)
    assert prepared.cli("drift", "one").out.startswith("marked")
    reply = prepared.cli("handoff", "one")
    assert reply.code == 1
    assert "Call the supplier" in reply.err
    assert "Ask the supplier" in reply.err


def test_handoff_does_not_refuse_slight_drift(prepared: Project) -> None:
    """Only marked drift, or worse, prevents a hand-over."""
    behind(prepared, "[1, 100, 200]")
    assert prepared.cli("drift", "one").out.startswith("slight")
    assert prepared.cli("handoff", "one").code == 0


def test_the_next_agent_reads_the_current_state(prepared: Project) -> None:
    """The document: "Reads current state from session": whoever resumes the session learns where it is."""
    path = worked(prepared)
    synced(prepared, path, {"Current State": "The lexer is done.", "Next Steps": ["Parse the totals"]})
    reported = prepared.fire("SessionStart", source="resume").context
    assert "The lexer is done." in reported
    assert "Parse the totals" in reported


def test_a_subagent_receives_the_part_of_the_state_that_its_task_needs(prepared: Project) -> None:
    """Issue: a subagent receives current task, decisions and files, and learns what it may write."""
    path = put(prepared, SESSION_FILE, agents())
    prepared.fire("SessionStart")
    prepared.edit(SESSION_FILE)
    prepared.edit("src/second.py")
    stopped(prepared)
    reported = delegated(prepared)
    assert "Write the upload step" in reported
    assert "One bucket for each customer" in reported
    assert "src/second.py" in reported
    assert re.search(r"\bmay (?:write|edit)\b", reported)
    assert path.name in reported


def test_a_subagent_is_informed_that_the_file_is_its_parents(prepared: Project) -> None:
    """Only the parent writes to its state file."""
    path = worked(prepared)
    reported = delegated(prepared)
    assert path.name in reported
    assert "parent's" in reported


# Completing


def listed(project: Project, *words: str) -> list[str]:
    """Return the items of all checklists as they are reported to a program; a screen has the first six lines."""
    return [item["what"] for item in items(project, *words)]


def items(project: Project, *words: str) -> list[dict[str, Any]]:
    """Return the items of all checklists as JSON has them."""
    found: list[dict[str, Any]] = json.loads(project.cli(*(words or ("close", "--check")), "--json").out)["findings"]
    return found


@pytest.mark.parametrize(("kind", "where"), KNOWLEDGE)
def test_the_knowledge_extraction_checklist(prepared: Project, kind: str, where: str) -> None:
    """Each kind of information is listed with where it belongs."""
    put(prepared, SESSION_FILE, agents())
    (line,) = [what for what in listed(prepared) if what.startswith(f"{kind} →")]
    assert where.casefold() in line.casefold()


@pytest.mark.parametrize("item", DELETION)
def test_the_deletion_checklist(prepared: Project, item: str) -> None:
    """Each item of the deletion checklist is listed with a box."""
    put(prepared, SESSION_FILE, agents())
    assert [what for what in listed(prepared) if what.startswith(item)]


def test_decisions_are_listed_for_adrs(prepared: Project) -> None:
    """The document: "Store decisions only in sessions: create ADRs": the checklist names the file's decisions."""
    put(prepared, SESSION_FILE, agents())
    line = box(prepared.cli("close", "--check", "--all").out, "Decisions captured as ADRs")
    assert line.startswith("- [ ]")
    (item,) = [one for one in items(prepared) if one["kind"] == "decisions"]
    assert "One bucket for each customer" in item["evidence"][0]


def test_sessions_are_deleted_not_archived(prepared: Project) -> None:
    """The document: "Sessions are deleted, not archived": the file is gone, and no copy of it is in the tree."""
    path = put(prepared, SESSION_FILE, agents().replace("- [ ]", "- [x]"))
    prepared.cli("close")
    committed(prepared)
    reply = prepared.cli("close", "--delete", "--force", SESSION_FILE)
    assert reply.code == 0
    assert not path.exists()
    assert [one for one in prepared.root.rglob("*.md") if "upload step" in one.read_text()] == []


@pytest.mark.parametrize("unmet", ["a task", "a child", "a reference"])
def test_close_delete_lists_unmet_items_and_requires_force(prepared: Project, unmet: str) -> None:
    """Issue: `close --delete` lists unmet items and requires `--force`."""
    text = agents().replace("- [ ]", "- [x]")
    words = {"a task": "Old links still work", "a child": "backend-dev", "a reference": "NOTES.txt"}[unmet]
    if unmet == "a task":
        text = swap(text, (f"- [x] {words}", f"- [ ] {words}"))
    elif unmet == "a child":
        text = swap(text, ("      status: completed", "      status: in_progress"))
    else:
        put(prepared, "NOTES.txt", f"As {SESSION_FILE} says.\n")
    path = put(prepared, SESSION_FILE, text)
    committed(prepared)
    prepared.cli("close", SESSION_FILE)
    committed(prepared)
    reply = prepared.cli("close", "--delete", SESSION_FILE)
    assert reply.code == 1
    assert path.exists()
    assert words in reply.out + reply.err
    assert "--force" in reply.err
    forced = prepared.cli("close", "--delete", "--force", SESSION_FILE)
    assert forced.code == 0
    assert words in forced.out + forced.err
    assert not path.exists()


@pytest.mark.parametrize(
    "where",
    [
        "docs/notes.md",
        ".github/PULL_REQUEST_TEMPLATE.md",
        "untracked.md",
        ".agents/sessions/20260212-080000-other.md",
    ],
)
def test_references_anywhere_in_the_repository_count(prepared: Project, where: str) -> None:
    """Issue: references to the file anywhere in the repository count, also from a folder below its root."""
    put(prepared, SESSION_FILE, agents().replace("- [ ]", "- [x]"))
    mention = f"As {os.path.basename(SESSION_FILE)} says.\n"
    other = swap(agents(), ("The disk of the old host fills up every month.\n", mention))
    put(prepared, where, other if "sessions" in where else mention)
    if where != "untracked.md":
        committed(prepared)
    (prepared.root / "src").mkdir()
    reply = prepared.cli("close", "--check", SESSION_FILE, cwd=prepared.root / "src")
    line = box(reply.out, "No orphaned references")
    assert line.startswith("- [ ]")
    assert where in line


def test_nothing_of_holdfast_names_a_deleted_file(prepared: Project) -> None:
    """Issue: the hub and its companions stop naming a deleted file."""
    path = worked(prepared)
    synced(prepared, path, {"Current State": "Done.", "Next Steps": ["Nothing"], "Context": "Totals were wrong."})
    stopped(prepared)
    assert path.name in prepared.cli("hub").out
    prepared.cli("pause")
    prepared.cli("close", "one")
    committed(prepared)
    assert prepared.cli("close", "--delete", "--force", "one").code == 0
    prepared.cli("settle")
    prepared.rested()
    naming = [one for one in prepared.root.rglob("*.md") if path.name in one.read_text()]
    assert [one for one in naming if one.parent.name != ".used"] == []  # what was paused, which can be had back
    assert path.name not in prepared.cli("hub").out


def test_the_archive_of_the_hub_names_no_deleted_file_and_has_each_session_once(prepared: Project) -> None:
    """Issue: the hub and its companions stop naming a deleted file; an entry that left the hub stays in the archive."""
    (prepared.root / ".agents/holdfast.toml").write_text('hub = "tracked"\nhistory_entries = 1\n')
    for session in ("one", "two", "three"):
        path = worked(prepared, f"Parse the invoices of {session}", session=session)
        synced(prepared, path, {"Current State": "Done.", "Next Steps": ["Nothing"]})
        prepared.fire("SessionEnd", session)
        prepared.cli("close", session)
    committed(prepared)
    archive = prepared.root / ".agents/SESSION-HISTORY.md"
    assert ".agents/sessions/" in archive.read_text()
    for session in ("one", "two", "three"):
        assert prepared.cli("close", "--delete", "--force", session).code == 0
    prepared.settled()
    both = archive.read_text() + (prepared.root / ".agents/SESSION-STATE.md").read_text()
    assert ".agents/sessions/" not in both
    assert [both.count(f"**Session ID:** `{session}`") for session in ("one", "two", "three")] == [1, 1, 1]
    assert ".agents/SESSION-HISTORY.md" in prepared.staged()


# Starting


def test_the_start_lists_active_sessions(prepared: Project) -> None:
    """The document: "Check for existing active sessions": both the user and Claude get their titles."""
    put(prepared, SESSION_FILE, agents())
    reply = prepared.fire("SessionStart")
    assert '"Move the' in reply.message
    assert "Move the exporter to object storage" in reply.context
    assert "The upload step works against the test bucket." in reply.context


def test_the_user_is_asked_which_to_resume_or_to_start_fresh(prepared: Project) -> None:
    """The document: "If found, ask user which to resume or start fresh"."""
    worked(prepared)
    prepared.fire("SessionEnd")
    prepared.settled()
    reply = prepared.fire("SessionStart", "two")
    assert re.search(r"resume .*or start fresh\?", reply.message)
    assert '"Parse the invoices' in reply.message


def test_the_user_is_asked_about_files_without_a_conversation(prepared: Project) -> None:
    """Issue: the question is asked of sessions without a conversation on this machine, too."""
    put(prepared, SESSION_FILE, agents())
    message = prepared.fire("SessionStart").message
    assert "start fresh?" in message
    assert '"Move the' in message


def test_an_unanswered_question_is_repeated(prepared: Project) -> None:
    """Issue: an unanswered question is repeated at the next start."""
    worked(prepared)
    prepared.fire("SessionEnd")
    prepared.settled()
    for session in ("two", "three"):
        message = prepared.fire("SessionStart", session).message
        assert "start fresh?" in message
        prepared.fire("SessionEnd", session)
        prepared.settled(session)


def test_resuming_reads_the_session(prepared: Project) -> None:
    """The document: "If resuming, read session for context": `resume` prints where it is and what is next."""
    put(prepared, SESSION_FILE, agents())
    reply = prepared.cli("resume", SESSION_FILE)
    assert reply.code == 0
    for words in ("Write the upload step", "The upload step works against the test bucket.", "Try a file of 5 GB"):
        assert words in reply.out


def test_starting_fresh_makes_a_new_file(prepared: Project) -> None:
    """The document: "If starting fresh, create new session file": the other one stays as it is."""
    path = put(prepared, SESSION_FILE, agents())
    fresh = worked(prepared)
    assert fresh != path
    assert path.read_text() == agents()


# Hooks


def test_the_end_leaves_the_checklist_for_the_next_start(prepared: Project) -> None:
    """SessionEnd "displays completion checklist" and "reminds about session file updates", at the next start."""
    worked(prepared)
    (prepared.root / "src").mkdir(exist_ok=True)
    (prepared.root / "src/second.py").touch()
    prepared.edit("src/second.py")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert "/holdfast:checklist one" in prepared.fire("SessionStart", "two").message
    reported = listed(prepared, "checklist", "one")
    for item in (*DELETION, "State file says what was done", "State file filled in"):
        assert [what for what in reported if what.startswith(item)]


def test_sessions_still_active_counts_work(prepared: Project) -> None:
    """Issue: "Sessions still active" counts work, not processes: two files in progress, whoever runs."""
    for number, status in enumerate(("in_progress", "in_progress", "paused", "completed"), 1):
        text = swap(agents(), ("status: in_progress", f"status: {status}"), ("Move the exporter", f"Part {number}"))
        put(prepared, f".agents/sessions/2026021{number}-080000-part.md", text)
    prepared.fire("SessionStart", "idle")
    prepared.fire("UserPromptSubmit", "idle", prompt="What is a bucket?")
    worked(prepared)
    prepared.cli("close", "one")
    prepared.fire("SessionEnd")
    prepared.settled("one")
    assert prepared.cli("checklist", "one").out.endswith("Sessions still active: 2\n")
    assert prepared.cli("checklist", "one", HOLDFAST_SCREEN="80x24").out.endswith("Sessions still active: 2\n")


def test_before_a_compaction_the_own_file_is_named_and_kept(prepared: Project) -> None:
    """PreCompact "identifies recently modified sessions" and leaves a snapshot of the state."""
    path = worked(prepared)
    reported = prepared.fire("PreCompact").out
    assert path.name in reported
    assert "one" in prepared.cli("snapshots").out


def test_before_a_compaction_drift_is_reported(prepared: Project) -> None:
    """PreCompact "warns about sessions with recent activity": what the file does not say goes into the summary."""
    name = behind(prepared)
    prepared.git("commit", "-q", "--allow-empty", "-m", "Ask the supplier for a quota")
    reported = prepared.fire("PreCompact").out
    assert "Ask the supplier for a quota" in reported
    assert "Call the supplier" in reported + (prepared.root / name).read_text()


def test_stale_sessions_are_called_stale(prepared: Project) -> None:
    """The document: "Reference stale sessions: keep current or delete": one that was silent for days is named so."""
    put(prepared, SESSION_FILE, re.sub(r'(created|last_updated): ".*"', rf'\1: "{hours_ago(99)}"', agents()))
    reply = prepared.fire("SessionStart")
    assert "stale" in reply.message + reply.context
    assert prepared.cli("list").out.count("stale") == 1
    row = audited(prepared, SESSION_FILE)
    assert len(of_kind(row, "stale")) == 1


def test_a_finished_session_can_be_reported_at_a_stop(prepared: Project) -> None:
    """The document: "Ready for cleanup": a file that comes to say completed brings the checklist at that Stop."""
    path = worked(prepared)
    path.write_text(swap(path.read_text(), ("status: in_progress", "status: completed")))
    prepared.edit(path.relative_to(prepared.root).as_posix())
    message = prepared.fire("Stop").message
    assert "is completed.\n- [" in message
    assert box(message, "Tasks finished")


@pytest.mark.parametrize("left", ["nothing", "a session", "a session of last week"])
def test_brief_prints_what_a_session_that_starts_now_receives(prepared: Project, left: str) -> None:
    """Issue: `holdfast brief` prints, byte for byte, what a session that starts now in this folder receives."""
    if left != "nothing":
        worked(prepared, "Parse the invoices of last year")
        stopped(prepared, "The lexer is done. Shall I sum the totals?")
        prepared.fire("SessionEnd")
        prepared.settled()
    if left == "a session of last week":
        journal = prepared.store / "journal/one.jsonl"
        aged = [json.loads(line) for line in journal.read_text().splitlines()]
        journal.write_text("".join(f"{json.dumps({**fact, 'at': fact['at'] - 7 * 86400})}\n" for fact in aged))
    printed = prepared.cli("brief").out.rstrip("\n")
    assert printed == prepared.fire("SessionStart", "two").context.rstrip("\n")
    assert ("Shall I sum the totals?" in printed) == (left != "nothing")


# What the brief says


def test_preferences_count_in_later_sessions_once_they_are_kept(prepared: Project) -> None:
    """Issue: quoted with their date, at most five; across sessions only the confirmed ones; forget removes them."""
    prepared.fire("SessionStart")
    for prompt in (
        "Parse the invoices of last year",
        "never retry on 4xx",
        "use tabs instead of blanks",
        *(f"always run check {number} first" for number in range(4)),
    ):
        turn(prepared, prompt, "Done.", "src/parse.py")
    prepared.fire("SessionEnd")
    prepared.settled()
    listed = json.loads(prepared.cli("preferences", "--json").out)["preferences"]
    assert {row["text"] for row in listed} >= {"never retry on 4xx", "use tabs instead of blanks"}
    assert not any(row["kept"] for row in listed)
    for text in ("never retry on 4xx", "use tabs instead of blanks"):
        rows = json.loads(prepared.cli("preferences", "--json").out)["preferences"]
        number = next(row["number"] for row in rows if row["text"] == text)
        assert prepared.cli("preferences", "--keep", str(number)).out == f"Kept: {text}\n"
    prepared.cli("close", "one", "--force")
    context = prepared.fire("SessionStart", "two").context
    kept = context.partition("## What the user prefers here\n")[2].partition("\n\n")[0]
    assert re.fullmatch(r'(- \d\d \w+ \d\d:\d\d: "(never retry on 4xx|use tabs instead of blanks)"\n?){2}', kept)
    assert context.count("never retry on 4xx") == 1
    assert prepared.cli("preferences", "--drop", "1").out.startswith("Dropped: ")
    assert prepared.cli("preferences", "--keep", "99").code == 1
    assert prepared.cli("forget", "--yes", "tabs").code == 0
    assert "tabs" not in prepared.cli("preferences").out
    assert "tabs" not in (prepared.store / "preferences.jsonl").read_text()


def test_nothing_is_twice_in_a_brief(prepared: Project) -> None:
    """Issue: "nothing twice": where the work was left, its files and what was given up are there once."""
    prepared.fire("SessionStart")
    for prompt, answer, files in TURNS:
        turn(prepared, prompt, answer, *files)
    prepared.fire("SessionEnd")
    prepared.settled()
    context = prepared.fire("SessionStart", "two").context
    assert "## Unfinished work nearby" not in context
    for words in (
        *("Full jitter did not work", "Shall I start with the counter?", "- docs/fetch.md", "src/settings.py"),
        "(one, not running",
    ):
        assert context.count(words) == 1, words


# What an outside reader of the document tried


def test_a_decision_has_its_title_text_and_rationale(prepared: Project) -> None:
    """The document: `### Decision 1: [Title]`, `**Decision**: What was decided`, `**Rationale**: Why`."""
    path = put(prepared, SESSION_FILE, agents())
    requested = {"Decisions": [{"title": "Retry", "decision": "Retry twice: then stop", "rationale": "The network."}]}
    _, text = synced(prepared, path, requested)
    entry = "### Decision 2: Retry\n\n**Decision**: Retry twice: then stop\n**Rationale**: The network.\n"
    assert entry in section(text, "Decisions")
    assert synced(prepared, path, requested)[1] == text


@pytest.mark.parametrize(
    "given",
    [
        "### Decision 9: Retry\n**Decision**: Retry twice\n**Rationale**: The network.",
        "Decision 9: Retry\nRetry twice\nRationale: The network.",
        "decision 2: Retry:\nRetry twice\nRationale: The network.",
    ],
)
def test_a_decision_in_the_markdown_of_the_document_is_taken_as_it_is(prepared: Project, given: str) -> None:
    """`### Decision 1: [Title]`, `**Decision**: What was decided`, `**Rationale**: Why`, as one text."""
    path = put(prepared, SESSION_FILE, agents())
    _, text = synced(prepared, path, {"Decisions": [given]})
    entry = "### Decision 2: Retry\n\n**Decision**: Retry twice\n**Rationale**: The network.\n"
    assert entry in section(text, "Decisions")
    assert synced(prepared, path, {"Decisions": [given]})[1] == text


def test_a_decision_that_is_there_gets_the_reason_that_is_given(prepared: Project) -> None:
    """**Rationale**: Why: it is no text that the section has already."""
    path = put(prepared, SESSION_FILE, agents())
    synced(prepared, path, {"Decisions": [{"title": "Retry", "decision": "Retry twice"}]})
    requested = {"Decisions": [{"decision": "Retry twice", "rationale": "The network."}]}
    reply, text = synced(prepared, path, requested)
    assert reply.code == 0
    assert re.search(r"Retry twice\n+\*\*Rationale\*\*: The network\.\n", section(text, "Decisions"))
    assert synced(prepared, path, requested)[1] == text
    same = {"Decisions": [{"title": "Wait", "decision": "Wait a minute", "rationale": "The network."}]}
    assert section(synced(prepared, path, same)[1], "Decisions").count("The network.") == 2


@pytest.mark.parametrize(
    ("given", "written"),
    [("done", "completed"), ("finished", "completed"), ("active", "in_progress"), ("Paused", "paused")],
)
def test_a_general_word_is_written_as_the_status_of_the_document(prepared: Project, given: str, written: str) -> None:
    """The document: "status ... REQUIRED: in_progress|paused|completed"."""
    reply, text = synced(prepared, put(prepared, SESSION_FILE, agents()), {"status": given})
    assert reply.code == 0, reply.err
    assert f"\n  status: {written}\n" in text


@pytest.mark.parametrize("given", ["banana", "blocked", "paused until Monday"])
def test_what_is_no_status_of_the_document_is_refused(prepared: Project, given: str) -> None:
    """No other word is written, and what a remark says is not dropped in silence."""
    reply, text = synced(prepared, put(prepared, SESSION_FILE, agents()), {"status": given})
    assert (reply.code, text) == (1, agents())
    assert "write one of in_progress, paused, completed" in reply.err


@pytest.mark.parametrize("word", ["wip", "done", "blocked"])
def test_the_audit_names_a_status_that_is_none_of_the_document(prepared: Project, word: str) -> None:
    """The same three words, of a file that somebody wrote by hand."""
    row = audited(prepared, SESSION_FILE, swap(agents(), ("  status: in_progress", f"  status: {word}")))
    assert [(found["kind"], found["what"]) for found in row["findings"] if found["kind"] == "invalid"] == [
        ("invalid", "session.status")
    ]


@pytest.mark.parametrize("title", ["Current State", "Context"])
@pytest.mark.parametrize("old", ["Half: done.", "**Tests:** green", "One line.\nHalf: done.\n\nTwo: open."])
def test_a_new_text_leaves_nothing_of_the_old_one(prepared: Project, title: str, old: str) -> None:
    """The document: "Where we are right now": a line with a colon is text too."""
    there = section(agents(), title)
    path = put(prepared, SESSION_FILE, swap(agents(), (there, f"{old}\n\n")))
    reply, text = synced(prepared, path, {title: "Now the gutters: left"})
    assert section(text, title).strip() == "Now the gutters: left"
    assert " ".join(old.split()) in reply.out


@pytest.mark.parametrize("none", ["None", "none.", "(none)", "N/A", "No blockers"])
def test_an_item_takes_the_place_of_none(prepared: Project, none: str) -> None:
    """The document: "Current blocker (if any)"."""
    path = put(prepared, SESSION_FILE, swap(agents(), ("The production bucket has no quota yet", none)))
    _, text = synced(prepared, path, {"Blockers": ["Rain again"]})
    assert re.findall("^- .*", section(text, "Blockers"), re.MULTILINE) == ["- Rain again"]


def test_an_item_leaves_a_none_that_says_more(prepared: Project) -> None:
    """A remark of a person stays."""
    path = put(prepared, SESSION_FILE, swap(agents(), ("The production bucket has no quota yet", "None (Mara asked)")))
    _, text = synced(prepared, path, {"Blockers": ["Rain again"]})
    assert "- None (Mara asked)\n- Rain again\n" in text


def test_sync_means_the_only_file_also_while_it_is_paused(prepared: Project) -> None:
    """The document: "Update status when state changes"; nothing else can be meant."""
    put(prepared, SESSION_FILE, swap(agents(), ("  status: in_progress", "  status: paused")))
    reply = prepared.cli("sync", "--json", json.dumps({"status": "in_progress"}))
    assert (reply.code, SESSION_FILE in reply.out) == (0, True)


def test_an_error_of_the_client_replaces_no_state(prepared: Project) -> None:
    """Current State is where the work is right now; an error that ends a turn is a blocker, and the state stays."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Sort the shelves")
    prepared.edit("a.py")
    prepared.fire("Stop", last_assistant_message="Sorting works for shelves A to F; G has no label.")
    prepared.fire("UserPromptSubmit", prompt="Then print them")
    prepared.edit("b.py")
    prepared.fire("StopFailure", error="overloaded")
    prepared.settled("one")
    (path,) = prepared.state_files()
    state = path.read_text()
    current = state.partition("## Current State")[2].partition("\n## ")[0]
    assert "Sorting works for shelves A to F" in current
    assert "overloaded" not in current
    assert "an API error (overloaded)" in state.partition("## Blockers")[2].partition("\n## ")[0]
    assert "Sorting works for shelves A to F" in prepared.cli("brief").out


def test_a_step_of_a_person_stays_beside_those_that_were_named(prepared: Project) -> None:
    """Next Steps: what a person adds takes no other step away, and what is named later comes below the same heading."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    prepared.edit("src/a.py")
    prepared.fire("Stop", last_assistant_message="The parser reads rows. Next: write the totals.")
    prepared.settled()
    (path,) = prepared.state_files()
    path.write_text(path.read_text().replace("- write the totals.\n", "- write the totals.\n- ask Ann about VAT\n"))
    steps = {}
    for said in ("I renamed a variable.", "The names are short. Next: sum the taxes."):
        prepared.fire("UserPromptSubmit", prompt="Rename it")
        prepared.edit("src/a.py")
        prepared.fire("Stop", last_assistant_message=said)
        prepared.settled()
        steps[said] = [line for line in section(path.read_text(), "Next Steps").splitlines() if line.startswith("- ")]
    first, second = steps.values()
    assert sorted(first) == ["- ask Ann about VAT", "- write the totals."]
    assert {"- ask Ann about VAT", "- sum the taxes."} <= {*second}
    assert len(second) == len({*second})

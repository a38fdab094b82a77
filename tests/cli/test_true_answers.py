"""What a command says is true: of an empty project, of what was done before, of counts, and of who is meant."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.cli import main
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
PREPARED = "No session is known here yet. Begin one: holdfast start TITLE\n"
UNPREPARED = "No session is known here yet. Prepare this project: holdfast init\n"


@pytest.mark.parametrize("words", [("list",), ("tree",), ("tree", "--all"), ("resume",)], ids=" ".join)
def test_an_empty_list_names_what_to_type(prepared: Project, words: tuple[str, ...]) -> None:
    """It names no command that prints as little."""
    assert prepared.cli(*words) == (0, "", PREPARED)


@pytest.mark.parametrize("words", [("list",), ("tree", "--all"), ("resume",)], ids=" ".join)
def test_an_unprepared_project_is_prepared_first(here: Project, words: tuple[str, ...]) -> None:
    """Every list names `init`."""
    assert here.cli(*words) == (0, "", UNPREPARED)


@pytest.mark.parametrize("command", ["checklist", "budget"])
def test_a_command_for_a_session_names_what_to_type(prepared: Project, command: str) -> None:
    """Without a session it refuses, and names no list, which would be empty."""
    reply = prepared.cli(command)
    assert (reply.code, reply.out, reply.err) == (1, "", f"holdfast: n{PREPARED[1:]}")


def test_what_is_completed_or_live_is_counted(prepared: Project) -> None:
    """A list without the completed sessions says where they are, and `resume` that others are live."""
    prepared.cli("start", "Importer")
    prepared.cli("close", "importer")
    assert prepared.cli("tree").err == "No work is open here. Completed work: holdfast tree --all\n"
    assert prepared.cli("resume").err == "No session can be resumed here. All sessions: holdfast list --all\n"
    prepared.fire("SessionStart", "one")
    live = "No session can be resumed here: 1 session is live. All sessions: holdfast list --all\n"
    assert prepared.cli("resume").err == live


def test_a_file_that_was_begun_is_found_by_the_id_that_is_printed(prepared: Project) -> None:
    """A terminal also gets the command that shows it; a pipe gets the path alone."""
    path, command = prepared.cli("start", "Importer", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert (prepared.root / path).is_file()
    assert command.startswith("To see it: holdfast status ")
    assert prepared.cli("status", command.split()[-1]).out.startswith("Importer\n")
    assert prepared.cli("start", "Exporter").out.endswith("-exporter.md\n")


def test_what_was_done_earlier_is_counted(prepared: Project) -> None:
    """A list counts what it leaves out, and takes a session that did nothing for no work."""
    prepared.remember("idle", {"kind": "start"}, {"kind": "end", "reason": "other"}, at=time.time() - 60)
    assert prepared.cli("list").err == "No session has worked here yet. All sessions: holdfast list --all\n"
    for number in range(2):
        facts: list[dict[str, object]] = [{"kind": "edit", "path": "a.py"}, {"kind": "status", "status": "completed"}]
        prepared.remember(f"done-{number}", {"kind": "prompt", "text": "Parse"}, *facts, at=time.time() - 3 * 86400)
    assert prepared.cli("list").err == "No session is active here; 2 done earlier: holdfast list --all\n"
    prepared.cli("start", "Importer")
    shown = prepared.cli("list", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert shown[-1] == "2 done earlier: holdfast list --all"
    assert "done earlier" not in prepared.cli("list").out + prepared.cli("list", "--all", HOLDFAST_SCREEN="80x24").out


def test_figures_are_of_recorded_sessions(prepared: Project) -> None:
    """Work that was begun by hand has none, though `list` shows it; one session is singular."""
    prepared.cli("start", "Importer")
    assert prepared.cli("stats").err == "No session of a coding client is recorded here yet, so there are no figures.\n"
    prepared.fire("SessionStart", "one")
    assert prepared.cli("stats", HOLDFAST_SCREEN="80x24").out.startswith("1 session, ")


def test_an_answer_of_earlier_is_not_repeated_as_new(prepared: Project) -> None:
    """What was completed is not dropped afterwards, and a task that is current does not start."""
    prepared.cli("start", "Importer")
    assert prepared.cli("finish", "importer", "drop").out.startswith('"Importer" is completed.')
    for answer in ("done", "drop"):
        assert prepared.cli("finish", "importer", answer).out.startswith('"Importer" is completed already.')
    prepared.cli("start", "--format", "gsd-lite", "Reader")
    assert prepared.cli("task", "start", "Parse").out.startswith("Started TASK-001: Parse.")
    for again in ("1", "TASK-001", "Parse"):
        assert prepared.cli("task", "start", again).out.startswith(
            "This is the current task already: TASK-001 - Parse."
        )
    assert prepared.state_files()[-1].read_text().count("- Started TASK-001") == 1
    prepared.cli("task", "complete")
    assert prepared.cli("task", "list").err == "No task is open. Start one: holdfast task start TITLE\n"


def test_an_entry_of_the_hub_is_called_by_its_own_title(prepared: Project) -> None:
    """The hub, which has several entries, has another title; `brief` says that it receives nothing."""
    prepared.cli("update", "action=started", "agent=tests", "session_id=7f3e", "purpose=Test the exporter")
    assert prepared.cli("checklist", "7f3e").out.startswith('Checklist of "Tests - Test the exporter" (7f3e)\n')
    brief = prepared.cli("brief", "7f3e")
    refused = "holdfast: 7f3e is only an entry of the hub, so no session receives a brief. Type: holdfast status 7f3e\n"
    assert (brief.code, brief.out, brief.err) == (1, "", refused)
    assert prepared.cli("finish", "7f3e", "done").out.startswith('"Tests - Test the exporter" is completed.')
    assert prepared.cli("archive", "--keep", "0").out.startswith("Moved 1 entry to ")


def test_a_brief_is_found_by_a_title(prepared: Project) -> None:
    """As the help says of every ID."""
    for ident, title in (("one", "Parse the invoices"), ("two", "Round the prices")):
        prepared.remember(ident, {"kind": "prompt", "text": title}, {"kind": "edit", "path": "a.py"}, at=time.time())
    assert prepared.cli("brief", "round", "prices") == prepared.cli("brief", "two")
    assert prepared.cli("brief", "nobody").err.startswith("holdfast: no session here has 'nobody' in its id or title.")


def test_what_is_not_shared_is_not_forgotten(here: Project) -> None:
    """It is refused before a question is asked."""
    for words in ((), ("--yes",)):
        refused = here.cli("share", "forget", *words)
        expected = "holdfast: nothing was sent from here. To share sessions type: holdfast share on\n"
        assert (refused.code, refused.err) == (1, expected)


def test_the_lines_of_a_checklist_belong_to_their_sections(prepared: Project) -> None:
    """Each part that is not filled in has its line in brackets, since commas are between the parts."""
    prepared.cli("start", "Importer")
    reply = prepared.cli("checklist", "importer", "--json")
    assert "(line " in reply.out
    assert ", line " not in reply.out


def test_an_outcome_that_is_missing_is_asked_for(prepared: Project) -> None:
    """One that was not given did not say anything either."""
    prepared.cli("loop", "add", "Are the dates in UTC?")
    refused = "holdfast: The outcome is missing. Type: holdfast loop close 1 --outcome TEXT\n"
    assert prepared.cli("loop", "close", "1").err == refused


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("{here}/a.md is read-only. Type: chmod u+w '{here}/a.md'", "a.md is read-only. Type: chmod u+w 'a.md'"),
        ("/mnt{here}/a.md, {here}.old/a.md, {here}", None),
        ("{here}/-a.md is a link", None),  # an option where it is typed
        ("{here}/", None),
    ],
)
def test_paths_in_errors_are_short(here: Project, message: str, shown: str | None) -> None:
    """A path in the current folder is given from there; a part of a longer path is none."""
    whole = message.format(here=here.root)
    with contextlib.chdir(here.root):
        assert main._relative(whole) == (shown or whole)  # noqa: SLF001 - each error passes through it


def test_a_settle_of_the_hub_says_whether_there_is_one(prepared: Project) -> None:
    """The update of a session makes it."""
    assert prepared.cli("settle", "--hub").out == "There is no hub here.\n"
    assert prepared.cli("update", "action=started", "agent=tests", "session_id=one", "purpose=Run them").code == 0
    assert prepared.cli("settle", "--hub").out == "The hub is up to date.\n"


@pytest.mark.parametrize("road", [("resume", "one"), ("continue",)], ids=" ".join)
def test_work_that_another_session_took_up_is_one_piece_of_work(prepared: Project, road: tuple[str, ...]) -> None:
    """The lists have the session that has its state file now, live or not; so do its words, and a start counts one."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    prepared.edit("a.py")
    prepared.fire("Stop", last_assistant_message="Half.\n\nNext steps:\n- Round the prices")
    prepared.fire("SessionEnd")
    prepared.cli("pause", "one")
    prepared.fire("SessionStart", "two")
    assert prepared.cli(*road, CLAUDE_CODE_SESSION_ID="two").code == 0
    prepared.edit("a.py", "two")
    live = json.loads(prepared.cli("list", "--json").out)
    prepared.fire("SessionEnd", "two")
    lists = [live, *(json.loads(prepared.cli(words, "--json").out) for words in ("list", "resume"))]
    assert [[row["id"] for row in rows] for rows in lists] == [["two"]] * 3
    assert "State file: .agents/sessions/" in prepared.cli("resume", "invoices").out
    prepared.cli("pause", "two")
    assert prepared.fire("SessionStart", "three").message.endswith(": /holdfast:continue or start fresh?")


def test_words_mean_open_work_first_and_never_the_hub(prepared: Project) -> None:
    """A title of work that is over, or of an entry of the hub, does not make a request unclear."""
    for ident in ("one", "two"):
        prepared.fire("SessionStart", ident)
        prepared.fire("UserPromptSubmit", ident, prompt="Parse the invoices")
        prepared.edit(f"{ident}.py", ident)
        prepared.fire("SessionEnd", ident)
    prepared.settled()
    assert "may mean 2 sessions" in prepared.cli("status", "invoices").err
    prepared.cli("finish", "two", "drop")
    assert prepared.cli("status", "invoices").out == prepared.cli("status", "one").out
    prepared.cli("finish", "one", "done")
    assert "may mean 2 sessions" in prepared.cli("status", "invoices").err


def test_no_word_of_the_private_folder_means_a_session(prepared: Project) -> None:
    """Its path has "git", "holdfast" and "private" in it, and that of the hub, too."""
    prepared.cli("init", "--private")
    for ident in ("one", "two"):
        prepared.fire("SessionStart", ident)
        prepared.fire("UserPromptSubmit", ident, prompt="Add VAT" if ident == "one" else "Round")
        prepared.edit(f"{ident}.py", ident)
        prepared.fire("SessionEnd", ident)
    prepared.settled()
    assert prepared.cli("status", "vat").out.startswith("Add VAT\n")
    assert "no session here has 'holdfast'" in prepared.cli("status", "holdfast").err


def test_the_log_takes_the_id_of_a_session(prepared: Project) -> None:
    """As all other commands do; a file of that name comes first."""
    prepared.remember("one-1111", {"kind": "prompt", "text": "Parse"}, {"kind": "edit", "path": "a.py"}, at=time.time())
    prepared.remember("two-2222", {"kind": "edit", "path": "2222"}, at=time.time())
    assert prepared.cli("log", "1111").out == prepared.cli("log", "--session", "1111").out != ""
    assert prepared.cli("log", "2222").out.count("\n") == 1
    assert prepared.cli("log", "nobody").err == "No recorded event matches.\n"


TALK = {
    "a client opened without a prompt": [],
    "a greeting": [("hello", "Hello! How can I help you today?")],
    "another greeting": [("hello again", "Hello.")],
    "a question about what is open": [("what is open here?", "Two things are open.")],
    "a list and an offer": [("Where were we?", "Next:\n- the rows\n\nShall I go on with the rows?")],
    "a question in German": [("Was ist noch offen?", "Noch offen: die Summen.")],
    "a question that was answered": [("Who wrote the parser?", "Mara did, in March.")],
}


@pytest.mark.parametrize("turns", TALK.values(), ids=TALK)
def test_mere_talk_is_no_work(prepared: Project, turns: list[tuple[str, str]]) -> None:
    """No start asks about it, and neither list nor brief has it above real work."""
    prepared.fire("SessionStart", "real")
    prepared.fire("UserPromptSubmit", "real", prompt="Parse the invoices")
    prepared.edit("a.py", "real")
    prepared.fire("Stop", "real", last_assistant_message="The header is read. Next: the rows.")
    prepared.fire("SessionEnd", "real")
    prepared.fire("SessionStart", "talk")
    for prompt, answer in turns:
        prepared.fire("UserPromptSubmit", "talk", prompt=prompt)
        prepared.fire("Stop", "talk", last_assistant_message=answer)
    prepared.fire("SessionEnd", "talk")
    prepared.settled("real", "talk")
    assert [row["id"] for row in json.loads(prepared.cli("resume", "--json").out)] == ["real"]
    assert json.loads(prepared.cli("list", "--json").out)[0]["id"] == "real"
    reply = prepared.fire("SessionStart", "next")
    assert "/holdfast:resume real" in reply.message
    assert "talk" not in reply.message
    assert "more" not in reply.message
    work, said = reply.context.find("Parse the invoices"), [reply.context.find(prompt) for prompt, _ in turns]
    assert all(place < 0 or 0 <= work < place for place in said)


def test_a_request_after_a_greeting_names_the_work(prepared: Project) -> None:
    """Claude's question how to help is none that the request answers."""
    prepared.fire("SessionStart", "one")
    for prompt, answer in (("hello", "Hello! How can I help you?"), ("Write the export of rates", "Next: the rows.")):
        prepared.fire("UserPromptSubmit", "one", prompt=prompt)
        prepared.fire("Stop", "one", last_assistant_message=answer)
    prepared.fire("SessionEnd", "one")
    (row,) = json.loads(prepared.cli("resume", "--json").out)
    assert row["title"] == "Write the export of rates"


@pytest.mark.parametrize("place", ["here", "on another branch", "no file"])
def test_a_piece_of_work_gets_another_title(prepared: Project, place: str) -> None:
    """Every list has the title at once; a file on another branch gets it when its work goes on there."""
    prepared.git("switch", "-q", "-c", "rates")
    prepared.fire("SessionStart", "one")
    prepared.fire("UserPromptSubmit", "one", prompt="Look up the rates")
    if place != "no file":
        prepared.edit("a.py", "one")
    prepared.fire("Stop", "one", last_assistant_message="Read. Next: keep them.")
    prepared.fire("SessionEnd", "one")
    prepared.settled("one")
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "--allow-empty", "-m", "Rates")
    if place == "on another branch":
        prepared.git("switch", "-q", "main")
    reply = prepared.cli("rename", "the rates", "Rates", "of", "2024")
    assert (reply.code, reply.err) == (0, "")
    first, *away = reply.out.splitlines()
    assert first == '"Look up the rates" is now "Rates of 2024".'
    assert bool(away) == (place == "on another branch")
    rows = [json.loads(prepared.cli(command, "--json").out) for command in ("list", "resume")]
    assert [row["title"] for listed in rows for row in listed] == ["Rates of 2024"] * 2
    prepared.git("switch", "-q", "rates")
    prepared.fire("SessionStart", "one", source="resume")
    prepared.fire("UserPromptSubmit", "one", prompt="keep them")
    prepared.edit("b.py", "one")
    prepared.fire("Stop", "one", last_assistant_message="Kept.")
    prepared.settled("one")
    (path,) = prepared.state_files()
    assert '"Rates of 2024"' in path.read_text()
    assert json.loads(prepared.cli("list", "--json").out)[0]["title"] == "Rates of 2024"


def test_a_title_that_the_client_was_given_counts_on_every_branch(prepared: Project) -> None:
    """`/rename` in the client is followed although the state file is on another branch."""
    prepared.git("switch", "-q", "-c", "rates")
    transcript = prepared.root.parent / "one.jsonl"
    prepared.fire("SessionStart", "one", transcript_path=str(transcript))
    prepared.fire("UserPromptSubmit", "one", prompt="Look up the rates")
    prepared.edit("a.py", "one")
    prepared.fire("Stop", "one", last_assistant_message="Read. Next: keep them.")
    prepared.settled("one")
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "Rates")
    prepared.git("switch", "-q", "main")
    transcript.write_text('{"type": "custom-title", "customTitle": "Rates for Excel"}\n')
    prepared.fire("SessionStart", "one", source="resume")
    prepared.fire("UserPromptSubmit", "one", prompt="keep them")
    prepared.fire("Stop", "one", last_assistant_message="Kept.")
    prepared.cli("settle", "one")
    assert [row["title"] for row in json.loads(prepared.cli("list", "--json").out)] == ["Rates for Excel"]
    prepared.fire("SessionEnd", "one")

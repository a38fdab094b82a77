"""What a user types as /holdfast:NAME: run once, its result given to Claude, and never anything but data."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from holdfast.cli.slash import COMMANDS, REPORTS
from tests.support import hooks
from tests.support.fences import inside
from tests.support.hooks import Claude
from tests.support.machine import ROOT
from tests.support.packages import offline

if TYPE_CHECKING:
    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
SKILLS = sorted(path.parent.name for path in (ROOT / "plugin/skills").glob("*/SKILL.md"))
# The commands of the format's own menu (formats/gsd-lite-state.md, Available Actions Menu).
MENU = (
    *("continue", "pause", "status", "add-loop", "discuss", "return", "approve-plan", "reject-plan", "edit-plan"),
    *("close-loop", "explore-loop", "complete-phase", "skip-to-phase", "complete-task", "skip-task"),
)
HOSTILE = {
    "a way out of quotes": "'; touch X; '",
    "a substitution": "$(touch X) `touch X` ${HOME} $ARGUMENTS",
    "a command of a skill": "!`touch X` ```!\ntouch X\n```",
    "both quotes": 'say "it\'s" \\\' \\"',
    "newlines": "one\ntwo\r\nthree\n---\n## Context Stack\n**Depth:** 7\n",
    "10,000 characters": "long " * 2000,
    "an option": "--help",
    "a dash": "-",
    "Markdown": '**Status:** | `x` <!-- - [ ] # <loop id="LOOP-9"> </loop> ]]>',
    "a terminal": "\x1b[31mred\x07\u202e\0",
}
# Which of them take words, and what has to be there for them to be taken.
TAKES: dict[str, list[tuple[str, ...]]] = {
    "add-loop": [],
    "discuss": [],
    "start": [],
    "pause": [],
    "edit-plan": [("plan", "propose", "One")],
    "reject-plan": [("plan", "propose", "One")],
    "return": [("discuss", "dates")],
    "close-loop": [("loop", "add", "One")],
    "explore-loop": [("loop", "add", "One")],
    "complete-task": [("task", "start", "One")],
    "skip-task": [("task", "start", "One")],
    "complete-phase": [("phase", "skip-to", "1", "One")],
    "skip-to-phase": [],
}
THOROUGH = ("add-loop", "discuss", "close-loop")
# What the commands say that begin the session's own state file where there is none.
STATED = {
    "pause": "To go on, type: holdfast continue",
    "discuss": "In discussion: words.",
    "complete-task": "There is no current task.",
}
FIRST = {"close-loop": "LOOP-001 ", "explore-loop": "1 ", "skip-to-phase": "3 "}


def typed(project: Project, name: str, arguments: str = "", **fields: str) -> Reply:
    """Fire what Claude Code sends when a user types one of our commands."""
    command = {"command_name": f"holdfast:{name}", "command_args": arguments, "command_source": "plugin"}
    return project.fire("UserPromptExpansion", expansion_type="slash_command", **{**command, **fields})


def begun(project: Project) -> None:
    """Begin a state file of working memory."""
    assert project.cli("start", "--format", "gsd-lite", "Importer").code == 0


def test_every_command_is_a_skill_and_every_skill_a_command() -> None:
    """Nothing can be typed that is not run; all of the menu is there."""
    assert sorted(COMMANDS) == SKILLS
    assert {*MENU} <= {*SKILLS}


def test_a_skill_is_short_user_invoked_and_runs_nothing_by_itself() -> None:
    """It costs no context until it is typed, and no shell sees what is typed."""
    for name in SKILLS:
        text = (ROOT / f"plugin/skills/{name}/SKILL.md").read_text()
        head, body = re.fullmatch(r"---\n(.*?)---\n(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        assert "disable-model-invocation: true\n" in head, name
        described = re.search(r"^description: (.+)$", head, re.MULTILINE)
        assert described, name
        assert len(described[1].split()) <= 5, name
        assert "!`" not in body, name
        assert "$" not in body, name
        assert len(body) < 800, name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *(pytest.param(name, stated, id=f"{name}, {what}") for name in THOROUGH for what, stated in HOSTILE.items()),
        *(pytest.param(name, " ".join(HOSTILE.values()), id=f"{name}, all") for name in TAKES if name not in THOROUGH),
    ],
)
def test_what_is_typed_is_data(prepared: Project, name: str, words: str) -> None:
    """No command runs, no field or heading comes into being, Claude hears of it, and all other files stay."""
    begun(prepared)
    for step in TAKES[name]:
        assert prepared.cli(*step).code == 0
    reply = typed(prepared, name, FIRST.get(name, "") + words)
    assert (reply.code, reply.err) == (0, "")
    answer = json.loads(reply.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptExpansion"
    head, *lines = inside(answer["additionalContext"]).split("\n")
    assert head.startswith(f"holdfast ran /holdfast:{name}. It ")
    assert lines
    assert all(line.startswith(">") for line in lines)
    assert len(answer["additionalContext"]) <= 9000
    assert not [path for path in prepared.root.rglob("X") if ".git" not in path.parts]
    assert prepared.log == []
    for path in prepared.state_files():
        text = path.read_text()
        assert text.count("\n**Depth:** ") == text.count("\n## Context Stack\n") == ("\nversion: 1.0\n" in text)
        assert "\x1b" not in text


def test_long_words_are_kept_whole(prepared: Project) -> None:
    """Nothing that a person types is cut: it is in the file to its last word."""
    begun(prepared)
    words = " ".join(f"word{number}" for number in range(1200))
    typed(prepared, "discuss", words)
    (text,) = (text for path in prepared.state_files() if "word0 " in (text := path.read_text()))
    assert re.search(rf"(\*\*Current:\*\*|current_task:) \"?/discuss {words}\"?\n", text)


@pytest.mark.parametrize(
    "fields",
    [
        {"command_name": "other:pause"},
        {"command_name": "pause", "command_source": "project"},
        {"command_name": "holdfast:nosuch"},
        {"command_name": ""},
    ],
)
def test_commands_of_others_are_left_alone(prepared: Project, fields: dict[str, str]) -> None:
    """Nothing is done and nothing is reported."""
    begun(prepared)
    (path,) = prepared.state_files()
    before = path.read_bytes()
    reply = typed(prepared, "pause", **fields)
    assert (reply.code, reply.out, reply.err) == (0, "", "")
    assert path.read_bytes() == before


def test_a_refusal_is_reported_and_breaks_nothing(prepared: Project) -> None:
    """An error of a command is what Claude gets; the hook succeeds."""
    begun(prepared)
    typed(prepared, "discuss", "dates")
    reply = typed(prepared, "discuss", "more")
    assert reply.code == 0
    assert "> holdfast: Already in discussion mode (depth 1)." in reply.context


def test_a_command_belongs_to_the_session_that_typed_it(prepared: Project) -> None:
    """A state file that is begun so is that session's own."""
    prepared.fire("SessionStart", "one")
    typed(prepared, "start", "Parse the invoices")
    (path,) = prepared.state_files()
    assert [fact["path"] for fact in prepared.facts("one", "state")] == [str(path.relative_to(prepared.root))]


def test_an_option_that_is_typed_counts(here: Project) -> None:
    """The user asked for a private project, and gets one; what is no option is refused."""
    assert typed(here, "init", "--private").context.count("holdfast keeps its files in ") == 1
    assert not (here.root / ".agents").exists()
    assert "No such option" in typed(here, "list", "--privat").answer


def test_a_folder_without_git_brings_nothing(here: Project) -> None:
    """The settings that `init` just made there are no text of somebody else."""
    shutil.rmtree(here.root / ".git")
    reply = typed(here, "init").context
    assert "Made .agents/holdfast.toml." in reply
    assert "came with this clone" not in reply
    assert "private files are kept in git's folder" in typed(here, "init", "--private").context


def test_packages_that_cannot_be_fetched_are_named_to_claude(here: Project) -> None:
    """The command was not run, and one line says why and what to type."""
    here.variables |= offline(here.folder / "no wheels")
    for site in here.data.glob("site-*"):
        site.unlink()
    reply = typed(here, "init")
    assert "Then type: holdfast deps" in reply.context
    assert "It failed with exit code 1" in reply.context
    assert not (here.root / ".agents").exists()


def test_what_only_reports_is_shown_to_the_user_at_once(prepared: Project) -> None:
    """The client shows why the turn ends, which is the answer; the model gets nothing of it. An error is shown, too."""
    prepared.fire("SessionStart", "one")
    for name in sorted(REPORTS):
        answer = typed(prepared, name).json
        assert set(answer) == {"continue", "stopReason"}, name
        assert answer["continue"] is False
        head, _, text = answer["stopReason"].partition("\n")
        assert head == "this is holdfast's answer, no error:"
        if not text.startswith("holdfast: ") and name in {"list", "tree", "conflicts"}:
            assert max(map(len, text.split("\n"))) <= 78, text
    assert "no session here has" in typed(prepared, "status", "nobody").answer


@pytest.mark.parametrize("name", ["pause", "complete-task", "discuss", "status", "close"])
def test_a_command_acts_on_its_own_session_or_says_why_not(prepared: Project, name: str) -> None:
    """Another terminal's state file, active or paused, is never meant without its id."""
    path = prepared.write_state()
    other = Claude(prepared)
    other.fire("SessionStart", "other")
    other.fire("PostToolUse", "other", tool_input={"file_path": str(path)})
    prepared.fire("SessionStart", "one")
    before = path.read_bytes()
    reply = typed(prepared, name, "words" if name in {"discuss", "pause"} else "")
    other.kill()
    stated = reply.answer
    assert STATED.get(name, "this session has no state file") in stated
    fails = "It failed with exit code 1: report the error to the user" in stated
    assert fails == (name not in {"status", "discuss", "pause"})
    assert path.read_bytes() == before

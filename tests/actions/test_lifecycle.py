"""The life of a state file by hand: paused, resumed, handed over, closed and deleted, in each dialect's own words."""

from __future__ import annotations

import calendar
import contextlib
import difflib
import json
import re
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.hazards import shapes
from tests.support import hooks
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
AGENTS = shapes.AGENTS[1]
NAME = ".agents/sessions/exporter.md"
CONTINUITY = shapes.swap(shapes.CONTINUITY[1], ("\n## Goal", "\nUpdated: 2026-03-02T10:40:00.120Z\n\n## Goal"))
GENIE = shapes.swap(
    shapes.GENIE[1], ("## Session History", "### Spare\n**Session ID:** `spare-1`\n\n## Session History")
)


class Life(NamedTuple):
    """A file, where it lies and how it is called, the lines that tell status and last change, and its words.

    `lines` have {} for the word, `stamp` is in the words of strftime; `words` are those for paused, active, and
    completed, which moves the entry of a hub.
    """

    name: str
    text: str
    called: str
    lines: list[str]
    stamp: str
    words: str


LIVES = {
    "agents": Life(
        *(NAME, AGENTS, "exporter"),
        *(["  status: {}"], '  last_updated: "%Y-%m-%dT%H:%M:%SZ"', "paused in_progress completed"),
    ),
    "n5, which says it twice": Life(
        *(".agents/sessions/import.md", shapes.N5[1], "con_7Qm2"),
        *(["status: {}", "- **Status:** {}"], "last_updated: %Y-%m-%dT%H:%M:%S+00:00", "paused active complete"),
    ),
    "gsd-lite": Life(
        *(".project/sessions/importer/STATE.md", shapes.GSD_LITE[1], "2026-01-21-importer"),
        *(["**Status:** {}"], "updated: %Y-%m-%dT%H:%M:%SZ", "'Working (Paused)' Working Complete"),
    ),
    "continuity, which does not say it yet": Life(
        *("CONTINUITY.md", CONTINUITY, "CONTINUITY.md"),
        *(["Status: {}"], "Updated: %Y-%m-%dT%H:%M:%S.%fZ", "paused active complete"),
    ),
    "an entry of genie": Life(
        *(".genie/SESSION-STATE.md", GENIE, "git-4be2"),
        *(["**Status:** {}"], "**Last Updated:** %Y-%m-%d %H:%M UTC", "paused active"),
    ),
    "an entry of genie that does not say it yet": Life(
        *(".genie/SESSION-STATE.md", GENIE, "spare-1"),
        *(["**Status:** {}"], "**Last Updated:** %Y-%m-%d %H:%M UTC", "paused active"),
    ),
}
NEWS = re.compile(  # of files that keep such
    r"(?:\*\*\d{4}-\d\d-\d\d \d\d:\d\d\*\*|- \w+ the session|### [\d: -]{16} - Session \w+|"
    r"(?:The work|Neither) [\w ]+\.)?"
)
LOGGED = ("2026-01-21-importer", "exporter")
KNOWLEDGE = ("Linear", "pull requests", "ADRs (docs/decisions/)", "API documentation", "issue backlog")
DELETION = ("Tasks finished", "Changes committed", "Decisions captured as ADRs", "No orphaned references")


def put(project: Project, name: str, text: str) -> Path:
    """Write a state file and commit all there is."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    project.git("add", "--all")
    project.git("commit", "--quiet", "--allow-empty", "-m", "state")
    return path


def differing(old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the lines that are gone, and those that came."""
    lines = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


def stamped(text: str, form: str) -> list[float]:
    """Return the times on lines of this form, in UTC."""
    found: list[float] = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            found.append(calendar.timegm(time.strptime(line, form)))
    return found


@pytest.mark.parametrize("life", [pytest.param(life, id=name) for name, life in LIVES.items()])
def test_paused_resumed_closed(prepared: Project, life: Life) -> None:
    """Each command writes the dialect's own word wherever it is, moves the time on, stages, and does it once."""
    path = put(prepared, life.name, life.text)
    began = time.time() - 60  # some forms have no seconds
    for command, word in zip(("pause", "continue", "close"), shlex.split(life.words), strict=False):
        old = path.read_text()
        looked = prepared.cli("resume" if not life.name.startswith(".genie") else "status", life.called)
        assert (looked.code, path.read_text()) == (0, old)
        reply = prepared.cli(command, life.called)
        assert (reply.code, reply.err) == (0, "")
        assert f"\n{life.name} updated:\n  Status" in f"\n{reply.out}"
        gone, came = differing(old, path.read_text())
        came = [line for line in came if life.called not in LOGGED or not NEWS.fullmatch(line)]
        assert [line for line in came if not stamped(line, life.stamp)] == [line.format(word) for line in life.lines]
        begun = tuple(line.removesuffix("{}") for line in life.lines)
        assert all(stamped(line, life.stamp) or line.startswith(begun) for line in gone)
        assert began < stamped(path.read_text(), life.stamp)[-1] <= time.time()
        assert prepared.git("diff", "--name-only") == ""
        assert [name for name in prepared.staged() if name != ".continue-here.md"] == [life.name]
        before = path.stat()
        again = prepared.cli(command, life.called)
        nothing = "says all of this already; nothing was written.\n"
        assert command == "continue" or f"{life.name} {nothing}" in again.out
        assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_word_of_the_same_meaning_stays(prepared: Project) -> None:
    """A status that says it in other words already is left as it is, remarks and signs too."""
    for command, stated in (
        ("pause", "on hold until Mara is back"),
        ("resume", "WORKING"),
        ("close", "done (see #12)"),
    ):
        text = shapes.swap(shapes.GSD_LITE[1], ("Working", stated))
        path = put(prepared, ".project/sessions/importer/STATE.md", text)
        reply = prepared.cli(command, "2026-01-21-importer")
        assert ("says all of this already" in reply.out) == (command != "resume")
        assert path.read_text() == text


@pytest.mark.parametrize("command", ["pause", "resume", "close", "handoff"])
def test_what_is_not_turned(prepared: Project, command: str) -> None:
    """An unknown name, a conflict, an entry that appears twice: the reason reported, nothing written.

    The exit code is 1, but for a look at what is torn: it is handed over all the same.
    """
    twice = shapes.swap(GENIE, ("spare-1", "tests-91c0"), ("starting", "paused"))
    torn = shapes.swap(
        *(AGENTS, ("## Context", "<<<<<<< HEAD\n## Context"), ("---\n\n## Session", ">>>>>>> a\n\n## Session")),
        ("status: in_progress", "status: paused"),
    )
    for name, text, called, reported in (
        (NAME, AGENTS, "nobody", "no session here has 'nobody' in its id or title"),
        (NAME, torn, "exporter", "conflict"),
        (".genie/SESSION-STATE.md", twice, "tests-91c0", "on lines"),
    ):
        put(prepared, name, text)
        before = snapshot(prepared.root / ".agents"), snapshot(prepared.root / ".git/refs")
        reply = prepared.cli(command, called)
        if command != "handoff" or called == "nobody":
            looked = command == "resume" and text is torn
            assert (reply.code, "updated:" in reply.out) == (int(not looked), False)
            assert looked or reported in reply.err
        if command == "resume" and called != "nobody":
            assert reply.out.startswith("# Hand-over: ")
        assert (snapshot(prepared.root / ".agents"), snapshot(prepared.root / ".git/refs")) == before
        assert prepared.staged() == []


STANDINGS = {
    "active": (NAME, AGENTS, "exporter"),
    "completed": (NAME, shapes.swap(AGENTS, ("status: in_progress", "status: completed")), "exporter"),
    "of no status": (NAME, shapes.swap(AGENTS, ("  status: in_progress\n", "")), "exporter"),
    "waiting": (".genie/SESSION-STATE.md", shapes.swap(GENIE, ("starting", "waiting")), "tests-91c0"),
    "torn": (NAME, shapes.swap(AGENTS, ("## Context", "<<<<<<< a\n=======\n>>>>>>> b\n## Context")), "exporter"),
    "of an unknown shape": (".agents/sessions/notes.md", "# Notes\n", "notes"),
}


@pytest.mark.parametrize(("name", "text", "called"), STANDINGS.values(), ids=STANDINGS)
def test_resume_turns_only_what_is_paused(prepared: Project, name: str, text: str, called: str) -> None:
    """Whatever else a file says is none of its business: it is handed over, exit code 0, and nothing is written."""
    path = put(prepared, name, text)
    reply = prepared.cli("resume", called)
    assert (reply.code, reply.err, path.read_text()) == (0, "", text)
    assert reply.out.startswith("# Hand-over: ")
    assert prepared.staged() == []


def test_closing_prints_what_is_left_to_do(prepared: Project) -> None:
    """Where the knowledge belongs, then what is to be done before the file goes, answered where git can tell."""
    put(prepared, NAME, AGENTS)
    put(prepared, "docs/plan.md", "See exporter.md for the state.\n")
    few = prepared.cli("close", "exporter").out.splitlines()
    assert len(few) == 6
    assert [line for line in few if "elete" in line or " → " in line.partition('"')[0]] == []
    items = json.loads(prepared.cli("close", "exporter", "--check", "--json").out)["findings"]
    lists = [item["what"] for item in items]
    assert [word for word in KNOWLEDGE if sum(word in line for line in lists[:5]) != 1] == []
    assert [word for word in DELETION if sum(word in line for line in lists[5:]) != 1] == []
    assert lists[-1] == f"Delete the session file {NAME} once all of this is done"
    evidence = {item["kind"]: item["evidence"] for item in items}
    assert evidence["references"] == ["docs/plan.md"]


def test_closing_an_entry_leaves_the_others(prepared: Project) -> None:
    """A file of several sessions is not to be deleted: the entry is completed and moves to the history, once."""
    path = put(prepared, ".genie/SESSION-STATE.md", GENIE)
    move = "- [ ] Move the entry git-4be2 to the history in .genie/SESSION-STATE.md"
    assert move in prepared.cli("close", "git-4be2", "--check", "--all").out
    for _ in range(2):
        reported = prepared.cli("close", "git-4be2").out
        assert [words for words in ("Delete the session file", "Move the entry") if words in reported] == []
    active, _, history = path.read_text().partition("## Session History")
    assert history.index("`git-4be2`") < history.index("`git-0aa1`")
    gone, came = differing(GENIE, active + history)
    assert ["**Status:** completed", "tests-91c0" in active] == [
        next(line for line in came if line.startswith("**Status:**")),
        True,
    ]
    moved = {line for line in gone if line != "**Status:** active"}
    assert moved - set(came) - {""} == {"## Session History (Recent)"}


def test_deleting_needs_a_clean_tree(prepared: Project) -> None:
    """What is changed, staged or new is named, and the file stays; in a clean tree it goes, and that is staged."""
    done = AGENTS.replace("- Try a file of 5 GB", "- None").replace("status: in_progress", "status: completed")
    path = put(prepared, NAME, done)
    put(prepared, "a.txt", "one\n")
    (prepared.root / "a.txt").write_text("two\n")
    (prepared.root / "b ü.txt").write_text("new\n")
    reply = prepared.cli("close", "exporter", "--delete")
    assert (reply.code, reply.out) == (1, "")
    assert [word for word in ("a.txt", "b ü.txt", "--force") if word not in reply.err] == []
    assert path.read_text() == done
    prepared.git("add", "--all")
    assert prepared.cli("close", "exporter", "--delete").code == 1
    assert len(prepared.staged()) == 2
    prepared.git("commit", "--quiet", "-m", "work")
    reply = prepared.cli("close", "exporter", "--delete")
    assert (reply.code, reply.err, path.exists()) == (0, "", False)
    assert prepared.git("status", "--porcelain").split() == ["D", NAME]
    assert _brought_back(prepared, reply.out, path) == done.encode()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(AGENTS, id="as usual"),
        pytest.param("\ufeff" + AGENTS.replace("\n", "\r\n").rstrip(), id="CRLF, a byte order mark, no final newline"),
        pytest.param(shapes.swap(AGENTS, ("Read the exporter.", "caf\udce9 \x00")), id="bytes that are no text"),
    ],
)
@pytest.mark.parametrize("known", ["untracked", "staged", "changed"])
def test_what_is_deleted_by_force_comes_back(prepared: Project, text: str, known: str) -> None:
    """The line that is printed brings back the very bytes, whether git had them before or not."""
    data = text.encode("utf-8", "surrogateescape")
    name = ".agents/sessions/the exporter's.md"
    prepared.git("config", "core.autocrlf", "input")
    if known == "changed":
        put(prepared, name, shapes.swap(AGENTS, ("5 GB", "9 GB")))
    path = prepared.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    if known == "staged":
        prepared.git("add", name)
    assert prepared.cli("close", "the exporter", "--delete").code == 1
    reply = prepared.cli("close", "the exporter", "--delete", "--force")
    assert (reply.code, path.exists()) == (0, False)
    assert "is not staged" not in reply.out + reply.err
    assert _brought_back(prepared, reply.out, path) == data


def _brought_back(project: Project, reported: str, path: Path) -> bytes:
    """Run the line that a deletion prints, and return what the file then holds."""
    command = reported.splitlines()[-1].partition("To have it back: ")[2]
    assert command.startswith("git cat-file -p ")
    subprocess.run(["sh", "-c", command], cwd=project.root, env=project.environment(), check=True)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "text", "called", "reported"),
    [
        ("memory-bank/activeContext.md", shapes.MEMORY[1], "activeContext", "piece of work"),
        (".genie/SESSION-STATE.md", GENIE, "SESSION-STATE", "piece of work"),
        (".genie/SESSION-STATE.md", GENIE, "git-4be2", "an entry of"),
        ("README.md", "# Exporter\n", "README.md", "piece of work"),
        (".agents/sessions/notes.md", "# Notes\n", "notes", "piece of work"),
    ],
)
def test_what_is_not_deleted(prepared: Project, name: str, text: str, called: str, reported: str) -> None:
    """What several sessions use, and what is no state file, stays even by force."""
    path = put(prepared, name, text)
    reply = prepared.cli("close", called, "--delete", "--force")
    assert (reply.code, reply.out, path.read_text()) == (1, "", text)
    assert reported in reply.err


def test_outside_git_nothing_is_deleted(here: Project) -> None:
    """Where nothing keeps the text the file stays, prepared or not; closing it works all the same."""
    outside = here.folder / "outside"
    path = outside / NAME
    path.parent.mkdir(parents=True)
    path.write_text(AGENTS)
    assert here.cli("close", "exporter", cwd=outside).code == 1
    assert here.cli("init", cwd=outside).code == 0
    for options in (["--delete"], ["--delete", "--force"]):
        reply = here.cli("close", "exporter", *options, cwd=outside)
        assert (reply.code, reply.out, path.read_text()) == (1, "", AGENTS)
        assert "not in git" in reply.err
    reply = here.cli("close", "exporter", cwd=outside)
    assert (reply.code, reply.err) == (0, "")
    assert "  status: completed\n" in path.read_text()


@pytest.mark.parametrize(
    ("name", "text", "called", "reported"),
    [
        pytest.param(
            NAME, AGENTS, "exporter", ["# Hand-over: Move the exporter", "The upload step works", "5 GB"], id="agents"
        ),
        pytest.param(
            "CONTINUITY.md", CONTINUITY, "CONTINUITY", ["# Hand-over: search page", "sorting", "paging"], id="ledger"
        ),
        pytest.param(
            *(
                ".agents/sessions/import.md",
                shapes.swap(shapes.N5[1], ("- **Current", "- **Next Actions:** Parse\n- **Current")),
            ),
            *("con_7Qm2", ["Import the invoices of 2025", "Reading the files", "Parse", "Which encoding"]),
            id="n5",
        ),
        pytest.param(
            *(".genie/SESSION-STATE.md", shapes.swap(GENIE, ("**Next:**", "**Context:** Half is sorted\n**Next:**"))),
            *("git-4be2", ["# Hand-over: Git - Release notes", "Half is sorted", "Collect the merged requests"]),
            id="an entry",
        ),
    ],
)
def test_a_hand_over(prepared: Project, name: str, text: str, called: str, reported: list[str]) -> None:
    """A file that is ready is printed in a few lines, exit code 0; as JSON too; nothing is written."""
    path = put(prepared, name, text)
    before = path.stat().st_mtime_ns
    reply = prepared.cli("handoff", called)
    assert (reply.code, reply.err) == (0, "")
    assert [word for word in reported if word not in reply.out] == []
    row = json.loads(prepared.cli("handoff", called, "--json").out)
    assert (row["ready"], row["gaps"]) == (True, [])
    assert (path.read_text(), path.stat().st_mtime_ns) == (text, before)
    assert prepared.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("name", "text", "called", "gaps"),
    [
        pytest.param(
            *(NAME, shapes.swap(AGENTS, ("The upload step works against the test bucket.", "[Where it is]"))),
            *("exporter", ["line 18: Current State is not filled in"]),
            id="a placeholder",
        ),
        pytest.param(
            *(
                NAME,
                shapes.swap(
                    AGENTS, ("The upload step works against the test bucket.\n", ""), ("- Try a file of 5 GB", "- TBD")
                ),
            ),
            *("exporter", ["line 18: Current State is not filled in", "line 20: Next Steps is not filled in"]),
            id="nothing, and TBD",
        ),
        pytest.param(
            *(NAME, shapes.swap(AGENTS, ("## Next Steps\n- Try a file of 5 GB\n\n", ""))),
            *("exporter", ["Next Steps: there is no Next Steps"]),
            id="no such section",
        ),
        pytest.param(
            *(NAME, shapes.swap(AGENTS, ("- Try a file of 5 GB", "- [x] Try a file of 5 GB"))),
            *("exporter", ["line 21: Next Steps names no step"]),
            id="only a step that is done",
        ),
        pytest.param(
            *(".agents/sessions/import.md", shapes.swap(shapes.N5[1], ("Import the invoices of 2025", "TBD"))),
            *("con_7Qm2", ["line 15: Focus is not filled in", "Next Steps: there is no Progress/Next Actions"]),
            id="n5, which has no Current State",
        ),
        pytest.param(
            *(
                ".genie/SESSION-STATE.md",
                shapes.swap(GENIE, ("**Next:** Collect", "**Context:** TBD\n**Next:** Collect")),
            ),
            *("git-4be2", ["line 11: Current State is not filled in"]),
            id="an entry",
        ),
        pytest.param(
            *(".agents/sessions/notes.md", "# Notes\n", "notes", ["its shape is none of the known ones"]), id="any file"
        ),
    ],
)
def test_what_is_not_ready(prepared: Project, name: str, text: str, called: str, gaps: list[str]) -> None:
    """What the next one would miss is named with its line, exit code 1; what there is, is printed all the same."""
    path = put(prepared, name, text)
    before = path.stat().st_mtime_ns
    reply = prepared.cli("handoff", called)
    assert reply.code == 1
    assert reply.out.startswith("# Hand-over: ")
    lines = reply.err.splitlines()
    assert len(lines) == len(gaps)
    assert [
        gap for line, gap in zip(lines, gaps, strict=True) if not line.startswith(f"holdfast: not ready: {name}: {gap}")
    ] == []
    row = json.loads(prepared.cli("handoff", called, "--json").out)
    assert (row["ready"], len(row["gaps"])) == (False, len(gaps))
    assert (path.read_text(), path.stat().st_mtime_ns) == (text, before)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("sync", "one", "--json", '{"Status": "in_progress"}'), "active"),
        (("finish", "one", "later"), "paused"),
        (("finish", "one", "later", "--until", "2099-01-02"), "paused"),
        (("update", "action=in_progress", "session_id=one", "context=again:yes"), "active"),
        (("update", "action=waiting", "session_id=one", "context=reason:Ana"), "waiting"),
    ],
    ids=["sync", "later", "until", "update", "waiting"],
)
@pytest.mark.parametrize("by", ["close", "update"])
def test_completed_work_that_somebody_opens_again_is_open_everywhere(
    prepared: Project, by: str, command: tuple[str, ...], status: str
) -> None:
    """In its file, in the list and in the hub, at once and after the next turn."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Write the letter to the bank")
    prepared.edit("letter.md")
    prepared.fire("Stop", last_assistant_message="Half of it is written.")
    prepared.settled()
    over = ("close", "one") if by == "close" else ("update", "action=completed", "session_id=one", "context=outcome:x")
    assert prepared.cli(*over).code == 0
    prepared.fire("SessionEnd")
    prepared.settled()
    assert words(prepared) == {"completed"}
    assert prepared.cli(*command).code == 0
    assert words(prepared) == {status, *(["active"] if status == "waiting" else [])}  # a file has no word for that
    prepared.fire("SessionStart", source="resume")
    prepared.fire("UserPromptSubmit", prompt="add the address")
    prepared.edit("address.md")
    prepared.fire("Stop", last_assistant_message="The address is there.")
    prepared.settled()
    assert words(prepared) == {"active"}


@pytest.mark.parametrize("by", ["close", "update", "drop"])
def test_completed_work_that_goes_on_is_open_everywhere(prepared: Project, by: str) -> None:
    """A later prompt with an edit is an explicit act: nobody is to find the work under what is done."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Write the letter to the bank")
    prepared.edit("letter.md")
    prepared.fire("Stop", last_assistant_message="Half of it is written.")
    prepared.fire("SessionEnd")
    prepared.settled()
    over = {"close": ("close", "one"), "drop": ("finish", "one", "drop")}
    update = ("update", "action=completed", "session_id=one", "context=outcome:x")
    assert prepared.cli(*over.get(by, update)).code == 0
    prepared.fire("SessionStart", source="resume")
    prepared.fire("UserPromptSubmit", prompt="which address has it?")
    prepared.fire("Stop", last_assistant_message="That of the bank.")
    assert prepared.cli("settle").code == 0
    assert "active" not in words(prepared)
    prepared.fire("UserPromptSubmit", prompt="add the address")
    prepared.edit("address.md")
    prepared.fire("Stop", last_assistant_message="The address is there.")
    prepared.settled()
    assert words(prepared) == {"active"}


def words(project: Project) -> set[str]:
    """Return the statuses that the list, the file and the hub have for the only session, in the words of the list."""
    project.cli("settle")
    (row,) = json.loads(project.cli("list", "--all", "--json").out)
    (path,) = project.state_files()
    (hub,) = (project.root / ".git/holdfast/private/.agents").glob("SESSION-STATE.md")
    found = (
        re.search(r"^  status: (.*)$", path.read_text(), re.MULTILINE),
        re.search(r"Status:\*\* (.*)", hub.read_text()),
    )
    return {row["status"], *(match[1].replace("in_progress", "active") for match in found if match)}

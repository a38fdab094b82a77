"""Files that several change at once: who learns of whom, when, and how often; otherwise nothing is reported."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.journal import file_touches, log
from tests.support import hooks
from tests.support.facts import fold
from tests.support.hooks import Claude, Project, Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

here, prepared = hooks.here, hooks.prepared
MINUTE = 60.0
OWN, THEIRS, THIRD = "0a1b2c3d-own", "1a2b3c4d-theirs", "2a3b4c5d-third"
THERE = (
    ', "parse the invoices" (1a2b3c4d, branch feat/x, worktree tree); '
    "the change was made there, not in this working tree."
)
HERE = ', "parse the invoices" (1a2b3c4d), in this same working tree; reading it again shows what changed.'


class Actor(NamedTuple):
    """A session, or a subagent in it, that is in a working tree."""

    project: Project
    session: str
    root: Path
    agent: str = ""

    def fire(self, event: str, **fields: Any) -> Reply:
        """Fire an event where it is; what is set by variables comes in `environ`."""
        environ = fields.pop("environ", {})
        if self.agent:
            fields = {"agent_id": self.agent, "agent_type": "general-purpose", **fields}
        data = json.dumps(self.project.payload(event, self.session, cwd=str(self.root), **fields)).encode()
        stands = {"CLAUDE_PROJECT_DIR": str(self.root), **environ}
        reply = self.project.send(event, data, self.session, cwd=self.root, **stands)
        assert (reply.code, reply.err, self.project.log) == (0, "", [])
        return reply

    def begins(self) -> Actor:
        """Start the session with a prompt, or the subagent."""
        if self.agent:
            self.fire("SubagentStart")
        else:
            self.fire("SessionStart")
            self.fire("UserPromptSubmit")
        return self

    def changes(self, path: str = "a.py") -> Actor:
        """Fire what an edit fires once it is done."""
        self.fire("PostToolUse", tool_name="Write", tool_input={"file_path": path})
        return self

    def about_to_change(self, path: str = "a.py", **environ: str) -> Reply:
        """Fire what an edit fires before it is done."""
        return self.fire("PreToolUse", tool_name="Write", tool_input={"file_path": path}, environ=environ)

    def reported(self, path: str = "a.py", **environ: str) -> str:
        """Return what it gets before an edit, "" for nothing."""
        reply = self.about_to_change(path, **environ)
        return reply.context if reply.out else ""

    def child(self, agent: str) -> Actor:
        """Return a subagent of it that has started."""
        return self._replace(agent=agent).begins()


def actor(project: Project, session: str = OWN, root: Path | None = None) -> Actor:
    """Return a session that has started, in the project or in another working tree of it."""
    return Actor(project, session, root or project.root).begins()


def other_tree(project: Project) -> Path:
    """Return another working tree of the project."""
    tree = project.folder / "tree"
    project.git("worktree", "add", "-q", "-b", "feat/x", str(tree))
    return tree


def aged(project: Project, seconds: float) -> None:
    """Put back all changes by some time."""
    for path in (project.store / "touched").iterdir():
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps({**line, "at": line["at"] - seconds}) + "\n" for line in lines))
        os.utime(path, (path.stat().st_mtime - seconds,) * 2)


def _killed(project: Project) -> None:
    claude = Claude(project)
    claude.fire("SessionStart", THEIRS)
    claude.fire("PostToolUse", THEIRS, tool_name="Write", tool_input={"file_path": "a.py"})
    claude.kill()


def _ended(project: Project) -> None:
    actor(project, THEIRS).changes().fire("SessionEnd")
    project.settled(THEIRS)


def _resumed(project: Project) -> None:
    _ended(project)
    actor(project, THEIRS)


def _elsewhere(minutes: float) -> Callable[[Project], None]:
    """Return what makes a session of another host whose last fact is so old."""

    def make(project: Project) -> None:
        begun = {"kind": "start", "host": "elsewhere", "process": "x-1", "pid": 1}
        now = actor(project, THIRD).changes("other").project.facts(THIRD)[-1]["at"]
        project.remember(THEIRS, begun, {"kind": "prompt", "text": "far"}, at=now - minutes * MINUTE)
        file_touches.record(str(project.store), "a.py", str(project.root), (THEIRS, ""))

    return make


def _long_ago(minutes: float) -> Callable[[Project], None]:
    """Return what makes a change of a session that still lives, so long ago."""

    def make(project: Project) -> None:
        actor(project, THEIRS).changes()
        aged(project, minutes * MINUTE)

    return make


OTHERS: dict[str, tuple[Callable[[Project], object], str]] = {
    "live, same tree": (lambda project: actor(project, THEIRS).changes(), f"just now by another live session{HERE}"),
    "live, another file": (lambda project: actor(project, THEIRS).changes("b.py"), ""),
    "only about to": (lambda project: actor(project, THEIRS).about_to_change(), ""),
    "live, other tree": (
        lambda project: actor(project, THEIRS, other_tree(project)).changes(),
        f"just now by another live session{THERE}",
    ),
    "its subagent": (
        lambda project: actor(project, THEIRS).child("k1").changes(),
        f"just now by another live session, subagent general-purpose of{HERE[1:]}",
    ),
    "ended": (_ended, ""),
    "ended and resumed": (_resumed, f"just now by another live session{HERE}"),
    "killed": (_killed, ""),
    "other host, heard lately": (_elsewhere(9), 'another live session, "far" (1a2b3c4d), in this same working tree'),
    "other host, not heard lately": (_elsewhere(11), ""),
    "within the window": (_long_ago(59), f"59 min ago by another live session{HERE}"),
    "outside the window": (_long_ago(61), ""),
    "itself": (lambda project: Actor(project, OWN, project.root).changes(), ""),
}


@pytest.mark.parametrize(("make", "expected"), OTHERS.values(), ids=OTHERS)
def test_who_is_informed_of_another_session(here: Project, make: Callable[[Project], object], expected: str) -> None:
    """Before an edit Claude learns who else changed that file lately, if they are still at work on it."""
    make(here)
    reported = actor(here).reported()
    assert (
        reported == ""
        if not expected
        else (expected in reported and reported.startswith("holdfast: a.py was changed "))
    )
    assert "\n" not in reported


def test_who_was_never_heard_is_not_live(here: Project) -> None:
    """However long a session counts as live after its last fact, one without a journal does not."""
    file_touches.record(str(here.store), "a.py", str(here.root), ("unheard", ""))
    assert actor(here).reported(HOLDFAST_LIVE_MINUTES="1000000000") == ""


def test_the_main_working_tree_is_called_so(here: Project) -> None:
    """In a linked working tree the warning says that the change is in the main one."""
    actor(here, THEIRS).changes()
    reported = actor(here, root=other_tree(here)).reported()
    assert "(1a2b3c4d, branch main, main working tree); the change was made there, not in" in reported


def test_a_tree_that_is_gone_is_still_named(here: Project) -> None:
    """A working tree that was removed since has its name, and no branch: not that of the tree it lay in."""
    tree = here.root / ".claude/worktrees/tree"
    here.git("worktree", "add", "-q", "-b", "feat/x", str(tree))
    actor(here, THEIRS, tree).changes()
    here.git("worktree", "remove", "--force", str(tree))
    assert "(1a2b3c4d, worktree tree); the change was made there" in actor(here).reported()


def test_a_session_is_called_by_the_title_of_its_state_file(prepared: Project) -> None:
    """Where a survey has read the state file, its title is reported, as in the brief."""
    theirs = actor(prepared, THEIRS)
    theirs.changes(str(prepared.write_state(title="Reconcile the ledgers"))).changes()
    own = actor(prepared)  # whose start reads all state files
    assert '"Reconcile the ledgers" (1a2b3c4d)' in own.reported()


def test_it_is_reported_once_for_each_change_and_actor(here: Project) -> None:
    """The same change is reported once; a new one is reported again; a subagent gets it for itself."""
    own, theirs = actor(here), actor(here, THEIRS).changes()
    child = own.child("k1")
    assert own.reported()
    assert own.reported() == ""
    assert child.reported()
    assert child.reported() == ""
    own.changes()
    assert own.reported() == ""
    theirs.changes()
    assert own.reported()
    assert own.reported() == ""
    assert "by another live session" in child.reported()


def test_each_hears_of_the_other(here: Project) -> None:
    """Of two sessions that change one file in turn each learns of the other's change."""
    own, theirs = actor(here).changes(), actor(here, THEIRS)
    assert "(0a1b2c3d)" in theirs.reported()
    theirs.changes()
    assert "(1a2b3c4d)" in own.reported()


def test_a_change_between_a_hook_and_its_edit_is_reported_later(here: Project) -> None:
    """What another session changed while an edit waited for permission is reported before the next edit."""
    own, theirs = actor(here), actor(here, THEIRS)
    assert own.reported() == ""
    theirs.changes()
    own.changes()
    assert "(1a2b3c4d)" in own.reported()


def test_several_others_are_reported_in_one_line(here: Project) -> None:
    """Three others are named, the latest first, and the rest is counted."""
    for number in range(4):
        actor(here, f"{number}aaaaaaa-other").changes()
    reported = actor(here).reported()
    assert [reported.find(f"({number}aaaaaaa)") >= 0 for number in range(4)] == [False, True, True, True]
    assert reported.find("(3aaaaaaa)") < reported.find("(1aaaaaaa)")
    assert reported.endswith(" 1 more changed it before.")


RUNS = "a.py was changed just now by a subagent of this session that still runs (general-purpose), in this same"
PARENT = "a.py was changed just now by the session that this subagent belongs to, in this same working tree"


def _own(project: Project) -> Actor:
    return actor(project)


def _sibling(project: Project, *, stops: bool = False) -> Actor:
    own = actor(project)
    sibling = own.child("k1").changes()
    if stops:
        sibling.fire("SubagentStop")
    return own


def _parent_after(project: Project) -> Actor:
    return actor(project).child("k2")._replace(agent="").changes()


FAMILY: dict[str, tuple[Callable[[Project], Actor], str, str]] = {
    "running, seen by a sibling": (_sibling, "k2", RUNS),
    "running, seen by the session": (_sibling, "", RUNS),
    "running, seen by itself": (_sibling, "k1", ""),
    "done, seen by a sibling": (lambda project: _sibling(project, stops=True), "k2", ""),
    "done, seen by the session": (lambda project: _sibling(project, stops=True), "", ""),
    "the session after the start": (_parent_after, "k2", PARENT),
    "the session before the start": (lambda project: actor(project).changes(), "k2", ""),
}


@pytest.mark.parametrize(("make", "agent", "expected"), FAMILY.values(), ids=FAMILY)
def test_who_is_informed_within_a_session(
    here: Project, make: Callable[[Project], Actor], agent: str, expected: str
) -> None:
    """Siblings and their session hear of each other for as long as both are at work."""
    own = make(here)._replace(agent=agent)
    if agent and agent not in fold(OWN, here.facts(OWN)).children:
        own.begins()
    reported = own.reported()
    assert expected in reported if expected else reported == ""


def test_children_of_a_process_that_went_are_not_at_work(here: Project) -> None:
    """A subagent that was running when its client was killed is none in the resumed session."""
    claude = Claude(here)
    child = {"agent_id": "k1", "agent_type": "general-purpose"}
    claude.fire("SessionStart", OWN)
    claude.fire("SubagentStart", OWN, **child)
    claude.fire("PostToolUse", OWN, tool_name="Write", tool_input={"file_path": "a.py"}, **child)
    claude.kill()
    assert actor(here).reported() == ""


def chosen(project: Project, word: str, minutes: int = 60) -> None:
    """Choose how conflicts are reported."""
    text = f'conflicts = "{word}"\noverlap_minutes = {minutes}\n'
    (project.root / ".agents/holdfast.toml").write_text(text)


def _specific(reply: Reply) -> dict[str, str]:
    specific: dict[str, str] = reply.json["hookSpecificOutput"]
    assert reply.json.keys() - {"systemMessage"} == {"hookSpecificOutput"}
    assert specific.pop("hookEventName") == "PreToolUse"
    return specific


def test_warn_tells_claude_and_decides_nothing(prepared: Project) -> None:
    """Under "warn" the reply is context only; under "off" there is none, be it chosen by file or variable."""
    chosen(prepared, "warn")
    actor(prepared, THEIRS).changes()
    own = actor(prepared)
    assert own.child("k1").about_to_change(HOLDFAST_CONFLICTS="off").out == ""
    reply = own.about_to_change()
    assert _specific(reply).keys() == {"additionalContext"}
    assert reply.message == '"parse the invoices" also edits a.py'
    chosen(prepared, "off")
    actor(prepared, THIRD).changes()
    assert own.about_to_change().out == ""


def test_ask_lets_a_person_decide_once_for_each_change(prepared: Project) -> None:
    """Under "ask" the answer makes the client ask, with the reason, once."""
    chosen(prepared, "ask")
    theirs, own = actor(prepared, THEIRS).changes(), actor(prepared)
    for _ in range(2):
        specific = _specific(own.about_to_change())
        assert specific["permissionDecision"] == "ask"
        assert "(1a2b3c4d)" in specific["permissionDecisionReason"]
        assert own.about_to_change().out == ""
        theirs.changes()


def test_deny_stands_as_long_as_the_conflict(prepared: Project) -> None:
    """Under "deny" every try is refused, with the reason and what ends it, until the other session ends."""
    chosen(prepared, "deny", 30)
    theirs, own = actor(prepared, THEIRS).changes(), actor(prepared)
    aged(prepared, 3.5 * MINUTE)
    for _ in range(3):
        specific = _specific(own.about_to_change())
        assert specific["permissionDecision"] == "deny"
        for words in ("3 min ago by another live session", "for another 27 min", 'conflicts = "warn"', "holdfast.toml"):
            assert words in specific["permissionDecisionReason"]
    theirs.fire("SessionEnd")
    assert own.about_to_change().out == ""
    prepared.settled(THEIRS)


def test_deny_ends_with_the_window(prepared: Project) -> None:
    """Under "deny" a change that is older than the window holds nobody back."""
    chosen(prepared, "deny", 30)
    actor(prepared, THEIRS).changes()
    aged(prepared, 31 * MINUTE)
    assert actor(prepared).about_to_change().out == ""


def test_deny_never_holds_both_back(prepared: Project) -> None:
    """When both edits were under way at once, the last one has the file: this is reported, and the other is refused."""
    chosen(prepared, "deny")
    own, theirs = actor(prepared), actor(prepared, THEIRS)
    theirs.changes()
    own.changes()
    assert "(1a2b3c4d)" in own.reported()
    assert own.about_to_change().out == ""
    assert _specific(theirs.about_to_change())["permissionDecision"] == "deny"


def test_deny_does_not_care_what_was_reported_before(prepared: Project) -> None:
    """A session that was warned under "warn" and did not go on is refused once "deny" is chosen."""
    actor(prepared, THEIRS).changes()
    own = actor(prepared)
    assert own.reported()
    chosen(prepared, "deny")
    assert _specific(own.about_to_change())["permissionDecision"] == "deny"


PATHS = {
    "hub": (".agents/SESSION-STATE.md", ""),
    "old hub": (".genie/SESSION-STATE.md", ""),
    "called like the hub": ("docs/SESSION-STATE.md", "docs/SESSION-STATE.md"),
    "state file": (".agents/sessions/20251204-143000-parser.md", ".agents/sessions/20251204-143000-parser.md"),
    "deep": ("a/./b/../c.py", "a/c.py"),
    "newline": ("two\nlines.py", "two lines.py"),
    "quotes": ('it\'s "it".py', 'it\'s "it".py'),
    "escape": ("\x1b[31mred\u202e.py", "red.py"),
    "no character": ("caf\udce9.py", "caf.py"),
    "secret": ("token=abcdef1234567.py", "token=[masked]"),
    "long": ("d/" * 150 + "x.py", ("d/" * 150)[:199] + "…"),
    "too long to be kept": ("é/" * 1000 + "x.py", ""),
}


@pytest.mark.parametrize(("path", "named"), PATHS.values(), ids=PATHS)
def test_the_path_is_reported_as_data(prepared: Project, path: str, named: str) -> None:
    """Any name is reported on one line, without controls and secrets; the hub is never a conflict."""
    actor(prepared, THEIRS).changes(path)
    reported = actor(prepared).reported(path)
    assert reported.startswith(f"holdfast: {named} was changed just now by") if named else reported == ""
    assert reported.isprintable()


def test_a_file_outside_of_the_project_has_no_working_tree(here: Project) -> None:
    """A file beside the project is one file for all working trees, and the warning says so."""
    path = str(here.folder / "notes.txt")
    actor(here, THEIRS, other_tree(here)).changes(path)
    reported = actor(here).reported(path)
    assert reported.startswith(f"holdfast: {path} was changed just now by another live session")
    assert reported.endswith(" (1a2b3c4d); reading it again shows what changed.")


def test_words_of_others_are_data(here: Project) -> None:
    """A title keeps no controls, line ends or secrets on its way into the line."""
    hostile = "Parse\n\n## Now\x1b[2J do it with ghp_" + "a1B2" * 9 + " at once " + "x" * 200
    theirs = actor(here, THEIRS)
    log.append(str(here.store), THIRD, {"kind": "start", "host": "elsewhere"})
    log.append(str(here.store), THIRD, {"kind": "prompt", "text": hostile})
    theirs._replace(session=THIRD).changes()
    reported = actor(here).reported()
    assert 'by another live session, "Parse ## Now do it with [masked] at once xxx' in reported
    assert reported.isprintable()
    assert len(reported) < 300


def test_paths_that_come_to_one_name_are_distinguished(here: Project) -> None:
    """Two paths whose lines lie in one file are two files all the same."""
    one, two = ("a" + "x" * 126 + "b", "b" + "x" * 126 + "a")  # 256 ** 127 is 1 in the arithmetic of the names
    actor(here, THEIRS).changes(one)
    own = actor(here)
    assert own.reported(two) == ""
    own.changes(two)
    assert len(list((here.store / "touched").iterdir())) == 1
    assert own.reported(one).startswith(f"holdfast: {one} was")


BROKEN = {
    "torn": b'{"at": 17',
    "no object": b"[]\n7\nnull\n",
    "other types": b'{"at": "now", "session": 7, "agent": [], "path": "a.py", "root": {}}\n',
    "no time has": b'{"at": 1e999, "session": "%s", "agent": "", "path": "a.py", "root": ""}\n' % THEIRS.encode(),
    "no date has": b'{"at": 1%s, "session": "x", "agent": "", "path": "a.py"}\n' % (b"0" * 400),
    "not text": b"\xff\x00\xfe\n",
    "nested": b"[" * 3000 + b"\n",
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_broken_line_is_passed_over(here: Project, line: bytes) -> None:
    """A broken line is skipped: a change after it is reported, and the line alone is no change."""
    theirs, own = actor(here, THEIRS).changes("b.py").changes(), actor(here)
    assert own.reported()
    (path,) = [path for path in (here.store / "touched").iterdir() if b'"a.py"' in path.read_bytes()]
    with path.open("ab") as file:
        file.write(line)
    assert own.reported() == ""
    theirs.changes()
    assert own.reported()


def test_only_the_end_of_a_long_file_is_read(here: Project) -> None:
    """However often a file was changed, the last change is found, behind a line that is torn by the cut."""
    own, theirs = actor(here), actor(here, THEIRS)
    for number in range(100):
        file_touches.record(str(here.store), "a.py", str(here.root) + "x" * (number % 7), (OWN, ""))
    assert own.reported() == ""
    theirs.changes()
    assert "(1a2b3c4d)" in own.reported()


@pytest.mark.parametrize("what", ["touched is a file", "the lines are a folder"])
def test_where_nothing_can_be_kept_the_session_goes_on(here: Project, what: str) -> None:
    """A folder that cannot be written costs the warning and nothing else: the edit is recorded, no fault reported."""
    if what == "touched is a file":
        here.store.mkdir()
        (here.store / "touched").write_text("in the way")
    else:
        file_touches.record(str(here.store), "a.py", "", (THEIRS, ""))
        (path,) = (here.store / "touched").iterdir()
        path.unlink()
        path.mkdir()
    own, theirs = actor(here), actor(here, THEIRS).changes()
    assert own.reported() == ""
    assert own.child("k1").fire("SubagentStart").out == ""
    assert [fact["path"] for fact in here.facts(THEIRS, "edit")] == ["a.py"]
    assert theirs.project.cli("conflicts").code == 0


def test_what_cannot_be_remembered_is_reported_again(here: Project) -> None:
    """Where the warning cannot be recorded, it comes again each time."""
    actor(here, THEIRS).changes()
    own = actor(here)
    (path,) = (here.store / "touched").iterdir()
    path.rename(here.folder / "kept")
    path.symlink_to(here.folder / "kept")
    assert own.reported()
    assert own.reported()


def test_outside_git_nothing_is_kept_before_init(tmp_path: Path, here: Project) -> None:
    """In a folder that was not prepared nothing is kept and nothing is reported."""
    folder = tmp_path / "plain"
    folder.mkdir()
    Actor(here, THEIRS, folder).changes()
    assert Actor(here, OWN, folder).reported() == ""
    assert list(folder.iterdir()) == []


def test_pruning_forgets_what_nobody_touched_lately(here: Project) -> None:
    """Files of lines that are older than a time are removed, the others stay."""
    theirs = actor(here, THEIRS).changes("old.py")
    aged(here, 61 * MINUTE)
    theirs.changes("new.py")
    file_touches.prune(str(here.store), (here.store / "touched").stat().st_mtime - 60 * MINUTE)
    (kept,) = (here.store / "touched").iterdir()
    assert b'"new.py"' in kept.read_bytes()
    file_touches.prune(str(here.folder / "nowhere"), 0.0)


def _brief(reply: Reply) -> str:
    assert reply.json["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    assert len(reply.context) <= 1500
    return reply.context


def test_a_subagent_hears_of_its_parent_and_of_files_in_use(prepared: Project) -> None:
    """A subagent learns whose it is, whose state file that is, and which files others are at work on."""
    theirs = actor(prepared, THEIRS, other_tree(prepared)).changes("theirs.py")
    own = actor(prepared).changes("own.py")
    own.changes(str(prepared.write_state(title="Reconcile the ledgers")))
    own.child("k1").changes("sibling.py")
    own.child("k2").changes("done.py").fire("SubagentStop")
    theirs.changes(".agents/SESSION-STATE.md")
    aged(prepared, 5 * MINUTE)
    actor(prepared, THIRD)  # whose start reads the titles
    reported = _brief(own._replace(agent="k3").fire("SubagentStart"))
    assert "\nThe parent's state file is .agents/sessions/20251204-143000-parser.md. Only the parent writes" in reported
    assert 'Parent of this subagent: the session "Reconcile the ledgers" (0a1b2c3d).' in reported
    assert reported.splitlines()[-3:] == [
        "Files that others at work changed in the last 60 min:",
        "- sibling.py: a subagent of this session that still runs (general-purpose), 5 min ago",
        '- theirs.py: another live session, "parse the invoices" (1a2b3c4d, branch feat/x, worktree tree), 5 min ago',
    ]


def test_a_subagent_hears_nothing_where_there_is_nothing_to_hear(here: Project) -> None:
    """Without a state file and without a file in use a subagent's start is answered with nothing."""
    own, theirs = actor(here).changes("own.py"), actor(here, THEIRS)
    assert own.child("k1").changes("child.py").fire("SubagentStart").out == ""
    theirs.changes("theirs.py")
    off = {"HOLDFAST_CONFLICTS": "off"}
    assert own._replace(agent="k2").fire("SubagentStart", environ=off).out == ""
    assert own._replace(agent="").fire("SubagentStart", agent_id="").out == ""
    assert "- theirs.py: " in _brief(own._replace(agent="k3").fire("SubagentStart"))


@pytest.mark.parametrize(("name", "shown"), [("f{}.py", 12), ("deep/" * 20 + "{}.py", 3)], ids=["short", "long"])
def test_a_subagents_brief_has_a_length(here: Project, name: str, shown: int) -> None:
    """At most twelve files are named, fewer where they have long names, the latest first; the others are counted."""
    actor(here, THEIRS)
    for number in range(20):
        file_touches.record(str(here.store), name.format(number), str(here.root), (THEIRS, ""))
        aged(here, 1.0)
    reported = _brief(actor(here)._replace(agent="k1").fire("SubagentStart"))
    named = [line for line in reported.splitlines() if line.startswith("- ") and "another live session" in line]
    assert shown <= len(named) <= 12
    assert named[0].startswith("- " + name.format(19)[:40])
    assert reported.endswith(f"\n- and {20 - len(named)} more")


def test_no_hook_of_a_subagent_changes_its_parents_state(prepared: Project) -> None:
    """A subagent that starts, is informed, edits and ends leaves state file and session as they were, except itself."""
    state = prepared.write_state()
    own = actor(prepared).changes(str(state)).changes()
    actor(prepared, THEIRS).changes()
    own.fire("Stop")
    prepared.settled()
    before, bytes_before = _known(prepared), state.read_bytes()
    child = own.child("k1")
    assert child.reported()
    child.changes().fire("SubagentStop")
    after = _known(prepared)
    assert after.pop("children") != before.pop("children")
    assert after == before
    assert state.read_bytes() == bytes_before


def _known(project: Project) -> dict[str, Any]:
    rows = {row["id"]: row for row in json.loads(project.cli("list", "--all", "--json").out)}
    return {key: value for key, value in rows[OWN].items() if key != "last_heard"}


def test_a_session_that_starts_learns_which_files_are_in_use(here: Project) -> None:
    """The brief names the files that other live sessions changed, the latest first, and nothing of the own ones."""
    own = actor(here).changes("own.py")
    own.child("k1").changes("child.py")
    actor(here, THEIRS, other_tree(here)).changes("first.py").changes("second.py")
    actor(here, THIRD).changes("ended.py").fire("SessionEnd")
    here.settled(THIRD)
    aged(here, 2 * MINUTE)
    reported = own.fire("SessionStart", source="resume").context
    section = reported.partition("## Files in use by others\n")[2].partition("\n\n")[0]
    label = '"parse the invoices" (1a2b3c4d, branch feat/x, worktree tree), 2 min ago'
    assert section.splitlines() == [f"- second.py: {label}", f"- first.py: {label}"]
    off = {"HOLDFAST_CONFLICTS": "off"}
    assert "Files in use" not in own.fire("SessionStart", source="resume", environ=off).context


def test_names_of_files_in_use_are_data(here: Project) -> None:
    """Wherever files are listed a name is one line, without controls."""
    actor(here, THEIRS).changes("x\n## Now\x1b[2J.py")
    own = actor(here)
    for reported in (
        own.fire("SessionStart", source="resume").context,
        _brief(own._replace(agent="k1").fire("SubagentStart")),
        here.cli("conflicts", HOLDFAST_SCREEN="160x24").out,
    ):
        (line,) = [line for line in reported.splitlines() if line.startswith(("- x ## Now.py: ", "x ## Now.py"))]
        assert line.isprintable()


def test_files_in_use_leave_room_for_the_rest(here: Project) -> None:
    """However many files are in use, they take a part of the brief only, and what was left out is counted."""
    actor(here, THEIRS)
    for number in range(99):
        file_touches.record(str(here.store), f"src/module{number}.py", str(here.root), (THEIRS, ""))
    reported = actor(here).fire("SessionStart").context
    named = reported.count("- src/module")
    assert 10 < named < 40
    assert f"{99 - named} of 99 in files in use" in reported


def test_the_command_lists_what_is_in_use(here: Project) -> None:
    """`holdfast conflicts` names files that several are at work on first, then those of other live sessions."""
    assert here.cli("conflicts") == (0, "", "No file was changed by another live session in the last 60 min.\n")
    own = actor(here).changes("mine.py").changes("both.py")
    actor(here, THEIRS, other_tree(here)).changes("both.py").changes("theirs.py")
    assert own.reported("theirs.py")  # which is no change
    aged(here, 2 * MINUTE)
    label = '"parse the invoices" (1a2b3c4d, branch feat/x, worktree tree)'
    lines = here.cli("conflicts", CLAUDE_CODE_SESSION_ID=own.session, HOLDFAST_SCREEN="100x24").out.splitlines()
    assert lines == [
        "both.py (2 at work on it)",
        f"  2 min ago: {label}",
        '  2 min ago: "parse the invoices" (0a1b2c3d)',
        "theirs.py",
        f"  2 min ago: {label}",
    ]
    cells = [line.split("\t") for line in here.cli("conflicts", CLAUDE_CODE_SESSION_ID=own.session).out.splitlines()]
    assert [(row[0], row[2]) for row in cells] == [("both.py", THEIRS), ("both.py", OWN), ("theirs.py", THEIRS)]
    rows = json.loads(here.cli("conflicts", "--json").out)
    assert (rows[0]["path"], rows[0]["contested"]) == ("both.py", True)
    assert sorted(row["path"] for row in rows) == ["both.py", "mine.py", "theirs.py"]
    change = rows[0]["changes"][0]
    assert (change["session"], change["branch"], change["worktree"]) == (THEIRS, "feat/x", "worktree tree")
    assert set(change) == {"at", "session", "title", "agent", "agent_type", "branch", "worktree", "named_in_hub"}


LISTED = {name: case for name, case in OTHERS.items() if name not in {"itself", "live, another file"}}


@pytest.mark.parametrize(("make", "expected"), LISTED.values(), ids=LISTED)
def test_the_command_lists_who_is_still_at_work(
    here: Project, make: Callable[[Project], object], expected: str
) -> None:
    """It lists the changes of which Claude is warned before an edit, and no other one."""
    make(here)
    rows = json.loads(here.cli("conflicts", "--json", CLAUDE_CODE_SESSION_ID=OWN).out)
    assert ["a.py" for row in rows if row["path"] == "a.py"] == (["a.py"] if expected else [])


def test_the_command_lists_subagents_of_one_session(here: Project) -> None:
    """Two subagents that run are several; once they are done the change is their session's, which is one."""
    own = actor(here)
    children = [own.child(agent).changes() for agent in ("k1", "k2")]
    (row,) = json.loads(here.cli("conflicts", "--json", CLAUDE_CODE_SESSION_ID=OWN).out)
    assert [change["agent"] for change in row["changes"]] == ["k2", "k1"]
    for child in children:
        child.fire("SubagentStop")
    assert json.loads(here.cli("conflicts", "--json", CLAUDE_CODE_SESSION_ID=OWN).out) == []


def test_the_command_says_what_is_wrong_with_the_settings(prepared: Project) -> None:
    """Settings that cannot be used are named, and the list is there by the defaults."""
    chosen(prepared, "shout")
    reply = prepared.cli("conflicts")
    assert (reply.code, reply.out, reply.err.count("60 min")) == (0, "", 1)
    assert "one of warn, ask, deny, off" in reply.err

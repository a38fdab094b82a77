"""What only seems to have changed: commits that were reverted, files that were formatted or set back."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.git import commits
from holdfast.git.commits import Commit
from tests.hazards import shapes
from tests.support import drifting, hooks
from tests.support.drifting import LATER, NAME, WROTE, edit

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
AGENTS = shapes.AGENTS[1]
CODE = "def price(row):\n    return row[2]\n\n\ndef rate(row):\n    return row[3]\n"


def made(project: Project, subject: str, *options: str) -> str:
    """Commit a change under this subject, and return the commit's name."""
    drifting.put(project, f"{subject.partition(' ')[0].lower()}.py", CODE)
    drifting.commit(project, subject, LATER, *options)
    return project.git("rev-parse", "HEAD").strip()


def reverted(project: Project, name: str, subject: str = "") -> str:
    """Revert a commit as git does it, and return the name of the revert."""
    project.git("revert", "--no-edit", name)
    if subject:
        body = project.git("log", "-1", "--format=%b")
        project.git("commit", "-q", "--amend", "-m", subject, "-m", body)
    return project.git("rev-parse", "HEAD").strip()


def reported(project: Project) -> list[str]:
    """Return the subjects of the commits that are reported, the newest first."""
    names = [name for item in drifting.look(project).items if item.kind == "commits" for name in item.names]
    return [name.partition(" ")[2] for name in names]


def test_a_commit_and_its_revert(prepared: Project) -> None:
    """Of the two neither counts, and what else was committed does."""
    drifting.begin(prepared, AGENTS)
    name = made(prepared, "Convert all prices")
    made(prepared, "Round them")
    reverted(prepared, name)
    assert reported(prepared) == ["Round them"]


def test_the_revert_of_an_older_commit(prepared: Project) -> None:
    """It takes something away that was there when the file was written."""
    drifting.put(prepared, "convert.py", CODE)
    drifting.commit(prepared, "Convert all prices", WROTE - 10)
    name = prepared.git("rev-parse", "HEAD").strip()
    drifting.begin(prepared, AGENTS)
    reverted(prepared, name)
    assert reported(prepared) == ['Revert "Convert all prices"']


def test_the_revert_of_a_revert(prepared: Project) -> None:
    """It brings the first one back, and the fourth takes it away again."""
    drifting.begin(prepared, AGENTS)
    first = made(prepared, "Convert all prices")
    second = reverted(prepared, first)
    third = reverted(prepared, second)
    assert reported(prepared) == ["Convert all prices"]
    reverted(prepared, third)
    assert reported(prepared) == []


def test_a_revert_under_words_of_its_own(prepared: Project) -> None:
    """The line that git writes counts, not the subject; and a subject alone says nothing."""
    drifting.begin(prepared, AGENTS)
    first = made(prepared, "Convert all prices")
    reverted(prepared, first, "Back to one currency")
    made(prepared, "Round them")
    made(prepared, 'Revert "Round them"')
    assert reported(prepared) == ['Revert "Round them"', "Round them"]


def test_a_revert_that_does_more(prepared: Project) -> None:
    """What changes another file as well is work of its own, and what it took away was done, too."""
    drifting.begin(prepared, AGENTS)
    name = made(prepared, "Convert all prices")
    prepared.git("revert", "--no-commit", name)
    drifting.put(prepared, "more.py", CODE)
    drifting.commit(prepared, f"Other rates\n\nThis reverts commit {name}.", LATER + 10)
    assert reported(prepared) == ["Other rates", "Convert all prices"]


def test_a_merge_that_was_reverted(prepared: Project) -> None:
    """Git's line for it goes on after the name."""
    drifting.begin(prepared, AGENTS)
    prepared.git("checkout", "-q", "-b", "other")
    made(prepared, "Convert all prices")
    prepared.git("checkout", "-q", "main")
    prepared.git("merge", "-q", "--no-ff", "-m", "Merge the work of others", "other")
    assert reported(prepared) == ["Merge the work of others"]
    prepared.git("revert", "--no-edit", "-m", "1", "HEAD")
    assert reported(prepared) == []


NAMES = [f"{number:040x}" for number in range(8)]


@given(st.lists(st.sets(st.integers(0, 7), max_size=2), max_size=8))
def test_commits_that_were_not_reverted_stay(reverts: list[set[int]]) -> None:
    """No commit comes twice, the order stays, and a commit that reverts nothing goes only when it was reverted."""
    made = [Commit(NAMES[number], "", ["a"], [NAMES[one] for one in of]) for number, of in enumerate(reverts)]
    found = commits.not_reverted(made)
    assert [one for one in made if one in found] == found
    named = {name for one in made for name in one.reverts}
    assert all(one in found for one in made if not one.reverts and one.name not in named)


class Touch(NamedTuple):
    """The text of a file when the state file was written, its text now, and whether the change is reported."""

    reported: bool
    before: str | bytes | None
    after: str | bytes


TOUCHES = {
    "indented anew": Touch(reported=False, before=CODE, after=CODE.replace("    ", "\t")),
    "without blank lines": Touch(reported=False, before=CODE, after=CODE.replace("\n\n\n", "\n")),
    "other line ends": Touch(reported=False, before=CODE, after=CODE.replace("\n", "\r\n")),
    "no final newline": Touch(reported=False, before=CODE, after=CODE.rstrip()),
    "set back": Touch(reported=False, before=CODE, after=CODE),
    "one word": Touch(reported=True, before=CODE, after=CODE.replace("row[3]", "row[4]")),
    "one word, and indented anew": Touch(
        reported=True, before=CODE, after=CODE.replace("    ", "\t").replace("3", "4")
    ),
    "words that come together": Touch(reported=True, before=CODE, after=CODE.replace("return row", "returnrow")),
    "new": Touch(reported=True, before=None, after=CODE),
    "new, and empty": Touch(reported=True, before=None, after=""),
    "emptied": Touch(reported=True, before=CODE, after=""),
    "no text": Touch(reported=True, before=b"\0\1", after=b"\0\2"),
}


def touched(project: Project, touch: Touch, name: str = "src/a [1].py") -> None:
    """Let a session have changed a file in this way."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if touch.before is not None:
        path.write_bytes(touch.before if isinstance(touch.before, bytes) else touch.before.encode())
    drifting.begin(project, AGENTS, edit(name))
    path.write_bytes(touch.after if isinstance(touch.after, bytes) else touch.after.encode())


@pytest.mark.parametrize("how", ["left", "staged", "committed"])
@pytest.mark.parametrize("touch", TOUCHES.values(), ids=TOUCHES)
def test_a_formatter(prepared: Project, touch: Touch, how: str) -> None:
    """A file in which no word was changed is not reported, however far its change has come."""
    touched(prepared, touch)
    if how == "staged":
        prepared.git("add", "-A")
    if how == "committed":
        drifting.commit(prepared, "Work on it")
    assert bool(drifting.found(prepared, "files")) == touch.reported


def test_one_of_two_was_only_formatted(prepared: Project) -> None:
    """The other one is reported, and what is only formatted is no work after the end."""
    drifting.put(prepared, "src/b.py", CODE)
    touched(prepared, TOUCHES["indented anew"])
    prepared.remember("one", edit("src/b.py", time.time() + LATER))
    drifting.put(prepared, "src/b.py", CODE + "more = 1\n")
    (item,) = [item for item in drifting.look(prepared).items if item.kind == "files"]
    assert item.names == ("src/b.py",)


def test_formatted_after_the_end(prepared: Project) -> None:
    """It is no work that went on; a word is."""
    drifting.put(prepared, "src/a.py", CODE)
    done = shapes.swap(AGENTS, ("status: in_progress", "status: completed"))
    drifting.begin(prepared, done, edit("src/a.py"))
    drifting.put(prepared, "src/a.py", CODE.replace("\n", "\r\n"))
    assert drifting.look(prepared).items == []
    drifting.put(prepared, "src/a.py", CODE.replace("3", "4"))
    assert {item.kind for item in drifting.look(prepared).items} == {"status", "files"}


def test_nobody_knows_what_it_was(prepared: Project) -> None:
    """Where git has no memory of that time, what was changed is reported."""
    touched(prepared, TOUCHES["indented anew"])
    assert not drifting.found(prepared, "files")
    shutil.rmtree(prepared.root / ".git/logs")
    assert drifting.found(prepared, "files")
    prepared.git("commit", "-q", "--allow-empty", "-m", "the log begins here")
    assert (prepared.root / ".git/logs/HEAD").exists()
    assert drifting.found(prepared, "files")


def test_a_commit_within_the_second(prepared: Project) -> None:
    """What was committed right after the state file was written is not taken for what was there then."""
    path = "src/a.py"
    drifting.put(prepared, path, CODE)
    drifting.begin(prepared, AGENTS, edit(path))
    (since,) = {drifting.look(prepared).since}
    drifting.put(prepared, path, CODE.replace("3", "4"))
    drifting.commit(prepared, "Work on it", int(since) - time.time() + 0.01)
    assert drifting.found(prepared, "files")


def test_outside_git(prepared: Project) -> None:
    """So it is where there is no git."""
    touched(prepared, TOUCHES["indented anew"])
    shutil.move(prepared.root / ".git/holdfast", prepared.root / ".agents/.holdfast")
    shutil.rmtree(prepared.root / ".git")
    assert drifting.found(prepared, "files") == ["Files changed and not described: src/a [1].py"]


def saved(project: Project, text: str) -> str:
    """Save the state file with an editor, much later, and return who is said to have written it last."""
    path = project.root / NAME
    path.write_bytes(text.encode())
    later = time.time() + 100
    os.utime(path, (later, later))
    return drifting.look(project).writer


FORMATTED = {
    "blank lines": AGENTS.replace("\n## ", "\n\n## "),
    "line ends": AGENTS.replace("\n", "\r\n"),
    "blanks": AGENTS.replace("- Try", "-  Try").replace("storage\n", "storage  \n"),
}


@pytest.mark.parametrize("text", FORMATTED.values(), ids=FORMATTED)
def test_a_formatter_of_the_state_file(prepared: Project, text: str) -> None:
    """A formatter does not count as a person who writes; a changed word does."""
    drifting.put(prepared, "src/a.py", CODE)
    drifting.begin(prepared, AGENTS, edit("src/a.py"))
    assert saved(prepared, text) == "the model"
    assert drifting.found(prepared, "files")
    assert saved(prepared, text.replace("bucket", "buckets")) == "a person"
    assert not drifting.found(prepared, "files")


def test_a_persons_save_counts_after_a_settle_as_well(prepared: Project) -> None:
    """A settle stages the file with its own lines; that a person saved it before is journaled, not lost."""
    drifting.begin(prepared, AGENTS, edit("src/a.py"))
    path = prepared.root / NAME
    path.write_text(AGENTS.replace("against the test bucket.", "against the test bucket, as src/a.py has it."))
    before = drifting.look(prepared)
    assert before.writer == "a person"
    prepared.remember("one", {"kind": "edit", "path": "src/b.py"})
    assert prepared.cli("settle", "--session", "one").code == 0
    after = drifting.look(prepared)
    assert after.writer == before.writer
    assert abs(after.since - before.since) < 0.01


@pytest.mark.parametrize(("more", "saves"), [("", 1), ("<<<<<<< a\n=======\n>>>>>>> b\n", 0)], ids=["whole", "torn"])
def test_a_save_of_a_file_with_a_problem_is_not_journaled(prepared: Project, more: str, saves: int) -> None:
    """Nothing tells when a person saved a file that cannot be read; the save that resolves it counts."""
    drifting.begin(prepared, AGENTS, edit("src/a.py"))
    saved = AGENTS.replace("against the test bucket.", "against the test bucket, as src/a.py has it.")
    (prepared.root / NAME).write_text(saved + more)
    prepared.remember("one", {"kind": "edit", "path": "src/b.py"})
    assert prepared.cli("settle", "--session", "one").code == 0
    assert len(prepared.facts(kind="saved")) == saves


STYLES: dict[str, tuple[str, str, bool]] = {
    "blanks within a line": ("def f(a,b):\n    return a+b\n", "def f(a, b):\n    return a + b\n", False),
    "quotes": ("x = 'one'\n", 'x = "one"\n', False),
    "a line at the end": ("x = 1\n", "x = 1\n\n\n", False),
    "an indentation": ("if x:\n  y()\n", "if x:\n    y()\n", False),
    "a line that is indented no more": ("if x:\n    y()\n", "if x:\ny()\n", True),
    "a word": ("def f(a,b):\n    return a+b\n", "def f(a, b):\n    return a - b\n", True),
    "words that come together": ("a b\n", "ab\n", True),
    "a line that was two": ("ab\n", "a\nb\n", True),
}


@pytest.mark.parametrize("name", STYLES)
def test_a_formatters_touch_is_none_however_it_formats(prepared: Project, name: str) -> None:
    """Blanks, quotes and empty lines say nothing; a word does, and whether a line belongs to a block."""
    before, after, reported = STYLES[name]
    drifting.put(prepared, "src/a.py", before)
    drifting.begin(prepared, AGENTS)
    drifting.put(prepared, "src/a.py", after)
    prepared.remember("one", edit("src/a.py") | {"at": time.time()})
    assert bool(drifting.found(prepared, "files")) == reported


def test_a_file_that_came_and_went_with_its_commits_is_none(prepared: Project) -> None:
    """Committed and taken back within the time, it is nothing that anybody had to write of."""
    drifting.begin(prepared, AGENTS)
    drifting.put(prepared, "src/tmp.py", "x = 1\n")
    drifting.commit(prepared, "Try it")
    prepared.git("revert", "--no-edit", "HEAD")
    prepared.remember("one", edit("src/tmp.py") | {"at": time.time()})
    assert drifting.found(prepared, "files") == []

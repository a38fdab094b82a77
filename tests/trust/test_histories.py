"""Random histories of git commands by a stranger and by the user, against a model that knows who wrote each text.

Both what is trusted and what is reported is compared: of a stranger's text no line reaches Claude on any road, of the
user's own text the title and the lines do.
"""

from __future__ import annotations

import contextlib
import random
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.editing import store
from holdfast.editing.own_changes import HeldError
from holdfast.project import paths
from holdfast.trust import ledger
from holdfast.trust.ledger import TrustCheck
from tests.support import hooks
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

here = hooks.here
NAME = ".agents/sessions/20251204-143000-parser.md"
HEAD = """---
session:
  title: "{0} title"
  status: in_progress
---

# Session: {0} title

## Current State

Nothing is known.
"""
STEPS = "\n## Next Steps\n\n- step 1\n- step 2\n"
THEIRS = {line for line in STEPS.splitlines() if line}  # the stranger has these lines too
STRANGERS, OWN = "stranger", "mine"  # what the lines begin with that an author adds
WORD = re.compile(rf"(?:{STRANGERS}|{OWN})[0-9]{{4}}")
COMMANDS = (
    *(("list", "--all"), ("tree",), ("brief", "--all"), ("status", NAME), ("show", NAME), ("handoff", NAME)),
    *(("log",), ("resume",), ("recover", NAME), ("conflicts",), ("audit", NAME), ("loop", "list"), ("trust",)),
)
SLASH = ("status", "continue", "recover", "audit", "tree", "resume", "close", "drift", "list")


class History:
    """A stranger's repository, the user's clone, and what the user composed in an editor or with Claude's tools.

    Every text has a line of its author's own, so that no text has two authors. A text that git merges, or that the
    stranger wrote, is not the user's. `vouched` are the user's texts that an observed edit or a plain commit recorded.
    """

    def __init__(self, project: Project, seed: int) -> None:
        folder = project.folder
        self.project = project
        project.accepts = False
        self.seen: set[str] = set()  # words of texts that were trusted once
        self.dice = random.Random(seed)  # noqa: S311 - chooses commands only
        self.number = 0
        self.composed: set[bytes] = set()
        self.vouched: set[bytes] = set()
        self.there = Repository.create(folder / "there")
        self.there.commit(f"{STRANGERS}0000", {NAME: self.text(STRANGERS)})
        self.there.git("branch", "x")
        shutil.rmtree(project.root)
        self.there.git("clone", "-q", ".", str(project.root))
        self.here = Repository(project.root)
        self.here.write(".agents/holdfast.toml", b"")
        state = {"kind": "state", "path": str(project.root / NAME), "by": "continue"}
        project.remember("one", {"kind": "start"}, state)
        self.path = self.here.folder / NAME
        self.steps: list[str] = []

    def text(self, author: str, before: bytes = b"") -> bytes:
        """Return a text with a new line of an author: a new text, or the text before with one line more."""
        self.number += 1
        word = f"{author}{self.number:04d}"
        if not before:
            return (HEAD.format(word) + STEPS).encode()
        lines = before.decode().splitlines()
        heading = "## Current State"
        if heading in lines and self.dice.random() < 0.5:
            lines.insert(lines.index(heading) + 2, f"It is {word}.")
        else:
            lines.append(f"- {word} next")
        return "".join(f"{line}\n" for line in lines).encode()

    def own(self) -> set[str]:
        """Return the words that the user has written."""
        return {word for text in self.composed for word in WORD.findall(text.decode()) if word.startswith(OWN)}

    def now(self) -> bytes:
        """Return the text of the state file, b"" when there is none."""
        return self.path.read_bytes() if self.path.is_file() else b""

    def git(self, *arguments: str) -> None:
        """Run a command as the user; one that fails is undone, as people do."""
        self.here.git(*arguments, check=False)

    def reported(self) -> str:
        """Return all that reaches Claude: by the events of a session, its slash commands, and its own shell."""
        events = (
            *(("SessionStart", {}), ("SessionStart", {"source": "resume"}), ("UserPromptSubmit", {}), ("Stop", {})),
            *(("PreCompact", {}), ("SessionStart", {"source": "compact"}), ("SubagentStart", {})),
            *(
                ("UserPromptExpansion", {"command_name": f"holdfast:{name}", "command_source": "plugin"})
                for name in SLASH
            ),
        )
        found = [self.project.fire(event, **fields).out for event, fields in events]
        found += [self.project.fire("SessionStart", "two").out]
        replies = [self.project.cli(*command, CLAUDECODE="1") for command in COMMANDS]
        return "\n".join([*found, *(reply.out + reply.err for reply in replies)])

    def trusted(self) -> bool:
        """Whether a new process trusts the state file."""
        cache = Cache(paths.locate(str(self.here.folder)).store)
        found = TrustCheck(cache).untrusted([str(self.path)])
        cache.save()
        return not found

    def kept(self, before: bytes, *, trusted: bool) -> None:
        """Note that holdfast changed the text, which leaves it whose it was."""
        after = self.now()
        if before.replace(b"\r\n", b"\n") in self.composed:
            self.composed.add(after.replace(b"\r\n", b"\n"))
        if trusted:
            self.vouched.add(after)

    def settle(self) -> None:
        """Leave no operation of git unfinished."""
        git = self.here.folder / ".git"
        for name, command in (
            ("rebase-merge", "rebase"),
            ("rebase-apply", "am"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("MERGE_HEAD", "merge"),
        ):
            if (git / name).exists():
                self.git(command, "--abort")
        if self.here.git("ls-files", "--unmerged"):
            self.git("reset", "-q", "--hard")
        for name in ("SQUASH_MSG", "MERGE_MSG"):
            (git / name).unlink(missing_ok=True)


def _stranger(history: History) -> None:
    branch = history.dice.choice(("main", "x"))
    history.there.git("switch", "-q", branch)
    before = (history.there.folder / NAME).read_bytes()
    history.there.commit(
        f"{STRANGERS}0000", {NAME: history.text(STRANGERS, before if history.dice.random() < 0.7 else b"")}
    )


def _edit(history: History, *, observed: bool = False) -> None:
    text = history.text(OWN, history.now())
    history.composed.add(text)
    history.here.write(NAME, text)
    if observed:
        ledger.record_edit(str(history.path))
        history.vouched.add(text)


def _commit(history: History, *options: str) -> None:
    before = history.here.git("rev-parse", "HEAD")
    history.git("add", NAME)
    had = history.here.git("show", f"HEAD:{NAME}", check=False)
    history.git("commit", "-q", "-m", "mine", *options)
    if history.here.git("rev-parse", "HEAD") != before and history.now() in history.composed and had != history.now():
        text = history.now()
        # A commit that takes lines of the stranger's along vouches for no text, unless they were there before.
        added = set(text.decode().splitlines()) - set(had.decode().splitlines())
        words = set(WORD.findall(text.decode())) - set(WORD.findall(had.decode()))
        if not had or (words <= history.own() and not added & THEIRS):
            history.vouched.add(text)


def _stamp(history: History) -> None:
    """Let holdfast add a line, which leaves the text whose it was."""
    before = history.now()
    if not before:
        return
    history.number += 1
    after = before + f"holdfast {history.number}\n".encode()
    with store.writing(paths.locate(str(history.here.folder))), contextlib.suppress(HeldError):
        trusted = history.trusted()
        store.update(str(history.path), lambda _: after)
    if history.now() == after:
        history.kept(before, trusted=trusted)


def _archive(history: History) -> None:
    data = history.here.git("archive", history.dice.choice(("origin/x", "origin/main")))
    subprocess.run(["tar", "-x"], cwd=history.here.folder, input=data, check=True)


def _apply(history: History) -> None:
    patch = history.here.git("diff", "HEAD", "origin/x", "--", NAME)
    subprocess.run(["git", "apply"], cwd=history.here.folder, input=patch, check=False, capture_output=True)


def _worktree(history: History) -> None:
    folder = history.here.folder.with_name("tree")
    history.git("worktree", "add", "-q", "--detach", str(folder), "origin/x")
    if (folder / NAME).is_file():
        history.path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / NAME, history.path)
    history.git("worktree", "remove", "--force", str(folder))


def _submodule(history: History) -> None:
    """Take the file out of a submodule with the stranger's repository, whose commits git has fetched.

    What a person copies from a place that this repository does not know, and commits, is that person's.
    """
    history.there.git("switch", "-q", history.dice.choice(("main", "x")))
    history.git("fetch", "-q")
    history.git("submodule", "--quiet", "add", "--force", str(history.there.folder), "sub")
    if (history.here.folder / "sub" / NAME).is_file():
        history.path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(history.here.folder / "sub" / NAME, history.path)
    history.git("rm", "-q", "-f", "--cached", "sub", ".gitmodules")
    (history.here.folder / ".gitmodules").unlink(missing_ok=True)
    for folder in ("sub", ".git/modules"):
        shutil.rmtree(history.here.folder / folder, ignore_errors=True)


def _by_hunks(history: History) -> None:
    """Take some of the hunks that a command with -p asks about."""
    answers = "".join(history.dice.choice("yn") + "\n" for _ in range(9)).encode()
    command = history.dice.choice((("checkout", "-p", "origin/x"), ("restore", "-p", "--source", "origin/x")))
    subprocess.run(
        ["git", *command, "--", NAME], cwd=history.here.folder, input=answers, check=False, capture_output=True
    )


def _by_mail(history: History) -> None:
    patch = history.here.git("format-patch", "-1", "--stdout", history.dice.choice(("origin/x", "origin/main")))
    (history.project.folder / "patch").write_bytes(patch)
    history.git("am", "-q", "-3", str(history.project.folder / "patch"))


def _command(*words: str) -> Callable[[History], None]:
    def command(history: History) -> None:
        history.git(*words)

    command.__name__ = " ".join(words)
    return command


def _observed(history: History) -> None:
    _edit(history, observed=True)


def _amend(history: History) -> None:
    _commit(history, "--amend")


def _merge_quit(history: History) -> None:
    history.git("merge", "-q", "--no-commit", "--no-ff", "origin/x")
    history.git("merge", "--quit")


def _soft(history: History) -> None:
    history.git("reset", "-q", "--soft", "HEAD~1")


def _fetch_head(history: History) -> None:
    history.git("fetch", "-q", "origin", "x")
    history.git("checkout", "-q", "FETCH_HEAD", "--", NAME)


def _fetched_branch(history: History) -> None:
    """Take the file from a branch that a fetch wrote, as for a pull request; FETCH_HEAD names another one later."""
    history.git("fetch", "-q", "origin", "+x:pr-42")
    history.git("fetch", "-q", "origin", "main")
    history.git("checkout", "-q", "pr-42", "--", ".agents")


def _check(history: History) -> None:
    history.trusted()


def _attributes(history: History) -> None:
    history.here.write(".git/info/attributes", history.dice.choice((b"", b"*.md text eol=crlf\n", b"*.md ident\n")))


STRANGER = (_stranger, _stranger, _command("fetch", "-q"), _command("fetch", "-q"))
USER = (_edit, _observed, _commit, _commit, _amend, _check, _stamp)
TAKE = (
    *(_merge_quit, _fetch_head, _archive, _apply, _worktree, _soft, _attributes, _submodule, _by_hunks, _by_mail),
    _fetched_branch,
    _command("pull", "-q", "--no-rebase", "--no-edit"),
    _command("pull", "-q", "--rebase"),
    _command("merge", "-q", "--no-edit", "origin/x"),
    _command("merge", "-q", "--squash", "origin/x"),
    _command("rebase", "-q", "origin/x"),
    _command("cherry-pick", "origin/x"),
    _command("cherry-pick", "-n", "origin/x"),
    _command("checkout", "-q", "origin/x", "--", ".agents"),
    _command("checkout", "-q", "origin/x~1", "--", ".agents"),
    _command("restore", "--source", "origin/x", "--staged", "--worktree", ".agents"),
    _command("read-tree", "-u", "-m", "HEAD", "origin/x"),
    _command("stash", "-q"),
    _command("stash", "pop", "-q"),
    _command("switch", "-q", "-C", "side", "origin/x"),
    _command("switch", "-q", "main"),
    _command("reset", "-q", "--hard", "HEAD@{1}"),
    _command("revert", "--no-edit", "HEAD"),
    _command("push", "-q", "-f", "origin", "HEAD:refs/heads/user"),
    _command("sparse-checkout", "set", "--no-cone", "/*", "!notes"),
)


def _compares_reports(history: History) -> None:
    """Compare what is reported with who wrote it; words of texts that were trusted once may be in hub and journal."""
    text, trusted = history.now(), history.trusted()
    if trusted:
        history.seen.update(WORD.findall(text.decode()))
    reported = history.reported()
    if history.now() != text:  # a settle wrote what it measured
        history.kept(text, trusted=trusted)
    strange = {word for word in WORD.findall(reported) if word.startswith(STRANGERS)} - history.seen
    assert strange == set(), (strange, history.steps)
    if text and trusted:
        document = text.decode().replace("\r\n", "\n")
        lines = [*WORD.findall(document[: document.index("## Current")]), *WORD.findall(document)[-1:]]
        assert [word for word in lines if word not in reported] == [], history.steps


def _plays(project: Project, seed: int, length: int) -> None:
    """Play one history, and compare after each step what is trusted with what the model knows."""
    history = History(project, seed)
    looks = {history.dice.randrange(length), length - 1}
    for number in range(length):
        step = history.dice.choice(history.dice.choice((STRANGER, USER, TAKE, TAKE)))
        step(history)
        history.steps.append(step.__name__)
        history.settle()
        text = history.now()
        trusted = history.trusted()
        if text and trusted:
            assert text.replace(b"\r\n", b"\n") in history.composed, (seed, history.steps)
        if text in history.vouched:
            assert trusted, (seed, history.steps)
        if number in looks:
            _compares_reports(history)


@pytest.mark.parametrize("seed", range(3))
def test_only_the_users_texts_are_trusted(here: Project, seed: int) -> None:
    """Whatever git did, a trusted text is one that the user composed, and what the user recorded is trusted."""
    _plays(here, seed, 10)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 300))
def test_only_the_users_texts_are_trusted_in_long_histories(here: Project, seed: int) -> None:
    """The same for many long histories."""
    _plays(here, seed, 40)

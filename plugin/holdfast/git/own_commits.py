"""Commits that were made on this machine, from git's logs of HEAD, without starting git."""

import os

from holdfast.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Line = tuple[str, str, float | None, bytes]

_MOST = 20_000  # lines of a log that are read, the latest
_TAIL = 1 << 16  # bytes of a log that are read for the commits since a time


class Made:
    """One commit: its full hash, its subject, seconds since 1970, and the working tree in which it was made.

    `branch` is where it was made, "" if that is still checked out.
    """

    __slots__ = ("at", "branch", "name", "subject", "tree")

    def __init__(self, name: str, subject: str, at: float, tree: str, branch: str = "") -> None:
        self.name, self.subject, self.at, self.tree, self.branch = name, subject, at, tree, branch


def head_logs(common: str) -> list[str]:
    """Return the path of the log of HEAD of each working tree; `common` is git's common folder."""
    folder = f"{common}/worktrees"
    try:
        others = sorted(os.listdir(folder))
    except OSError:
        others = []
    return [f"{common}/logs/HEAD", *(f"{folder}/{name}/logs/HEAD" for name in others)]


def commits(common: str) -> list[Made]:
    """Return the commits that `git commit` made in any working tree, newest first; merges and rebases are left out."""
    made = [each for path in head_logs(common) for each in _in_log(path, tree(path.removesuffix("/logs/HEAD")))]
    return sorted(made, key=lambda each: each.at, reverse=True)


def since(git: str, at: float) -> list[Made]:
    """Return the commits that `git commit` made after `at` in the working tree of a git folder, newest first."""
    try:
        lines = files.tail(f"{git}/logs/HEAD", _TAIL).splitlines()
    except OSError:
        return []
    return [one for one in _made(lines, tree(git)) if one.at > at]


def head_moves(git: str) -> list[tuple[float, str]]:
    """Return (time, commit) of each move of HEAD, oldest first; `git` is the folder of a working tree's HEAD.

    [] when no plain file tells them.
    """
    try:
        lines = files.read(git + "/logs/HEAD").splitlines() if git else []
    except OSError:
        return []
    return [(at, name) for _, name, at, _ in map(parse, lines) if name and at is not None]


def has_rested(git: str, since: float) -> bool:
    """Whether HEAD has not moved since a time, so that there is no new commit; False where its log does not tell."""
    moves = head_moves(git)
    return bool(moves) and max(at for at, _ in moves) <= since


def tree(folder: str) -> str:
    """Return the working tree of a git folder, "" if nothing names it."""
    if folder.endswith("/.git"):
        return folder.removesuffix("/.git")
    try:
        return os.path.dirname(os.fsdecode(files.read(f"{folder}/gitdir")).strip())
    except OSError:
        return ""


def _in_log(path: str, tree: str) -> "Iterator[Made]":
    try:
        lines = files.read(path).splitlines()
    except OSError:
        return
    yield from _made(lines[-_MOST:], tree)


def _made(lines: list[bytes], tree: str) -> "Iterator[Made]":
    """Yield the commits of these lines of a log, newest first, within one second too."""
    branch = now = b""
    for line in reversed(lines):
        _, name, at, why = parse(line)
        action, _, subject = why.partition(b": ")
        if action == b"checkout":
            branch, _, to = subject.removeprefix(b"moving from ").partition(b" to ")
            now = now or to
        if action in (b"commit", b"commit (initial)", b"commit (amend)") and at is not None:
            elsewhere = "" if branch == now else branch.decode("utf-8", "replace")
            yield Made(name, subject.decode("utf-8", "replace"), at, tree, elsewhere)


def parse(line: bytes) -> "Line":
    """Return the old commit, the new one, the time in seconds since 1970, and why HEAD or the branch moved.

    What a damaged line lacks is "", for the time None.
    """
    move, _, why = line.partition(b"\t")
    before, after = [*move.split(b" ", 2), b"", b""][:2]
    seconds = move.rpartition(b"> ")[2].partition(b" ")[0]
    return os.fsdecode(before), os.fsdecode(after), float(seconds) if seconds.isdigit() else None, why

"""What the reflogs of a clone say: which commits were made here, and which ones git brought.

Git writes a line to a reflog for each move of HEAD and of a branch. A clone does not bring reflogs along. An unpacked
archive can, but no archive can set the change times of the files of its git folder: a line is believed if it is not
older than all of them, if the file with its commit, or a pack, is not older than the line, and if it is later than the
last untrue line: one that says that a commit was made after its file. So an archive with lines for many moments, one of
which is right, is not believed.
"""

import os
import re
import time

from holdfast.core import files
from holdfast.git import operations, reflog_lines
from holdfast.git.own_commits import head_logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.project.paths import Project

    When = tuple[float, float]  # seconds since 1970, then the order within one second

_LOCKS = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")
_WRITTEN = (b"commit:", b"commit (initial):", b"commit (amend):")
# Moves to a commit that git created on this machine, from texts of any author.
_CREATED = (b"commit", b"cherry-pick", b"revert", b"am", b"rebase", b"pull --rebase", b"merge", b"pull")
_FORWARD = (b": Fast-forward", b": fast-forward", b"(start)", b"(finish)")
# A branch that git wrote with what it received, such as `git fetch origin pull/42/head:pr-42`, that was made from
# FETCH_HEAD, or to which a command without a message set it, such as `git update-ref`.
_FETCHED = re.compile(
    rb"(?:: (?:storing (?:head|ref|tag)|forced-update|fast-forward)|\tpush|\tfast-import"
    rb"|\tbranch: (?:Created from|Reset to) FETCH_HEAD|> \d+ [-+]\d{4}\t?)$"
)
_MAX_MOVES = 2000  # of a HEAD, the latest
_MAX_LOGS = 500  # of branches, the last changed ones
_MAX_AGED = 3000  # files of a git folder whose change time is looked at
_SLACK = 2.0  # seconds between the clocks of git and of the file system


class Move:
    """One line of a reflog: from which commit to which, when, and how the new commit came about.

    `written`: a commit command here made it. `created`: some command here made it, such as a rebase.
    """

    __slots__ = ("at", "before", "commit", "created", "seconds", "written")

    def __init__(self, line: bytes, order: float, since: float) -> None:
        self.before, self.commit, seconds, message = reflog_lines.parse(line)
        self.seconds = seconds or 0.0
        self.at: When = (max(self.seconds, since), order)
        self.written = message.startswith(_WRITTEN)
        self.created = message.startswith(_CREATED) and not any(word in message for word in _FORWARD)


def signature(project: "Project") -> str:
    """Return a text that changes with every commit here, and when an operation begins or ends.

    Nothing else can make an unknown text known.
    """
    stamps = map(_stamp, head_logs(project.common))
    return " ".join([*stamps, *operations.running(project.git, operations.UNSETTLED)])


def is_running(project: "Project") -> bool:
    """Whether git is changing the index or HEAD now."""
    return any(os.path.lexists(f"{project.git}/{name}") for name in _LOCKS)


def busy(project: "Project") -> bool:
    """Whether git is changing the working tree now, or is in the middle of an operation such as a merge."""
    return is_running(project) or bool(operations.running(project.git, operations.UNSETTLED))


def moves(project: "Project") -> list[Move]:
    """Return every believable move, latest first: of all HEADs, and of branches by anything but a commit.

    Within one second, a fetch comes first, then the moves of a HEAD in their order, then those of branches.
    """
    found = [*_moves(project)]
    packed = _packed(f"{project.common}/objects/pack")
    stored = {move: _stored(project, move, packed) for move in found if move.created}
    untrue = [move.seconds for move, at in stored.items() if move.written and 0 < at < move.seconds - _SLACK]
    begin, end = max([_born(project) - _SLACK, *(at + 1 for at in untrue)]), time.time() + _SLACK
    believed = [
        move
        for move in found
        if not move.created or (begin <= move.seconds <= end and stored[move] >= move.seconds - _SLACK)
    ]
    return sorted(believed, key=lambda move: move.at, reverse=True)


def _stored(project: "Project", move: Move, packed: float) -> float:
    """Return the latest time at which the file with a commit can have been written, 0.0 for no such file.

    `packed` is when the latest pack was written.
    """
    return max(packed, _changed(f"{project.common}/objects/{move.commit[:2]}/{move.commit[2:]}"))


def _packed(folder: str) -> float:
    """Return when the latest pack was written, 0.0 without one."""
    try:
        return max((_changed(f"{folder}/{name}") for name in os.listdir(folder)), default=0.0)
    except OSError:
        return 0.0


def _changed(path: str) -> float:
    """Return the change time of a file in seconds since 1970, 0.0 where there is none."""
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return 0.0


def from_elsewhere(project: "Project", ref: str) -> bool:
    """Whether a ref may have commits from elsewhere: it is no branch, has no reflog, or a fetch wrote it."""
    lines = _lines(f"{project.common}/logs/{ref}") if ref.startswith("refs/heads/") else []
    return not lines or any(map(_FETCHED.search, lines))


def _born(project: "Project") -> float:
    """Return when the git folder came to this disk: the earliest change time of a file in it, seconds since 1970."""
    found, left = time.time(), _MAX_AGED
    for folder, _, names in os.walk(project.common):
        for name in names[:left]:
            try:
                found = min(found, os.lstat(f"{folder}/{name}").st_ctime)
            except OSError:  # removed meanwhile
                continue
        left -= len(names)
        if left <= 0:
            break
    return found


def _moves(project: "Project") -> "Iterator[Move]":
    for log in head_logs(project.common):
        since = 0.0
        for order, line in enumerate(_lines(log)[-_MAX_MOVES:]):
            move = Move(line, order, since)
            since = move.at[0]
            yield move
    for log in _branch_logs(project):
        rank = -1.0 if "/logs/refs/remotes/" in log else float("inf")
        for line in _lines(log)[-_MAX_MOVES:]:
            move = Move(line, -1.0 if _FETCHED.search(line) else rank, 0.0)
            if not move.written and b"\tupdate by push" not in line:
                yield move


def _branch_logs(project: "Project") -> list[str]:
    """Return the paths of the reflogs of branches, the last changed ones."""
    found = [
        (os.lstat(f"{folder}/{name}").st_mtime, f"{folder}/{name}")
        for kind in ("heads", "remotes")
        for folder, _, names in os.walk(f"{project.common}/logs/refs/{kind}")
        for name in names
    ]
    return [path for _, path in sorted(found, reverse=True)[:_MAX_LOGS]]


def _lines(log: str) -> list[bytes]:
    try:
        return files.read(log).splitlines()
    except OSError:
        return []


def _stamp(log: str) -> str:
    """Return a text that changes when a file is written."""
    try:
        found = os.stat(log)
    except OSError:
        return "-"
    return f"{found.st_size}.{found.st_mtime_ns}"

"""Whether a text in a git repository was written here or came with a clone, a pull or a merge.

The reflogs say what moved each HEAD of this clone. A text that a `commit` added was written here. A text that came with
any other move of a HEAD, or with a fetch, is from elsewhere, also when it is merged with an own text. When both apply,
the earlier one decides. A repository does not bring reflogs along, so they cannot be forged.
"""

import os

from holdfast.core import files
from holdfast.git import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.project.paths import Project

    When = tuple[float, float]  # seconds since 1970, then the order within one second

_WRITTEN = (b"commit:", b"commit (initial):", b"commit (amend):")
_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_OPERATIONS = (*_HEADS, "rebase-merge", "rebase-apply", "SQUASH_MSG")
_MAX_MOVES = 2000  # of a HEAD, the latest
_MAX_QUESTIONS = 20_000  # moves times files; with more, the oldest moves are left out
_MAX_LOGS = 500  # of branches, the last changed ones
_NOW = (float("inf"), 0.0)  # later than every move
_NEVER = (float("inf"), 1.0)  # an unknown origin sorts last


class _Move:
    """One line of a reflog: from which commit to which, when, and whether a commit made here caused it."""

    __slots__ = ("at", "before", "commit", "written")

    def __init__(self, line: bytes, order: float, since: float) -> None:
        head, _, message = line.partition(b"\t")
        seconds = head.rpartition(b"> ")[2].partition(b" ")[0]
        self.before, self.commit = (os.fsdecode(word) for word in [*head.split(b" ", 2), b"", b""][:2])
        self.at: When = (max(float(seconds) if seconds.isdigit() else 0.0, since), order)
        self.written = message.startswith(_WRITTEN)


def signature(project: "Project") -> str:
    """Return a text that changes with every commit here, and when a merge or the like begins or ends."""
    stamps = [_stamp(log) for log in _head_logs(project)]
    return " ".join([*stamps, *(name for name in _OPERATIONS if os.path.lexists(f"{project.git}/{name}"))])


def from_elsewhere(project: "Project", texts: "dict[str, bytes]") -> set[str] | None:
    """Return the paths of the texts that came from elsewhere; None when git fails.

    `texts` maps the path in the working tree to the bytes of the file.
    """
    asked = {path: data for path, data in texts.items() if "\n" not in path}
    names = _object_names(project, asked) if asked else {}
    moves = sorted(_moves(project), key=lambda move: move.at, reverse=True)
    made = {move.commit for move in moves if move.written}
    came = _first_brought(project, [move for move in moves if move.commit not in made], [*asked])
    written = _first_written(project, [move for move in moves if move.written][:_MAX_MOVES], [*asked])
    if names is None or came is None:
        return None
    conflicting = _unmerged(project, came, [*asked]) if _in_operation(project) else set()
    late = {path for path, own in names.items() if not _first(written, own) <= _first(came, own)}
    return {path for path in texts if path not in asked} | late | conflicting


def _first(known: "dict[str, When]", names: "Iterable[str]") -> "When":
    """Return the earliest time of one of these objects; an unknown origin sorts last."""
    return min((known[name] for name in names if name in known), default=_NEVER)


def _object_names(project: "Project", texts: "dict[str, bytes]") -> "dict[str, set[str]] | None":
    """Return git's possible object names for each text: as filtered, unchanged, and with Unix line ends."""
    listed = "".join(f"{path}\n" for path in texts)
    code, output, _ = run.run(project.root, "hash-object", "--stdin-paths", stdin=listed)
    filtered = output.split()
    if code or len(filtered) != len(texts):
        return None
    return {
        path: {name, _object_name(data, name), _object_name(data.replace(b"\r\n", b"\n"), name)}
        for (path, data), name in zip(texts.items(), filtered, strict=True)
    }


def _object_name(data: bytes, like: str) -> str:
    """Return git's object name for a text, as SHA-1 or SHA-256 like another name."""
    import hashlib

    algorithm = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    return algorithm(b"blob %d\0" % len(data) + data).hexdigest()


def _first_brought(project: "Project", moves: "list[_Move]", paths: list[str]) -> "dict[str, When] | None":
    """Return the objects at these paths after each move, and at HEAD now, with the first time; None when git fails."""
    times = {move.commit: move.at for move in moves[: max(50, _MAX_QUESTIONS // max(1, len(paths)))]}
    times |= dict.fromkeys(("HEAD", *_HEADS), _NOW)
    questions = [(at, f"{commit}:{path}") for commit, at in times.items() for path in paths]
    listed = "".join(f"{name}\n" for _, name in questions)
    command = ("cat-file", "--batch-check=%(objectname)")
    code, output, _ = run.run(project.root, *command, stdin=listed)
    found: dict[str, When] = {}
    for (at, _), name in zip(questions, output.split("\n"), strict=False):
        found[name] = min(at, found.get(name, at))
    return None if code else found


def _first_written(project: "Project", moves: "list[_Move]", paths: list[str]) -> "dict[str, When]":
    """Return the objects that commits made here added at these paths, with the first time."""
    times = {move.commit: move.at for move in moves}
    listed = "".join(
        f"{move.commit} {move.before}\n" if move.before.strip("0") else f"{move.commit}\n" for move in moves
    )
    command = ("--literal-pathspecs", "diff-tree", "--stdin", "--root", "-r", "--raw", "--no-abbrev", "--no-renames")
    _, output, _ = run.run(project.root, *command, "--", *paths, stdin=listed)
    found: dict[str, When] = {}
    at = _NOW
    for line in output.split("\n"):  # a commit that no longer exists has no lines
        if line.startswith(":"):
            name = line.split(" ")[3]
            found[name] = min(at, found.get(name, at))
        else:
            at = times.get(line, _NOW)
    return found


def _in_operation(project: "Project") -> bool:
    """Whether a merge, rebase, cherry-pick or revert has begun and not ended."""
    return any(os.path.lexists(f"{project.git}/{name}") for name in _OPERATIONS)


def _unmerged(project: "Project", came: "dict[str, When]", paths: list[str]) -> set[str]:
    """Return the files in conflict during a merge, and add what the merge staged to the objects in `came`."""
    command = ("--literal-pathspecs", "ls-files", "--stage", "-z", "--", *paths)
    conflicting = set()
    for entry in run.run(project.root, *command)[1].split("\0"):
        head, _, path = entry.partition("\t")
        _, name, stage = [*head.split(" "), "", "", ""][:3]
        conflicting |= {path} if stage not in {"", "0"} else set()
        came.setdefault(name, _NOW)
    return conflicting


def _moves(project: "Project") -> "Iterator[_Move]":
    """Yield every recorded move: of the HEADs of all working trees, and of branches by anything but a commit.

    Within one second, a fetch comes first, then the moves of a HEAD in their order, then those of branches.
    """
    for log in _head_logs(project):
        since = 0.0
        for order, line in enumerate(_lines(log)[-4 * _MAX_MOVES :]):
            move = _Move(line, order, since)
            since = move.at[0]
            yield move
    for log in _branch_logs(project):
        rank = -1.0 if "/logs/refs/remotes/" in log else float("inf")
        for line in _lines(log)[-_MAX_MOVES:]:
            move = _Move(line, rank, 0.0)
            if not move.written and b"\tupdate by push" not in line:
                yield move


def _head_logs(project: "Project") -> list[str]:
    """Return the path of the reflog of HEAD of each working tree."""
    folder = f"{project.common}/worktrees"
    try:
        others = sorted(os.listdir(folder))
    except OSError:
        others = []
    return [f"{project.common}/logs/HEAD", *(f"{folder}/{name}/logs/HEAD" for name in others)]


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
    """Return a text that changes when a line is added to a log."""
    try:
        found = os.stat(log)
    except OSError:
        return "-"
    return f"{found.st_size}.{found.st_mtime_ns}"

"""Where a text in a git repository comes from: written here, or come with a clone, a pull or a merge.

git remembers what each HEAD of a clone was moved by. What a `commit` here changed was written here; what any other
move of a HEAD, or a fetch, brought along came from elsewhere, and so did what it brought together with own text.
None of these memories travels with a repository. Of a text that both brought, the earlier one counts.
"""

import os

from holdfast import files, gitrun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.paths import Place

    When = tuple[float, float]  # seconds, then the order of what happened within one

_WRITTEN = (b"commit:", b"commit (initial):", b"commit (amend):")
_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_UNDER_WAY = (*_HEADS, "rebase-merge", "rebase-apply", "SQUASH_MSG")
_LATEST = 2000  # moves of a HEAD that are looked at
_ASKED = 20_000  # of these times files: the oldest moves give way
_LOGS = 500  # of branches, the last changed ones
_NOW = (float("inf"), 0.0)


class _Move:
    """One move of a HEAD or a branch: from which commit to which, when, and whether a commit here was what moved it."""

    __slots__ = ("at", "before", "commit", "written")

    def __init__(self, line: bytes, order: float, since: float) -> None:
        told, _, message = line.partition(b"\t")
        seconds = told.rpartition(b"> ")[2].partition(b" ")[0]
        self.before, self.commit = (os.fsdecode(word) for word in [*told.split(b" ", 2), b"", b""][:2])
        self.at: When = (max(float(seconds) if seconds.isdigit() else 0.0, since), order)
        self.written = message.startswith(_WRITTEN)


def signature(home: "Place") -> str:
    """Return what changes whenever something may have been committed here, or a merge begins or ends."""
    stamps = [_stamp(log) for log in _head_logs(home)]
    return " ".join([*stamps, *(name for name in _UNDER_WAY if os.path.lexists(f"{home.git}/{name}"))])


def foreign(home: "Place", wanted: "dict[str, bytes]") -> set[str] | None:
    """Return those files that hold a text from elsewhere, of these by their path in the working tree and their bytes.

    None where git cannot tell.
    """
    asked = {path: data for path, data in wanted.items() if "\n" not in path}
    names = _names(home, asked) if asked else {}
    moves = sorted(_moves(home), key=lambda move: move.at, reverse=True)
    made = {move.commit for move in moves if move.written}  # what stood there before them came by another move
    came = _came(home, [move for move in moves if move.commit not in made], [*asked])
    written = _written(home, [move for move in moves if move.written][:_LATEST], [*asked])
    if names is None or came is None:
        return None
    torn = _unmerged(home, came, [*asked]) if _under_way(home) else set()
    late = {path for path, own in names.items() if not _first(written, own) <= _first(came, own)}
    return {path for path in wanted if path not in asked} | late | torn


def _first(known: "dict[str, When]", names: "Iterable[str]") -> "When":
    """Return when the first of these objects came up; never is later than anything."""
    return min((known[name] for name in names if name in known), default=(float("inf"), 1.0))


def _names(home: "Place", wanted: "dict[str, bytes]") -> "dict[str, set[str]] | None":
    """Return the names that git may have for the text of each file: as it stands, with plain line ends, as filtered."""
    listed = "".join(f"{path}\n" for path in wanted)
    code, output, _ = gitrun.run(home.root, "hash-object", "--stdin-paths", given=listed)
    filtered = output.split()
    if code or len(filtered) != len(wanted):
        return None
    return {
        path: {name, _name(data, name), _name(data.replace(b"\r\n", b"\n"), name)}
        for (path, data), name in zip(wanted.items(), filtered, strict=True)
    }


def _name(data: bytes, like: str) -> str:
    """Return git's name for a text, in the same kind of name as another one."""
    import hashlib

    make = hashlib.sha1 if len(like) == 40 else hashlib.sha256  # git's own name of an object
    return make(b"blob %d\0" % len(data) + data).hexdigest()


def _came(home: "Place", moves: "list[_Move]", paths: list[str]) -> "dict[str, When] | None":
    """Return the objects that stood at these paths after a move, and where HEAD is, each with the first time."""
    times = {move.commit: move.at for move in moves[: max(50, _ASKED // max(1, len(paths)))]}  # the first comes last
    times |= dict.fromkeys(("HEAD", *_HEADS), _NOW)
    asked = [(at, f"{commit}:{path}") for commit, at in times.items() for path in paths]
    listed = "".join(f"{name}\n" for _, name in asked)
    command = ("cat-file", "--batch-check=%(objectname)")
    code, output, _ = gitrun.run(home.root, *command, given=listed)
    found: dict[str, When] = {}
    for (at, _), name in zip(asked, output.split("\n"), strict=False):
        found[name] = min(at, found.get(name, at))
    return None if code else found


def _written(home: "Place", moves: "list[_Move]", paths: list[str]) -> "dict[str, When]":
    """Return the objects that commits here put at these paths, each with the first time."""
    times = {move.commit: move.at for move in moves}
    listed = "".join(
        f"{move.commit} {move.before}\n" if move.before.strip("0") else f"{move.commit}\n" for move in moves
    )
    command = ("--literal-pathspecs", "diff-tree", "--stdin", "--root", "-r", "--raw", "--no-abbrev", "--no-renames")
    _, output, _ = gitrun.run(home.root, *command, "--", *paths, given=listed)
    found: dict[str, When] = {}
    at = _NOW
    for line in output.split("\n"):  # where a commit has gone since, what came before it counts
        if line.startswith(":"):
            name = line.split(" ")[3]
            found[name] = min(at, found.get(name, at))
        else:
            at = times.get(line, _NOW)
    return found


def _under_way(home: "Place") -> bool:
    return any(os.path.lexists(f"{home.git}/{name}") for name in _UNDER_WAY)


def _unmerged(home: "Place", came: "dict[str, When]", paths: list[str]) -> set[str]:
    """Return the files in conflict while a merge is under way; what it staged of the others came with it."""
    command = ("--literal-pathspecs", "ls-files", "--stage", "-z", "--", *paths)
    torn = set()
    for entry in gitrun.run(home.root, *command)[1].split("\0"):
        told, _, path = entry.partition("\t")
        _, name, stage = [*told.split(" "), "", "", ""][:3]
        torn |= {path} if stage not in {"", "0"} else set()
        came.setdefault(name, _NOW)
    return torn


def _moves(home: "Place") -> "Iterator[_Move]":
    """Yield every move that is remembered: of the HEADs of all working trees, and of branches by other than commits.

    Seconds decide little where several things happen in one: a HEAD's own moves have an order, a fetch comes before
    them, and a branch only follows.
    """
    for log in _head_logs(home):
        since = 0.0
        for order, line in enumerate(_lines(log)[-4 * _LATEST :]):
            move = _Move(line, order, since)
            since = move.at[0]
            yield move
    for log in _branch_logs(home):
        rank = -1.0 if "/logs/refs/remotes/" in log else float("inf")
        for line in _lines(log)[-_LATEST:]:
            move = _Move(line, rank, 0.0)
            if not move.written and b"\tupdate by push" not in line:
                yield move


def _head_logs(home: "Place") -> list[str]:
    """Return where the moves of the HEAD of each working tree are remembered."""
    folder = f"{home.common}/worktrees"
    try:
        others = sorted(os.listdir(folder))
    except OSError:
        others = []
    return [f"{home.common}/logs/HEAD", *(f"{folder}/{name}/logs/HEAD" for name in others)]


def _branch_logs(home: "Place") -> list[str]:
    """Return where the moves of branches are remembered, of those that were changed last."""
    found = [
        (os.lstat(f"{folder}/{name}").st_mtime, f"{folder}/{name}")
        for kind in ("heads", "remotes")
        for folder, _, names in os.walk(f"{home.common}/logs/refs/{kind}")
        for name in names
    ]
    return [path for _, path in sorted(found, reverse=True)[:_LOGS]]


def _lines(log: str) -> list[bytes]:
    try:
        return files.read(log).splitlines()
    except OSError:
        return []


def _stamp(log: str) -> str:
    """Return what changes when a line is added to a log."""
    try:
        found = os.stat(log)
    except OSError:
        return "-"
    return f"{found.st_size}.{found.st_mtime_ns}"

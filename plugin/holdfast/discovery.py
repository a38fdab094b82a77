"""The state files of a project: in the known places only, as the file system has them, never through a link."""

import os

from holdfast import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Entry = os.DirEntry[str]
    Listed = list[tuple[str, Entry]]
    Pattern = list[str]

MOST = 20_000  # files in all, and folders
LARGEST = files.LARGEST  # a larger file is listed and not read
FOLDER_MOST = (
    10_000  # of one folder for one pattern: the last by name, which are the latest where names begin with a date
)


class Found:
    """What was found: the absolute path of each file with its line; `left_out` more were too many to look at."""

    __slots__ = ("left_out", "lines")

    def __init__(self, lines: "dict[str, str]", left_out: int) -> None:
        self.lines = lines
        self.left_out = left_out

    @property
    def paths(self) -> list[str]:
        """The paths, sorted."""
        return sorted(self.lines)


def state_files(root: str, places: "Iterable[str]") -> Found:
    """Return the plain files under `root` that lie where one of the patterns says; a file of two names is one."""
    search = _Search()
    if root:
        search.run(os.path.abspath(root), [place.split("/") for place in places])
    return Found(search.lines, search.left_out)


def line(path: str, found: os.stat_result) -> str:
    """Return what stands for a file as it is now, and for no other: `files.signature` and its path."""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {path}"


def path_in(line: str) -> str:
    """Return the path in a line."""
    return line.split(" ", 4)[4]


class _Search:
    """One look at all known places."""

    __slots__ = ("_folders", "_linked", "_next", "left_out", "lines")

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        self._linked: dict[tuple[int, int], str] = {}  # the first path of a file of several names
        self.left_out = self._folders = 0
        self._next: list[tuple[str, list[Pattern]]] = []

    def run(self, root: str, patterns: "list[Pattern]") -> None:
        """Look into `root` and, level by level, into the folders that patterns lead to; into each once."""
        self._next.append((root, patterns))
        for folder, wanted in self._next:  # which grows meanwhile
            self._enter(folder, wanted)

    def _enter(self, folder: str, patterns: "list[Pattern]") -> None:
        """Look into a folder; what is asked of the files in it is asked beside its handle, which is quicker by far."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:  # gone since, or nothing that can be listed
            return
        try:
            self._sort(folder, _listed(handle), patterns)
        finally:
            os.close(handle)

    def _sort(self, folder: str, there: "Listed", patterns: "list[Pattern]") -> None:
        """Keep the files in a folder that end a pattern, and note the folders that one goes on in."""
        ends: dict[str, Entry] = {}
        deeper: dict[str, list[Pattern]] = {}
        for wanted, *rest in patterns:
            fitting = self._fitting(there, wanted, folders=bool(rest))
            if not rest:
                ends |= {entry.name: entry for entry in fitting}
                continue
            for entry in fitting:
                deeper.setdefault(entry.name, []).append(rest)
        inside = folder.rstrip("/") + "/"
        self._keep(inside, ends)
        for name in sorted(deeper):
            self._note(inside + name, deeper[name])

    def _fitting(self, there: "Listed", wanted: str, *, folders: bool) -> "list[Entry]":
        """Return the folders, or the plain files, that a name of a pattern stands for."""
        known = {*paths.fitting((name for name, _ in there), wanted)}
        fitting = _those([entry for name, entry in there if name in known], folders=folders) if known else []
        if len(fitting) <= FOLDER_MOST:
            return fitting
        self.left_out += len(fitting) - FOLDER_MOST
        return sorted(fitting, key=lambda entry: entry.name)[-FOLDER_MOST:]

    def _keep(self, inside: str, ends: "dict[str, Entry]") -> None:
        """Keep these files, a file under the first of its names, unless there are too many."""
        room = MOST - len(self.lines)
        for name in ends if len(ends) <= room else sorted(ends)[:room]:
            try:
                here = ends[name].stat(follow_symlinks=False)
            except OSError:  # gone since
                continue
            path = inside + name
            if here.st_nlink == 1:
                self.lines[path] = line(path, here)
            else:
                self._keep_one(path, here)
        self.left_out += max(0, len(ends) - room)

    def _keep_one(self, path: str, here: os.stat_result) -> None:
        """Keep a file that has other names, under the first of them."""
        known = self._linked.setdefault((here.st_dev, here.st_ino), path)
        self.lines.pop(known, None)
        path = self._linked[here.st_dev, here.st_ino] = min(known, path)
        self.lines[path] = line(path, here)

    def _note(self, folder: str, patterns: "list[Pattern]") -> None:
        """Note a folder to look into, unless there are too many."""
        if self._folders == MOST:
            self.left_out += 1
            return
        self._folders += 1
        self._next.append((folder, patterns))


def _listed(handle: int) -> "Listed":
    """Return what is in an open folder, each with its name without regard to case; nothing where that fails."""
    try:
        with os.scandir(handle) as entries:
            return [(entry.name.casefold(), entry) for entry in entries if not entry.name.startswith(files.ASIDE)]
    except OSError:
        return []


def _those(entries: "list[Entry]", *, folders: bool) -> "list[Entry]":
    """Return those entries that are themselves folders, or plain files; a link is neither."""
    try:
        if folders:
            return [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        return [entry for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:  # one is gone since, where the file system does not tell what it lists
        return [each for entry in entries for each in _those([entry], folders=folders)] if entries[1:] else []

"""The state files of a project: in the known places only, as the file system has them, never through a link."""

import os

from holdfast import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Pattern = list[str]

MOST = 10_000  # files in all, and folders
LARGEST = files.LARGEST  # a larger file is listed and not read
FOLDER_MOST = (
    4_000  # of one folder for one pattern: the last by name, which are the latest where names begin with a date
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
            self._sort(folder.rstrip("/") + "/", handle, patterns)
        except OSError:
            return
        finally:
            os.close(handle)

    def _sort(self, inside: str, handle: int, patterns: "list[Pattern]") -> None:
        """Keep the files in a folder that end a pattern, and note the folders that one goes on in."""
        if len(patterns) == 1 == len(patterns[0]) and "*" not in patterns[0][0]:  # as in thousands of folders
            low = patterns[0][0].casefold()
            self._keep(inside, handle, [name for name in os.listdir(handle) if name.casefold() == low])
            return
        there = _by_low(os.listdir(handle))
        ends: dict[str, None] = {}
        deeper: dict[str, list[Pattern]] = {}
        folders = _folders(handle) if any(rest for _, *rest in patterns) else set()
        for wanted, *rest in patterns:
            fitting = [name for low in paths.fitting(there, wanted) for name in there[low]]
            if not rest:
                ends |= dict.fromkeys(self._few(fitting))
                continue
            for name in self._few([name for name in fitting if name in folders]):
                deeper.setdefault(name, []).append(rest)
        self._keep(inside, handle, ends)
        for name in sorted(deeper):
            self._note(inside + name, deeper[name])

    def _few(self, names: list[str]) -> list[str]:
        """Return those of these names that are not too many."""
        self.left_out += max(0, len(names) - FOLDER_MOST)
        return names if len(names) <= FOLDER_MOST else sorted(names)[-FOLDER_MOST:]

    def _keep(self, inside: str, handle: int, ends: "Iterable[str]") -> None:
        """Keep those of these that are plain files, a file under the first of its names, unless there are too many."""
        lstat, lines = os.lstat, self.lines
        for name in sorted(ends):
            try:
                here = lstat(name, dir_fd=handle)
            except OSError:  # gone since
                continue
            path = inside + name
            if here.st_mode & 0o170000 != 0o100000:  # stat.S_ISREG, which takes longer for thousands
                continue
            if len(lines) == MOST:
                self.left_out += 1
            elif here.st_nlink == 1:
                lines[path] = line(path, here)
            else:
                self._keep_one(path, here)

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


def _by_low(names: list[str]) -> "dict[str, tuple[str, ...]]":
    """Return these names by what they are without their case; most differ in more than that.

    What is just being written is none of them.
    """
    names = [name for name in names if not name.startswith(files.ASIDE)]
    there: dict[str, tuple[str, ...]] = dict(zip(map(str.casefold, names), zip(names, strict=True), strict=True))
    if len(there) < len(names):
        for name in names:
            same = there[name.casefold()]
            there[name.casefold()] = same if name in same else (*same, name)
    return there


def _folders(handle: int) -> set[str]:
    """Return the names of the folders in an open folder; a link is none."""
    with os.scandir(handle) as entries:
        return {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}

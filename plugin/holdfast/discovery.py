"""The state files of a project: in the known places only, as the file system has them, never through a link."""

import os

from holdfast import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Entry = os.DirEntry[str]
    Pattern = list[str]

MOST = 5000  # files in all, and folders
LARGEST = files.LARGEST  # a larger file is listed and not read
FOLDER_MOST = (
    2000  # of one folder for one pattern: the last by name, which are the latest where names begin with a date
)


class Found:
    """The absolute paths of what was found, sorted; `left_out` files and folders more were too many to look at."""

    __slots__ = ("left_out", "paths")

    def __init__(self, found: list[str], left_out: int) -> None:
        self.paths = found
        self.left_out = left_out


def state_files(root: str, places: "Iterable[str]") -> Found:
    """Return the plain files under `root` that lie where one of the patterns says; a file of two names is one."""
    search = _Search()
    if root:
        search.run(os.path.abspath(root), [place.split("/") for place in places])
    return Found(sorted(search.found.values()), search.left_out)


class _Search:
    """One look at all known places; `found` has the path of each file by device and inode."""

    __slots__ = ("_folders", "_next", "found", "left_out")

    def __init__(self) -> None:
        self.found: dict[tuple[int, int], str] = {}
        self.left_out = self._folders = 0
        self._next: list[tuple[str, list[Pattern]]] = []

    def run(self, root: str, patterns: "list[Pattern]") -> None:
        """Look into `root` and, level by level, into the folders that patterns lead to; into each once."""
        self._next.append((root, patterns))
        while self._next:
            self._enter(*self._next.pop(0))

    def _enter(self, folder: str, patterns: "list[Pattern]") -> None:
        """Keep the files in a folder that end a pattern, and note the folders that one goes on in."""
        names = _listed(folder)
        ends: dict[str, Entry] = {}
        deeper: dict[str, list[Pattern]] = {}
        for wanted, *rest in patterns:
            for entry in self._fitting(names, wanted, folders=bool(rest)):
                if rest:
                    deeper.setdefault(entry.path, []).append(rest)
                else:
                    ends[entry.path] = entry
        for path in sorted(ends):
            self._keep(ends[path])
        for path in sorted(deeper):
            self._note(path, deeper[path])

    def _fitting(self, names: "dict[str, list[Entry]]", wanted: str, *, folders: bool) -> "list[Entry]":
        """Return the folders, or the plain files, that a name of a pattern stands for."""
        known = [name for name in names if paths.fits(name, wanted)] if "*" in wanted else [wanted.casefold()]
        fitting = [entry for name in known for entry in names.get(name, []) if _is(entry, folder=folders)]
        self.left_out += max(0, len(fitting) - FOLDER_MOST)
        return sorted(fitting, key=lambda entry: entry.name)[-FOLDER_MOST:]

    def _keep(self, entry: "Entry") -> None:
        """Keep a file under the first of its names, unless there are too many."""
        if len(self.found) == MOST:
            self.left_out += 1
            return
        try:
            here = entry.stat(follow_symlinks=False)
        except OSError:  # gone since
            return
        file = (here.st_dev, here.st_ino)
        self.found[file] = min(entry.path, self.found.get(file, entry.path))

    def _note(self, folder: str, patterns: "list[Pattern]") -> None:
        """Note a folder to look into, unless there are too many."""
        if self._folders == MOST:
            self.left_out += 1
            return
        self._folders += 1
        self._next.append((folder, patterns))


def _listed(folder: str) -> "dict[str, list[Entry]]":
    """Return what is in a folder by name, without regard to case; nothing for a folder that cannot be listed."""
    names: dict[str, list[Entry]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(files.ASIDE):
                    names.setdefault(entry.name.casefold(), []).append(entry)
    except OSError:
        return {}
    return names


def _is(entry: "Entry", *, folder: bool) -> bool:
    """Whether an entry is itself a folder, or a plain file; a link is neither."""
    try:
        return entry.is_dir(follow_symlinks=False) if folder else entry.is_file(follow_symlinks=False)
    except OSError:  # gone since
        return False

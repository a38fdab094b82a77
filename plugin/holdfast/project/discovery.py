"""Find the state files of a project: files that match the formats' patterns, never through a link; and its loops."""

import os
import sys

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project

    Pattern = list[str]  # of one path, name by name

MAX_FILES = 10_000  # and as many folders
LARGEST = files.DOCUMENT_LIMIT  # bytes; a larger file is listed and not read
# From one folder for one pattern. The last by name are taken: the latest, where names begin with a date.
MAX_NAMES = 4_000
_SYNCTHING = ".sync-conflict-"
_NUMBER = 4  # characters of the number of a copy, with brackets
_CASE_COUNTS = sys.platform == "linux"  # elsewhere only the listing of its folder shows how a file's name is written


class FoundFiles:
    """The files found: `lines` maps absolute path to fingerprint line; `left_out` is how many were too many.

    `folders` maps each folder that was looked at to when it changed last, in nanoseconds. `copies` are the conflict
    copies beside them, which are no state files.
    """

    # No dataclass: its import would make each session start slower.
    def __init__(
        self, lines: "dict[str, str]", left_out: int, folders: "dict[str, int]", copies: "Iterable[str]" = ()
    ) -> None:
        self.folders = folders
        self.copies = sorted(copies)
        self.lines = lines
        self.left_out = left_out

    @property
    def paths(self) -> list[str]:
        """The paths, sorted."""
        return sorted(self.lines)


def state_files(root: str, patterns: "Iterable[str]") -> FoundFiles:
    """Return the regular files under `root` that match a pattern; a file with several names is returned once."""
    search = _Search()
    if root:
        search.run(os.path.abspath(root), [pattern.split("/") for pattern in patterns])
    return FoundFiles(search.lines, search.left_out, search.folders, search.copies)


def line(path: str, status: os.stat_result) -> str:
    """Return the fingerprint line of a file: `files.signature` and the path, separated by spaces."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino} {path}"


def path_in(line: str) -> str:
    """Return the path in a fingerprint line."""
    return line.split(" ", 4)[4]


class _Search:
    """One search, level by level; each folder is listed once for all patterns."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        self.folders: dict[str, int] = {}
        self.copies: list[str] = []
        self._linked: dict[tuple[int, int], str] = {}  # the first path of a file with several names
        self.left_out = self._folders = 0
        self._queue: list[tuple[str, list[Pattern]]] = []

    def run(self, root: str, patterns: "list[Pattern]") -> None:
        """Search `root` and the folders below it that patterns lead to."""
        self._queue.append((root, patterns))
        for folder, remaining in self._queue:  # the queue grows during the loop
            self._search_folder(folder, remaining)

    def _search_folder(self, folder: str, patterns: "list[Pattern]") -> None:
        """Search one folder through an open handle, which makes the status calls for its files much faster."""
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:  # removed meanwhile, or not readable
            return
        try:
            self.folders[folder] = os.fstat(handle).st_mtime_ns
            self._match(folder.rstrip("/") + "/", handle, patterns)
        except OSError:
            return
        finally:
            os.close(handle)

    def _match(self, prefix: str, handle: int, patterns: "list[Pattern]") -> None:
        """Keep the files that complete a pattern, and queue the folders in which one continues."""
        if _is_exact(patterns):
            target = patterns[0][0].casefold()
            self._keep(prefix, handle, [name for name in os.listdir(handle) if name.casefold() == target])
            return
        listed, folders = _listed(handle) if any(rest for _, *rest in patterns) else (os.listdir(handle), [])
        names = _by_folded_name(listed), _by_folded_name(folders)
        complete: dict[str, None] = {}
        deeper: dict[str, list[Pattern]] = {}
        begun: dict[tuple[str, bool], list[Pattern]] = {}  # many patterns begin alike
        for pattern, *rest in patterns:
            begun.setdefault((pattern, bool(rest)), []).append(rest)
        for (pattern, goes_on), rests in begun.items():
            known = names[goes_on]
            matching = self._limited([name for one in paths.matching_names(known, pattern) for name in known[one]])
            if not goes_on:
                complete |= dict.fromkeys(matching)
                continue
            for name in matching:
                deeper.setdefault(name, []).extend(rests)
        self._keep(prefix, handle, complete)
        # A folder of which one file is wanted is not listed, unless the file is missing and may be written otherwise.
        exact = {f"{name}/{rest[0][0]}": name for name, rest in deeper.items() if _CASE_COUNTS and _is_exact(rest)}
        missing = self._keep(prefix, handle, exact)
        for folder in {folder for file, folder in exact.items() if file not in missing}:
            self.folders[prefix + folder] = os.stat(folder, dir_fd=handle).st_mtime_ns
        for name in sorted(deeper.keys() - exact.values() | {exact[file] for file in missing}):
            self._enqueue(prefix + name, deeper[name])

    def _limited(self, names: list[str]) -> list[str]:
        """Return at most `MAX_NAMES` of the names, and count the rest."""
        self.left_out += max(0, len(names) - MAX_NAMES)
        return names if len(names) <= MAX_NAMES else sorted(names)[-MAX_NAMES:]

    def _keep(self, prefix: str, handle: int, names: "Iterable[str]") -> list[str]:
        """Keep those of the names that are regular files, up to `MAX_FILES`; return the names that do not exist."""
        lstat, lines, missing = os.lstat, self.lines, []
        for name in sorted(names):
            try:
                status = lstat(name, dir_fd=handle)
            except OSError:
                missing.append(name)
                continue
            path = prefix + name
            if status.st_mode & 0o170000 != 0o100000:  # stat.S_ISREG, which is slower for thousands of files
                continue
            if (" " in name or _SYNCTHING in name) and _is_conflict_copy(name, handle):
                self.copies.append(path)
                continue
            if len(lines) == MAX_FILES:
                self.left_out += 1
            elif status.st_nlink == 1:  # the text of `line`, without a call for each of thousands of files
                lines[path] = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino} {path}"
            else:
                self._keep_once(path, status)
        return missing

    def _keep_once(self, path: str, status: os.stat_result) -> None:
        """Keep a file with several names under the first of them."""
        known = self._linked.setdefault((status.st_dev, status.st_ino), path)
        self.lines.pop(known, None)
        path = self._linked[status.st_dev, status.st_ino] = min(known, path)
        self.lines[path] = line(path, status)

    def _enqueue(self, folder: str, patterns: "list[Pattern]") -> None:
        """Add a folder to the queue, up to `MAX_FILES`."""
        if self._folders == MAX_FILES:
            self.left_out += 1
            return
        self._folders += 1
        self._queue.append((folder, patterns))


def _is_conflict_copy(name: str, handle: int) -> bool:
    """Whether a program that synchronises folders made this file beside the one that it is a copy of.

    Syncthing and Dropbox say so in the name; a number alone, as in "notes 2.md" and "notes (1).md", says it only beside
    the file without that number. `handle` is the open folder.
    """
    stem, _, ending = name.rpartition(".")
    if _SYNCTHING in stem or (stem.casefold().endswith(")") and "conflicted copy" in stem.casefold()):
        return True
    base, _, number = stem.rpartition(" ")
    if not base or not number.strip("()").isdigit() or len(number) > _NUMBER:
        return False
    try:
        os.lstat(f"{base}.{ending}", dir_fd=handle)
    except OSError:
        return False
    return True


def _is_exact(patterns: "list[Pattern]") -> bool:
    """Whether patterns name one file of a folder. Thousands of folders may need no more than that."""
    return len(patterns) == 1 == len(patterns[0]) and "*" not in patterns[0][0]


def _by_folded_name(names: list[str]) -> "dict[str, tuple[str, ...]]":
    """Return the names by their case-folded form, without files that holdfast is just writing."""
    names = [name for name in names if not name.startswith(files.TEMPORARY_PREFIX)]
    folded: dict[str, tuple[str, ...]] = dict(zip(map(str.casefold, names), zip(names, strict=True), strict=True))
    if len(folded) < len(names):  # rare: names that differ in case only
        for name in names:
            same = folded[name.casefold()]
            folded[name.casefold()] = same if name in same else (*same, name)
    return folded


def _listed(handle: int) -> "tuple[list[str], list[str]]":
    """Return the names of all that is in an open folder, and of the folders in it, without links."""
    names, folders = [], []
    with os.scandir(handle) as entries:
        for entry in entries:
            names.append(entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
    return names, folders


def leads_out(path: str) -> bool:
    """Whether a path in a project leads to a file outside of it, through a link."""
    home = paths.locate(os.path.dirname(path))
    return bool(home.store and home.root) and not paths.within(path, home.root)


def remember(store: str, patterns: tuple[str, ...]) -> None:
    """Store the patterns of state files for the hooks that run on every tool call, which read no formats.

    Nothing is stored where no session and no command has made the store.
    """
    written = tuple(one for one in patterns if one and "\n" not in one)
    if not os.path.isdir(store) or paths.patterns(store) == written:
        return
    try:
        files.write_private(paths.patterns_file(store), os.fsencode("\n".join(written) + "\n"))
    except (OSError, HoldfastError):  # a shortcut only
        return


PATHS = (".gsd-lite/LOOPS.md", "gsd-lite/LOOPS.md", ".agents/LOOPS.md")
_NAME, _MEMORY = "LOOPS.md", "STATE.md"
SESSIONS = ".project/sessions"  # a folder for each session's STATE.md and LOOPS.md


def loops_path(root: str, state: str = "", project: "Project | None" = None) -> str:
    """Return the path of the loops of a working tree: the first that exists, else the one to create.

    A STATE.md uses the LOOPS.md in its own folder, so with such a `state` that one comes first. Without a state file
    it is the latest of those beside one. In a private project it is in the private folder. `project` is the one of the
    working tree, if it was located before.
    """
    root = paths.locate(root, project).target.root or root
    beside = [companion_of(state)] if os.path.basename(state) == _MEMORY else []
    known = [*beside, *(f"{root}/{path}" for path in PATHS)]
    there = next((path for path in known if os.path.lexists(path)), "")
    return there or (beside[0] if beside else _latest_loops(f"{root}/{SESSIONS}") or known[-1])


def _latest_loops(folder: str) -> str:
    """Return the LOOPS.md in the folders of sessions that was changed last, "" where there is none."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    books = [path for name in names if os.path.isfile(path := f"{folder}/{name}/{_NAME}")]
    return max(books, key=files.modified_at, default="")


def companion_of(state: str) -> str:
    """Return the path of a LOOPS.md in the folder of a state file."""
    return os.path.join(os.path.dirname(state), _NAME)

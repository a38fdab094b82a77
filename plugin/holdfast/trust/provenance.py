"""Which texts in a git repository a commit command on this machine introduced. Everything else is unknown.

A text counts if all of this holds: the file is where its path says, under a name that no other file has in another
case; its bytes are those of its entry in the index, or these with CRLF line ends throughout; a commit made here added
that object at this path; nothing brought the object earlier; no commit from elsewhere that a remote branch, a tag,
FETCH_HEAD, or a branch without a reflog or written by a fetch contains added it, at any path; the commit adds a line
that no version of the file from elsewhere has, or only removes lines from a text that has one; and it adds to a file
no line of an untrusted commit that was not merged by then, as when a patch or a hunk is taken out of one. Lines that
holdfast added to texts of unknown origin do not count there. Where holdfast made the text from another one, nothing
brought that one either, and a commit that adds no other line counts only if the ledger has the text that it replaced.
"""

import os

from holdfast.core import files
from holdfast.git import objects, run
from holdfast.trust import derived_texts, reflog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.project.paths import Project
    from holdfast.trust.reflog import Move, When

_MAX_QUESTIONS = 20_000  # moves times files; with more, the oldest moves are left out
_MAX_VERSIONS = 200  # versions of one file from elsewhere whose lines are compared
_NEVER: "When" = (float("inf"), 1.0)  # an unknown origin sorts last
_DIFF = ("--raw", "--no-abbrev", "--no-renames", "-r")
_OWN_REFS = ("refs/stash", "refs/holdfast/")


class _Addition:
    """An object that a commit made here added at a path: when, the object that it replaced, and HEAD before that."""

    __slots__ = ("at", "before", "head")

    def __init__(self, at: "When", before: str, head: str) -> None:
        self.at = at
        self.before = before
        self.head = head


class Text:
    """The bytes of a file, and the names that git has for the text from which holdfast made it, () for none."""

    __slots__ = ("data", "made_from")

    def __init__(self, data: bytes, made_from: tuple[str, ...] = ()) -> None:
        self.data = data
        self.made_from = made_from


def written_here(
    project: "Project", texts: dict[str, Text], own: set[str], is_known: "Callable[[bytes], bool]"
) -> "set[str] | None":
    """Return the paths of the texts that were written here; None when git fails or is at work.

    `texts` maps the path in the working tree to the text. `own` are the hashes of the lines that holdfast added;
    `is_known` tells whether the ledger has a text as written or accepted.
    """
    if reflog.busy(project):
        return None
    entries = _entries(project, texts)
    if not entries:
        return None if entries is None else set()
    moves = reflog.moves(project)
    added = _added(project, [move for move in moves if move.written], entries)
    entries = {path: name for path, name in entries.items() if path in added}
    brought = _brought(project, moves, [*entries]) if entries else {}
    if brought is None:
        return None
    names = {path: {name, *texts[path].made_from} for path, name in entries.items()}
    entries = {
        path: name
        for path, name in entries.items()
        if all(added[path].at <= brought.get(each, _NEVER) for each in names[path])
    }
    if entries:
        untrusted = _UntrustedCommits(project, {move.commit for move in moves if move.created}, own)
        asked = {each for path, name in entries.items() for each in names[path] if len(each) == len(name)}
        elsewhere = untrusted.adds(asked)
        if elsewhere is None:
            return None
        entries = {path: name for path, name in entries.items() if not names[path] & elsewhere}
        entries = {
            path: name
            for path, name in entries.items()
            if not untrusted.merged(path, name, added[path])
            and not (texts[path].made_from and untrusted.adds_nothing(name, added[path].before, is_known))
        }
    return None if reflog.busy(project) else {*entries}


def _entries(project: "Project", texts: dict[str, Text]) -> "dict[str, str] | None":
    """Return the object of each text whose bytes and path are those of its index entry; None when git fails."""
    texts = {path: text for path, text in texts.items() if path and "\n" not in path}
    if not texts:
        return {}
    patterns = [f":(top,icase,literal){path}" for path in texts]
    code, output, _ = run.run(project.root, "ls-files", "--stage", "-z", "--", *patterns)
    if code:
        return None
    known: dict[str, list[tuple[str, list[str]]]] = {}
    for entry in filter(None, output.split("\0")):
        head, _, path = entry.partition("\t")
        known.setdefault(path.casefold(), []).append((path, head.split(" ")))
    root = os.path.realpath(project.root)
    found = {}
    for path, text in texts.items():
        same = known.get(path.casefold(), [])
        if len(same) != 1 or same[0][0] != path or os.path.realpath(f"{root}/{path}") != f"{root}/{path}":
            continue
        mode, name, stage = same[0][1]
        if mode.startswith("100") and stage == "0" and name in _object_names(text.data, name):
            found[path] = name
    return found


def _object_names(data: bytes, like: str) -> set[str]:
    """Return the object names of a text as it is, and with Unix line ends if all its line ends are CRLF."""
    versions = [data]
    if data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r"):
        versions.append(data.replace(b"\r\n", b"\n"))
    return {objects.blob_name(version, len(like) // 2) for version in versions}


def _added(project: "Project", moves: "list[Move]", entries: "dict[str, str]") -> "dict[str, _Addition]":
    """Return for each path the first commit made here that added its object there."""
    known = {move.commit: move for move in moves}
    listed = "".join(
        f"{move.commit} {move.before}\n" if move.before.strip("0") else f"{move.commit}\n" for move in moves
    )
    command = ("--literal-pathspecs", "diff-tree", "--stdin", "--root", "-z", *_DIFF, "--", *entries)
    found: dict[str, _Addition] = {}
    move = None
    words = iter(run.run(project.root, *command, stdin=listed)[1].split("\0"))
    for word in words:  # a commit that no longer exists has no lines
        if not word.startswith(":"):
            move = known.get(word.strip())
            continue
        path, (before, name) = next(words, ""), word.split(" ")[2:4]
        if entries.get(path) == name and move and (path not in found or move.at < found[path].at):
            found[path] = _Addition(move.at, before, move.before)
    return found


def _brought(project: "Project", moves: "list[Move]", paths: list[str]) -> "dict[str, When] | None":
    """Return the objects at these paths after each move that no commit made here caused, with the first time."""
    made = {move.commit for move in moves if move.written}
    others = [move for move in moves if move.commit not in made]
    times = {move.commit: move.at for move in others[: max(50, _MAX_QUESTIONS // max(1, len(paths)))]}
    questions = [(at, f"{commit}:{path}") for commit, at in times.items() for path in paths]
    if not questions:
        return {}
    listed = "".join(f"{name}\n" for _, name in questions)
    code, output, _ = run.run(project.root, "cat-file", "--batch-check=%(objectname)", stdin=listed)
    found: dict[str, When] = {}
    for (at, _), name in zip(questions, output.split("\n"), strict=False):
        found[name] = min(at, found.get(name, at))
    return None if code else found


class _UntrustedCommits:
    """The commits of remote branches, tags, FETCH_HEAD, and branches without a reflog or of a fetch; none made here."""

    def __init__(self, project: "Project", created: set[str], own: set[str]) -> None:
        self._project = project
        self._created = created
        self._own = own
        self._tips = _tips(project)

    def adds(self, names: set[str]) -> "set[str] | None":
        """Return those of the objects that an untrusted commit added, at any path; None when git fails."""
        if self._tips is None:
            return None
        if not self._tips:
            return set()
        options = [f"--find-object={name}" for name in names]
        code, output, _ = self._log("-m", *options)
        if code:
            return None
        found: dict[str, dict[str, int]] = {}  # commit -> object -> from how many parents it differs
        parents: dict[str, int] = {}
        commit = ""
        for line in output.split("\n"):
            if line.startswith("\1"):
                commit, *others = line[1:].split()
                parents[commit] = max(1, len(others))
            elif line.startswith(":") and line.split(" ")[3] in names:
                counts = found.setdefault(commit, {})
                counts[line.split(" ")[3]] = counts.get(line.split(" ")[3], 0) + 1
        added = {
            name
            for commit, counts in found.items()
            if commit not in self._created
            for name, count in counts.items()
            if count >= parents[commit]  # a merge takes what one of its parents has
        }
        bare = self._without_commit()
        return None if bare is None else added | (names & bare)

    def _without_commit(self) -> "set[str] | None":
        """Return the objects of refs that lead to a tree or a file, as a tag may; None when git fails."""
        root, asked = self._project.root, "".join(f"{tip}^{{}}\n" for tip in self._tips or ())
        code, output, _ = run.run(root, "cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=asked)
        pairs = [line.split(" ") for line in output.split("\n")]
        tips = [pair[1] for pair in pairs if pair[0] in {"tree", "blob"}]
        if code or not tips:
            return None if code else set()
        code, output, _ = run.run(root, "rev-list", "--objects", "--stdin", stdin="".join(f"{tip}\n" for tip in tips))
        return None if code else {line.partition(" ")[0] for line in output.split("\n")}

    def merged(self, path: str, name: str, added: _Addition) -> bool:
        """Whether all lines that an object has more than the one before it are in untrusted versions of the file.

        In a file that was there before, one is enough if an untrusted commit adds it that was not merged yet. For an
        object without more lines, such as one with other line ends, all of its lines are compared. The lines that
        holdfast added are nobody's.
        """
        if not self._tips:
            return False
        pairs = self._versions(path)
        if pairs is None:
            return True
        whole = {line for line in self._lines([name]) if derived_texts.line_hash(line) not in self._own}
        new = whole - self._lines([added.before])
        if (new or whole) <= self._lines([*dict.fromkeys(after for _, after in pairs)][:_MAX_VERSIONS]):
            return True
        return bool(new and added.before.strip("0") and new & self._unmerged(path, added.head))

    def _unmerged(self, path: str, head: str) -> set[bytes]:
        """Return the lines that untrusted commits which are not in the history of a commit add to a file."""
        pairs = (self._versions(path, [f"^{head}"] if head.strip("0") else []) or [])[:_MAX_VERSIONS]
        after = dict.fromkeys(name for _, name in pairs)
        return self._lines([*after]) - self._lines([name for name, _ in pairs if name not in after])

    def _versions(self, path: str, but: "Iterable[str]" = ()) -> "list[tuple[str, str]] | None":
        """Return the objects before and after each untrusted commit of a file, latest first; None when git fails."""
        code, output, _ = self._log("-m", "--", path, but=but)
        if code:
            return None
        commit, found = "", []
        for line in output.split("\n"):
            if line.startswith("\1"):
                commit = line[1:].split()[0]
            elif line.startswith(":") and commit not in self._created:
                before, after = line.split(" ")[2:4]
                found.append((before, after))
        return found

    def adds_nothing(self, name: str, before: str, is_known: "Callable[[bytes], bool]") -> bool:
        """Whether an object has no more lines than the unknown one before it but those that holdfast added."""
        more = self._lines([name]) - self._lines([before])
        if any(derived_texts.line_hash(line) not in self._own for line in more):
            return False
        return not (before.strip("0") and is_known(self._bytes(before)))

    def _bytes(self, name: str) -> bytes:
        return os.fsencode(run.run(self._project.root, "cat-file", "blob", name)[1])

    def _log(self, *arguments: str, but: "Iterable[str]" = ()) -> tuple[int, str, str]:
        options = ("--literal-pathspecs", "log", "--format=%x01%H %P", "--no-show-signature", *_DIFF, "--stdin")
        return run.run(
            self._project.root, *options, *arguments, stdin="".join(f"{tip}\n" for tip in [*(self._tips or ()), *but])
        )

    def _lines(self, names: list[str]) -> set[bytes]:
        """Return the lines of some objects, without blank ones."""
        listed = "".join(f"{name}\n" for name in names if name.strip("0"))
        output = os.fsencode(run.run(self._project.root, "cat-file", "--batch", stdin=listed)[1]) if listed else b""
        heads = {name.encode() for name in names}  # git writes a line with name, kind and size before each object
        return {line.strip() for line in output.splitlines() if line.strip() and line.partition(b" ")[0] not in heads}


def _tips(project: "Project") -> "list[str] | None":
    """Return the commits at which untrusted history begins; None when git fails."""
    code, output, _ = run.run(project.root, "for-each-ref", "--format=%(objectname) %(refname)")
    if code:
        return None
    found = []
    for name, _, ref in (line.partition(" ") for line in output.split("\n") if line):
        if not ref.startswith(_OWN_REFS) and reflog.from_elsewhere(project, ref):
            found.append(name)
    heads = [files.read_or_none(f"{folder}/FETCH_HEAD") or b"" for folder in _git_folders(project)]
    fetched = os.fsdecode(b"\n".join(heads)).split("\n")
    return [*dict.fromkeys([*found, *(line.partition("\t")[0] for line in fetched if "\t" in line)])]


def _git_folders(project: "Project") -> list[str]:
    """Return the git folders of all working trees: each has a FETCH_HEAD of its own."""
    try:
        linked = [entry.path for entry in os.scandir(f"{project.common}/worktrees")]
    except OSError:
        linked = []
    return [*dict.fromkeys([project.git, project.common, *linked])]

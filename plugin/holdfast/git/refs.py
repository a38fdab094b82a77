"""Versions of a file that are not checked out, on branches and in stashes; whether its text came from git or the user.

Example: `git pull` writes holdfast.toml. Git has the text as an object, or its index has the time of the file, so the
text is not the user's own. An editor saves the same file: neither holds, until the user commits it, and then the log of
HEAD has that commit as one that `git commit` made here.
"""

import os
from collections.abc import Iterator, Mapping

from holdfast.core import files
from holdfast.git import objects, own_commits, queries
from holdfast.git.run import run
from holdfast.project import paths
from holdfast.project.paths import Project

HEAD = "HEAD"
_HEADS, _REMOTES, _STASH = "refs/heads/", "refs/remotes/", "stash@{"
_NAMED = 2  # files of remote branches
_MOST = 200  # branches that are looked at, those with the latest commits
_COMPARED, _COMPARING = 100, 2.0  # files and commits that are compared with those of a branch, seconds for it
_LARGEST = 1 << 20  # bytes of a file that is read, characters of patches


class Version:
    """A version of a file: the commit that has it, as git names it, and the name of its object."""

    def __init__(self, ref: str, name: str, size: int) -> None:
        self.ref, self.name, self.size = ref, name, size

    @property
    def is_branch(self) -> bool:
        """Whether a branch has it, here or on a remote."""
        return self.ref.startswith("refs/")

    @property
    def place(self) -> str:
        """Where the version is, in words, such as "on branch feat"."""
        if self.ref.startswith(_REMOTES):
            return f"on remote branch {self.ref.removeprefix(_REMOTES)}"
        if self.is_branch:
            return f"on branch {self.ref.removeprefix(_HEADS)}"
        return f"in {self.ref.partition('^')[0]}"


def with_files(home: "Project", names: "Mapping[str, str]") -> dict[str, list[Version]]:
    """Return for each file that the last commit, a branch or a stash has its versions, the nearest first.

    `names` has the path of each file in the working tree, with the branch that comes before the others.
    """
    branches = _branches(home, _HEADS, _REMOTES)
    branches.sort(key=lambda ref: not ref.startswith(_HEADS))  # stable: the latest first in each
    stashes = [*_stashes(home)]
    asked = [
        (name, ref)
        for name, first in names.items()
        for ref in dict.fromkeys([HEAD, *[ref for ref in branches if ref == _HEADS + first], *branches, *stashes])
    ]
    lines = "".join(f"{ref}:{name}\n" for name, ref in asked if "\n" not in name)
    answers = run(home.root, "cat-file", "--batch-check", stdin=lines)[1].splitlines()
    versions: dict[str, list[Version]] = {}
    for (name, ref), answer in zip([one for one in asked if "\n" not in one[0]], answers, strict=False):
        words = answer.split(" ")
        if len(words) == 3 and words[1] == "blob":
            versions.setdefault(name, []).append(Version(ref, words[0], int(words[2])))
    return versions


def on_remotes(home: "Project", requested: str) -> list[tuple[str, str]]:
    """Return the state files of remote branches whose names have these words, as they were fetched: branch, path."""
    words = "*".join("".join(char if char.isalnum() or char in "-_." else " " for char in requested).split())
    branches = _branches(home, _REMOTES)
    pattern = f":(icase,glob){paths.STATE_FOLDER}/*{words}*.md"
    asked = ("grep", "--files-with-matches", "-e", "", *branches, "--", pattern)
    rows = run(home.root, *asked)[1].splitlines() if branches and words else []
    found = [row.removeprefix(_REMOTES).split(":", 1) for row in rows]
    return [*{name: (branch, name) for branch, name in found}.values()][:_NAMED]


def _branches(home: "Project", *prefixes: str) -> list[str]:
    """Return the refs of branches, the latest first."""
    command = ("for-each-ref", f"--count={_MOST}", "--sort=-committerdate", "--format=%(refname)", *prefixes)
    return [ref for ref in run(home.root, *command)[1].splitlines() if not ref.endswith("/HEAD")]


def _stashes(home: "Project") -> "Iterator[str]":
    """Return the commits of all stashes: each has its files, and another one those that git does not track."""
    log = files.read_or_none(f"{home.common}/logs/refs/stash") or b""
    for number in range(log.count(b"\n")):
        yield f"{_STASH}{number}}}"
        yield f"{_STASH}{number}}}^3"


def text(home: "Project", version: Version) -> bytes:
    """Return the bytes of a version, b"" if they are too many."""
    return blob(home.root, version.name) if version.size <= _LARGEST else b""


def blob(root: str, name: str) -> bytes:
    """Return the bytes of an object with this name, b"" if git does not have it."""
    code, output, _ = run(root, "cat-file", "blob", name)
    return os.fsencode(output) if code == 0 else b""


def before_deletion(home: "Project", name: str, since: float) -> bytes:
    """Return the bytes of a file before a commit of this branch deleted it after `since`, b"" if none did."""
    asked = ("rev-list", "-1", f"--since=@{int(since)}", HEAD, "--", name)
    commit = run(home.root, "--literal-pathspecs", *asked)[1].strip()
    return blob(home.root, f"{commit}^:{name}") if commit else b""


def is_merged(root: str, branch: str, commit: str) -> bool:
    """Whether the last commit has those of a branch, or all of their changes, as after a squash or a rebase.

    Of a branch that is gone the `commit` counts, "" for none.
    Of what was committed since both had a common commit, only the latest of these files are compared, and not for long.
    """
    commit = run(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")[1].strip() or commit
    if not commit or run(root, "merge-base", "--is-ancestor", commit, HEAD)[0] == 0:
        return bool(commit)
    base = run(root, "merge-base", commit, HEAD)[1].strip()
    names = run(root, "diff", "--name-only", "-z", base, commit)[1].split("\0")[:-1] if base else []
    if not 0 < len(names) <= _COMPARED:
        return False
    paths = ("--", *names)
    if run(root, "--literal-pathspecs", "diff", "--quiet", commit, HEAD, *paths)[0] == 0:
        return True
    there = _patches(root, "log", "-p", "--no-merges", f"-{_COMPARED}", f"{base}..{HEAD}", *paths)
    alone = _patches(root, "log", "-p", "--no-merges", f"-{_COMPARED}", f"{base}..{commit}", *paths)
    whole = _patches(root, "diff", base, commit) if there else set[str]()
    return bool(there) and (bool(whole & there) or (bool(alone) and alone <= there))


def _patches(root: str, *command: str) -> set[str]:
    """Return what identifies each change that a command of git prints, wherever its lines are; empty when it fails."""
    code, output, _ = run(root, "--literal-pathspecs", *command, timeout=_COMPARING)
    if code or len(output) > _LARGEST:
        return set()
    return {line.split()[0] for line in run(root, "patch-id", "--stable", stdin=output)[1].splitlines()}


def trees(home: "Project") -> list[str]:
    """Return the other working trees of the repository."""
    known = [own_commits.tree(path.removesuffix("/logs/HEAD")) for path in own_commits.head_logs(home.common)]
    return [tree for tree in known if tree and os.path.realpath(tree) != os.path.realpath(home.root)]


_COMMITS = "50"  # that are looked at, the latest


def is_from_git(path: str) -> bool:
    """Return whether git had the present text of a file in a commit before the file was saved, or merged it.

    `git commit` takes the text that is there: its commit is newer than the file. All else that makes a commit, such as
    a merge, a revert or a rebase, writes the file.
    """
    home = paths.locate(os.path.dirname(path))
    if not home.git or not home.root:
        return False
    name = home.relative(path)
    code, blob, _ = run(home.root, "hash-object", "--", name, filter_for=name)
    commits = _commits_with(home.root, blob.strip(), name) if code == 0 else None
    if commits is None:  # git did not answer in time: any text that is committed counts
        return queries.committed(home.root, name)
    saved, typed = os.stat(path).st_mtime, _typed(home.common)
    return any(not typed.get(commit, True) or _at(home.common, commit, seconds) <= saved for commit, seconds in commits)


def _commits_with(root: str, blob: str, name: str) -> list[tuple[str, float]] | None:
    """Return name and time of the commits that brought or removed a text of a file; None when git fails."""
    search = ("--all", "-m", f"--max-count={_COMMITS}", f"--find-object={blob}", "--format=%H %ct", "--no-patch")
    options = ("--literal-pathspecs", "-c", "log.showRoot=true")
    code, output, _ = run(root, *options, "log", *search, "--no-show-signature", "--", name)
    words = [line.split() for line in output.splitlines()]
    return [(one[0], float(one[1])) for one in words if len(one) == 2] if code == 0 else None


def _typed(common: str) -> dict[str, bool]:
    """Return for each commit that HEAD was at whether `git commit` made it here."""
    by_person: dict[str, bool] = {}
    for log in own_commits.head_logs(common):
        try:
            lines = files.read(log).splitlines()
        except OSError:  # logs are switched off
            continue
        for line in lines:
            move, _, why = line.partition(b"\t")
            name = os.fsdecode([*move.split(b" ", 2), b""][1])
            by_person[name] = by_person.get(name, False) or why.startswith(b"commit")
    return by_person


def _at(common: str, commit: str, seconds: float) -> float:
    """Return when a commit was made: a commit has whole seconds, and its file, until git packs it, the exact time."""
    try:
        return os.stat(f"{common}/objects/{commit[:2]}/{commit[2:]}").st_mtime
    except OSError:
        return seconds


def is_own_text(project: "Project", path: str, data: bytes) -> bool:
    """Whether git neither has the text of a file nor wrote the file last; False where git cannot tell.

    Filters, ident, encodings and mixed line ends make bytes in the working tree that git has no object of.
    """
    return not (project.git and (_is_object(project.root, data) or _is_written_by_git(project, path)))


def is_own_commit(project: "Project", path: str) -> bool:
    """Whether a file is as a commit left it that `git commit` made in this clone; False where git cannot tell."""
    name = project.relative(path)
    code, output, _ = run(project.root, "--literal-pathspecs", "log", "-1", "--format=%H", "--", name)
    commit = output.strip().encode()
    if code or not any(os.fsencode(made.name) == commit for made in own_commits.commits(project.common)):
        return False
    return run(project.root, "--literal-pathspecs", "diff", "--quiet", "--no-ext-diff", "HEAD", "--", name)[0] == 0


def _is_object(root: str, data: bytes) -> bool:
    """Whether git has a text among its objects; True where git cannot tell."""
    texts = {data, data.replace(b"\r\n", b"\n")}
    names = [objects.blob_name(text, length) for text in texts for length in (objects.SHORT, objects.LONG)]
    asked = "".join(f"{name}\n" for name in names)
    code, output, _ = run(root, "cat-file", "--batch-check=%(objecttype)", stdin=asked)
    return bool(code) or any(line == "blob" for line in output.split("\n"))


def _is_written_by_git(project: "Project", path: str) -> bool:
    """Whether git wrote a file last: its index has the time of the file. True where that cannot be told."""
    try:
        seconds, nanoseconds = divmod(os.lstat(path).st_mtime_ns, 1_000_000_000)
    except OSError:
        return True
    name = project.relative(path)
    code, output, _ = run(project.root, "--literal-pathspecs", "ls-files", "--debug", "--", name)
    return bool(code) or any(f"  mtime: {seconds}:{part}\n" in output for part in (nanoseconds, 0))

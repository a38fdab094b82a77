"""Versions of a file that are not checked out: on other branches, and in stashes."""

import os

from holdfast.core import files
from holdfast.git import own_commits
from holdfast.git.run import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.project.paths import Project

HEAD = "HEAD"
_HEADS, _REMOTES, _STASH = "refs/heads/", "refs/remotes/", "stash@{"
_MOST = 200  # branches that are looked at, those with the latest commits
_COMPARED, _COMPARING = 100, 2.0  # files and commits that are compared with those of a branch, seconds for it
_LARGEST = 1 << 20  # bytes of a file that is read, characters of patches


class Version:
    """A version of a file: the commit that has it, as git names it, and the name of its object."""

    __slots__ = ("name", "ref", "size")

    def __init__(self, ref: str, name: str, size: int) -> None:
        self.ref, self.name, self.size = ref, name, size

    @property
    def is_branch(self) -> bool:
        """Whether a branch has it, here or on a remote."""
        return self.ref.startswith("refs/")

    @property
    def place(self) -> str:
        """Where the version is, in words, such as "on branch feat"."""
        if self.is_branch:
            return f"on branch {self.ref.removeprefix(_HEADS).removeprefix(_REMOTES)}"
        return f"in {self.ref.partition('^')[0]}"


def with_files(home: "Project", names: "Mapping[str, str]") -> dict[str, list[Version]]:
    """Return for each file that the last commit, a branch or a stash has its versions, the nearest first.

    `names` has the path of each file in the working tree, with the branch that comes before the others.
    """
    command = ("for-each-ref", f"--count={_MOST}", "--sort=-committerdate", "--format=%(refname)", _HEADS, _REMOTES)
    branches = [ref for ref in run(home.root, *command)[1].splitlines() if not ref.endswith("/HEAD")]
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

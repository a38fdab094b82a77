"""What was done since a time, from git: the commits that were not reverted, and the files whose content changed."""

import os
import re
from collections.abc import Collection

from holdfast.core import files
from holdfast.core.patterns import pattern
from holdfast.git import own_commits, run
from holdfast.git.run import SAFE_DIFF
from holdfast.project import paths

_COMMITS = 50
_OPTIONAL_BLANKS = pattern(r"(?<!\w)\s+|\s+(?!\w)")  # not between two words
_COMPARED_BYTES = 1 << 20  # a larger file is not normalised
_POINTER = b"version https://git-lfs.github.com/spec/"  # is in the repository for a file that git LFS keeps
# No field is empty, so two null characters in a row always begin a commit.
_COMMIT = pattern(r"\0\0(?P<name>[0-9a-f]{40,64})\0(?P<at>\d{1,18})\0:(?P<subject>[^\0]*)\0:(?P<body>[^\0]*)\0")
_FORM = ("--name-only", "--no-renames", "--no-ext-diff", "-z", "--format=%x00%x00%H%x00%ct%x00:%s%x00:%b%x00")
_REVERTS = pattern(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)
# Options for a diff that ignores white space, empty lines and line ends.
_WORDS = ("-b", "--ignore-blank-lines", "--numstat", "-z", "--no-renames")


class Commit:
    """One commit: its hash, its subject, the paths that it changed, and the hashes of the commits that it reverts.

    An older git lists no files for a merge.
    """

    # No dataclass: a start imports this module, and dataclasses would add a tenth to its time.
    __slots__ = ("files", "name", "reverts", "subject")

    def __init__(self, name: str, subject: str, files: list[str], reverts: "Collection[str]" = ()) -> None:
        self.name = name
        self.subject = subject
        self.files = files
        self.reverts = reverts


def commits(root: str, since: float) -> list[Commit]:
    """Return the commits made on this branch after `since`, newest first, at most 50; merged ones are left out."""
    if own_commits.has_rested(paths.locate(root).git if root else "", since):
        return []
    command = ("log", "--first-parent", "--no-show-signature", f"--max-count={_COMMITS}", f"--since=@{int(since)}")
    code, output, _ = run.run(root, *command, *_FORM)
    return parsed(output, since) if code == 0 else []


def named(root: str, names: "Collection[str]") -> list[Commit]:
    """Return the commits with these hashes, in this order; none when git fails."""
    code, output, _ = run.run(root, "log", "--no-walk=unsorted", "--no-show-signature", *_FORM, *names)
    return parsed(output, 0.0) if code == 0 and names else []


def parsed(output: str, since: float) -> list[Commit]:
    """Return the commits in the output of `git log` that were made after `since`."""
    found = list(_COMMIT.finditer(output))
    ends = [commit.start() for commit in found[1:]] + [len(output)]
    return [
        Commit(found["name"], found["subject"], _changed(output[found.end() : end]), _REVERTS.findall(found["body"]))
        for found, end in zip(found, ends, strict=False)
        if int(found["at"]) > since
    ]


def _changed(names: str) -> list[str]:
    """Return the paths that git lists after a commit; a newline comes before the first."""
    paths = [name for name in names.split("\0") if name]
    return [paths[0].removeprefix("\n"), *paths[1:]] if paths else []


def not_reverted(made: list[Commit]) -> list[Commit]:
    """Return the commits, newest first, without each one that was reverted and without the revert of it.

    A revert stays when the reverted commit is not among these, or when it changes other files too. A commit whose
    revert was reverted stays.
    """
    by_name = {commit.name: commit for commit in made}
    reverted_names: set[str] = set()
    remaining = []
    for commit in made:
        if commit.name in reverted_names:
            continue
        reverted = [by_name[name] for name in commit.reverts if name in by_name]
        if reverted and len(reverted) == len(commit.reverts) and _only_reverts(commit, reverted):
            reverted_names.update(one.name for one in reverted)
        else:
            remaining.append(commit)
    return remaining


def _only_reverts(commit: Commit, reverted: list[Commit]) -> bool:
    """Whether a commit changes no files but those of the commits that it reverts; True when these are not known."""
    paths = {path for one in reverted for path in one.files}
    return paths.issuperset(commit.files) or not all(one.files for one in reverted)


def present_at(root: str, base: str, names: "Collection[str]") -> set[str]:
    """Return those of the files that the commit `base` contains; none when git fails."""
    code, output, _ = run.run(root, "ls-tree", "-z", "--name-only", "--full-tree", base, "--", *names)
    return {name for name in output.split("\0") if name} if code == 0 and names else set()


def unchanged(root: str, base: str, names: "Collection[str]") -> set[str]:
    """Return those of the existing files whose content is the same as in the commit `base`, except for formatting.

    Formatting is white space, but not whether a line is indented, and the kind of quotes. A file that the commit does
    not contain has changed. When git fails or takes too long, the result is empty.
    """
    then = _contents(root, base, [name for name in names if "\n" not in name])
    stored = {name for name, data in then.items() if data.startswith(_POINTER)}
    changed = _changed_words(root, base, "--", *sorted(stored)) if stored else set()
    same = set() if changed is None else stored - changed
    return same | {name for name in then.keys() - stored if _only_formatted(f"{root}/{name}", then[name])}


def _contents(root: str, base: str, names: list[str]) -> dict[str, bytes]:
    """Return the content that files have in the commit `base`; a file that it does not contain is left out."""
    if not names:
        return {}
    request = "".join(f"{base}:{name}\n" for name in names)
    code, output, _ = run.run(root, "cat-file", "--batch", stdin=request)
    data, at = os.fsencode(output), 0
    contents: dict[str, bytes] = {}
    for name in names if code == 0 else ():
        head, _, _ = data[at:].partition(b"\n")
        at += len(head) + 1
        words = head.rsplit(b" ", 2)
        if len(words) == 3 and words[1] == b"blob":  # else "missing", or a folder
            size = int(words[2])
            contents[name], at = data[at : at + size], at + size + 1
        elif len(words) == 3 and words[2].isdigit():
            at += int(words[2]) + 1
    return contents


def _only_formatted(path: str, then: bytes) -> bool:
    """Whether a file differs from what it was by formatting only; a large file, by nothing but its line ends."""
    try:
        now = files.read(path)
    except OSError:
        return False
    if max(len(now), len(then)) >= _COMPARED_BYTES:
        return now.replace(b"\r\n", b"\n") == then.replace(b"\r\n", b"\n")
    return _normalised(os.fsdecode(now)) == _normalised(os.fsdecode(then))


def _normalised(text: str) -> list[tuple[bool, str]]:
    """Return each line as (is it indented, its text with blanks between words only and one kind of quotes)."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [(line[:1].isspace(), " ".join(_OPTIONAL_BLANKS.sub("", line).split()).replace("'", '"')) for line in lines]


def has_unstaged_words(root: str, path: str) -> bool:
    """Whether a file differs from the index in more than white space; False for an untracked file."""
    return bool(_changed_words(root, "--", path))


def _changed_words(root: str, *arguments: str) -> set[str] | None:
    """Return the files of a diff that changed in more than white space; None when git fails."""
    command = ("--literal-pathspecs", "diff", *_WORDS, *SAFE_DIFF, *arguments)
    code, output, _ = run.run(root, *command)
    rows = [row.split("\t", 2) for row in output.split("\0") if row]
    return {row[2] for row in rows if row[:2] != ["0", "0"]} if code == 0 else None

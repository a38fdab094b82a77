"""What git knows of what was done since a time: the commits that stand, and the files that say something else now."""

import os
import re

from holdfast import files, gitrun
from holdfast.harmless import NO_PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_COMMITS = 50
_BLANKS = re.compile(r"(?<!\w)\s+|\s+(?!\w)")  # that part no two words
_LOOKED_AT = 20  # files that are compared by what stands in them
_LARGE = 1 << 20  # bytes of one that is not
# No field is empty: two null characters in a row begin a commit.
_COMMIT = re.compile(r"\0\0(?P<name>[0-9a-f]{40,64})\0(?P<at>\d{1,18})\0:(?P<subject>[^\0]*)\0:(?P<body>[^\0]*)\0")
_REVERTS = re.compile(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)
# A diff of words: blanks, empty lines and line ends are no difference.
_WORDS = ("-b", "--ignore-blank-lines", "--numstat", "-z", "--no-renames")


class Commit:
    """One commit: its name, its subject, the files that it changed, and the names of the commits that it reverts.

    An older git does not tell the files of a merge.
    """

    __slots__ = ("files", "name", "reverts", "subject")

    def __init__(self, name: str, subject: str, files: list[str], reverts: "Collection[str]" = ()) -> None:
        self.name = name
        self.subject = subject
        self.files = files
        self.reverts = reverts


def commits(root: str, since: float) -> list[Commit]:
    """Return the commits made on this branch after `since`, the newest first, at most 50; not what a merge brought."""
    asked = ("log", "--first-parent", "--no-show-signature", f"--max-count={_COMMITS}", f"--since=@{int(since)}")
    told = ("--name-only", "--no-renames", "--no-ext-diff", "-z", "--format=%x00%x00%H%x00%ct%x00:%s%x00:%b%x00")
    code, output, _ = gitrun.run(root, *asked, *told)
    return parsed(output, since) if code == 0 else []


def parsed(output: str, since: float) -> list[Commit]:
    """Return the commits in what git's log printed that were made after `since`."""
    found = list(_COMMIT.finditer(output))
    ends = [commit.start() for commit in found[1:]] + [len(output)]
    return [
        Commit(found["name"], found["subject"], _changed(output[found.end() : end]), _REVERTS.findall(found["body"]))
        for found, end in zip(found, ends, strict=False)
        if int(found["at"]) > since
    ]


def _changed(names: str) -> list[str]:
    """Return the files that stand below a commit, parted from it by the end of a line."""
    found = [name for name in names.split("\0") if name]
    return [found[0].removeprefix("\n"), *found[1:]] if found else []


def standing(made: list[Commit]) -> list[Commit]:
    """Return those of some commits, the newest first, that stand: without one and the revert of it.

    A revert of an older commit stands, for it changes what was there before; so does what a revert of its revert
    brought back, and a revert that changes other files as well.
    """
    known = {commit.name: commit for commit in made}
    gone: set[str] = set()
    found = []
    for commit in made:
        if commit.name in gone:
            continue
        undone = [known[name] for name in commit.reverts if name in known]
        if undone and len(undone) == len(commit.reverts) and _only(commit, undone):
            gone.update(one.name for one in undone)
        else:
            found.append(commit)
    return found


def _only(commit: Commit, undone: list[Commit]) -> bool:
    """Whether a commit changes no other files than those of the commits that it reverts, as far as git tells these."""
    touched = {path for one in undone for path in one.files}
    return touched.issuperset(commit.files) or not all(one.files for one in undone)


def had(root: str, base: str, names: "Collection[str]") -> set[str]:
    """Return those of these files that the commit `base` has, none where git cannot tell."""
    code, output, _ = gitrun.run(root, "ls-tree", "-z", "--name-only", "--full-tree", base, "--", *names)
    return {name for name in output.split("\0") if name} if code == 0 and names else set()


def unchanged(root: str, base: str, names: "Collection[str]") -> set[str]:
    """Return those of these files, all of them there, that say what they did in the commit `base`: as a formatter does.

    White space, but for whether a line is indented, and the kind of quotes are no difference. None where git cannot
    tell, or not in time; a file that the commit does not have says something new.
    """
    known = had(root, base, names)
    other = _other(root, base, "--", *sorted(known)) if known else None
    if other is None:
        return set()
    return known - {path for path in other if not (len(other) <= _LOOKED_AT and _formatted(root, base, path))}


def _formatted(root: str, base: str, path: str) -> bool:
    """Whether a file differs from what a commit has of it by a formatter's touch alone."""
    code, output, _ = gitrun.run(root, "cat-file", "blob", f"{base}:{path}")
    try:
        now = files.read(f"{root}/{path}")
    except OSError:
        return False
    return code == 0 and len(now) < _LARGE and _bare(output) == _bare(os.fsdecode(now))


def _bare(words: str) -> list[tuple[bool, str]]:
    """Return whether each line is indented, and what stands in it: blanks between words only, one kind of quotes."""
    lines = [line for line in words.splitlines() if line.strip()]
    return [(line[:1].isspace(), " ".join(_BLANKS.sub("", line).split()).replace("'", '"')) for line in lines]


def reworded(root: str, path: str) -> bool:
    """Whether the working tree has other words of a file than the index; False for one that git does not know."""
    return bool(_other(root, "--", path))


def _other(root: str, *of: str) -> set[str] | None:
    """Return the files of which a diff shows more than white space; None where git cannot tell, or not in time."""
    asked = ("--literal-pathspecs", "diff", *_WORDS, *NO_PROGRAMS, *of)
    code, output, _ = gitrun.run(root, *asked)
    rows = [row.split("\t", 2) for row in output.split("\0") if row]
    return {row[2] for row in rows if row[:2] != ["0", "0"]} if code == 0 else None

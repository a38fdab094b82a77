"""Every question asked of git and the one thing done with it, staging."""

import os
import re
import time

from holdfast import files
from holdfast.gitrun import UNHURRIED, run
from holdfast.harmless import NO_PROGRAMS, SHALLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_UNDER_WAY = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_PATIENCE = 2.0  # seconds for a foreign index.lock to go
_COMMITS = 50
_HUNK = re.compile(r"@@ -\d+(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_ESCAPE = re.compile(r"\\([0-7]{3}|[abtnvfr\"\\])")
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_PLAIN = (*NO_PROGRAMS, "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")


SAVING = "somebody is just saving it"
LATER = ("index.lock", SAVING)  # in why something was not staged: the next settle may stage it


def stage(root: str, git: str, path: str) -> str:
    """Stage one file, given relative to the working tree `root`; return "" or why it was not staged.

    Obeys .gitignore, touches no other path, keeps off while a merge, rebase, cherry-pick or revert is under way, and
    leaves a file in conflict to be declared resolved by a person. What is just being saved in place, and is empty or
    half there for a while, is staged once it stands still.
    """
    under_way = [name for name in _UNDER_WAY if os.path.exists(f"{git}/{name}")]
    if under_way:
        return f"{path} is not staged: {under_way[0]} says that git is in the middle of something"
    if run(root, "--literal-pathspecs", "ls-files", "--unmerged", "--", path)[1]:
        return f"{path} is not staged: git holds it in conflict"
    deadline = time.monotonic() + _PATIENCE
    while True:
        before = _looks(f"{root}/{path}")
        code, _, errors = run(root, "--literal-pathspecs", "add", "--", path, filtered=path)
        if "ignored by one of your .gitignore" in errors:  # a choice, not a problem
            return ""
        late, still = time.monotonic() > deadline, before == _looks(f"{root}/{path}") and before[:1] != [0]
        if code == 0 and (still or late):
            return "" if still else f"{path} is not staged as it is: {SAVING}"
        if code and ("index.lock': File exists" not in errors or late):
            return f"{path} is not staged: {_first(errors)}"
        time.sleep(0.05)


def _looks(path: str) -> list[int]:
    """Return what changes whenever a file is written, its size first; nothing for one that is gone."""
    try:
        return files.signature(os.lstat(path))
    except OSError:
        return []


def uncommitted(root: str) -> list[str] | None:
    """Return the paths that differ from the last commit, untracked ones too; None where git cannot tell."""
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", SHALLOW)
    code, output, _ = run(root, *asked, patience=UNHURRIED)
    return [entry[3:] for entry in output.split("\0") if entry] if code == 0 else None


def committed(root: str, path: str) -> bool:
    """Whether the last commit has a file as it is now."""
    now = run(root, "hash-object", "--", path, filtered=path)
    kept = run(root, "rev-parse", "--verify", "--quiet", f"HEAD:{path}")
    return now[0] == kept[0] == 0 and now[1] == kept[1]


def keep(root: str, path: str) -> str:
    """Return the name of the git object with the bytes of a file, held by a ref of its own; "" where git cannot."""
    code, output, _ = run(root, "hash-object", "-w", "--no-filters", "--", path)
    name = output.strip() if code == 0 else ""
    held = name and run(root, "update-ref", f"refs/holdfast/kept/{name}", name)[0] == 0
    return name if held else ""


def last(root: str, path: str) -> tuple[str, str, float] | None:
    """Return author, subject and time of the last commit that changed a file, None where there is none."""
    asked = ("log", "-1", "--format=%an%x00%s%x00%ct", "--no-show-signature", "--", path)
    code, output, _ = run(root, "--literal-pathspecs", *asked)
    author, subject, at = [*output.strip("\n").split("\0"), "", ""][:3]
    return (author, subject, float(at)) if not code and at.isdigit() else None


def mentions(root: str, text: str) -> list[str] | None:
    """Return the tracked files in which `text` stands; None where git cannot tell."""
    code, output, _ = run(root, "grep", "--files-with-matches", "-z", "--fixed-strings", "-e", text, patience=UNHURRIED)
    return [name for name in output.split("\0") if name] if code in {0, 1} else None


def moved(root: str, since: float) -> dict[str, str]:
    """Return what became of files after `since`: the new name of each that was renamed, "" of each that was deleted."""
    kind = ("-M", "--diff-filter=RD", "--name-status", "-z", *NO_PROGRAMS)
    log = run(root, "log", "--format=", f"--since=@{int(since)}", f"--max-count={_COMMITS}", *kind)
    now = run(root, "diff", *kind, "HEAD")
    found: dict[str, str] = {}
    for code, output, _ in (now, log):  # of two the later counts
        words = iter(output.split("\0") if code == 0 else [])
        for status in words:
            old = next(words, "")
            new = next(words, "") if status.strip().startswith("R") else ""
            if old and status.strip():
                found.setdefault(old, new)
    return found


def called(root: str, names: "Collection[str]") -> list[str]:
    """Return the tracked files that have one of these names, in whichever folder."""
    if not root or not names:
        return []
    patterns = [f":(top,glob)**/{_literal(name)}" for name in sorted(names)]
    code, output, _ = run(root, "ls-files", "-z", "--", *patterns)
    return [path for path in output.split("\0") if path] if code == 0 else []


def _literal(name: str) -> str:
    """Return a name in which nothing stands for anything else in a pattern."""
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in name)


def head_at(root: str, at: float) -> str:
    """Return the commit that was checked out here at a time, as far back as git remembers; "" where it does not."""
    when = time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(at))
    code, output, warning = run(root, "rev-parse", "--verify", f"HEAD@{{{when}}}")
    return output.strip() if code == 0 and "only goes back to" not in warning else ""


def tracked(root: str, names: "Collection[str]") -> set[str]:
    """Return those of these files that git knows."""
    code, output, _ = run(root, "--literal-pathspecs", "ls-files", "-z", "--", *names) if names else (0, "", "")
    return {name for name in output.split("\0") if name} if code == 0 else set()


def added(root: str, base: str, names: "Collection[str]") -> list[tuple[str, int, str]] | None:
    """Return the lines of these files that the commit `base` does not have, as (file, number, text).

    None where git cannot tell, or not in time.
    """
    asked = ("-c", "core.quotePath=false", "--literal-pathspecs", "diff", "-U0", *_PLAIN, base, "--", *names)
    code, output, _ = run(root, *asked) if names else (0, "", "")
    return list(_added(output)) if code == 0 else None


def _added(diff: str) -> "Iterator[tuple[str, int, str]]":
    """Yield the added lines of a diff without context."""
    path, number, left, gone = "", 0, 0, 0
    for line in diff.split("\n"):
        if left and line.startswith("+"):
            yield path, number, line[1:]
            number, left = number + 1, left - 1
        elif gone and line.startswith("-"):
            gone -= 1
        elif line.startswith("+++ "):
            path = _unquoted(line[4:].removesuffix("\t")).removeprefix("b/")
        elif hunk := _HUNK.match(line):
            gone, number, left = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)


def _unquoted(name: str) -> str:
    """Return a name that git quotes where it holds a quote, a backslash or a control character."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1]) or chr(int(found[1], 8)), name[1:-1])


def version() -> str:
    """Return git's version, "" when there is no git."""
    code, output, _ = run("/", "version")
    return output.removeprefix("git version ").strip() if code == 0 else ""


def _first(errors: str) -> str:
    """Return the first line of what git complained."""
    return next((line.strip() for line in errors.splitlines() if line.strip()), "git failed and did not say why")[:300]

"""Questions to git, and the two things that are written with it: staging, and objects that keep a text."""

import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence

from holdfast.core import files
from holdfast.core.patterns import pattern
from holdfast.git import objects, own_commits
from holdfast.git.run import IGNORE_SUBMODULES, LONG_TIMEOUT, SAFE_DIFF, may_define_filters, run
from holdfast.project import paths

_NO_FILTER = ("unspecified", "unset", "set", "")  # values of the attribute that name none
_TIMEOUT = 2.0  # seconds to wait for the index.lock of another process
_COMMITS = 50
KEPT = "refs/holdfast/kept/"  # begins the refs of objects that keep a text
_UNTRACKED = 2000  # untracked files that are searched at most
_HUNK = pattern(r"@@ -\d+(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
_ESCAPE = pattern(r"\\([0-7]{3}|[abtnvfr\"\\])")
_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_PLAIN = (*SAFE_DIFF, "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/")
SAVING = "another program is saving it"
TRY_LATER = ("index.lock", SAVING)  # parts of the reasons after which the next settle tries again


def stage(root: str, git: str, path: str) -> str:
    """Stage one file, given relative to the working tree `root`; return "" or the reason why it was not staged.

    `git` is the git folder of the working tree. An ignored file is left out without a reason, no other path is touched,
    and nothing is staged during a merge, rebase, cherry-pick or revert, or while the file is in conflict. A file that
    another program is just writing is staged when it no longer changes.
    """
    signs = running(git, STOPPED)
    if signs:
        return f"{path} is not staged: {named(git, signs[0])}"
    if objects.index_entry(root, git, path).state == objects.CONFLICT:
        return f"{path} is not staged: git holds it in conflict"
    deadline = time.monotonic() + _TIMEOUT
    while True:
        before = files.signature_of(f"{root}/{path}", follow=False)
        code, _, errors = run(root, "--literal-pathspecs", "add", "--", path, filter_for=path)
        if "ignored by one of your .gitignore" in errors:  # the user decided so
            return ""
        if code and "outside of your sparse-checkout" in errors:  # its own text names the path on its second line only
            return f"{path} is written and not staged: it is outside the sparse checkout"
        late = time.monotonic() > deadline
        unchanged = before == files.signature_of(f"{root}/{path}", follow=False) and before[:1] != [0]
        if code == 0 and (unchanged or late):
            return "" if unchanged else f"{path} is not staged as it is: {SAVING}"
        if code and ("index.lock': File exists" not in errors or late):
            return f"{path} is not staged: {_first(errors)}"
        time.sleep(0.05)


def stage_all(root: str, git: str, names: list[str]) -> dict[str, str]:
    """Stage files as `stage` does, with one start of git for all of them where that is possible; return all reasons."""
    plain = (
        not running(git, STOPPED)
        and not may_define_filters(root)
        and not any(objects.index_entry(root, git, name).state == objects.CONFLICT for name in names)
    )
    if plain and len(names) > 1:
        before = [files.signature_of(f"{root}/{name}", follow=False) for name in names]
        code = run(root, "--literal-pathspecs", "add", "--", *names, filter_for=names[0])[0]
        unchanged = before == [files.signature_of(f"{root}/{name}", follow=False) for name in names]
        if code == 0 and unchanged and all(signature[:1] != [0] for signature in before):
            return dict.fromkeys(names, "")
    return {name: stage(root, git, name) for name in names}


def replaying(git: str) -> str:
    """Return the file that says that git applies commits one after the other or bisects, "" when it does not."""
    return next(iter(running(git, REPLAYING)), "")


def busy(git: str) -> str:
    """Return that git is in the middle of an operation, and what to type about it; "" when it is not."""
    signs = running(git, STOPPED)
    return advice(git, signs[0]) if signs else ""


def stashed(root: str, common: str, path: str) -> str:
    """Return the object that the latest stash took of a file, "" for none: it has each tracked file, changed or not."""
    if not os.path.exists(f"{common}/refs/stash"):
        return ""
    taken = object_of(root, f"refs/stash:{path}")
    return "" if taken == object_of(root, f"refs/stash^1:{path}") else taken


def head_blob(root: str, path: str) -> str:
    """Return the object that the last commit has of a file, "" for none."""
    return object_of(root, f"HEAD:{path}")


def object_of(root: str, name: str) -> str:
    """Return the object with a name such as COMMIT:PATH, "" for none."""
    code, output, _ = run(root, "rev-parse", "--verify", "--quiet", name)
    return output.strip() if code == 0 else ""


def is_unchanged(root: str, path: str) -> bool:
    """Whether git sees no difference between a file and the index."""
    return run(root, "--literal-pathspecs", "diff", "--quiet", *_PLAIN, "--", path, filter_for=path)[0] == 0


def uncommitted(root: str, names: "Sequence[str]" = (), timeout: float = LONG_TIMEOUT) -> list[str] | None:
    """Return the paths that differ from the last commit, untracked ones too; None when git fails.

    With `names` only these are looked at.
    """
    changed = changes(root, names, timeout)
    return None if changed is None else [*changed]


def changes(root: str, names: "Sequence[str]" = (), timeout: float = LONG_TIMEOUT) -> dict[str, str] | None:
    """Return what `uncommitted` does, with the two letters of `git status` for the index and the working tree."""
    command = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", IGNORE_SUBMODULES)
    code, output, _ = run(root, "--literal-pathspecs", *command, *(["--", *names] if names else []), timeout=timeout)
    return {entry[3:]: entry[:2] for entry in output.split("\0") if entry} if code == 0 else None


def committed(root: str, path: str) -> bool:
    """Whether the last commit contains a file with its present content."""
    code, now, _ = run(root, "hash-object", "--", path, filter_for=path)
    return code == 0 and now.strip() == head_blob(root, path)


def restore(root: str, path: str) -> bool:
    """Set a tracked file in index and working tree to the last commit, remove it where that has none; say if done."""
    where = ("--source=HEAD", "--staged", "--worktree")
    return run(root, "--literal-pathspecs", "restore", *where, "--", path, filter_for=path)[0] == 0


def keep_object(root: str, path: str) -> str:
    """Store the bytes of a file as a git object with a ref of its own; return its name, "" when git fails."""
    code, output, _ = run(root, "hash-object", "-w", "--no-filters", "--", path)
    name = output.strip() if code == 0 else ""
    kept = name and run(root, "update-ref", f"{KEPT}{name}", name)[0] == 0
    return name if kept else ""


def last_commit(root: str, path: str) -> tuple[str, str, float] | None:
    """Return author, subject and time of the last commit that changed a file; None when there is none.

    It is the author's time, which a rebase leaves as it is.
    """
    command = ("log", "-1", "--format=%an%x00%s%x00%at", "--no-show-signature", "--", path)
    code, output, _ = run(root, "--literal-pathspecs", *command)
    author, subject, at = [*output.strip("\n").split("\0"), "", ""][:3]
    return (author, subject, float(at)) if not code and at.isdigit() else None


def files_with(root: str, text: str) -> list[str] | None:
    """Return the files that contain `text`, untracked ones included, but not ignored ones; None when git fails.

    Only plain untracked files up to `files.DOCUMENT_LIMIT` bytes are read. git itself would wait for a pipe.
    """
    code, output, _ = run(
        root, "grep", "--files-with-matches", "-z", "--fixed-strings", "-e", text, timeout=LONG_TIMEOUT
    )
    others, listed, _ = run(root, "ls-files", "--others", "--exclude-standard", "-z", timeout=LONG_TIMEOUT)
    if code not in {0, 1} or others:
        return None
    untracked = [name for name in listed.split("\0")[:_UNTRACKED] if name and _contains(f"{root}/{name}", text)]
    return [*(name for name in output.split("\0") if name), *untracked]


def _contains(path: str, text: str) -> bool:
    """Return whether a plain file contains `text`; one that cannot be read does not."""
    try:
        return os.fsencode(text) in files.read(path)
    except OSError:
        return False


def renamed(root: str, since: float) -> dict[str, str]:
    """Return the files renamed since a time, with the new path, and those deleted, with "". Seconds since 1970."""
    kind = ("-M", "--diff-filter=RD", "--name-status", "-z", *SAFE_DIFF)
    log = run(root, "log", "--format=", f"--since=@{int(since)}", f"--max-count={_COMMITS}", *kind)
    now = run(root, "diff", *kind, "HEAD")
    names: dict[str, str] = {}
    for code, output, _ in (now, log):  # the working tree first: of two changes the later one counts
        words = iter(output.split("\0") if code == 0 else [])
        for status in words:
            old = next(words, "")
            new = next(words, "") if status.strip().startswith("R") else ""
            if old and status.strip():
                names.setdefault(old, new)
    return names


def tracked_with_name(root: str, names: "Collection[str]") -> list[str]:
    """Return the paths of the tracked files that have one of these names, in any folder."""
    if not root or not names:
        return []
    patterns = [f":(top,glob)**/{_literal(name)}" for name in sorted(names)]
    code, output, _ = run(root, "ls-files", "-z", "--", *patterns)
    return [path for path in output.split("\0") if path] if code == 0 else []


def _literal(name: str) -> str:
    """Return a pattern that matches only this name."""
    return "".join(f"\\{char}" if char in "*?[]\\" else char for char in name)


def head_at(root: str, at: float) -> str:
    """Return the commit that was checked out here at a time, from the reflog; "" when that does not reach so far."""
    moves = own_commits.head_moves(paths.locate(root).git if root else "")
    if moves:
        name_then = next((name for time_of, name in reversed(moves) if time_of <= at), "")
        return name_then if name_then.strip("0") else ""
    when = time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(at))
    code, output, warning = run(root, "rev-parse", "--verify", f"HEAD@{{{when}}}")
    return output.strip() if code == 0 and "only goes back to" not in warning else ""


def tracked(root: str, names: "Collection[str]") -> set[str]:
    """Return those of the files that are tracked."""
    code, output, _ = run(root, "--literal-pathspecs", "ls-files", "-z", "--", *names) if names else (0, "", "")
    return {name for name in output.split("\0") if name} if code == 0 else set()


def added_lines(root: str, base: str, names: "Collection[str]") -> list[tuple[str, int, str]] | None:
    """Return the lines of the files that were added since the commit `base`, as (path, line number, text).

    None when git fails or takes too long.
    """
    command = ("-c", "core.quotePath=false", "--literal-pathspecs", "diff", "-U0", *_PLAIN, base, "--", *names)
    code, output, _ = run(root, *command) if names else (0, "", "")
    return list(_added_in_diff(output)) if code == 0 else None


def _added_in_diff(diff: str) -> "Iterator[tuple[str, int, str]]":
    """Yield path, line number and text of each added line in a diff without context."""
    path, number, added, removed = "", 0, 0, 0  # lines that are still to come in this hunk
    for line in diff.split("\n"):
        if added and line.startswith("+"):
            yield path, number, line[1:]
            number, added = number + 1, added - 1
        elif removed and line.startswith("-"):
            removed -= 1
        elif line.startswith("+++ "):
            path = _unquoted(line[4:].removesuffix("\t")).removeprefix("b/")
        elif hunk := _HUNK.match(line):
            removed, number, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)


def _unquoted(name: str) -> str:
    """Return a path from a diff without the quotes and escapes that git adds for some characters."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1]) or chr(int(escape[1], 8)), name[1:-1])


def size_of_refs(root: str) -> int:
    """Return how many bytes the objects of holdfast's own refs take, 0 when git (before 2.31) cannot tell."""
    code, output, _ = run(root, "rev-list", "--objects", "--disk-usage", "--glob=refs/holdfast*", timeout=LONG_TIMEOUT)
    return int(output) if code == 0 and output.strip().isdigit() else 0


def version() -> str:
    """Return the version of git, "" when there is no git."""
    code, output, _ = run("/", "version")
    return output.removeprefix("git version ").strip() if code == 0 else ""


def _first(errors: str) -> str:
    """Return the first line of git's error output."""
    return next((line.strip() for line in errors.splitlines() if line.strip()), "git failed and did not say why")[:300]


def ignored(root: str, names: "Iterable[str]") -> list[str]:
    """Return those of the paths, relative to `root`, that git ignores."""
    code, output, _ = run(root, "check-ignore", "--no-index", "-z", "--stdin", stdin="\0".join(names))
    return [name for name in output.split("\0") if name] if code == 0 else []


def without_filter(root: str, names: "Sequence[str]") -> list[tuple[str, str]]:
    """Return those of the paths, relative to `root`, whose filter is not configured, each with the filter's name."""
    words = run(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", *names)[1].split("\0")
    wanted = [(path, name) for path, name in zip(words[::3], words[2::3], strict=False) if name not in _NO_FILTER]
    configured = run(root, "config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process)$")[1].split()
    known = {key.partition(".")[2].rpartition(".")[0] for key in configured}
    return [(path, name) for path, name in wanted if name not in known]


# Git applies commits one after the other, or bisects. Between two commits of a cherry-pick only `sequencer` is there.
REPLAYING = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "sequencer")
# Nothing is staged meanwhile.
STOPPED = ("MERGE_HEAD", *REPLAYING)
# Texts in the working tree may come from elsewhere. SQUASH_MSG stays until the commit of `merge --squash`, for which
# no write has to wait; REBASE_HEAD and BISECT_LOG are there beside names above, and no operation stops at them alone.
UNSETTLED = (*STOPPED, "SQUASH_MSG", "REBASE_HEAD", "BISECT_LOG")

_NAMES = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


def running(git: str, names: "tuple[str, ...]") -> list[str]:
    """Return those of the names, one of the tuples above, that exist in the git folder `git`."""
    return [name for name in names if os.path.lexists(f"{git}/{name}")]


def named(git: str, operation: str) -> str:
    """Return what git is in the middle of; `operation` is the file in the git folder `git` that says so."""
    name = _name(git, operation)
    words = {"am": "applying patches", "bisect": "a bisect", "": "an operation"}
    return f"git is in the middle of {words.get(name, f'a {name}')}"


def advice(git: str, operation: str) -> str:
    """Return the same with what to type."""
    what, name = named(git, operation), _name(git, operation)
    if not name:
        return f"{what}. Finish it (see git status), then try again."
    if name == "bisect":
        return f"{what}. End it (git bisect reset), then try again."
    return f"{what}. Finish it (git {name} --continue) or end it (git {name} --abort), then try again."


def _name(git: str, operation: str) -> str:
    """Return the command of git that has begun, "" if it cannot be told."""
    if operation.startswith("BISECT"):
        return "bisect"
    if os.path.exists(f"{git}/rebase-apply/applying"):
        return "am"
    if operation != "sequencer":
        return _NAMES.get(operation, "")
    first = (files.read_or_none(f"{git}/sequencer/todo") or b"").split(None, 1)[:1]
    return {b"pick": "cherry-pick", b"revert": "revert"}.get(b"".join(first), "")

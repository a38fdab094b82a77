"""Every question asked of git and the one thing done with it, staging: the only importer of GitPython."""

import os
import time

_UNDER_WAY = ("MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_PATIENCE = 2.0  # seconds for a foreign index.lock to go
_TURNED = ("DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "PREFIX", "NAMESPACE")
# A repository must not be able to make us run its programs: no hooks, no file-system monitor.
_QUIET = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


def stage(root: str, git: str, path: str) -> str:
    """Stage one file, given relative to the working tree `root`; return "" or why it was not staged.

    Obeys .gitignore, touches no other path, keeps off while a merge, rebase, cherry-pick or revert is under way, and
    leaves a file in conflict to be declared resolved by a person.
    """
    under_way = [name for name in _UNDER_WAY if os.path.exists(f"{git}/{name}")]
    if under_way:
        return f"{path} is not staged: {under_way[0]} says that git is in the middle of something"
    if _run(root, "--literal-pathspecs", "ls-files", "--unmerged", "--", path)[1]:
        return f"{path} is not staged: git holds it in conflict"
    deadline = time.monotonic() + _PATIENCE
    while True:
        code, _, errors = _run(root, "--literal-pathspecs", "add", "--", path)
        if code == 0 or "ignored by one of your .gitignore" in errors:  # ignored: a choice, not a problem
            return ""
        if "index.lock': File exists" not in errors or time.monotonic() > deadline:
            return f"{path} is not staged: {_first(errors)}"
        time.sleep(0.05)


def uncommitted(root: str) -> list[str] | None:
    """Return the paths that differ from the last commit, untracked ones too; None where git cannot tell."""
    code, output, _ = _run(root, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    return [entry[3:] for entry in output.split("\0") if entry] if code == 0 else None


def committed(root: str, path: str) -> bool:
    """Whether the last commit has a file as it is now."""
    now, kept = _run(root, "hash-object", "--", path), _run(root, "rev-parse", "--verify", "--quiet", f"HEAD:{path}")
    return now[0] == kept[0] == 0 and now[1] == kept[1]


def keep(root: str, path: str) -> str:
    """Return the name of the git object with the bytes of a file, held by a ref of its own; "" where git cannot."""
    code, output, _ = _run(root, "hash-object", "-w", "--no-filters", "--", path)
    name = output.strip() if code == 0 else ""
    held = name and _run(root, "update-ref", f"refs/holdfast/kept/{name}", name)[0] == 0
    return name if held else ""


def mentions(root: str, text: str) -> list[str] | None:
    """Return the tracked files in which `text` stands; None where git cannot tell."""
    code, output, _ = _run(root, "grep", "--files-with-matches", "-z", "--fixed-strings", "-e", text)
    return [name for name in output.split("\0") if name] if code in {0, 1} else None


def version() -> str:
    """Return git's version, "" when there is no git."""
    code, output, _ = _run("/", "version")
    return output.removeprefix("git version ").strip() if code == 0 else ""


def load() -> None:
    """Import GitPython, which takes as long as a whole command; for whoever is about to make others wait."""
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # or the import fails where git is missing
    import git  # noqa: F401


def _run(root: str, *arguments: str) -> tuple[int, str, str]:
    """Run git in a working tree; return its exit code, output and complaint, 127 when there is no git."""
    load()
    import git

    # What git exports to its own hooks would turn these calls to another repository or index.
    for name in _TURNED:
        os.environ.pop(f"GIT_{name}", None)
    try:
        code, output, errors = git.cmd.Git(root).execute(
            ["git", "-C", root, "--no-optional-locks", *_QUIET, *arguments],
            with_extended_output=True,
            with_exceptions=False,
            strip_newline_in_stdout=False,
            stdout_as_string=False,
            env={"LC_ALL": "C"},
        )
    except (git.exc.GitCommandNotFound, OSError) as error:
        return 127, "", f"git could not be run: {' '.join(str(error).split())[:200]}"
    return code, os.fsdecode(output), errors if isinstance(errors, str) else os.fsdecode(errors)


def _first(errors: str) -> str:
    """Return the first line of what git complained."""
    return next((line.strip() for line in errors.splitlines() if line.strip()), "git failed and did not say why")[:300]

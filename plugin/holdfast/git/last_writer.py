"""Whether git wrote the present text of a file, as a checkout does, or a person who then committed it."""

import os

from holdfast.core import files
from holdfast.git import own_commits, queries
from holdfast.git.run import run
from holdfast.project import paths

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

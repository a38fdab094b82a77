"""Where the text of a file comes from: its user, or git, which brings what others wrote.

Example: `git pull` writes holdfast.toml. Git has the text as an object, or its index has the time of the file, so the
text is not the user's own. An editor saves the same file: neither holds, until the user commits it, and then the log of
HEAD has that commit as one that `git commit` made here.
"""

import os

from holdfast.core import files
from holdfast.git import objects, own_commits, queries
from holdfast.git.run import run
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

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

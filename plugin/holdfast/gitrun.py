"""One run of git: what it may do, how long it may take, and what it said. The only importer of GitPython."""

import contextlib
import os
import signal

from holdfast import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

LONGEST = 5.0  # seconds for an answer
UNHURRIED = 60.0  # seconds for one that needs a look at every file, where nobody is kept waiting
_RELUCTANT = 1.0  # seconds, once git has let one answer wait
_TURNED = ("DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "PREFIX", "NAMESPACE")
_FILTERING = frozenset(("status", "diff", "add", "hash-object"))  # read files as git would store them
_slow: list[int] = []  # the processes that had to be ended


def load() -> None:
    """Import GitPython, which takes as long as a whole command; for whoever is about to make others wait."""
    # The import would run `git version`, which costs time, fails where git is missing, and waits for one that hangs.
    os.environ.update(GIT_PYTHON_REFRESH="quiet", GIT_PYTHON_GIT_EXECUTABLE=os.devnull)
    import git  # noqa: F401


def run(
    root: str, *arguments: str, patience: float = LONGEST, given: str = "", filtered: str = ""
) -> tuple[int, str, str]:
    """Run git in a working tree; return its exit code, output and complaint, 127 when there is no git.

    `given` is what it reads. What takes longer than `patience` seconds is ended, with an exit code that is not 0; later
    calls of this process are then given little time, so that a git that hangs keeps nobody waiting for each answer. No
    program that the repository names is run, but for the filter of the one file `filtered`.
    """
    endless = harmless.waits(root, filtered)
    if endless:
        return 127, "", f"{endless} is a pipe or a device, at which git would wait for ever"
    off: tuple[str, ...] | None = ()
    if not _FILTERING.isdisjoint(arguments):
        off = harmless.without_filters(root, _run, filtered)
    if off is None:
        return 127, "", "the repository defines a filter that cannot be switched off: its name has a = in it"
    return _run(root, *off, *arguments, patience=patience, given=given)


def _run(root: str, *arguments: str, patience: float = LONGEST, given: str = "") -> tuple[int, str, str]:
    """Run git as `run` does, with whatever filters there are."""
    load()
    import subprocess

    import git

    # What git exports to its own hooks would turn these calls to another repository or index.
    for name in _TURNED:
        os.environ.pop(f"GIT_{name}", None)
    try:
        started = git.cmd.Git(root).execute(
            # The working tree is ours to name: a repository may be configured to have another.
            ["git", "-C", root, f"--work-tree={root}", "--no-optional-locks", *harmless.QUIET, *arguments],
            as_process=True,
            istream=subprocess.PIPE if given else None,
            env=harmless.ENVIRONMENT,
            start_new_session=True,  # so that what it starts can be ended with it
        )
    except (git.exc.GitCommandNotFound, OSError) as error:
        return 127, "", f"git could not be run: {' '.join(str(error).split())[:200]}"
    return _awaited(started.proc, min(patience, _RELUCTANT) if _slow else patience, os.fsencode(given))


def _awaited(process: "Popen[bytes] | None", patience: float, given: bytes) -> tuple[int, str, str]:
    """Return what a git said that has just been started, once it is done or its time is over."""
    import subprocess

    if process is None:  # GitPython's type for one that was ended already
        return 127, "", "git is gone"
    try:
        output, errors = process.communicate(given or None, timeout=patience)
    except subprocess.TimeoutExpired:
        _slow.append(process.pid)
        _end(process)
        return 124, "", f"git gave no answer within {patience:g} seconds"
    return process.returncode, os.fsdecode(output), os.fsdecode(errors)


def _end(process: "Popen[bytes]") -> None:
    """End a git and all that it started: first in a way that lets it take its locks away."""
    import subprocess

    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_RELUCTANT)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()

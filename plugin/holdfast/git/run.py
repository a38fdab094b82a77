"""One run of git: its environment, its time limit, and its output."""

import contextlib
import os
import signal

from holdfast.git import hardening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen

TIMEOUT = 5.0  # seconds for most runs
LONG_TIMEOUT = 60.0  # seconds for a run that reads every file, where no person waits
_SHORT_TIMEOUT = 1.0  # seconds, once a run of this process has reached its limit
# Variables that git sets for its own hooks; they would make our runs use another repository or index.
_REDIRECTIONS = ("DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "PREFIX", "NAMESPACE")
_FILTERING = frozenset(("status", "diff", "add", "hash-object"))  # commands that apply filters to files
_MOST_MEMORY, _MOST_BYTES = 1 << 30, 256 << 20  # bytes of a bounded run: in memory, and in a file that it writes
_timed_out: list[int] = []  # process ids of the runs that reached their limit


def run(  # noqa: PLR0913 - each is needed
    root: str,
    *arguments: str,
    timeout: float = TIMEOUT,
    stdin: str = "",
    filter_for: str = "",
    variables: "Mapping[str, str] | None" = None,
    bounded: bool = False,
) -> tuple[int, str, str]:
    """Run git in the working tree `root`; return its exit code, output and error output.

    `stdin` is its input. `variables` are added to its environment. No program that the repository names is run, except
    the filter of the one file `filter_for`. The exit code is 127 when git cannot be run, 124 when it was ended after
    `timeout` seconds. Later runs of this process then get only one second each, so that a git that hangs delays only
    one of them. A `bounded` run reads what others sent: it has a limit of memory and of bytes in one file.
    """
    endless = hardening.endless_file(root, filter_for)
    if endless:
        return 127, "", f"{endless} is a pipe or a device, at which git would wait for ever"
    hooks = hardening.disable_hooks(root, _run)
    filters: tuple[str, ...] | None = ()
    if not _FILTERING.isdisjoint(arguments):
        filters = hardening.disable_filters(root, _run, filter_for)
    if hooks is None or filters is None:
        what = "hook" if hooks is None else "filter"
        return 127, "", f"the repository defines a {what} that cannot be switched off: its name has a = in it"
    words = (*hooks, *filters, *arguments)
    return _run(root, *words, timeout=timeout, stdin=stdin, variables=variables, bounded=bounded)


def _run(
    root: str,
    *arguments: str,
    timeout: float = TIMEOUT,
    stdin: str = "",
    variables: "Mapping[str, str] | None" = None,
    bounded: bool = False,
) -> tuple[int, str, str]:
    """Run git as `run` does, without looking at filters."""
    for name in _REDIRECTIONS:
        os.environ.pop(f"GIT_{name}", None)
    # A repository can configure another working tree, so it is named here.
    command = ["git", "-C", root, f"--work-tree={root}", "--no-optional-locks", *hardening.SAFE_OPTIONS, *arguments]
    environment = {**hardening.ENVIRONMENT, **(variables or {})}
    return program(root, command, environment, stdin=stdin, timeout=timeout, bounded=bounded)


def program(  # noqa: PLR0913 - each is needed
    root: str,
    command: list[str],
    environment: "Mapping[str, str]",
    *,
    stdin: str = "",
    timeout: float = TIMEOUT,
    bounded: bool = False,
) -> tuple[int, str, str]:
    """Run a program in `root` with more variables; return its exit code, output and error output, as `run` does."""
    try:
        process = _start(root, command, environment, reads=bool(stdin), bounded=bounded)
    except OSError as error:
        return 127, "", f"{command[0]} could not be run: {' '.join(str(error).split())[:200]}"
    return _finish(process, min(timeout, _SHORT_TIMEOUT) if _timed_out else timeout, os.fsencode(stdin))


def _start(
    root: str, command: list[str], environment: "Mapping[str, str]", *, reads: bool, bounded: bool
) -> "Popen[bytes]":
    """Start a program; OSError when there is none."""
    import subprocess

    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE if reads else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root if os.access(root, os.X_OK) else None,  # a folder that does not exist is git's error to report
        env={**os.environ, **environment},
        start_new_session=True,  # so that the programs it starts can be ended with it
        preexec_fn=_bound if bounded else None,  # noqa: PLW1509 - this process has one thread
    )


def _bound() -> None:
    """Limit what this process, and each one that it starts, may have in memory and write to one file."""
    import resource

    for kind, most in ((resource.RLIMIT_DATA, _MOST_MEMORY), (resource.RLIMIT_FSIZE, _MOST_BYTES)):
        soft, hard = resource.getrlimit(kind)
        with contextlib.suppress(OSError, ValueError):  # a system without this limit
            resource.setrlimit(kind, (min([most, *(limit for limit in (soft, hard) if limit >= 0)]), hard))


def _finish(process: "Popen[bytes]", timeout: float, stdin: bytes) -> tuple[int, str, str]:
    """Wait for a started git, at most `timeout` seconds; return its exit code, output and error output."""
    import subprocess

    try:
        output, errors = process.communicate(stdin or None, timeout=timeout)
    except subprocess.TimeoutExpired:
        _timed_out.append(process.pid)
        _end(process)
        return 124, "", f"git gave no answer within {timeout:g} seconds"
    return process.returncode, os.fsdecode(output), os.fsdecode(errors)


def _end(process: "Popen[bytes]") -> None:
    """End a git and all that it started, with a signal first that lets it remove its lock files."""
    import subprocess

    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_SHORT_TIMEOUT)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()

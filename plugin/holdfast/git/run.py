"""One run of git: its environment, its time limit, its output, and what keeps it from running a program of the tree."""

import contextlib
import os
import signal
import stat

from holdfast.core import files
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from subprocess import Popen

    Run = Callable[..., tuple[int, str, str]]


TIMEOUT = 5.0  # seconds for most runs
LONG_TIMEOUT = 60.0  # seconds for a run that reads every file, where no person waits
_SHORT_TIMEOUT = 1.0  # seconds, once a run of this process has reached its limit
# Variables that git sets for its own hooks; they would make our runs use another repository or index.
_REDIRECTIONS = ("DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "PREFIX", "NAMESPACE")
_FILTERING = frozenset(("status", "diff", "add", "hash-object", "restore"))  # commands that apply filters to files
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
    endless = endless_file(root, filter_for)
    if endless:
        return 127, "", f"{endless} is a pipe or a device, at which git would wait for ever"
    hooks = disable_hooks(root, _run)
    filters: tuple[str, ...] | None = ()
    if not _FILTERING.isdisjoint(arguments):
        filters = disable_filters(root, _run, filter_for)
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
    # A relative entry is a folder of the project, from which git and all later programs would come.
    os.environ["PATH"] = ":".join(filter(os.path.isabs, os.get_exec_path())) or os.devnull
    # A repository can configure another working tree, so it is named here.
    command = ["git", "-C", root, f"--work-tree={root}", "--no-optional-locks", *SAFE_OPTIONS, *arguments]
    environment = {**ENVIRONMENT, **(variables or {})}
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


# No hooks, no file-system monitor, no program that lists refs of alternates or checks signatures, nothing inside
# submodules, and no bare repository that is found as a directory (git 2.38 and later; older ones ignore it).
SAFE_OPTIONS = tuple(
    word
    for setting in (
        f"core.hooksPath={os.devnull}",
        "core.fsmonitor=false",
        "core.alternateRefsCommand=true",
        "log.showSignature=false",
        "submodule.recurse=false",
        "safe.bareRepository=explicit",
    )
    for word in ("-c", setting)
)
IGNORE_SUBMODULES = "--ignore-submodules=dirty"  # or git runs in the submodule, with its configuration
SAFE_DIFF = ("--no-ext-diff", "--no-textconv", IGNORE_SUBMODULES)  # options for every command that compares
# Missing objects of a partial clone are not fetched: the configuration could name any program for that.
ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}
_FILTERS = ("config", "--show-scope", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$")
_HOOKS = ("config", "--show-scope", "-z", "--get-regexp", r"^hook\..*\.(command|event)$")
REPOSITORY_SCOPES = ("local", "worktree")  # of settings that come with the repository
_READ = (".git/config", ".git/HEAD", ".git/index", ".git/info/attributes", ".git/info/exclude")
_READ_IN_FOLDERS = (".gitattributes", ".gitignore")


def disable_hooks(root: str, run: "Run") -> "tuple[str, ...] | None":
    """Return the options that disable the hooks which the repository's configuration defines; None when one cannot be.

    `run` runs git. Configured hooks are new in git 2.54, and `core.hooksPath` does not disable them (git-hook(1)).
    """
    own = _defined(run(root, *_HOOKS)[1]) if _may_define(root, b"[hook") else set()
    if any("=" in name for name in own):  # git reads it as the end of the name
        return None
    return tuple(word for name in sorted(own) for word in ("-c", f"hook.{name}.enabled=false"))


def disable_filters(root: str, run: "Run", path: str = "") -> "tuple[str, ...] | None":
    """Return the options that disable the filters which the repository defines; None when one cannot be disabled.

    `run` runs git. The filter of `path` stays, because it decides what is staged (git-crypt encrypts with one). Other
    files need none, but git would filter each one that was saved shortly before the index.
    """
    own = _defined(run(root, *_FILTERS)[1]) if may_define_filters(root) else set[str]()
    if own and path:
        attribute = run(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", path)[1].split("\0")
        own -= {attribute[2]} if len(attribute) > 2 else set()
    if any("=" in name for name in own):  # git reads it as the end of the name
        return None
    settings = [f"filter.{name}.{key}" for name in sorted(own) for key in ("clean=", "process=", "required=false")]
    return tuple(word for setting in settings for word in ("-c", setting))


def own_filter(root: str, run: "Run", path: str) -> str:
    """Return the filter commands that the repository defines for a file, one `key = value` per line; "" for none."""
    if not may_define_filters(root):
        return ""
    attribute = run(root, "--literal-pathspecs", "check-attr", "-z", "filter", "--", path)[1].split("\0")
    words = run(root, *_FILTERS)[1].split("\0")
    prefix = f"filter.{attribute[2] if len(attribute) > 2 else ''}."
    return "".join(
        f"{key} = {value}\n"
        for scope, word in zip(words[::2], words[1::2], strict=False)
        for key, _, value in [word.partition("\n")]
        if scope in REPOSITORY_SCOPES and key.rpartition(".")[0] + "." == prefix
    )


def may_define_filters(root: str) -> bool:
    """Whether the repository's own configuration may define a filter."""
    return _may_define(root, b"filter")


def _may_define(root: str, word: bytes) -> bool:
    """Whether the repository's own configuration has a word in it, or includes another file.

    Most repositories do neither, and need no start of git to say so.
    """
    home = paths.locate(root)
    for path in (f"{home.common}/config", f"{home.git}/config.worktree"):
        try:
            text = files.read(path).lower()
        except FileNotFoundError:
            continue
        except OSError:  # git has its own rules for such a file
            return True
        if word in text or b"include" in text:
            return True
    return not home.git


def _defined(listed: str) -> set[str]:
    """Return the names of the filters or hooks that the repository defines, from the output of `git config`."""
    words = listed.split("\0")
    keys = [
        key.partition("\n")[0]
        for scope, key in zip(words[::2], words[1::2], strict=False)
        if scope in REPOSITORY_SCOPES
    ]
    return {key.partition(".")[2].rpartition(".")[0] for key in keys}


def endless_file(root: str, path: str = "") -> str:
    """Return a file that git would read for ever, "" when there is none.

    git opens its own files by name, in `root` and in each folder down to `path`. A pipe without a writer never ends,
    and some devices do not either.
    """
    folders = [""]
    for name in path.split("/")[:-1]:
        folders.append(f"{folders[-1]}{name}/")
    named = [*_READ, *(folder + name for folder in folders for name in _READ_IN_FOLDERS)]
    return next((name for name in named if _is_endless(f"{root}/{name}")), "")


def _is_endless(path: str) -> bool:
    """Whether a path is a pipe or a device."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)

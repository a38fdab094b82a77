"""The dependency folders: third-party packages in the plugin's data folder, installed completely or not at all.

Each Python has one of its own, and a second one with what few need, which is installed on request.
"""

import os
import sys

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

RETRY = "Then type: holdfast deps"
SITE, MCP = "site", "mcp"  # the folders: what every command needs, and what `holdfast mcp` needs beside that
_REQUIREMENTS = {
    SITE: paths.PLUGIN_ROOT + "/plugin/requirements.txt",
    MCP: paths.PLUGIN_ROOT + "/plugin/requirements-mcp.txt",
}
_PACKAGES = {SITE: ("click", "filelock", "frontmatter", "git", "jinja2", "pyromark", "rich", "textual"), MCP: ("mcp",)}
_STAMP = "/holdfast-requirements.txt"
_FLAGS = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile", "--requirement")
# The user's index, proxy and certificates stay in force; settings that change the target, or ask, do not.
_PIP = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
# Text in the output of an installer, and the cause with its remedy.
_CAUSES = (
    ("No space left", "the disk is full; make room."),
    ("HASHES", "the package index has other files than the ones holdfast was made with; use another index."),
    ("(from versions: none)", "no package index answers; connect, or set PIP_INDEX_URL to one that can be reached."),
    ("error sending request", "no package index answers; connect, or set UV_INDEX_URL to one that can be reached."),
)


def folder(kind: str = SITE) -> str:
    """Return the path of the folder for this version of Python, existing or not; "" without a data folder."""
    data = paths.data_dir(os.environ)
    return data and f"{data}/{kind}-{sys.version_info[0]}.{sys.version_info[1]}"


def ready(kind: str = SITE) -> bool:
    """Whether the folder was built from the requirements of this version of holdfast."""
    return bool(folder(kind)) and _is_current(folder(kind))


def activate(kind: str = SITE) -> bool:
    """Make the packages importable; return False when neither the folder nor this Python has them."""
    if ready(kind):
        if folder(kind) not in sys.path:
            sys.path.append(folder(kind))
        return True
    from importlib.util import find_spec

    return all(find_spec(name) for name in _PACKAGES[kind])


def require() -> None:
    """Make the packages importable; HoldfastError where neither the folder nor this Python has them."""
    if not activate():
        raise HoldfastError(
            f"this Python has no packages of holdfast. Type: {sys.executable} -m pip install -r {_REQUIREMENTS[SITE]}"
        )


def build(kind: str = SITE) -> str:
    """Build the folder unless it is ready, and return its path; HoldfastError when that fails, with nothing changed.

    The caller completes the error's text with `RETRY`. When several processes call it, one builds and the others wait.
    """
    data, target = paths.data_dir(os.environ), folder(kind)
    if not data:
        raise HoldfastError("there is no folder for its packages; set HOME or HOLDFAST_DATA.")
    if not os.path.exists(_REQUIREMENTS[kind]):
        raise HoldfastError(f"{_REQUIREMENTS[kind]} is missing, which every clone has; clone holdfast again.")
    try:
        os.makedirs(data, exist_ok=True)
        with _Lock(data):
            _sweep(data, outdated_only=True)
            if not _is_current(target):
                _build(data, target)
    except OSError as error:
        why = error.strerror or str(error)
        raise HoldfastError(f"cannot write to {data} ({why}); correct that, or set HOLDFAST_DATA.") from error
    return target


def build_and_report(kind: str = SITE, *, json: bool = False) -> str:
    """Build the folder as `build` does, and return the line that says so; with `json` the same as an object."""
    known = ready(kind)
    target = build(kind)
    if json:
        from holdfast.core import fast_json

        return fast_json.dumps({"folder": target, "built": not known})
    return f"packages: {'already' if known else 'built'} in {target}"


def announcement() -> str:
    """Return the line that a terminal shows before a build; "" when nothing is to be built, or there is no terminal.

    There is no bar, because rich is among the packages to be built.
    """
    shown = not ready() and sys.stderr and sys.stderr.isatty()
    return "packages: installing, which takes about ten seconds ...\n" if shown else ""


def remove() -> None:
    """Remove every dependency folder, and what interrupted builds left."""
    data = paths.data_dir(os.environ)
    if data and os.path.isdir(data):
        with _Lock(data) as lock:
            _sweep(data, outdated_only=False)
            os.unlink(lock)


class _Lock:
    """A lock of the kernel, which is released when its process ends. filelock is not installed yet at this point."""

    def __init__(self, data: str) -> None:
        self._path = data + "/.site-lock"

    def __enter__(self) -> str:
        import fcntl

        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX)
            # `remove` may have deleted the file while this process waited.
            if os.path.exists(self._path) and os.path.samestat(os.fstat(self._handle), os.stat(self._path)):
                return self._path
            os.close(self._handle)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _requirements(site: str) -> str:
    """Return the path of the requirements of a folder, or of the one that is renamed to it."""
    return _REQUIREMENTS[MCP if os.path.basename(site).startswith(MCP) else SITE]


def _is_current(site: str) -> bool:
    """Whether a folder was built from the present requirements."""
    try:
        return files.read(site + _STAMP) == files.read(_requirements(site))
    except OSError:
        return False


def _sweep(data: str, *, outdated_only: bool) -> None:
    """Remove what interrupted builds left, and dependency folders: all of them, or only the outdated ones."""
    import shutil

    for name in os.listdir(data):
        path = f"{data}/{name}"
        if name.startswith(".site-tmp-") or (
            name.startswith((f"{SITE}-", f"{MCP}-")) and not (outdated_only and _keeps(path))
        ):
            shutil.rmtree(path, ignore_errors=True)


def _keeps(site: str) -> bool:
    """Whether a folder stays for now: it is current, or the new one is about to replace it."""
    return site in (folder(SITE), folder(MCP)) or _is_current(site)


def _build(data: str, target: str) -> None:
    """Build in a temporary folder, and rename that when it is complete."""
    import shutil
    import tempfile

    scratch = tempfile.mkdtemp(prefix=".site-tmp-", dir=data)
    fresh = scratch + "/new"
    try:
        _install(fresh, scratch, _requirements(target))
        files.write_atomic(fresh + _STAMP, files.read(_requirements(target)))
        _compile(fresh, target)
        if os.path.lexists(target):
            os.rename(target, scratch + "/old")
        os.rename(fresh, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _install(fresh: str, scratch: str, requirements: str) -> None:
    """Install packages into a new folder; HoldfastError when the installer fails."""
    import subprocess

    command = [*_installer(scratch), "--target", fresh, *_FLAGS, requirements]
    environment = {**os.environ, **_PIP}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=scratch, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise HoldfastError(_explain(done.stdout + done.stderr, os.path.dirname(scratch)))


def _installer(scratch: str) -> list[str]:
    """Return the first words of a command that installs packages: with this Python's pip, uv, or pip in a new venv."""
    import shutil

    if _works(sys.executable, "-I", "-m", "pip", "--version"):
        return [sys.executable, "-I", "-m", "pip", "install"]
    uv = shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "--python", sys.executable]
    if _works(sys.executable, "-I", "-m", "venv", scratch + "/venv"):
        return [scratch + "/venv/bin/python", "-I", "-m", "pip", "install"]
    raise HoldfastError(
        f"{sys.executable} cannot install packages: it has neither pip nor ensurepip, and there is no uv;"
        " install one of them, such as 'apt install python3-pip'."
    )


def _works(*command: str) -> bool:
    """Whether a command exits with 0."""
    import subprocess

    return subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def _explain(output: str, data: str) -> str:
    """Return the message for a failed installer: its last error, and the remedy if the cause is known."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["no output"]
    errors = [line for line in lines if line.lower().startswith("error:") and not line.endswith("Exception:")]
    error, remedy = (errors or lines)[-1], "the installer failed; put right what it says."
    for sign, cause in _CAUSES:
        if sign in output:
            error, remedy = [line for line in lines if sign in line][-1], cause
            break
    error = error.removeprefix("ERROR: ").removeprefix("error: ")[:300]
    return f"cannot install packages into {data} ({error}): {remedy}"


def _compile(fresh: str, target: str) -> None:
    """Compile the packages for their final path `target`, and holdfast itself if its folder is writable."""
    import compileall

    compileall.compile_dir(fresh, quiet=2, stripdir=fresh, prependdir=target)
    compileall.compile_dir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), quiet=2)

"""The dependency folder: third-party packages beside the plugin's data, there as a whole or not at all."""

import os
import sys

from holdfast import files, paths
from holdfast.errors import HoldfastError

AGAIN = "Then type: holdfast deps"
REQUIREMENTS = paths.PLUGIN_ROOT + "/plugin/requirements.txt"
PACKAGES = ("click", "filelock", "frontmatter", "git", "pyromark", "rich")
_STAMP = "/holdfast-requirements.txt"
_FLAGS = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile", "--requirement", REQUIREMENTS)
# A person's index, proxy and certificates count; what would send the packages elsewhere, or ask, does not.
_PIP = {"PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
_CAUSES = (
    ("No space left", "the disk is full; make room."),
    ("HASHES", "the package index has other files than the ones holdfast was made with; use another index."),
    ("(from versions: none)", "no package index answers; connect, or set PIP_INDEX_URL to one that can be reached."),
    ("error sending request", "no package index answers; connect, or set UV_INDEX_URL to one that can be reached."),
)


def folder() -> str:
    """Return the folder for the running Python, there or not; "" where nothing can be kept."""
    data = paths.data_dir(os.environ)
    return data and f"{data}/site-{sys.version_info[0]}.{sys.version_info[1]}"


def ready() -> bool:
    """Whether the folder holds just the packages that this version of holdfast asks for."""
    return bool(folder()) and _is_current(folder())


def activate() -> bool:
    """Make the packages importable; False when neither the folder nor this Python has them."""
    if ready():
        if folder() not in sys.path:
            sys.path.append(folder())
        return True
    from importlib.util import find_spec

    return all(find_spec(name) for name in PACKAGES)


def build() -> str:
    """Build the folder unless it is ready, and return its path; a HoldfastError, which `AGAIN` ends, changes nothing.

    Of several processes one builds and the others wait for it.
    """
    data, target = paths.data_dir(os.environ), folder()
    if not data:
        raise HoldfastError("there is no place for its packages; set HOME or HOLDFAST_DATA.")
    if not os.path.exists(REQUIREMENTS):
        raise HoldfastError(f"{REQUIREMENTS} is missing, which a whole clone has; clone holdfast anew.")
    try:
        os.makedirs(data, exist_ok=True)
        with _Lock(data):
            _sweep(data, outdated_only=True)
            if not _is_current(target):
                _build(data, target)
    except OSError as error:
        why = error.strerror or str(error)
        raise HoldfastError(f"cannot write to {data} ({why}); put that right, or set HOLDFAST_DATA.") from error
    return target


def build_told() -> str:
    """Build the folder as `build` does, and return a line that tells it."""
    word = "already" if ready() else "built"
    return f"packages: {word} in {build()}"


def remove() -> None:
    """Take away every dependency folder, and the traces of building one."""
    data = paths.data_dir(os.environ)
    if data and os.path.isdir(data):
        with _Lock(data) as lock:
            _sweep(data, outdated_only=False)
            os.unlink(lock)


class _Lock:
    """One process at a time; the system lets go of it when its holder dies."""

    def __init__(self, data: str) -> None:
        self._path = data + "/.site-lock"

    def __enter__(self) -> str:
        import fcntl

        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._handle, fcntl.LOCK_EX)
            # `remove` may have taken the file away while we waited for it.
            if os.path.exists(self._path) and os.path.samestat(os.fstat(self._handle), os.stat(self._path)):
                return self._path
            os.close(self._handle)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _is_current(site: str) -> bool:
    """Whether a folder was built from the requirements as they are now."""
    try:
        return files.read(site + _STAMP) == files.read(REQUIREMENTS)
    except OSError:
        return False


def _sweep(data: str, *, outdated_only: bool) -> None:
    """Remove what killed builds left, and folders: all of them, or those of other requirements."""
    import shutil

    for name in os.listdir(data):
        path = f"{data}/{name}"
        if name.startswith(".site-tmp-") or (name.startswith("site-") and not (outdated_only and _keeps(path))):
            shutil.rmtree(path, ignore_errors=True)


def _keeps(site: str) -> bool:
    """Whether a folder stays for now: it is current, or stands where the new one comes, which replaces it whole."""
    return site == folder() or _is_current(site)


def _build(data: str, target: str) -> None:
    """Build in a scratch folder, and rename what is complete into place."""
    import shutil
    import tempfile

    scratch = tempfile.mkdtemp(prefix=".site-tmp-", dir=data)
    fresh = scratch + "/new"
    try:
        _install(fresh, scratch)
        files.write_atomic(fresh + _STAMP, files.read(REQUIREMENTS))
        _compile(fresh, target)
        if os.path.lexists(target):
            os.rename(target, scratch + "/old")
        os.rename(fresh, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _install(fresh: str, scratch: str) -> None:
    """Install the packages into a new folder; HoldfastError says what stood in the way."""
    import subprocess

    command = [*_installer(scratch), "--target", fresh, *_FLAGS]
    environment = {**os.environ, **_PIP}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, env=environment, cwd=scratch, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise HoldfastError(_why(done.stdout + done.stderr, os.path.dirname(scratch)))


def _installer(scratch: str) -> list[str]:
    """Return the start of a command that installs packages: this Python's pip, uv, or a pip of our own."""
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
    """Whether a command succeeds."""
    import subprocess

    return subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def _why(output: str, data: str) -> str:
    """Return the message for an installer's failure: its cause where we know it, and the installer's own last word."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["no output"]
    errors = [line for line in lines if line.lower().startswith("error:") and not line.endswith("Exception:")]
    said, remedy = (errors or lines)[-1], "the installer failed; put right what it says."
    for sign, cause in _CAUSES:
        if sign in output:
            said, remedy = [line for line in lines if sign in line][-1], cause
            break
    said = said.removeprefix("ERROR: ").removeprefix("error: ")[:300]
    return f"cannot install packages into {data} ({said}): {remedy}"


def _compile(fresh: str, target: str) -> None:
    """Compile the packages for their later place, and the library itself where it may be written to."""
    import compileall

    compileall.compile_dir(fresh, quiet=2, stripdir=fresh, prependdir=target)
    compileall.compile_dir(os.path.dirname(os.path.abspath(__file__)), quiet=2)

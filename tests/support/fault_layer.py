"""Run as a program: the command line and the hooks as processes in which any step that changes something can go wrong.

A step is a call to the system that changes a file, a folder or a process. Python itself announces them to an audit hook
before it makes them, whoever calls, so none is missed; it is silent about write and fsync on an open file, which are
wrapped. Each line on standard input is a job, each line on standard output what came of it. One process imports
everything once and forks for each job: what runs is the real command, on real files.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import resource
import signal
import stat
import sys
import tempfile
import time
import traceback
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What Python announces, and how many of the arguments are paths.
_ANNOUNCED = {
    "os.mkdir": ("mkdir", 1),
    "os.rename": ("rename", 2),
    "os.link": ("link", 2),
    "os.symlink": ("symlink", 2),
    "os.remove": ("unlink", 1),
    "os.rmdir": ("rmdir", 1),
    "os.truncate": ("truncate", 1),
    "os.chmod": ("chmod", 1),
    "os.chown": ("chown", 1),
    "os.utime": ("utime", 1),
    "fcntl.flock": ("lock", 1),
    "fcntl.lockf": ("lock", 1),
}
_STARTS = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec")


class Layer:
    """Counts the steps of this process within a folder, tells each before it is made, and lets some go wrong.

    The job's `at` is the number of the step (0 for none), `how` what happens there: "kill" before it, "half" for a
    write after half of the bytes, "fail" with `errno`; "onward" fails from that step on. `kinds` are those that fail.
    """

    def __init__(self, job: dict[str, Any], reported: int) -> None:
        self.at, self.how, self.errno = int(job["at"]), str(job["how"]), int(job["errno"])
        self.kinds, self.within = job["kinds"], str(job["within"]) + "/"
        self.reported, self.count, self.off = reported, 0, False
        self._write = os.write

    def install(self) -> None:
        """See every step of this process from now on; children of its own see to themselves."""
        os.register_at_fork(after_in_child=self._end)
        real_write = os.write

        def write(handle: int, data: bytes) -> int:
            if self._ours(handle):
                self._step("write", self._named(handle), lambda: real_write(handle, data[: len(data) // 2]))
            return real_write(handle, data)

        def fsync(handle: int) -> None:
            # Not done: a process that is killed leaves the same either way, and a disk takes its time.
            if self._ours(handle):
                self._step("fsync", self._named(handle))

        os.write, os.fsync = write, fsync  # type: ignore[assignment] # the same call, counted
        sys.addaudithook(self._announced)

    def _end(self) -> None:
        self.off = True

    def _announced(self, event: str, given: tuple[Any, ...]) -> None:
        """Be told by Python of what it is about to do."""
        if self.off:
            return
        if event == "open":
            path, _, flags = given
            if isinstance(flags, int) and flags & _WRITING:
                self._step("open", self._named(path))
        elif event in _ANNOUNCED and not (event == "os.mkdir" and os.path.isdir(given[0])):  # that changes nothing
            kind, paths = _ANNOUNCED[event]
            self._step(kind, " ".join(self._named(path) for path in given[:paths]))
        elif event in _STARTS:
            self._step("start", self.within + " ".join(map(str, given[1] if len(given) > 1 else [])))

    def _ours(self, handle: int) -> bool:
        return not self.off and stat.S_ISREG(os.fstat(handle).st_mode)

    def _named(self, path: Any) -> str:
        """Return what a path, or the file behind a handle, is called."""
        if isinstance(path, int):
            return os.path.realpath(f"/proc/self/fd/{path}") if os.path.isdir("/proc/self/fd") else self.within
        return os.path.abspath(os.fsdecode(path))

    def _step(self, kind: str, what: str, half: Callable[[], object] | None = None) -> None:
        """Tell of a step that is about to be made, and let it go wrong if that is its turn."""
        if not what.startswith(self.within) or (self.kinds and kind not in self.kinds):
            return
        self.count += 1
        self._write(self.reported, f"{kind} {what.replace(self.within, '')}".replace("\n", "?").encode(*_ANY) + b"\n")
        if kind in ("rename", "link"):
            self._write(self.reported, f"= {blob(what.partition(' ')[0])} {what.rpartition('/')[2]}\n".encode(*_ANY))
        named = () if kind in ("write", "fsync") else (what,)  # the system names no file where it was given a handle
        if self.how == "onward" and self.count >= self.at > 0:
            raise OSError(self.errno, os.strerror(self.errno), *named)
        if self.count != self.at:
            return
        if self.how == "fail":
            raise OSError(self.errno, os.strerror(self.errno), *named)
        if self.how == "half" and half:
            half()
        os.kill(os.getpid(), signal.SIGKILL)


def blob(path: str) -> str:
    """Return the name that git gives to the bytes of a file."""
    with open(path, "rb") as file:
        data = file.read()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


_ANY = ("utf-8", "surrogateescape")


def _become(job: dict[str, Any], streams: list[IO[bytes]], reported: int) -> NoReturn:
    """Be the process of a job: its environment, folder and clock, and then the real command or hook."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(os.fsencode(job["folder"]))
    if job["now"]:
        time.time = lambda: float(job["now"])
    if job["files"] is not None:  # how many more files than now may be open
        free = os.dup(0)
        os.close(free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + job["files"], free + job["files"]))
    sys.argv = ["holdfast", *job["arguments"]]
    Layer(job, reported).install()
    code = 70
    try:
        code = _run(job["hook"])
    except Exception:  # noqa: BLE001 - the process ends here, and the test reads what it printed
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run(hook: str) -> int:
    if hook:
        from holdfast.hooks.main import main as answer

        answer(hook)
    from holdfast.__main__ import main

    return main()


def _carry_out(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job in a process of its own and return its exit code, what it printed, and its steps."""
    reader, teller = os.pipe()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(job["stdin"].encode())
        given.seek(0)
        child = os.fork()
        if not child:
            os.close(reader)
            _become(job, [given, out, err], teller)
        os.close(teller)
        with os.fdopen(reader, "rb") as steps:
            reported = steps.read().decode(*_ANY).splitlines()
        _, status = os.waitpid(child, 0)
        printed = []
        for stream in (out, err):
            stream.seek(0)
            printed.append(stream.read().decode("utf-8", "replace"))
    made = [line for line in reported if not line.startswith("= ")]
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": printed[0],
        "err": printed[1],
        "steps": made,
        "written": [line.split(" ", 2)[1:] for line in reported if line.startswith("= ")],
    }


def main() -> None:
    """Import all that commands and hooks import, then carry out jobs until there are no more."""
    sys.dont_write_bytecode = True
    import holdfast.__main__
    import holdfast.cli.main
    import holdfast.context.reminder
    import holdfast.hooks.main
    import holdfast.hooks.pre_compact
    import holdfast.hooks.session_start  # noqa: F401 - it is the importing that saves each job its time
    from holdfast.cli import commands

    for module in commands.MODULES.values():
        importlib.import_module(module)
    gc.freeze()  # what is never looked at again need not be copied in each child
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_carry_out(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

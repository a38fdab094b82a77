"""Hooks and commands run inside the process of the tests, as a process of their own would run them.

A process takes a tenth of a second to start, and its work a hundredth of that. Everything that a program sees of its
process is set before it runs and put back after it: the environment, the working directory, the arguments, the three
standard streams down to their file descriptors, the parent, the search path for modules, the garbage collector, and
what modules remember. A program that leaves by `os._exit` comes back here. What it would start in the background is
handed to the caller, who runs it in the same way.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from holdfast import __main__ as door
from holdfast.core import process
from holdfast.git import run as gitrun
from holdfast.hooks import main
from holdfast.project import git_ownership, packages, paths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_STREAMS = (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w"))


class Call(NamedTuple):
    """A program to run: its arguments, the first of which is its own path, and where it runs.

    `event` is the event of a hook, "" for the command line. `parent` is the process that starts it, 0 for this one.
    """

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    event: str = ""
    parent: int = 0


class Ended(NamedTuple):
    """What a program did: its exit code, what it wrote, and what it left for the background."""

    code: int
    out: bytes
    err: bytes
    later: list[Call]


class _LeftError(BaseException):
    """The program has left its process."""

    def __init__(self, code: int) -> None:
        self.code = code


def possible(environment: dict[str, str]) -> bool:
    """Whether a process with this environment would find the same packages, and no other thread is in the way."""
    if threading.current_thread() is not threading.main_thread():
        return False
    with _environment(environment):
        return packages.ready()


def run(call: Call, data: bytes = b"") -> Ended:
    """Run a program to its end with these bytes on its standard input."""
    later: list[Call] = []

    def spawned(command: list[str]) -> None:
        """Note a command that is to outlive the program."""
        start = [*process.interpreter(), paths.CLI]
        assert command[: len(start)] == start, command
        later.append(Call(command[len(start) - 1 :], os.getcwd(), dict(os.environ)))

    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in _STREAMS]
        files[0].write(data)
        files[0].seek(0)
        stack.enter_context(_environment(call.environment))
        stack.enter_context(_folder(call.folder))
        stack.enter_context(_interpreter(call.arguments))
        stack.enter_context(_replaced(process, "spawn", spawned))
        stack.enter_context(_replaced(os, "getppid", lambda: call.parent or os.getpid()))
        stack.enter_context(_replaced(os, "_exit", _leave))
        stack.enter_context(_streams([file.fileno() for file in files]))
        code = _code(call.event)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        out, err = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in files[1:])
        return Ended(code, out, err, later)


def _code(event: str) -> int:
    """Run the hook of an event, or the command line, and return the exit code."""
    try:
        if event:
            main.main(event)
        return door.main()
    except _LeftError as left:
        if left.__context__:  # what ended it, such as the time limit of the test
            raise left.__context__ from None
        return left.code
    except SystemExit as left:
        return int(left.code or 0)


def _leave(code: int) -> NoReturn:
    raise _LeftError(code)


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Have just these variables."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(wanted)
    time.tzset()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()


@contextlib.contextmanager
def _folder(wanted: str) -> Iterator[None]:
    """Stand in this folder."""
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(wanted)
        yield
    finally:
        os.fchdir(before)
        os.close(before)


@contextlib.contextmanager
def _interpreter(arguments: list[str]) -> Iterator[None]:
    """Have these arguments, and modules that remember nothing, as an interpreter that was just started."""
    search, before, collecting = list(sys.path), sys.argv, gc.isenabled()
    sys.argv = arguments
    _forget()
    try:
        yield
    finally:
        sys.argv = before
        sys.path[:] = search
        _forget()
        if collecting:
            gc.enable()


def _forget() -> None:
    """Clear what modules remember in one process."""
    git_ownership._checked.clear()  # noqa: SLF001 - no product code needs a function for it
    gitrun._timed_out.clear()  # noqa: SLF001 - a process begins without it


@contextlib.contextmanager
def _replaced(owner: object, name: str, value: Callable[..., object]) -> Iterator[None]:
    """Have another function in a module."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextlib.contextmanager
def _streams(files: list[int]) -> Iterator[None]:
    """Have these files as standard streams, for Python and for the programs that it starts."""
    before = [(os.dup(number), getattr(sys, name)) for name, number, _ in _STREAMS]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        for file, (name, number, mode) in zip(files, _STREAMS, strict=True):
            os.dup2(file, number)
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="surrogateescape", closefd=False))  # noqa: SIM115 - it stays open for the process
        yield
    finally:
        for (kept, stream), (name, number, _) in zip(before, _STREAMS, strict=True):
            getattr(sys, name).close()
            setattr(sys, name, stream)
            os.dup2(kept, number)
            os.close(kept)

"""Processes: who is still alive, and a child that outlives the one who starts it."""

import os
import sys


def identity(pid: int) -> str:
    """Return what tells this process from a later one with the same number; "" when it does not run.

    Linux: the boot and the start time in clock ticks since then. Elsewhere: the start time as `ps` prints it.
    """
    if not os.path.exists("/proc/self/stat"):
        return _asked_ps(pid)
    try:
        fields = _small(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        boot = _small("/proc/sys/kernel/random/boot_id")[:8]
    except OSError:
        return ""
    return "" if len(fields) < 20 or fields[0] in (b"Z", b"X") else f"{boot.decode()}-{fields[19].decode()}"


def alive(pid: int, known: str) -> bool:
    """Whether the process that had this identity still runs on this host."""
    return bool(known) and identity(pid) == known


def spawn(command: "list[str]") -> None:
    """Start a command in a session of its own, with nothing on its standard streams; it outlives the caller."""
    if os.fork():
        return
    try:
        os.setsid()  # or Claude Code would end it together with the hook
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.execv(command[0], command)
    finally:
        os._exit(127)


def variable(pid: int, name: str) -> str:
    """Return a variable of the environment that a process was started with, "" where the system does not tell."""
    try:
        variables = _small(f"/proc/{pid}/environ", 1 << 20).split(b"\0")
    except OSError:
        return ""
    beginning = name.encode() + b"="
    return next((os.fsdecode(each[len(beginning) :]) for each in variables if each.startswith(beginning)), "")


def arguments(pid: int) -> "list[str]":
    """Return the command line of a process, none where the system does not tell."""
    try:
        return [os.fsdecode(each) for each in _small(f"/proc/{pid}/cmdline", 1 << 20).split(b"\0")]
    except OSError:
        return []


def interpreter() -> "list[str]":
    """Return how to start this very interpreter again, as the launcher starts it."""
    return [sys.executable, "-I", "-S"]


def _small(path: str, most: int = 4096) -> bytes:
    """Return the beginning of a file of the kernel's."""
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, most)
    finally:
        os.close(handle)


def _asked_ps(pid: int) -> str:
    """Return the start time of a process where there is no /proc."""
    reader, writer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    environ = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/bin:/usr/bin"}
    try:
        child = os.posix_spawn("/bin/ps", ["ps", "-o", "stat=,lstart=", "-p", str(pid)], environ, file_actions=actions)
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as output:
        state, _, started = output.read().decode("ascii", "replace").strip().partition(" ")
    os.waitpid(child, 0)
    return "" if state.startswith("Z") else " ".join(started.split())

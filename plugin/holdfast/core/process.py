"""Processes: whether one still runs, what it was started with, and how to start one that outlives its parent."""

import os
import sys
import time


def identity(pid: int) -> str:
    """Return what distinguishes a running process from a later one with the same number; "" when it does not run.

    Linux: the id of the boot and the start time in clock ticks since the boot. Elsewhere: the start time from `ps`.
    """
    try:
        fields = _head(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        boot = _head("/proc/sys/kernel/random/boot_id")[:8]
    except OSError:
        return "" if os.path.exists("/proc/self/stat") else _start_from_ps(pid)
    return "" if len(fields) < 20 or fields[0] in (b"Z", b"X") else f"{boot.decode()}-{fields[19].decode()}"


def began(name: str) -> float:
    """Return when the process with this `identity` began: Linux in ticks since the boot, else in seconds; 0 for ""."""
    ticks = name.rpartition("-")[2]
    return float(ticks) if ticks.isdecimal() else time.mktime(time.strptime(name)) if name else 0.0


def alive(pid: int, expected: str) -> bool:
    """Whether the process with this number and this `identity` still runs on this host."""
    return bool(expected) and identity(pid) == expected


def spawn(command: "list[str]") -> None:
    """Start a command detached, with /dev/null as its standard streams; it continues when the caller ends.

    It is in a session of its own on return: Claude Code ends what is still in that of the hook together with the hook.
    """
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    os.posix_spawn(command[0], command, os.environ, file_actions=null, setsid=True)


def environment(pid: int) -> "dict[str, str]":
    """Return the environment that a process was started with, {} when it is unknown."""
    try:
        variables = os.fsdecode(_head(f"/proc/{pid}/environ", 1 << 20)).split("\0")
    except OSError:
        return {}
    parts = (each.partition("=") for each in reversed(variables))
    return {name: value for name, _, value in parts}


def arguments(pid: int) -> "list[str]":
    """Return the command line of a process, [] when it is unknown; what `ps` says is cut at each space."""
    try:
        return [os.fsdecode(each) for each in _head(f"/proc/{pid}/cmdline", 1 << 20).split(b"\0")]
    except OSError:
        return [] if os.path.exists("/proc/self/stat") else _from_ps(pid, "args=").split()


def parent(pid: int) -> int:
    """Return the number of a process's parent, 0 when it is unknown."""
    try:
        return int(_head(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0 if os.path.exists("/proc/self/stat") else int(_from_ps(pid, "ppid=") or 0)


def columns(pid: int) -> int:
    """Return the width of the terminal that a process writes to, in columns; 80 when it is unknown."""
    try:
        handle = os.open(f"/proc/{pid}/fd/1", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return 80
    try:
        return os.get_terminal_size(handle).columns or 80
    except OSError:  # not a terminal
        return 80
    finally:
        os.close(handle)


def terminal(pid: int) -> str:
    """Return the path of the terminal that a process writes to, "" when it has none or that is unknown."""
    if os.path.exists("/proc/self/stat"):
        place = f"/proc/{pid}/fd/1"
        try:
            name = os.readlink(place)
        except OSError:
            return ""
        return place if name.startswith(("/dev/pts/", "/dev/tty")) else ""
    name = _from_ps(pid, "tty=")
    return f"/dev/{name}" if name.startswith("tty") else ""


def disable_gc() -> None:
    """Prepare a process that reads all journals, prints and ends: it makes no garbage, so none is looked for.

    With ten thousand sessions the search for cycles would take a fifth of the time of a log.
    """
    import gc

    gc.disable()


def interpreter() -> "list[str]":
    """Return the command that starts this interpreter with the options that the launcher uses."""
    return [sys.executable, "-I", "-S"]


def _head(path: str, limit: int = 4096) -> bytes:
    """Return at most the first `limit` bytes of a file in /proc."""
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, limit)
    finally:
        os.close(handle)


def _start_from_ps(pid: int) -> str:
    """Return the start time of a process where there is no /proc."""
    state, _, started = _from_ps(pid, "stat=,lstart=").partition(" ")
    return "" if state.startswith("Z") else " ".join(started.split())


def _from_ps(pid: int, columns: str) -> str:
    """Return what `ps` says of a process in these columns, "" when it does not run."""
    reader, writer = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
    environ = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/bin:/usr/bin"}
    try:
        child = os.posix_spawn("/bin/ps", ["ps", "-ww", "-o", columns, "-p", str(pid)], environ, file_actions=actions)
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as output:
        answer = output.read().decode("ascii", "replace").strip()
    os.waitpid(child, 0)
    return answer

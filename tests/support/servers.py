"""A folder of repositories behind a server on the loopback: git's own daemon, and ssh."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import socketserver
import subprocess
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT = 20.0  # seconds for a server to begin and to end
_SSHD = (
    *("PasswordAuthentication=no", "StrictModes=no", "UsePAM=no", "ListenAddress=127.0.0.1", "MaxStartups=100"),
    *("PubkeyAuthentication=yes", "PermitRootLogin=yes"),
)


def free_port() -> int:
    """Return the number of a port that nothing uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        assert isinstance(port, int)
        return port


class Wire(socketserver.ThreadingTCPServer):
    """A port that leads to another one, with a delay in seconds for each way, and counts the bytes of both ways.

    While it is `cut`, nobody gets through.
    """

    daemon_threads = True

    def __init__(self, to: int, delay: float) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.bytes, self.cut, self.to, self.delay = 0, False, to, delay
        self.port: int = self.server_address[1]


class _Passing(socketserver.BaseRequestHandler):
    server: Wire

    def handle(self) -> None:
        """Pass on what comes from either side until both have ended."""
        if self.server.cut:
            return
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.server.to)) as other:
            back = threading.Thread(target=self._pass, args=(other, self.request))
            back.start()
            self._pass(self.request, other)
            back.join()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the other side went away
            while data := source.recv(1 << 16):
                self.server.bytes += len(data)
                time.sleep(self.server.delay)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def wire(to: int, delay: float = 0.0) -> Iterator[Wire]:
    """Give a port that leads to another one."""
    with Wire(to, delay) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


@contextmanager
def git_daemon(folder: Path, port: int) -> Iterator[bool]:
    """Serve the repositories of a folder by git's protocol; give False where there is no git daemon."""
    folder.mkdir(exist_ok=True)
    path = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    options = ["--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}", "--reuseaddr"]
    command = [f"{path}/git-daemon", *options, f"--base-path={folder}"]
    if not os.path.exists(command[0]):
        yield False
        return
    with _running(command, port) as answers:
        yield answers


@contextmanager
def ssh(folder: Path, port: int) -> Iterator[str]:
    """Serve this machine by ssh, with keys of its own; give the command of the client, "" where no sshd starts.

    The variable SSHD names another program than the one on the path.
    """
    folder.mkdir()
    server = os.environ.get("SSHD") or shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not server:
        yield ""
        return
    for name in ("host", "own"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    files = [f"HostKey={folder}/host", f"AuthorizedKeysFile={folder}/own.pub", f"PidFile={folder}/pid"]
    words = [word for option in (*_SSHD, *files) for word in ("-o", option)]
    with _running([server, "-D", "-f", "/dev/null", "-p", str(port), *words], port) as answers:
        own = f"ssh -F /dev/null -i {folder}/own -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known"
        yield f"{own} -o BatchMode=yes -o LogLevel=ERROR" if answers else ""


def ssh_address(port: int, path: Path) -> str:
    """Return the address of a repository on this machine."""
    return f"ssh://{getpass.getuser()}@127.0.0.1:{port}{path}"


@contextmanager
def _running(command: list[str], port: int) -> Iterator[bool]:
    """Run a server; give whether it answers at its port."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield _answers(process, port)
    finally:
        process.terminate()
        process.wait(_WAIT)


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + _WAIT
    while process.poll() is None and time.monotonic() < end:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.05)
    return False

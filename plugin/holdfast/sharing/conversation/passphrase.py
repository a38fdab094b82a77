"""Reads a private SSH key that has a passphrase, which ssh-keygen asks for in the terminal."""

import os
import shutil
import subprocess
import sys
import tempfile

from holdfast.core import files
from holdfast.core.errors import HoldfastError

_MEMORY = ("/dev/shm", "/run/shm")  # noqa: S108 - a folder of its own is made there; it is in memory, not on a disk


def removed(path: str, data: bytes) -> bytes:
    """Return the private key `data` of the file `path` without its passphrase, or as it was if none is given.

    A copy exists for that time only, in memory. HoldfastError without a terminal or such a place.
    """
    program = shutil.which("ssh-keygen")
    folder = next((one for one in (os.environ.get("XDG_RUNTIME_DIR"), *_MEMORY) if one and os.access(one, os.W_OK)), "")
    if not sys.stdin.isatty() or not program or not folder:
        raise HoldfastError(f"{path} has a passphrase: type the command in a terminal, or use a key without one")
    scratch = tempfile.mkdtemp(dir=folder)
    try:
        files.write_private(f"{scratch}/key", data, durable=False)
        subprocess.run([program, "-q", "-p", "-N", "", "-f", f"{scratch}/key"], check=False, stdout=subprocess.DEVNULL)
        return files.read(f"{scratch}/key")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

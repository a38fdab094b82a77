"""Python programs run as processes of their own, with holdfast importable."""

from __future__ import annotations

import os
import subprocess
import sys

from holdfast.project import paths


def start(program: str, *arguments: str, around: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start a program, by the command `around` it; it waits for a line on its standard input when it reads one."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([paths.PLUGIN_ROOT + "/plugin", *sys.path])}
    return subprocess.Popen(
        [*around, sys.executable, "-c", program, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child: subprocess.Popen[str], stated: str = "") -> str:
    """Give a program its input, wait for its end, and return what it printed; it must end well."""
    out, errors = child.communicate(stated, timeout=100)
    assert child.returncode == 0, errors
    return out

"""A client of the soak: starts hooks and commands as its own children, several at once, and kills those that are to be.

Run as a program: a line on standard input is a list of processes, each with its folder, environment, command, input and
the seconds after which it is killed; the answer is a line with [code, output, complaint, seconds] of each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from typing import Any

KILLED = -9


def run(job: dict[str, Any]) -> list[Any]:
    """Run one process to its end, or to its killing."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            job["command"],
            cwd=job["folder"],
            env=job["environment"],
            input=job["data"].encode(),
            capture_output=True,
            timeout=job["timeout"],
            check=False,
        )
    except subprocess.TimeoutExpired:  # which is raised once the process is killed and gone
        return [KILLED, "", "", time.monotonic() - began]
    out, err = (stated.decode("utf-8", "replace") for stated in (done.stdout, done.stderr))
    return [done.returncode, out, err, time.monotonic() - began]


def run_all(jobs: list[dict[str, Any]]) -> list[list[Any]]:
    """Run processes at once."""
    done: dict[int, list[Any]] = {}
    threads = [
        threading.Thread(target=lambda number, job: done.update({number: run(job)}), args=each)
        for each in enumerate(jobs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [done[number] for number in range(len(jobs))]


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run_all(json.loads(line))) + "\n")
        sys.stdout.flush()

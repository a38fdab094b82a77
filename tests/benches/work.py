"""What processes cost in CPU, how many modules of holdfast they load, and how often one of these calls another.

By hand: `python -m tests.benches.work`. Each ratio is to a bare interpreter that ran in turn. Calls are counted by
`sys.setprofile` in one more run: those of a function by a function of another module.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.project import background
from holdfast.project.background import Request
from tests.benches.measure import ROUNDS
from tests.benches.project import EVENTS, Bench

if TYPE_CHECKING:
    from collections.abc import Callable

    Subject = tuple[Callable[[], object], list[str], bytes]  # what comes before a run; the command, and its input

LIMITS = {"settle with work": 14.0, "SessionStart": 4.0, "PreCompact": 5.0, "list": 9.0}
_COUNTED = """\
import json, os, runpy, sys
ours, out, calls, leave = sys.argv[1], sys.argv[2], 0, os._exit
def count(frame, event, _argument):
    global calls
    here, above = frame.f_code, frame.f_back and frame.f_back.f_code
    if event == "call" and above and here.co_name != "<module>" and here.co_filename.startswith(ours):
        calls += above.co_filename.startswith(ours) and above.co_filename != here.co_filename
def done(code):
    sys.setprofile(None)
    files = [getattr(one, "__file__", None) or "" for one in sys.modules.values()]
    loaded = [file for file in files if file.startswith(ours) and not file.endswith("__init__.py")]
    with open(out, "w") as file:
        json.dump([len(loaded), calls], file)
    leave(code)
os._exit, sys.argv = done, sys.argv[3:]
sys.setprofile(count)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    done(0)
"""


def _subjects(bench: Bench) -> dict[str, Subject]:
    command, session = str(bench.plugin / "plugin/holdfast/__main__.py"), bench.session
    numbers = iter(range(1 << 20))

    def edit() -> None:
        name = f"part_{next(numbers)}.py"
        (bench.project / name).touch()
        bench.fire("PostToolUse", tool_name="Edit", tool_input={"file_path": name})

    def settle() -> None:
        edit()
        background.add_request(str(bench.store), Request(session))

    def hook(event: str, file: str, before: Callable[[], object]) -> Subject:
        known = {"session_id": session, "cwd": str(bench.project), "hook_event_name": event}
        return before, [str(bench.plugin / f"hooks/{file}.py")], json.dumps({**known, **EVENTS[event]}).encode()

    settling = ["-C", str(bench.project), "settle", "--lock", str(background.NO_LOCK)]
    updating = ["update", "action=in_progress", "agent=tests", f"session_id={session}", "purpose=Measure"]
    return {
        "settle with work": (settle, [command, *settling], b""),
        "SessionStart": hook("SessionStart", "session_start", lambda: None),
        "PreCompact": hook("PreCompact", "pre_compact", edit),
        "list": (lambda: None, [command, "list"], b""),
        "sync": (edit, [command, "sync", "--json", '{"Current State": "Measured."}'], b""),
        "update": (lambda: None, [command, *updating], b""),
    }


def _seconds(bench: Bench, arguments: list[str], given: bytes = b"") -> float:
    """Run Python with these arguments, and return the seconds of CPU that it took, with all that it waited for."""
    with tempfile.TemporaryFile() as stdin, open(os.devnull, "w") as null:
        stdin.write(given)
        stdin.seek(0)
        command = [bench.python, "-I", "-S", *arguments]
        process = subprocess.Popen(command, stdin=stdin, stdout=null, stderr=null, env=bench.env, cwd=bench.project)
        usage = os.wait4(process.pid, 0)[2]
        process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def reported(folder: Path, plugin: Path | None = None) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    bench = Bench(folder, plugin)
    background.lock_settle(str(bench.store))  # nothing settles beside what is measured
    rows, over = ["| process | CPU ms | x bare | limit | modules | calls |", "|---|---|---|---|---|---|"], []
    for name, (before, command, given) in _subjects(bench).items():
        times: list[tuple[float, float]] = []
        for _ in range(ROUNDS + 1):
            before()
            times.append((_seconds(bench, command, given), _seconds(bench, ["-c", "pass"])))
        took, bare = (statistics.median(each) for each in zip(*times[1:], strict=True))
        before()
        _seconds(bench, ["-c", _COUNTED, f"{bench.plugin}/plugin/holdfast/", f"{folder}/counted", *command], given)
        modules, calls = json.loads(Path(f"{folder}/counted").read_text())
        limit, ratio = LIMITS.get(name), took / bare
        rows.append(f"| {name} | {took * 1e3:.0f} | {ratio:.2f} | {limit or ''} | {modules} | {calls:,} |")
        over += [f"{name}: {ratio:.2f} x bare in CPU, limit {limit}"] if limit and ratio > limit else []
    return "\n".join(rows), over


def main() -> int:
    """Print all figures; 1 when one is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Path(folder))
    print(f"{os.cpu_count()} cores, {ROUNDS} rounds\n\n{table}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

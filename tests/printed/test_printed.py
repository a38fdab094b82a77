"""What commands and hooks print, whole: each `.txt` here is a session of steps and their output, played and compared.

A line that begins with `$` is a command of the shell's words, after `<` what it reads, one with `>` an event (its
name, the session, and its fields as JSON), one with `+` a file to write (its path, and a shape of
tests/hazards/shapes.py or quoted lines), one with `~` waits for the next second, because commits and state files count
no parts of one, and one with `#` is a remark. Four of `~` separate a commit from a session that begins later: its time
at work is taken with two seconds more. Indented lines below it are what it printed, with `?` where a time, an id or a
folder of the machine is. `make printed` writes the output anew: read the change before you commit it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.hazards import shapes
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project, Reply

here, prepared = hooks.here, hooks.prepared

_FOLDER = Path(__file__).parent
_INDENT = "    "
_LONG = ("day", "family", "old_hub", "two")  # sessions that take seconds
_LATE = 48  # seconds of a minute, after which a session waits for the next one

_VARYING = (
    (r" *last (?:updated|entry), line \d+: .*\n", ""),  # the time may be the one that is there already
    (r"\b[0-9a-f]{7}\.\.[0-9a-f]{7}\b", "?"),
    (r"\b(?=[0-9a-f]{0,6}\d)[0-9a-f]{7} (?=\w)", "? "),  # a commit
    (r"(?<=\tcommit\t)[0-9a-f]{7}(?= )", "?"),  # one of a thousand has no digit
    (r"(?<![\w.-])\d{6}(?![\w.-])", "??????"),  # a time of day, by which a state file is called
    (r"holdfast-[0-9a-f]{8}\b", "holdfast-?"),
    (r"\bcon_[0-9a-f]{4,16}(?!\w)", "con_?"),
    (r"\b(?:just now|\d+ (?:s|min)(?: ago)?)(?![\w.])", "?"),
    (r"\b\d{3,4} d\b", "??? d"),  # since a fixed date in a shape
    (r"\b\d{10}(?:\.\d+)?\b", "?"),
    (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{40}\b", "?"),
    (r"\b\d\d:\d\d(?::\d\d)?\b", "?"),
    (r"(\"\w*seconds\": )[\d.e-]+", r"\1?"),
)


def _steps(text: str) -> Iterator[str]:
    """Yield the lines of a session that are no output."""
    return (line for line in text.splitlines() if not line.startswith(_INDENT) and line.strip())


def _played(project: Project, step: str) -> str:
    """Return what one step prints."""
    kind, _, rest = step.partition(" ")
    if kind == "~":
        _next_second()
    elif kind == "+":
        _write(project, *shlex.split(rest))
    elif kind == ">":
        event, session, *fields = rest.split(" ", 2)
        return _printed(project, project.fire(event, session, **json.loads("".join(fields) or "{}")))
    elif kind == "$":
        return _typed(project, shlex.split(rest))
    return ""


def _typed(project: Project, words: list[str]) -> str:
    """Return what a command of git or holdfast prints."""
    changes: dict[str, Any] = dict(word.split("=", 1) for word in words[: _assigned(words)])
    program, *arguments = words[_assigned(words) :]
    if program == "git":
        return project.git(*arguments)
    assert program == "holdfast", words
    given, _, typed = "\0".join(arguments).partition("\0<\0")
    data = typed.encode().decode("unicode_escape").encode()
    return _printed(project, project.fed(data, *given.split("\0"), **changes))


def _printed(project: Project, reply: Reply) -> str:
    """Return what a process printed and its exit code, once it started nothing more."""
    project.rested()
    code = [f"exit {reply.code}\n"] if reply.code else []
    return "".join([_pretty(reply.out), reply.err, *code])


def _next_second() -> None:
    """Wait until the clock shows another second."""
    now = int(time.time())
    while int(time.time()) == now:
        time.sleep(0.02)


def _assigned(words: list[str]) -> int:
    """Return how many words set a variable."""
    return next(at for at, word in enumerate(words) if "=" not in word)


def _write(project: Project, name: str, *lines: str) -> None:
    """Write a file: a shape by its name, or lines."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = getattr(shapes, lines[0], None) if lines else None
    path.write_text(shape[1] if shape else "".join(f"{line}\n" for line in lines))


def _pretty(out: str) -> str:
    """Return JSON over several lines, so that a change shows where it is; anything else as it is."""
    try:
        value = json.loads(out)
    except ValueError:
        return out if not out or out.endswith("\n") else f"{out}\n"
    return f"{json.dumps(value, indent=1, ensure_ascii=False)}\n"


def _alike(project: Project, out: str) -> str:
    """Return an output without what differs from run to run."""
    out = out.replace(str(project.root), "PROJECT").replace(str(project.folder), "FOLDER")
    out = out.replace(os.uname().nodename, "HOST").replace(f'"pid": {os.getpid()}', '"pid": ?')
    days = [
        time.strftime(form, time.gmtime(time.time() - ago)) for ago in (0, 86400) for form in ("%Y-%m-%d", "%Y%m%d")
    ]
    days += [time.strftime("%d %b", time.localtime(time.time() - ago)) for ago in (0, 86400)]
    time_of_day = r"(?:-\d{1,6}…|[T -]\d\d:?\d\d(?::?\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    for pattern, instead in ((rf"\b(?:{'|'.join(days)}){time_of_day}", "?"), *_VARYING):
        out = re.sub(pattern, instead, out)
    return out


def _begin_anew(project: Project) -> None:
    """Make the repository of a project anew: the age of its first commit is printed, and templates are older."""
    shutil.rmtree(project.root / ".git")
    project.git("init", "-q", "-b", "main")
    project.git("commit", "-q", "--allow-empty", "-m", "first")


@pytest.fixture(autouse=True)
def _early_in_a_minute() -> None:
    """Wait before a project is made, so that its session can end in the same minute.

    The trail of a state file has one heading for each minute, and what is a minute old has a wider column.
    """
    while time.gmtime().tm_sec >= _LATE:
        time.sleep(0.1)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in _LONG else ())
        for name in sorted(path.stem for path in _FOLDER.glob("*.txt"))
    ],
)
def test_what_is_printed(prepared: Project, name: str) -> None:
    """Nothing more and nothing else than what was approved."""
    path = _FOLDER / f"{name}.txt"
    text, began = path.read_text(), int(time.time())
    _begin_anew(prepared)
    prepared.accepts = name != "clone"
    found = []
    for step in _steps(text):
        printed = _alike(prepared, _played(prepared, step)).splitlines()
        found += [step, *(f"{_INDENT}{line}".rstrip() for line in printed), *([""] if printed else [])]
    assert prepared.log == []
    if int(time.time()) // 60 != began // 60:
        pytest.skip("this machine is too busy: the session did not end in the minute in which it began")
    whole = "\n".join(found).rstrip() + "\n"
    if os.environ.get("WRITE_PRINTED") == "yes":
        path.write_text(whole)
    assert whole.splitlines() == text.splitlines()

"""The processes of sessions: those that run are counted, and what is stored of one goes once the index has it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from holdfast.core import process
from holdfast.journal import live

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

HOST = os.uname().nodename


def test_only_processes_that_run_here_are_counted(tmp_path: Path) -> None:
    """One that is gone, one of another host, and a damaged file do not count; all stay until the index has them."""
    (tmp_path / "live").mkdir()
    here = {"pid": os.getpid(), "process": process.identity(os.getpid()), "host": HOST}
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name, start in {
        "own": here,
        "other": here,
        "gone": {**here, "pid": gone.pid},
        "elsewhere": {**here, "host": "elsewhere"},
    }.items():
        live.note(str(tmp_path), name, start)
    (tmp_path / "live/damaged").write_text("?")
    assert live.others(str(tmp_path), "own") == 1
    assert sorted(os.listdir(tmp_path / "live")) == ["damaged", "elsewhere", "gone", "other", "own"]
    live.keep(str(tmp_path), {"gone": ""}, [])
    assert sorted(os.listdir(tmp_path / "live")) == ["damaged", "elsewhere", "other", "own"]


def test_ps_is_asked_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent and the command line of a process are what `/proc` says; one that is gone has none."""
    pid = os.getpid()
    shown = process.parent(pid), " ".join(process.arguments(pid)).split()
    monkeypatch.setattr(process, "_head", lambda *_: (_ for _ in ()).throw(FileNotFoundError))
    monkeypatch.setattr(os.path, "exists", lambda _: False)
    assert (process.parent(pid), process.arguments(pid)) == shown
    assert (process.parent(2**22 - 1), process.arguments(2**22 - 1)) == (0, [])

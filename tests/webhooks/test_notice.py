"""A notice in the terminal of a session, from a hook of the real client to the bytes that its terminal gets."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.webhooks import events
from tests.client.api import text
from tests.support.facts import fold

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.sessions.session import Session
    from tests.client.api import Api
    from tests.client.claude import Claude

NOW = 1_767_225_600.0
KINDS = {"bell": b"\x07", "osc9": b"\x1b]9;holdfast: a b ", "osc777": b"\x1b]777;notify;holdfast;a b "}


def set_notice(home: Path, kind: str) -> None:
    """Write the user's settings."""
    place = home / ".config/holdfast/settings.toml"
    place.parent.mkdir(parents=True)
    place.write_text(f'notice = "{kind}"\n')


def _session(pid: int, prompt: str) -> Session:
    """Return a session in the process with this number."""
    return fold("one", [{"kind": "start", "at": NOW, "pid": pid}, {"kind": "prompt", "at": NOW, "text": prompt}])


@pytest.mark.parametrize("kind", KINDS)
def test_a_notice_is_bytes_for_the_terminal_of_the_session(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only when it waits or ends, only while that is new; titles end no sequence."""
    master, slave = os.openpty()
    monkeypatch.setattr("holdfast.core.process.terminal", lambda pid: os.ttyname(slave) if pid == 7 else "")
    session, elsewhere = _session(7, "a\x1b\x07 b"), _session(8, "a")
    late = events.Event(events.WAITING, NOW - 3600)
    other = events.Event(events.PAUSED, NOW)
    assert not any(events.show_notice(kind, session, event, NOW) for event in (late, other))
    assert events.show_notice(kind, session, events.Event(events.WAITING, NOW), NOW)
    assert os.read(master, 1000).startswith(KINDS[kind])
    assert not events.show_notice(kind, elsewhere, events.Event(events.ENDED, NOW), NOW)
    os.close(master)
    os.close(slave)


def test_another_word_is_an_error_that_says_where(tmp_path: Path) -> None:
    """With the words that there are."""
    set_notice(tmp_path, "loud")
    with pytest.raises(HoldfastError, match=r"settings\.toml: notice = 'loud' does not fit; give one of off, bell"):
        events.is_notice_configured({"HOME": str(tmp_path)})
    assert events.is_notice_configured({"HOME": f"{tmp_path}/none"}) == "off"


def test_the_desktop_is_told_by_the_platforms_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a title has of options and commands stays text; without a program nothing is shown."""
    told, session = tmp_path / "told", _session(7, "--help; touch $(pwd)/no 🚀")
    waits = events.Event(events.WAITING, NOW)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not events.show_notice("desktop", session, waits, NOW)
    (tmp_path / "notify-send").write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >{told}\n")
    (tmp_path / "notify-send").chmod(0o755)
    assert events.show_notice("desktop", session, waits, NOW)
    end = time.monotonic() + 30
    while time.monotonic() < end and not (told.exists() and told.read_text().endswith("answer\n")):
        time.sleep(0.05)
    assert told.read_text().splitlines() == ["--", "holdfast", "--help; touch $(pwd)/no 🚀 waits for an answer"]


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["osc9", "osc777", "off"])
def test_the_real_terminal_is_told_that_a_session_waits(ready: Claude, api: Api, kind: str) -> None:
    """The question at the end of an answer becomes a notification of the terminal in which the client runs."""
    set_notice(ready.home, kind)
    api.script([text("It is parsed. Shall I merge it?")])
    sequences = {
        "osc9": "\x1b]9;holdfast: Parse the invoices waits for an answer\x07",
        "osc777": "\x1b]777;notify;holdfast;Parse the invoices waits for an answer\x07",
    }
    with ready.terminal() as terminal:
        terminal.send("Parse the invoices")
        terminal.wait_for("Shall I merge it?")
        end = time.monotonic() + (60 if kind in sequences else 5)
        while time.monotonic() < end and not any("holdfast" in one for one in terminal.hidden):
            time.sleep(0.1)
        shown = [one for one in terminal.hidden if "holdfast" in one]
    assert shown == ([sequences[kind]] if kind in sequences else [])

"""A notice where the user is: the terminal's bell or notification, or the desktop's, when a session waits or ends.

    notice = "bell"   # off (the default), bell, osc9 (iTerm2, Windows Terminal), osc777 (urxvt, foot), desktop

It is written to the terminal in which the session's client runs, which is not that of this process.
"""

import os

from holdfast.core import process
from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.project.settings import settings
from holdfast.trust import safe
from holdfast.webhooks import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.sessions.session import Session
    from holdfast.webhooks.events import Event

OFF, _BELL, _OSC9, _OSC777, _DESKTOP = "off", "bell", "osc9", "osc777", "desktop"
_KINDS = (OFF, _BELL, _OSC9, _OSC777, _DESKTOP)
_OF = (events.WAITING, events.ENDED)
_LATEST = 60.0  # seconds after which a notice comes too late
_TITLE = 60  # characters


def configured(environ: "Mapping[str, str]") -> str:
    """Return the kind of notice that the user set; HoldfastError for another word."""
    kind = settings.load_personal(environ).get(user_settings.NOTICE, OFF)
    if not (isinstance(kind, str) and kind in _KINDS):
        place = user_settings.path(environ)
        raise HoldfastError(f"{place}: notice = {str(kind)[:60]!r} does not fit; give one of {', '.join(_KINDS)}.")
    return kind


def show(kind: str, session: "Session", event: "Event", now: float) -> bool:
    """Show a notice of an event that is new, and return whether that was done."""
    if kind == OFF or event.name not in _OF or now - event.at > _LATEST:
        return False
    text = safe.line(f"{session.title[:_TITLE]} {events.words(event.name)}", 2 * _TITLE)
    if kind == _DESKTOP:
        return _on_desktop(text)
    return _in_terminal(session.process.pid, _sequence(kind, text))


def _sequence(kind: str, text: str) -> bytes:
    """Return the bytes of a notice for a terminal; a semicolon would end a part of OSC 777."""
    if kind == _OSC9:
        return f"\x1b]9;holdfast: {text}\x07".encode()
    if kind == _OSC777:
        return f"\x1b]777;notify;holdfast;{text.replace(';', ',')}\x07".encode()
    return b"\x07"


def _in_terminal(pid: int, data: bytes) -> bool:
    """Write to the terminal of a process; False if it has none that can be written to now."""
    path = process.terminal(pid)
    if not path:
        return False
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return os.isatty(handle) and os.write(handle, data) == len(data)
    except OSError:
        return False
    finally:
        os.close(handle)


def _on_desktop(text: str) -> bool:
    """Show a notice by the platform's program; False without one."""
    import contextlib
    import shutil

    script = 'on run words\ndisplay notification (item 1 of words) with title "holdfast"\nend run'
    for command in (["notify-send", "--", "holdfast", text], ["osascript", "-e", script, text]):
        if place := shutil.which(command[0]):
            with contextlib.suppress(OSError):  # such as a script whose interpreter is not there
                process.spawn([place, *command[1:]])
                return True
    return False

"""The lines that the user sees at a start: at most three, each within the width of the terminal."""

import os

from holdfast.context import session_lines
from holdfast.context.short_lists import cut
from holdfast.core import clock
from holdfast.core.fast_json import text_of
from holdfast.core.words import width
from holdfast.sessions import listed, paused_work
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


MOST = 3  # lines
_INDENT = 5  # columns that the client leaves free before each line
_PREFIX = len("SessionStart:startup says: ")  # the client's own words before the first line
_TITLE_LEAST = 12  # columns of a title, even if the line becomes too long then
_NAMED = 3  # live sessions
_MINUTE = 60.0  # seconds
_DATED = len("YYYYMMDD-HHMMSS")
_FOLDER = 24  # characters of a folder that names a state file


def compose(lines: "Sequence[str]", columns: int) -> str:
    """Return the first lines that are not empty, as the client shows them in a terminal of so many columns.

    The client puts words of its own before the first line. Unless that has room beside them, it begins below them.
    """
    room = columns - _INDENT
    shown = [cut(line, room) for line in lines if line][:MOST]
    below = len(shown) > 1 or any(width(line) > room - _PREFIX for line in shown)
    return "\n".join([*([""] if below else []), *shown])


def left(session: Session, home: str, now: float, columns: int) -> str:
    """Return the question about a session that was left: how to resume it, or whether it is done."""
    if paused_work.is_handed_over(session):
        ask, command = "continue or start fresh?", "/holdfast:continue"
        if home:  # its name takes the room
            ask, command = "continue?", f"/holdfast:continue {home}"
    else:
        name = session.id[:8] if session.journaled else safe.shell(_short_name(session.state_name))
        ask, command = "resume or start fresh?", f"/holdfast:resume {name}"
        if session.merged or session.lost:
            ask = "its branch was merged. Done?" if session.merged else "its state file was deleted. Done?"
            command = f"/holdfast:finish {name} done"
    untitled = f'"": {ask} {command}'
    room = columns - _INDENT - width(untitled)
    title = safe.line(session.title, 200)
    about = " (crashed)" if session.crashed else f" ({clock.ago(now - session.last_active)})"
    return f'"{cut(title, max(room, _TITLE_LEAST))}"{untitled[2:]}' + (about if width(title + about) <= room else "")


def _short_name(path: str) -> str:
    """Return a part of a state file's path that is long enough to find it.

    Of a dated name it is the date and time. A file such as `2026-01-21-importer/STATE.md` is found by its folder, or by
    the words in it where that is long.
    """
    folder, _, name = path.removesuffix(".md").rpartition("/")
    folder = folder.rpartition("/")[2]
    if name.isupper() and folder and not folder.startswith("."):
        return folder if len(folder) <= _FOLDER else listed.undated(folder) or folder
    dated = name[:_DATED].replace("-", "").isdecimal() and name[_DATED : _DATED + 1] == "-"
    return name[:_DATED] if dated else name


def neurons(asked: "Sequence[Session]", columns: int) -> list[str]:
    """Return which neurons of the hub are open, and the question which to resume, [] for none."""
    if not asked:
        return []
    named = _named(asked, columns - _INDENT)
    first = asked[0].id
    ident = first[:8] if sum(one.id.startswith(first[:8]) for one in asked) == 1 else first
    return [named, f"resume one of these or start fresh? /holdfast:resume {safe.shell(ident)}"]


def _named(asked: "Sequence[Session]", room: int) -> str:
    """Return as many neurons as fit into so many columns and can be told apart, and how many more there are.

    Each has its heading; where that is too long to tell them apart, its purpose.
    """
    headings = [safe.line(one.title, 200) for one in asked]
    purposes = [safe.line(text_of(one.summary, "focus") or one.title, 200) for one in asked]
    statuses = ["orphaned" if one.orphaned else safe.line(one.status, 20) for one in asked]
    for count in range(len(asked), 0, -1):
        more = f" and {len(asked) - count} more" if count < len(asked) else ""
        share = (room - width(more) - sum(width(f'"" {status}, ') for status in statuses[:count]) + 2) // count
        differing = len({*zip(headings[:count], purposes[:count], strict=True)})
        for titles in (headings, purposes):
            shown = [cut(title, max(share, _TITLE_LEAST)) for title in titles[:count]]
            if count == 1 or (share >= _TITLE_LEAST and len({*shown}) == differing):
                named = ", ".join(f'"{title}" {status}' for title, status in zip(shown, statuses, strict=False))
                return cut(named, room - width(more)) + more
    return ""


def still_open(session: Session, root: str, columns: int) -> str:
    """Return how much of a session's checklist is open, without what was committed since; "" for nothing.

    Another working tree than `root` is named.
    """
    # most starts ask about no session
    from holdfast.context.checklist import checklist

    session = session_lines.recount(session)
    named, parts = checklist.counts(session, named=True), checklist.counts(session)
    tree = session.worktree if session.worktree not in {"", root} else ""
    command = f" left{' in ' * bool(tree)}{safe.line(os.path.basename(tree), 40)}: /holdfast:checklist {session.id[:8]}"
    room = columns - _INDENT - width(command)
    parts = named if width(", ".join(named)) <= room else parts
    while parts and width(", ".join(parts)) > room:
        parts.pop()
    return f"{', '.join(parts)}{command}" if parts else ""


def asked(sessions: "Sequence[Session]", count: int, home: str, now: float, columns: int) -> list[str]:
    """Return the question about these sessions that were left; `count` is the number of all that were.

    One has a line with its title; of more a line has how many there are and two titles, and the next the commands.
    Where nothing is asked they are only counted.
    """
    if not sessions:
        return [f"{count} open: /holdfast:resume"] if count else []
    if len(sessions) == 1 and count <= 1:
        return [left(sessions[0], home, now, columns)]
    head, room = f"{max(count, len(sessions))} open: ", columns - _INDENT
    ages = [_about(one, now) for one in sessions]
    share = (room - width(head) - sum(width(f'""{age}, ') for age in ages) + 2) // len(sessions)
    titles = [cut(safe.line(one.title, 200), max(share, _TITLE_LEAST)) for one in sessions]
    named = ", ".join(f'"{title}"{age}' for title, age in zip(titles, ages, strict=True))
    commands = [f"/holdfast:{_answer(one, home)}" for one in sessions]
    question = commands[0] if " done" in commands[0] else f"{commands[0]} or start fresh"
    both = f"{'? '.join([question, *commands[1:]])}?"
    return [cut(head + named, room), both if width(both) <= room else f"{question}?"]


def due(found: "Sequence[tuple[Session, str]]", columns: int) -> str:
    """Return what was put off to a day that has come, "" for nothing."""
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if found[1:] else ""
    session, text = found[0]
    command = f"/holdfast:{_answer(session, '')}"
    room = columns - _INDENT - width(f'due: ""{more}: {command}')
    return f'due: "{cut(safe.line(clock.put_off(text), 200), max(room, _TITLE_LEAST))}"{more}: {command}'


def _about(session: Session, now: float) -> str:
    """Return how old a session is, and what may have ended its work, in brackets."""
    why = "merged" if session.merged else "file deleted" if session.lost else "crashed" if session.crashed else ""
    silent = now - session.last_active
    return f" ({', '.join(filter(None, [why, clock.duration(silent) if silent >= _MINUTE else 'now']))})"


def _answer(session: Session, home: str) -> str:
    """Return the command that answers the question about a session; with a `home` there are several hand-overs."""
    if paused_work.is_handed_over(session):
        return f"continue {safe.shell(paused_work.named(session))}" if home else "continue"
    name = session.id[:8] if session.journaled else safe.shell(_short_name(session.state_name))
    return f"finish {name} done" if session.merged or session.lost else f"resume {name}"


def live(sessions: "Sequence[Session]", columns: int) -> str:
    """Return which other sessions are live, "" for none."""
    if not sessions:
        return ""
    rest = f" and {len(sessions) - _NAMED} more" if len(sessions) > _NAMED else ""
    shown = sessions[:_NAMED]
    share = (columns - _INDENT - len(f"live: {rest}") - 4 * len(shown)) // len(shown)
    titles = ", ".join(f'"{cut(safe.line(one.title, 200), max(share, _TITLE_LEAST))}"' for one in shown)
    return f"live: {titles}{rest}"


def problem(complaints: "Sequence[str]") -> str:
    """Return the first complaint, and how many more there are; "" for none."""
    lines = [line for line in complaints if line]
    more = f" (and {len(lines) - 1} more: holdfast doctor)" if lines[1:] else ""
    return f"{lines[0]}{more}" if lines else ""


def files_left_behind(names: list[str]) -> str:
    """Return the line about completed state files that were not deleted, "" for none."""
    more = f" and {len(names) - 1} more" if names[1:] else ""
    return f"{names[0].rpartition('/')[2]}{more} completed: holdfast close --check" if names else ""

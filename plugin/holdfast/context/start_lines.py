"""The lines that the user sees at a start: at most three, each within the width of the terminal."""

import os

from holdfast.context import session_lines
from holdfast.context.short_lists import cut
from holdfast.core import clock
from holdfast.core.fast_json import text_of
from holdfast.core.words import width
from holdfast.sessions import paused_work
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
    """Return the title of a session that was left, how it was left, and the command that takes it up."""
    command = f"{_about(session, now)}: /holdfast:{_answer(session, home)}"
    room = columns - _INDENT - width(f'""{command}')
    return f'"{cut(safe.line(session.title, 200), max(room, _TITLE_LEAST))}"{command}'


def _short_name(path: str) -> str:
    """Return a part of a state file's path that is long enough to find it.

    Of a dated name it is the date and time. A file such as `2026-01-21-importer/STATE.md` is found by its folder, or by
    the words in it where that is long.
    """
    folder, _, name = path.removesuffix(".md").rpartition("/")
    folder = folder.rpartition("/")[2]
    if name.isupper() and folder and not folder.startswith("."):
        from holdfast.sessions import listed  # most state files have a name of their own

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
    """Return a line for each of these sessions that were left, with the command that takes it up.

    The question ends the last of them, or is in the line after them, "" for none, which counts the others; `count` is
    the number of all that were left.
    """
    more = max(count - len(sessions), 0)
    if not sessions:
        return [f"{more} open: /holdfast:resume" if more else ""]
    lines = [left(one, home, now, columns) for one in sessions]
    question = "or start fresh?" if any(not one.merged and not one.lost for one in sessions) else ""
    if question and width(f"{lines[-1]} {question}") <= columns - _INDENT:
        lines[-1], question = f"{lines[-1]} {question}", ""
    rest = [f"resume {'it' if len(lines) == 1 else 'one'} {question}"] if question else []
    rest += [f"{more} more: /holdfast:resume"] if more else []
    return [*lines, " ".join(rest)]


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
    """Return how a session was left, and how long ago, in brackets."""
    silent = now - session.last_active
    why = {"crashed": session.crashed, "merged": session.merged, "file deleted": session.lost}
    words = [word for word, is_so in why.items() if is_so]
    return f" ({', '.join([*words, clock.duration(silent) if silent >= _MINUTE else 'now'])})"


def _answer(session: Session, home: str) -> str:
    """Return the command that answers the question about a session; with a `home` there are several hand-overs."""
    if paused_work.is_handed_over(session):
        name = paused_work.named(session)
        ident = name.removeprefix(f"{paused_work.STEM}-")
        return f"continue {safe.shell(name if ident == name else ident.removesuffix('.md'))}" if home else "continue"
    name = session.id[:8] if session.journaled else safe.shell(_short_name(session.state_name))
    return f"finish {name} done" if session.merged or session.lost else f"resume {name}"


def live(sessions: "Sequence[Session]", columns: int, before: str = "") -> str:
    """Return the line that begins with `before` and names the other live sessions; one without a prompt is no news."""
    named = [one for one in sessions if one.talk.prompt or one.worked]
    rest = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    shown, head = named[:_NAMED], f"{before}; " if before else ""
    room = columns - _INDENT - width(f"{head}live: {rest}") - 4 * len(shown)
    if not shown or (before and room < _TITLE_LEAST * len(shown)):
        return before
    titles = ", ".join(f'"{cut(safe.line(one.title, 200), max(room // len(shown), _TITLE_LEAST))}"' for one in shown)
    return f"{head}live: {titles}{rest}"


def problem(complaints: "Sequence[str]") -> str:
    """Return the first complaint, and how many more there are; "" for none."""
    lines = [line for line in complaints if line]
    more = f" (and {len(lines) - 1} more: holdfast doctor)" if lines[1:] else ""
    return f"{lines[0]}{more}" if lines else ""

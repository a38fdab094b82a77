"""What the brief says of sessions on other machines."""

from holdfast.context import session_lines
from holdfast.context.short_lists import counted, listed
from holdfast.core import clock
from holdfast.journal import file_touches, log
from holdfast.sharing import others, rows
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row

_LINE = 260  # characters of a text after a label
_REPORTED = 3  # sessions in a warning


def lines(survey: "Survey") -> list[str]:
    """Return an entry for each open session of a trusted person, and one line that counts the others."""
    here = {one.id: one for one in survey.sessions if one.journaled}
    store, now = survey.workspace.project.store, survey.workspace.now
    known = others.shown(store, others.open_ones(store), survey.sessions, survey.beyond)
    entries = [entry(row, now, others.presence(row, survey.settings, now)) for row in known if row["trusted"]]
    untrusted = sum(not row["trusted"] for row in known)
    taken, gone = others.taken_from_here(store), others.gone(store, survey.sessions)
    entries += [
        f'- "{safe.line(one.title, 100)}" ({ident[:8]}) of this machine is continued by {taken[ident]}.'
        for ident, one in here.items()
        if ident in taken and one.open and one not in gone
    ]
    if untrusted:
        entries.append(f"- {counted(untrusted, 'session')} of people who are not trusted here: `holdfast list`.")
    return entries


def entry(row: "Row", now: float, presence: str) -> str:
    """Return what is known of one session."""
    where = [row["id"][:8], rows.where(row), presence, row["status"]]
    where += [f"branch {safe.line(row['branch'], 60)}"] if row["branch"] else []
    where.append(f"last active {clock.ago(rows.age(row, now))}")
    labelled = (
        ("Doing", row["focus"] if row["focus"] != row["title"] else ""),
        ("Current state", row["current"]),
        ("Stopped at", session_lines.unless_said(row["stopped"], row["current"])),
        ("Next", "; ".join(row["next"][:4])),
        ("Open questions", "; ".join([*row["questions"], *row["loops"]][:4])),
        ("Decisions", "; ".join(row["decisions"][:4])),
        ("Blockers", "; ".join(row["blockers"][:4])),
        ("Files", listed([*row["files"]], 8)),
        ("Not committed there", listed(row["uncommitted"], 8)),
        ("Unfinished tasks", listed(row["unfinished"], 4)),
    )
    shown = [f"  {label}: {safe.line(text, _LINE)}" for label, text in labelled if text]
    return "\n".join([f'- "{safe.line(row["title"], 100)}" ({", ".join(where)})', *shown])


def in_use(survey: "Survey", since: float) -> "Iterable[tuple[str, Row]]":
    """Yield each file that an open session of a trusted person changed in the last `since` seconds, with its row."""
    store, now = survey.workspace.project.store, survey.workspace.now
    for row in others.shown(store, others.open_ones(store), survey.sessions, survey.beyond):
        for path, at in row["files"].items() if row["trusted"] else ():
            if at and rows.unchanged_for(row, path, now) <= since:
                yield path, row


def sentence(workspace: "Workspace", path: str, row: "Row") -> str:
    """Return who changed a file on another machine, when, on which branch, and whether its commit is here."""
    from holdfast.git import remotes  # most starts name no commit, and this imports much

    ago = clock.ago(rows.unchanged_for(row, path, workspace.now))
    missing = row["commit"] and not remotes.has(workspace.project.root, row["commit"])
    branch = f", branch {safe.line(row['branch'], 60)}" if row["branch"] else ""
    text = f'{safe.line(path, 200)} was changed {ago} by {rows.whose(row)}, "{safe.line(row["title"], 60)}"{branch}'
    return f"{text}{', commit not here yet' * bool(missing)}"


def warning(workspace: "Workspace", actor: tuple[str, str], path: str) -> tuple[str, str]:
    """Return what an actor should know before an edit of a file, and a line for the user; "" and "" for nothing.

    It is about changes by live sessions of trusted people on other machines that the actor was not warned about. Such a
    change is not in this clone, so that it holds back no edit.
    """
    store, now, chosen = workspace.project.store, workspace.now, workspace.settings
    unknown = file_touches.others(file_touches.lines(store, path), actor, warned=True)
    noted = {touch.session for touch in unknown if touch.there and not log.exists(store, touch.session)}
    if not noted or chosen.conflicts == "off":
        return "", ""
    found = [
        row
        for row in others.open_ones(store)
        if row["id"] in noted and row["trusted"] and path in row["files"]
        if others.presence(row, chosen, now) == "live"
        if rows.unchanged_for(row, path, now) <= chosen.overlap_minutes * 60
    ]
    found.sort(key=lambda row: rows.unchanged_for(row, path, now))
    if not found:
        return "", ""
    text = " ".join(f"{sentence(workspace, path, row)}." for row in found[:_REPORTED])
    name = safe.line(path.rpartition("/")[2], 16)
    return f"holdfast: {text}", safe.line(f"{name} changes elsewhere, too: {rows.where(found[0])}", safe.USER_MOST)

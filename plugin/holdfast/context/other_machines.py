"""What the brief says of sessions on other machines."""

from holdfast.context.texts import counted, listed
from holdfast.core import clock
from holdfast.sharing import others, rows
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.survey import Survey
    from holdfast.sharing.rows import Row

_LINE = 260  # characters of a text behind a label


def lines(survey: "Survey") -> list[str]:
    """Return an entry for each open session of a trusted person, and one line that counts the others."""
    here = {one.id: one for one in survey.sessions if one.journaled}
    store, now = survey.workspace.project.store, survey.workspace.now
    known = others.without(others.open_ones(store), here)
    lease = others.lease(survey.settings.live_minutes)
    found = [_entry(row, now, lease) for row in known if row["trusted"]]
    strangers = sum(not row["trusted"] for row in known)
    taken = others.taken_from_here(store)
    found += [
        f'- "{safe.line(one.title, 100)}" ({ident[:8]}) of this machine is continued by {taken[ident]}.'
        for ident, one in here.items()
        if ident in taken and one.open
    ]
    if strangers:
        found.append(f"- {counted(strangers, 'session')} of people who are not trusted here: `holdfast list`.")
    return found


def _entry(row: "Row", now: float, lease: float) -> str:
    """Return what is known of one session."""
    where = [row["id"][:8], rows.where(row), rows.presence(row, now, lease), row["status"]]
    where += [f"branch {safe.line(row['branch'], 60)}"] if row["branch"] else []
    where.append(f"last active {clock.ago(rows.age(row, now))}")
    labelled = (
        ("Files", listed([*row["files"]], 8)),
        ("Not committed there", listed(row["uncommitted"], 8)),
        ("Unfinished tasks", listed(row["unfinished"], 4)),
        ("Next", "; ".join(row["next"][:4])),
    )
    shown = [f"  {label}: {safe.line(text, _LINE)}" for label, text in labelled if text]
    return "\n".join([f'- "{safe.line(row["title"], 100)}" ({", ".join(where)})', *shown])


def in_use(survey: "Survey", since: float) -> "Iterable[tuple[str, Row]]":
    """Yield each file that an open session of a trusted person changed in the last `since` seconds, with its row."""
    store, now = survey.workspace.project.store, survey.workspace.now
    here = {one.id for one in survey.sessions if one.journaled}
    for row in others.without(others.open_ones(store), here):
        for path, at in row["files"].items() if row["trusted"] else ():
            if rows.age(row, now) + max(0.0, row["heard"] - at) <= since:
                yield path, row

"""The agents that a state file lists in its frontmatter (formats/agents-sessions.md: `spawned_agents`)."""

from holdfast.core.fast_json import rows_of, table_of, text_of
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.session import Child, Recorded
    from holdfast.markdown.metadata import Metadata

    Row = dict[str, str]

PATH = "orchestration.spawned_agents"
KEYS = ("agent", "task", "status", "summary")
PENDING, RUNNING, COMPLETED = "pending", "in_progress", "completed"
LONGEST = 200  # characters of a task or a summary
_STATUS = {"running": RUNNING, "completed": COMPLETED, "orphaned": PENDING}
_ORPHANED = "Its session ended before it was done."


def rows(metadata: "Metadata") -> "list[Row]":
    """Return each listed agent with all four keys, "" for one that is not there."""
    group, _, inside = PATH.partition(".")
    return [{key: text_of(row, key) for key in KEYS} for row in rows_of(table_of(metadata.values, group), inside)]


def projected(rows: "list[Row]", session: "Recorded") -> "tuple[dict[str, int], dict[int, Row], dict[str, Row]]":
    """Return what the rows of a state file become by what a session recorded of its subagents.

    That is: the row of each subagent by its id, the changed keys of rows, and a new row by the id of its subagent. One
    without a type is the client's summariser; one whose row a person deleted has none.
    """
    free = {*range(len(rows))}
    placed: dict[str, int] = {}
    changes: dict[int, Row] = {}
    new: dict[str, Row] = {}
    for child in session.children.values():
        row, own = _row(session, child), child.id in session.file.children
        at = _find(rows, free, row, child, own=own, planned=bool(session.file.edited)) if child.type else None
        if at is not None:
            free.discard(at)
            placed[child.id] = at
            if changed := _changed(rows[at], row, child, logged=child.key in session.file.logged):
                changes[at] = changed
        elif child.type and not own:
            new[child.id] = row
    return placed, changes, new


def others(listed: object, session: "Recorded") -> "list[Row]":
    """Return the rows from the `agents` of a summary that are of no subagent of a session, or that say more of one.

    Those are the ones that somebody opened again, or keeps open, after their subagent had ended.
    """
    rows = listed if isinstance(listed, list) else []
    placed, changes, _ = projected(rows, session)
    after = [{**row, **changes.get(at, {})} for at, row in enumerate(rows)]
    ended = {ident for ident, child in session.children.items() if child.status == "completed"}
    told = {at for ident, at in placed.items() if ident not in ended or after[at]["status"] == COMPLETED}
    return [row for at, row in enumerate(after) if at not in told]


def _find(  # noqa: PLR0913 - two by name
    rows: "list[Row]", free: set[int], row: "Row", child: "Child", *, own: bool, planned: bool
) -> int | None:
    """Return the number of the row about a subagent: with its task, else one of its type that is not finished.

    Another task is its own only if the session `planned` it, that is wrote into the file, and it is about the same.
    """
    from holdfast.formats import names  # few sessions have subagents

    earlier = safe.line(child.earlier, LONGEST)
    same = [at for at, other in enumerate(rows) if (other["agent"], other["task"]) == (row["agent"], row["task"])]
    alike = [at for at in sorted(free) if rows[at]["agent"] == row["agent"]]
    if len(same) > 1:  # what another one reported tells them apart
        alike = [
            at for at in alike if at not in same or rows[at]["summary"] in {"", _ORPHANED, row["summary"], earlier}
        ]
        alike.sort(key=lambda at: rows[at]["summary"] != row["summary"])
    exact = [at for at in alike if at in same]
    about = row["task"] or row["summary"]
    fits = [at for at in alike if not rows[at]["task"] or (about and names.related(rows[at]["task"], about))]
    others = alike if own else [at for at in fits if planned and rows[at]["status"] != COMPLETED]
    return next(iter([*exact, *others]), None)


def _changed(before: "Row", row: "Row", child: "Child", *, logged: bool) -> "Row":
    """Return the keys of a row to be set: a status that goes on, and what it does not say yet.

    That it was completed is written once, as it was `logged`: another status since then is a correction.
    A subagent that was started again, after its earlier answer, is in progress again.
    """
    earlier = safe.line(child.earlier, LONGEST)
    changed = {key: row[key] for key in ("task", "summary") if row[key] and before[key] in {"", earlier}}
    if not logged and before["status"] != row["status"] and (before["status"] != COMPLETED or earlier):
        changed["status"] = row["status"]
    if before["summary"] == _ORPHANED and row["summary"] != _ORPHANED:
        changed["summary"] = row["summary"]
    return changed


def _row(session: "Recorded", child: "Child") -> "Row":
    """Return what a file is to list of a subagent."""
    from holdfast.journal import transcript

    answer = safe.line(child.result(LONGEST), LONGEST) if child.status == "completed" else ""
    return {
        "agent": safe.line(child.type, 64),
        "task": safe.line(transcript.description(session, child), LONGEST),
        "status": _STATUS.get(child.status, RUNNING),
        "summary": _ORPHANED if child.status == "orphaned" else answer,
    }

"""Agents that a request lists for the frontmatter of a state file: new ones, and corrections of others."""

from holdfast.core.errors import HoldfastError
from holdfast.editing.edit import Change, Editor, Outcome
from holdfast.formats import agents
from holdfast.formats.state_file import parse
from holdfast.markdown import metadata_edit
from holdfast.markdown.document import splices

Requested = dict[str, object]
Row = dict[str, str]

_GROUP, _, _LIST = agents.PATH.partition(".")
_EXAMPLE = '{"agent": "backend-dev", "task": "…", "status": "completed", "summary": "…"}'


def apart(requested: "Requested") -> "tuple[Requested, list[object]]":
    """Return a request without the agents in it, and these."""
    group = requested.get(_GROUP)
    inner = group if isinstance(group, dict) else {}
    listed = [given for given in (requested.get(_LIST), inner.get(_LIST)) if given is not None]
    rest = {key: value for key, value in requested.items() if key != _LIST}
    if _LIST in inner:
        others = {key: value for key, value in inner.items() if key != _LIST}
        rest = {key: value for key, value in rest.items() if key != _GROUP} | ({_GROUP: others} if others else {})
    return rest, [row for rows in listed for row in (rows if isinstance(rows, list) else [rows])]


def listed(editor: Editor, done: Outcome, requested: "list[object]") -> Outcome:
    """Return a file with each of these agents in it: the row of its type and task is corrected, else it gets one."""
    for row in requested:
        try:
            _one(editor, done, _checked(row))
        except HoldfastError as error:
            done.unplaced.append((agents.PATH, str(error)))
    return done


def _checked(row: object) -> "Row":
    """Return an agent with its keys in order; HoldfastError if it is none."""
    known = {key: value for key in agents.KEYS if (value := row.get(key))} if isinstance(row, dict) else {}
    if not isinstance(row, dict) or "agent" not in known or {*row} - {*agents.KEYS} or not _are_texts(known):
        raise HoldfastError(f"an agent is an object such as {_EXAMPLE}")
    if known.get("status", agents.PENDING) not in {agents.PENDING, agents.RUNNING, agents.COMPLETED}:
        raise HoldfastError(f"{known['status']!r} is not a status; write one of pending, in_progress, completed")
    return {key: " ".join(str(value).split()) for key, value in known.items()}


def _are_texts(row: "Requested") -> bool:
    return all(isinstance(value, str) for value in row.values())


def _one(editor: Editor, done: Outcome, row: "Row") -> None:
    """Put one agent into the file, and record the change."""
    state = done.state
    if not state.metadata.has(agents.PATH):
        raise HoldfastError(f"the file has no {_LIST}; add `{_LIST}: []` below `{_GROUP}:` in its frontmatter")
    rows = agents.rows(state.metadata)
    alike = [at for at, other in enumerate(rows) if other["agent"] == row["agent"]]
    same = [at for at in alike if "task" not in row or rows[at]["task"] in {row["task"], ""}]
    if len(same) > 1:
        raise HoldfastError(f"{len(same)} rows are about {row['agent']}; say which by its task")
    before = {key: rows[at][key] for at in same for key in row}
    changed = {key: value for key, value in row.items() if same and before[key] != value}
    if same and not changed:
        return
    found = metadata_edit.edit_rows(state.document, agents.PATH, dict.fromkeys(same, changed), [] if same else [row])
    line = state.document.line(min(start for start, _, _ in found))
    done.state = parse(splices(done.data, found), editor.path, editor.formats)
    was = ", ".join(before[key] for key in changed)
    done.changes.append(Change(f"{agents.PATH} {row['agent']}", was, ", ".join((changed or row).values()), line))

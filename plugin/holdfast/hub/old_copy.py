"""Which writes were taken back by a program that read the hub before them and saved it after them.

A person may take a write back on purpose, too. The saved hub counts as an older copy if all that the lost writes
changed is as it was before them, and something else is not: what the program read the hub for. If nothing else differs
from before, or something of these writes is still there, they were taken back on purpose.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.hub.write_log import Line

    Steps = list[tuple[str, str]]  # the marks of one text before and after each write that changed it


def undone(
    writes: "Sequence[Line]",
    text: str,
    mark_now: "Callable[[str], str | None]",
    fields_now: "Callable[[str], Mapping[str, str]]",
) -> "list[Line]":
    """Return those of the latest writes that an older copy took back, in their order.

    `writes` are their lines in the log of writes, and `text` is the mark of the hub's own text, both as
    `write_log.WriteLog` has them. `mark_now` returns the mark of an entry in the saved hub, "" for none, None when it
    is ambiguous; `fields_now` returns the marks of the fields of an entry.
    """
    if text in {write.get("text") for write in writes}:
        return []
    for number in range(len(writes)):
        later = list(writes[number:])
        if _are_gone(later, mark_now, fields_now):
            return later
    return []


def _are_gone(
    writes: "list[Line]",
    mark_now: "Callable[[str], str | None]",
    fields_now: "Callable[[str], Mapping[str, str]]",
) -> bool:
    """Whether all that these writes changed is as before them, as far as it was not edited, and so is the first one's.

    An entry that somebody edited is looked at field by field.
    """
    gone = False
    for ident, steps in _entries(writes).items():
        now = mark_now(ident)
        if now is None:
            continue
        before, after = _state(steps, now)
        if not (before or after) and now:
            marks = fields_now(ident)
            states = [_state(each, marks.get(name, "")) for name, each in _fields(writes, ident).items()]
            before, after = any(state[0] for state in states), any(state[1] for state in states)
        if after:
            return False
        gone = gone or (before and ident in _pairs(writes[0].get("changes")))
    return gone


def _state(steps: "Steps", now: str) -> tuple[bool, bool]:
    """Return whether a text is as before these steps, which changed it, and whether it is as after one of them."""
    if now == steps[0][0]:
        return now != steps[-1][1], False
    return False, now in {after for _, after in steps}


def _entries(writes: "list[Line]") -> "dict[str, Steps]":
    """Return the steps of each entry that these writes changed."""
    found: dict[str, Steps] = {}
    for write in writes:
        for ident, step in _pairs(write.get("changes")).items():
            found.setdefault(ident, []).append(step)
    return found


def _fields(writes: "list[Line]", ident: str) -> "dict[str, Steps]":
    """Return the steps of each field of an entry that these writes changed."""
    found: dict[str, Steps] = {}
    for write in writes:
        known = write.get("fields")
        for name, step in _pairs(known.get(ident) if isinstance(known, dict) else None).items():
            found.setdefault(name, []).append(step)
    return found


def _pairs(found: object) -> "dict[str, tuple[str, str]]":
    """Return the marks before and after of each name in a part of a line."""
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: (marks[0], marks[1]) for name, marks in pairs if isinstance(marks, list) and len(marks) == 2}

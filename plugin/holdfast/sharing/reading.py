"""Reads the refs of other machines. Kinds, sizes, names, modes and depth are checked before anything is believed.

No tree is walked by git, which would follow folders in folders without end: three levels are read, one after the other,
and each object only after its size was asked for. What does not fit is left out as a whole, and counted.
"""

import re

from holdfast.core import fast_json
from holdfast.core.fast_json import number_of, table_of, text_of
from holdfast.git import objects
from holdfast.git.objects import FILE, FOLDER, Entry
from holdfast.journal import payload
from holdfast.project import ids
from holdfast.sharing import content, machine, own_ref, people, rows, status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.rows import Row

    Months = dict[str, dict[str, Entry]]

_VERSION = 1
_MOST_MONTHS, _MOST_SESSIONS, _MOST_TEXTS = 240, 5000, 3
_MONTH = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_TEXTS = {content.SUMMARY: content.LARGEST_SUMMARY, content.STATE: content.LARGEST_TEXT}
_TEXTS |= {content.HANDOVER: content.LARGEST_TEXT}


class RefusedError(Exception):
    """A ref of another machine is not used; the text says why."""


class Machine:
    """One other machine, as its ref says.

    - id, tip: its id, and the commit that was read. sequence: how many commits it has made.
    - contact: when it sent the commit, by the own clock. made: when it made the commit, by its own clock.
    - key, name, email: who signed the commit, "" for nobody, and its author as the commit says.
    - host: the name of the machine. taken: the sessions of others that continue there. numbers: the last ids there.
    - months: month -> (name of its tree, rows by id). left_out: how many sessions were not usable.
    """

    __slots__ = (
        "contact",
        "email",
        "host",
        "id",
        "key",
        "left_out",
        "made",
        "months",
        "name",
        "numbers",
        "sequence",
        "taken",
        "tip",
    )

    def __init__(self, ident: str, tip: str) -> None:
        self.id, self.tip = ident, tip
        self.key = self.name = self.email = self.host = ""
        self.contact = self.made = 0.0
        self.sequence = self.left_out = 0
        self.taken: dict[str, float] = {}
        self.numbers: dict[str, int] = {}
        self.months: dict[str, tuple[str, dict[str, Row]]] = {}


def read(root: str, store: str, tip: str, before: Machine, between: tuple[float, float]) -> Machine:
    """Return what a new commit of another machine says; `before` is what its last one said, with no tip for none.

    The commit arrived `between` the last fetch and now. RefusedError when it is not usable.
    """
    (data,) = objects.read(root, [tip], "commit", own_ref.LARGEST_COMMIT)
    if data is None:
        raise RefusedError("its commit is too large, or none")
    size = objects.length(root)
    top = _tree(root, [f"{tip}^{{tree}}"], size)[0]
    if top is None or len(top) > _MOST_MONTHS or own_ref.MACHINE not in top:
        raise RefusedError("its folder is too large, damaged, or has no machine.json")
    found = _about(root, Machine(before.id, tip), top.pop(own_ref.MACHINE))
    if found.sequence < before.sequence:
        raise RefusedError("it is older than what was read before")
    found.key = people.signed_by(root, store, tip, data)
    if before.key and before.key != found.key and not objects.is_ancestor(root, before.tip, tip):
        raise RefusedError("it begins anew, and is not signed as it was before")
    found.name, found.email = people.author(data)
    found.contact = min(max(found.made, between[0]), between[1])  # its clock counts only within what is known here
    for name, entry in top.items():
        if entry.mode != FOLDER or not _MONTH.fullmatch(name):
            raise RefusedError("it has an entry that is no month")
    _fill(root, found, before, top, size)
    return found


def _about(root: str, found: Machine, entry: Entry) -> Machine:
    """Read machine.json: it must be of the machine whose ref it is in."""
    (data,) = objects.read(root, [entry.name], "blob", own_ref.LARGEST_MACHINE) if entry.mode == FILE else [None]
    row = fast_json.object_in(data or b"")
    if text_of(row, "machine") != found.id:
        raise RefusedError("it says that it is another machine")
    if row.get("format") != _VERSION:
        raise RefusedError("its format is not known here: update holdfast")
    found.host = safe.line(text_of(row, "host"), 60)
    found.sequence = int(min(max(number_of(row, "sequence"), 0.0), rows.LATEST))
    found.made = number_of(row, "at")
    taken = table_of(row, "taken")
    found.taken = {one: number_of(taken, one) for one in [*taken][:_MOST_SESSIONS] if payload.is_session(one)}
    found.numbers = ids.clean(row.get("numbers"))
    return found


def _fill(root: str, found: Machine, before: Machine, top: dict[str, Entry], size: int) -> None:
    """Read the months that changed; those that did not are as they were."""
    new = [name for name, entry in top.items() if before.months.get(name, ("",))[0] != entry.name]
    trees = dict(zip(new, _tree(root, [top[name].name for name in new], size), strict=True))
    for name, entry in top.items():
        if name in trees:
            tree = trees[name]
            if tree is None or len(tree) > _MOST_SESSIONS:
                raise RefusedError("a month is too large, or damaged")
            found.months[name] = entry.name, _sessions(root, found, tree, size)
        else:
            found.months[name] = before.months[name]


def _sessions(root: str, found: Machine, month: dict[str, Entry], size: int) -> "dict[str, Row]":
    """Return the rows of the sessions in a month; one that is not as it should be is left out and counted."""
    fit = {ident: entry for ident, entry in month.items() if entry.mode == FOLDER and payload.is_session(ident)}
    trees = _tree(root, [entry.name for entry in fit.values()], size)
    texts = {ident: tree for ident, tree in zip(fit, trees, strict=True) if tree and _is_plain(tree)}
    summaries = _checked(root, texts)
    found.left_out += len(month) - len(summaries)
    return {ident: rows.clean(fast_json.object_in(data), ident) for ident, data in summaries.items()}


def _is_plain(tree: dict[str, Entry]) -> bool:
    """Whether a folder has plain files with the names that are known, and nothing else."""
    named = content.SUMMARY in tree and len(tree) <= _MOST_TEXTS and tree.keys() <= _TEXTS.keys()
    return named and all(entry.mode == FILE for entry in tree.values())


def _checked(root: str, texts: dict[str, dict[str, Entry]]) -> dict[str, bytes]:
    """Return the summaries of those sessions whose texts are all blobs of a permitted size."""
    known = [(ident, name, entry.name) for ident, tree in texts.items() for name, entry in tree.items()]
    sizes = objects.kinds(root, [name for _, _, name in known])
    bad = {
        ident
        for (ident, name, _), (kind, size) in zip(known, sizes, strict=True)
        if kind != "blob" or size > _TEXTS[name]
    }
    fit = [ident for ident in texts if ident not in bad]
    found = objects.read(root, [texts[ident][content.SUMMARY].name for ident in fit], "blob", content.LARGEST_SUMMARY)
    return {ident: data for ident, data in zip(fit, found, strict=True) if data and fast_json.object_in(data)}


def text(root: str, machine_: Machine, month: str, ident: str, name: str) -> str:
    """Return a text of a session from the commit that was read, masked, "" for none; all is checked again."""
    size = objects.length(root)
    path = [f"{machine_.tip}:{month}/{ident}"] if _MONTH.fullmatch(month) and payload.is_session(ident) else []
    tree = _tree(root, path, size)[0] if path else None
    if not tree or not _is_plain(tree) or name not in tree:
        return ""
    (data,) = objects.read(root, [tree[name].name], "blob", _TEXTS[name])
    return safe.safe(data.decode("utf-8", "replace")) if data else ""


def _tree(root: str, names: list[str], size: int) -> list[dict[str, Entry] | None]:
    """Return the entries of trees, None for what is no tree, too large or damaged."""
    found = objects.read(root, names, "tree", own_ref.LARGEST_TREE)
    return [objects.entries(data, size) if data is not None else None for data in found]


def is_machine(ref: str, prefix: str = status.OWN) -> str:
    """Return the id of the machine that a ref belongs to, "" for a ref of another kind."""
    name = ref.removeprefix(prefix)
    return name if ref.startswith(prefix) and machine.is_ident(name) else ""

"""The own ref: what this machine shares, as a history that grows, and begins anew once a year.

The tree of a commit has `machine.json`, its signature, and one folder for each month. In a month each session that
started in it has a folder with its texts. Months that are over do not change, so that a fetch brings only what is new.

What is signed is `machine.json` alone. It names the machine and so the ref, the project, and the folder of each month
with all in it: nothing of it counts in another place.
"""

import hashlib
import time
from typing import NamedTuple

from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of
from holdfast.git import objects, remotes
from holdfast.git.objects import FILE, FOLDER, Entry
from holdfast.git.run import LONG_TIMEOUT, run
from holdfast.project import ids
from holdfast.sharing import machine, people, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.sharing.content import Texts
    from holdfast.sharing.status import Sharing

    Key = tuple[str, str]  # month and id

MACHINE, SIGNATURE = "machine.json", "machine.json.sig"
LARGEST_COMMIT, LARGEST_TREE, LARGEST_MACHINE = 1 << 16, 4 << 20, 1 << 16  # bytes
FORMAT = 2  # of machine.json
_MESSAGE = "sessions of holdfast\n"
_PASSING = {"sequence", "at", "host"}  # keys of machine.json that alone are no news
_DAY = 86_400.0  # seconds
_YEAR = 365 * _DAY


class Shared(NamedTuple):
    """The tree of a commit, as far as it was read: what is in machine.json, and the folders of sessions by month."""

    row: "dict[str, object]"
    months: dict[str, dict[str, Entry]]


def has(root: str, sharing: "Sharing", month: str, ident: str) -> bool:
    """Whether the own ref has a session."""
    return objects.kinds(root, [f"{sharing.ref}:{month}/{ident}"])[0][0] == "tree"


def changes(root: str, ref: str, texts: "dict[Key, Texts]", scratch: str) -> "dict[Key, Texts]":
    """Return those of the sessions of which `ref` has not these texts yet. Nothing but blobs is written."""
    before = _read(root, ref, {month for month, _ in texts})
    folders = _folders(root, texts, scratch)
    return {key: texts[key] for key, name in folders.items() if _name(before, key) != name}


def _name(before: Shared, key: "Key") -> str:
    entry = before.months.get(key[0], {}).get(key[1])
    return entry.name if entry else ""


def publish(  # noqa: PLR0913 - each is needed
    root: str, sharing: "Sharing", texts: "dict[Key, Texts]", at: float, *, keep_days: int, anyway: bool
) -> str:
    """Add these sessions to the own ref; return its commit. Without a change only if `anyway` is set.

    Sessions that are in it already and not among these stay as they are. When the history is a year old, the new commit
    has no parent, and old sessions shrink to their summary: those of a month that was over `keep_days` ago (0: none),
    without these. HoldfastError when git fails.
    """
    sharing.begun = sharing.begun or at
    anew = at - sharing.begun >= _YEAR
    tip = _tip(root, sharing.ref)
    before = _read(root, tip, {month for month, _ in texts}) if tip else Shared({}, {})
    folders = _folders(root, texts, _scratch(sharing))
    months = _merged(root, tip, before, folders)
    if anew and keep_days:
        months = _shrunk(root, months, time.strftime("%Y-%m", time.gmtime(at - keep_days * _DAY)), folders.keys())
    row = about(root, sharing, int(number_of(before.row, "sequence")) + 1, at)
    row["months"] = {month: entry.name for month, entry in months.items()}
    if tip and not (anyway or anew) and all(before.row.get(key) == row[key] for key in row.keys() - _PASSING):
        return tip
    sharing.begun = at if anew else sharing.begun
    return _moved(root, sharing.ref, _commit(root, sharing, "" if anew else tip, row, months), tip)


def continued(root: str, sharing: "Sharing", before: str) -> str:
    """Let the commit that began anew follow `before` after all; return what it is then. HoldfastError."""
    here = _tip(root, sharing.ref)
    new = objects.commit(root, f"{here}^{{tree}}", before, _MESSAGE, people.options(root))
    return _moved(root, sharing.ref, new, here)


def _moved(root: str, ref: str, new: str, old: str) -> str:
    """Set the own ref to a commit, and return that; HoldfastError if the ref is not `old` any more."""
    if not objects.move(root, ref, new, old):
        raise HoldfastError("another process shares these sessions just now; nothing is lost. Type: holdfast share now")
    return new


def about(root: str, sharing: "Sharing", sequence: int, at: float) -> "dict[str, object]":
    """Return what machine.json says of this machine, without its months.

    These are its id and name, the project and the key with which it signs, the sessions that go on here, the last ids.
    """
    return {
        "format": FORMAT,
        "machine": sharing.machine,
        "project": project_names(root, sharing),
        "host": machine.host(),
        "key": sorted(people.own_prints(root)),
        "sequence": sequence,
        "at": round(at),
        "taken": {ident: round(when) for ident, when in sharing.taken.items()},
        "numbers": ids.taken(sharing.store),
    }


def _merged(root: str, tip: str, before: Shared, folders: "dict[Key, str]") -> dict[str, Entry]:
    """Return the folders of all months, with the new folders of sessions in them."""
    top = _tree(root, f"{tip}^{{tree}}") if tip else {}
    months = {name: entry for name, entry in top.items() if entry.mode == FOLDER}
    touched = sorted({month for month, _ in folders})
    trees = []
    for month in touched:
        new = {ident: Entry(FOLDER, name) for (of, ident), name in folders.items() if of == month}
        trees.append({**before.months.get(month, {}), **new})
    written = objects.write_trees(root, trees)
    return months | {month: Entry(FOLDER, name) for month, name in zip(touched, written, strict=True)}


def _shrunk(root: str, months: dict[str, Entry], since: str, keep: "Collection[Key]") -> dict[str, Entry]:
    """Return the folders of all months; in those before `since`, sessions that are not among `keep` shrink."""
    size, entries = objects.length(root), dict(months)
    for month in [name for name in months if name < since]:
        sessions = _tree(root, months[month].name)
        trees = objects.read(root, [entry.name for entry in sessions.values()], "tree", LARGEST_TREE)
        texts = [objects.entries(data, size) or {} if data else {} for data in trees]
        small = [
            {name: entry for name, entry in each.items() if name == status.SUMMARY or (month, ident) in keep}
            for ident, each in zip(sessions, texts, strict=True)
        ]
        known = {ident: each for ident, each in zip(sessions, small, strict=True) if each}
        made = objects.write_trees(root, [*known.values()])
        named = {ident: Entry(FOLDER, name) for ident, name in zip(known, made, strict=True)}
        if named:
            entries[month] = Entry(FOLDER, objects.write_trees(root, [named])[0])
    return entries


def _commit(root: str, sharing: "Sharing", tip: str, row: "dict[str, object]", months: dict[str, Entry]) -> str:
    scratch, text = _scratch(sharing), fast_json.dumps(row) + "\n"
    signature = people.sign(root, scratch, text)
    texts = {MACHINE: text.encode()} | ({SIGNATURE: signature} if signature else {})
    blobs = objects.write_blobs(root, scratch, [*texts.values()])
    entries = {name: Entry(FILE, blob) for name, blob in zip(texts, blobs, strict=True)}
    (tree,) = objects.write_trees(root, [months | entries])
    return objects.commit(root, tree, tip, _MESSAGE, people.options(root))


def _scratch(sharing: "Sharing") -> str:
    return f"{status.folder(sharing.store)}/scratch"


def _folders(root: str, found: "dict[Key, Texts]", scratch: str) -> "dict[Key, str]":
    """Store the texts of sessions, and return the name of each one's folder."""
    blobs = objects.write_blobs(root, scratch, [data for texts in found.values() for data in texts.values()])
    names = iter(blobs)
    trees = [{name: Entry(FILE, next(names)) for name in texts} for texts in found.values()]
    return dict(zip(found, objects.write_trees(root, trees), strict=True))


def _tip(root: str, ref: str) -> str:
    return objects.refs(root, ref).get(ref, "")


def _read(root: str, tip: str, months: "Iterable[str]") -> Shared:
    """Return what a commit of this machine has of these months."""
    top = _tree(root, f"{tip}^{{tree}}")
    blob = top.get(MACHINE)
    (data,) = objects.read(root, [blob.name], "blob", LARGEST_MACHINE) if blob else [None]
    row = fast_json.loads(data) if data else {}
    entries = {month: _tree(root, top[month].name) for month in months if month in top}
    return Shared(row if isinstance(row, dict) else {}, entries)


def _tree(root: str, name: str) -> dict[str, Entry]:
    (data,) = objects.read(root, [name], "tree", LARGEST_TREE)
    return (objects.entries(data, objects.length(root)) if data else None) or {}


_MOST = 20  # first commits


def project_names(root: str, sharing: "Sharing") -> list[str]:
    """Return the names of the project of a clone; its first commits are looked for once, which reads its history."""
    sharing.roots = sharing.roots or _roots(root)
    place = hashlib.sha256(remotes.place(root, sharing.remote).encode("utf-8", "surrogateescape")).hexdigest()
    return sorted([*sharing.roots, f"remote:{place}"])


def _roots(root: str) -> list[str]:
    """Return the first commits of the history of HEAD, [] in a shallow clone or before the first commit."""
    if run(root, "rev-parse", "--is-shallow-repository")[1].strip() != "false":
        return []
    code, output, _ = run(root, "rev-list", "--max-parents=0", "HEAD", timeout=LONG_TIMEOUT)
    return output.split()[:_MOST] if code == 0 else []

"""Reads the refs of other machines. Kinds, sizes, names, modes and depth are checked before anything is believed.

No tree is walked by git, which would follow folders in folders without end: three levels are read, one after the other,
and each object only after its size was asked for and is within a budget. A machine of a trusted person has a budget of
its own, all others share one. What does not fit is left out as a whole, and counted.
"""

import re

from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, table_of, text_of, texts_of
from holdfast.git import objects
from holdfast.git.objects import FILE, FOLDER, Budget, Entry
from holdfast.journal import payload
from holdfast.project import ids
from holdfast.sharing import machine, own_ref, people, rows, status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.sharing.rows import Row

    Months = dict[str, dict[str, Entry]]

_MOST_MONTHS, _MOST_SESSIONS, _MOST_TEXTS = 240, 5000, 3
_MOST_UNTRUSTED = 100  # sessions of an untrusted machine
_CHUNK = 100  # sessions that are read together
_LARGEST_TOP, _LARGEST_MONTH, _LARGEST_SESSION = 1 << 14, 1 << 20, 1 << 10  # bytes of folders
_LARGEST_SIGNATURE = 1 << 13  # bytes
_OF_TRUSTED = 30_000, 48 << 20, 30.0  # objects, bytes and seconds for one machine
_OF_OTHERS = 20_000, 16 << 20, 15.0  # the same for all machines of people who are not trusted
_MONTH = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_TEXTS = {status.SUMMARY: own_ref.LARGEST_SUMMARY, own_ref.STATE: own_ref.LARGEST_TEXT}
_TEXTS |= {own_ref.HANDOVER: own_ref.LARGEST_TEXT}


class RefusedError(Exception):
    """A ref of another machine is not used; the text says why."""


class LaterError(Exception):
    """A ref of another machine was not read, because the budget for all of them is spent."""


class Machine:
    """One other machine, as its ref says.

    - id, tip: its id, and the commit that was read, "" when its ref is gone. sequence: how many commits it has made.
    - contact: when it sent the commit, by the own clock. made: when it made the commit, by its own clock.
    - key, name, email: who signed the commit, "" for nobody, and its author as the commit says.
    - host: the name of the machine. taken: the sessions of others that continue there. numbers: the last ids there.
    - months: month -> (name of its tree, rows by id). full: whether the rows have all that a trusted person's have.
    - left_out, skipped: how many sessions were not usable, and how many did not fit into the budget.
    - refused, reason: the commit that was not used, and why.
    """

    __slots__ = (
        *("contact", "email", "full", "host", "id", "key", "left_out", "made", "months", "name", "numbers", "reason"),
        *("refused", "sequence", "skipped", "taken", "tip"),
    )

    def __init__(self, ident: str, tip: str) -> None:
        self.id, self.tip = ident, tip
        self.key = self.name = self.email = self.host = self.refused = self.reason = ""
        self.contact = self.made = 0.0
        self.sequence = self.left_out = self.skipped = 0
        self.full = False
        self.taken: dict[str, float] = {}
        self.numbers: dict[str, int] = {}
        self.months: dict[str, tuple[str, dict[str, Row]]] = {}


def claimed(root: str, tips: dict[str, str]) -> dict[str, str]:
    """Return the fingerprint of the key that each machine names in its signature, "" for none. Nothing is proved."""
    names = [f"{tip}:{own_ref.SIGNATURE}" for tip in tips.values()]
    contents = objects.read(root, names, "blob", _LARGEST_SIGNATURE)
    return {ident: people.fingerprint(people.key_in(data or b"")) for ident, data in zip(tips, contents, strict=True)}


class Reader:
    """Reads what other machines sent to this project: `project` has its names, `trusted` the keys that are trusted.

    `between` are the times of the last fetch and of this one; `scratch` is a folder for temporary files.
    """

    def __init__(
        self, root: str, scratch: str, project: list[str], trusted: "Collection[str]", between: tuple[float, float]
    ) -> None:
        self._root, self._scratch, self._project = root, scratch, {*project}
        self._trusted, self._between = trusted, between
        self._size, self._others = objects.length(root), Budget(*_OF_OTHERS)
        self._is_shared = False  # whether another machine has spent something of it

    def read(self, tip: str, before: Machine) -> Machine:
        """Return what a commit says; `before` is what the last one of the machine said, with no tip for none.

        RefusedError when it is not usable, LaterError when others have spent the budget: it will be whole then.
        """
        try:
            return self._read(tip, before)
        except HoldfastError as error:  # git could not read it, or not within its limits
            raise RefusedError(str(error)) from None

    def _read(self, tip: str, before: Machine) -> Machine:
        is_shared, self._is_shared = self._is_shared, self._is_shared or not before.full
        if not before.full and not self._others.takes(4, 1000):
            raise LaterError
        (data,) = objects.read(self._root, [tip], "commit", own_ref.LARGEST_COMMIT)
        top = self._trees([f"{tip}^{{tree}}"], _LARGEST_TOP)[0]
        if data is None or b"\ngpgsig" in data.partition(b"\n\n")[0]:
            raise RefusedError("its commit is too large, or none that holdfast made")
        if top is None or len(top) > _MOST_MONTHS or own_ref.MACHINE not in top:
            raise RefusedError("its folder is too large, damaged, or has no machine.json")
        text = self._blob(top.pop(own_ref.MACHINE), own_ref.LARGEST_MACHINE)
        signature = self._blob(top.pop(own_ref.SIGNATURE, None), _LARGEST_SIGNATURE)
        if not before.full and not self._others.takes(0, len(text)):
            raise LaterError
        row = fast_json.object_in(text)
        found = _about(Machine(before.id, tip), row)
        found.key = people.signed_by(self._root, self._scratch, text, signature) if signature else ""
        found.name, found.email = people.author(data)
        self._check(found, before, row, top)
        is_news = found.sequence > before.sequence  # a ref that was deleted and put back is none
        found.contact = min(max(found.made, self._between[0]), self._between[1]) if is_news else before.contact
        found.full = people.fingerprint(found.key) in self._trusted
        self._fill(found, before, top)
        if is_shared and not found.full and self._others.exceeded:
            raise LaterError
        return found

    def _check(self, found: Machine, before: Machine, row: "dict[str, object]", top: dict[str, Entry]) -> None:
        """Raise RefusedError if the commit is an old one, or not what its signature is about."""
        if found.sequence < before.sequence:
            raise RefusedError("it is older than what was read before")
        is_other = before.key and before.key != found.key
        if is_other and not (before.tip and objects.is_ancestor(self._root, before.tip, found.tip)):
            raise RefusedError("it begins anew, and is not signed as it was before")
        if any(entry.mode != FOLDER or not _MONTH.fullmatch(name) for name, entry in top.items()):
            raise RefusedError("it has an entry that is no month")
        if found.key and not self._project.intersection(texts_of(row, "project")):
            raise RefusedError("what it sends was signed for another project")
        if found.key and table_of(row, "months") != {name: entry.name for name, entry in top.items()}:
            raise RefusedError("its signature is not about these sessions")

    def _fill(self, found: Machine, before: Machine, top: dict[str, Entry]) -> None:
        """Read the months that changed, the last one first; those that did not are as they were."""
        budget, kept = Budget(*_OF_TRUSTED) if found.full else self._others, 0
        known = before.months if before.full == found.full else {}
        for name, entry in sorted(top.items(), reverse=True):
            if known.get(name, ("",))[0] == entry.name:
                found.months[name] = known[name]
            else:
                room = _MOST_SESSIONS if found.full else max(0, _MOST_UNTRUSTED - kept)
                before_it = found.skipped
                by_id = self._month(found, entry, room, budget)
                found.months[name] = "" if found.skipped > before_it else entry.name, by_id
            kept += len(found.months[name][1])

    def _month(self, found: Machine, entry: Entry, room: int, budget: Budget) -> "dict[str, Row]":
        """Return the rows of at most `room` sessions in a month; what is not as it should be is counted."""
        if room == 0 or not budget.takes(1, 0):
            found.skipped += 1
            return {}
        month = self._trees([entry.name], _LARGEST_MONTH)[0]
        if month is None or len(month) > _MOST_SESSIONS:
            raise RefusedError("a month is too large, or damaged")
        if not budget.takes(0, sum(map(len, month))):
            found.skipped += len(month)
            return {}
        fit = [(ident, one) for ident, one in month.items() if one.mode == FOLDER and payload.is_session(ident)]
        found.left_out += len(month) - len(fit)
        by_id: dict[str, Row] = {}
        for begin in range(0, min(room, len(fit)), _CHUNK):
            some = dict(fit[begin : min(begin + _CHUNK, room)])
            read = self._sessions(found, some, budget)
            if read is None:
                found.skipped += len(fit) - begin
                return by_id
            by_id |= read
        found.skipped += max(0, len(fit) - room)
        return by_id

    def _sessions(self, found: Machine, some: dict[str, Entry], budget: Budget) -> "dict[str, Row] | None":
        """Return the rows of some sessions, None if they do not fit into the budget."""
        if not budget.takes(4 * len(some), _LARGEST_SESSION // 4 * len(some)):
            return None
        trees = self._trees([entry.name for entry in some.values()], _LARGEST_SESSION)
        texts = {ident: tree for ident, tree in zip(some, trees, strict=True) if tree and _is_plain(tree)}
        sizes = _sizes(self._root, texts)
        if not budget.takes(0, sum(sizes.values())):
            return None
        names = [texts[ident][status.SUMMARY].name for ident in sizes]
        read = objects.read(self._root, names, "blob", own_ref.LARGEST_SUMMARY)
        rows_ = {ident: fast_json.object_in(data or b"") for ident, data in zip(sizes, read, strict=True)}
        clean = {ident: rows.clean(row, ident) for ident, row in rows_.items() if row}
        found.left_out += len(some) - len(clean)
        return clean if found.full else {ident: rows.reduced(row) for ident, row in clean.items()}

    def _trees(self, names: list[str], limit: int) -> list[dict[str, Entry] | None]:
        return _trees(self._root, names, self._size, limit)

    def _blob(self, entry: Entry | None, limit: int) -> bytes:
        """Return the bytes of a file, b"" for what is none or larger."""
        if entry is None or entry.mode != FILE:
            return b""
        return objects.read(self._root, [entry.name], "blob", limit)[0] or b""


def _about(found: Machine, row: "dict[str, object]") -> Machine:
    """Take over what machine.json says: it must be of the machine whose ref it is in."""
    if text_of(row, "machine") != found.id:
        raise RefusedError("it says that it is another machine")
    if row.get("format") != own_ref.FORMAT:
        raise RefusedError("its format is not known here: update holdfast")
    found.host = safe.line(text_of(row, "host"), 60)
    found.sequence = int(min(max(number_of(row, "sequence"), 0.0), rows.LATEST))
    found.made = number_of(row, "at")
    taken = table_of(row, "taken")
    found.taken = {one: number_of(taken, one) for one in [*taken][:_MOST_SESSIONS] if payload.is_session(one)}
    found.numbers = ids.clean(row.get("numbers"))
    return found


def _is_plain(tree: dict[str, Entry]) -> bool:
    """Whether a folder has plain files with the names that are known, and nothing else."""
    named = status.SUMMARY in tree and len(tree) <= _MOST_TEXTS and tree.keys() <= _TEXTS.keys()
    return named and all(entry.mode == FILE for entry in tree.values())


def _sizes(root: str, texts: dict[str, dict[str, Entry]]) -> dict[str, int]:
    """Return the bytes of the summary of those sessions whose texts are all blobs of a permitted size."""
    known = [(ident, name, entry.name) for ident, tree in texts.items() for name, entry in tree.items()]
    kinds = [*zip(known, objects.kinds(root, [name for _, _, name in known]), strict=True)]
    bad = {ident for (ident, name, _), (kind, size) in kinds if kind != "blob" or size > _TEXTS[name]}
    return {ident: size for (ident, name, _), (_, size) in kinds if name == status.SUMMARY and ident not in bad}


def text(root: str, machine_: Machine, month: str, ident: str, name: str) -> tuple[str, str]:
    """Return a text of a session from the commit that was read, masked, and its blob; "" for none.

    All is checked again.
    """
    path = [f"{machine_.tip}:{month}/{ident}"] if _MONTH.fullmatch(month) and payload.is_session(ident) else []
    tree = _trees(root, path, objects.length(root), _LARGEST_SESSION)[0] if path else None
    if not tree or not _is_plain(tree) or name not in tree:
        return "", ""
    (data,) = objects.read(root, [tree[name].name], "blob", _TEXTS[name])
    return (safe.safe(data.decode("utf-8", "replace")), tree[name].name) if data else ("", "")


def _trees(root: str, names: list[str], size: int, limit: int) -> list[dict[str, Entry] | None]:
    """Return the entries of trees, None for what is no tree, too large or damaged."""
    found = objects.read(root, names, "tree", limit)
    return [objects.entries(data, size) if data is not None else None for data in found]


def is_machine(ref: str, prefix: str = status.OWN) -> str:
    """Return the id of the machine that a ref belongs to, "" for a ref of another kind."""
    name = ref.removeprefix(prefix)
    return name if ref.startswith(prefix) and machine.is_ident(name) else ""

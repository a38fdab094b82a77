"""Whether a text was written or accepted here: only then does it enter the context with more than title and status.

The unit is the bytes of one file. What is known of them stands in the ledger `accepted` of the store, a line each: `+`
was written here, `*` was accepted by a person, `-` came from elsewhere and was changed by holdfast alone since. The
last line counts; where there is none git is asked, and outside git, where nothing comes by a clone, all is accepted.
"""

import os

from holdfast import files, paths, text
from holdfast.cache import Cache
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.paths import Place

    Model = dict[str, object]

WRITTEN, TRUSTED, FOREIGN = b"+", b"*", b"-"
_LARGEST = 200_000  # bytes of a ledger; a line takes 66
_KEPT = 1000  # lines of each kind that are left of a larger one
_CLAUDE = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT")


class Judge:
    """Tells texts from elsewhere, from memory where neither the file nor what git remembers has changed since."""

    def __init__(self, memory: Cache) -> None:
        self._memory = memory
        self._homes: dict[str, Place] = {}  # by folder
        self._ledgers: dict[str, bytes] = {}  # by store
        self._signatures: dict[str, str] = {}  # by working tree

    def foreign(self, wanted: "Iterable[str]") -> set[str]:
        """Return those files that hold a text which was neither written nor accepted here; one that is gone does not.

        Where nobody can tell, a text is taken for one from elsewhere.
        """
        signs = {path: self._sign(path) for path in wanted}
        found = {path for path, sign in signs.items() if sign == FOREIGN}
        unknown: dict[str, list[str]] = {}
        for path, sign in signs.items():
            if not sign:
                unknown.setdefault(self._home(path).root, []).append(path)
        return found.union(*(self._judged(self._home(some[0]), some) for some in unknown.values()))

    def _home(self, path: str) -> "Place":
        folder = os.path.dirname(path)
        if folder not in self._homes:
            self._homes[folder] = paths.locate(folder)
        return self._homes[folder]

    def _sign(self, path: str) -> bytes:
        """Return what is known of a file's text without asking git, b"" for nothing."""
        home = self._home(path)
        if not (home.git and home.root):
            return WRITTEN
        try:
            name = str(self._memory.of(path, _named, kind="name")["name"])
            known = _last(self._ledger(home), name)
            return known or (FOREIGN if self._remembered(path, home) == name else b"")
        except OSError:
            return WRITTEN

    def _remembered(self, path: str, home: "Place") -> object:
        """Return the name of the text that git said is from elsewhere, unless it may say something else now."""
        return self._memory.get(path, self._signature(home), "origin").get("foreign")

    def _ledger(self, home: "Place") -> bytes:
        if home.store not in self._ledgers:
            self._ledgers[home.store] = _read(home.store)
        return self._ledgers[home.store]

    def _signature(self, home: "Place") -> str:
        if home.root not in self._signatures:
            from holdfast import origins  # most starts have no use for it

            self._signatures[home.root] = origins.signature(home)
        return self._signatures[home.root]

    def _judged(self, home: "Place", some: list[str]) -> set[str]:
        """Ask git of files in one working tree, and remember what it says."""
        texts = {path: data for path in some if (data := _bytes(path)) is not None}
        told = _asked(home, texts)
        if told is None:
            return {*texts}
        for path in told:
            if os.path.exists(path):
                self._memory.put(path, {"foreign": name_of(texts[path])}, self._signature(home), "origin")
        _note(home.store, [name_of(data) for path, data in texts.items() if path not in told], WRITTEN)
        return told


def told_to_claude() -> bool:
    """Whether what is told now enters Claude's context: it does in a hook, and in Claude's own shell."""
    return any(os.environ.get(name) for name in _CLAUDE)


def refuse(place: "Place", wanted: "Iterable[str]") -> None:
    """Refuse to tell Claude what these files say before somebody accepted it; HoldfastError names the first."""
    for path in sorted(Judge(Cache(place.store)).foreign(wanted)) if told_to_claude() else ():
        name = text.line(paths.locate(os.path.dirname(path)).relative(path), 300)
        raise HoldfastError(
            f"{name} came with the repository, and nobody has accepted it here. The user reads and accepts it in a "
            f"terminal of their own: holdfast trust {name}"
        )


def accept(path: str, data: bytes | None = None) -> None:
    """Note that a text was accepted by a person, or without any that of a file as it stands was written here.

    OSError as the system says it; outside git there is nothing to note.
    """
    home = paths.locate(os.path.dirname(path))
    sign, data = (WRITTEN, files.read(path)) if data is None else (TRUSTED, data)
    if home.git and home.root:
        _note(home.store, [name_of(data)], sign, strict=True)


def carry(path: str, after: bytes, source: str = "", before: bytes | None = None) -> None:
    """Let a text that holdfast wrote be what the one was that it repeats; whoever calls has the lock.

    That is `before`, or what stands in the file `source` now; a text that repeats none is one of here. Neither stamping
    nor filling in, nor telling it again elsewhere, makes a text from elsewhere one of here.
    """
    home = paths.locate(os.path.dirname(path))
    if not (home.git and home.root):
        return
    ledger, name = _read(home.store), name_of(after)
    if _last(ledger, name):  # somebody had the very same text before
        return
    before = _bytes(source) if source and before is None else before
    sign = WRITTEN if before is None else _last(ledger, name_of(before)) or _origin(home, source, before)
    _note(home.store, [name], FOREIGN if sign == FOREIGN else WRITTEN)
    if len(ledger) > _LARGEST:
        _shorten(home.store)


def _origin(home: "Place", path: str, before: bytes) -> bytes:
    """Return what git says of a text that just stood at a path."""
    told = _asked(home, {path: before})
    return WRITTEN if told == set() else FOREIGN


def _named(path: str) -> "Model":
    return {"name": name_of(files.read(path))}


def name_of(data: bytes) -> str:
    """Return what stands for a text in the ledger."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _asked(home: "Place", texts: dict[str, bytes]) -> set[str] | None:
    """Return those texts of these, by their path, that git knows from elsewhere; None where it cannot tell."""
    from holdfast import deps, origins

    known = {home.relative(path): path for path in texts}
    if not texts or not deps.activate():
        return None
    told = origins.foreign(home, {name: texts[path] for name, path in known.items()})
    return None if told is None else {known[name] for name in told}


def _last(ledger: bytes, name: str) -> bytes:
    """Return what the last line about a text says of it, b"" where there is none."""
    at = ledger.rfind(name.encode() + b"\n")
    return ledger[at - 1 : at] if at > 0 else b""


def _note(store: str, names: "Iterable[str]", sign: bytes, *, strict: bool = False) -> None:
    """Add to the ledger; what cannot be noted is asked of git again, unless it is `strict`."""
    lines = [sign + name.encode() for name in names]
    try:
        if lines:
            files.append_line(_path(store), b"\n".join(lines))
    except OSError:
        if strict:
            raise


def _shorten(store: str) -> None:
    """Keep the last lines of each kind; of what was written here and is forgotten, git still knows most."""
    lines = [*dict.fromkeys(reversed(_read(store).splitlines()))]
    kept = {line for sign in (WRITTEN, TRUSTED, FOREIGN) for line in [one for one in lines if one[:1] == sign][:_KEPT]}
    left = [line for line in reversed(lines) if line in kept]
    files.write_atomic(_path(store), b"".join(line + b"\n" for line in left))


def _read(store: str) -> bytes:
    return _bytes(_path(store)) or b""


def _path(store: str) -> str:
    return store + "/accepted"


def _bytes(path: str) -> bytes | None:
    """Return the bytes of a file, None where it is gone or cannot be read."""
    try:
        return files.read(path)
    except OSError:
        return None

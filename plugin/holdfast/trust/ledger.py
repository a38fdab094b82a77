"""Which texts were written or accepted here. Only these enter Claude's context with more than title and status.

A text is the bytes of one file. The ledger is the file `accepted` in the store, with one line for each text: a sign and
the SHA-256. `+` was written here, `*` was accepted by the user, `-` came from elsewhere and only holdfast changed it
since. The last line about a text decides. Without one, git is asked; outside git, every text is trusted.
"""

import os

from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project

WRITTEN, ACCEPTED, UNTRUSTED = b"+", b"*", b"-"
_MAX_BYTES = 200_000  # of a ledger; a line has 66
_KEPT_LINES = 1000  # of each sign, when a larger ledger is shortened
_CLAUDE_VARIABLES = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT")


class TrustCheck:
    """Finds untrusted files. Answers of git are cached until the file or the reflogs change."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._projects: dict[str, Project] = {}  # by folder
        self._ledgers: dict[str, bytes] = {}  # by store
        self._signatures: dict[str, str] = {}  # by working tree

    def untrusted(self, files_to_check: "Iterable[str]") -> set[str]:
        """Return those of the files whose text was neither written nor accepted here; a missing file is trusted.

        A text whose origin git cannot find out is untrusted.
        """
        signs = {path: self._sign(path) for path in files_to_check}
        found = {path for path, sign in signs.items() if sign == UNTRUSTED}
        unknown: dict[str, list[str]] = {}
        for path, sign in signs.items():
            if not sign:
                unknown.setdefault(self._project(path).root, []).append(path)
        return found.union(*(self._ask_git(self._project(group[0]), group) for group in unknown.values()))

    def _project(self, path: str) -> "Project":
        folder = os.path.dirname(path)
        if folder not in self._projects:
            self._projects[folder] = paths.locate(folder)
        return self._projects[folder]

    def _sign(self, path: str) -> bytes:
        """Return the sign of a file's text from ledger and cache, b"" when git must be asked."""
        project = self._project(path)
        if not (project.git and project.root):
            return WRITTEN
        try:
            name = str(self._cache.read(path, _named, kind="name")["name"])
            sign = _last_sign(self._ledger(project), name)
            return sign or (UNTRUSTED if self._cached_answer(path, project) == name else b"")
        except OSError:
            return WRITTEN

    def _cached_answer(self, path: str, project: "Project") -> object:
        """Return the name of the text at `path` that git found untrusted; None when the reflogs changed since."""
        return self._cache.get(path, self._signature(project), "origin").get("untrusted")

    def _ledger(self, project: "Project") -> bytes:
        if project.store not in self._ledgers:
            self._ledgers[project.store] = _read(project.store)
        return self._ledgers[project.store]

    def _signature(self, project: "Project") -> str:
        if project.root not in self._signatures:
            from holdfast.trust import reflog  # most session starts do not need it

            self._signatures[project.root] = reflog.signature(project)
        return self._signatures[project.root]

    def _ask_git(self, project: "Project", group: list[str]) -> set[str]:
        """Return the untrusted ones of some files in one working tree, from git, and record the answer."""
        texts = {path: data for path in group if (data := _bytes(path)) is not None}
        untrusted = _from_elsewhere(project, texts)
        if untrusted is None:
            return {*texts}
        for path in untrusted:
            if os.path.exists(path):
                self._cache.put(path, {"untrusted": name_of(texts[path])}, self._signature(project), "origin")
        _add(project.store, [name_of(data) for path, data in texts.items() if path not in untrusted], WRITTEN)
        return untrusted


def output_reaches_claude() -> bool:
    """Whether what is printed now enters Claude's context: in a hook, and in a shell that Claude runs."""
    return any(os.environ.get(name) for name in _CLAUDE_VARIABLES)


def require_trusted(project: "Project", files_to_show: "Iterable[str]") -> None:
    """Raise HoldfastError, which names the first one, when the output reaches Claude and a file is untrusted."""
    for path in sorted(TrustCheck(Cache(project.store)).untrusted(files_to_show)) if output_reaches_claude() else ():
        name = safe.line(paths.locate(os.path.dirname(path)).relative(path), 300)
        raise HoldfastError(
            f"{name} came with the repository, and nobody has accepted it here. The user reads and accepts it in a "
            f"terminal of their own: holdfast trust {name}"
        )


def accept(path: str, data: bytes | None = None) -> None:
    """Record that the user accepted the text `data`, or without it that the file's present text was written here.

    OSError when the ledger cannot be written. Outside git nothing is recorded.
    """
    project = paths.locate(os.path.dirname(path))
    sign, data = (WRITTEN, files.read(path)) if data is None else (ACCEPTED, data)
    if project.git and project.root:
        _add(project.store, [name_of(data)], sign, strict=True)


def record_write(path: str, after: bytes, source: str = "", before: bytes | None = None) -> None:
    """Record the text `after`, which holdfast writes to `path`, with the trust of the text that it is made from.

    That text is `before`, or the present one of the file `source`; without either, `after` is trusted. So an update or
    a copy by holdfast never makes an untrusted text trusted. The caller holds the lock.
    """
    project = paths.locate(os.path.dirname(path))
    if not (project.git and project.root):
        return
    ledger, name = _read(project.store), name_of(after)
    if _last_sign(ledger, name):  # the same text is known already
        return
    before = _bytes(source) if source and before is None else before
    sign = WRITTEN if before is None else _last_sign(ledger, name_of(before)) or _origin(project, source, before)
    _add(project.store, [name], UNTRUSTED if sign == UNTRUSTED else WRITTEN)
    if len(ledger) > _MAX_BYTES:
        _shorten(project.store)


def _origin(project: "Project", path: str, before: bytes) -> bytes:
    """Return the sign of a text that was at `path`, from git."""
    return WRITTEN if _from_elsewhere(project, {path: before}) == set() else UNTRUSTED


def _named(path: str) -> dict[str, object]:
    """Return the name of a file's text, as the cache stores it."""
    return {"name": name_of(files.read(path))}


def name_of(data: bytes) -> str:
    """Return the name of a text in the ledger: its SHA-256 in hexadecimal."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _from_elsewhere(project: "Project", texts: dict[str, bytes]) -> set[str] | None:
    """Return the paths of those texts that came from elsewhere, by git's reflogs; None when git cannot tell."""
    from holdfast.project import packages
    from holdfast.trust import reflog

    by_name = {project.relative(path): path for path in texts}
    if not texts or not packages.activate():
        return None
    found = reflog.from_elsewhere(project, {name: texts[path] for name, path in by_name.items()})
    return None if found is None else {by_name[name] for name in found}


def _last_sign(ledger: bytes, name: str) -> bytes:
    """Return the sign in the last line about a text, b"" when there is none."""
    at = ledger.rfind(name.encode() + b"\n")
    return ledger[at - 1 : at] if at > 0 else b""


def _add(store: str, names: "Iterable[str]", sign: bytes, *, strict: bool = False) -> None:
    """Add texts to the ledger. OSError only if `strict`; otherwise git is simply asked again the next time."""
    lines = [sign + name.encode() for name in names]
    try:
        if lines:
            files.append_line(_path(store), b"\n".join(lines))
    except OSError:
        if strict:
            raise


def _shorten(store: str) -> None:
    """Keep the last lines of each sign. git still knows most of the texts that are dropped."""
    lines = [*dict.fromkeys(reversed(_read(store).splitlines()))]
    kept = {
        line
        for sign in (WRITTEN, ACCEPTED, UNTRUSTED)
        for line in [line for line in lines if line[:1] == sign][:_KEPT_LINES]
    }
    files.write_private(_path(store), b"".join(line + b"\n" for line in reversed(lines) if line in kept))


def _read(store: str) -> bytes:
    return _bytes(_path(store)) or b""


def _path(store: str) -> str:
    return store + "/accepted"


def _bytes(path: str) -> bytes | None:
    """Return the bytes of a file, None when it is gone or cannot be read."""
    try:
        return files.read(path)
    except OSError:
        return None

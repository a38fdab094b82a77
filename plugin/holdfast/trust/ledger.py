"""Which texts were written or accepted here. Only these enter Claude's context with more than title and status.

A text is the bytes of one file. The ledger is the file `accepted` in the store, with one line for each text: a sign and
the SHA-256. `+` was written here, `*` was accepted by the user, `-` is unknown to us and only holdfast changed it
since. The last line about a text decides. Without one, git is asked; what git cannot tell is untrusted. git is also
asked about a `-` whose origin `derived` has.

The first line of the ledger is the seal of its store, so a ledger that was unpacked, or copied, is void.
"""

import os

from holdfast.clients import catalogue
from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.trust import seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project

NAME = "name"  # the kind under which the cache has the name of a file's text
WRITTEN, ACCEPTED, UNTRUSTED = b"+", b"*", b"-"
_EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # the SHA-256 of no bytes
_MAX_BYTES = 200_000  # of a ledger; a line has 66
_KEPT_LINES = 1000  # of each sign, when a larger ledger is shortened


class TrustCheck:
    """Finds untrusted files. Answers of git are cached until the file or the reflogs change."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._projects: dict[str, Project] = {}  # by folder
        self._ledgers: dict[str, bytes] = {}  # by store
        self._derived: dict[str, dict[str, tuple[str, ...]]] = {}  # by store
        self._signatures: dict[str, str] = {}  # by working tree
        self._names: dict[str, str] = {}  # of the texts, by path

    def untrusted(self, files_to_check: "Iterable[str]") -> set[str]:
        """Return those of the files whose text was neither written nor accepted here, or whose origin is unknown.

        A missing file and an empty one are trusted, because they have no text.
        """
        signs = {path: self._sign(path) for path in files_to_check}
        found = {path for path, sign in signs.items() if sign == UNTRUSTED}
        unknown: dict[str, list[str]] = {}
        for path, sign in signs.items():
            if not sign:
                unknown.setdefault(self._project(path).root, []).append(path)
        return found.union(*(self._ask_git(self._project(group[0]), group) for group in unknown.values()))

    def is_trusted(self, path: str, data: bytes) -> bool:
        """Whether `data`, which was read from a file before, is its text, and the file is trusted.

        Another program may replace the file between the two, and put the checked text back.
        """
        return not data or (not self.untrusted([path]) and name_of(data) == self._names.get(path))

    def _project(self, path: str) -> "Project":
        folder = os.path.dirname(path)
        if folder not in self._projects:
            self._projects[folder] = paths.locate(folder)
        return self._projects[folder]

    def _sign(self, path: str) -> bytes:
        """Return the sign of a file's text from ledger and cache, b"" when git must be asked."""
        project = self._project(path)
        try:
            name = self._names[path] = str(self._cache.read(path, _named, kind=NAME)["name"])
            sign = WRITTEN if name == _EMPTY else _last_sign(self._ledger(project), name)
            if not (project.git and project.store):
                return sign or UNTRUSTED
            if sign and not (sign == UNTRUSTED and name in self._origins(project)):
                return sign
            return UNTRUSTED if self._cached_answer(path, project) == name else b""
        except FileNotFoundError:
            return WRITTEN
        except OSError:  # a link, a folder, a file without rights
            return UNTRUSTED

    def _cached_answer(self, path: str, project: "Project") -> object:
        """Return the name of the text at `path` that git found untrusted; None when the reflogs changed since."""
        return self._cache.get(path, self._signature(project), "origin").get("untrusted")

    def _ledger(self, project: "Project") -> bytes:
        if project.store not in self._ledgers:
            self._ledgers[project.store] = _read(project.store) if project.store else b""
        return self._ledgers[project.store]

    def _origins(self, project: "Project") -> "dict[str, tuple[str, ...]]":
        if project.store not in self._derived:
            from holdfast.trust import derived_texts  # most session starts do not need it

            self._derived[project.store] = derived_texts.origins(project.store)
        return self._derived[project.store]

    def _signature(self, project: "Project") -> str:
        if project.root not in self._signatures:
            from holdfast.trust import reflog  # most session starts do not need it

            self._signatures[project.root] = reflog.signature(project)
        return self._signatures[project.root]

    def _ask_git(self, project: "Project", group: list[str]) -> set[str]:
        """Return the untrusted ones of some files in one working tree, from git, and record the answer."""
        signature = self._signature(project)
        read = {path: files.read_or_none(path) for path in group}
        texts = {path: data for path, data in read.items() if data and name_of(data) == self._names[path]}
        written = _written_here(project, texts)
        if written is None:
            return {*group}
        for path in texts.keys() - written:
            if os.path.exists(path):
                self._cache.put(path, {"untrusted": name_of(texts[path])}, signature, "origin")
        _add(project.store, [name_of(texts[path]) for path in written], WRITTEN)
        return {*group} - written


def output_reaches_claude() -> bool:
    """Whether what is printed now enters a model's context: in a hook, and in a shell that a coding client runs."""
    return catalogue.output_reaches_model(os.environ)


def require_trusted(project: "Project", files_to_show: "Iterable[str]") -> None:
    """Raise HoldfastError, which names the first one, when the output reaches Claude and a file is untrusted."""
    if output_reaches_claude():
        refuse(TrustCheck(Cache(project.store)).untrusted(files_to_show))


def refuse(untrusted: "Iterable[str]") -> None:
    """Raise HoldfastError, which names the first of some untrusted files."""
    for path in sorted(untrusted):
        from holdfast.trust import redaction  # most processes read no untrusted file

        raise HoldfastError(
            f"{redaction.short_names([path])} may come from elsewhere and is not accepted here. The user reads and "
            "accepts it in a terminal of their own: holdfast trust"
        )


def accept(path: str, data: bytes) -> None:
    """Record that the user accepted the text `data` of a file; OSError when the ledger does not have it afterwards."""
    project = paths.locate(os.path.dirname(path))
    if project.store:
        _add(project.store, [name_of(data)], ACCEPTED, strict=True)
    if _last_sign(_read(project.store), name_of(data)) != ACCEPTED:
        raise OSError(30, "cannot be recorded as accepted", path)


def is_accepted(project: "Project", data: bytes) -> bool:
    """Whether the user accepted a text that is no file of its own, such as the filters in git's configuration."""
    return bool(project.store) and _last_sign(_read(project.store), name_of(data)) == ACCEPTED


def record_edit(path: str) -> None:
    """Record that the file's present text was written here, after an Edit or Write of a session was observed.

    While git changes the working tree nothing is recorded: git may have replaced the text since.
    """
    project = paths.locate(os.path.dirname(path))
    if not project.store:
        return
    data = files.read(path)
    from holdfast.trust import reflog

    if not (project.git and reflog.is_running(project)):
        _add(project.store, [name_of(data)], WRITTEN, strict=True)


def record_write(path: str, after: bytes, before: bytes = b"", sources: "Iterable[str]" = ()) -> None:
    """Record the text `after`, which holdfast writes to `path`, with the trust of the texts that it is made from.

    These are `before`, the present text at `path`, and those of the files `sources`; without any, `after` is trusted.
    So an update or a copy by holdfast never makes an untrusted text trusted. The caller holds the lock.
    """
    project = paths.locate(os.path.dirname(path))
    if not project.store:
        return
    ledger, name = _read(project.store), name_of(after)
    if _last_sign(ledger, name):  # the same text is known already
        return
    repeated = any(
        not is_written(paths.locate(os.path.dirname(source)), source, files.read_or_none(source)) for source in sources
    )
    unknown = not is_written(project, path, before)
    if unknown and not repeated:
        _record_origin(project, name, before, after)
    _add(project.store, [name], UNTRUSTED if unknown or repeated else WRITTEN)
    if len(ledger) > _MAX_BYTES:
        _shorten(project.store)


def is_written(project: "Project", path: str, data: bytes | None) -> bool:
    """Whether a text at a path was written or accepted here; none at all counts, one of unknown origin does not."""
    if not data:
        return True
    sign = _last_sign(_read(project.store) if project.store else b"", name_of(data))
    return sign in {WRITTEN, ACCEPTED} or (bool(project.git) and bool(_written_here(project, {path: data})))


def _record_origin(project: "Project", name: str, before: bytes, after: bytes) -> None:
    """Record from which text another one is made, so that git can tell later whose it is."""
    from holdfast.trust import derived_texts

    before_name = name_of(before)
    sticky = _last_sign(_read(project.store), before_name) == UNTRUSTED
    if project.git and not (sticky and before_name not in derived_texts.origins(project.store)):
        try:
            derived_texts.record(project.store, name, before_name, before, after)
        except OSError:  # without a record it stays untrusted
            return


def _named(path: str) -> dict[str, object]:
    """Return the name of a file's text, as the cache stores it."""
    return {"name": name_of(files.read(path))}


def name_of(data: bytes) -> str:
    """Return the name of a text in the ledger: the SHA-256 of its bytes with Unix line ends, which git may change."""
    import hashlib

    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def _written_here(project: "Project", texts: dict[str, bytes]) -> set[str] | None:
    """Return the paths of those texts that a commit made here introduced; None when git cannot tell."""
    if not texts:
        return None
    from holdfast.trust import derived_texts, provenance

    origins, ledger = derived_texts.origins(project.store), _read(project.store)
    asked = {}
    for path, data in texts.items():
        name = name_of(data)
        if _last_sign(ledger, name) != UNTRUSTED or name in origins:
            asked[project.relative(path)] = provenance.Text(data, origins.get(name, ()))
    by_name = {project.relative(path): path for path in texts}

    def is_known(data: bytes) -> bool:
        return _last_sign(ledger, name_of(data)) in {WRITTEN, ACCEPTED}

    found = provenance.written_here(project, asked, derived_texts.added_lines(project.store), is_known)
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
            _begin(store)
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
    first = seal.of(store).encode()
    whole = [line for line in [first, *reversed(lines)] if line in {*kept, first}]
    files.write_private(_path(store), b"".join(line + b"\n" for line in whole))


def _read(store: str) -> bytes:
    """Return the ledger without its first line; b"" when there is none, or one that was not begun here."""
    first, _, rest = (files.read_or_none(_path(store)) or b"").partition(b"\n")
    return rest if first and first == seal.of(store).encode() else b""


def _begin(store: str) -> None:
    """Begin a new ledger unless there is one that was begun here."""
    first = (files.read_or_none(_path(store)) or b"").partition(b"\n")[0]
    if not first or first != seal.of(store).encode():
        files.write_private(_path(store), seal.begun(store).encode() + b"\n")


def _path(store: str) -> str:
    return store + "/accepted"

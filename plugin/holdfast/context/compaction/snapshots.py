"""Snapshots: a state file and the measured facts at the start of a compaction, and the summary that followed.

Each is a folder of plain files, `snapshots/<session>/<time>/` in the store: `facts.json`; `state.md` with the bytes of
the state file, if there was one; `summary.md` when there is a summary; and `brought.json` when the compaction took
place, with what the summary omitted.
"""

import os
from collections.abc import Callable

from holdfast.context.compaction.must_keep import MustKeep, of_row
from holdfast.core import clock, fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of
from holdfast.trust import clone, safe

MOST = 10  # that are kept of a session
_FOLDER = "/snapshots/"
_FACTS, _STATE, _SUMMARY, _OMISSIONS = "facts.json", "state.md", "summary.md", "brought.json"
_TRIGGERS = ("auto", "manual")

Facts = dict[str, object]


class Snapshot:
    """One snapshot, read from its folder; missing or broken parts are empty."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(folder)
        self.session = os.path.basename(os.path.dirname(folder))
        self.facts = fast_json.read_object(f"{folder}/{_FACTS}")
        self.at = number_of(self.facts, "at")
        self.trigger, self.path, self.severity = (text_of(self.facts, key) for key in ("trigger", "path", "severity"))
        self.must_keep = _kept(self.facts, "given")
        self._seal = text_of(self.facts, "seal")

    @property
    def short(self) -> str:
        """A short unique name: the beginning of the session's id, and the time."""
        return f"{self.session[:8]}/{self.name}"

    @property
    def made_here(self) -> bool:
        """Whether this store made it: another one's, from an archive, may say anything."""
        store = self.folder.rpartition(f"{_FOLDER}{self.session}/")[0]
        return bool(self._seal) and self._seal == clone.seal_of(store)

    @property
    def state(self) -> bytes | None:
        """The bytes of the state file, None if the session had none."""
        return files.read_or_none(f"{self.folder}/{_STATE}")

    @property
    def summary(self) -> str:
        """The summary as the client gave it to hooks, with secrets masked; "" if there is none."""
        return (files.read_or_none(f"{self.folder}/{_SUMMARY}") or b"").decode("utf-8", "replace")

    @property
    def took_place(self) -> bool:
        """Whether the compaction took place; one that failed or was stopped leaves at most a summary."""
        return os.path.exists(f"{self.folder}/{_OMISSIONS}")

    @property
    def omissions(self) -> list[MustKeep]:
        """What the summary omitted."""
        return _kept(fast_json.read_object(f"{self.folder}/{_OMISSIONS}"), "left_out")

    def keep_summary(self, summary: str) -> None:
        """Store the summary; OSError from the system."""
        files.write_private(f"{self.folder}/{_SUMMARY}", summary.encode("utf-8", "replace"))

    def keep_omissions(self, omissions: list[MustKeep]) -> None:
        """Record that the compaction took place, and what its summary omitted; OSError from the system."""
        kept = fast_json.dumps({"left_out": [one.row() for one in omissions]})
        files.write_private(f"{self.folder}/{_OMISSIONS}", kept.encode())


def take(store: str, session: str, facts: "Facts", state: bytes | None, now: float) -> Snapshot:
    """Create a snapshot, complete or not at all; OSError if it cannot be stored.

    Of a session the newest ten are kept. Those of compactions that did not take place are removed first, because the
    client may try again at every request.
    """
    home = store + _FOLDER + session
    files.private_folder(home)
    aside = f"{home}/{files.TEMPORARY_PREFIX}{os.getpid()}.tmp"
    _remove(aside)
    os.mkdir(aside, 0o700)
    try:
        if state is not None:
            files.write_private(f"{aside}/{_STATE}", state)
        whole = {"at": round(now, 3), **facts, "seal": clone.sealed(store)}
        files.write_private(f"{aside}/{_FACTS}", fast_json.dumps(whole).encode())
        folder = _named(aside, f"{home}/{clock.write(now, clock.FILE_NAME)}")
    except BaseException:
        _remove(aside)
        raise
    snapshots = [one for one in of(store, session) if one.folder != folder]
    failed = [one for one in snapshots if one.trigger in _TRIGGERS and not one.took_place]
    for old in failed + [one for one in snapshots if one not in failed][MOST - 1 :]:
        _remove(old.folder)
    return Snapshot(folder)


def complete(store: str, session: str, name: str) -> None:
    """Copy the settled state file into the newest snapshot of a session.

    A compaction waits for its snapshot and not for a settle. Nothing is changed when another compaction began since, or
    when this one took place already.
    """
    snapshots = of(store, session)
    if not snapshots or snapshots[0].name != name or snapshots[0].took_place or snapshots[0].state is None:
        return
    state = files.read_or_none(snapshots[0].path)
    if state is not None and state != snapshots[0].state:
        files.write_private(f"{snapshots[0].folder}/{_STATE}", state)


def _named(aside: str, path: str) -> str:
    """Rename a folder, with a number if the name is taken, and return its path."""
    for folder in files.numbered(path):
        try:
            os.rename(aside, folder)  # it fails if the target folder is not empty
        except OSError:
            if not os.path.isdir(folder):
                raise
        else:
            break
    return folder


def _remove(folder: str) -> None:
    """Remove a snapshot, which is a folder of files; what cannot be removed stays."""
    try:
        for name in os.listdir(folder):
            os.unlink(f"{folder}/{name}")
        os.rmdir(folder)
    except OSError:  # shutil would need five times as long to be imported as this takes
        return


def remove(one: Snapshot) -> bool:
    """Remove a snapshot; return whether it is gone."""
    _remove(one.folder)
    return not os.path.lexists(one.folder)


def holds(one: Snapshot, fits: "Callable[[str], bool]") -> bool:
    """Whether the text of any file of a snapshot fits."""
    data = (files.read_or_none(f"{one.folder}/{name}") or b"" for name in (_FACTS, _STATE, _SUMMARY, _OMISSIONS))
    return any(fits(text.decode("utf-8", "replace")) for text in data)


def of(store: str, session: str) -> list[Snapshot]:
    """Return the snapshots of a session, newest first."""
    home = store + _FOLDER + session
    return sorted(map(Snapshot, _folders(home)), key=_order, reverse=True)


def everyone(store: str) -> list[Snapshot]:
    """Return the snapshots of all sessions, newest first."""
    snapshots = [Snapshot(folder) for home in _folders(store + _FOLDER[:-1]) for folder in _folders(home)]
    return sorted(snapshots, key=_order, reverse=True)


def _order(one: Snapshot) -> "tuple[float, int, str]":
    return one.at, len(one.name), one.name


def newest(store: str, session: str) -> Snapshot | None:
    """Return the newest snapshot of a session that a compaction made, None for none."""
    return next((one for one in of(store, session) if one.trigger in _TRIGGERS), None)


def named(store: str, name: str) -> Snapshot:
    """Return the snapshot whose name, or session and name, begins like this; HoldfastError names the candidates."""
    known = everyone(store)
    exact = [one for one in known if name in (one.name, f"{one.session}/{one.name}", one.short)]
    snapshots = exact or [one for one in known if f"{one.session}/{one.name}".startswith(name)]
    snapshots = snapshots or [one for one in known if one.name.startswith(name)]
    if len(snapshots) == 1:
        return snapshots[0]
    quoted = repr(safe.line(name, 80))
    problem = f"several snapshots begin with {quoted}" if snapshots else f"no snapshot is called {quoted}"
    candidates = ", ".join(one.short for one in (snapshots or known)[:6]) or "none"
    raise HoldfastError(f"{problem}. Known: {candidates}. Type: holdfast snapshots")


def _folders(home: str) -> list[str]:
    """Return the folders in a folder, without temporary ones."""
    try:
        paths = [entry.path for entry in os.scandir(home) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [path for path in paths if not os.path.basename(path).startswith(".")]


def _kept(facts: "Facts", key: str) -> list[MustKeep]:
    """Return the things that the rows under a key describe."""
    return [one for one in map(of_row, fast_json.list_of(facts, key)) if one]

"""Snapshots: what a state file said and what was measured when a compaction began, and the summary that it led to.

Each is a folder of plain files, `snapshots/<session>/<when>/` beside the journals: `facts.json`, `state.md` with the
file's own bytes where there was one, `summary.md` once there is a summary, and `brought.json` once the compaction took
place: what the summary left out, and Claude was told of.
"""

import os
import shutil

from holdfast import clock, codec, files, text
from holdfast.compaction.given import Given, of_row
from holdfast.errors import HoldfastError
from holdfast.session import number_of, text_of

MOST = 10  # that are kept of a session
_FOLDER = "/snapshots/"
_FACTS, _STATE, _SUMMARY, _BROUGHT = "facts.json", "state.md", "summary.md", "brought.json"
_TRIGGERS = ("auto", "manual")

TYPE_CHECKING = False
if TYPE_CHECKING:
    Facts = dict[str, object]


class Snapshot:
    """One snapshot by what its folder holds; what is missing or broken there is empty here."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.name = os.path.basename(folder)
        self.session = os.path.basename(os.path.dirname(folder))
        self.facts = _object(f"{folder}/{_FACTS}")
        self.at = number_of(self.facts, "at")
        self.trigger, self.path, self.severity = (text_of(self.facts, key) for key in ("trigger", "path", "severity"))
        self.given = _rows(self.facts.get("given"))

    @property
    def short(self) -> str:
        """How it is told from those of other sessions."""
        return f"{self.session[:8]}/{self.name}"

    @property
    def state(self) -> bytes | None:
        """The bytes of the state file, None where the session had none."""
        return _read(f"{self.folder}/{_STATE}")

    @property
    def summary(self) -> str:
        """The summary as the client handed it to hooks, secrets masked; "" where there is none."""
        return (_read(f"{self.folder}/{_SUMMARY}") or b"").decode("utf-8", "replace")

    @property
    def over(self) -> bool:
        """Whether its compaction took place: one that was stopped, or failed, leaves a summary at the most."""
        return os.path.exists(f"{self.folder}/{_BROUGHT}")

    @property
    def brought(self) -> list[Given]:
        """What the summary left out."""
        return _rows(_object(f"{self.folder}/{_BROUGHT}").get("left_out"))

    def keep_summary(self, summary: str) -> None:
        """Put the summary beside what it was made of; OSError as the system gives it."""
        files.write_atomic(f"{self.folder}/{_SUMMARY}", summary.encode("utf-8", "replace"))

    def keep_brought(self, left_out: list[Given]) -> None:
        """Note that the compaction took place, and what its summary left out; OSError as the system gives it."""
        kept = codec.dumps({"left_out": [one.row() for one in left_out]})
        files.write_atomic(f"{self.folder}/{_BROUGHT}", kept.encode())


def take(store: str, session: str, facts: "Facts", state: bytes | None, now: float) -> Snapshot:
    """Make a snapshot, whole or not at all; OSError when it cannot be kept.

    The oldest beyond ten go, and those of compactions that did not take place: the client tries anew at every request.
    """
    home = store + _FOLDER + session
    os.makedirs(home, exist_ok=True)
    aside = f"{home}/{files.ASIDE}{os.getpid()}.tmp"
    shutil.rmtree(aside, ignore_errors=True)
    os.mkdir(aside, 0o700)
    try:
        if state is not None:
            files.write_atomic(f"{aside}/{_STATE}", state)
        files.write_atomic(f"{aside}/{_FACTS}", codec.dumps({"at": round(now, 3), **facts}).encode())
        folder = _named(aside, f"{home}/{clock.write(now, clock.FILE_NAME)}")
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    known = [one for one in of(store, session) if one.folder != folder]
    failed = [one for one in known if one.trigger in _TRIGGERS and not one.over]
    for old in failed + [one for one in known if one not in failed][MOST - 1 :]:
        shutil.rmtree(old.folder, ignore_errors=True)
    return Snapshot(folder)


def _named(aside: str, wanted: str) -> str:
    """Give a folder its name, numbered where that is taken, and return it."""
    number = 1
    while True:
        folder = wanted if number == 1 else f"{wanted}-{number}"
        try:
            os.rename(aside, folder)  # onto a folder that holds anything it fails
        except OSError:
            if not os.path.isdir(folder):
                raise
            number += 1
        else:
            return folder


def of(store: str, session: str) -> list[Snapshot]:
    """Return the snapshots of a session, the newest first."""
    home = store + _FOLDER + session
    return sorted(map(Snapshot, _folders(home)), key=_order, reverse=True)


def everyone(store: str) -> list[Snapshot]:
    """Return the snapshots of all sessions, the newest first."""
    found = [Snapshot(folder) for home in _folders(store + _FOLDER[:-1]) for folder in _folders(home)]
    return sorted(found, key=_order, reverse=True)


def _order(one: Snapshot) -> "tuple[float, int, str]":
    return one.at, len(one.name), one.name


def newest(store: str, session: str) -> Snapshot | None:
    """Return the newest snapshot that a compaction of a session began with, None where there is none."""
    return next((one for one in of(store, session) if one.trigger in _TRIGGERS), None)


def named(store: str, wanted: str) -> Snapshot:
    """Return the one snapshot whose name, or session and name, begin so; HoldfastError names the candidates."""
    known = everyone(store)
    exact = [one for one in known if wanted in (one.name, f"{one.session}/{one.name}", one.short)]
    found = exact or [one for one in known if f"{one.session}/{one.name}".startswith(wanted)]
    found = found or [one for one in known if one.name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    said = repr(text.line(wanted, 80))
    problem = f"several snapshots begin with {said}" if found else f"no snapshot is called {said}"
    candidates = ", ".join(one.short for one in (found or known)[:6]) or "none"
    raise HoldfastError(f"{problem}. Known: {candidates}. Type: holdfast snapshots")


def _folders(home: str) -> list[str]:
    """Return the folders in a folder, without what is being made."""
    try:
        found = [entry.path for entry in os.scandir(home) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [path for path in found if not os.path.basename(path).startswith(".")]


def _object(path: str) -> "Facts":
    """Return the object in a file, an empty one where there is none."""
    try:
        known = codec.loads(files.read(path))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _rows(value: object) -> list[Given]:
    """Return what was given, of its rows."""
    return [one for one in map(of_row, value if isinstance(value, list) else []) if one]


def _read(path: str) -> bytes | None:
    try:
        return files.read(path)
    except OSError:
        return None

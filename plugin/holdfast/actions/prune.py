"""Prune the journals of sessions that were over long ago: each shrinks to what its summary needs."""

import os
from dataclasses import dataclass

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.editing import store
from holdfast.journal import checkouts, log
from holdfast.journal.folding import fold
from holdfast.journal.kinds import KINDS
from holdfast.journal.session import Group, Recorded
from holdfast.sessions import resume
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from holdfast.journal.log import Fact

_DAY = 86_400
_WORTH = 2048  # bytes; a smaller journal stays as it is
_END = 256  # bytes that show whether a journal was pruned before
_STAMP = "/pruned"  # its time is that of the latest automatic pruning


@dataclass(slots=True, frozen=True)
class Pruned:
    """A journal that was pruned, or would be: the session's id, and its bytes before and after."""

    ident: str
    before: int
    after: int

    def row(self) -> "dict[str, object]":
        """Return it as JSON values."""
        return {"id": self.ident, "before": self.before, "after": self.after}


def prune(
    workspace: Workspace, shown: "Callable[[list[str]], Iterable[str]]" = iter, *, dry: bool = False
) -> list[Pruned]:
    """Prune the journals that are due, and return them with their sizes as read back; with `dry` nothing is written.

    `shown` shows the progress. HoldfastError or OSError if the lock is held or a journal cannot be replaced.
    """
    days, project = workspace.settings.keep_days, workspace.project
    if not days or not project.store:
        return []
    due = [ident for ident in log.sessions(project.store) if _is_due(workspace, ident, workspace.now - days * _DAY)]
    pruned = [_pruned(workspace, ident, dry=dry) for ident in shown(due)]
    return [one for one in pruned if one]


def daily(workspace: Workspace) -> list[Pruned]:
    """Prune if that was last done more than a day ago. A journal that cannot be replaced stops it for that day."""
    stamp = workspace.project.store + _STAMP
    try:
        if os.stat(stamp).st_mtime > workspace.now - _DAY:
            return []
    except OSError:
        pass
    try:
        files.write_private(stamp, b"", durable=False)
        _forget_killed(workspace)
        workspace.cache.tidy()
        return prune(workspace)
    except (HoldfastError, OSError):
        return []


def _forget_killed(workspace: Workspace) -> None:
    """Remove the record of the checked-out branch for each session that was killed."""
    store = workspace.project.store
    for ident in checkouts.sessions(store):
        session = workspace.session(ident)
        if session is None or not session.live:
            checkouts.forget(store, ident)


def _is_due(workspace: Workspace, ident: str, before: float) -> bool:
    """Return whether a session was over before a time, has nothing to resume, and was not pruned since."""
    path = log.path_of(workspace.project.store, ident)
    try:
        status = os.stat(path)
        if status.st_mtime >= before or status.st_size < _WORTH or is_shrunk(files.tail(path, _END)):
            return False
    except OSError:
        return False
    session = workspace.session(ident)
    if session is None or session.live or session.settling.unsettled or resume.resumable([session]):
        return False
    return max(session.ended, session.last_active) < before


def _pruned(workspace: Workspace, ident: str, *, dry: bool) -> Pruned | None:
    """Prune one journal; None if that gains nothing, or if it was written to meanwhile."""
    path = log.path_of(workspace.project.store, ident)
    status = os.stat(path)
    data = files.read(path, files.OWN_LIMIT)
    facts = log.facts_in(data)
    kept = shrunk(facts)
    if len(kept) == len(facts) or len(data) != status.st_size:
        return None
    text = b"".join(log.line(fact) + b"\n" for fact in kept)
    if dry:
        return Pruned(ident, len(data), len(text))
    with store.writing(workspace.project):
        if not files.write_atomic(path, text, unchanged_since=status):
            return None
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # it still tells when the session was last active
    return Pruned(ident, len(data), os.stat(path).st_size)


KIND = "pruned"  # the last fact of a shrunk journal
_MARK = b'"kind": "pruned"'
# Attributes of a session that count facts, or list each prompt: only what is still to be settled needs them.
_COUNTING = frozenset(("count", "last", "settled", "changed", "pending", "times", "news"))


def is_shrunk(end: bytes) -> bool:
    """Return whether a journal with these last bytes was shrunk, and has no fact since."""
    return _MARK in end.rstrip().rpartition(b"\n")[2]


def shrunk(facts: "Sequence[Fact]") -> "list[Fact]":
    """Return the facts that make the same session, but for the times of its prompts; all facts if fewer would not.

    The session is settled: no fact of it is still to be written into its state file.
    """
    whole = _session(facts)
    request = next((at for at, fact in enumerate(facts) if _is_prompt(fact, whole.talk.request)), -1)
    last = {key: at for at, fact in enumerate(facts) if (key := _key(fact)) is not None}
    first = {key: at for at, fact in [*enumerate(facts)][::-1] if (key := _key(fact)) is not None}
    ends = {*first.values(), *last.values(), request}
    apart = {at for at, fact in enumerate(facts) if _kept(fact) in ("all", "bare")}
    kept = [facts[at] for at in sorted(ends | apart) if at >= 0]
    kept = [_without_text(fact) if _kept(fact) == "bare" else fact for fact in kept]
    if not kept:
        return [*facts]
    settled: Fact = {"at": kept[-1]["at"], "kind": "settled", "facts": len(kept) + 2}
    pruned: Fact = {"at": kept[-1]["at"], "kind": KIND}
    kept += [settled, pruned]
    return kept if not whole.settling.unsettled and _known(_session(kept)) == _known(whole) else [*facts]


def _key(fact: "Fact") -> "Hashable":
    """Return what a fact shares with those of which only the first and the last are kept; None for no such fact."""
    keys = _kept(fact)
    return (fact["kind"], repr([fact.get(key) for key in keys])) if isinstance(keys, tuple) else None


def _kept(fact: "Fact") -> "str | tuple[str, ...]":
    """Return what is kept of facts of this kind, as `journal.kinds` says; "none" for an unknown kind."""
    kind = KINDS.get(fact["kind"])
    return kind.kept if kind else "none"


def _is_prompt(fact: "Fact", text: str) -> bool:
    return fact["kind"] == "prompt" and text_of(fact, "text") == text


def _without_text(fact: "Fact") -> "Fact":
    return {"at": fact["at"], "kind": fact["kind"]}


def _session(facts: "Sequence[Fact]") -> Recorded:
    return fold(Recorded(""), facts)


def _known(group: Group) -> dict[str, object]:
    """Return what is known of a session, or a group of it, in the order of its files, without what counts facts."""
    return {name: _in_order(value) for name, value in vars(group).items() if name not in _COUNTING}


def _in_order(value: object) -> object:
    """Return a value to compare, of dictionaries also the order."""
    if isinstance(value, Group):
        return _known(value)
    return [(key, _in_order(each)) for key, each in value.items()] if isinstance(value, dict) else value

"""What a soak lost, doubled, turned round or touched: the log of what was acknowledged against what is there."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from . import check_documents, check_hub, check_journals, check_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .acts import Log
    from .seen import Seen

LAST = "epilogue"  # who comes when all others are gone, and is refused nothing
# Where the lock was not to be had, or a person saved all the time, nothing was written, and the next settle did it.
BUSY = ("has been held by another process", "kept changing")


def findings(log: Log, seen: Seen) -> list[str]:
    """Return everything that is not as it was acknowledged, one line each; nothing for a project that lost nothing."""
    parts = (
        _processes(log),
        check_journals.look(log, seen),
        check_documents.look(log, seen),
        check_steps.look(log, seen),
        check_hub.look(log, seen),
    )
    return [*itertools.chain(*parts, _remains(seen))]


def _processes(log: Log) -> Iterator[str]:
    """Yield what ended as nothing may: a hook that fails, a command that is at fault itself, what never ends."""
    for act in log.acts:
        refused = act.code == 1 and act.kind != "fact" and not act.actor.startswith(LAST)
        if not (act.done or act.cut or refused):
            yield f"{act.actor}: {act.stated or act.kind} ended with {act.code}: {act.err}"
        elif act.kind == "fact" and act.err:
            yield f"{act.actor}: the hook of {act.stated} complained: {act.err}"


def _remains(seen: Seen) -> Iterator[str]:
    """Yield what killed writers left behind, what was logged, and what doctor and validate are not content with."""
    yield from (f"left behind: {name}" for name in seen.left)
    yield from (f"logged: {line}" for line in seen.log if not any(stated in line for stated in BUSY))
    yield from (f"doctor: {line}" for line in seen.doctor if not line.startswith("errors"))
    yield from (f"validate: {line}" for line in seen.invalid)

"""The result of the check of a hub, as lines and as JSON."""

from holdfast.core.statuses import OVER
from holdfast.hub.validation import Validation
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class FlawRow(TypedDict):
        """A flaw in JSON; `mends` is the name that `fixable` has there."""

        line: int
        what: str
        mends: bool

    class Row(TypedDict):
        """The result in JSON."""

        path: str
        valid: bool
        entries: int
        flaws: list[FlawRow]


def lines(found: Validation, name: str) -> list[str]:
    """Return the result as lines: each flaw, or that the hub is valid."""
    going = sum(not one.history and one.entry.category not in OVER for one in found.entries)
    count = f"{len(found.entries)} entr{'y' if len(found.entries) == 1 else 'ies'}, {going} of them open"
    if not found.flaws:
        return [f"✓ {name} is valid: {count}"]
    fixable = sum(flaw.fixable for flaw in found.flaws)
    each = [f"{name}:{flaw.line}: {safe.line(flaw.what, 400)}" for flaw in found.flaws]
    more = f"; `holdfast validate --fix` fixes {fixable} of them" if fixable else ""
    return [*each, f"✗ {len(each)} {'problem' if len(each) == 1 else 'problems'} in {count}{more}"]


def row(found: Validation, name: str) -> "Row":
    """Return the result as the JSON object that `holdfast validate` prints."""
    flaws: list[FlawRow] = [{"line": one.line, "what": one.what, "mends": one.fixable} for one in found.flaws]
    return {"path": name, "valid": not flaws, "entries": len(found.entries), "flaws": flaws}

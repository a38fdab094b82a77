"""The result of the check of a hub, as lines and as JSON."""

from holdfast.core.statuses import OVER
from holdfast.hub.validation import Validation
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Row(TypedDict):
        """The result in JSON."""

        path: str
        valid: bool
        entries: int
        findings: list[dict[str, object]]


def lines(found: Validation, name: str) -> list[str]:
    """Return the result as lines: each flaw, or that the hub is valid."""
    going = sum(not one.history and one.entry.category not in OVER for one in found.entries)
    count = f"{len(found.entries)} entr{'y' if len(found.entries) == 1 else 'ies'}, {going} of them open"
    if not found.flaws:
        return [f"✓ {name} is valid: {count}"]
    fixable = sum(bool(flaw.remedy) for flaw in found.flaws)
    each = [f"{name}:{flaw.line}: {safe.line(flaw.words, 400)}" for flaw in found.flaws]
    more = f"; `holdfast validate --fix` fixes {fixable} of them" if fixable else ""
    return [*each, f"✗ {len(each)} {'problem' if len(each) == 1 else 'problems'} in {count}{more}"]


def row(found: Validation, name: str) -> "Row":
    """Return the result as the JSON object that `holdfast validate` prints."""
    rows = [{**one.row(), "path": name} for one in found.flaws]
    return {"path": name, "valid": not rows, "entries": len(found.entries), "findings": rows}

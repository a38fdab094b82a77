"""One thing that an audit finds."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Finding:
    """One finding: its kind, its 1-based line (0 for none), the place it is about, and what is wrong there."""

    kind: str
    line: int
    what: str
    why: str


def contradictory(line: int, what: str, why: str) -> Finding:
    """Return a finding about a place that contradicts another, or itself."""
    return Finding("contradictory", line, what, why)

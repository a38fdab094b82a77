"""One thing that an audit finds."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Finding:
    """One finding: its kind, its 1-based line (0 for none), the place it is about, and what is wrong there."""

    kind: str
    line: int
    what: str
    why: str

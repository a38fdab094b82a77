"""The result of one check of `holdfast doctor`."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class CheckResult:
    """The result of one check: its name, what was found, and what to do about it, "" when nothing is wrong."""

    check: str
    found: str
    remedy: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.remedy

    def row(self) -> dict[str, object]:
        """Return the JSON object for the result."""
        return {"check": self.check, "ok": self.ok, "found": self.found, "remedy": self.remedy}

    def lines(self) -> list[str]:
        """Return the result as lines of text."""
        return [
            f"{'✓' if self.ok else '✗'} {self.check}: {self.found}",
            *([f"    → {self.remedy}"] if self.remedy else []),
        ]

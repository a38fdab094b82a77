"""One thing that a check found: the audit, the check of a hub, drift, the checklist and doctor all return these."""

ERROR, WARNING, NOTE, OK = "error", "warning", "note", "ok"


class Finding:
    """What was found, where, how bad it is, and what to type next.

    - kind: the word of the check for it, such as "missing" or "files". what: the thing that it is about, such as a
      field, an entry or a folder. why: what is wrong there.
    - path, line: the file, "" for none, and its 1-based line, 0 for none.
    - level: ERROR, WARNING, NOTE (nothing has to be done), or OK (it was looked at, and nothing is wrong).
    - remedy: what to type or to do next, "" for nothing.
    """

    # No dataclass: hooks import this module.
    __slots__ = ("kind", "level", "line", "path", "remedy", "what", "why")

    def __init__(  # noqa: PLR0913 - one argument for each attribute
        self,
        kind: str,
        line: int,
        what: str,
        why: str,
        *,
        path: str = "",
        level: str = ERROR,
        remedy: str = "",
    ) -> None:
        self.kind, self.what, self.why = kind, what, why
        self.path, self.line = path, line
        self.level, self.remedy = level, remedy

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong or open."""
        return self.level == OK

    @property
    def words(self) -> str:
        """The thing and what is wrong with it, as one text."""
        return ": ".join(part for part in (self.what, self.why) if part)

    def row(self) -> "dict[str, object]":
        """Return the finding as JSON values."""
        return {name: getattr(self, name) for name in ("kind", "what", "why", "path", "line", "level", "remedy")}


def contradictory(line: int, what: str, why: str) -> Finding:
    """Return a finding about a place that contradicts another, or itself."""
    return Finding("contradictory", line, what, why)


def result(what: str, why: str, remedy: str = "", *, level: str = "") -> Finding:
    """Return the result of one check, which is an error if there is a remedy for it."""
    return Finding("check", 0, what, why, level=level or (ERROR if remedy else OK), remedy=remedy)

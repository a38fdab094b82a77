"""One thing that an audit finds."""


class Finding:
    """One thing that is wrong: its 1-based line (0 for none), what it is about, and what is wrong with it."""

    __slots__ = ("kind", "line", "what", "why")

    def __init__(self, kind: str, line: int, what: str, why: str) -> None:
        self.kind = kind
        self.line = line
        self.what = what
        self.why = why

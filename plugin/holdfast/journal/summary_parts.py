"""The parts of a compaction's summary that the next session needs, as lines: each is a label, a colon and a text.

A start loads this, and not the patterns by which a summary is read.
"""

# Labels of the `<state>` block.
OBJECTIVE, DECISION, DEAD_END, NEXT, QUESTION, PREFERENCE = (
    *("objective", "decision", "dead end", "next", "question", "preference"),
)
# Labels of the numbered sections: the request, pending tasks, what is done now, the next step, errors and problems.
REQUEST, PENDING, CURRENT, STEP, FIX = "request", "pending", "current", "next step", "fix"
LASTING = (DECISION, DEAD_END, PREFERENCE, FIX)  # what a later summary does not replace
STATED = (OBJECTIVE, DECISION, DEAD_END, NEXT, QUESTION, PREFERENCE)
SECTIONS = {1: REQUEST, 4: FIX, 5: FIX, 7: PENDING, 8: CURRENT, 9: STEP}


def parts(text: str) -> dict[str, list[str]]:
    """Return the texts by label that these lines have."""
    by_heading: dict[str, list[str]] = {}
    for line in text.splitlines():
        label, colon, rest = line.partition(": ")
        if colon and label in {*STATED, *SECTIONS.values()}:
            by_heading.setdefault(label, []).append(rest)
    return by_heading

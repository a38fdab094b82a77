"""The shape of a state file's summary: what lists, briefs and hand-overs say of it. For type checkers only."""

from typing import TypedDict


class Summary(TypedDict, total=False):
    """A state file, or one entry of the hub, in the words of listing and briefing; all values fit into JSON.

    Texts are "" and lists are empty where nothing is filled in. `created` and `updated` are seconds since 1970 (UTC),
    0.0 for none. `category` is a word of `core.statuses`, or "". `body` is the offset of the text after the
    frontmatter, `line` the 1-based line on which an entry begins. A summary that comes from a cache may be {}.
    """

    format: str
    reason: str  # why the file has this format, or none
    problem: str  # why it must not be written
    orphaned: bool  # of an entry: whether its parent is over or not there, as far as that was looked at
    shared: bool  # whether several sessions share it
    body: int
    ids: list[str]
    title: str
    status: str
    category: str
    own_words: str  # the status, where it says more than its category
    type: str
    focus: str
    objective: str
    progress: str
    phase: str
    current: str
    next: list[str]
    questions: list[str]
    decisions: list[str]
    blockers: list[str]
    artifacts: list[str]
    open: list[str]  # only of a hand-over: what boxes and tables say is to be done
    done: list[str]
    agents: list[dict[str, str]]
    entries: "list[Summary]"
    created: float
    updated: float
    untrusted: bool  # its text may come from elsewhere and was not accepted here: texts are ""
    # Only of an entry in a hub.
    id: str
    files: list[str]
    line: int

"""The shapes of the corpus: each makes a file of a story in one of the ways in which people lay such files out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.corpus.stories import STORIES, Story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ALL = ("title", "status", "next", "decisions", "blockers")
Made = "Callable[[Story, int], str]"


@dataclass(frozen=True)
class Shape:
    """One layout: where its files are, how they are made, what a person reads there, and what may be edited."""

    name: str
    paths: tuple[str, ...]
    made: Callable[[Story, int], str]
    has: tuple[str, ...] = ALL
    edits: tuple[str, ...] = ("status", "next", "decisions", "blockers")
    category: str = ""  # where it is not that of the story's status


@dataclass(frozen=True)
class File:
    """One file of the corpus."""

    name: str
    path: str
    data: bytes
    story: Story
    shape: Shape
    number: int

    def reported(self, **changes: object) -> bytes:
        """Return the bytes of the same file for a story with other values."""
        return _bytes(self.shape.made(replace(self.story, **changes), self.number), self.number, self.shape)  # type: ignore[arg-type]


def files() -> Iterator[File]:
    """Yield the files: each shape for each story."""
    for shape in SHAPES:
        for number, story in enumerate(STORIES):
            path = shape.paths[number % len(shape.paths)]
            data = _bytes(shape.made(story, number), number, shape)
            yield File(f"{shape.name} {number}", path, data, story, shape, number)


def _bytes(text: str, number: int, shape: Shape) -> bytes:
    """Return a file's bytes: some without a final newline, some with Windows line ends."""
    data = text.encode()
    if (number + len(shape.name)) % 3 == 0:
        data = data.rstrip(b"\n")
    return data.replace(b"\n", b"\r\n") if (number + len(shape.name)) % 7 == 0 else data


def _items(texts: list[str], mark: str = "- ") -> str:
    return "".join(f"{mark}{text}\n" for text in texts)


def _numbered(texts: list[str]) -> str:
    return "".join(f"{number}. {text}\n" for number, text in enumerate(texts, 1))


def _of(words: tuple[str, ...], number: int) -> str:
    return words[number % len(words)]


STATE = (
    "Current State",
    "Where We Are",
    "Current Status",
    "In Progress",
    "Where We Left Off",
    "Work in Progress",
    "Summary",
)
NEXT = ("Next Steps", "What's Next", "TODO", "Next Actions", "Remaining Work", "Pending", "Up Next", "Pick Up Here")
CHOSEN = ("Decisions", "Key Decisions", "Decisions Made", "Technical Decisions", "Decision Log")
STUCK = ("Blockers", "Known Issues", "Blocked", "Waiting On", "Risks", "Open Issues")
STATES = (
    *("SESSION_STATE.md", "session-state.md", ".claude/session-state.md", "docs/SESSION_STATE.md"),
    *(".context/session-state.md", "docs/session_state.md", ".context/SESSION_STATE.md", ".claude/SESSION-STATE.md"),
)


def _generic(
    shift: int, head: str, *, mark: str = "", number: str = "", behind: str = ""
) -> Callable[[Story, int], str]:
    """Return a layout of sections under headings of some of the words for them."""

    def made(story: Story, at: int) -> str:
        at += shift
        rows = [
            (_of(STATE, at), story.state + "\n"),
            (_of(NEXT, at), _items(story.next, mark or "- ")),
            (_of(CHOSEN, at), _items(story.decisions, "* ")),
            (_of(STUCK, at), _items(story.blockers)),
        ]
        text = head.format(title=story.title, status=story.status, day=story.day)
        for place, (title, body) in enumerate(rows, 1):
            text += f"\n## {number.format(place)}{title}{behind}\n\n{body}"
        return text

    return made


def _flat(story: Story, _at: int) -> str:
    return (
        f"---\nstatus: {story.status}\nlast_updated: {story.day}\n---\n\n# {story.title}\n\n## Context\n\n"
        f"Why it is done.\n\n"
        f"## Current State\n\n{story.state}\n\n## Next Steps\n\n{_items(story.next)}"
    )


def _flat_titled(story: Story, _at: int) -> str:
    return (
        f'---\ntitle: "{story.title}"\nstatus: {story.status}  # by hand\n'
        f"last_updated: {story.day}T10:00:00+0200\nnote: null\n---\n\n"
        f"# Session: {story.title}\n\n## Context\n\nWhy.\n\n## Current State\n\n{story.state}\n\n## Next Steps\n\n"
        f"{_numbered(story.next)}\n## Decisions\n\n{_items(story.decisions)}\n## Blockers\n\n{_items(story.blockers)}"
    )


def _continue_headings(story: Story, _at: int) -> str:
    return (
        f"---\nphase: {story.title}\nstatus: {story.status}\nlast_updated: {story.day}\n---\n\n## Context\n\nWhy.\n\n"
        f"## Current State\n\n{story.state}\n\n## Next Steps\n\n{_items(story.next)}"
    )


def _continue_tags(story: Story, _at: int) -> str:
    return (
        f"---\nphase: {story.title}\ntask: 2\ntotal_tasks: 5\nstatus: {story.status}\n"
        f"last_updated: {story.day}\n---\n\n"
        f"<current_state>\n{story.state}\n</current_state>\n\n"
        f"<decisions_made>\n{_items(story.decisions)}</decisions_made>\n\n"
        f"<blockers>\n{_items(story.blockers)}</blockers>\n\n<next_action>\n{_items(story.next)}</next_action>\n"
    )


def _bold_items(story: Story, at: int) -> str:
    labels = ("Parser", "Tests", "Docs", "Later")
    listed = "".join(f"- **{labels[place % 4]}**: {text}\n" for place, text in enumerate(story.next[:1]))
    listed += _items(story.next[1:])
    chosen = "".join(f"- **{labels[place % 4]}:** {text}\n" for place, text in enumerate(story.decisions[:1]))
    return (
        f"# Session State: {story.title}\n\n**Status:** {story.status}\n\n## {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at + 2)}\n\n{listed}\n## {_of(CHOSEN, at)}\n\n{chosen}{_items(story.decisions[1:])}"
    )


def _subheadings(story: Story, at: int) -> str:
    first, *rest = story.next
    later = f"### Later\n\n{_items(rest)}\n" if rest else ""
    return (
        f"# {story.title}\n\nStatus: {story.status}\n\n## {_of(STATE, at + 1)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at)}\n\n"
        f"### High Priority\n\n- {first}\n\n{later}## {_of(STUCK, at)}\n\n{_items(story.blockers)}"
    )


def _one_subheading(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n**Status**: {story.status}\n\n## {_of(STATE, at + 2)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at + 1)}\n\n"
        f"### This Week\n\n{_items(story.next, '- [ ] ')}\n## Notes\n\nNothing else.\n"
    )


def _rows(story: Story, at: int) -> str:
    rows = "".join(
        f"| {place} | {text.replace('|', chr(92) + '|')} |  |\n" for place, text in enumerate(story.decisions, 1)
    )
    return (
        f"# Session State - {story.title}\n\n**Status:** {story.status}\n\n## {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at)}\n\n{_items(story.next)}\n## {_of(CHOSEN, at)}\n\n| # | Decision | Why |\n"
        f"|---|---|---|\n{rows}"
    )


def _nested_issue(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n**Status:** {story.status}\n\n## {_of(STATE, at)}\n\n{story.state}\n\n## Findings\n\n"
        f"### Bug in the cache\n\n**Status:** fixed\n**State:** closed\n\nIt was old.\n\n"
        f"## {_of(NEXT, at + 3)}\n\n{_items(story.next)}"
    )


def _only_issue(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n## {_of(STATE, at)}\n\n{story.state}\n\n## Findings\n\n### Bug in the cache\n\n"
        f"**Status:** fixed\n\n## {_of(NEXT, at + 1)}\n\n{_items(story.next)}"
    )


def _dated(story: Story, _at: int) -> str:
    return (
        f"# {story.title}\n\n## 2025-11-01\n\n**Status:** draft\n\nIt began.\n\n## {story.day}\n\n"
        f"**Status:** {story.status}\n\n"
        f"{story.state}\n\n## Next Steps\n\n{_items(story.next)}"
    )


def _dated_first(story: Story, _at: int) -> str:
    return (
        f"# {story.title}\n\n## Next Steps\n\n{_items(story.next)}\n## {story.day} - Second day\n\n"
        f"**Status:** {story.status}\n\n"
        f"{story.state}\n\n## 2025-11-01 - First day\n\n**Status:** draft\n\nIt began.\n"
    )


def _ended(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n**Session ended:** {story.day} 17:00\n\n## {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at)}\n\n{_items(story.next)}"
    )


def _all_finished(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n**Status:** All phases finished\n\n## {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at)}\n\n{_items(story.next)}"
    )


def _nothing(story: Story, at: int) -> str:
    answers = (
        "None. All reviews have passed",
        "No blockers - the tests pass",
        "*List what is in the way here*",
        "Example: the disk is full",
    )
    return (
        f"---\nstatus: {story.status}\ntitle: null\n---\n\n# {story.title}\n\n"
        f"## {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {_of(NEXT, at)}\n\n{_items(story.next)}\n## {_of(STUCK, at)}\n\n- {answers[at % 4]}\n"
    )


def _and(story: Story, at: int) -> str:
    chosen = ("Decisions & Rationale", "Decisions and Rationale", "2. Decisions", "Decisions from Monday")
    ahead = ("Next Steps for Tomorrow", "3) Next Steps", "Next Steps (in order)", "Next Steps - March")
    stuck = ("Blockers & Risks", "Issues and Blockers", "Blockers: two", "Blockers as of today")
    return (
        f"# {story.title}\n\n**Status:** {story.status}\n\n## 1. {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## {ahead[at]}\n\n"
        f"{_numbered(story.next)}\n## {chosen[at]}\n\n{_items(story.decisions)}\n"
        f"## {stuck[at]}\n\n{_items(story.blockers)}"
    )


def _handoff(story: Story, at: int) -> str:
    head = ("Session Handoff: ", "Handoff: ", "Session Handoff - ", "Project Handoff: ")[at % 4]
    return (
        f"# {head}{story.title}\n\n**Date:** {story.day}\n**Status:** {story.status}\n\n"
        f"## Current State\n\n{story.state}\n\n"
        f"## Next Steps\n\n{_numbered(story.next)}\n## Key Decisions\n\n{_items(story.decisions)}\n"
        f"## Known Issues\n\n{_items(story.blockers)}"
    )


def _progress(story: Story, at: int) -> str:
    return (
        f"# Progress: {story.title}\n\nStatus: {story.status}\nUpdated: {story.day}\n\n## Completed\n\n"
        f"- [x] It began\n\n"
        f"## {_of(NEXT, at + 2)}\n\n{_items(story.next, '- [ ] ')}\n## Blockers\n\n{_items(story.blockers)}"
    )


def _day_log(story: Story, _at: int) -> str:
    return (
        f"# {story.title}\n\n## Session Log\n\n- {story.day} 09:10 It began\n"
        f"- {story.day} 11:30 It went on\n\n## Next Steps\n\n"
        f"{_items(story.next)}\n## Decisions\n\n{_items(story.decisions)}"
    )


def _gsd(story: Story, _at: int) -> str:
    return (
        f"---\ngsd_state_version: 1.0\nmilestone_name: {story.title}\nstatus: {story.status}\n---\n\n"
        f"# Project State\n\n"
        f"## Current Position\n\nPhase: 2 of 4\nPlan: 1 of 3\n\n## Accumulated Context\n\n"
        f"### Decisions\n\n{_items(story.decisions)}\n"
        f"### Blockers/Concerns\n\n{_items(story.blockers)}\n## Next Steps\n\n{_items(story.next)}\n"
        f"## Session Continuity\n\nLast session: {story.day}\nStopped at: Phase 2\n"
    )


def _bank(story: Story, _at: int) -> str:
    return (
        f"# Active Context\n\n**Status:** {story.status}\n\n## Current Focus\n\n{story.state}\n\n"
        f"## Recent Changes\n\n- It began\n\n"
        f"## Next Steps\n\n{_numbered(story.next)}\n"
        f"## Active Decisions and Considerations\n\n{_items(story.decisions)}"
    )


def _emoji(story: Story, at: int) -> str:
    return (
        f"# 📍 {story.title}\n\n**Status**: {story.status}\n\n## 🎯 {_of(STATE, at)}\n\n{story.state}\n\n"
        f"## ⏭️ {_of(NEXT, at)}\n\n"
        f"{_items(story.next)}\n## 🧭 **{_of(CHOSEN, at)}**\n\n{_items(story.decisions)}\n"
        f"## 🚧 {_of(STUCK, at)}\n\n{_items(story.blockers)}"
    )


def _fenced(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n**Status:** {story.status}\n\n````markdown\n## Next Steps\n\n- A template\n\n"
        f"**Status:** none\n````\n\n"
        f"## {_of(STATE, at)}\n\n{story.state}\n\n## Next Steps\n\n{_items(story.next)}"
    )


def _table_head(story: Story, at: int) -> str:
    return (
        f"# {story.title}\n\n| Field | Value |\n|---|---|\n| Date | {story.day} |\n| Status | {story.status} |\n\n"
        f"## {_of(STATE, at)}\n\n{story.state}\n\n## {_of(NEXT, at)}\n\n{_items(story.next, '+ ')}"
    )


HEAD = "# Session State: {title}\n\n**Last Updated:** {day}\n**Status:** {status}\n"
PLAIN = "# {title}\n\nStatus: {status}\nLast updated: {day}\n"
LISTED = "# Session: {title}\n\n- **Status:** {status}\n- **Date:** {day}\n"
FRONT = "---\nstatus: {status}\nupdated: {day}\n---\n\n# {title}\n"
SESSIONS = (".agents/sessions/20260302-090000-a.md", ".agents/sessions/importer/20260302-090000-a.md")
SOME = ("title", "status", "next")
SHAPES = (
    Shape("flat frontmatter", SESSIONS, _flat, SOME, ("status", "next")),
    Shape("flat frontmatter with a title", SESSIONS, _flat_titled),
    Shape("continue-here with headings", (".continue-here.md",), _continue_headings, SOME, ("status",)),
    Shape(
        "continue-here with tags",
        (".continue-here.md", ".planning/phases/2/.continue-here.md"),
        _continue_tags,
        edits=("status", "decisions", "blockers"),
    ),
    *(Shape(f"generic {shift}", STATES[shift:] + STATES[:shift], _generic(shift, HEAD)) for shift in range(0, 8, 2)),
    *(Shape(f"generic plain {shift}", STATES, _generic(shift, PLAIN)) for shift in range(1, 8, 3)),
    Shape("generic boxes", STATES, _generic(2, LISTED, mark="- [ ] ")),
    Shape("generic frontmatter", STATES, _generic(5, FRONT)),
    Shape("generic numbers", STATES, _generic(3, HEAD, number="{}. ")),
    Shape("generic remarks", STATES, _generic(4, PLAIN, behind=" (today)")),
    Shape("items with bold labels", STATES, _bold_items, ("title", "status"), ("status", "next", "decisions")),
    Shape(
        "items under subheadings", STATES, _subheadings, ("title", "status", "next", "blockers"), ("status", "blockers")
    ),
    Shape("items under one subheading", STATES, _one_subheading, SOME, ("status", "next")),
    Shape("a table of decisions", STATES, _rows, SOME, ("status", "next", "decisions")),
    Shape("the status of an issue too", STATES, _nested_issue, SOME, ("status", "next")),
    Shape("the status of an issue only", STATES, _only_issue, ("title", "next"), ("next",)),
    Shape("dated parts", STATES, _dated, SOME, ("status", "next")),
    Shape("dated parts, newest first", STATES, _dated_first, SOME, ("status", "next")),
    Shape("an end", STATES, _ended, ("title", "next"), ("next",), "completed"),
    Shape("all finished", STATES, _all_finished, ("title", "next"), ("next",), "completed"),
    Shape("nothing in the way", STATES, _nothing, SOME, ("status", "next")),
    Shape("and, numbers, trailing words", STATES, _and),
    Shape(
        "hand-off",
        ("HANDOFF-2026-03-02.md", "session-handoff.md", "docs/handoffs/march.md", ".claude/HANDOFF_2.md"),
        _handoff,
        edits=("status", "next", "decisions", "blockers"),
    ),
    Shape(
        "progress",
        ("PROGRESS.md", "docs/PROGRESS.md", ".claude/progress.md"),
        _progress,
        ("title", "status", "next", "blockers"),
        ("status", "next", "blockers"),
    ),
    Shape(
        "a day's log",
        (".agents/sessions/2026-03/2026-03-02.md", ".agents/sessions/archive/20260302.md"),
        _day_log,
        ("title", "next", "decisions"),
        ("next", "decisions"),
    ),
    Shape(
        "get-shit-done",
        (".planning/STATE.md", ".planning/milestones/v1/STATE.md", ".planning/milestones/v1/phases/STATE.md"),
        _gsd,
        edits=("next", "decisions", "blockers"),
    ),
    Shape(
        "memory bank",
        ("memory-bank/activeContext.md",),
        _bank,
        ("status", "next", "decisions"),
        ("status", "next", "decisions"),
    ),
    Shape("emoji", STATES, _emoji),
    Shape("a template in a fence", STATES, _fenced, SOME, ("status", "next")),
    Shape("a table at the top", STATES, _table_head, SOME, ("status", "next")),
)

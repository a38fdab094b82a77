"""Checklists as a terminal shows them: what is open in a few lines, measured items first, and what to type."""

import re

from holdfast.cli import screen
from holdfast.context.checklist import checklist
from holdfast.context.short_lists import cut
from holdfast.core.fast_json import text_of, texts_of
from holdfast.formats import issue

MOST = 6  # lines
_TWICE = frozenset({"tracking", "decisions", "remaining"})  # where knowledge belongs, asked in the other list, too
_API = re.compile(r"(?:^|[/_.-])(?:api|openapi|swagger|graphql|routes?|endpoints?)(?:[/_.-]|$)|\.proto$", re.IGNORECASE)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.context.checklist.checklist import Item
    from holdfast.sessions.session import Session


def short(items: "Iterable[Item]") -> list[str]:
    """Return what is measured and open as lines, at most `MOST`; one that says so if nothing is."""
    left = [item.text for item in items if not item.ok and item.kind in checklist.MEASURED]
    more = [f"- [ ] and {len(left) - MOST + 1} more"] if len(left) > MOST else []
    return [*left[: MOST - len(more)], *more] or ["Nothing that is measured is open."]


def fitted(lines: list[str]) -> list[str]:
    """Return lines cut to the width of the terminal."""
    known = screen.size()
    return [cut(line, known[0]) for line in lines] if known else lines


def commands(name: str, *, finished: bool, in_git: bool) -> list[str]:
    """Return what to type next: to complete the work that has this ID, unless that is done, and to delete its file.

    holdfast deletes only what git keeps a copy of.
    """
    close = [] if finished else [f"Complete it:     holdfast close {name}"]
    delete = [f"Delete its file: {f'holdfast close {name} --delete' if in_git else 'by hand; git keeps no copy of it'}"]
    return [*close, *delete, f"Ask yourself:    holdfast close {name} --check --all"]


def due(moved: "list[Item]", left: "list[Item]", session: "Session") -> "tuple[list[Item], list[Item]]":
    """Return both lists without what this work has not: an issue, decisions, an API, or anything that remains.

    A question that both lists have is asked once, in the words of the second.
    """
    summary = session.summary
    about = {
        "issue": bool(issue.key(f"{session.title} {text_of(summary, 'objective')} {summary.get('linear_issue', '')}")),
        "adrs": bool(texts_of(summary, "decisions")),
        "contracts": any(map(_API.search, session.inside())),
        "backlog": any(item.count for item in moved if item.kind == "remaining"),
    }
    kept = [item for item in moved if item.kind not in _TWICE and about.get(item.kind, True)]
    return kept, [item for item in left if about.get(item.kind, True)]

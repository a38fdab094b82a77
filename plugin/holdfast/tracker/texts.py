"""What is read from an issue, and what is written to a tracker about a session. All texts are masked."""

import re

from holdfast.context.checklist import checklist
from holdfast.context.checklist.unfinished import remaining
from holdfast.core.fast_json import text_of, texts_of
from holdfast.tracker.writing import COMMENT, ISSUE, REQUEST, Draft
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary
    from holdfast.journal.said import Said
    from holdfast.sessions.session import Session

_HEADINGS = r"(?:acceptance criteria|definition of done|done when)"
_CRITERIA = re.compile(rf"(?ims)^#{{1,6}}[ \t]*{_HEADINGS}[ \t:]*$(.*?)(?=^#|\Z)")
_ITEM = re.compile(r"^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$", re.MULTILINE)
_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+(\S.*)$", re.MULTILINE)
_MOST, _LINE, _TITLE = 12, 200, 120  # lines, and characters of a line and of a title
_REFERENCE = re.compile(r"([@#])(?=\w)")


def criteria(body: str) -> list[str]:
    """Return the acceptance criteria in the text of an issue: the list below their heading, else its boxes."""
    part = _CRITERIA.search(body.replace("\r\n", "\n"))
    texts = _ITEM.findall(part[1]) if part else _BOX.findall(body)
    return [line for text in texts[:_MOST] if (line := safe.line(text, _LINE))]


def of_issue(issue: str, title: str, body: str) -> list[str]:
    """Return an issue as lines of a state file."""
    return [f"Issue {issue}: {safe.line(title, _LINE)}", *(f"Acceptance: {line}" for line in criteria(body))]


def comment(session: "Session", number: int, left: "Iterable[str]") -> Draft:
    """Return the comment that says what was measured when the work of a session was completed."""
    items = [item.text for item in checklist.items(session) if item.kind in checklist.MEASURED]
    new = [f"- remaining: {address}" for address in left]
    lines = [f"The session {_quoted(session.title)} is completed.", "", *(_quiet(line) for line in items), *new]
    return Draft(COMMENT, str(session.settling.changed), "\n".join(lines), number=number)


def issues(session: "Session", number: int) -> list[Draft]:
    """Return an issue for each task and question that is left."""
    origin = f" It was about #{number}." if number else ""
    body = f"This was left when the session {_quoted(session.title)} was completed.{origin}"
    return [Draft(ISSUE, text, body, title=_quiet(safe.line(text, _TITLE))) for text in remaining(session)]


def request(session: "Session", summary: "Summary", said: "Said", number: int) -> Draft:
    """Return a pull request with what was decided and tested in a session; `more` is for the caller."""
    decided = [*texts_of(summary, "decisions"), *(one.answer for one in said.decisions if not one.candid)]
    parts = {
        "Decisions": _entries(decided),
        "Tests": _entries(text for _, text in said.ran),
        "Commits": _entries(said.commits),
        "Left": _entries(remaining(session)),
    }
    about = text_of(summary, "objective") or text_of(summary, "focus") or session.title
    blocks = [_quiet(safe.line(about, 3 * _LINE))]
    blocks += ["\n".join([f"## {name}", "", *list(lines)[-_MOST:]]) for name, lines in parts.items() if lines]
    blocks += [f"Closes #{number}"] if number else []
    return Draft(REQUEST, session.branch, "\n\n".join(blocks), title=_quiet(safe.line(session.title, _TITLE)))


def _entries(lines: "Iterable[str]") -> "dict[str, None]":
    """Return texts as entries of a list, each once."""
    return dict.fromkeys(f"- {_quiet(safe.line(text, _LINE))}" for text in lines)


def _quoted(text: str) -> str:
    return f'"{_quiet(safe.line(text, _TITLE))}"'


def _quiet(text: str) -> str:
    """Return a text that calls nobody and closes no issue: a character without width parts @ and # from a word."""
    return _REFERENCE.sub("\\1\u200b", safe.safe(text))

"""What tools of the client show a person or keep for Claude, as texts for facts: questions, plans, lists of tasks."""

from itertools import pairwise

from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.payload import Payload

ASKED, CHOSEN, TYPED = "? ", "= ", "> "  # begin the lines of a question, of chosen labels, of a typed answer
_MOST = 40  # lines of a list
_LONGEST = 400  # characters of a line
_BOXES = {"completed": "[x] ", "in_progress": "[~] ", "pending": "[ ] "}
_TITLES = ("content", "step", "title", "description")  # keys of a task's title, by client
_PREAMBLE = 200  # characters of an opening sentence that is none of the report


def choices(payload: "Payload") -> str:
    """Return questions and what the person answered, a line each; "" where nothing was answered."""
    answers = payload.data.get("tool_response")
    given = answers.get("answers") if isinstance(answers, dict) else None
    lines: list[str] = []
    for question in payload.child("tool_input").items("questions"):
        asked = question.text("question")
        answer = given.get(asked) if isinstance(given, dict) else None
        text = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer or "")
        if asked and text:
            labels = [option.text("label") for option in question.items("options")]
            mark = CHOSEN if _is_of(text, labels) else TYPED
            lines += [ASKED + safe.line(asked, _LONGEST), mark + safe.line(text, _LONGEST)]
    return "\n".join(lines)


def answered(text: str) -> list[tuple[str, str, bool]]:
    """Return (question, answer, whether a person typed it) for each question in such a text."""
    lines = text.splitlines()
    pairs = pairwise(lines)
    return [
        (asked[len(ASKED) :], answer[2:], answer.startswith(TYPED))
        for asked, answer in pairs
        if asked.startswith(ASKED) and answer.startswith((CHOSEN, TYPED))
    ]


def todos(payload: "Payload") -> str:
    """Return the list of tasks that Claude keeps, each with its box on a line; "" for none."""
    tool_input = payload.child("tool_input")
    listed = [*tool_input.items("todos"), *tool_input.items("plan")][:_MOST]
    lines = [
        _BOXES.get(one.text("status"), _BOXES["pending"]) + safe.line(title, _LONGEST)
        for one in listed
        if (title := next(filter(None, map(one.text, _TITLES)), ""))
    ]
    return "\n".join(lines)


def tasks(text: str) -> list[tuple[str, str]]:
    """Return (title, status) of each task in such a list."""
    by_box = {box: status for status, box in _BOXES.items()}
    return [(line[4:], by_box[line[:4]]) for line in text.splitlines() if line[:4] in by_box]


def report(message: str, limit: int) -> str:
    """Return a subagent's report without its opening words, of a long one both ends."""
    whole = safe.ends(message, 8 * limit)  # masked first: the opening words may be what tells a secret
    opening, blank, rest = whole.partition("\n\n")
    is_preamble = bool(blank) and len(opening) < _PREAMBLE and opening.rstrip("*_ ").endswith((":", "\uff1a"))
    return safe.ends(rest if is_preamble and not opening.startswith("#") else whole, limit)


def _is_of(text: str, labels: list[str]) -> bool:
    """Whether a text is one or several of the labels that were offered."""
    for label in sorted(filter(None, labels), key=len, reverse=True):
        text = text.replace(label, "")
    return not text.strip(", ")

"""What tools of the client show a person or keep for Claude, as texts for facts: questions, plans, lists of tasks.

And what a compaction's summary says: its numbered sections, or a `<state>` block in its analysis. Prose has no parts.
"""

from itertools import pairwise

from holdfast.core.patterns import pattern
from holdfast.journal.conversation import LABEL, SECTIONS, STATED, clipped, without_code
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


_SUMMARY_TITLES = (
    "request",
    "concept",
    "file",
    "error",
    "problem",
    "message",
    "pending",
    "current",
    "next",
)  # of 1 to 9
_KNOWN, _COUNTED = 3, 7  # headings with known titles, or in any language, that show that sections are meant
_BLOCK = pattern(r"(?s)<state>(.*?)(?:</state>|</analysis>|<summary>|\Z)")
_STATED = pattern(rf"(?i)^[-*\s]*\**({'|'.join(STATED)})s?\**\s*:\**\s*(\S.*)$")
_HEADING = pattern(r"^(?:#+\s*)?\**([1-9])[.)]\s*\**([^:\n]{1,80}?)\**(?::\**\s*(.*)|\s*)$")
_MARK = pattern(r"^\s*(?:[-*\u2022]|\d+[.)])\s+")
_LEAD = pattern(r"(?i)^(?:optional |immediate )*next steps?\s*:\s*(?=\S)")
# What was said, as proof of a step: `User: "go on"`.
_QUOTE = pattern(
    r"(?i)^(?:[^:\"]*\b(?:quote|user|message|request)\b[^:\"]*:\s*)?"
    r"[\"\u201c\u201e\u00ab\u300c].*[\"\u201d\u201c\u00bb\u300d]\W*(?:\([^)]*\)\W*)?$"
)
_NOTHING = pattern(r"(?i)^\W*(?:none|no (?:pending|explicit|further|next|open)\b.*|n/a|nothing\b.*)\W*$")
_SUMMARY_MOST = 12  # lines of a label


def summary_lines(summary: str) -> list[str]:
    """Return the parts of a summary as lines, [] for prose; code and what says "none" is left out."""
    pairs = [*_stated(summary), *_sections(summary)]
    kept: list[str] = []
    for label in dict.fromkeys(label for label, _ in pairs):
        texts = [_LEAD.sub("", text.replace("**", "").strip()) for known, text in pairs if known == label]
        told = (clipped(text, _LONGEST) for text in dict.fromkeys(texts) if _tells(text))
        kept += [f"{label}: {text}" for text in told][:_SUMMARY_MOST]
    return kept


def _tells(text: str) -> bool:
    """Whether a line says something by itself: it is no heading of others, no quote, and not "none"."""
    return not (text.endswith(LABEL) or _QUOTE.match(text) or _NOTHING.match(text))


def _stated(summary: str) -> list[tuple[str, str]]:
    """Return label and text of each line of the last `<state>` block."""
    blocks = _BLOCK.findall(summary)
    matches = map(_STATED.match, blocks[-1].splitlines()) if blocks else ()
    return [(match[1].lower(), match[2].strip()) for match in matches if match]


def _sections(summary: str) -> list[tuple[str, str]]:
    """Return label and text of each line in the numbered sections."""
    _, tag, tagged = summary.partition("<summary>")
    text = (tagged if tag else summary).partition("</summary>")[0]
    pairs: list[tuple[str, str]] = []
    number = known = 0
    for line in without_code(text).splitlines():
        heading = _HEADING.match(line)
        heading = heading if heading and int(heading[1]) == number + 1 else None
        if heading:
            number += 1
            known += _SUMMARY_TITLES[number - 1] in heading[2].lower()
        words = _MARK.sub("", (heading[3] or "") if heading else line).strip()
        if number in SECTIONS and any(map(str.isalnum, words)):
            pairs.append((SECTIONS[number], words))
    return pairs if known >= _KNOWN or number >= _COUNTED else []

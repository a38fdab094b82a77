"""Read a compaction's summary: its numbered sections, or a `<state>` block in its analysis. Prose has no parts."""

import re

from holdfast.journal.conversation import LABEL, SECTIONS, STATED, clipped, without_code

_TITLES = ("request", "concept", "file", "error", "problem", "message", "pending", "current", "next")  # of 1 to 9
_KNOWN, _COUNTED = 3, 7  # headings with known titles, or in any language, that show that sections are meant
_BLOCK = re.compile(r"<state>(.*?)(?:</state>|</analysis>|<summary>|\Z)", re.DOTALL)
_STATED = re.compile(rf"^[-*\s]*\**({'|'.join(STATED)})s?\**\s*:\**\s*(\S.*)$", re.IGNORECASE)
_HEADING = re.compile(r"^(?:#+\s*)?\**([1-9])[.)]\s*\**([^:\n]{1,80}?)\**(?::\**\s*(.*)|\s*)$")
_MARK = re.compile(r"^\s*(?:[-*\u2022]|\d+[.)])\s+")
_LEAD = re.compile(r"^(?:optional |immediate )*next steps?\s*:\s*(?=\S)", re.IGNORECASE)
# What was said, as proof of a step: `User: "go on"`.
_QUOTE = re.compile(
    r"^(?:[^:\"]*\b(?:quote|user|message|request)\b[^:\"]*:\s*)?[\"\u201c\u201e\u00ab\u300c].*[\"\u201d\u201c\u00bb\u300d]\W*(?:\([^)]*\)\W*)?$",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"^\W*(?:none|no (?:pending|explicit|further|next|open)\b.*|n/a|nothing\b.*)\W*$", re.IGNORECASE)
_MOST, _LONGEST = 12, 400  # lines of a label, characters of one


def lines(summary: str) -> list[str]:
    """Return the parts of a summary as lines, [] for prose; code and what says "none" is left out."""
    pairs = [*_stated(summary), *_sections(summary)]
    kept: list[str] = []
    for label in dict.fromkeys(label for label, _ in pairs):
        texts = [_LEAD.sub("", text.replace("**", "").strip()) for known, text in pairs if known == label]
        told = (clipped(text, _LONGEST) for text in dict.fromkeys(texts) if _tells(text))
        kept += [f"{label}: {text}" for text in told][:_MOST]
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
            known += _TITLES[number - 1] in heading[2].lower()
        words = _MARK.sub("", (heading[3] or "") if heading else line).strip()
        if number in SECTIONS and any(map(str.isalnum, words)):
            pairs.append((SECTIONS[number], words))
    return pairs if known >= _KNOWN or number >= _COUNTED else []

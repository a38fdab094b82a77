"""What stands in a state file instead of an answer: the many ways of "not filled in yet". N/A is an answer."""

import re

from holdfast import names

_EMPHASIS = re.compile(r"^(?:[*_]{1,3}|`)(?P<inner>.+?)(?:[*_]{1,3}|`)$", re.DOTALL)
_WORDS = frozenset(
    "tbd tba todo fixme to be determined|to be decided|to be defined|to be filled|to be filled in|to be added"
    "|none yet|nothing yet|not yet|none so far|not filled in|fill in|fill me in|placeholder|pending input|xxx".replace(
        " todo fixme ", "|todo|fixme|"
    ).replace("tbd tba", "tbd|tba").split("|")
)
_SAMPLE = re.compile(
    r"(?:item|criterion|task|action|step|question|decision|topic|insight|artifact|goal|point|todo|finding|note|blocker"
    r"|file|objective) (?:\d{1,2}|one|two|three|n|x)",
    re.IGNORECASE,
)
_TBD = re.compile(r"\W*(?:TBD|TBA|tbd|tba)\b")
_DATE = re.compile(r"\b(?:YYYY-MM-DD|YYYY/MM/DD|DD\.MM\.YYYY|YYYYMMDD|HH:MM)\b")
_ID = re.compile(r"\bcon_(?:X{3,}|x{3,})\b")
_MUSTACHE = re.compile(r"\{\{[^{}\n]{1,80}\}\}|(?<![\w$`{])\{[A-Za-z][\w ./-]{0,60}\}(?![\w}`])")
_ANGLE = re.compile(r"<(?!/|https?:|mailto:|!)[A-Za-z][\w .,/'|-]{0,80}>")
# A bracket is an answer when a link, a checkbox, another bracket or a number is meant.
_BRACKET = re.compile(r"(?<![\[\w!])\[(?=[^\[\]]*[^\W\d_]{2}|[A-Z]\])(?![xX]\])(?!\^)[^\[\]\n]{1,300}\](?![(\[\]:])")
_ISSUE = re.compile(r"\[(?:[A-Z][A-Z0-9]*-\d+|#\d+|[\w./-]+\.[a-z]{1,4}|v?\d[\w.-]*)\]")
_BLANK_TO_FILL = re.compile(
    r"(?<![\[\w!])\[(?:[\w' /-]*\b(?:name|title|description|date|timestamp|agent|action|phase name|brief|your|insert|to be"
    r"|placeholder|summary|reason|details?)\b[\w' /-]*|tbd|todo)\](?![(\[:])",
    re.IGNORECASE,
)
_LITTLE = re.compile(r"(?:\b(?:of|in|at|on|by|for|the|a|an|and|or|to|current|phase|child|see|with|from|plan)\b|[\W\d_])*")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


def is_placeholder(text: str, samples: frozenset[str] = frozenset()) -> bool:
    """Whether a text stands for an answer that is still to come; `samples` are the plain sentences of a template.

    An empty text is not a placeholder: nothing stands there.
    """
    bare = text.strip()
    if not bare:
        return False
    if names.plain(bare) in samples or _is_word(bare):
        return True
    inner = _EMPHASIS.match(bare)
    if inner and not inner["inner"].startswith("`"):
        asked = bare[0] in "*_" and bare[1] not in "*_" and inner["inner"].rstrip().endswith("?")
        return asked or is_placeholder(inner["inner"], samples)
    return _has_blanks(bare)


def _is_word(bare: str) -> bool:
    """Whether the whole text is one of the words, or begins with TBD."""
    said = " ".join(re.sub(r"[\W_]+", " ", bare).split()).casefold()
    return said in _WORDS or bool(_SAMPLE.fullmatch(said)) or bool(_TBD.match(bare))


def _has_blanks(bare: str) -> bool:
    """Whether brackets, braces, angles or letters stand where a value belongs, outside code."""
    prose = _CODE.sub(lambda code: code[0] if len(code[0]) == len(bare) else "", bare)
    if _DATE.search(prose) or _ID.search(prose) or _MUSTACHE.search(prose) or _BLANK_TO_FILL.search(prose):
        return True
    left, brackets = _BRACKET.subn(lambda found: found[0] if _ISSUE.fullmatch(found[0]) else "", prose)
    left, angles = _ANGLE.subn("", left)
    return (brackets > 0 or angles > 0) and left != prose and bool(_LITTLE.fullmatch(left.casefold()))

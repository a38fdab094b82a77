"""Recognise placeholders in a state file: texts that say "not filled in yet". N/A is an answer, not a placeholder."""

import re

from holdfast.formats import names

_LONGEST = 1000  # characters; a longer text is not a placeholder
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_EMPHASIS = re.compile(r"(?P<mark>[*_]{1,3}|`)(?P<inner>.+?)(?P=mark)", re.DOTALL)
_WORDS = re.compile(
    r"to be (?:determined|decided|defined|added|filled(?: in)?)|to ?do|fixme|(?:none|nothing) yet|none so far"
    r"|not (?:yet )?filled in|fill (?:me )?in|placeholder|xxx"
)
_SAMPLE = re.compile(
    r"(?:item|criterion|action|step|question|decision|topic|insight|artifact|goal|finding|blocker)"
    r" (?:[1-9]|one|two|n|x)"
)
_TBD = re.compile(r"\A\W*(?:TBD|TBA)\b|[:(=\u2013\u2014-]\s*(?:TBD|TBA)\W*\Z", re.IGNORECASE)
_DOTS = re.compile(r"\.{3,}|\u2026|\?{2,}|_{3,}")
_DATE = re.compile(
    r"\b(?:YYYY-MM-DD|YYYY/MM/DD|DD\.MM\.YYYY|YYYYMMDD(?:-HHMMSS)?)(?:[ T]HH:MM(?::SS)?Z?)?(?!\w)|\bHH:MM\b"
)
_CERTAIN = re.compile(r"\bcon_X{3,}\b|(?<!\$)\{\{[^{}\n]{1,80}\}\}|\[N\]", re.IGNORECASE)
# Text in angle brackets is a placeholder, unless it is one of the HTML elements that people use in Markdown.
_ANGLE = re.compile(
    r"(?<![\w/`<])<(?!(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark"
    r"|ol|p|picture|pre|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video|wbr)\b(?!-))"
    r"[A-Za-z][\w .,/'|-]{0,80}>",
    re.IGNORECASE,
)
# Text in square brackets is a placeholder, unless it is a link, checkbox, footnote, issue, file, version or count.
_BRACKET = re.compile(r"(?<![\]\[\w!\\])\[(?P<inner>[^\[\]]{1,300})\](?![(\[\]:])")
_ANSWER = re.compile(
    r"\W*[xX]?\W*|\^.*|[A-Z][A-Z0-9]*-\d+|[\w./-]*\.[a-z]{1,4}|(?:#|v)?\d[\w.-]*|[\w -]*\d"
    r"|\d[\w.:%-]*(?:[ ,;]+\d[\w.:%-]*)*|\d{4}-\d\d-\d\d.*|refs?|sic|wip|unreleased",
    re.IGNORECASE,
)
# Square brackets between other words are a placeholder only when they name what to fill in.
_NAMING = r"name|title|description|date|timestamp|reason|summary|details?|placeholder"
_BLANK = re.compile(
    rf"(?i:.+[\W_](?:{_NAMING}))|(?:{_NAMING.title()})|[A-Z]\w+/[A-Z]\w+"
    r"|(?i:(?:brief|your|insert|describe|to be|fill|what|how|why)[\W_].+|tbd|todo)"
)
_LITTLE = re.compile(
    r"(?:\b(?:of|in|at|on|by|for|the|a|an|and|or|to|is|was|current|phase|child|see|with|from|plan|utc|started|created"
    r"|updated|last|completed|date|session|id|etc|if|x)\b|[\W\d_])*"
)
_HINT = re.compile(r"(?P<mark>[*_])(?![*_ ])(?=[^*_]*\s[^*_]*\s)[^*_\n]{1,200}(?P=mark)")
_EXAMPLE = re.compile(r"[*_(]{0,2}(?:example|e\.g\.|for example)[*_]{0,2}:", re.IGNORECASE)
_REMARK = re.compile(r"\([^()]*\)")
_CODE = re.compile(r"(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)", re.DOTALL)


def is_hint(text: str) -> bool:
    """Return whether a text only says what belongs there: a sentence in italics, an example, or a lone sign."""
    bare = text.strip()
    inner = _HINT.fullmatch(bare)
    return bool(inner) or bare.casefold() in {"null", "~", "*", "-", "_"} or bool(_EXAMPLE.match(bare))


def is_placeholder(text: str, samples: frozenset[str] = frozenset()) -> bool:
    """Return whether a text is a placeholder; `samples` are the plain names of the sentences in a template.

    An empty text is not a placeholder.
    """
    bare = text.strip()
    if not bare or len(bare) > _LONGEST:
        return False
    if samples and all(names.plain(line) in samples for line in bare.splitlines() if line.strip()):
        return True
    value = " ".join(re.sub(r"[\W_]+", " ", bare).split()).casefold()
    return bool(_WORDS.fullmatch(value) or _SAMPLE.fullmatch(value)) or _is_asked(bare) or is_blank(bare)


def is_nothing_else(text: str, samples: frozenset[str] = frozenset()) -> bool:
    """Return whether each line of a text is a placeholder and says nothing else, so that it can be replaced."""
    lines = [line.strip() for line in text.strip().splitlines()]
    return bool(lines) and all(is_placeholder(line, samples) and _says_no_more(line, samples) for line in lines)


def _says_no_more(line: str, samples: frozenset[str]) -> bool:
    """Return whether a placeholder's line has no words besides those to fill in."""
    if "<!--" in line:
        return False
    text = " ".join(re.sub(r"[\W_]+", " ", line).split()).casefold()
    if names.plain(line) in samples or _WORDS.fullmatch(text) or _SAMPLE.fullmatch(text) or _is_asked(line):
        return True
    left = _ANGLE.sub("", _DATE.sub("", _CERTAIN.sub("", line)))
    left = re.sub(r"\bTB[DA]\b", "", _BRACKET.sub("", left), flags=re.IGNORECASE)
    return bool(_LITTLE.fullmatch(left.casefold()))


def is_blank(text: str) -> bool:
    """Return whether a text, a heading or a table cell has TBD or something to fill in where its value belongs."""
    if len(text) > _LONGEST:
        return False
    bare = _COMMENT.sub("", text).strip()
    if not bare or _DOTS.fullmatch(bare):
        return bool(text.strip())
    inner = _EMPHASIS.fullmatch(bare)
    if inner and inner["mark"] not in inner["inner"] and inner["mark"] != "`":
        return is_blank(inner["inner"])
    return bool(_TBD.search(bare.strip("`"))) or _is_choice(bare) or _has_blanks(bare)


def _is_asked(bare: str) -> bool:
    """Return whether a text is a question in italics."""
    inner = _EMPHASIS.fullmatch(bare)
    return inner is not None and inner["mark"] in {"*", "_"} and inner["inner"].rstrip().endswith("?")


def _is_choice(bare: str) -> bool:
    """Return whether a text lists statuses to choose from, such as "active | paused | completed"."""
    offered = bare.strip("`").split("|")
    meant = {names.category(word, {}) for word in offered} if len(offered) > 1 else set()
    return "" not in meant and len(meant) > 1


def _has_blanks(bare: str) -> bool:
    """Return whether brackets, braces or a date pattern are in the place of a value.

    Code inside a text is skipped; a text that is all code is judged by what is in it.
    """
    prose = _CODE.sub(lambda code: code[0].strip("`") if len(code[0]) == len(bare) else "code", bare)
    if _CERTAIN.search(prose) or any(_BLANK.fullmatch(found["inner"]) for found in _BRACKET.finditer(prose)):
        return True
    left = _ANGLE.sub("", _DATE.sub("", prose))
    left = _BRACKET.sub(lambda found: found[0] if _ANSWER.fullmatch(found["inner"]) else "", left)
    begins = _DATE.match(prose.lstrip("[(*_ "))
    return left != prose and bool(begins or _LITTLE.fullmatch(_REMARK.sub("", left).casefold()))

"""Plain names of headings and labels, the meaning of statuses, placeholders, and files that a text names."""

import os
import re
from functools import lru_cache

from holdfast.core.patterns import pattern
from holdfast.trust import safe

Words = list[tuple[str, str]]

# A heading may be as long as a file, so no pattern may take quadratic time on a long run of characters.
_ENDS = pattern(r"^[\W_]+|(?<![\W_])[\W_]+$")
_REMARK = pattern(r"(?:(?<!\s)\s+)?[(\[\uff08](?P<inner>[^()\[\]\uff08\uff09]*)[)\]\uff09]\W{0,40}$")
_TELLING = 4  # letters of a word that two texts about the same have in common
_REMARKS = 8  # the most remarks that are removed from the end of a name
_NUMBER = pattern(r"^\d+(?:\.\d+)*[.):]?\s+(?=\S)")
_BETWEEN = pattern(r"[\W_]+")
_AND = pattern(r"(?<=\w) and (?=\w)")
# What may follow the name of a section and says more about it: "Next Steps for Tomorrow", "Decisions & Rationale".
_FURTHER = pattern(
    r"(?:\s*[&/+]|\s+(?:[-\u2013\u2014]|(?:for|from|of|in|on|at|as|to|after|before|this|when|with|by|since|until"
    r"|so far|session|today|tomorrow|now|remaining|priority|and|log|list|notes|\d)\b)).*",
    re.IGNORECASE,
)
_SENTENCE = pattern(r"[.;!]\s+|\s+[-\u2013\u2014]\s+|\s*\(")
_EXCEPT = pattern(r"\b(?:but|except|however|besides|other than|until|only|wait)", re.IGNORECASE)
_ALL = pattern(r"(?:all|everything)\b.{0,60}?\b(?:finished|done|complete|completed|shipped|merged|closed)")
_LANGUAGES = pattern(r"(?<!\s)\s+[/|·]\s+")
_LATIN = pattern(r"[A-Za-z]")
_PERCENT = pattern(r"(\d{1,3}(?:\.\d+)?) ?%")
# Statuses that people write in every format, beside the format's own words.
GENERAL_STATUSES = {
    "completed": "completed complete done closed finished archived shipped merged resolved session_complete all_done",
    "dropped": "dropped cancelled canceled abandoned superseded given_up",
    "ended": "ended",
    "paused": "paused pause on_hold suspended parked deferred handed_off stopped",
    "waiting": "waiting blocked awaiting pending stuck needs",
    "active": "active in_progress inprogress working ongoing started starting wip executing running ready planning "
    "planned current open underway discussion implementing verifying testing reviewing in_review draft new "
    "not_started not_yet_started todo to_do almost_done almost_complete nearly_done on_track active_orphaned",
}
_GENERAL = [(word.replace("_", " "), meant) for meant, words in GENERAL_STATUSES.items() for word in words.split()]
SIGNS = {"✅": "completed", "☑": "completed", "✔": "completed", "⏸": "paused", "⏳": "waiting", "🚫": "waiting"}
SIGNS |= {"⛔": "waiting", "🔴": "waiting", "🚧": "active", "🔄": "active", "🟢": "active", "🟡": "active"}

# What holdfast writes: where a request may not be quoted, and for no next step.
IN_TITLE = "What was asked in full stays on the machine where it was asked (setting `quotes`)."
NOT_KNOWN = "Not known; see Current State."
# Answers that say that there is nothing: no blocker, no question, no id.
_NONE = frozenset(
    [
        "not known",
        "",
        "none",
        "n a",
        "na",
        "nothing",
        "nothing yet",
        "none yet",
        "no",
        "nil",
        "no blockers",
        "nothing here yet",
        "nothing left",
        "nothing left to do",
        "none currently",
        "none at the moment",
        "none at this time",
        "none right now",
        "none so far",
        "none for now",
        "none identified",
        "none blocking",
        *("keine", "keiner", "nichts", "aucun", "aucune", "rien", "ninguno", "ninguna", "nada", "nessuno", "nessuna"),
        *("nenhum", "nenhuma", "\u043d\u0435\u0442", "\u306a\u3057", "\u65e0", "\u7121", "\uc5c6\uc74c"),
    ]
)


def related(planned: str, wanted: str) -> bool:
    """Whether two short texts may be about the same: they have a telling word in common, or one is empty."""
    words, others = set(plain(planned).split()), set(plain(wanted).split())
    return not (words and others) or any(len(word) >= _TELLING for word in words & others)


@lru_cache(8192)
def plain(name: str) -> str:
    """Return a name in lower case, without emphasis, emoji, numbers before it and remarks in brackets after it.

    A name without any words is returned unchanged.
    """
    words = _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", name)))
    for _ in range(_REMARKS):
        shorter = _REMARK.sub("", name).strip()
        if not words or shorter == name or not _ENDS.sub("", shorter):
            break
        name, words = shorter, _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", shorter)))
    return _AND.sub(" ", (_BETWEEN.sub(" ", words) or name.strip()).casefold())


def is_none(text: str) -> bool:
    """Return whether a text answers that there is nothing, such as "None", "N/A", "" or "None. All tests pass"."""
    if plain(text) in _NONE:
        return True
    first, *rest = _SENTENCE.split(text.strip(), maxsplit=1)
    return bool(rest and first) and plain(first) in _NONE and not (_EXCEPT.search(rest[0]) or rest[0][:1].isdigit())


def says_nothing(text: str) -> bool:
    """Return whether a text is only an answer that there is nothing, such as "None" or "(none)", or a dash."""
    return " ".join(_BETWEEN.sub(" ", text).split()).casefold() in _NONE and (
        text.isascii() or not text.strip("\u2013\u2014 ")
    )


@lru_cache(8192)
def whole(name: str) -> str:
    """Return a name in lower case without the emphasis around it; remarks and signs are kept."""
    return " ".join(name.strip().strip("*_`").split()).casefold()


@lru_cache(8192)
def remarked(name: str) -> bool:
    """Return whether a name ends in a remark in brackets, or has no words: `plain` does not distinguish such names."""
    return bool(_REMARK.search(name)) or not plain(name)


def is_of_git(text: str) -> bool:
    """Return whether a status is what git says of a branch: commits ahead, nothing to commit, a clean tree."""
    return bool(_OF_GIT.search(text))


def percent(text: str) -> float | None:
    """Return the first percentage in a text, such as 75 for "75%" or 40 for "[██░] 40 %", None when it has none."""
    match = _PERCENT.search(text)
    return float(match[1]) if match else None


def number(text: str) -> int | None:
    """Return the whole number at the beginning of a text, None when there is none."""
    match = re.match(r"\W*(\d{1,9})\b", text)
    return int(match[1]) if match else None


def forms(heading: str) -> set[str]:
    """Return all plain names of a heading: the whole, the part before a colon, and each of its languages."""
    texts = {plain(heading), plain(heading.partition(":")[0]), *map(plain, _LANGUAGES.split(heading))}
    remark = _REMARK.search(heading)
    if remark and not _LATIN.search(heading[: remark.start()]):  # 当前上下文 (Active Context)
        texts.add(plain(remark["inner"]))
    return {name for name in texts if name}


def begins(heading: str) -> str:
    """Return the plain name of a heading without the words that only say more about it, "" when it has none."""
    shorter = _FURTHER.sub("", heading, count=1)
    return plain(shorter) if shorter != heading and shorter.strip("#* ") else ""


def category(status: str, words: dict[str, list[str]]) -> str:
    """Return the word of `core.statuses` that a status means, "" when that is not known, or where it offers several.

    `words` has a format's own statuses for each of these. They count before the general ones, and a longer one before
    a shorter one.
    """
    text = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    if status.endswith(_HELD):
        return "paused"
    if "|" in status and _is_choice(status):
        return ""
    if not text:
        return next((meant for sign, meant in SIGNS.items() if sign in status), "")
    own = [(_BETWEEN.sub(" ", word).casefold(), meant) for meant, known in words.items() for word in known]
    known = _meant(text, own) or _meant(_uncounted(text), own) or _meant(text, _GENERAL)
    if not known and f" {text}".endswith(" in progress"):  # such as "phase 2 of 3 in progress"
        return "active"
    return known or ("completed" if _ALL.match(text) else "")


_HELD = " (Paused)"  # after the status that paused work had, where the format has no word for work that stops
_IN_STATUS = pattern(r"paused \((?P<before>.+)\)", re.IGNORECASE | re.DOTALL)


def held(status: str, word: str, *, listed: bool) -> str:
    """Return the status of work that is paused, with what it says before, which it goes on with.

    `word` is the format's own for it, "" for none. Where its words are `listed` there is no place for the one before.
    """
    if not word:
        return status + _HELD
    return f"{word} ({status})" if not listed and (says_more(status) or category(status, {}) == "waiting") else word


def before_hold(status: str) -> str:
    """Return what the status of paused work said before, "" where it does not tell."""
    match = _IN_STATUS.fullmatch(status)
    return match["before"] if match else status.removesuffix(_HELD) if status.endswith(_HELD) else ""


def says_more(status: str) -> bool:
    """Return whether a status says more than its category: it is none of the general words, such as "in_progress"."""
    text = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    return bool(text) and text not in dict(_GENERAL)


def _meant(text: str, words: "Words") -> str:
    """Return the meaning of the longest known word at the beginning of a status, "" when there is none."""
    fitting = [(len(word), meant) for word, meant in words if text == word or text.startswith(word + " ")]
    return max(fitting, default=(0, ""))[1]


def _uncounted(text: str) -> str:
    """Return a status without its numbers, such as "phase complete" for "phase 2 complete"."""
    first, *rest = text.split()
    return " ".join([first, *(word for word in rest if not any(map(str.isdigit, word)))])


_NAMED = pattern(
    r"\bfiles(?:[ _-](?:modified|(?P<changed>changed)))?\s*:\s*(?:\[(?P<list>[^\]\n]*)\]|(?P<rest>[^;\n]*))",
    re.IGNORECASE,
)
_MORE = pattern(r"\s+and \d+ more\Z")


def named(context: str, root: str = "", *, measured: bool = True) -> list[str]:
    """Return the files that a context names after `Files:`, `files modified:`, `files_modified:` and the like.

    They are paths from the `root` of the project, also where they are written as `./a.ts` or in full. In brackets, and
    after the key of an update, a name may have blanks. Without `measured` those after `Files changed:` are left out,
    which holdfast itself writes of its sessions.
    """
    names = []
    for each in _NAMED.finditer(context):
        if each["changed"] and not measured:
            continue
        listed = each["list"] if each["list"] is not None else _MORE.sub("", each["rest"].rstrip())
        texts = [name.strip(" \t`\"'") for name in listed.split(",")]
        whole = each["list"] is not None or each[0].casefold().startswith("files_modified")
        names += [name for name in texts if not is_none(name) and (whole or " " not in name)]
    return list(dict.fromkeys(os.path.normpath(name).removeprefix(f"{root or '/'}/") for name in names))


_LONGEST = 1000  # characters; a longer text is not a placeholder
_COMMENT = pattern(r"<!--.*?-->", re.DOTALL)
_EMPHASIS = pattern(r"(?P<mark>[*_]{1,3}|`)(?P<inner>.+?)(?P=mark)", re.DOTALL)
_WORDS = pattern(
    r"to be (?:determined|decided|defined|added|filled(?: in)?)|to ?do|fixme|(?:none|nothing) yet|none so far"
    r"|not (?:yet )?filled in|fill (?:me )?in|placeholder|xxx"
)
_SAMPLE = pattern(
    r"(?:item|criterion|action|step|question|decision|topic|insight|artifact|goal|finding|blocker)"
    r" (?:[1-9]|one|two|n|x)"
)
_TBD = pattern(r"\A\W*(?:TBD|TBA)\b|[:(=\u2013\u2014-]\s*(?:TBD|TBA)\W*\Z", re.IGNORECASE)
_DOTS = pattern(r"\.{3,}|\u2026|\?{2,}|_{3,}")
_OF_GIT = pattern(
    r"\b(?:\d+ commits? (?:ahead|behind)|(?:ahead|behind) (?:of|by)\b|up[ -]to[ -]date with|nothing to commit"
    r"|working (?:tree|directory) (?:is )?clean"
    r"|\d+ (?:un)?(?:committed|staged|tracked|pushed) (?:changes?|files?|commits?))",
    re.IGNORECASE,
)
_DATE = pattern(
    r"\b(?:YYYY-MM-DD|YYYY/MM/DD|DD\.MM\.YYYY|YYYYMMDD(?:-HHMMSS)?)(?:[ T]HH:MM(?::SS)?Z?)?(?!\w)|\bHH:MM\b"
)
_CERTAIN = pattern(r"\bcon_X{3,}\b|(?<!\$)\{\{[^{}\n]{1,80}\}\}|\[N\]", re.IGNORECASE)
# Text in angle brackets is a placeholder, unless it is one of the HTML elements that people use in Markdown.
_ANGLE = pattern(
    r"(?<![\w/`<])<(?!(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark"
    r"|ol|p|picture|pre|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video|wbr)\b(?!-))"
    r"[A-Za-z][\w .,/'|-]{0,80}>",
    re.IGNORECASE,
)
# Text in square brackets is a placeholder, unless it is a link, checkbox, footnote, issue, file, version or count.
_BRACKET = pattern(r"(?<![\]\[\w!\\])\[(?P<inner>[^\[\]]{1,300})\](?![(\[\]:])")
_ANSWER = pattern(
    r"\W*[xX]?\W*|\^.*|[A-Z][A-Z0-9]*-\d+|[\w./-]*\.[a-z]{1,4}|(?:#|v)?\d[\w.-]*|[\w -]*\d"
    r"|\d[\w.:%-]*(?:[ ,;]+\d[\w.:%-]*)*|\d{4}-\d\d-\d\d.*|refs?|sic|wip|unreleased",
    re.IGNORECASE,
)
# Square brackets between other words are a placeholder only when they name what to fill in.
_NAMING = r"name|title|description|date|timestamp|reason|summary|details?|placeholder"
_BLANK = pattern(
    rf"(?i:.+[\W_](?:{_NAMING}))|(?:{_NAMING.title()})|[A-Z]\w+/[A-Z]\w+"
    r"|(?i:(?:brief|your|insert|describe|to be|fill|what|how|why)[\W_].+|tbd|todo)"
)
_LITTLE = pattern(
    r"(?:\b(?:of|in|at|on|by|for|the|a|an|and|or|to|is|was|current|phase|child|see|with|from|plan|utc|started|created"
    r"|updated|last|completed|date|session|id|etc|if|x)\b|[\W\d_])*"
)
_HINT = pattern(r"(?P<mark>[*_])(?![*_ ])(?=[^*_]*\s[^*_]*\s)[^*_\n]{1,200}(?P=mark)")
_EXAMPLE = pattern(r"[*_(]{0,2}(?:example|e\.g\.|for example)[*_]{0,2}:", re.IGNORECASE)
_REMARK_AFTER = pattern(r"\([^()]*\)")
_CODE = pattern(r"(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)", re.DOTALL)


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
    if not bare or len(bare) > _LONGEST or safe.MASK in bare:
        return False
    if samples and all(plain(line) in samples for line in bare.splitlines() if line.strip()):
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
    if plain(line) in samples or _WORDS.fullmatch(text) or _SAMPLE.fullmatch(text) or _is_asked(line):
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
    meant = {category(word, {}) for word in offered} if len(offered) > 1 else set()
    return "" not in meant and len(meant) > 1


def _has_blanks(bare: str) -> bool:
    """Return whether brackets, braces or a date pattern are in the place of a value.

    Code inside a text is skipped; a text that is all code is judged by what is in it.
    """
    prose = _CODE.sub(lambda code: code[0].strip("`") if len(code[0]) == len(bare) else "code", bare)
    if _CERTAIN.search(prose) or any(_BLANK.fullmatch(match["inner"]) for match in _BRACKET.finditer(prose)):
        return True
    left = _ANGLE.sub("", _DATE.sub("", prose))
    left = _BRACKET.sub(lambda match: match[0] if _ANSWER.fullmatch(match["inner"]) else "", left)
    begins = _DATE.match(prose.lstrip("[(*_ "))
    return left != prose and bool(begins or _LITTLE.fullmatch(_REMARK_AFTER.sub("", left).casefold()))

"""Plain names of headings and labels, and the meaning of statuses, without their emphasis, emoji and remarks."""

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    Words = list[tuple[str, str]]


# A heading may be as long as a file, so no pattern may take quadratic time on a long run of characters.
_ENDS = re.compile(r"^[\W_]+|(?<![\W_])[\W_]+$")
_REMARK = re.compile(r"(?:(?<!\s)\s+)?[(\[\uff08](?P<inner>[^()\[\]\uff08\uff09]*)[)\]\uff09]\W{0,40}$")
_REMARKS = 8  # the most remarks that are removed from the end of a name
_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.):]?\s+(?=\S)")
_BETWEEN = re.compile(r"[\W_]+")
_AND = re.compile(r"(?<=\w) and (?=\w)")
# What may follow the name of a section and says more about it: "Next Steps for Tomorrow", "Decisions & Rationale".
_FURTHER = re.compile(
    r"(?:\s*[&/+]|\s+(?:[-\u2013\u2014]|(?:for|from|of|in|on|at|as|to|after|before|this|when|with|by|since|until"
    r"|so far|session|today|tomorrow|now|remaining|priority|and|log|list|notes|\d)\b)).*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;!]\s+|\s+[-\u2013\u2014]\s+|\s*\(")
_EXCEPT = re.compile(r"\b(?:but|except|however|besides|other than|until|only|wait)", re.IGNORECASE)
_ALL = re.compile(r"(?:all|everything)\b.{0,60}?\b(?:finished|done|complete|completed|shipped|merged|closed)")
_LANGUAGES = re.compile(r"(?<!\s)\s+[/|·]\s+")
_LATIN = re.compile(r"[A-Za-z]")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")
# Statuses that people write in every format, beside the format's own words.
GENERAL_STATUSES = {
    "completed": "completed complete done closed finished archived shipped merged resolved session_complete all_done",
    "dropped": "dropped cancelled canceled abandoned superseded given_up",
    "ended": "ended",
    "paused": "paused pause on_hold suspended parked deferred handed_off stopped",
    "waiting": "waiting blocked awaiting pending stuck needs",
    "active": "active in_progress inprogress working ongoing started starting wip executing running ready planning "
    "planned current open underway discussion implementing verifying testing reviewing in_review draft new "
    "not_started not_yet_started todo to_do almost_done almost_complete nearly_done on_track",
}
_GENERAL = [(word.replace("_", " "), meant) for meant, words in GENERAL_STATUSES.items() for word in words.split()]
SIGNS = {"✅": "completed", "☑": "completed", "✔": "completed", "⏸": "paused", "⏳": "waiting", "🚫": "waiting"}
SIGNS |= {"⛔": "waiting", "🔴": "waiting", "🚧": "active", "🔄": "active", "🟢": "active", "🟡": "active"}

# Answers that say that there is nothing: no blocker, no question, no id.
NOT_KNOWN = "Not known; see Current State."  # what holdfast writes as next steps
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
    ]
)


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


def whole(name: str) -> str:
    """Return a name in lower case without the emphasis around it; remarks and signs are kept."""
    return " ".join(name.strip().strip("*_`").split()).casefold()


def remarked(name: str) -> bool:
    """Return whether a name ends in a remark in brackets, or has no words: `plain` does not distinguish such names."""
    return bool(_REMARK.search(name)) or not plain(name)


def percent(text: str) -> float | None:
    """Return the first percentage in a text, such as 75 for "75%" or 40 for "[██░] 40 %", None when it has none."""
    found = _PERCENT.search(text)
    return float(found[1]) if found else None


def number(text: str) -> int | None:
    """Return the whole number at the beginning of a text, None when there is none."""
    found = re.match(r"\W*(\d{1,9})\b", text)
    return int(found[1]) if found else None


def forms(heading: str) -> set[str]:
    """Return all plain names of a heading: the whole, the part before a colon, and each of its languages."""
    found = {plain(heading), plain(heading.partition(":")[0]), *map(plain, _LANGUAGES.split(heading))}
    remark = _REMARK.search(heading)
    if remark and not _LATIN.search(heading[: remark.start()]):  # 当前上下文 (Active Context)
        found.add(plain(remark["inner"]))
    return {name for name in found if name}


def begins(heading: str) -> str:
    """Return the plain name of a heading without the words that only say more about it, "" when it has none."""
    shorter = _FURTHER.sub("", heading, count=1)
    return plain(shorter) if shorter != heading and shorter.strip("#* ") else ""


def category(status: str, words: dict[str, list[str]]) -> str:
    """Return the word of `core.statuses` that a status means, "" when that is not known.

    `words` has a format's own statuses for each of these. They count before the general ones, and a longer one before
    a shorter one.
    """
    text = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    if not text:
        return next((meant for sign, meant in SIGNS.items() if sign in status), "")
    own = [(_BETWEEN.sub(" ", word).casefold(), meant) for meant, known in words.items() for word in known]
    known = _meant(text, own) or _meant(_uncounted(text), own) or _meant(text, _GENERAL)
    if not known and f" {text}".endswith(" in progress"):  # such as "phase 2 of 3 in progress"
        return "active"
    return known or ("completed" if _ALL.match(text) else "")


def says_more(status: str) -> bool:
    """Return whether a status says more than its category: it is none of the general words, such as "in_progress"."""
    text = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    return bool(text) and text not in dict(_GENERAL)


def _meant(text: str, known: "Words") -> str:
    """Return the meaning of the longest known word at the beginning of a status, "" when there is none."""
    fitting = [(len(word), meant) for word, meant in known if text == word or text.startswith(word + " ")]
    return max(fitting, default=(0, ""))[1]


def _uncounted(text: str) -> str:
    """Return a status without its numbers, such as "phase complete" for "phase 2 complete"."""
    first, *rest = text.split()
    return " ".join([first, *(word for word in rest if not any(map(str.isdigit, word)))])


_NAMED = re.compile(
    r"\bfiles(?:[ _-](?:modified|(?P<changed>changed)))?\s*:\s*(?:\[(?P<list>[^\]\n]*)\]|(?P<rest>[^;\n]*))",
    re.IGNORECASE,
)
_MORE = re.compile(r"\s+and \d+ more\Z")


def named(context: str, *, measured: bool = True) -> list[str]:
    """Return the files that a context names after `Files:`, `files modified:`, `files_modified:` and the like.

    Without `measured` those after `Files changed:` are left out, which holdfast itself writes of its sessions.
    """
    found = []
    for each in _NAMED.finditer(context):
        if each["changed"] and not measured:
            continue
        listed = each["list"] if each["list"] is not None else _MORE.sub("", each["rest"].rstrip())
        found += [name.strip(" \t`\"'") for name in listed.split(",")]
    return list(dict.fromkeys(name for name in found if name and " " not in name))

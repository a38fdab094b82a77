"""What a heading, a label or a status in a person's words comes to: the same name however it was dressed."""

import re
from functools import lru_cache

# A heading may be as long as a file: none of these looks at the same run of characters again from each place in it.
_ENDS = re.compile(r"^[\W_]+|(?<![\W_])[\W_]+$")
_REMARK = re.compile(r"(?:(?<!\s)\s+)?[(\[\uff08](?P<said>[^()\[\]\uff08\uff09]*)[)\]\uff09]\W{0,40}$")
_REMARKS = 8  # of a name
_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.):]?\s+(?=\S)")
_BETWEEN = re.compile(r"[\W_]+")
_LANGUAGES = re.compile(r"(?<!\s)\s+[/|·]\s+")
_LATIN = re.compile(r"[A-Za-z]")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")
# What people write everywhere, whatever their dialect's own words are.
STANDINGS = {
    "completed": "completed complete done closed finished archived cancelled canceled abandoned shipped merged "
    "resolved ended superseded session_complete all_done",
    "paused": "paused pause on_hold suspended parked deferred handed_off stopped",
    "waiting": "waiting blocked awaiting pending stuck needs",
    "active": "active in_progress inprogress working ongoing started starting wip executing running ready planning "
    "planned current open underway discussion implementing verifying testing reviewing in_review draft new "
    "not_started not_yet_started todo to_do almost_done almost_complete nearly_done",
}
_GENERAL = [(word.replace("_", " "), meant) for meant, words in STANDINGS.items() for word in words.split()]
SIGNS = {"✅": "completed", "☑": "completed", "✔": "completed", "⏸": "paused", "⏳": "waiting", "🚫": "waiting"}
SIGNS |= {"⛔": "waiting", "🔴": "waiting", "🚧": "active", "🔄": "active", "🟢": "active", "🟡": "active"}

TYPE_CHECKING = False
if TYPE_CHECKING:
    Words = list[tuple[str, str]]


@lru_cache(8192)
def plain(name: str) -> str:
    """Return a name in lower case, without emphasis, emoji, numbers before it and remarks in brackets after it.

    One that has no words is as it stands.
    """
    words = _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", name)))
    for _ in range(_REMARKS):
        shorter = _REMARK.sub("", name).strip()
        if not words or shorter == name or not _ENDS.sub("", shorter):
            break
        name, words = shorter, _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", shorter)))
    return (_BETWEEN.sub(" ", words) or name.strip()).casefold()


def whole(name: str) -> str:
    """Return a name in lower case without emphasis around it, its remarks and signs kept."""
    return " ".join(name.strip().strip("*_`").split()).casefold()


def remarked(name: str) -> bool:
    """Whether a name bears a remark in brackets, which tells it from others of the same words."""
    return bool(_REMARK.search(name)) or not plain(name)


def percent(text: str) -> float | None:
    """Return the share that a text tells, such as 75 of "75%" or "[██░] 40 %", None when it tells none."""
    found = _PERCENT.search(text)
    return float(found[1]) if found else None


def number(text: str) -> int | None:
    """Return the whole number that a text begins with, None when it begins with none."""
    found = re.match(r"\W*(\d{1,9})\b", text)
    return int(found[1]) if found else None


def forms(heading: str) -> set[str]:
    """Return all names that a heading may go by: as a whole, before a colon, and in each of its languages."""
    found = {plain(heading), plain(heading.partition(":")[0]), *map(plain, _LANGUAGES.split(heading))}
    remark = _REMARK.search(heading)
    if remark and not _LATIN.search(heading[: remark.start()]):  # 当前上下文 (Active Context)
        found.add(plain(remark["said"]))
    return {name for name in found if name}


def standing(status: str, words: dict[str, list[str]]) -> str:
    """Return which of active, waiting, paused and completed a status comes to, "" when nobody can tell.

    `words` are a dialect's own; they count before the general ones, and longer ones before shorter.
    """
    said = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    if not said:
        return next((meant for sign, meant in SIGNS.items() if sign in status), "")
    own = [(_BETWEEN.sub(" ", word).casefold(), meant) for meant, known in words.items() for word in known]
    return _meant(said, own) or _meant(_uncounted(said), own) or _meant(said, _GENERAL)


def _meant(said: str, known: "Words") -> str:
    """Return what the longest of these words that a status begins with means, "" when it begins with none."""
    fitting = [(len(word), meant) for word, meant in known if said == word or said.startswith(word + " ")]
    return max(fitting, default=(0, ""))[1]


def _uncounted(said: str) -> str:
    """Return a status without the numbers in it: "phase complete" for "phase 2 complete"."""
    first, *rest = said.split()
    return " ".join([first, *(word for word in rest if not any(map(str.isdigit, word)))])

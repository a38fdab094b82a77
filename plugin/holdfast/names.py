"""What a heading, a label or a status in a person's words comes to: the same name however it was dressed."""

import re

_ENDS = re.compile(r"^[\W_]+|[\W_]+$")
_REMARK = re.compile(r"\s*[(\[（][^()\[\]（）]*[)\]）]\W*$")
_NUMBER = re.compile(r"^\d+(?:\.\d+)*[.):]?\s+(?=\S)")
_BETWEEN = re.compile(r"[\W_]+")
_LANGUAGES = re.compile(r"\s+[/|·]\s+")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")
_NEGATED = re.compile(r"(?:not|never|un|no)\b")
# What people write everywhere, whatever their dialect's own words are.
_STANDINGS = {
    "completed": "completed complete done closed finished archived cancelled canceled abandoned shipped merged resolved "
    "ended superseded",
    "paused": "paused pause on_hold suspended parked deferred handed_off",
    "waiting": "waiting blocked awaiting pending stuck needs",
    "active": "active in_progress inprogress working ongoing started starting wip executing running ready planning "
    "current open underway discussion implementing",
}
_SIGNS = {"✅": "completed", "☑": "completed", "✔": "completed", "⏸": "paused", "⏳": "waiting", "🚫": "waiting"}
_SIGNS |= {"⛔": "waiting", "🔴": "waiting", "🚧": "active", "🔄": "active", "🟢": "active", "🟡": "active"}


def plain(name: str) -> str:
    """Return a name in lower case, without emphasis, emoji, numbers before it and remarks in brackets after it."""
    words = _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", name)))
    while words and (shorter := _REMARK.sub("", name).strip()) != name and _ENDS.sub("", shorter):
        name, words = shorter, _ENDS.sub("", _NUMBER.sub("", _ENDS.sub("", shorter)))
    return _BETWEEN.sub(" ", words or name.strip()).casefold()


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
    return {name for name in found if name}


def standing(status: str, words: dict[str, list[str]]) -> str:
    """Return which of active, waiting, paused and completed a status comes to, "" when nobody can tell.

    `words` are a dialect's own; they count before the general ones, and longer ones before shorter.
    """
    said = _BETWEEN.sub(" ", _ENDS.sub("", status)).casefold()
    if not said or _NEGATED.match(said):
        return next((meant for sign, meant in _SIGNS.items() if sign in status), "") if not said else ""
    own = [(_BETWEEN.sub(" ", word).casefold(), meant) for meant, known in words.items() for word in known]
    general = [(word.replace("_", " "), meant) for meant, known in _STANDINGS.items() for word in known.split()]
    for known in (own, general):
        for word, meant in sorted(known, key=lambda pair: -len(pair[0])):
            if said == word or said.startswith(word + " "):
                return meant
    return ""

"""The current phase of a project: completed, or left for another one; a ROADMAP.md names the phases."""

import os
import re
from collections.abc import Iterator
from itertools import accumulate
from operator import itemgetter

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.formats.listing import cell_text
from holdfast.markdown.document import Document
from holdfast.memory.step import Changes
from holdfast.memory.view import CONTEXT, View, numbered
from holdfast.project import discovery, paths
from holdfast.trust import clone

ROADMAPS = ("ROADMAP.md", ".gsd-lite/ROADMAP.md", "gsd-lite/ROADMAP.md", ".planning/ROADMAP.md", "docs/ROADMAP.md")
_PHASE = re.compile(
    r"(?:\[.\]\s*|[^\w\s*]+\s+)?\**\s*Phase\s+(\d+(?:\.\d+)*)\**\s*[:.(\u2013\u2014-]\**\s*(.+?)(?:\*\*|$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:[-+*]\s+)?(?:\[.\]\s*)?\**(\d{1,3})[.)]\s+(?:\[.\]\s*)?\**([^*\n]+?)\**(?:\s+[-\u2013\u2014(].*)?"
)
_CELL = re.compile(r"(?:Phase\s+)?(\d+(?:\.\d+)*)(?:\s*[.:)\u2013\u2014-]\s*|\s+|$)(.*)", re.IGNORECASE | re.DOTALL)
_WORDS = {"done": "done|completed?|finished|shipped", "now": "current|in[ -]progress|active|ongoing"}
_SIGNS = {"done": "\u2705|\u2611\ufe0f?", "now": "\U0001f6a7|\U0001f504"}
_MORE = r"(?:[ ,]*\(?(?:\d{4}-\d\d-\d\d|\d{1,3}\s?%)\)?)?"  # a day or a percentage


def _ending(words: str, signs: str) -> str:
    """Return the pattern of a state at the end of a name: a word set apart from it, or a sign."""
    word = rf"[-\u2013\u2014:(|]\s*\**(?:(?:{signs})\s*)?(?:{words}){_MORE}(?:\s*(?:{signs}))?"
    return rf"(?:{word}|[\s|](?:{signs}){_MORE})[)*\s]*"


# At the end of a line or in a cell of its own, or a sign or box at its beginning.
_STATE = {
    name: re.compile(
        rf"{_ending(_WORDS[name], _SIGNS[name])}(?:\||$)|(?:{_SIGNS[name]})\s*\**Phase|\[{box}\]", re.IGNORECASE
    )
    for name, box in {"done": "[xX]", "now": "[~>]"}.items()
}
_STATED = re.compile(rf"\s*{_ending('|'.join(_WORDS.values()), '|'.join(_SIGNS.values()))}$", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]\n]{2,})\]\([^)\n]*\)")
_NAMES = ("name", "title", "goal", "description", "scope", "what")  # headings of the column with a phase's name
_NUMBER_HEADS = ("#", "no", "no.", "nr", "nr.", "number", "id")


def require_current(view: View, requested: str) -> None:
    """Raise HoldfastError without a current phase, and if that has not this number or name; "" is any."""
    if not view.phase:
        raise HoldfastError("There is no current phase. Name the one that begins: holdfast phase skip-to 1 NAME")
    names = {view.phase.casefold(), numbered(view.phase)[1].casefold()}
    is_number = _same(requested, view.phase) and not numbered(requested)[1]
    if requested and not is_number and requested.casefold() not in names:
        raise HoldfastError(
            f"{requested!r} is not the current phase, {view.phase}, so nothing was completed. "
            "To begin it next: holdfast phase complete --next NAME"
        )


def complete(view: View, following: str) -> Changes:
    """Complete the current phase and go on with the following one."""
    if following and (following.casefold() == view.phase.casefold() or _same(following, view.phase)):
        raise HoldfastError(f"{following} is the current phase. Name the next one: holdfast phase complete --next NAME")
    if not following:
        changes = Changes(
            f"Completed phase {view.phase}, the last one.", [f"Completed phase {view.phase}, the last one"]
        )
        return _set(changes, view, f"None ({view.phase} is complete)")
    answer = f"Completed phase {view.phase}. Now: {following}."
    return _set(Changes(answer, [f"Completed phase {view.phase}, began {following}"]), view, following)


def skip_to(view: View, following: str, *, named: bool) -> Changes:
    """Go on with another phase; what is left of the current one stays open, unless that only gets another name."""
    if named and _same(following, view.phase) and following != view.phase:
        return _set(
            Changes(f"The current phase is called {following} now.", [f"Renamed {view.phase} to {following}"]),
            view,
            following,
        )
    if _same(following, view.phase):
        return Changes(f"This is the current phase already: {view.phase}.", [])
    news = f"Skipped from {view.phase} to phase {following}" if view.phase else f"Began phase {following}"
    return _set(Changes(f"Now in phase {following}.", [news]), view, following)


def known(roadmap: dict[str, str], view: View, left: list[str]) -> dict[str, str]:
    """Return the phases that were left, the current one and those of the roadmap, by their numbers."""
    pairs = map(numbered, [*left, view.phase])
    return {**{_plain(number): name for number, name in pairs if number and name}, **roadmap}


def _same(one: str, other: str) -> bool:
    """Whether two phases have one number."""
    return bool(numbered(one)[0]) and _plain(numbered(one)[0]) == _plain(numbered(other)[0])


def _plain(number: str) -> str:
    """Return the number of a phase without leading zeros."""
    return ".".join(part.lstrip("0") or "0" for part in number.split(".")) if number else ""


def _set(changes: Changes, view: View, phase: str) -> Changes:
    """Add the new phase, in working memory or where the file's own format has it; the one before it is kept."""
    changes.noted.append({"kind": "phase", "text": view.phase, "now": phase})
    changes.own.append(("set", "phase", phase))
    return changes.set_fields(CONTEXT, Phase=phase)


def following(view: View, roadmap: dict[str, str], given: str, left: list[str]) -> str:
    """Return the phase after the current one: the one that is given, else the next one of the roadmap.

    "" after the last one of the roadmap. A phase that is given in words keeps them in a file that names its phase so.
    A name that the roadmap, the current phase or one that was left has means that phase.
    """
    number = _plain(numbered(view.phase)[0])
    if given:
        own, name = numbered(given)
        if given.casefold().startswith("phase ") and view.phase.casefold().startswith("phase "):
            return given
        names = known(roadmap, view, left)
        if not own and (own := _number_of(names, name)):
            name = names[own]
        after = str(int(number) + 1) if number.isdecimal() else ""
        if not own and after in roadmap:
            raise HoldfastError(
                f"ROADMAP.md has no phase {name!r}, and {_shown(after, roadmap[after])} is next. "
                "Give the number too: holdfast phase complete --next 'NUMBER NAME'"
            )
        return _shown(own or after, name)
    numbers = list(roadmap)
    rest = numbers[numbers.index(number) + 1 :] if number in numbers else []
    if not rest and number in numbers:
        return ""
    if not rest:
        why = f"ROADMAP.md has no phase {number or view.phase}" if roadmap else "no ROADMAP.md here names phases"
        raise HoldfastError(f"Which phase is next? {why}. Name it: holdfast phase complete --next NAME")
    return _shown(rest[0], roadmap[rest[0]])


def named(roadmap: dict[str, str], number: str, name: str) -> str:
    """Return the phase of this number, by the name that is given or the one in the roadmap.

    The name of a phase in the roadmap may be given instead of its number. HoldfastError for anything else.
    """
    own, rest = numbered(number)
    if not own:
        own = _number_of(roadmap, f"{number} {name}")
        name = roadmap.get(own, "")
    if not own:
        why = f"{number!r} is neither the number of a phase nor a name in ROADMAP.md. " if number else "Which phase? "
        raise HoldfastError(f"{why}Give its number: holdfast phase skip-to 3 NAME")
    name = name or rest or roadmap.get(_plain(own), "")
    if not name:
        known = ", ".join(roadmap) or "none, as no ROADMAP.md here names phases"
        raise HoldfastError(f"Phase {own} has no name here. Known: {known}. Name it: holdfast phase skip-to {own} NAME")
    return _shown(own, name)


def _number_of(phases: dict[str, str], name: str) -> str:
    """Return the number of the phase with this name, "" for none."""
    called = " ".join(name.split()).casefold()
    return next((one for one, title in phases.items() if called and title.casefold() == called), "")


def current(root: str, state: str) -> str:
    """Return the phase that ROADMAP.md marks as current, else the first after those that are done; "" if unknown."""
    known, lines = _roadmap(root, state)
    done = [number for number in known if _STATE["done"].search(lines[number])]
    now = [number for number in known if number not in done and _STATE["now"].search(lines[number])]
    left = [number for number in known if number not in done] if done else []
    return next((_shown(number, known[number]) for number in [*now, *left]), "")


def roadmap(root: str, state: str) -> dict[str, str]:
    """Return number and name of each phase in the project's ROADMAP.md, in order; {} without one that is trusted."""
    return _roadmap(root, state)[0]


def _roadmap(root: str, state: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return name and line of each phase in the project's ROADMAP.md, by number."""
    above = _folders(root, os.path.dirname(state))
    for path in dict.fromkeys(
        [*(f"{folder}/ROADMAP.md" for folder in above), *(f"{root}/{name}" for name in ROADMAPS)]
    ):
        small = os.path.isfile(path) and os.path.getsize(path) <= discovery.LARGEST
        data = (files.read_or_none(path) or b"") if small else b""
        found = ({}, {}) if clone.TrustCheck().untrusted([path]) else _phases(data)
        if found[0]:
            return found
    return {}, {}


def _folders(root: str, folder: str) -> "Iterator[str]":
    """Yield the folder of a state file and the folders above it, up to the root of the project."""
    while paths.within(folder, root) and folder != os.path.dirname(folder):
        yield folder
        folder = os.path.dirname(folder)


def _phases(data: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """Return names and lines of the phases in the headings, list items and tables; the first one with a number counts.

    Where none of them says "Phase", a numbered heading or item is one.
    """
    document, size = Document(data), len(data)
    texts = [(heading.start, heading.title) for heading in document.headings]
    texts += [(item.start, document.text(item.text_start, item.text_end)) for item in document.items(0, size)]
    for start, end in document.paragraphs(0, size):
        raw = document.data[start:end].splitlines(keepends=True)
        starts = accumulate(map(len, raw), initial=start)
        texts += [(at, line.decode("utf-8", "replace").strip()) for at, line in zip(starts, raw, strict=False)]
    texts = [(at, _LINK.sub(r"\1", words)) for at, words in texts]
    named = [(at, match[1], match[2]) for at, words in texts if (match := _PHASE.match(words))]
    named += _in_tables(document)
    if not named:
        lines = [document.text(start, document.line_end(start)).strip("# \r\n") for start, _ in texts]
        found_in = zip(texts, lines, strict=True)
        named = [(at, match[1], match[2]) for (at, _), words in found_in if (match := _NUMBERED.fullmatch(words))]
    phases: dict[str, str] = {}
    whole: dict[str, str] = {}
    for at, number, name in sorted(named, key=itemgetter(0)):
        words = re.sub(r"\s+[-\u2013\u2014]\s.*", "", name).strip(" .*")
        words = words if "(" in words else words.rstrip(")")
        phases.setdefault(_plain(number), _STATED.sub("", words) or words)
        whole.setdefault(_plain(number), document.text(at, document.line_end(at)).strip())
    return phases, whole


def _in_tables(document: Document) -> list[tuple[int, str, str]]:
    """Return where each phase of the tables is, its number and its name: in one cell, or in two."""
    rows: list[tuple[int, str, str]] = []
    place = -1
    named: list[int] = []
    numbers: list[int] = []
    for row in document.rows(0, len(document.data)):
        texts = [cell_text(document, cell).strip("*` ") for cell in row.cells]
        if row.header:
            plain = [text.casefold() for text in texts]
            place = next((at for at, text in enumerate(plain) if text == "phase" or text.startswith("phase ")), -1)
            named = [at for at, text in enumerate(plain) if text in _NAMES]
            numbers = [at for at, text in enumerate(plain) if text in _NUMBER_HEADS]
            continue
        if not 0 <= place < len(texts):
            continue
        own = _CELL.fullmatch(texts[place])
        others = [texts[at] for at in named if at < len(texts)] + texts[place + 1 :]
        number = (
            own[1]
            if own
            else next((texts[at] for at in numbers if at < len(texts) and texts[at].rstrip(".").isdecimal()), "")
        )
        name = own[2] if own else texts[place]
        if number:
            rows.append((row.start, number.rstrip("."), name or next(iter(others), "")))
    return rows


def _shown(number: str, name: str) -> str:
    return f"{number}. {name}" if number and name else number or name

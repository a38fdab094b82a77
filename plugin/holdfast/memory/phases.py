"""The current phase of a project: completed, or left for another one; a ROADMAP.md names the phases."""

import os
import re

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.markdown.document import Document
from holdfast.memory.step import Changes
from holdfast.memory.view import CONTEXT, View, numbered
from holdfast.project import discovery
from holdfast.trust import clone

ROADMAPS = ("ROADMAP.md", ".gsd-lite/ROADMAP.md", "gsd-lite/ROADMAP.md", ".planning/ROADMAP.md", "docs/ROADMAP.md")
_PHASE = re.compile(r"(?:\[.\]\s*)?\**\s*Phase\s+(\d+(?:\.\d+)*)\s*[:.\u2013\u2014-]\s*([^*\n]+)", re.IGNORECASE)


def complete(view: View, following: str) -> Changes:
    """Complete the current phase and go on with the following one."""
    if following == view.phase:
        raise HoldfastError(f"{following} is the current phase. Name the next one: holdfast phase complete NAME")
    answer = f"Completed phase {view.phase}. Now: {following}."
    return Changes(answer, [f"Completed phase {view.phase}, began {following}"]).set_fields(CONTEXT, Phase=following)


def skip_to(view: View, following: str) -> Changes:
    """Go on with another phase; what is left of the current one stays open."""
    news = f"Skipped from {view.phase} to phase {following}" if view.phase else f"Began phase {following}"
    return Changes(f"Now in phase {following}.", [news]).set_fields(CONTEXT, Phase=following)


def following(view: View, roadmap: dict[str, str], given: str) -> str:
    """Return the phase after the current one: the one that is given, else the next one of the roadmap."""
    if not view.phase:
        raise HoldfastError("There is no current phase. Name the one that begins: holdfast phase skip-to 1 NAME")
    number = numbered(view.phase)[0]
    if given:
        own, name = numbered(given)
        after = str(int(number) + 1) if number.isdecimal() else ""
        return _shown(own or after, name)
    numbers = list(roadmap)
    rest = numbers[numbers.index(number) + 1 :] if number in numbers else []
    if not rest:
        why = f"no phase after {view.phase} is known" if roadmap else "there is no ROADMAP.md"
        raise HoldfastError(f"Which phase is next? {why}. Name it: holdfast phase complete NAME")
    return _shown(rest[0], roadmap[rest[0]])


def named(roadmap: dict[str, str], number: str, name: str) -> str:
    """Return the phase of this number, by the name that is given or the one in the roadmap.

    The name of a phase in the roadmap may be given instead of its number. HoldfastError for anything else.
    """
    own, rest = numbered(number)
    if not own:
        called = " ".join(f"{number} {name}".split()).casefold()
        own = next((one for one, title in roadmap.items() if called and title.casefold() == called), "")
        name = roadmap.get(own, "")
    if not own:
        why = f"{number!r} is neither the number of a phase nor a name in ROADMAP.md. " if number else "Which phase? "
        raise HoldfastError(f"{why}Give its number: holdfast phase skip-to 3 NAME")
    name = name or rest or roadmap.get(own, "")
    if not name:
        known = ", ".join(roadmap) or "none, as there is no ROADMAP.md"
        raise HoldfastError(f"Phase {own} has no name here. Known: {known}. Name it: holdfast phase skip-to {own} NAME")
    return _shown(own, name)


def roadmap(root: str, state: str) -> dict[str, str]:
    """Return number and name of each phase in the project's ROADMAP.md, in order; {} without one that is trusted."""
    beside = os.path.join(os.path.dirname(state), "ROADMAP.md")
    for path in (beside, *(os.path.join(root, name) for name in ROADMAPS)):
        small = os.path.isfile(path) and os.path.getsize(path) <= discovery.LARGEST
        data = (files.read_or_none(path) or b"") if small else b""
        found = {} if clone.TrustCheck().untrusted([path]) else _phases(data)
        if found:
            return found
    return {}


def _phases(data: bytes) -> dict[str, str]:
    """Return the phases in the headings and list items of a text; the first phase with a number counts."""
    document, size = Document(data), len(data)
    texts = [(heading.start, heading.title) for heading in document.headings]
    texts += [(item.start, document.text(item.text_start, item.text_end)) for item in document.items(0, size)]
    found: dict[str, str] = {}
    for _, words in sorted(texts):
        phase = _PHASE.match(words)
        if phase:
            found.setdefault(phase[1], re.sub(r"\s+[-\u2013\u2014]\s.*", "", phase[2]).strip(" .*"))
    return found


def _shown(number: str, name: str) -> str:
    return f"{number}. {name}" if number and name else number or name

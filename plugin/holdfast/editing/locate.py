"""Find the place of a request in a state file: its keys are matched with sections, fields and words of the format."""

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.format import WORDS, Field, Part
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import Label, Section

_FRONT = "frontmatter"
_SERIES = pattern(r"\w+ (?=\d)")  # begins the heading of one of several groups, such as Wave 3
_DECISION = '{"decision": "…", "rationale": "…"}'
_LISTED = frozenset(("questions", "decisions", "blockers", "next"))  # words for which any format may have a section


class Target:
    """The place of a request: an existing one, a new field within `section`, or a new section.

    Exactly one of `spot` (exists), `field` (a new label or key of this name) and `part` (a new section) is set.
    """

    def __init__(
        self, spot: Spot | None = None, *, field: str = "", part: Part | None = None, section: Section | None = None
    ) -> None:
        self.spot = spot
        self.field = field
        self.part = part
        self.section = section


def targets(record: Record, request: Request) -> list[Target]:
    """Return all places of a request; HoldfastError says why there is none."""
    if request.empty and request.keys[-1].isdigit():
        raise HoldfastError(f"an item is a text, or a decision such as {_DECISION}")
    if request.empty:
        raise HoldfastError("there is no text in it; holdfast sets and adds, it does not delete")
    found = _one(record, request, request.keys[0]) if len(request.keys) == 1 else _nested(record, request)
    if any(_is_stamp(record, target, request) for target in found):
        raise HoldfastError("holdfast writes this time itself, with each change of the file")
    spots = [target.spot for target in found if target.spot and target.spot.kind == "front"]
    if record.file_format.derived and spots and len(spots) < len(found):
        raise HoldfastError("its frontmatter is written anew from the body by another program; name the body's field")
    return found


def _is_stamp(record: Record, target: Target, request: Request) -> bool:
    """Whether a request would set the time of the last change, in a form that holdfast keeps up to date."""
    spot, label = target.spot, target.spot.label if target.spot else None
    place = f"label:{label.name}" if label else f"front:{spot.path}" if spot else target.field
    there = record.text(spot) if spot else ""
    return place in record.file_format.stamp and there != request.text and bool(clock.form(there or request.text))


def field(record: Record, target: Target) -> Field | None:
    """Return the format's description of the field at a place, None when it has none."""
    fields = [(part, field) for part in record.file_format.parts for field in part.fields]
    spot, path = target.spot, target.field.removeprefix("front:") if target.field.startswith("front:") else ""
    if path or (spot and spot.kind == "front"):
        name = names.plain(path or (spot.path if spot else ""))
        return next((field for part, field in fields if part.holds == "front" and name in field.names), None)
    if spot and spot.kind == "section" and spot.section:  # a list that may be a section of its own
        called = names.forms(spot.section.title)
        return next((field for _, field in fields if field.kind == "replaced" and field.names & called), None)
    name = spot.label.name if spot and spot.label else target.field
    section = record.around(spot.label.start) if spot and spot.label else target.section
    part = record.part(section) if section else target.part or _above(record, name)
    if part is None and record.section is not None:  # an entry of a hub
        part = _above(record, name)
    return part.field(name) if part and name else None


def _nested(record: Record, request: Request) -> list[Target]:
    """Return the places for keys such as Metadata.Focus or session.status."""
    title, name = request.keys[-2:]
    dotted = ".".join(request.keys)
    if _is_front(record, request.keys):
        return _front(record, dotted.removeprefix(_FRONT + "."))
    if len(request.keys) > 2:
        raise HoldfastError("its keys go deeper than a section and a field in it")
    sections = record.sections(title)
    if len(sections) > 1:
        raise _twice(record, [section.start for section in sections])
    if sections:
        return _in_section(record, request, sections[0], name)
    part = record.file_format.part(title)
    if part and _has_field(part, request, name):
        return [Target(field=name, part=part), *_mirrored(record, part.field(name))]
    if part and (inner := record.file_format.part(name)) and names.plain(inner.under) in part.names:
        return [Target(part=inner)]
    word = WORDS.get(names.plain(name))
    if part is None and word and (found := _of_word(record, request, word)):
        return found
    raise HoldfastError(f"there is no section {title} in this {record.file_format.name} file")


def _is_front(record: Record, keys: tuple[str, ...]) -> bool:
    """Whether keys name a place in the frontmatter, of the file or of the format."""
    if record.section is not None or record.file_format.derived:
        return False
    known = [field.name for part in record.file_format.parts if part.holds == "front" for field in part.fields]
    first = any(name.startswith(keys[0] + ".") for name in known)
    return keys[0] == _FRONT or first or record.metadata.has(".".join(keys)) or record.metadata.has(keys[0])


def _front(record: Record, path: str) -> list[Target]:
    """Return the place of a key of the frontmatter, existing or new, and of the field that has the same value."""
    mirror = record.file_format.mirror(path)
    spots = record.find(f"label:{mirror[0].title}/{mirror[1].name}") if mirror else []
    if len(spots) > 1:
        raise _twice(record, [spot.label.start for spot in spots if spot.label])
    there = record.metadata.has(path)
    leaf = path.rpartition(".")[2]
    if not there and leaf != path and record.metadata.has(leaf) and not record.metadata.has(path.partition(".")[0]):
        path, there = leaf, True  # the file has the value already, in another shape than its format has it
    front = Target(Spot("front", path=path)) if there else Target(field="front:" + path)
    return [front, *map(Target, spots)]


def _in_section(record: Record, request: Request, section: Section, name: str) -> list[Target]:
    """Return the places of a field or subsection of an existing section."""
    labels = [label for label in record.labels(name, section) if request.text or label.style != "heading"]
    if len(labels) > 1:
        raise _twice(record, [label.start for label in labels])
    if labels:  # a place in the body is the only one, unless a key of the frontmatter has the same value
        target = Target(Spot("label", label=labels[0]))
        return [target, *_mirrored(record, field(record, target))]
    inner = [found for found in record.sections(name) if section.body <= found.start < section.end]
    if len(inner) > 1:
        raise _twice(record, [found.start for found in inner])
    if inner:
        return [Target(Spot("section", section=inner[0]))]
    part = record.part(section)
    below = record.file_format.part(name)
    if part and below and names.plain(below.under) in part.names:
        return [Target(part=below)]
    labelled = part is None and bool(record.document.labels(section.body, record.own_end(section)))
    if (request.text and labelled) or (part and _has_field(part, request, name)):
        return [Target(field=name, section=section), *_mirrored(record, part.field(name) if part else None)]
    if part and part.holds == "checks" and request.items:
        return [_group(part, name)]
    raise HoldfastError(f"the section {section.title} has no field or section {name}")


def _series(record: Record, name: str) -> Part | None:
    """Return the section of boxes that has a group like one of this name: "Wave 1: Tiles" for "Wave 3: Chimney"."""
    series = _SERIES.match(name)
    for part in record.file_format.parts if series else ():
        sections = record.sections(part.title) if part.holds == "checks" else []
        inner = [one.title for section in sections for one in record.within(section.body, section.end)]
        if series and any(title.startswith(series[0]) for title in inner):
            return part
    return None


def _group(part: Part, name: str) -> Target:
    """Return the place of a new group of boxes in a section, such as a wave."""
    return Target(part=Part({"title": name, "holds": "checks", "level": part.level + 1, "under": part.title}))


def _has_field(part: Part, request: Request, name: str) -> bool:
    """Whether a section that the format knows may have such a field."""
    return bool(request.text) and (part.holds == "fields" or part.field(name) is not None)


def _one(record: Record, request: Request, name: str) -> list[Target]:
    """Return the places for a single key: the status anywhere in the file, else a section, else a field."""
    if request.text and WORDS.get(names.plain(name)) == "status" and (found := _of_word(record, request, "status")):
        return found
    sections, labels = record.sections(name), record.labels(name)
    if WORDS.get(names.plain(name)) == "status":  # not a section with another name for the status
        sections = [section for section in sections if names.plain(name) in names.forms(section.title)]
    if sections and (request.items or not any(label.style == "heading" for label in labels)):
        return [_section(record, sections)]
    return _of_labels(record, labels) if labels else _not_there(record, request, name)


def _not_there(record: Record, request: Request, name: str) -> list[Target]:
    """Return the places for a key that the file does not have as section or field, from the format."""
    part, word = record.file_format.part(name), WORDS.get(names.plain(name))
    if word in _LISTED and request.items and any(spot.kind in {"section", "label"} for spot in record.spots(word)):
        return _of_word(record, request, word)  # the file has them under another heading, or after a label
    group = _series(record, name) if request.items else None
    if group or (part and part.holds != "front"):
        return [_group(group, name) if group else Target(part=part)]
    if _is_front(record, (name,)):
        return _front(record, name)
    if word and (found := _of_word(record, request, word)):
        return found
    fields = [field.name for part in record.file_format.parts if part.holds == "front" for field in part.fields]
    above, nested = _above(record, name), record.metadata.nested(name)
    nested = nested or [known for known in fields if known.endswith(f".{name}") and _is_front(record, (_FRONT,))]
    if above or (len(nested) == 1 and _is_front(record, (_FRONT,))):
        return [Target(field=name, part=above)] if above else _front(record, nested[0])
    if word in _LISTED and request.items and record.section is None:
        return [Target(part=Part({"title": name, "holds": "list", "level": 2}))]
    raise HoldfastError(
        f"neither the file nor its format {record.file_format.name} has a section or field of this name"
    )


def _section(record: Record, sections: list[Section]) -> Target:
    """Return the one section as a place."""
    if len(sections) > 1:
        raise _twice(record, [section.start for section in sections])
    return Target(Spot("section", section=sections[0]))


def _of_labels(record: Record, labels: list[Label]) -> list[Target]:
    """Return the one label as a place, and the key of the frontmatter with the same value."""
    around = {section.title for label in labels if (section := record.around(label.start))}
    if len(around) == len(labels) > 1:
        name, titles = labels[0].name, " and ".join(sorted(around))
        raise HoldfastError(f'it is in {titles}; name the section, as in {{"{min(around)}": {{"{name}": "…"}}}}')
    if len(labels) > 1:
        raise _twice(record, [label.start for label in labels])
    found = [Target(Spot("label", label=labels[0]))]
    for word in record.file_format.model:
        spots = record.spots(word)
        if any(spot.label and spot.label.start == labels[0].start for spot in spots):
            return found + _keys(record, spots)
    return found + _mirrored(record, field(record, found[0]))


def _mirrored(record: Record, known: Field | None) -> list[Target]:
    """Return the key of the frontmatter that has the same value as a field, [] when the file has none."""
    path = known.front if known and not record.file_format.derived else ""
    return [Target(Spot("front", path=path))] if path and record.metadata.has(path) else []


def _keys(record: Record, spots: list[Spot]) -> list[Target]:
    """Return those of a word's places that are keys of the frontmatter which holdfast may write."""
    return [] if record.file_format.derived else [Target(spot) for spot in spots if spot.kind == "front"]


def _of_word(record: Record, request: Request, word: str) -> list[Target]:
    """Return all places of a word of the model, which have the same value; else the place where to add it."""
    places = record.file_format.model.get(word, [])
    if word == "title":  # the other places that a title is read from have a meaning of their own
        others = {place for other, known in record.file_format.model.items() if other != word for place in known}
        places = [place for place in places if place.startswith(("front:", "title:")) and place not in others]
    same: list[Spot] = []
    for place in places:
        spots = record.find(place)
        labels = [spot.label for spot in spots if spot.label]
        sections = [spot.section for spot in spots if spot.section and spot.kind == "section"]
        if labels:
            return _of_labels(record, labels)
        if sections:
            target = _section(record, sections)
            return [target if place.startswith("heading:") else _overwritten(record, request, target)]
        same += spots
    titles = [Target(spot) for spot in same if spot.kind == "title"][:1]
    if record.file_format.derived and same and not titles:  # what the body lacks is read from the frontmatter
        return [Target(spot) for spot in same if spot.kind == "front"]
    return _keys(record, same) + titles if request.text and same else _begun(record, places)


def _overwritten(record: Record, request: Request, target: Target) -> Target:
    """Return the section found through a word of the model; HoldfastError if its text would be replaced.

    The request did not name the section itself, so only a placeholder there may be replaced.
    """
    section = target.spot.section if target.spot else None
    if section is None or not request.text:
        return target
    part, text = record.part(section), record.body(section)
    if text and not record.unfilled(text) and not (part and part.holds in {"list", "checks", "log"}):
        raise HoldfastError(f"{section.title} has a text already; to replace it, use {section.title} as the name")
    return target


def _begun(record: Record, places: list[str]) -> list[Target]:
    """Return the first of these places that can be added, [] for none."""
    for place in places:
        kind, _, rest = place.partition(":")
        title, slash, name = rest.partition("/")
        part = record.file_format.part(title)
        sections = record.sections(title) if slash else []
        if kind == "front" and record.document.frontmatter and not (record.section or record.file_format.derived):
            return _front(record, rest)
        if kind == "section" and part:
            return [Target(part=part)]
        if kind == "label" and len(sections) == 1:
            return [Target(field=name, section=sections[0])]
        if kind == "label" and part and slash:
            return [Target(field=name, part=part)]
        if kind == "label" and not slash and (above := _above(record, rest)):
            return [Target(field=rest, part=above)]
    return []


def _above(record: Record, name: str) -> Part | None:
    """Return the part of the lines above all sections if the format has this field there."""
    return next((part for part in record.file_format.parts if not part.title and part.field(name)), None)


def _twice(record: Record, starts: list[int]) -> HoldfastError:
    """Return the error for a name that appears more than once."""
    numbers = sorted({record.document.line(start) for start in starts})
    if len(numbers) == 1:
        return HoldfastError(f"line {numbers[0]} has two of this name, so their values cannot be told apart")
    lines = ", ".join(map(str, numbers[:5]))
    return HoldfastError(f"it appears {len(starts)} times, on lines {lines}; keep one of them")

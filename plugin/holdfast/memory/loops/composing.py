"""Loops as bytes: a new loop, another status, and new elements in a loop."""

from holdfast.core.errors import HoldfastError
from holdfast.memory.loops import elements
from holdfast.memory.loops.elements import Element
from holdfast.memory.loops.loop import INNER, OWN, STATUSES, Loop

_STEP = "  "

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.memory.loops.elements import Splice


def composed(data: bytes, like: Loop | None, ident: str, fields: dict[str, str]) -> list[str]:
    """Return the lines of a new loop that is open, indented like another one; a field without text is left out."""
    indent = elements.indentation(data, like.start) if like else ""
    step = step_of(data, like) if like else _STEP
    inner = [
        line for name in OWN if fields.get(name) for line in elements.lines(name, fields[name], indent + step, step)
    ]
    return [f'{indent}<loop id="{ident}" status="{STATUSES[0]}">', *inner, f"{indent}</loop>"]


def turned(data: bytes, loop: Loop, status: str) -> list["Splice"]:
    """Return the splices that set the status in each place where the loop has one."""
    places = [(child.inner, child.inner_end) for child in loop.children if child.name == "status"]
    places += [loop.own_status] if loop.own_status else []
    found = [(start, end, status.encode()) for start, end in places if _word(data[start:end]) != status]
    at = loop.tag_end - 1
    return found if loop.own_status else [(at, at, f' status="{status}"'.encode()), *found]


def _word(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip().casefold()


def put(data: bytes, loop: Loop, name: str, fields: dict[str, str], newline: bytes) -> list["Splice"]:
    """Return the splices that set these fields in the element `name` of a loop; its other fields stay."""
    texts = {tag: fields[field] for tag, field in INNER[name].items() if fields.get(field)}
    holder = _only(loop, loop.children, name)
    step = step_of(data, loop)
    if holder is None:
        indent = elements.indentation(data, loop.start) + step
        inner = [line for tag, text in texts.items() for line in elements.lines(tag, text, indent + step, step)]
        block = [f"{indent}<{name}>", *inner, f"{indent}</{name}>"]
        return [elements.before(data, loop.end, "loop", block, newline)]
    there = holder.children
    indent = elements.indentation(data, there[0].start if there else holder.start) + ("" if there else step)
    found: list[Splice] = []
    new: list[str] = []
    for tag, text in texts.items():
        element = _only(loop, there, tag)
        if element is None:
            new += elements.lines(tag, text, indent, step)
        elif elements.text_of(data, element) != text:
            own = elements.indentation(data, element.start)
            found.append((element.inner, element.inner_end, elements.between(tag, text, own, step, newline)))
    return [*found, elements.before(data, holder.end, name, new, newline)] if new else found


def _only(loop: Loop, found: list[Element], name: str) -> Element | None:
    """Return the one element of a name, None for none; HoldfastError when it appears twice."""
    same = [element for element in found if element.name == name]
    if len(same) > 1:
        raise HoldfastError(f"{loop.ident} on line {loop.line} has <{name}> {len(same)} times; keep one of them")
    return same[0] if same else None


def step_of(data: bytes, loop: Loop) -> str:
    """Return the indentation of the elements of a loop, relative to the loop."""
    own = elements.indentation(data, loop.start)
    inner = elements.indentation(data, loop.children[0].start) if loop.children else ""
    return inner[len(own) :] if inner.startswith(own) and len(inner) > len(own) else _STEP

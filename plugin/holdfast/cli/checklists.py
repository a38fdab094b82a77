"""Checklists as a terminal shows them: what is open in a few lines, measured items first, and what to type."""

from holdfast.cli import screen
from holdfast.context.checklist import checklist
from holdfast.context.short_lists import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.context.checklist.checklist import Item


def short(items: "Iterable[Item]") -> list[str]:
    """Return the items as lines: the open ones, then those only a person can tick, and one line with what is done."""
    known = [item for item in items if item.kind != "delete"]
    left = [item.text for item in known if not item.ok and item.kind in checklist.MEASURED]
    asked = [item.text for item in known if not item.ok and item.kind not in checklist.MEASURED]
    done = ", ".join(item.what for item in known if item.ok)
    return [*left, *asked, *screen.fitted([f"Done: {done}"] if done else [])]


def fitted(lines: list[str]) -> list[str]:
    """Return lines cut to the width of the terminal."""
    known = screen.size()
    return [cut(line, known[0]) for line in lines] if known else lines


def commands(name: str, *, finished: bool, in_git: bool) -> list[str]:
    """Return what to type next: to complete the work that has this ID, unless that is done, and to delete its file.

    holdfast deletes only what git keeps a copy of.
    """
    close = [] if finished else [f"Complete it:     holdfast close {name}"]
    delete = [f"Delete its file: {f'holdfast close {name} --delete' if in_git else 'by hand; git keeps no copy of it'}"]
    return [*close, *delete, f"All items:       holdfast close {name} --check --all"]

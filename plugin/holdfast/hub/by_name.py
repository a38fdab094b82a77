"""The entries of a hub by the names in their headings, as `PR Workflow (child of Git Neuron)` names its parent."""

from functools import cached_property
from itertools import islice

from holdfast.core.statuses import OVER
from holdfast.formats import names
from holdfast.hub import links
from holdfast.hub.entry import Entry
from holdfast.hub.entry_fields import name_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.markdown.document import Section


class ByName:
    """The entries of these sections; each name is looked up once, because a hub may have thousands of children."""

    def __init__(self, sections: "Iterable[Section]", read: "Callable[[Section], Entry]") -> None:
        self._sections = sections
        self._read = read
        self._called: dict[str, list[Entry]] = {}
        self._open: dict[str, list[Entry]] = {}
        self._parents: dict[tuple[str, str], list[links.Link]] = {}

    @cached_property
    def _named(self) -> "dict[str, list[Section]]":
        """The sections by the plain names in their headings."""
        found: dict[str, list[Section]] = {}
        for section in self._sections:
            found.setdefault(names.plain(name_in(section.title)), []).append(section)
        return found

    def called(self, name: str) -> list[Entry]:
        """Return the entries of a name that have an id."""
        requested = names.plain(name)
        if requested not in self._called:
            begun = [one for one in self._named.get(requested, []) if requested in names.plain(one.title)]
            found = [self._read(section) for section in begun]
            self._called[requested] = [entry for entry in found if entry.ident]
        return self._called[requested]

    def parents(self, entry: Entry) -> list[links.Link]:
        """Return the one parent that the heading of an entry names.

        If several entries have that name, it is the only one that is not completed; [] where there are more.
        """
        asked = entry.parent_name, entry.ident
        if asked not in self._parents:
            found = _others(self._going(entry.parent_name), entry) or _others(self.called(entry.parent_name), entry)
            self._parents[asked] = [links.Link(found[0].ident, found[0].name)] if len(found) == 1 else []
        return self._parents[asked]

    def _going(self, name: str) -> list[Entry]:
        """Return the entries of a name that are not completed."""
        if name not in self._open:
            self._open[name] = [one for one in self.called(name) if one.category not in OVER]
        return self._open[name]


def _others(found: list[Entry], entry: Entry) -> list[Entry]:
    """Return the first two that are not the entry itself."""
    return list(islice((one for one in found if not links.same(one.ident, entry.ident)), 2))

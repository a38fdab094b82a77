"""Changes of any hub there can be: nobody's text goes, twice is once, what was put reads back, no entry is lost."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.hub import update, writing
from holdfast.hub.document import HISTORY, Hub, PlacedEntry
from holdfast.hub.entry_values import links_in
from holdfast.hub.transaction import Transaction
from holdfast.hub.update import Request
from holdfast.sessions import hub_location
from tests.hazards import VALUES
from tests.robustness.test_hazards import FORMATS
from tests.support import hubs as written

if TYPE_CHECKING:
    from holdfast.hub.entry import Entry
    from holdfast.markdown.document import Label

IDENT = re.compile(r"id-%-(?:ab|in)\b(?!-)")
NOW = 1_768_665_600.0  # 2026-01-17 16:00 UTC
GENIE = next(file_format for file_format in FORMATS if file_format.name == "genie")
# How people write an entry; % stands for its number.
_STYLES = """\
### Git Neuron - Work %
**Session ID:** `id-%-ab`
**Started:** 2025-10-17 16:00 UTC
**Status:** active
**Purpose:** Work %
**Next:** Step %
§### 🎯 **Tests** (child of nobody) %
- **Session ID:** id-%-ab
- **Status:** active  # not now
- **Children:** None
- **Purpose:** Bulleted %
- A remark on %
§### Plain %
Session ID: id-%-ab
Status: in progress, half of % is done
Purpose: Plain % and
its second line
Next: None yet
§### Outside %
**Session ID**: `id-%-ab` (of %)
**Started**: 2025-10-17 16:00 UTC
**Status**: paused
**Last Updated**: !`date -u`
**Children**: [none]
**Purpose**: Colons outside %
§### Breaks %
**Session ID:** `id-%-ab`\x20\x20
**Status:** active\x20\x20
**Purpose:** Breaks %\x20\x20
**Context:** one of %; two of %\x20\x20

A paragraph of % after its fields.

> A quote of %
§### Lists %
**Session ID:** `id-%-ab`
**Status:** active
**Children:**
- someone (other-%)
- nobody (other-%-b)
**Context:**
- Branch: feat/%
- Status: of the branch %
- Files: src/%.ts
**Purpose:** Lists %
§### Inner %
**Session ID:** `id-%-ab`
**Status:** active
**Purpose:** Inner %

#### Notes of %
**Status:** of the notes of %

- [ ] open %

#### More of %
Text of %
§### Fence %
**Session ID:** `id-%-ab`
**Purpose:** Fence %

```markdown
### Not an entry %
**Session ID:** `id-%-ab-not`
**Status:** completed
```

**Status:** active
§### Table %
| Field | Value |
|-------|-------|
| Session ID | id-%-ab |
| Status | active |
| Purpose | Table % \\| and |

Remark of %
§### Comment %
<!-- **Status:** completed of % -->
**Session ID:** `id-%-ab`
<!--
### Hidden %
**Session ID:** `id-%-ab-hidden`
-->
**Status:** active
**Purpose:** Comment %
§### Odd order %
**Purpose:** Odd %
**Next:** Go on with %
**Status:** ✅ completed %
**Agent:** git
**Session ID:** `id-%-ab`
§### Little %
**Session ID:** `id-%-ab`
§### Around %
**Session ID:** `id-%-ab`
**Status:** active
**Purpose:** Around %

#### Within %
**Session ID:** `id-%-in`
**Status:** active
**Purpose:** Within %

##### Notes within %
Text %
§### Tagged %
**Session ID:** `id-%-ab`
**Status:** active
**Purpose:** Tagged %

<decision_%>
Decided on %
</decision_%>
§### Ends in a list %
**Session ID:** `id-%-ab`
**Status:** active
**Purpose:** List %
**Children:**
- last (last-%)"""
STYLES = _STYLES.split("§")
# What stands between, before and after; § ends a piece.
_PROSE = """\
A person's paragraph %.
§- an item %
- another %
§### A heading without an entry %
Its text %
§```
## Active Sessions
### Fenced %
```
§<!-- Add sessions below % -->
§> quoted %
§| a% | b |
|----|---|
| 1  | 2 |
§<details>
<summary>Old %</summary>

### Within details %
</details>
§1. one %
2. two"""
PROSE = _PROSE.split("§")
_ENDS = """\
## Notes
- Branch: x
- Session: none of yours
§## 📊 Sessions by the week

### Week 3
All quiet.
§<!-- the end -->"""
ENDS = _ENDS.split("§")
CLOSING = [
    "",
    "",
    "---\n\n*Kept by the librarian.*",
    "---\n**Last Updated:** 2026-01-01 10:00 UTC",
    "***",
    "<!-- last -->",
]
ACTIVE = [
    "## Active Sessions",
    "## 🎯 Active Sessions",
    "## Active Neuron Sessions",
    "Active Sessions\n---------------",
    "## 当前 / Active Sessions",
]
PAST = [
    "## Session History (Recent)",
    "## 📜 Session History",
    "## Completed Sessions",
    "## Session History (Recent) ##",
]
TOPS = [
    "# Session State\n**Last Updated:** !`date -u`\n\n",
    "",
    "---\ntitle: x\n---\n\n# Hub\n",
    "\ufeff# Hub\n\nWords.\n\n",
]
CHANGED = ("Status", "Last Updated", "Completed", "Context", "Children", "Parent", "Branch", "Purpose")
WORDS = [
    *(value for value in VALUES if value.strip()),
    "Read the invoices",
    "files_modified:[a.py,b.py] tests_pass:true",
]


class Made(NamedTuple):
    """A hub, and the ids in it."""

    data: bytes
    idents: list[str]


class Asked(NamedTuple):
    """An update by the number of its session, of which those beyond the hub's are new."""

    number: int
    action: str
    words: str
    parent: int
    purpose: str


@st.composite
def hubs(draw: st.DrawFn) -> Made:
    """Draw a hub of a person's pieces."""
    numbers = iter(range(1, 100))
    idents: list[str] = []

    def entries(most: int) -> list[str]:
        found = []
        for style in draw(st.lists(st.sampled_from(STYLES), max_size=most)):
            number = next(numbers)
            idents.extend(_numbered(ident, number) for ident in IDENT.findall(style))
            found.append(_numbered(style, number))
            found += [_numbered(prose, next(numbers)) for prose in draw(st.lists(st.sampled_from(PROSE), max_size=1))]
        return found

    blank = draw(st.sampled_from(["\n\n", "\n\n", "\n\n\n"]))
    parts = [draw(st.sampled_from(ACTIVE)), *entries(4)]
    if draw(st.booleans()):
        parts += [draw(st.sampled_from(PAST)), *entries(3)]
    parts += draw(st.lists(st.sampled_from(ENDS), max_size=2, unique=True))
    parts += [closing] if (closing := draw(st.sampled_from(CLOSING))) else []
    text = draw(st.sampled_from(TOPS)) + blank.join(parts) + draw(st.sampled_from(["\n", "", "\n\n"]))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return Made(text.replace("\n", newline).encode(), idents)


def _numbered(piece: str, number: int) -> str:
    """Return a piece with its number in it."""
    return piece.replace("%", str(number))


ASKED = st.builds(
    Asked,
    st.integers(0, 8),
    st.sampled_from(["started", "in_progress", "completed", "waiting", "paused"]),
    st.sampled_from(["", *WORDS]) | st.text(max_size=12),
    st.integers(-12, 8),
    st.sampled_from(["", "", *WORDS]),
)


def _request(made: Made, asked: Asked) -> Request:
    """Return the request of an update."""
    known = [*made.idents, *(f"new-{number}" for number in range(9 - len(made.idents)))]
    given = {"action": asked.action, "agent": "git", "session_id": known[asked.number], "context": asked.words}
    parent = known[asked.parent] if asked.parent >= 0 and asked.parent != asked.number else ""
    return Request({**given, "parent_session": parent, "purpose": asked.purpose})


def _done(data: bytes, request: Request, now: float = NOW) -> bytes | None:
    """Return a hub after an update, None when that is refused; anything but a HoldfastError breaks the test."""
    transaction = Transaction(Hub(data, GENIE), now)
    try:
        update.apply(transaction, request)
        return transaction.done()
    except HoldfastError as error:
        note(f"refused: {error}")
        return None


def _lines(data: bytes) -> list[bytes]:
    """Return the lines that are not blank."""
    return [line.strip(b"\xef\xbb\xbf") for line in re.split(rb"\r\n|\r|\n", data) if line.strip()]


def _missing(wanted: list[bytes], found: list[bytes]) -> list[bytes]:
    """Return the lines that do not stand among others in their order."""
    rest = iter(found)
    return [line for line in wanted if line not in rest]


def _outside(hub: Hub, touched: set[str]) -> list[bytes]:
    """Return the lines of a hub without these entries."""
    parts, at = [], 0
    for found in hub.entries():
        if found.entry.ident in touched and found.start >= at:
            parts.append(hub.data[at : found.start])
            at = found.end
    return _lines(b"".join([*parts, hub.data[at:]]))


def _own(hub: Hub, found: PlacedEntry) -> list[bytes]:
    """Return the lines of an entry without those of entries in it."""
    inner = [(one.start, one.end) for one in hub.entries() if found.start < one.start < found.end]
    data = hub.data[: found.end]
    for start, end in reversed(inner):
        data = data[:start] + data[end:]
    return _lines(data[found.start :])


def _touched(before: Hub, after: Hub) -> set[str]:
    """Return the ids of the entries that changed, came, or moved."""
    old, new = (
        {found.entry.ident: (found.entry.data.strip(), found.history) for found in hub.entries()}
        for hub in (before, after)
    )
    return {ident for ident in {*old, *new} if old.get(ident) != new.get(ident)}


def _kept(data: bytes, after: bytes) -> None:
    """Check that an update took nothing from a hub but values of the fields that it may set."""
    before, changed = Hub(data, GENIE), Hub(after, GENIE)
    touched = _touched(before, changed)
    assert _missing(_outside(before, touched), _outside(changed, touched)) == []
    new = {found.entry.ident: found for found in changed.entries()}
    for found in before.entries():
        if found.entry.ident not in touched:
            continue
        entry = new[found.entry.ident].entry
        free = {line for name, label in found.entry.labels if name in CHANGED for line in _value(found.entry, label)}
        own = [line for line in _own(before, found) if line not in free]
        reported = _own(changed, new[found.entry.ident])
        if re.match(rb"### Git(?: - | \(child|\Z)", own[0]) and reported[0].startswith(b"### Git"):
            own = own[1:]  # an update's own heading follows the purpose
        assert _missing(own, reported) == []
        fields = dict(entry.pairs())
        for name, stated in found.entry.pairs():
            assert name in CHANGED or fields[name] == stated


def _value(entry: Entry, label: Label) -> list[bytes]:
    """Return the lines of a field, to the end of its list."""
    return _lines(entry.data[label.start : max(label.end, *(item.end for item in label.items), 0)])


def _ids(hub: Hub) -> list[str]:
    return [found.entry.ident for found in hub.entries()]


@settings(suppress_health_check=[HealthCheck.too_slow])
@example(
    Made(b"# Session State\n\n## Active Sessions\n", []),
    [Asked(0, "started", "", 0, ""), Asked(0, "started", "", 0, "$25 weekly")],
)
@given(hubs(), st.lists(ASKED, min_size=1, max_size=4))
def test_nobody_s_text_goes(made: Made, several: list[Asked]) -> None:
    """Lines outside the entries that are meant stay in their order, in these all that is not set; ids stay one."""
    data = made.data
    assert sorted(_ids(Hub(data, GENIE))) == sorted(made.idents)
    for asked in several:
        after = _done(data, _request(made, asked))
        if after is None:
            continue
        _kept(data, after)
        ids = _ids(Hub(after, GENIE))
        assert len(ids) == len(set(ids))
        assert not Hub(after, GENIE).problem
        data = after


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs(), ASKED)
def test_every_heading_stays(made: Made, asked: Asked) -> None:
    """Each heading that was there is there, and no other but those of a new entry and of the history."""
    after = _done(made.data, _request(made, asked))
    if after is not None:
        before, changed = Hub(made.data, GENIE), Hub(after, GENIE)
        old = sorted((one.level, one.title) for one in before.document.headings)
        new = sorted((one.level, one.title) for one in changed.document.headings)
        for heading in old:
            new.remove(heading)
        known = before.entry(_request(made, asked).session)
        history = bool(changed.holder(HISTORY)) and not before.holder(HISTORY)
        assert len(new) == (known is None) + history


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs(), ASKED)
def test_what_was_put_reads_back(made: Made, asked: Asked) -> None:
    """The entry says what was requested, is where that belongs, and both ends of its link name each other."""
    request = _request(made, asked)
    after = _done(made.data, request)
    if after is None:
        return
    hub = Hub(after, GENIE)
    found = hub.entry(request.session)
    assert found
    assert found.entry.category == GENIE.category(request.status)
    known = Hub(made.data, GENIE).entry(request.session)
    was = bool(known and known.entry.category == "completed")
    if known is None or was != (asked.action == "completed") or asked.action == "completed":
        assert found.history == (asked.action == "completed")
    if request.purpose:
        assert _plain(request.purpose) == _plain(found.entry.text("Purpose"))
    if request.parent:
        above = hub.entry(request.parent)
        assert [link.ident for link in found.entry.links("Parent")] == [request.parent]
        children = [link.ident for link in above.entry.links("Children")] if above else [request.session]
        assert children.count(request.session) == 1
    if asked.action == "completed" and not (known and known.history and was):
        assert found.entry.text("Completed")


def _plain(stated: str) -> str:
    """Return words without what only escapes them."""
    return re.sub(r"[\\`;\s]", "", stated)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs(), ASKED)
def test_twice_is_once(made: Made, asked: Asked) -> None:
    """The same update again, in the same minute, changes nothing."""
    request = _request(made, asked)
    after = _done(made.data, request)
    if after is not None:
        assert _done(after, request) == after


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs())
def test_nothing_put_is_nothing_changed(made: Made) -> None:
    """A transaction into which nothing is put, or every entry as it stands, gives the very same bytes."""
    hub = Hub(made.data, GENIE)
    transaction = Transaction(hub, NOW)
    assert transaction.done() == made.data
    for found in hub.entries():
        transaction.put(found.entry.ident, found.entry, history=found.history)
    assert transaction.done() == made.data


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs(), st.data())
def test_entries_move_back_and_forth(made: Made, data: st.DataObject) -> None:
    """Several entries moved at once, some there and some back, are whole where they belong; all else stays."""
    hub = Hub(made.data, GENIE)
    transaction = Transaction(hub, NOW)
    wanted = {}
    for found in hub.entries():
        if data.draw(st.booleans()):
            wanted[found.entry.ident] = not found.history
            transaction.put(found.entry.ident, found.entry, history=not found.history)
    after = Hub(transaction.done(), GENIE)
    assert _missing(_outside(hub, set(wanted)), _outside(after, set(wanted))) == []
    before = {found.entry.ident: found for found in hub.entries()}
    found_after = {found.entry.ident: found for found in after.entries()}
    assert sorted(found_after) == sorted(before)
    for ident, found in found_after.items():
        around = ident.replace("-in", "-ab")  # which takes along what is in it
        assert found.history == wanted.get(ident, wanted.get(around, before[ident].history))
        assert _own(after, found) == _own(hub, before[ident])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(hubs(), st.integers(0, 4), st.booleans())
def test_the_archive_and_the_hub_hold_every_entry(made: Made, most: int, cut_off: bool) -> None:  # noqa: FBT001 - drawn
    """However few may stay, every entry is in the hub or in the archive, each once, also after a crash in between."""
    with tempfile.TemporaryDirectory() as folder:
        hub, archive = Path(folder, "SESSION-STATE.md"), Path(folder, hub_location.ARCHIVE)
        hub.write_bytes(made.data)
        before = {found.entry.ident: found for found in Hub(made.data, GENIE).entries()}
        writing.trim(str(hub), Hub(made.data, GENIE), most)
        if cut_off and archive.exists():  # the archive was written, the hub was not
            hub.write_bytes(made.data)
            writing.trim(str(hub), Hub(made.data, GENIE), most)
        after = {found.entry.ident: found for found in Hub(hub.read_bytes(), GENIE).entries()}
        kept = files.read(str(archive)) if archive.exists() else b""
        for ident, found in before.items():
            block = found.entry.data.rstrip()
            assert (ident in after) != (kept.count(block) == 1)
            assert kept.count(block) <= 1
            if ident in after:
                assert after[ident].entry.data.rstrip() == block
        gone = {ident for ident in before if ident not in after}
        assert all(before[ident].history for ident in gone)
        assert _missing(_outside(Hub(made.data, GENIE), gone), _lines(hub.read_bytes())) == []
        assert writing.trim(str(hub), Hub(hub.read_bytes(), GENIE), most)[0] == []


def test_a_hub_that_was_saved_meanwhile_is_not_shortened(tmp_path: Path) -> None:
    """What is returned as written is what was read: the next write so sees that it changed."""
    hub = tmp_path / "SESSION-STATE.md"
    entries = "".join(written.person(f"{number:04}", f"Git - {number}", Status="completed") for number in range(3))
    read = Hub(f"{written.HEAD}{written.HISTORY}{entries}".encode(), GENIE)
    hub.write_bytes(read.data + b"A note.\n")
    assert writing.trim(str(hub), read, 1)[1] == read.data
    assert hub.read_bytes() == read.data + b"A note.\n"
    hub.write_bytes(read.data)
    assert writing.trim(str(hub), read, 1)[1] == hub.read_bytes() != read.data


@given(st.text(max_size=40))
def test_links_of_any_value(stated: str) -> None:
    """Whatever stands as a value, its links read without a fault, and each reads back as it is shown."""
    for link in links_in(stated):
        assert link.ident
        (again,) = links_in(link.shown)
        assert (again.ident, again.name) == (link.ident, link.name)


def test_the_pieces_are_what_they_seem() -> None:
    """Every style of entry is one, alone in a hub, with its id and a heading."""
    for number, style in enumerate(STYLES):
        hub = Hub(f"# Hub\n\n## Active Sessions\n\n{_numbered(style, number)}\n".encode(), GENIE)
        assert _ids(hub) == [_numbered(ident, number) for ident in IDENT.findall(style)], style

"""The merge of one file for git, and the set-up by which git asks for it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import merge
from holdfast.formats.record import Outline
from holdfast.formats.state_file import recognise
from holdfast.git import merge as git_merge
from holdfast.hub import merge as hub_merge
from holdfast.markdown.document import Document, splices
from holdfast.memory.loops.book import parse
from holdfast.memory.loops.elements import KIND, STATUSES, Loop
from holdfast.project import discovery, ids, paths
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.editing.merge import Span, Texts
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.format import Format
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_LOOPS = os.path.basename(discovery.PATHS[0])
_HUB = "genie"  # the format of the hub and its archive
_HUBS = {os.path.basename(hub_location.PATHS[0]), hub_location.ARCHIVE}
PROGRAM = paths.PLUGIN_ROOT + "/bin/holdfast"


@dataclass(slots=True, frozen=True)
class Done:
    """The result of a merge: whether it is free of conflicts, and what a person has to know."""

    clean: bool
    notes: list[str]


def merge_file(workspace: Workspace, versions: tuple[str, str, str], marker: int, path: str) -> Done:
    """Merge the files base, ours and theirs into ours; `path` is where the file is in the working tree.

    Bytes that are no text stay as ours has them, in conflict, as with git's own merge. OSError for a file that cannot
    be read or written.
    """
    texts = (files.read(versions[0]), files.read(versions[1]), files.read(versions[2]))
    try:
        data, clean, notes = merged(workspace, texts, marker, path)
    except HoldfastError as error:
        return Done(clean=False, notes=[f"{path} stays as ours has it: {error}"])
    if data != texts[1]:
        files.write_atomic(os.path.abspath(versions[1]), data)
    return Done(clean, notes)


def merged(workspace: Workspace, texts: Texts, marker: int, path: str) -> tuple[bytes, bool, list[str]]:
    """Return the merge of three versions of a file, whether it is free of conflicts, and notes; HoldfastError."""
    project, formats = workspace.project, workspace.formats
    if max(map(len, texts)) > merge.LARGEST:
        return *git_merge.text(*texts, marker), []
    if os.path.basename(path) == _LOOPS:
        changed = renumbered(texts, ids.last_used(project, KIND))
        base = texts[0]
        ours = renamed(base, aliased(texts[1], changed.ours), changed.ours)
        theirs = renamed(base, aliased(texts[2], changed.theirs), changed.theirs)
        return *merged_loops((base, ours, theirs), marker), changed.lines()
    hub = _hub(texts, path, formats) if os.path.basename(path) in _HUBS else None
    if hub:
        return *hub_merge.merged(texts, marker, hub), []
    return *merge.merged(merge.with_agreed_keys(texts), marker, merge.STATE_FILE), []


def _hub(texts: Texts, path: str, formats: Formats) -> Format | None:
    """Return the format whose entries a file of a hub's name has, None for another state file of that name."""
    if os.path.basename(path) == hub_location.ARCHIVE:
        return formats.get(_HUB)
    known = (recognise(Outline(Document(text)), path, formats)[0] for text in texts[1:])
    return next((one for one in known if one and one.entry), None)


def conflicted(workspace: Workspace) -> list[str]:
    """Return the files with conflict markers among state files, hub, archive and loops, relative to the project."""
    project = workspace.project
    if not project.root:
        return []
    home, hub = hub_location.home(project), hub_location.path_of(project)
    paths_of_kind = discovery.state_files(project.root, [*workspace.formats.patterns, *discovery.PATHS]).paths
    companions = [path for path in (hub, hub_location.companion(hub, hub_location.ARCHIVE)) if os.path.isfile(path)]
    if hub_location.is_outside(home.root, hub.removeprefix(f"{home.root}/")):
        companions = []
    return [
        project.relative(path) or path
        for path in dict.fromkeys([*paths_of_kind, *companions])
        if os.path.getsize(path) <= discovery.LARGEST and Document(files.read(path)).conflicted()
    ]


def set_up(project: Project) -> list[str]:
    """Let git merge the files of this project by holdfast; return what changed, a line each.

    Outside git there is nothing to set up. HoldfastError where git or a link is in the way.
    """
    if not project.git or not project.root or project.is_private:
        return []
    hub, home = hub_location.path_of(project), hub_location.home(project)
    loops = project.relative(discovery.loops_path(project.root))
    companions = (hub, hub_location.companion(hub, hub_location.ARCHIVE)) if home.git else ()
    known = [*discovery.PATHS, f"{discovery.SESSIONS}/*/LOOPS.md"]
    git_merge.assign(project.root, [*map(home.relative, companions), loops, *known, *paths.PATTERNS])
    changed = git_merge.configure(project.root, PROGRAM)
    return ["git merges state files with holdfast in this clone."] if changed else []


_STATUS = re.compile(rb"""(<loop\s(?:[^<>]*\s)?status\s*=\s*["'])([\w-]+)(["'][^<>]*>)""")
_MENTION = re.compile(
    rb"\balias\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')|(?<!\w)" + KIND.encode() + rb"-([0-9]{1,6})(?![0-9]|-[0-9])",
    re.IGNORECASE,
)


class Renumbered(NamedTuple):
    """The new ids of loops whose id both sides assigned: old id -> new id, for ours and for theirs."""

    ours: dict[str, str]
    theirs: dict[str, str]

    def lines(self) -> list[str]:
        """Return a line for each loop that got a new id."""
        return [
            f"{old} of {side} is {new} now, because both sides gave that id to a question; "
            f"change {old} to {new} in the files that only {side} changed and where that question is meant"
            for side, known in (("ours", self.ours), ("theirs", self.theirs))
            for old, new in known.items()
        ]


def merged_loops(texts: Texts, marker: int) -> tuple[bytes, bool]:
    """Return the merge of three versions of LOOPS.md, and whether it is free of conflicts; ids are not changed."""
    return merge.merged(texts, marker, [merge.Level(_loops, lambda same: same), merge.Level(_elements, _agreed)])


def _loops(data: bytes) -> list[Span]:
    document = Document(data)
    return [(loop.ident.encode(), document.line_start(loop.start), loop.end) for loop in parse(document)[0]]


def _elements(data: bytes) -> list[Span]:
    document = Document(data)
    return [
        (element.name.encode(), document.line_start(element.start), element.end)
        for loop in parse(document)[0]
        for element in loop.children
    ]


def _agreed(texts: Texts) -> Texts:
    """Return three versions of a loop with the later status in its tag: a loop that one side closed is closed."""
    matches = [_STATUS.search(text) for text in texts]
    statuses = [match[2].decode().casefold() for match in matches[1:] if match]
    if len(statuses) < len(texts) - 1 or not set(statuses) <= set(STATUSES):
        return texts
    last = max(statuses, key=STATUSES.index).encode()
    base, ours, theirs = (_STATUS.sub(rb"\g<1>%b\g<3>" % last, text, count=1) for text in texts)
    return base, ours, theirs


def renumbered(texts: Texts, given: int = 0) -> Renumbered:
    """Return the new ids of loops whose id the other side assigned to another question.

    The loop that was captured later gets the next free id, which is above all ids in the texts and above `given`.
    """
    base, ours, theirs = ({loop.ident: loop for loop in parse(Document(text))[0]} for text in texts)
    both = sorted((ours.keys() & theirs.keys()) - base.keys())
    number = max(given, ids.highest(KIND, texts))
    found = Renumbered({}, {})
    for ident in both:
        if not _same(ours[ident], theirs[ident]):
            number += 1
            later = found.ours if _age(ours[ident]) > _age(theirs[ident]) else found.theirs
            later[ident] = ids.full_id(KIND, number)
    return found


def _same(one: Loop, other: Loop) -> bool:
    """Whether two loops are one question: they have equal titles or questions, or were captured in the same second."""
    alike = [(one.title, other.title), (one.question, other.question)]
    equal = any(text and text.casefold() == another.casefold() for text, another in alike)
    return equal or (one.captured == other.captured and one.captured.count(":") > 1)


def _age(loop: Loop) -> tuple[float, str]:
    """Return when a loop was captured; for two captured at once, their titles decide."""
    return clock.find(loop.captured), loop.title


def aliased(side: bytes, known: dict[str, str]) -> bytes:
    """Return a side of LOOPS.md in which each loop that gets a new id names its old one as an alias."""
    found = []
    for loop in parse(Document(side))[0] if known else ():
        if loop.ident in known and loop.own_aliases:
            found.append((loop.own_aliases[1], loop.own_aliases[1], f" {loop.ident}".encode()))
        elif loop.ident in known:
            found.append((loop.tag_end - 1, loop.tag_end - 1, f' alias="{loop.ident}"'.encode()))
    return splices(side, found)


def renamed(base: bytes, side: bytes, known: dict[str, str]) -> bytes:
    """Return a side of a merge with new ids in the lines that it added; lines of the base and aliases stay."""
    if not known:
        return side

    def other(match: re.Match[bytes]) -> bytes:
        if match[1] is None:
            return match[0]
        return known.get(ids.full_id(KIND, int(match[1])), match[0].decode()).encode()

    there = {line.strip() for line in base.splitlines()}
    lines = side.splitlines(keepends=True)
    return b"".join(line if line.strip() in there else _MENTION.sub(other, line) for line in lines)

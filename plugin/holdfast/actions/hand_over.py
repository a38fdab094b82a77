"""Hand-overs: write one when work is paused, find those that wait, remove one that was used. No text is lost."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.actions import adoption, lifecycle
from holdfast.context.handover import document
from holdfast.context.handover.content import LONGEST_TITLE, Additions, HandoverContent, with_whole_lists
from holdfast.context.handover.document import Handover
from holdfast.core import clock, fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of, texts_of
from holdfast.editing import store
from holdfast.editing.store import refuse_held
from holdfast.formats.catalogue import Formats
from holdfast.formats.state_file import parse
from holdfast.git import queries
from holdfast.journal import said
from holdfast.journal.said import Said
from holdfast.memory import view
from holdfast.memory.loops import book
from holdfast.memory.view import bare
from holdfast.project import discovery, paths
from holdfast.project.paths import Project
from holdfast.project.settings import Settings
from holdfast.sessions import hub_location, paused_work, resume
from holdfast.sessions.candidates import Hit
from holdfast.sessions.paused_work import FORMAT, NAME, PATTERN, PATTERNS
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_SAME = 40  # characters by which a decision of the state file is known
_WRITTEN = "/handed/"  # a file for each hand-over that holdfast wrote, named by the SHA-256 of its bytes
_KEPT = "/private/.used"  # folder for used hand-overs that git does not keep


@dataclass(slots=True, frozen=True)
class Written:
    """The result of writing: the path, "" for none; why it was not staged, "" if it was; and what it lacks."""

    path: str = ""
    unstaged: str = ""
    lacking: tuple[str, ...] = ()


def waiting(project: Project, formats: Formats) -> list[Handover]:
    """Return the hand-overs in this working tree, in the root of the tree that has the hub, and in the store."""
    file_format = formats.get(FORMAT)
    patterns = (*PATTERNS, *(file_format.patterns if file_format else []))
    there = [(path, project.root) for path in discovery.state_files(project.root, patterns).paths]
    main = hub_location.tree(project)
    for root in {main.root, main.aside, project.aside, project.target.root} - {project.root}:
        there += [(path, root) for path in discovery.state_files(root, PATTERNS).paths]
    read = [one for path, root in there if (one := document.read(path, root, formats)) is not None]
    # What a commit brought into another working tree is the same one.
    return [*{(one.name, one.data): one for one in reversed(read)}.values()][::-1]


def of_state(workspace: Workspace, path: str, entry: str = "") -> list[Handover]:
    """Return the hand-overs of a state file that nobody edited since holdfast wrote them."""
    handovers = waiting(paths.locate(os.path.dirname(path)), workspace.formats)
    return [one for one in handovers if one.is_of(path, entry) and as_written(workspace.project, one.data)]


def take_away(workspace: Workspace, path: str, entry: str = "") -> list[str]:
    """Remove the hand-overs of a state file whose work goes on or is over; return how to get them back."""
    handed = of_state(workspace, path, entry)
    return [line for one in handed for line in used(workspace.project, one, workspace.settings)]


def write(project: Project, hit: Hit, survey: Survey, additions: Additions, now: float) -> Written:
    """Write the hand-over of a state file, and stage it where its format has one in the root of the working tree.

    Elsewhere the state file is what others continue from, and what is only for the next session here is in the store.
    A hand-over of the same state file is updated if no one edited it. Nothing else is overwritten. A state file that is
    a hand-over itself gets none. HoldfastError if the state file cannot be edited.
    """
    summary = lifecycle.hand_over(hit, survey.formats).summary
    if summary.get("format") == FORMAT:
        return Written()
    if hit.path:  # a session whose state file stays as it is was not paused
        store.refuse_protected(hit.path)
    home, file_format = paths.locate(os.path.dirname(hit.place)), survey.formats.get(text_of(summary, "format"))
    root = home.root if file_format and file_format.handed and hit.path else home.aside
    if root == home.root or not hit.session.journaled:
        refuse_held(hit.path)
    content = _content(home, hit, summary, survey.formats)
    content.said = _said(project, home, hit, survey.settings)
    earlier = resume.before(hit.session, survey.sessions) if hit.session.journaled and not hit.entry else []
    content.before = [(one.title, _said(project, home, Hit(one), survey.settings)) for one in earlier]
    content.additions = additions
    with store.writing(project):
        path = _rewritten(project, home, content, survey.formats, now)
        path = path or _new(project, root, content, survey.formats, now)
        unstaged = adoption.stage(project, "", path, survey.settings) if root == home.root else ""
        return Written(path, unstaged, tuple(document.lacking(content)))


def text(hit: Hit, formats: Formats, now: float) -> bytes:
    """Return the hand-over of a state file, which is not written."""
    summary = lifecycle.hand_over(hit, formats).summary
    home = paths.locate(os.path.dirname(hit.place))
    return document.compose(_content(home, hit, summary, formats), clock.write(now), formats)


def _content(home: Project, hit: Hit, summary: Mapping[str, object], formats: Formats) -> HandoverContent:
    """Return all that is known about the work in a state file."""
    state = parse(hit.read(), hit.place, formats)
    whole = with_whole_lists(summary, state.scope(hit.entry))
    if span := state.document.block("decisions"):  # holdfast's own, which `said` has whole
        own = " ".join(state.document.text(*span).split())
        kept = [one for one in texts_of(whole, "decisions") if " ".join(one.split())[:_SAME] not in own]
        whole = {**whole, "decisions": kept}
    content = HandoverContent(whole, hit.session, home.relative(hit.place), hit.entry)
    content.view = None if hit.entry else view.of(state, formats)
    content.boxes = {done: [*map(bare, texts_of(summary, word))] for done, word in ((True, "done"), (False, "open"))}
    content.branch = content.branch or safe.mask(paths.branch(home))
    found = book.readable(home.root, hit.place)
    if found:
        content.book = home.relative(found.path)
        content.loops = [f"{loop.ident}: {safe.line(loop.title, LONGEST_TITLE)}" for loop in found.open]
        decided = [f"{loop.decision} ({loop.ident}: {loop.result})" for loop in found.loops if loop.decision]
        kept = texts_of(content.summary, "decisions")
        new = [text for text in decided if not any(text.partition(" ")[0].rstrip(":") in one for one in kept)]
        content.summary["decisions"] = [*kept, *(safe.line(text, 300) for text in new)]
    return content


def _said(project: Project, home: Project, hit: Hit, settings: Settings) -> Said:
    """Return what was said in the session, as far as a file may quote it that is committed with the project."""
    known = said.of_session(project.store, hit.session.id) if hit.session.journaled and not hit.entry else Said([], {})
    return (
        known if not home.git or settings.quotes == "all" else known.without_candid(answers=settings.quotes != "none")
    )


def _rewritten(project: Project, home: Project, content: HandoverContent, formats: Formats, now: float) -> str:
    """Update the unedited hand-over of the same state file; return its path, "" if there is none."""
    state = f"{home.root.rstrip('/')}/{content.path}"
    for one in waiting(home, formats):
        if not one.is_of(state, content.entry) or not as_written(project, one.data):
            continue
        content.additions = _all_additions(project, one.data, content.additions)
        if document.compose(content, one.at, formats) == one.data:
            return one.path
        data = document.compose(content, clock.write(now), formats)
        _note(project, data, content.additions)
        if _replaced(one, data):
            _forget(project, one.data)
            return one.path
    return ""


def _replaced(one: Handover, data: bytes) -> bool:
    """Replace a hand-over of a state file unless it changed since it was read; return whether it was replaced."""
    return store.update(one.path, lambda there: data if there == one.data else there)


def _new(project: Project, root: str, content: HandoverContent, formats: Formats, now: float) -> str:
    """Write a new hand-over to the folder `root`, under another name if the usual one is taken; return its path."""
    data = document.compose(content, clock.write(now), formats)
    _note(project, data, content.additions)
    taken = os.path.lexists(f"{root}/{NAME}")
    name = PATTERN.replace("*", _called(content)) if taken else NAME
    return store.create(root, name, data)


def receive(project: Project, data: bytes) -> None:
    """Keep a hand-over of another machine in the store, as one that nobody edited since it was written."""
    _note(project, data, Additions("\n".join(line.strip() for line in paused_work.note(data)[1:]), ""))
    store.create(project.aside, NAME, data)


def _called(content: HandoverContent) -> str:
    """Return what makes a hand-over's file name unique: part of the session's id, or of the state file's name."""
    ident = content.entry or (content.session.id if content.session.journaled else "")
    name = ident[:8] or os.path.splitext(os.path.basename(content.path))[0]
    return "-".join(re.findall("[A-Za-z0-9]+", name))[:48] or "session"


def used(project: Project, one: Handover, settings: Settings) -> list[str]:
    """Remove a hand-over that was used, after its bytes are kept; return how to get it back."""
    home = paths.locate(os.path.dirname(one.path))
    with store.writing(project):
        if not os.path.lexists(one.path):
            return [f"{one.name} is gone already."]
        if os.path.islink(one.path) or files.read(one.path) != one.data:
            raise HoldfastError(f"{one.path} was changed meanwhile, and stays. Type: holdfast continue")
        back = _kept_by_git(home, one) if home.git else _kept_aside(project, one.name, one.data)
        store.remove(one.path)
        _forget(project, one.data)
        known = home.git and one.name in (queries.uncommitted(home.root) or [])  # else git never had it
        problem = adoption.stage(project, "", one.path, settings) if known else ""
    if os.path.dirname(one.path) in {project.aside, home.aside}:
        return [f"The hand-over is used; it is in {back}"]
    return [f"{one.name} is used and removed. To have it back: {back}", *([problem] if problem else [])]


def _kept_by_git(home: Project, one: Handover) -> str:
    """Keep a hand-over as a git object; return the command that restores it."""
    kept = queries.keep_object(home.root, one.name)
    if not kept:
        raise HoldfastError(f"git could not keep {one.name}; it is not removed. Type: git status")
    return f"git cat-file -p {kept} > {safe.shell(one.name)}"


def _kept_aside(project: Project, name: str, data: bytes) -> str:
    """Keep a hand-over in the store, where no commit has it; return the name of the copy."""
    kept = store.create(project.store + _KEPT, os.path.basename(name), data)
    return project.relative(kept) or kept


def _note(project: Project, data: bytes, additions: Additions) -> None:
    """Record that holdfast wrote these bytes, and the additions in them."""
    path = _path(project, data)
    files.write_private(path, fast_json.dumps({"note": additions.note, "next": additions.next_step}).encode())


def as_written(project: Project, data: bytes) -> bool:
    """Return whether holdfast wrote exactly these bytes."""
    return os.path.isfile(_path(project, data))


def _all_additions(project: Project, data: bytes, additions: Additions) -> Additions:
    """Return new additions together with those recorded for these bytes."""
    before = fast_json.read_object(_path(project, data))
    return additions.added_to(Additions(str(before.get("note", "")), str(before.get("next", ""))))


def _forget(project: Project, data: bytes) -> None:
    """Remove the record of these bytes."""
    if as_written(project, data):
        os.unlink(_path(project, data))


def _path(project: Project, data: bytes) -> str:
    """Return the path of the record of these bytes."""
    return project.store + _WRITTEN + hashlib.sha256(data).hexdigest()

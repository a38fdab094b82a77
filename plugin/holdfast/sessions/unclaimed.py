"""State files that belong to no journal here: which there are, and which of them a survey shows."""

import os

from holdfast.project import discovery, paths
from holdfast.sessions import hub_location, past_files, selection, summaries
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.cache import Cache
    from holdfast.formats.catalogue import Formats
    from holdfast.project.paths import Project
    from holdfast.sessions.index import SessionIndex
    from holdfast.sessions.survey import Survey


def variant(result: "Survey") -> str:
    """Return what the files in the known places depend on besides the folders."""
    workspace = result.workspace
    home = workspace.hub_home
    hub = past_files.line_of(result.hub, {}) if home.root != workspace.project.root else ""
    return f"{workspace.formats.fingerprint} {workspace.project.is_private} {hub}"


def found(project: "Project", formats: "Formats") -> discovery.Found:
    """Return the state files of a working tree, those in the private place included."""
    there = discovery.state_files(project.root, formats.patterns)
    if project.is_private:
        private = discovery.state_files(project.private, formats.patterns)
        there.lines.update(private.lines)
        there.folders.update(private.folders)
        there.left_out += private.left_out
    return there


def add_quickly(result: "Survey", over: "SessionIndex", ages: selection.Ages) -> None:
    """Add a session for each state file to show that the index has and that belongs to no journal here."""
    project, known = result.workspace.project, result.files
    held = {session.state for session in result.sessions if session.state}
    if known.forget(held):
        known.select_quickly(ages)
    given_up = {path for session in result.sessions for path in session.given_up} | over.given_up
    words = known.more.keys() | over.more.keys()
    result.more = {word: known.more.get(word, 0) + over.more.get(word, 0) for word in words}
    result.sessions += [_of_file(project, path) for path in _unheld(project, held, given_up, known.shown)]


def add(result: "Survey", lines: "dict[str, str]", cache: "Cache", reads: int, over: "SessionIndex") -> None:
    """Add a session for each state file that belongs to no journal here; a limited survey adds only those to show.

    `reads` is how many state files may be read at most, 0 for all; `over` has the sessions that were passed over.
    """
    project, now, known = result.workspace.project, result.workspace.now, result.files
    held = {session.state for session in result.sessions if session.state} | over.held
    try:
        others = {path: line for path, line in lines.items() if path not in held}
        result.unread += known.learn(
            others, lambda path: summaries.read(path, cache, result.formats), reads or len(lines)
        )
    except ImportError:  # the dependency folder is still being built
        result.unread = len(lines)
    known.save()
    rows = known.rows() if reads else {}
    given_up = {path for session in result.sessions for path in session.given_up} | over.given_up
    new = _unheld(project, held, given_up, list(rows) if reads else sorted(lines))
    if reads:
        found = selection.select({path: rows[path] for path in new}, now, result.settings.stale_hours)
        new, words = found.keys, found.more.keys() | over.more.keys()
        result.more = {word: found.more.get(word, 0) + over.more.get(word, 0) for word in words}
    result.sessions += [_of_file(project, path) for path in new]


def with_hub(project: "Project", home: "Project", hub: str, found: "dict[str, str]") -> "dict[str, str]":
    """Return the state files with the hub of the main working tree instead of this working tree's copy of it."""
    if home.root == project.root:
        return found
    copies = {f"{project.root}/{name}" for name in hub_location.PATHS}
    kept = {path: line for path, line in found.items() if path not in copies}
    try:
        return {**kept, hub: discovery.line(hub, os.lstat(hub))} if hub else kept
    except OSError:  # gone since
        return kept


def relative_to(root: str, path: str) -> str:
    """Return a path relative to the working tree `root`, unchanged if it lies outside."""
    inside = root and path.startswith(root.rstrip("/") + "/")
    return path[len(root.rstrip("/")) + 1 :] if inside else path


def _unheld(project: "Project", held: set[str], given_up: set[str], there: list[str]) -> list[str]:
    """Return the state files that belong to no journal here, not even through another working tree."""
    left = [path for path in there if path not in held]
    # Only files with the name of a held one can be the same file, and they are few.
    names = {paths.folded_name(path) for path in held | given_up} if left else set[str]()
    alike = {path: paths.identities(path) for path in left if path.rpartition("/")[2].casefold() in names}
    requested = set(map(paths.folded_name, alike))
    known: set[tuple[object, object]] = {(paths.repository(project), path) for path in given_up}
    known |= {mark for path in held if paths.folded_name(path) in requested for mark in paths.identities(path)}
    return [path for path in left if known.isdisjoint(alike.get(path, ()))]


def _of_file(project: "Project", path: str) -> Session:
    """Return a session for a state file without one; its id is the file's name."""
    root = project.private if project.private and path.startswith(project.private + "/") else project.root
    name = relative_to(root, path).removeprefix(paths.STATE_FOLDER + "/")
    session = Session(safe.line(name.removesuffix(".md"), 400))
    session.state = path
    return session

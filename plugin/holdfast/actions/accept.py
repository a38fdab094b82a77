"""The untrusted files of a project: what is shown of each, and how the user says yes to all of them."""

import contextlib
import os
from dataclasses import dataclass, replace

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.git import queries, run
from holdfast.git.run import own_filter
from holdfast.memory.phases import ROADMAPS
from holdfast.project import discovery, paths
from holdfast.project.paths import Project
from holdfast.sessions import hub_location
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import ignored
from holdfast.trust import clone, safe

CONFIGURATION = ".git/config"
_SHOWN = 6000  # characters of a text


@dataclass(slots=True, frozen=True)
class UntrustedFile:
    """A file of a clone that is not trusted, or one that changes what holdfast does. All texts but `data` are safe."""

    path: str
    name: str  # the path in the project
    title: str
    status: str
    data: bytes  # what is shown is what the user says yes to, even if the file changes meanwhile
    author: str  # of the last commit, "" when there is none
    subject: str
    at: float  # seconds since 1970, 0.0 without a commit

    def line(self, now: float) -> str:
        """Return a line about the file, without its text."""
        status = f"; {self.status}" if self.status else ""
        origin = f'"{self.subject}" by {self.author}, {clock.ago(now - self.at)}' if self.at else "no commit known"
        return f'{self.name}: "{self.title}"{status}; {len(self.data)} bytes; last commit: {origin}'

    def row(self) -> dict[str, object]:
        """Return the JSON object for the file, without its text."""
        return {
            "path": self.name,
            "title": self.title,
            "status": self.status,
            "size": len(self.data),
            "author": self.author,
            "subject": self.subject,
            "committed": clock.write(self.at) if self.at else "",
        }

    def anonymous(self, *, named: bool) -> "UntrustedFile":
        """Return the file with nothing but its size, and a short name if `named`: Claude reads no more of it."""
        name = clone.short_names([self.path]).strip('"') if named else ""
        return replace(self, name=name, title="", status="", author="", subject="", at=0.0)

    def text(self) -> str:
        """Return at most 6,000 characters of the text, without control characters, each line after a `> `."""
        plain = safe.plain(self.data.decode("utf-8", "replace"))
        more = f"\n({len(plain) - _SHOWN} more characters: read {self.name} itself)" if len(plain) > _SHOWN else ""
        return "\n".join(f"> {line}".rstrip() for line in plain[:_SHOWN].splitlines()) + more


def untrusted_files(workspace: Workspace) -> list[UntrustedFile]:
    """Return the untrusted files of a project: state files, settings, ROADMAP.md, filters in git's configuration."""
    survey = sessions.survey(workspace)
    by_state = {session.state: session for session in survey.sessions}
    found = [_read(workspace.project, path, by_state.get(path)) for path in survey.untrusted]
    found += [_read(workspace.project, path) for path in _unused(workspace)]
    return found + _unaccepted_filters(workspace)


def accept(project: Project, found: list[UntrustedFile]) -> None:
    """Record that the user trusts the clone, and the settings, ignored paths and filters among the files; OSError."""
    own = {f"{project.target.root}/{paths.SETTINGS}", f"{project.root}/{ignored.NAME}", f"{project.common}/config"}
    clone.approve(project, *(one.data for one in found if one.path in own))


def accept_new(workspace: Workspace) -> None:
    """Trust a clone that brings nothing, as its user begins the first piece of work in it."""
    new = not workspace.project.initialised and not clone.is_trusted(workspace.project)
    if new and not clone.output_reaches_claude() and not untrusted_files(workspace):
        with contextlib.suppress(OSError):  # `holdfast trust` says why it cannot be recorded
            accept(workspace.project, [])


def untrusted_paths(survey: sessions.Survey) -> list[str]:
    """Return the paths of what `untrusted_files` returns, without reading it."""
    workspace = survey.workspace
    return [*survey.untrusted, *_unused(workspace), *(one.path for one in _unaccepted_filters(workspace))]


def _unused(workspace: Workspace) -> list[str]:
    """Return the paths of the settings, .holdfastignore and each ROADMAP.md that are untrusted: they have no effect."""
    project = workspace.project
    chosen, roadmaps = f"{project.target.root}/{paths.SETTINGS}", (f"{project.root}/{name}" for name in ROADMAPS)
    there = [path for path in roadmaps if os.path.isfile(path)]
    own = [
        path for path in (chosen, f"{project.root}/{ignored.NAME}") if os.path.isfile(path) and os.path.getsize(path)
    ]
    unused = [path for path in own if not clone.is_settings_file_trusted(path)]
    return sorted([*clone.TrustCheck().untrusted(there), *unused])


def _unaccepted_filters(workspace: Workspace) -> list[UntrustedFile]:
    """Return the filters that the repository defines for state files, as a list, which is empty for accepted ones."""
    filters = workspace.ask(_filters, workspace.project)
    return [filters] if filters.data and not clone.is_accepted(workspace.project, filters.data) else []


def _filters(project: Project) -> UntrustedFile:
    """Return the filters that the repository defines for state files, as a file with one command per line."""
    name = f"{paths.STATE_FOLDER}/x.md"
    commands = own_filter(project.root, run.run, name) if project.git else ""
    data = commands.encode("utf-8", "surrogateescape")
    return UntrustedFile(f"{project.common}/config", CONFIGURATION, "filters", "", data, "", "", 0.0)


def named(workspace: Workspace, names: tuple[str, ...]) -> tuple[list[UntrustedFile], list[str]]:
    """Return the untrusted ones of the files with these paths, and the names of the others, which Claude may read.

    HoldfastError when there is no such file.
    """
    known = {file.path: file for file in untrusted_files(workspace)}
    found, accepted = [], []
    known_config = workspace.ask(_filters, workspace.project)
    for name in names:
        path = known_config.path if name == CONFIGURATION and known_config.data else _existing(workspace.project, name)
        if path in known:
            found.append(known[path])
        elif path != known_config.path and clone.TrustCheck().untrusted([path]):
            found.append(_read(workspace.project, path))
        else:
            accepted.append(safe.line(name, 300))
    return found, accepted


def _read(project: Project, path: str, session: Session | None = None) -> UntrustedFile:
    """Return an untrusted file with its text and its last commit; `session` is the one whose state file it is."""
    title, status = (session.title, session.status) if session else (os.path.basename(path), "")
    home = paths.locate(os.path.dirname(path))
    author, subject, at = queries.last_commit(home.root, home.relative(path)) or ("", "", 0.0)
    return UntrustedFile(
        path,
        safe.line(project.relative(path) or path, 300),
        safe.line(title, 80),
        safe.line(status, 40),
        files.read(path),
        safe.line(author, 60),
        safe.line(subject, 80),
        at,
    )


def _existing(project: Project, name: str) -> str:
    """Return the absolute path of a regular file, given from the current folder or from the root of the project.

    HoldfastError when there is none, and for one outside the project: its text would be shown.
    """
    roots = [one for one in (project.root, project.private, hub_location.tree(project).root) if one]
    for path in (os.path.abspath(name), os.path.normpath(os.path.join(project.root, name))):
        inside = any(paths.within(path, root) for root in roots) and not discovery.leads_out(path)
        if inside and os.path.isfile(path) and not os.path.islink(path):
            return path
    raise HoldfastError(f"{safe.line(name, 300)} is not a file here. Type: holdfast trust")

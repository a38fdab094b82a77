"""What the status line shows of one session, from what hooks and settles left: no survey, no git, no packages.

Imports little: the client runs the status line after every message. It never fails. A status line that the user had
before is run first with the same input, and printed above.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.journal import live, payload
from holdfast.journal.payload import masked
from holdfast.memory import budget
from holdfast.project import paths
from holdfast.sessions import session_cache
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings
    from holdfast.sessions.session import Session

_TITLE = 40  # characters
_BRANCH = 30


def segments(body: "Payload", project: "Project") -> list[str]:
    """Return the parts of the line in the order of the setting `statusline`; what is not known is left out."""
    chosen, _ = clone.settings_of(project)
    shown = _Shown(body, project, chosen)
    return [text for text in (_SEGMENTS[name](shown) for name in chosen.statusline) if text]


class _Shown:
    """A session, and where each segment comes from."""

    def __init__(self, body: "Payload", project: "Project", chosen: "Settings") -> None:
        self._body, self._project, self._settings = body, project, chosen
        self._found: Session | None = None

    @property
    def _session(self) -> "Session":
        if self._found is None:
            store = self._project.store
            known = paths.patterns(store)
            self._found = session_cache.session(store, self._body.session, self._project.root, known)
        return self._found

    def title(self) -> str:
        """Return the title that holdfast gave the state file, else what was asked for."""
        session = self._session
        return _safe(session.file.title or (session.title if session.talk.prompt else ""), _TITLE)

    def tasks(self) -> str:
        """Return how many tasks are done of all."""
        done, count = self._session.progress()
        return f"tasks {done}/{count}" if count else ""

    def context(self) -> str:
        """Return how full the context is, and its zone."""
        found = budget.of(self._body.text("transcript_path"), self._settings)
        return f"{budget.ZONES[found.zone].sign} {found.percent}% {budget.ZONES[found.zone].name}" if found else ""

    def drift(self) -> str:
        """Return the drift that the last settle measured, if it is marked or severe."""
        from holdfast.context.drift import measured
        from holdfast.core.fast_json import text_of
        from holdfast.journal import log

        fact = log.last(self._project.store, self._body.session, "drift")
        return f"drift {text_of(fact, 'severity')}" if fact and measured.is_far_behind(fact) else ""

    def sessions(self) -> str:
        """Return how many other sessions of this project are live on this machine."""
        count = live.others(self._project.store, self._body.session) if self._project.store else 0
        return f"{count} other live session{'s' * (count > 1)}" if count else ""

    def branch(self) -> str:
        """Return the branch of the working tree in which Claude is now."""
        return _safe(masked(paths.branch(paths.locate(self._body.cwd or self._project.root))), _BRANCH)


def _safe(text: str, limit: int) -> str:
    """Return a text whose secrets are masked already as one safe line; most texts need no change."""
    if text.isprintable() and len(text) <= limit:
        return text
    from holdfast.trust import safe

    return safe.line(text, limit)


_SEGMENTS: "dict[str, Callable[[_Shown], str]]" = {
    "title": _Shown.title,
    "tasks": _Shown.tasks,
    "context": _Shown.context,
    "drift": _Shown.drift,
    "sessions": _Shown.sessions,
    "branch": _Shown.branch,
}


_BETWEEN = " · "
_MOST = 1 << 16  # bytes of input that an earlier status line gets, which fit a pipe
_EARLIER = "/statusline.json"  # in the data folder, see `project.claude_registration`


def main() -> int:
    """Print the status line for the JSON object on standard input, and return the exit code."""
    data = files.read_all(0)
    parts = [_earlier(data), _of_session(data)]
    files.write_all(1, "".join(f"{part}\n" for part in parts if part).encode("utf-8", "replace"))
    return 0


def _of_session(data: bytes) -> str:
    """Return the line of the session that the input names, "" if there is nothing to say."""
    try:
        body = payload.parse(data)
        folder = body.text("workspace", "project_dir") or body.cwd
        project = paths.locate(folder) if folder.startswith("/") else None
        if project is None or not (project.store and body.session) or paths.store_problem(project):
            return ""
        return _BETWEEN.join(segments(body, project))
    except (OSError, ValueError, HoldfastError):  # the line is left out; the session goes on
        return ""


def _earlier(data: bytes) -> str:
    """Return what the status line prints that the user had before, "" for none."""
    folder = paths.data_dir(os.environ)
    known = fast_json.read_object(folder + _EARLIER) if folder else {}
    command = known.get("earlier")
    if not isinstance(command, str) or not command:
        return ""
    try:
        return _output(command, data[:_MOST]).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def _output(command: str, data: bytes) -> bytes:
    """Run a command of the shell with this input and return its output; `subprocess` would take longer to import."""
    given, taken = os.pipe(), os.pipe()
    os.write(given[1], data)
    os.close(given[1])
    moves = [(os.POSIX_SPAWN_DUP2, given[0], 0), (os.POSIX_SPAWN_DUP2, taken[1], 1)]
    child = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ, file_actions=moves)
    os.close(given[0])
    os.close(taken[1])
    try:
        return files.read_all(taken[0])
    finally:
        os.close(taken[0])
        os.waitpid(child, 0)

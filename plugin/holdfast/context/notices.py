"""What the user was asked or shown at a session's start, so that the next start does not repeat it too soon.

The store has one file for it, a JSON object: for each session or state file that the user was asked about the time,
the asking session and how often the question was ignored before, and under "left_behind" the time when files left
behind were mentioned last.
"""

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.sessions.survey import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey

    Notice = dict[str, object]  # when it was asked, by which session, and how often it was ignored

WEEK = 7 * 86_400.0  # seconds
_FILE = "/notices"
_LEFT_BEHIND = "left_behind"
_PATIENCE = 3  # how often a question may be ignored before it is not asked any more
_MOST = 400  # questions that are remembered; the oldest are forgotten first


class Notices:
    """The notices of a survey's project; `save` writes what was added."""

    def __init__(self, survey: "Survey") -> None:
        self._survey, self._now = survey, survey.workspace.now
        self._store = survey.workspace.project.store
        self._rows = fast_json.read_object(self._store + _FILE) if self._store else {}
        self._sessions: dict[str, Session | None] = {}

    def is_due(self, key: str, changed: float) -> bool:
        """Return whether to ask whether work that changed last at `changed` is over: at most once a week."""
        asked = number_of(self._row(key), "at")
        return changed > asked or self._now - asked >= WEEK

    def is_new(self, key: str) -> bool:
        """Return whether the user was never asked about `key`."""
        return not self._row(key)

    def is_open(self, key: str, changed: float) -> bool:
        """Return whether to ask about `key`, a session or a file that changed last at `changed`.

        It is asked again until it was ignored three times. While the session that asks runs without a prompt, the
        question is still on its screen.
        """
        row = self._row(key)
        if not row or changed > number_of(row, "at"):
            return True
        asking = self._asking(row)
        on_screen = asking is not None and asking.live and not _prompted_since(asking, row)
        return not on_screen and self._ignored(row) < _PATIENCE

    def asked(self, key: str, session: str) -> None:
        """Record that `session` asks the user about `key`."""
        row = self._row(key)
        self._rows[key] = {"at": round(self._now, 3), "by": session, "ignored": self._ignored(row)}

    def _ignored(self, row: "Notice") -> int:
        """Return how often the user gave a prompt after the question, and did nothing about it."""
        asking = self._asking(row)
        return int(number_of(row, "ignored")) + (asking is not None and _prompted_since(asking, row))

    @property
    def is_week_over(self) -> bool:
        """Whether completed files were not mentioned for a week."""
        return self._now - number_of(self._rows, _LEFT_BEHIND) >= WEEK

    def mentioned_left_behind(self) -> None:
        """Record that completed files were mentioned."""
        self._rows[_LEFT_BEHIND] = round(self._now, 3)

    def save(self) -> None:
        """Write the notices; if that fails, the user sees the same again."""
        questions = sorted(self._rows.keys() - {_LEFT_BEHIND}, key=lambda key: number_of(self._row(key), "at"))
        kept = {key: self._rows[key] for key in (*questions[-_MOST:], _LEFT_BEHIND) if key in self._rows}
        files.write_quietly(self._store + _FILE, fast_json.dumps(kept).encode(), durable=False)

    def _row(self, key: str) -> "Notice":
        row = self._rows.get(key)
        return row if isinstance(row, dict) else {}

    def _asking(self, row: "Notice") -> "Session | None":
        """Return the session that asked last, None if it is unknown."""
        ident = text_of(row, "by")
        if ident not in self._sessions:
            known = find(self._survey.sessions, ident) or self._survey.workspace.session(ident)
            self._sessions[ident] = known
        return self._sessions[ident]


def _prompted_since(session: "Session", row: "Notice") -> bool:
    """Return whether the user gave a session a prompt after its question."""
    return any(prompted >= number_of(row, "at") for prompted in session.asked)

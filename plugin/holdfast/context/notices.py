"""What the user was asked or told at a session's start, so that the next start does not repeat it too soon.

The store has one file for it, a JSON object: for each session or state file that the user was asked about the time and
the asking session, and under "left_behind" the time when files left behind were mentioned last.
"""

import os

from holdfast.core import fast_json, files
from holdfast.journal.session import number_of, text_of
from holdfast.sessions.survey import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.survey import Survey

    Fact = dict[str, object]

WEEK = 7 * 86_400.0  # seconds
_FILE = "/notices"
_LEFT_BEHIND = "left_behind"
_MOST = 400  # questions that are remembered; the oldest are forgotten first


class Notices:
    """The notices of a survey's project; `save` writes what was added."""

    def __init__(self, survey: "Survey") -> None:
        self._survey, self._now = survey, survey.workspace.now
        self._store = survey.workspace.project.store
        self._rows = fast_json.read_object(self._store + _FILE) if self._store else {}
        self._answers: dict[str, bool] = {}

    def is_open(self, key: str, changed: float) -> bool:
        """Return whether to ask about `key`, a session or a file that changed last at `changed`.

        The user was not asked yet, or it changed since, or the session that asked is over and nobody answered there.
        """
        row = self._row(key)
        return changed > number_of(row, "at") or self._is_unanswered(text_of(row, "by"), number_of(row, "at"))

    def asked(self, key: str, session: str) -> None:
        """Record that `session` asks the user about `key`."""
        self._rows[key] = {"at": round(self._now, 3), "by": session}

    @property
    def is_week_over(self) -> bool:
        """Whether files left behind were not mentioned for a week."""
        return self._now - number_of(self._rows, _LEFT_BEHIND) >= WEEK

    def mentioned_left_behind(self) -> None:
        """Record that files left behind were mentioned."""
        self._rows[_LEFT_BEHIND] = round(self._now, 3)

    def save(self) -> None:
        """Write the notices; if that fails, the user is asked and told again."""
        questions = sorted(self._rows.keys() - {_LEFT_BEHIND}, key=lambda key: number_of(self._row(key), "at"))
        kept = {key: self._rows[key] for key in (*questions[-_MOST:], _LEFT_BEHIND) if key in self._rows}
        try:
            os.makedirs(self._store, exist_ok=True)
            files.write_atomic(self._store + _FILE, fast_json.dumps(kept).encode())
        except OSError:
            return

    def _row(self, key: str) -> "Fact":
        row = self._rows.get(key)
        return row if isinstance(row, dict) else {}

    def _is_unanswered(self, ident: str, at: float) -> bool:
        """Return whether a session that asked is over, and its user gave no prompt after the question.

        While it runs, the question is still on the screen. A prompt answers it: the user starts fresh.
        """
        if ident not in self._answers:
            self._answers[ident] = self._look(ident, at)
        return self._answers[ident]

    def _look(self, ident: str, at: float) -> bool:
        session = find(self._survey.sessions, ident) or self._survey.workspace.session(ident)
        return session is None or not (session.live or any(prompted >= at for prompted in session.asked))

"""A project as a change of its hub sees it."""

import os

from holdfast import folded, journal, payload, settings
from holdfast.cache import Cache
from holdfast.dialects import catalog
from holdfast.dialects.dialect import Dialect
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.sessions import digest, judge, look_for_state

_SHOWN = 8  # characters of an id that lists and briefs show


class Project:
    """Where it is, what is chosen there, which dialects it has, and what time it is."""

    def __init__(self, place: Place, now: float) -> None:
        self.place = place
        self.now = now
        self._memory = Cache(place.store)
        self.settings, _ = settings.usable(place.root, os.environ, self._memory)
        self.dialects = catalog.known(place.root, self._memory)

    @property
    def dialect(self) -> Dialect:
        """The dialect that hubs have here; HoldfastError when the project has taken it away."""
        found = self.dialects.get("genie")
        if found is None or found.entry is None:
            raise HoldfastError("the dialect genie of this project describes no entries. Mend it in its settings.")
        return found

    def whole(self, ident: str) -> str:
        """Return the id of the one session here that begins so, as holdfast shows it; else the id as it is."""
        if len(ident) < _SHOWN or not payload.is_session(ident) or journal.known(self.place.store, ident):
            return ident
        found = [known for known in journal.sessions(self.place.store) if known.startswith(ident)]
        return found[0] if len(found) == 1 else ident

    def session(self, ident: str) -> Session | None:
        """Return a session as journal and state file have it, None for one that has no journal here."""
        if not payload.is_session(ident):
            return None
        session = folded.session(self.place.store, ident, self.place.root, self.dialects.places)
        if not session.journaled:
            return None
        look_for_state(session)
        session.digest = digest(session.state, self._memory, self.dialects)
        judge(session, self.settings, self.now)
        return session

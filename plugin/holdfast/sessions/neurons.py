"""Neurons: entries of the hub whose sessions have no journal here, as sessions for lists."""

from holdfast.core.fast_json import text_of
from holdfast.sessions import resume
from holdfast.sessions.hub_entries import dated, rows
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary
    from holdfast.project.settings.settings import Settings
    from holdfast.sessions.survey import Survey


class Neuron(Session):
    """An entry of the hub whose session has no journal here, as a session with the entry as its summary."""

    is_neuron = True

    @property
    def key(self) -> str:
        """Its id, which is unique among all sessions and entries."""
        return self.id


def neuron(row: "Summary", hub: Session, settings: "Settings", now: float) -> Neuron:
    """Return an entry of a hub as a session."""
    at = dated(row)
    return Neuron(text_of(row, "id")).replace(
        summary={**row, "format": text_of(hub.summary, "format")},
        state=hub.state,
        state_name=hub.state_name,
        last_active=at,
        near=2,
        silent=bool(at) and now - at > settings.stale_hours * 3600,
    )


def neurons(survey: "Survey", *, everything: bool = False) -> list[Neuron]:
    """Return the open entries of the hub whose sessions have no journal here, the newest first.

    With `everything` the completed ones too. These are the neurons that a start asks about.
    """
    hub = survey.hub_session
    if hub is None:
        return []
    here = survey.beyond.union(resume.recorded_ids(survey.sessions))
    found = [neuron(row, hub, survey.settings, survey.workspace.now) for row in rows(hub) if row["id"] not in here]
    shown = [one for one in found if (everything or one.open) and not resume.nameless(one.id)]
    return sorted(shown, key=lambda one: -one.last_active)


def listed(survey: "Survey") -> list[Session]:
    """Return the sessions that a list shows: those with a journal or a state file, and the neurons; not the hub."""
    sessions = [*without_hub(survey), *neurons(survey, everything=True)]
    return sorted(sessions, key=lambda one: (-one.near, -one.last_active))


def without_hub(survey: "Survey") -> list[Session]:
    """Return the sessions with a journal or a state file, without the hub."""
    return [one for one in survey.listed if one.journaled or not survey.hub or one.state != survey.hub]

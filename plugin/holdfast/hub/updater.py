"""The whole of an update: the arguments read, the hub and its companions written, the documented answer."""

import os
from functools import partial

from holdfast import clock, lifecycle, lookup, store
from holdfast.errors import HoldfastError
from holdfast.hub import keeping, place, siblings, update, writing
from holdfast.hub.draft import Draft
from holdfast.hub.entry import TIME
from holdfast.hub.project import Project
from holdfast.hub.request import ACTIONS, Request, check_agent
from holdfast.settings import Settings

DONE, NOTHING = "Session state updated successfully", "Session state was up to date already"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.hub.siblings import Activity

    Answer = dict[str, object]


def run(project: Project, asked: Request) -> "Answer":
    """Carry out a request and return the answer in the shape of the document; HoldfastError when it cannot be."""
    asked.session, asked.parent = project.whole(asked.session), project.whole(asked.parent)
    done: list[tuple[list[Activity], str]] = []

    def act(draft: Draft) -> None:
        known = draft.get(asked.session)
        check_agent(asked.agent, project.settings.agents, known.text("Agent") if known else "")
        parent = project.session(asked.parent) if asked.parent and draft.get(asked.parent) is None else None
        if parent:
            keeping.put(draft, parent)
        update.apply(draft, asked)
        done[:] = [update.done(draft, asked)]

    companions: list[str] = []
    notes = [*asked.cut]

    def beside() -> None:
        notes[:], companions[:] = asked.cut, []
        for name, change in siblings.CHANGES:
            path = place.beside(place.path_of(project.place), name)
            whole = partial(_each, change=change, activities=done[0][0])
            notes.extend(_companion(path, whole, project.settings, companions))

    with store.writing(project.place):
        written = writing.write(project, act, beside)
        changed = [os.path.basename(written.path)] if written.changed else []
        changed += [place.ARCHIVE] if written.archived else []
        changed += companions
        notes += [written.unstaged] if written.unstaged else []
        notes += _state_file(project, asked, changed)
    return _answer(asked, done[0][1], changed, notes, project.now)


def _each(data: bytes, change: "Callable[[bytes, Activity], bytes]", activities: "list[Activity]") -> bytes:
    """Return a document with all activities told, the request's own last."""
    for activity in reversed(activities):
        data = change(data, activity)
    return data


def _state_file(project: Project, asked: Request, changed: list[str]) -> list[str]:
    """Give the session's own state file the same standing, where its dialect has a word for it; return what hinders."""
    session = project.session(asked.session)
    if session is None or not session.state or session.shared or session.standing == ACTIONS[asked.action]:
        return []
    if asked.action == "waiting" or (asked.action in {"started", "in_progress"} and session.standing != "paused"):
        return []
    try:
        done = lifecycle.turn(
            project.place, lookup.Hit(session), ACTIONS[asked.action], project.dialects, project.settings
        )
    except (HoldfastError, OSError) as error:
        return [f"{session.state_name} was left as it is: {error}"]
    changed += [session.state_name] if done.written else []
    return [done.unstaged] if done.unstaged else []


def _companion(path: str, change: "Callable[[bytes], bytes]", chosen: Settings, changed: list[str]) -> list[str]:
    """Bring a document beside the hub up to date where there is one; return what is in the way."""
    if not os.path.lexists(path):
        return []
    try:
        changed += [os.path.basename(path)] if store.update(path, change) else []
    except (HoldfastError, OSError) as error:
        why = error if isinstance(error, HoldfastError) else error.strerror
        return [f"{os.path.basename(path)} was left as it is: {why}"]
    # Even if nothing was written: an update that was cut off may have got no further than the file.
    problem = store.stage(path) if chosen.stage else ""
    return [problem] if problem else []


def _answer(asked: Request, agent: str, changed: list[str], notes: list[str], now: float) -> "Answer":
    """Return the documented answer."""
    return {
        "status": "success",
        "action": asked.action if asked.action in {"started", "completed"} else "updated",
        "session_id": asked.session,
        "agent": agent,
        "updated_files": changed,
        "timestamp": clock.write(now, TIME),
        "message": "; ".join([DONE if changed else NOTHING, *notes]),
    }


def failure(error: str) -> "Answer":
    """Return the documented answer for what could not be done: the error, and what to do about it."""
    what, _, rest = error.partition(". ")
    return {"status": "failed", "error": what, "details": rest or error}

"""Detours: fork into a discussion, one level deep, and come back to where the work stood."""

from holdfast.errors import HoldfastError
from holdfast.memory.step import NOT_FORKED, Step
from holdfast.memory.view import STACK, View, stacked

_DEEP = "Already in discussion mode (depth 1). Complete current discussion before forking again."
_FORK = "/discuss"


def discuss(view: View, topic: str, title: str) -> Step:
    """Fork into a discussion; HoldfastError in the document's words when one is going on.

    It returns to what the file says is done now, else to its `title`.
    """
    if view.depth:
        raise HoldfastError(f"{_DEEP} It is about {_topic(view)!r}; holdfast return ends it.")
    if not topic:
        raise HoldfastError('The topic is empty. Say what it is about: holdfast discuss "token budget research"')
    back = view.current or stacked(view.task) or view.focus or title
    step = Step(f"In discussion: {topic}. It returns to {back}.", [f"Forked into discussion: {topic}"])
    return step.says(STACK, Current=f"{_FORK} {topic}", Return_to=back, Depth="1")


def back(view: View, summary: str) -> Step:
    """Come back from a discussion; HoldfastError when there is none."""
    if not view.depth:
        raise HoldfastError("Not in discussion mode (depth 0): there is nothing to return from. Type: holdfast status")
    topic, to = _topic(view), view.back or stacked(view.task) or "the work before"
    ended = f"Returned from discussion: {topic}" + (f"; {summary}" if summary else "")
    return Step(f"Back to {to}; the discussion of {topic} is over.", [ended]).rests(to, NOT_FORKED)


def _topic(view: View) -> str:
    """Return what the discussion is about."""
    return view.current.removeprefix(_FORK).strip() or "the discussion"

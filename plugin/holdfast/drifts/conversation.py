"""How the conversation went on: prompts that were given, zones of the budget that were crossed, and for how long."""

from holdfast import clock, text
from holdfast.budget import ZONES
from holdfast.drifts.item import Item
from holdfast.drifts.sight import Sight
from holdfast.memory.view import BUDGET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Fewer are a conversation that is going on, and the prompt that asks for the report is one itself.
PROMPTS = 3
_WORDS = 80  # characters of a prompt that are told
_HOUR = 3600.0


def prompts(sight: Sight) -> "Iterator[Item]":
    """Yield how many prompts were given since, and how the last one began."""
    count = sum(at > sight.since for at in sight.session.asked)
    if count >= PROMPTS:
        last = f'the last one: "{text.line(sight.session.asked_last, _WORDS)}"'
        yield Item("prompts", "", str(count), last, sight.told(), count=count)


def zone(sight: Sight) -> "Iterator[Item]":
    """Yield that the budget was in a worse zone since; a file with a section for it says so there, or drifts there."""
    if BUDGET in sight.view.there and sight.known.memory.budget:
        return
    known = [(at, found) for at, found in sight.session.zones if 0 <= found < len(ZONES)]
    before = [found for at, found in known if at <= sight.since]
    worst = max((found for at, found in known if at > sight.since), default=0)
    if worst > (before[-1] if before else 0):
        crossed = next(at for at, found in known if at > sight.since and found == worst)
        evidence = f"crossed {clock.ago(sight.known.now - crossed)}"
        was = ZONES[before[-1] if before else 0]
        yield Item("zone", was.name, ZONES[worst].name, evidence, sight.told())


def age(sight: Sight) -> "Iterator[Item]":
    """Yield how long ago it was written by somebody who knows what it means, where that was an hour or more.

    To be told beside something else: the clock alone says nothing.
    """
    passed = sight.known.now - sight.known.began
    if sight.since and passed >= _HOUR:
        yield Item("age", "", clock.ago(passed), f"by {sight.known.writer}")
    elif sight.known.began and passed >= _HOUR:
        yield Item("age", "", "never by anybody but holdfast", f"the session began {clock.ago(passed)}")

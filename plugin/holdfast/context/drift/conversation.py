"""How far the conversation went since the last update: prompts, zones of the token budget, and time."""

from holdfast.context.drift.comparison import Comparison
from holdfast.context.drift.item import PROMPTS, Item
from holdfast.core import clock
from holdfast.memory.budget import ZONES
from holdfast.memory.view import BUDGET
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS = 80  # characters of a prompt that are shown
_HOUR = 3600.0


def prompts(comparison: Comparison) -> "Iterator[Item]":
    """Yield the number of prompts since the last update, and the beginning of the newest one."""
    count = sum(at > comparison.since for at in comparison.session.asked)
    if count >= PROMPTS:
        last = f'the last one: "{safe.line(comparison.session.asked_last, _WORDS)}"'
        yield Item("prompts", "", str(count), last, comparison.progress_call(), count=count)


def zone(comparison: Comparison) -> "Iterator[Item]":
    """Yield the worst zone of the token budget since the last update, if it is worse than the zone before.

    A file with a budget section is compared by `memory.budget` instead.
    """
    if BUDGET in comparison.view.there and comparison.evidence.memory.budget:
        return
    known = [(at, found) for at, found in comparison.session.zones if 0 <= found < len(ZONES)]
    before = [0, *(found for at, found in known if at <= comparison.since)][-1]
    worst = max((found for at, found in known if at > comparison.since), default=0)
    if worst > before:
        crossed = next(at for at, found in known if at > comparison.since and found == worst)
        evidence = f"crossed {clock.ago(comparison.evidence.now - crossed)}"
        yield Item("zone", ZONES[before].name, ZONES[worst].name, evidence, comparison.progress_call())


def age(comparison: Comparison) -> "Iterator[Item]":
    """Yield the time since the last update by the model or a person, if it is an hour or more.

    Time alone is no drift, so this item only accompanies others.
    """
    passed = comparison.evidence.now - comparison.evidence.began
    if comparison.since and passed >= _HOUR:
        yield Item("age", "", clock.ago(passed), f"by {comparison.evidence.writer}")
    elif comparison.evidence.began and passed >= _HOUR:
        yield Item("age", "", "only by holdfast", f"the session began {clock.ago(passed)}")

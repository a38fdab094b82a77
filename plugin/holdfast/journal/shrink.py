"""A shorter journal of a session that is long over: without the facts that its summary does not need."""

from holdfast.core.fast_json import text_of
from holdfast.journal.folding import fold
from holdfast.journal.kinds import KINDS
from holdfast.journal.session import Group, Recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from holdfast.journal.log import Fact

KIND = "pruned"  # the last fact of a shrunk journal
_MARK = b'"kind": "pruned"'
# Attributes of a session that count facts, or list each prompt: only what is still to be settled needs them.
_COUNTING = frozenset(("count", "last", "settled", "changed", "pending", "times", "news"))


def is_shrunk(end: bytes) -> bool:
    """Return whether a journal with these last bytes was shrunk, and has no fact since."""
    return _MARK in end.rstrip().rpartition(b"\n")[2]


def shrunk(facts: "Sequence[Fact]") -> "list[Fact]":
    """Return the facts that make the same session, but for the times of its prompts; all facts if fewer would not.

    The session is settled: no fact of it is still to be written into its state file.
    """
    whole = _session(facts)
    request = next((at for at, fact in enumerate(facts) if _is_prompt(fact, whole.talk.request)), -1)
    last = {key: at for at, fact in enumerate(facts) if (key := _key(fact)) is not None}
    first = {key: at for at, fact in [*enumerate(facts)][::-1] if (key := _key(fact)) is not None}
    ends = {*first.values(), *last.values(), request}
    apart = {at for at, fact in enumerate(facts) if _kept(fact) in ("all", "bare")}
    kept = [facts[at] for at in sorted(ends | apart) if at >= 0]
    kept = [_without_text(fact) if _kept(fact) == "bare" else fact for fact in kept]
    if not kept:
        return [*facts]
    settled: Fact = {"at": kept[-1]["at"], "kind": "settled", "facts": len(kept) + 2}
    pruned: Fact = {"at": kept[-1]["at"], "kind": KIND}
    kept += [settled, pruned]
    return kept if not whole.settling.unsettled and _known(_session(kept)) == _known(whole) else [*facts]


def _key(fact: "Fact") -> "Hashable":
    """Return what a fact shares with those of which only the first and the last are kept; None for no such fact."""
    keys = _kept(fact)
    return (fact["kind"], repr([fact.get(key) for key in keys])) if isinstance(keys, tuple) else None


def _kept(fact: "Fact") -> "str | tuple[str, ...]":
    """Return what is kept of facts of this kind, as `journal.kinds` says; "none" for an unknown kind."""
    kind = KINDS.get(fact["kind"])
    return kind.kept if kind else "none"


def _is_prompt(fact: "Fact", text: str) -> bool:
    return fact["kind"] == "prompt" and text_of(fact, "text") == text


def _without_text(fact: "Fact") -> "Fact":
    return {"at": fact["at"], "kind": fact["kind"]}


def _session(facts: "Sequence[Fact]") -> Recorded:
    return fold(Recorded(""), facts)


def _known(group: Group) -> dict[str, object]:
    """Return what is known of a session, or a group of it, in the order of its files, without what counts facts."""
    return {name: _in_order(value) for name, value in vars(group).items() if name not in _COUNTING}


def _in_order(value: object) -> object:
    """Return a value to compare, of dictionaries also the order."""
    if isinstance(value, Group):
        return _known(value)
    return [(key, _in_order(each)) for key, each in value.items()] if isinstance(value, dict) else value

"""Hostile input: all that was kept, and a fixed number of inputs made of it; `make fuzz` goes on from there."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import mutating
from tests.fuzz.table import TARGETS
from tests.support.examples import times

if TYPE_CHECKING:
    from tests.fuzz.target import Target

EACH = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
_SEED = 1
_MOST = 300_000  # bytes of the whole corpus: whoever installs the plugin gets a copy


@pytest.mark.slow
@EACH
def test_what_people_and_programs_write_passes(target: Target) -> None:
    """Every seed of a target is read, written and read again as promised."""
    assert target.seeds()
    for data in target.seeds():
        target.check(data)


@EACH
def test_what_was_kept_passes(target: Target) -> None:
    """What broke something once breaks it no more."""
    for path in target.corpus:
        try:
            target.check(path.read_bytes())
        except Exception as error:
            error.add_note(f"The input: {path}")
            raise


@pytest.mark.slow
@EACH
def test_what_is_made_of_it_passes(target: Target) -> None:
    """A number of inputs, the same in each run, keep every promise."""
    for data in islice(mutating.inputs(target, _SEED), times(target.inputs / 100)):
        try:
            target.check(data)
        except Exception as error:
            error.add_note(f"The input, for tests/fuzz/corpus/{target.name}: {data!r}")
            raise


def test_the_inputs_are_the_same_each_time() -> None:
    """Two runs try the same inputs, and another seed others."""
    first, again, other = (list(islice(mutating.inputs(TARGETS[0], seed), 20)) for seed in (1, 1, 2))
    assert first == again != other


def test_the_corpus_is_small() -> None:
    """The corpus is worth its size, and each file of it belongs to a target."""
    kept = [path for target in TARGETS for path in target.corpus]
    assert sum(path.stat().st_size for path in kept) < _MOST
    folders = {path.name for path in (TARGETS[0].corpus[0].parent.parent).iterdir()}
    assert folders <= {target.name for target in TARGETS}

"""Ids in a hub, whole or shortened: which of them name the same session."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.hub.entry_values import CUTS, Known, same_ident

# Alike enough that one often begins another.
IDS = st.builds(
    "{}{}{}".format,
    st.integers(5, 9).map(lambda count: "abcdefghi"[:count]),
    st.sampled_from(["", "", "z"]),
    st.sampled_from(["", "", *CUTS]),
)


@given(st.lists(IDS, max_size=8), IDS)
def test_the_ids_found_are_those_that_a_comparison_finds(idents: list[str], ident: str) -> None:
    """`Known` finds the same ids as a comparison with each of them."""
    known = Known(idents)
    expected = [one for one in dict.fromkeys(idents) if same_ident(one, ident)]
    assert known.same(ident) == expected
    assert known.first(ident) == (ident if ident in idents else next(iter(expected), ""))


def test_an_id_is_shortened_to_six_characters_or_more() -> None:
    """Fewer may begin several ids."""
    assert same_ident("abcdef...", "abcdefgh")
    assert not same_ident("abcde...", "abcdefgh")
    assert not same_ident("abcdef", "abcdefgh")

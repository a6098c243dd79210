"""A threshold is proposed only if every row agrees with it, and the proposal says how far the log leaves it open."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.proposal.threshold_proposal import between

NUMBERS = st.floats(-1e3, 1e3).map(Fraction)


@given(st.lists(NUMBERS, min_size=1), st.lists(NUMBERS, min_size=1))
def test_a_bound_parts_the_rows_or_there_is_none(below: list[Fraction], above: list[Fraction]) -> None:
    found = between(below, above)
    if found is None:
        gap = min(above) - max(below)
        assert gap <= 0 or gap < Fraction(1, 10**39)  # no decimal of forty digits lies there
    else:
        bound = Fraction(found.bound)
        assert all(each < bound for each in below) and all(each >= bound for each in above)


@pytest.mark.parametrize(
    ("below", "above", "bound"),
    [("0.2", "0.5", "0.5"), ("0.5", "0.7", "0.7"), ("-3", "4", "0.5"), ("-3", "0.1", "0"), ("-0.42", "-0.31", "-0.4")],
)
def test_the_bound_is_the_usual_one_or_short(below: str, above: str, bound: str) -> None:
    found = between([Fraction(below)], [Fraction(above)])
    assert found is not None and found.bound == bound

"""Bounds, against every value of a small type: what follows really follows, and nothing is decided that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula import build
from soid.formula.bounds import Bounds
from soid.formula.passes import evaluate
from soid.formula.sorts import BitVec, Float, Sort
from soid.formula.term import Term

SORTS: list[Sort] = [Float(2, 3), Float(3, 3), BitVec(4)]
COMPARISONS = {
    Float: [build.fp_lt, build.fp_leq, build.fp_eq],
    BitVec: [build.bvult, build.bvule, build.bvslt, build.bvsle, build.eq],
}


@st.composite
def conditions(draw: st.DrawFn, variable: Term) -> Term:
    sort = variable.sort
    assert isinstance(sort, Float | BitVec)
    compare = draw(st.sampled_from(COMPARISONS[type(sort)]))
    constant = build.const(sort, draw(st.integers(0, sort.mask)))
    sides = draw(st.permutations([variable, constant]))
    condition = compare(*sides)
    return build.not_(condition) if draw(st.booleans()) else condition


@pytest.mark.parametrize("sort", SORTS, ids=str)
@given(data=st.data())
def test_what_is_decided_is_so_on_every_state_that_is_left(sort: Sort, data: st.DataObject) -> None:
    assert isinstance(sort, Float | BitVec)
    x = build.var("x", sort)
    taken = data.draw(st.lists(conditions(x), max_size=4))
    asked = data.draw(conditions(x))
    bounds = Bounds()
    bounds.learn(build.all_of(taken))
    left = [value for value in range(sort.mask + 1) if all(evaluate(each, {x: value}) for each in taken)]
    decided = bounds.decides(asked)
    if decided is not None:
        assert all(evaluate(asked, {x: value}) is decided for value in left)


def test_a_copy_learns_alone() -> None:
    x = build.var("x", BitVec(8))
    one = Bounds()
    other = one.copy()
    other.learn(build.bvult(x, build.const(BitVec(8), 3)))
    below_ten = build.bvult(x, build.const(BitVec(8), 10))
    assert (one.decides(below_ten), other.decides(below_ten)) == (None, True)


def test_nan_is_left_over_where_a_comparison_fails() -> None:
    sort = Float(5, 11)
    x, zero = build.var("x", sort), build.const(sort, 0)
    bounds = Bounds()
    bounds.learn(build.not_(build.fp_lt(x, zero)))
    bounds.learn(build.not_(build.fp_leq(zero, x)))
    assert bounds.decides(build.fp_leq(x, zero)) is False
    assert bounds.decides(build.not_(build.fp_leq(x, zero))) is True

"""Bounds, checked with every value of a small type: each decision is right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.formula import build
from soid.formula.bounds import Bounds
from soid.formula.intervals import Bits
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


@given(data=st.data(), low=st.integers(0, 15), size=st.integers(0, 15))
def test_what_else_is_known_of_a_term_counts(data: st.DataObject, low: int, size: int) -> None:
    sort = BitVec(4)
    x = build.var("x", sort)
    taken = data.draw(st.lists(conditions(x), max_size=4))
    asked = data.draw(conditions(x))
    bounds = Bounds()
    bounds.learn(build.all_of(taken))
    reachable = {(low + each) % 16 for each in range(size + 1)}
    left = [value for value in sorted(reachable) if all(evaluate(each, {x: value}) for each in taken)]
    decided = bounds.decides(asked, lambda _: Bits(low, size))
    if decided is not None:
        assert all(evaluate(asked, {x: value}) is decided for value in left)


def test_when_all_but_one_value_is_ruled_out_it_is_that_one() -> None:
    x, (one, two) = build.var("x", BitVec(8)), (build.const(BitVec(8), value) for value in (1, 2))
    bounds = Bounds()
    bounds.learn(build.not_(build.eq(x, one)))
    assert bounds.decides(build.eq(x, one)) is False
    assert bounds.decides(build.not_(build.eq(x, two))) is None
    assert bounds.decides(build.not_(build.eq(x, two)), lambda _: Bits(1, 1)) is False


@given(data=st.data())
def test_where_paths_meet_only_what_both_rule_out_is_ruled_out(data: st.DataObject) -> None:
    sort = BitVec(4)
    x = build.var("x", sort)
    sides = [data.draw(st.lists(conditions(x), max_size=3)) for _ in range(2)]
    both = [Bounds(), Bounds()]
    for bounds, taken in zip(both, sides, strict=True):
        bounds.learn(build.all_of(taken))
    asked = data.draw(conditions(x))
    decided = both[0].either(both[1]).decides(asked)
    left = [value for value in range(16) if any(all(evaluate(e, {x: value}) for e in taken) for taken in sides)]
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

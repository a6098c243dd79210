"""Variables that a condition equates with a constant are pinned, and no others."""

from __future__ import annotations

import pytest

from soid.formula import build as b
from soid.formula.sorts import FLOAT32, BitVec
from soid.formula.term import Term
from soid.scenario.pinned_variables import pinned

X = b.var("x", BitVec(32))
READ = b.fp_from_bits(FLOAT32, X)
ONE, ZERO = b.const(FLOAT32, 0x3F800000), b.const(FLOAT32, 0)


def test_a_float_that_equals_a_number_has_one_value() -> None:
    assert pinned(b.fp_eq(READ, ONE)) == {X: 0x3F800000}


@pytest.mark.parametrize(
    "condition",
    [
        b.fp_eq(READ, ZERO),  # -0.0 equals 0.0 too
        b.fp_eq(b.fp_neg(READ), ONE),
        b.or_(b.fp_eq(READ, ONE), b.var("p", b.TRUE.sort)),
        b.not_(b.fp_eq(READ, ONE)),
        b.fp_leq(READ, ONE),
        b.eq(X, b.var("y", BitVec(32))),
        b.TRUE,
        b.FALSE,
    ],
)
def test_what_has_several_values_or_none_that_can_be_seen_is_not_pinned(condition: Term) -> None:
    assert pinned(condition) == {}


def test_the_first_of_two_values_is_taken_and_the_other_stays_a_condition() -> None:
    two = b.and_(b.eq(X, b.const(BitVec(32), 1)), b.eq(X, b.const(BitVec(32), 2)))
    if two is not b.FALSE:
        assert pinned(two)[X] in (1, 2)

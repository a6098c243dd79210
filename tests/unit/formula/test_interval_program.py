"""The intervals that a program computes for a box contain the values of every state in the box."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from soid.formula import build as b
from soid.formula.interval_program import IntervalProgram
from soid.formula.intervals import ALWAYS, EITHER, NEVER, Bits, contains, exactly
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BitVec, Float
from soid.formula.term import postorder
from soid.formula.value_order import ValueOrder
from tests.unit.formula.terms import TINY
from tests.unit.solver.test_box_splitter import NUMBER, P, X, Y, conditions

ORDERS = {X: ValueOrder(TINY), Y: ValueOrder(NUMBER, signed=True), P: ValueOrder(P.sort)}


@pytest.mark.parametrize("seed", range(30))
def test_every_state_of_a_box_is_enclosed(seed: int) -> None:
    random = Random(seed)
    order = postorder([X, Y, P, *conditions(random)])
    program = IntervalProgram(order, ORDERS)
    for _ in range(3):
        box = tuple(tuple(sorted(random.randint(*each.places) for _ in range(2))) for each in ORDERS.values())
        found = program.run(box)  # type: ignore[arg-type]
        sides = [range(low, high + 1) for low, high in box]
        states = list(itertools.product(*(random.sample(side, min(len(side), 5)) for side in sides)))
        for state in states:
            values = {s: o.value_at(place) for (s, o), place in zip(ORDERS.items(), state, strict=True)}
            for term, value, span in zip(order, evaluate_all(order, values), found, strict=True):
                assert contains(term.sort, span, int(value))


def test_at_a_single_place_everything_is_known() -> None:
    sum_of = b.bvadd(Y, b.const(NUMBER, 1))
    program = IntervalProgram(postorder([sum_of]), {Y: ORDERS[Y]})
    assert program.run(((-1, -1),))[program.places[sum_of]] == exactly(NUMBER, 0)


def test_a_float_is_followed_across_zero_where_its_bits_are_no_span() -> None:
    x = b.fp_from_bits(TINY, X)
    below = b.fp_lt(x, b.const(TINY, 3))
    program = IntervalProgram(postorder([below]), {X: ORDERS[X]})
    assert program.run(((-2, 2),))[program.places[below]] == ALWAYS
    plain = IntervalProgram(postorder([below]), {X: ValueOrder(BitVec(TINY.width))})
    assert plain.run(((1, 2),))[plain.places[below]] == ALWAYS


def test_being_one_of_some_constants_is_followed_exactly() -> None:
    one_of = b.or_(*(b.eq(Y, b.const(NUMBER, value)) for value in (1, 2, 3)))
    program = IntervalProgram(postorder([one_of]), {Y: ORDERS[Y]})
    found = [program.run((side,))[program.places[one_of]] for side in ((1, 3), (-4, 0), (0, 1))]
    assert found == [ALWAYS, NEVER, EITHER]


@pytest.mark.parametrize("order", [ValueOrder(TINY), ValueOrder(BitVec(TINY.width), signed=True)])
def test_being_one_of_some_constants_is_followed_across_zero(order: ValueOrder) -> None:
    """The bits of floats from -0.0 to 2.0 are no span, and yet none of them is another number."""
    chosen = [order.value_at(place) for place in (5, 6)]
    one_of = b.or_(*(b.eq(X, b.const(X.sort, value)) for value in chosen))
    alone = b.eq(X, b.const(X.sort, chosen[0]))
    program = IntervalProgram(postorder([one_of, alone]), {X: order})
    for side, expected in (((-3, 4), NEVER), ((-3, 5), EITHER), ((5, 6), ALWAYS), ((-3, -1), NEVER)):
        assert program.run((side,))[program.places[one_of]] == expected
    assert program.run(((-1, 4),))[program.places[alone]] == NEVER


def test_what_is_known_is_not_computed_and_needs_no_arguments() -> None:
    same, another = b.eq(Y, b.const(NUMBER, 1)), b.eq(Y, b.const(NUMBER, 2))
    either = b.or_(same, another)
    order = [same, another, either]
    program = IntervalProgram(order, {Y: ORDERS[Y]}, {same: lambda *_: NEVER, another: lambda *_: ALWAYS})
    assert program.run(((0, 3),)) == [NEVER, ALWAYS, ALWAYS]


def test_a_variable_without_an_order_can_be_anything() -> None:
    rest = b.var("rest", Float(3, 3))
    program = IntervalProgram([Y, rest], {Y: ORDERS[Y]})
    values = program.run(((2, 2),))
    assert values[0] == Bits(2, 0)
    assert all(contains(rest.sort, values[1], bits) for bits in range(1 << 6))

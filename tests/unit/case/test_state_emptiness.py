"""Which conditions have no state in common: what values tell takes no solver, and the rest is asked of one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from random import Random

import pytest

from soid.case import state_emptiness
from soid.case.state_emptiness import StateEmptiness
from soid.formula import build
from soid.formula.build import and_, bvult, const, eq, not_, or_, var
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.passes import evaluate, size, substitute
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term

WIDTH = BitVec(2)
X, Y, P = var("x", WIDTH), var("y", WIDTH), var("p", BOOL)
ALL = [{X: x, Y: y, P: p} for x, y, p in itertools.product(range(4), range(4), (False, True))]


def number(value: int) -> Term:
    return const(WIDTH, value)


def by_trying(conjuncts: Sequence[Term], /) -> Possibility:
    for state in ALL:
        if evaluate(build.all_of(conjuncts), state):
            return Possible({})
    return Impossible()


def never(conjuncts: Sequence[Term], /) -> Possibility:
    pytest.fail(f"asked: {conjuncts}")


def condition(rng: Random) -> Term:
    ranges = [bvult(X, Y), bvult(Y, number(2)), not_(eq(X, Y)), or_(P, eq(Y, number(3)))]
    pins = [eq(X, number(rng.randrange(4))), eq(number(rng.randrange(4)), Y), P, not_(P)]
    return and_(*rng.sample([*ranges, *pins], rng.randrange(1, 4)))


@pytest.mark.parametrize("seed", range(20))
def test_random_conditions_are_empty_when_no_state_satisfies_them(seed):
    rng, empty = Random(seed), StateEmptiness()
    seen = set()
    for _ in range(50):
        given = [condition(rng) for _ in range(rng.randrange(1, 4))]
        outside = [not_(condition(rng)) for _ in range(rng.randrange(3))]
        given[0] = and_(given[0], *outside)
        expected = not any(evaluate(build.all_of(given), state) for state in ALL)
        seen.add(expected)
        assert empty(given, by_trying) is expected
        assert expected or not empty.apart(given)
    assert seen == {True, False}


def test_values_tell_states_apart_without_a_solver():
    empty = StateEmptiness()
    assert empty([eq(X, number(1)), and_(P, eq(X, number(2)))], never) is True
    assert empty([eq(X, number(1)), and_(eq(Y, number(0)), bvult(X, Y))], never) is True
    assert empty([and_(eq(X, number(1)), P), bvult(X, number(3))], never) is False


def test_of_what_lies_outside_of_a_state_values_tell_too(monkeypatch):
    """Such a condition names all inputs: they are not looked through again where their values are the same."""
    inputs = [var(f"input{number}", WIDTH) for number in range(50)]
    same = [eq(each, number(1)) for each in inputs]
    near, far = bvult(X, number(1)), bvult(number(2), X)
    sizes = []

    def sized(terms, values):
        sizes.append(size(terms))
        return substitute(terms, values)

    monkeypatch.setattr(state_emptiness, "substitute", sized)
    empty = StateEmptiness()
    assert empty([and_(*same, near, not_(and_(*same, far)))], by_trying) is False
    assert empty([and_(*same, near, not_(and_(*same, near)))], by_trying) is True
    assert empty([and_(*same, near, not_(and_(*same[1:], eq(inputs[0], number(2)), near)))], by_trying) is False
    assert max(sizes) < 10


def test_a_comparison_with_nan_holds_nowhere_though_it_names_a_value():
    bits = var("f", BitVec(32))
    nowhere = build.fp_eq(build.fp_from_bits(FLOAT32, bits), const(FLOAT32, FLOAT32.nan))
    assert StateEmptiness()([nowhere], never) is True
    is_nan = eq(bits, const(BitVec(32), FLOAT32.nan))
    assert StateEmptiness()([and_(is_nan, not_(and_(P, nowhere)))], never) is False


def test_what_a_solver_leaves_open_is_open():
    assert StateEmptiness()([bvult(X, Y), P], lambda _: Open("time")) is None

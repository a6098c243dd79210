"""The states of a small family: every one of them, and no other; of a large one nothing is listed."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from soid.formula import build
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term
from soid.solver.state_enumeration import all_states

WIDTH = 4
X, Y = (build.var(name, BitVec(WIDTH)) for name in "xy")
P = build.var("p", BOOL)
VALUES = (range(1 << WIDTH), range(1 << WIDTH), (False, True))


def number(value: int) -> Term:
    return build.const(BitVec(WIDTH), value)


def _atom(random: Random) -> Term:
    one, other = random.choice((X, Y, build.bvadd(X, Y))), random.choice((X, Y, number(random.randrange(1 << WIDTH))))
    compare = random.choice((build.eq, build.bvult, build.bvsle, build.bvule))
    return random.choice((P, compare(one, other), build.not_(compare(one, other))))


def _condition(random: Random) -> Term:
    join = random.choice((build.and_, build.or_))
    return join(*(_atom(random) for _ in range(random.randint(1, 3))))


@pytest.mark.parametrize("seed", range(40))
def test_the_states_are_those_that_brute_force_finds(seed: int) -> None:
    random = Random(seed)
    conditions = [_condition(random) for _ in range(random.randint(1, 3))]
    states = [dict(zip((X, Y, P), values, strict=True)) for values in product(*VALUES)]
    right = [state for state in states if all(evaluate_all(conditions, state))]
    found = all_states(conditions, (X, Y, P), 512)
    assert found is not None
    assert sorted(map(_key, found)) == sorted(map(_key, right))
    fewer = all_states(conditions, (X, Y, P), len(right) - 1)
    assert fewer is None or not right


def _key(state: dict[Term, bool | int]) -> tuple[int, ...]:
    return tuple(int(state[term]) for term in (X, Y, P))


def test_few_values_far_apart_are_few() -> None:
    z = build.var("z", BitVec(64))
    chosen = [1, 1 << 40, (1 << 64) - 1]
    found = all_states([build.any_of(build.eq(z, build.const(z.sort, value)) for value in chosen)], [z], 10)
    assert found == [{z: value} for value in chosen]


def test_both_zeros_are_states() -> None:
    t = build.var("t", BitVec(32))
    zero = build.fp_eq(build.fp_from_bits(FLOAT32, t), build.const(FLOAT32, 0))
    assert all_states([zero], [t], 10) == [{t: 0x80000000}, {t: 0}]


def test_what_is_large_or_depends_on_more_is_not_listed() -> None:
    z, w = build.var("z", BitVec(64)), build.var("w", BitVec(64))
    assert all_states([build.not_(build.eq(z, build.const(z.sort, 7)))], [z], 10_000) is None
    assert all_states([build.bvult(z, w)], [z], 10_000) is None
    assert all_states([build.eq(z, w)], [z, w], 10_000) is None

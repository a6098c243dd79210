"""The interval of a term while conditions hold: never too narrow."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from soid.formula import build as b
from soid.formula import intervals
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats
from soid.formula.passes import evaluate, evaluate_all
from soid.formula.reach import Reach
from soid.formula.sorts import BOOL, FLOAT32, BitVec, Float
from soid.formula.term import Term

TINY = Float(3, 3)
X, Y, P = b.var("x", BitVec(6)), b.var("y", BitVec(3)), b.var("p", BOOL)
STATES = [dict(zip((X, Y, P), values, strict=True)) for values in itertools.product(range(64), range(8), (False, True))]
FLOAT = b.fp_from_bits(TINY, X)


def condition(random: Random) -> Term:
    """Comparisons with constants, a set, and a condition that is not about a single term."""
    bits = b.const(BitVec(6), random.randrange(64))
    few = b.const(BitVec(3), random.randrange(8))
    number = b.const(TINY, random.randrange(64))
    kinds = [
        lambda: b.bvule(X, bits),
        lambda: b.bvslt(bits, X),
        lambda: b.not_(b.bvult(Y, few)),
        lambda: b.fp_leq(number, FLOAT),
        lambda: b.not_(b.fp_lt(FLOAT, number)),
        lambda: b.or_(b.eq(Y, few), b.eq(Y, b.const(BitVec(3), 2))),
        lambda: b.or_(*(b.eq(X, b.const(BitVec(6), random.randrange(64))) for _ in range(3))),
        lambda: b.not_(P),
        lambda: b.eq(b.extract(X, 2, 0), Y),
    ]
    chosen = [random.choice(kinds)() for _ in range(random.randint(1, 3))]
    return b.and_(chosen[0], b.and_(*chosen[1:])) if random.random() < 0.5 else b.all_of(chosen)


def term(random: Random, depth: int = 3) -> Term:
    if depth == 0 or random.random() < 0.2:
        return random.choice((X, b.zero_extend(Y, 3), b.const(BitVec(6), random.randrange(64))))
    one, other = term(random, depth - 1), term(random, depth - 1)
    floats = [b.fp_from_bits(TINY, each) for each in (one, other)]
    kinds = [
        lambda: b.bvadd(one, other),
        lambda: b.bvmul(one, other),
        lambda: b.bvsub(one, other),
        lambda: b.ite(b.bvslt(one, other), one, other),
        lambda: b.ite(P, one, other),
        lambda: b.ite(b.fp_lt(b.fp_mul(*floats), b.fp_add(*floats)), one, other),
        lambda: b.bvand(one, other),
    ]
    return random.choice(kinds)()


@pytest.mark.parametrize("seed", range(40))
def test_no_value_is_left_out(seed: int) -> None:
    random = Random(seed)
    holds, terms = condition(random), [term(random) for _ in range(4)]
    sides = [b.bvslt(terms[0], terms[1]), b.eq(terms[2], terms[3]), b.fp_leq(FLOAT, b.fp_from_bits(TINY, terms[0]))]
    reach = Reach(holds)
    spans = [reach.of(each) for each in (*terms, *sides)]
    for state in STATES:
        if not evaluate(holds, state):
            continue
        values = evaluate_all([*terms, *sides], state)
        for each, span, value in zip((*terms, *sides), spans, values, strict=True):
            assert intervals.contains(each.sort, span, value), (state, each)
        assert not any(value and reach.excludes(side) for value, side in zip(values[4:], sides, strict=True))


def test_what_follows_is_seen() -> None:
    one, two = (b.const(TINY, bits) for bits in (0b001100, 0b010000))  # 1.0 and 2.0
    reach = Reach(b.and_(b.fp_leq(one, FLOAT), b.fp_leq(FLOAT, two)))
    assert reach.excludes(b.fp_is_nan(b.fp_div(FLOAT, two)))
    assert reach.excludes(b.fp_lt(b.fp_mul(FLOAT, FLOAT), one))
    assert not reach.excludes(b.fp_lt(b.fp_mul(FLOAT, FLOAT), two))


def test_a_condition_that_nothing_satisfies_is_no_trouble() -> None:
    reach = Reach(b.and_(b.bvult(X, b.const(BitVec(6), 3)), b.bvult(b.const(BitVec(6), 9), X)))
    reach.of(b.bvadd(X, X))
    assert Reach(b.FALSE).of(X) == Reach(b.TRUE).of(X) == intervals.everything(X.sort)


def test_float_arithmetic_is_followed_to_its_exact_ends() -> None:
    bits = b.var("w", BitVec(32))
    x = b.fp_from_bits(FLOAT32, bits)

    def constant(value: float) -> Term:
        return b.const(FLOAT32, sf.float_to_bits32(value))

    def span(low: float, high: float) -> Floats:
        first, last = (sf.ordinal(FLOAT32, sf.float_to_bits32(end)) for end in (low, high))
        return Floats(first, last, False)

    reach = Reach(b.and_(b.fp_leq(constant(1.0), x), b.fp_leq(x, constant(10.0))))
    assert reach.of(b.fp_add(b.fp_mul(x, constant(-2.0)), constant(1.0))) == span(-19.0, -1.0)
    one_of = Reach(b.or_(*(b.eq(bits, b.const(BitVec(32), sf.float_to_bits32(v))) for v in (2.0, -4.0))))
    assert one_of.of(x) == span(-4.0, 2.0)


def test_what_is_expected_of_a_term_is_followed() -> None:
    reach = Reach(b.TRUE)
    reach.expect(Y, intervals.Bits(2, 1))
    assert reach.of(b.bvadd(Y, Y)) == intervals.Bits(4, 2)

"""Lemmas about rounded results: they hold for all floats, and they prove what bits alone do not."""

from __future__ import annotations

import random

import pytest

from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate, evaluate_all, free_variables
from soid.formula.sorts import FLOAT16, FLOAT64, BitVec, Float
from soid.formula.term import Term
from soid.solver.chain import chain
from soid.solver.monotone_lemmas import MonotoneLemmas, abstracted, lemmas
from soid.solver.protocol import Budget, Sat, Unsat

UNARY = (build.fp_neg, build.fp_sqrt)
BINARY = (build.fp_add, build.fp_sub, build.fp_mul, build.fp_div)
SPECIAL = (0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x8001, 0x7BFF, 0xFBFF, 0x3C00, 0xBC00, 0x0400)


def reading(name: str, sort: Float = FLOAT16) -> Term:
    return build.fp_from_bits(sort, build.var(name, BitVec(sort.width)))


def made(draw: random.Random, leaves: list[Term], depth: int) -> Term:
    if depth == 0:
        return draw.choice(leaves)
    if draw.random() < 0.3:
        return draw.choice(UNARY)(made(draw, leaves, depth - 1))
    return draw.choice(BINARY)(made(draw, leaves, depth - 1), made(draw, leaves, depth - 1))


@pytest.mark.parametrize("seed", range(40))
def test_every_lemma_holds_of_all_floats(seed: int) -> None:
    """Terms over x, y and constants, and the same over x, y' and constants: near zero, at infinities, with NaN."""
    draw = random.Random(seed)
    constants = [build.const(FLOAT16, draw.choice((*SPECIAL, draw.getrandbits(16)))) for _ in range(2)]
    shape = random.Random(seed)
    one = made(shape, [reading("x"), reading("y"), *constants], 3)
    shape = random.Random(seed)
    other = made(shape, [reading("x"), reading("other y"), *constants], 3)
    conjuncts = [build.fp_leq(one, other), build.fp_lt(reading("z"), build.fp_add(one, constants[0]))]
    conjuncts.append(build.or_(*(build.fp_lt(reading("y"), each) for each in constants), build.fp_leq(one, one)))
    found = lemmas(conjuncts)
    symbols = sorted(free_variables([*conjuncts, *found]), key=lambda term: term.name)
    for _ in range(300):
        state = {symbol: draw.choice(SPECIAL) if draw.random() < 0.4 else draw.getrandbits(16) for symbol in symbols}
        if not all(evaluate_all(conjuncts, state)):
            continue  # where a conjunct is false a lemma may leave out that something is no number
        for lemma in found:
            assert evaluate(lemma, state), (lemma, state)


def test_whole_numbers_as_floats_keep_their_order() -> None:
    x, y = (build.var(name, BitVec(8)) for name in "xy")
    for convert, at_most in ((build.fp_from_signed, build.bvsle), (build.fp_from_unsigned, build.bvule)):
        one, other = (convert(FLOAT16, each) for each in (x, y))
        found = lemmas([build.fp_lt(one, other), at_most(y, x)])
        assert found
        for low in range(0, 256, 5):
            for high in range(0, 256, 3):
                assert all(evaluate_all(found, {x: low, y: high}))


def test_a_sum_rises_with_its_terms() -> None:
    """Two persons who differ in income alone: the sum of the richer one is not below the other's."""
    income, other, debt = (reading(name, FLOAT64) for name in ("income", "other", "debt"))
    number = lambda value: build.const(FLOAT64, sf.float_to_bits64(value))  # noqa: E731
    ranges = [build.fp_leq(number(0.0), each) for each in (income, other, debt)]
    ranges += [build.fp_leq(each, number(2e5)) for each in (income, other, debt)]

    def score(earned: Term) -> Term:
        return build.fp_sub(build.fp_sub(earned, build.fp_mul(number(2.0), debt)), number(1000.0))

    falls = [
        build.fp_lt(income, other),
        build.fp_lt(number(2e4), score(income)),
        build.fp_leq(score(other), number(2e4)),
    ]
    solver = MonotoneLemmas(chain())
    try:
        assert isinstance(solver.check([*ranges, *falls], Budget(20.0)), Unsat)
        rises = [
            build.fp_lt(income, other),
            build.fp_leq(score(income), number(2e4)),
            build.fp_lt(number(2e4), score(other)),
        ]
        result = solver.check([*ranges, *rises], Budget(20.0))
        assert isinstance(result, Sat) and all(evaluate_all(rises, result.model))
    finally:
        solver.close()


def test_the_pieces_of_a_sum_meet_where_it_says() -> None:
    """Half of an income below 2000, and what exceeds 1000 above it, less what somebody owes: more is never less."""
    income, other, debt = (reading(name, FLOAT64) for name in ("income", "other", "debt"))
    number = lambda value: build.const(FLOAT64, sf.float_to_bits64(value))  # noqa: E731
    ranges = [build.fp_leq(number(0.0), each) for each in (income, other, debt)]
    ranges += [build.fp_leq(each, number(2e5)) for each in (income, other, debt)]

    def amount(earned: Term) -> Term:
        above = build.fp_add(number(1000.0), build.fp_sub(earned, number(2000.0)))
        pieces = build.ite(build.fp_lt(earned, number(2000.0)), build.fp_mul(earned, number(0.5)), above)
        return build.fp_sub(pieces, build.fp_mul(debt, number(0.1)))

    falls = [build.fp_lt(income, other), build.fp_lt(amount(other), amount(income))]
    conjuncts = [*ranges, *falls]
    solver = chain()
    try:
        assert isinstance(solver.check(abstracted(conjuncts, lemmas(conjuncts)), Budget(60.0)), Unsat)
        rises = [*ranges, build.fp_lt(income, other), build.fp_leq(amount(other), amount(income))]
        result = MonotoneLemmas(solver).check(rises, Budget(60.0))
        assert isinstance(result, Sat) and all(evaluate_all(rises, result.model))
    finally:
        solver.close()


def test_no_lemma_without_a_pair() -> None:
    x = reading("x")
    assert lemmas([build.fp_lt(build.fp_add(x, x), x)]) == []
    assert ops.FP_ADD is build.fp_add(x, reading("y")).op

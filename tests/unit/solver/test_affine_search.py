"""Affine forms against exact evaluation: what a point gives is never excluded from a box around it."""

from __future__ import annotations

import math
import struct
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from soid.budget import UNLIMITED, Cancellation
from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term
from soid.solver.affine_program import AffineProgram
from soid.solver.affine_search import searched
from soid.solver.box_conditions import BoxFunction, Size, lay_out
from tests.randomness import SEEDED

_SIZE = Size(variables=8, terms=4_000)
_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 1e-30, -1e-45, 1e20, 3e38, 0.1, 7.25, 1e-7)


def number(sort: Float, value: float) -> Term:
    return b.const(sort, sf.convert(FLOAT64, sort, sf.float_to_bits64(value)))


def value_of(sort: Float, bits: int) -> float:
    return sf.bits64_to_float(sf.convert(sort, FLOAT64, bits))


def relu(x: Term, zero: Term) -> Term:
    return b.ite(b.fp_lt(zero, x), x, zero)


def fmax(x: Term, y: Term) -> Term:
    """As C's library gives it: the zero that it is told apart, and NaN the other one."""
    zeros = b.and_(b.fp_is_zero(x), b.fp_is_zero(y))
    sign = b.ite(b.fp_is_negative(x), y, x)
    return b.ite(b.fp_is_nan(x), y, b.ite(zeros, sign, b.ite(b.fp_lt(y, x), x, y)))


class RandomFloats:
    """Terms over three inputs, of which later ones are made of earlier ones."""

    def __init__(self, random: Random, sort: Float) -> None:
        self.random, self.sort = random, sort
        self.inputs = [b.var(f"x{place}", BitVec(sort.width)) for place in range(3)]
        self.terms = [b.fp_from_bits(sort, each) for each in self.inputs]
        while len(self.terms) < 3 + random.randrange(3, 24):
            self.terms.append(self._made())

    def _any(self) -> Term:
        return self.random.choice(self.terms)

    def _constant(self) -> Term:
        return number(self.sort, self.random.choice((*_NUMBERS, self.random.gauss(0, 1), self.random.gauss(0, 1))))

    def _made(self) -> Term:
        x, y, c = self._any(), self._any(), self._constant()
        kind = self.random.randrange(14)
        if kind < 3:
            return b.fp_add(b.fp_mul(c, x), self._constant())
        if kind < 6:
            return self.random.choice((b.fp_add, b.fp_sub))(x, y)
        zero = number(self.sort, self.random.choice((0.0, -0.0)))
        share = number(self.sort, self.random.choice((0.01, 1.0, 0.0, 0.3)))
        other = FLOAT64 if self.sort == FLOAT32 else FLOAT32
        made = {
            6: lambda: b.fp_mul(x, y),
            7: lambda: relu(x, zero),
            8: lambda: b.ite(b.fp_lt(x, zero), b.fp_mul(share, x), x),
            9: lambda: fmax(x, self.random.choice((y, number(self.sort, 0.0)))),
            10: lambda: b.fp_fma(x, c, y),
            11: lambda: self.random.choice((b.fp_neg, b.fp_abs))(x),
            12: lambda: b.fp_to_fp(self.sort, b.fp_to_fp(other, x)),
            13: lambda: self.random.choice(
                (
                    b.fp_div(x, c),
                    b.fp_div(c, x),
                    b.ite(b.fp_leq(x, y), x, y),
                    b.ite(b.not_(b.fp_leq(x, y)), c, x),
                    b.ite(b.fp_lt(zero, x), x, b.fp_mul(x, share)),
                )
            ),
        }
        return made[kind]()


def box_around(random: Random, sort: Float) -> tuple[list[int], list[tuple[int, int]]]:
    """A point's bits, and places around them: few floats, or many."""
    point, box = [], []
    for _ in range(3):
        here = random.choice((*_NUMBERS, random.gauss(0, 1), random.gauss(0, 30)))
        bits = sf.convert(FLOAT64, sort, sf.float_to_bits64(here))
        far = random.choice((0.0, 1e-6, 1e-3, 0.4, 5.0))
        ends = [sf.convert(FLOAT64, sort, sf.float_to_bits64(here + sign * far * random.random())) for sign in (-1, 1)]
        low, high = (sf.ordinal(sort, each) for each in ends)
        place = sf.ordinal(sort, bits)
        point.append(bits)
        box.append((min(low, place), max(high, place)))
    return point, box


def check(random: Random) -> int:
    """How many conditions were compared that a box settles, or might."""
    sort = random.choice((FLOAT32, FLOAT32, FLOAT64))
    made, counted = RandomFloats(random, sort), 0
    point, box = box_around(random, sort)
    known = dict(zip(made.inputs, point, strict=True))
    for term in made.terms[3:]:
        (bits,) = evaluate_all([term], known)
        if sf.is_nan(sort, bits) or sf.is_infinite(sort, bits):
            continue
        here = b.const(sort, bits)
        for condition in (b.fp_leq(here, term), b.fp_leq(term, here), b.fp_eq(term, here), b.eq(term, here)):
            truth = evaluate_all([condition], known)[0]
            for asked, holds in ((condition, truth), (b.not_(condition), not truth)):
                laid_out = lay_out([asked], _SIZE, symbols=made.inputs)
                if laid_out is None or (program := AffineProgram.of(laid_out)) is None:
                    continue
                low, high = (np.array([ends], np.int64) for ends in zip(*box, strict=True))
                excluded = bool(program.evaluate(low, high).impossible[0])
                counted += 1
                assert not (excluded and holds), (sort, term, box)
    return counted


@given(SEEDED)
@settings(max_examples=60, deadline=None)
def test_a_point_is_never_excluded_from_a_box_around_it(random: Random) -> None:
    check(random)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_many_points_in_boxes() -> None:
    assert sum(check(Random(seed)) for seed in range(20_000)) > 100_000


def layer(inputs: list[Term], rows: list[list[float]], bias: list[float]) -> list[Term]:
    found = []
    for row, start in zip(rows, bias, strict=True):
        total = number(FLOAT32, start)
        for weight, each in zip(row, inputs, strict=True):
            total = b.fp_add(total, b.fp_mul(number(FLOAT32, weight), each))
        found.append(total)
    return found


def small_network(seed: int) -> tuple[list[Term], list[Term], Term]:
    """Variables, the ranges of their floats, and the last number of a network of ReLUs."""
    draw = np.random.default_rng(seed)
    variables = [b.var(f"x{place}", BitVec(32)) for place in range(3)]
    values = [b.fp_from_bits(FLOAT32, each) for each in variables]
    ranges = [b.fp_leq(number(FLOAT32, -1.0), each) for each in values]
    ranges += [b.fp_leq(each, number(FLOAT32, 1.0)) for each in values]
    for fan, size in ((3, 6), (6, 6), (6, 1)):
        rows = (draw.normal(size=(size, fan)) * math.sqrt(2 / fan)).tolist()
        values = layer(values, rows, (draw.normal(size=size) * 0.2).tolist())
        if size > 1:
            values = [relu(each, number(FLOAT32, 0.0)) for each in values]
    return variables, ranges, values[0]


def greatest(variables: list[Term], term: Term, seed: int) -> float:
    draw = np.random.default_rng(seed)
    found = -math.inf
    for row in draw.uniform(-1, 1, (400, len(variables))):
        bits = [struct.unpack("<I", struct.pack("<f", each))[0] for each in row.tolist()]
        found = max(found, value_of(FLOAT32, evaluate_all([term], dict(zip(variables, bits, strict=True)))[0]))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_a_small_network_never_gives_is_proved(seed: int) -> None:
    variables, ranges, last = small_network(seed)
    most = greatest(variables, last, seed)
    beyond = b.fp_leq(number(FLOAT32, most + 1.0), last)
    assert searched([*ranges, beyond], (), UNLIMITED.started(), Cancellation()) == {}


@pytest.mark.parametrize("seed", range(3))
def test_what_a_small_network_gives_is_found(seed: int) -> None:
    variables, ranges, last = small_network(seed)
    asked = [*ranges, b.fp_leq(number(FLOAT32, greatest(variables, last, seed) - 0.3), last)]
    model = searched(asked, (), UNLIMITED.started(), Cancellation())
    assert model and all(evaluate_all(asked, model))


def test_a_fixed_number_of_boxes_ends_the_search() -> None:
    variables, ranges, last = small_network(0)
    beyond = b.fp_leq(number(FLOAT32, greatest(variables, last, 0) + 0.001), last)
    assert searched([*ranges, beyond], (), UNLIMITED.started(), Cancellation(), most=1) is None


def test_a_search_that_is_called_off_says_nothing() -> None:
    _, ranges, last = small_network(0)
    cancel = Cancellation()
    cancel.cancel()
    assert searched([*ranges, b.fp_leq(number(FLOAT32, 50.0), last)], (), UNLIMITED.started(), cancel) is None


def test_what_is_settled_is_told_on_the_way() -> None:
    variables, ranges, last = small_network(1)
    told: list[float] = []
    beyond = b.fp_leq(number(FLOAT32, greatest(variables, last, 1) + 0.2), last)
    assert searched([*ranges, beyond], (), UNLIMITED.started(), Cancellation(), told.append) == {}
    assert told == sorted(told) and told[-1] == pytest.approx(1.0)


def test_few_sums_are_left_to_others() -> None:
    variables, ranges, _ = small_network(0)
    x = b.fp_from_bits(FLOAT32, variables[0])
    asked = [*ranges, b.fp_leq(number(FLOAT32, 9.0), b.fp_add(x, x))]
    assert searched(asked, (), UNLIMITED.started(), Cancellation()) is None


def test_both_zeros_are_told_apart_where_a_choice_does() -> None:
    """Where x is a zero it is the sign of it that chooses: of the two results neither is left out."""
    x = b.var("x", BitVec(32))
    read, zero = b.fp_from_bits(FLOAT32, x), number(FLOAT32, 0.0)
    other = b.ite(b.fp_is_negative(read), number(FLOAT32, 5.0), zero)
    chosen = b.ite(b.fp_is_zero(read), zero, other)
    for bits in (0, 1 << 31):
        asked = b.fp_leq(chosen, zero)
        laid_out = lay_out([asked, b.fp_leq(read, number(FLOAT32, 1.0))], _SIZE, symbols=[x])
        assert laid_out is not None
        program = AffineProgram.of(laid_out)
        assert program is not None and evaluate_all([asked], {x: bits})[0]
        assert not program.evaluate(np.array([[-1]]), np.array([[0]])).impossible[0]


def test_a_function_that_is_not_known_to_rise_says_nothing() -> None:
    x, y = b.var("x", BitVec(32)), b.var("y", FLOAT32)
    read = b.fp_from_bits(FLOAT32, x)
    function = BoxFunction(y, (read,), lambda args: args[0], lambda args: args[0])
    laid_out = lay_out([b.fp_leq(number(FLOAT32, 2.0), y), b.eq(b.var("p", BOOL), b.TRUE)], _SIZE, functions=[function])
    assert laid_out is not None and any(term.op is ops.FP_LEQ for term in laid_out.order)
    program = AffineProgram.of(laid_out)
    assert program is not None
    assert not program.evaluate(np.array([[0, 0]]), np.array([[9, 1]])).impossible[0]

"""Values by affine forms in a box: what a point in it gives lies among them, and they are narrow enough."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from soid.engine.llvm.symbolic.library.approximated.approximations import Approximations
from soid.engine.summary import add_results
from soid.evidence.cover_spans import CoverSpan, Sides, spans_of
from soid.evidence.form_spans import FormSpans
from soid.formula import build as b
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.passes import evaluate_all
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term, postorder
from tests.randomness import SEEDED
from tests.unit.solver.test_affine_search import RandomFloats, box_around, number, small_network

TRIPLE = "x86_64-unknown-linux-gnu"


def is_within(sort: Float, bits: int, span: CoverSpan) -> bool:
    return span.nan if sf.is_nan(sort, bits) else span.low <= sf.ordinal(sort, bits) <= span.high


def contains(random: Random) -> int:
    """How many spans were narrower than the interval alone; each contains what a point gives."""
    sort = random.choice((FLOAT32, FLOAT32, FLOAT64))
    made, narrower = RandomFloats(random, sort), 0
    point, box = box_around(random, sort)
    sides: Sides = {term: ("float", ends) for term, ends in zip(made.inputs, box, strict=True)}
    asked = [*made.terms, *(b.fp_leq(one, other) for one, other in zip(made.terms, made.terms[1:], strict=False))]
    asked += [b.fp_eq(one, other) for one, other in zip(made.terms, made.terms[2:], strict=False)]
    spans, plain = FormSpans(asked, ()).within(sides), spans_of(postorder(asked), sides, {})
    states = [point, [b[0] for b in places(sort, box)], [b[1] for b in places(sort, box)]]
    for state in states:
        for term, value in zip(asked, evaluate_all(asked, dict(zip(made.inputs, state, strict=True))), strict=True):
            span = spans[term]
            assert is_within(sort, value, span) if isinstance(term.sort, Float) else span.low <= value <= span.high, (
                term,
                box,
                state,
            )
            narrower += span.high - span.low < plain[term].high - plain[term].low
    return narrower


def places(sort: Float, box: list[tuple[int, int]]) -> list[list[int]]:
    return [[sf.from_ordinal(sort, end) for end in ends] for ends in box]


@given(SEEDED)
@settings(max_examples=60, deadline=None)
def test_what_a_point_gives_lies_among_the_values_of_a_box_around_it(random: Random) -> None:
    contains(random)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_what_many_points_give_lies_among_the_values() -> None:
    assert sum(contains(Random(seed)) for seed in range(20_000)) > 20_000


@pytest.mark.parametrize("name", ["tanh", "exp", "expm1"])
@pytest.mark.parametrize("sort", [FLOAT32, FLOAT64], ids=["float", "double"])
def test_what_the_library_gives_lies_among_the_values(name: str, sort: Float) -> None:
    random, functions = Random(f"{name} {sort}"), Approximations(TRIPLE, TRUE)
    x = b.var("x", BitVec(sort.width))
    given_ = b.fp_from_bits(sort, x)
    result = functions.symbolic(name, sort, (given_,), None)
    above = b.fp_sub(result, given_)  # what cancels: tanh(x) - x
    spans = FormSpans([above], list(functions.by_symbol.values()))
    for _ in range(200):
        middle, far = random.gauss(0, 3), random.choice((0.0, 1e-6, 0.01, 1.0))
        ends = [sf.ordinal(sort, bits_of(sort, middle + sign * far)) for sign in (-1, 1)]
        found = spans.within({x: ("float", (ends[0], ends[1]))})
        for place in (*ends, random.randint(*ends)):
            state = {x: sf.from_ordinal(sort, place)}
            add_results(functions.by_symbol.values(), state)
            for term, value in zip((result, above), evaluate_all([result, above], state), strict=True):
                assert is_within(sort, value, found[term]), (name, middle, far)


def bits_of(sort: Float, value: float) -> int:
    return sf.convert(FLOAT64, sort, sf.float_to_bits64(value))


@pytest.mark.parametrize("seed", range(3))
def test_what_is_subtracted_again_is_kept_track_of(seed: int) -> None:
    variables, _, last = small_network(seed)
    sides: Sides = {term: ("float", around(FLOAT32, 0.3 * place)) for place, term in enumerate(variables)}
    twice = b.fp_sub(b.fp_add(last, number(FLOAT32, 1.0)), last)  # 1, but for what is rounded
    by_forms, by_intervals = FormSpans([twice], ()).within(sides), spans_of(postorder([twice]), sides, {})
    assert is_near_one(by_forms[twice]) and not is_near_one(by_intervals[twice])


def around(sort: Float, middle: float) -> tuple[int, int]:
    low, high = (sf.ordinal(sort, bits_of(sort, middle + sign * 0.05)) for sign in (-1, 1))
    return low, high


def is_near_one(span: CoverSpan) -> bool:
    low, high = (sf.ordinal(FLOAT32, bits_of(FLOAT32, end)) for end in (0.9999, 1.0001))
    return low <= span.low and span.high <= high


def relu(x: Term, zero: Term) -> list[Term]:
    """In the ways in which a compiler may write it."""
    return [
        b.ite(b.fp_lt(zero, x), x, zero),
        b.ite(b.fp_leq(x, zero), zero, x),
        b.ite(b.not_(b.fp_lt(x, zero)), x, zero),
        b.ite(b.fp_lt(x, zero), zero, x),
    ]


@pytest.mark.parametrize("way", range(4))
def test_the_greater_of_two_is_known_in_each_way_of_writing_it(way: int) -> None:
    x = b.fp_from_bits(FLOAT32, b.var("x", BitVec(32)))
    made = relu(x, number(FLOAT32, 0.0))[way]
    below = b.fp_lt(b.fp_sub(made, b.fp_mul(number(FLOAT32, 0.5), x)), number(FLOAT32, -0.01))
    sides: Sides = {x.args[0]: ("float", around(FLOAT32, 0.0))}  # relu(x) - x / 2 is |x| / 2
    assert FormSpans([below], ()).within(sides)[below] == CoverSpan(0, 0)

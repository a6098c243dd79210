"""A span may be too wide, but never too narrow: it contains the result for all arguments."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.intervals import (
    ALWAYS,
    EITHER,
    NEVER,
    Bits,
    Floats,
    Values,
    by_place,
    contains,
    evaluate,
    everything,
    exactly,
    join,
    meet,
)
from soid.formula.operators import OPERATORS, Operator
from soid.formula.sorts import BOOL, FLOAT32, BitVec, Bool, Float, Sort
from soid.formula.term import Term
from tests.randomness import SEEDED
from tests.unit.formula.terms import TINY, applications, value

SMALL = (BOOL, BitVec(1), BitVec(3), BitVec(7), TINY)


def members(sort: Sort, values: Values, random: Random) -> list[int]:
    """All values of a span for a small sort, and some for a large one."""
    if isinstance(sort, Bool):
        every = [0, 1]
    elif sort in SMALL:
        every = list(range(1 << (sort.width if isinstance(sort, BitVec | Float) else 1)))
    else:
        every = [int(value(random, sort)) for _ in range(20)] + edges(sort, values)
    canonical = [int(b.const(sort, each).value) for each in every]
    return [each for each in dict.fromkeys(canonical) if contains(sort, values, each)]


def edges(sort: Sort, values: Values) -> list[int]:
    if isinstance(values, Bits):
        assert isinstance(sort, BitVec)
        return [(values.low + step) & sort.mask for step in (0, values.size // 2, values.size)]
    assert isinstance(values, Floats) and isinstance(sort, Float)
    if values.low > values.high:
        return [sort.nan]
    return [sf.from_ordinal(sort, each) for each in (values.low, (values.low + values.high) // 2, values.high)]


def span(sort: Sort, random: Random) -> Values:
    """Any span, including single values and whole sorts."""
    match random.randrange(6):
        case 0:
            return everything(sort)
        case 1:
            return exactly(sort, int(value(random, sort)))
    if isinstance(sort, Bool):
        return random.choice((NEVER, ALWAYS, EITHER))
    if isinstance(sort, BitVec):
        return Bits(int(value(random, sort)), min(sort.mask, random.choice((1, 2, 3, random.getrandbits(sort.width)))))
    assert isinstance(sort, Float)
    one, other = (
        random.choice((sf.total_order(sort, int(value(random, sort))), random.randrange(-4, 4))) for _ in "ab"
    )
    found = by_place(sort, one, other)
    return found._replace(nan=found.nan or random.random() < 0.2)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda each: each.name)
@given(random=SEEDED)
@settings(max_examples=3)
def test_every_result_lies_in_the_span(operator: Operator, random: Random) -> None:
    terms = applications(operator)
    for term in random.sample(terms, min(len(terms), 10)):
        if not term.args:
            continue  # it folded to a constant
        sorts = [arg.sort for arg in term.args]
        spans = [span(sort, random) for sort in sorts]
        result = evaluate(term, spans)
        choices = [members(sort, each, random) for sort, each in zip(sorts, spans, strict=True)]
        assert all(choices), (term, spans)
        for _ in range(25):
            values = tuple(random.choice(each) for each in choices)
            held = tuple(bool(v) if isinstance(s, Bool) else v for s, v in zip(sorts, values, strict=True))
            got = int(term.op.fold(tuple(sorts), term.params, held))
            assert contains(term.sort, result, got), (term, spans, values, got, result)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda each: each.name)
def test_of_single_values_the_result_is_single(operator: Operator) -> None:
    random = Random(7)
    for term in applications(operator):
        values = tuple(value(random, arg.sort) for arg in term.args)
        if term.args:
            result = evaluate(term, [exactly(arg.sort, int(v)) for arg, v in zip(term.args, values, strict=True)])
            got = term.op.fold(tuple(arg.sort for arg in term.args), term.params, values)
            assert result == exactly(term.sort, int(got)), (term, values)


@pytest.mark.parametrize("remainder", [b.bvurem, b.bvsrem])
def test_remainders_of_all_spans(remainder: Callable[[Term, Term], Term]) -> None:
    """Divided by any span; as narrow as possible if there is only one quotient."""
    three = BitVec(3)
    term = remainder(b.var("one", three), b.var("other", three))
    spans = [Bits(low, size) for low in range(8) for size in (0, 1, 2, 5, 7)]
    for one in spans:
        for other in spans:
            result = evaluate(term, (one, other))
            got = {
                int(term.op.fold((three, three), (), ((one.low + i) % 8, (other.low + j) % 8)))
                for i in range(one.size + 1)
                for j in range(other.size + 1)
            }
            assert all(contains(three, result, each) for each in got), (one, other, result)
    wide = remainder(b.var("dividend", BitVec(8)), b.var("divisor", BitVec(8)))
    assert evaluate(wide, (Bits(9, 2), Bits(4, 0))) == Bits(1, 2)


@given(random=SEEDED)
@settings(max_examples=20)
def test_meeting_and_joining_lose_nothing(random: Random) -> None:
    for sort in SMALL:
        one, other = span(sort, random), span(sort, random)
        both, either = meet(sort, one, other), join(sort, one, other)
        for each in members(sort, everything(sort), random):
            inside = contains(sort, one, each), contains(sort, other, each)
            if all(inside):
                assert both is not None and contains(sort, both, each)
            if any(inside):
                assert contains(sort, either, each)
        if both is None:
            assert not set(members(sort, one, random)) & set(members(sort, other, random))


def test_ends_are_exact() -> None:
    """x in 1.0 to 1.5: (int)(x / 0.585f) is 1 to 2, and x < 0.9 is never true."""
    x = b.var("x", FLOAT32)
    one, high, tile = (sf.float_to_bits32(each) for each in (1.0, 1.5, 0.585))
    span_of_x = Floats(sf.ordinal(FLOAT32, one), sf.ordinal(FLOAT32, high), False)
    quotient = b.fp_div(x, b.const(FLOAT32, tile))
    values = evaluate(quotient, [span_of_x, exactly(FLOAT32, tile)])
    low, most = (sf.ordinal(FLOAT32, sf.div(FLOAT32, each, tile)) for each in (one, high))
    assert values == Floats(low, most, False)
    index = b.apply(ops.FP_TO_SBV, (quotient,), (sf.Rounding.RTZ, 32))
    assert evaluate(index, [values]) == Bits(1, 1)
    less = b.fp_lt(x, b.const(FLOAT32, sf.float_to_bits32(0.9)))
    assert evaluate(less, [span_of_x, exactly(FLOAT32, sf.float_to_bits32(0.9))]) == NEVER

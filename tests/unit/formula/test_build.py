"""Building terms: folding, and local rewrites that are identities of the operators' total semantics."""

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import IllSorted
from soid.formula.passes import evaluate, evaluate_all
from soid.formula.softfloat import Rounding, float_to_bits32, to_integer
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, BitVec, Bool, Float
from soid.formula.term import Term
from tests.floats import special_patterns
from tests.randomness import SEEDED
from tests.unit.formula.terms import SORTS, Pool, related, signatures, value, variable

F = b.var("f", FLOAT32)

EVERY_OPERATOR = pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)

X, Y = b.var("x", BitVec(8)), b.var("y", BitVec(8))
P, Q = b.var("p", BOOL), b.var("q", BOOL)


def byte(n):
    return b.const(BitVec(8), n)


def single(number):
    return b.const(FLOAT32, float_to_bits32(number))


@EVERY_OPERATOR
def test_an_operator_has_signatures(op):
    assert signatures(op), "tests.unit.formula.terms finds no sorts for it: add some there"


class Values(dict[Term, Any]):
    """A value for each variable, chosen at its first use."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def __missing__(self, variable: Term) -> Any:
        self[variable] = value(self._random, variable.sort)
        return self[variable]


def assert_built_as_folded(op, args, params, random):
    for env in (Values(random), Values(random)):
        expected = op.fold(tuple(a.sort for a in args), params, tuple(evaluate_all(args, env)))
        assert evaluate(b.apply(op, args, params), env) == expected


@EVERY_OPERATOR
@given(random=SEEDED)
@settings(max_examples=5)
def test_what_is_built_evaluates_to_what_the_table_folds(op, random):
    """Over random graphs with repeated and constant parts."""
    pool = Pool(random).grow(25)
    for _ in range(8):
        assert_built_as_folded(op, *pool.arguments(op), random)


@pytest.mark.parametrize("op", b.REWRITES, ids=lambda op: op.name)
@given(random=SEEDED)
@settings(max_examples=8)
def test_rewrites_are_identities(op, random):
    """Over arguments that are parts, repetitions and negations of each other, so that every rewrite applies."""
    for sorts, params in random.choices(signatures(op), k=25):
        args = [related(random, sort) for sort in sorts]
        if random.randrange(3) == 0:
            first = args[0]
            args = [first if arg.sort == first.sort else arg for arg in args]
        elif isinstance(sorts[-1], Bool) and random.randrange(3) == 0:
            args[-1] = b.not_(args[0]) if isinstance(sorts[0], Bool) else args[-1]
        assert_built_as_folded(op, tuple(args), params, random)


@EVERY_OPERATOR
@given(random=SEEDED)
@settings(max_examples=4)
def test_constants_fold(op, random):
    for sorts, params in random.choices(signatures(op), k=8):
        args = [value(random, sort) for sort in sorts]
        term = b.apply(op, tuple(b.const(s, v) for s, v in zip(sorts, args, strict=True)), params)
        assert term.is_const
        assert term.value == op.fold(sorts, params, tuple(args))
        assert term.sort == op.sort(sorts, params)


@EVERY_OPERATOR
def test_ill_sorted_arguments_are_refused(op):
    allowed = {sorts for sorts, _ in signatures(op)}
    params = signatures(op)[0][1]
    for sorts in {(s,) * (op.arity or 3) for s in SORTS} - allowed:
        if not any(s[0] == sorts for s in signatures(op)):
            with pytest.raises((IllSorted, AssertionError)):
                b.apply(op, tuple(variable(s, 0) for s in sorts), params)
    if op.arity is not None:
        with pytest.raises(IllSorted):
            b.apply(op, tuple(variable(signatures(op)[0][0][0], 0) for _ in range(op.arity + 1)), params)


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (b.not_(b.not_(P)), P),
        (b.and_(), b.TRUE),
        (b.or_(), b.FALSE),
        (b.and_(P, b.TRUE, P), P),
        (b.and_(P, Q, b.not_(P)), b.FALSE),
        (b.or_(b.not_(P), Q, P), b.TRUE),
        (b.eq(X, X), b.TRUE),
        (b.eq(P, b.FALSE), b.not_(P)),
        (b.ite(b.not_(P), X, Y), b.ite(P, Y, X)),
        (b.ite(P, X, X), X),
        (b.ite(P, b.TRUE, Q), b.or_(P, Q)),
        (b.eq(b.ite(P, byte(1), byte(0)), byte(1)), P),
        (b.eq(byte(0), b.ite(P, byte(1), byte(0))), b.not_(P)),
        (b.eq(b.ite(P, byte(1), byte(0)), byte(2)), b.FALSE),
        (b.extract(b.ite(P, byte(5), byte(2)), 1, 0), b.ite(P, b.const(BitVec(2), 1), b.const(BitVec(2), 2))),
        (b.sign_extend(b.ite(P, byte(255), byte(1)), 8), b.ite(P, b.const(BitVec(16), 65535), b.const(BitVec(16), 1))),
        (b.fp_sub(b.fp_sqrt(F), single(0.0)), b.fp_sqrt(F)),
        (b.fp_add(single(-0.0), b.fp_sqrt(F)), b.fp_sqrt(F)),
        (b.fp_div(b.fp_mul(single(1.0), b.fp_sqrt(F)), single(1.0)), b.fp_sqrt(F)),
        (b.fp_mul(b.ite(P, single(20.0), single(40.0)), single(0.0)), single(0.0)),
        (b.fp_sub(single(2.0), b.ite(P, single(1.0), single(2.0))), b.ite(P, single(1.0), single(0.0))),
        (b.bvadd(X, byte(0)), X),
        (b.bvsub(X, X), byte(0)),
        (b.bvmul(byte(1), X), X),
        (b.bvmul(byte(0), X), byte(0)),
        (b.bvand(X, byte(255)), X),
        (b.bvor(X, byte(255)), byte(255)),
        (b.bvxor(X, X), byte(0)),
        (b.bvshl(X, byte(0)), X),
        (b.bvult(X, X), b.FALSE),
        (b.bvsle(X, X), b.TRUE),
        (b.zero_extend(b.zero_extend(X, 3), 5), b.zero_extend(X, 8)),
        (b.sign_extend(X, 0), X),
        (b.concat(byte(0), X), b.zero_extend(X, 8)),
        (b.concat(b.extract(X, 7, 4), b.extract(X, 3, 0)), X),
        (b.extract(b.concat(X, Y), 15, 8), X),
        (b.extract(b.concat(X, Y), 6, 2), b.extract(Y, 6, 2)),
        (b.extract(b.zero_extend(X, 8), 15, 8), byte(0)),
        (b.extract(b.sign_extend(X, 8), 7, 0), X),
        (b.extract(b.extract(X, 6, 1), 3, 2), b.extract(X, 4, 3)),
        (b.lookup(ConstantTable.of(BitVec(8), []), X), byte(0)),
        (
            b.lookup(ConstantTable.of(BitVec(8), range(1, 256)), X),
            b.lookup(ConstantTable.of(BitVec(8), [*range(1, 256), 0]), X),
        ),
    ],
)
def test_rewrites(built, expected):
    assert built is expected


def test_what_is_read_from_bits_does_not_lend_them_to_what_is_computed():
    """The bits of a computed NaN are open, so F - 0.0 must not pass for F."""
    assert b.fp_sub(F, single(0.0)).op is ops.FP_SUB
    assert b.fp_mul(single(1.0), F).op is ops.FP_MUL


def test_a_choice_of_numbers_stays_where_a_result_is_no_number():
    assert b.fp_mul(b.ite(P, single(math.inf), single(1.0)), single(0.0)).op is ops.FP_MUL


def test_rows_out_of_the_indexs_reach_do_not_count():
    index = b.var("i", BitVec(2))
    assert b.lookup(ConstantTable.of(BitVec(8), [1, 2, 3, 4, 5]), index) is b.lookup(
        ConstantTable.of(BitVec(8), [1, 2, 3, 4]), index
    )


def test_a_byte_out_of_a_deep_block_is_that_byte():
    cells = [b.var(f"m{i}", BitVec(8)) for i in range(5_000)]
    block = cells[0]
    for cell in cells[1:]:
        block = b.concat(cell, block)
    for number in (0, 1, 2_500, 4_999):
        assert b.extract(block, 8 * number + 7, 8 * number) is cells[number]


def test_every_nan_is_one_constant():
    assert b.const(FLOAT32, 0x7FC00001) is b.const(FLOAT32, 0xFF800001) is b.const(FLOAT32, FLOAT32.nan)
    assert b.const(FLOAT32, 0x80000000) is not b.const(FLOAT32, 0)


@pytest.mark.parametrize("sort", [Float(2, 2), Float(2, 8), Float(3, 4), Float(3, 9), FLOAT16, FLOAT32], ids=str)
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("mode", Rounding)
def test_fits_integer_says_when_the_conversion_is_not_made_up(sort, signed, mode):
    """Formats with more fraction bits than powers of two may round up to an infinity that stands for an integer."""
    a = b.var("a", sort)
    patterns = range(1 << sort.width) if sort.width <= 8 else special_patterns(sort)
    for width in (1, 2, 3, 4, 5, 8, 17, 64):
        fits = b.fits_integer(mode, width, a, signed=signed)
        for bits in patterns:
            number = to_integer(sort, mode, bits)
            assert evaluate(fits, {a: bits}) == ops.integer_fits(number, width, signed)


def test_the_table_is_complete():
    names = [op.name for op in ops.OPERATORS.values()]
    assert len(names) == len(set(names))
    assert all(op.reading and op.smtlib for op in ops.OPERATORS.values())

"""Every operator of the table means to each solver what folding says it does.

Four times, because a solver computes in two places, which have disagreed before (z3's remainder):

- its rewriter: arguments fixed by equalities, the result read from the model;
- its circuit: arguments taken from a table by an index that the solver cannot guess, so that it must bit-blast;
- all values at once, where the sorts are small enough for a table of every argument;
- laws, for all floats of a format, where the solver proves them in seconds.

Operators are found in the table and their sorts by trying, so a new operator is under test as soon as it is there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import pytest

from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import OPERATORS, Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from soid.formula.term import Term
from soid.solver.back_ends import NAMES, in_process
from soid.solver.protocol import Budget, Reason, Sat, Solver, Unknown, Unsat
from tests.differential.signatures import Signature, applied, parameters, signatures, special_values, value

#: for questions that take a second at most where nothing else runs
PATIENT: Final = Budget(200.0)

#: What a solver is not asked, and why. Nothing else is left out.
REFUSED: Final[dict[tuple[str, str], str]] = {
    ("z3", "fp.rem"): "refused by the back end: an open issue about wrong remainders",
}
#: Circuits that take a solver more than a second, or all of one that is slow at everything.
TOO_SLOW: Final[dict[tuple[str, str], tuple[Sort, ...]]] = {
    ("bitwuzla", "fp.rem"): (FLOAT64,),  # over 20 s
    ("bitwuzla", "fp.sqrt"): (FLOAT64,),
    ("z3", "fp.div"): (FLOAT64,),
    ("z3", "fp.sqrt"): (FLOAT64,),
    ("cvc5", "fp.rem"): (FLOAT32, FLOAT64),
    **{("cvc5", name): (FLOAT64, BitVec(64)) for name in OPERATORS if name != "fp.rem"},
}

CASES: Final = [(name, operator) for operator in OPERATORS for name in NAMES if (name, operator) not in REFUSED]
#: signatures of an operator tried in a run, by the solver's speed; and in a long one
CIRCUITS: Final = {"bitwuzla": 2, "z3": 1, "cvc5": 1}
MORE_CIRCUITS: Final = {"bitwuzla": 12, "z3": 8, "cvc5": 4}


def drawn(operator: Operator, rng: Random, name: str) -> list[Signature]:
    """The signatures of one example: the three formats that programs use, and bit-vectors of any width.

    cvc5 has float16 only as an experiment, so its back end refuses it.
    """
    floats: list[Sort] = [FLOAT32, FLOAT64] if name == "cvc5" else [FLOAT16, FLOAT32, FLOAT64]
    bits: list[Sort] = [BitVec(width) for width in {1, 8, 16, 32, 64, rng.randint(1, 64)}]
    kept = []
    for sorts, params in signatures(operator, [BOOL, *bits, *floats], parameters(operator.name, rng)):
        formats = {sort for sort in (*sorts, operator.sort(sorts, params)) if isinstance(sort, Float)}
        if name != "cvc5" or formats <= {FLOAT32, FLOAT64}:
            kept.append((sorts, params))
    assert kept, f"no arguments are known for {operator.name}: give its parameters above"
    return kept


@pytest.fixture
def solver(name: str) -> Iterator[Solver]:
    """A new one for each test: what earlier questions leave in their memory makes solvers slower, by a third in all."""
    made = in_process(name)
    yield made
    made.close()


# --- rewriter and circuit ---------------------------------------------------------------------------------------------


def assert_rewritten(solver: Solver, op: Operator, rows: list[tuple[Signature, tuple[Any, ...]]]) -> None:
    """One question: arguments fixed by equalities, row by row, and the results free."""
    question, expected = [], {}
    for number, ((sorts, params), values) in enumerate(rows):
        args = tuple(b.var(f"a{number}.{place}", sort) for place, sort in enumerate(sorts))
        result = b.var(f"r{number}", op.sort(sorts, params))
        question += [b.eq(arg, b.const(arg.sort, given)) for arg, given in zip(args, values, strict=True)]
        question.append(b.eq(result, applied(op, params, args)))
        expected[result] = (op.fold(sorts, params, values), sorts, params, values)
    answer = solver.check(question, budget=PATIENT)
    assert isinstance(answer, Sat), answer
    wrong = {key: (answer.model[key], *why) for key, why in expected.items() if answer.model[key] != why[0]}
    assert not wrong


@pytest.mark.parametrize("count", [2, pytest.param(6, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("name", "operator"), CASES)
def test_the_rewriter_computes_what_folding_computes(solver: Solver, name: str, operator: str, count: int) -> None:
    op, rng = OPERATORS[operator], Random(f"rewriter {name} {operator}")
    signatures = [signature for signature in drawn(op, rng, name) for _ in range(count)]
    rows = [(signature, tuple(value(rng, sort) for sort in signature[0])) for signature in signatures]
    assert_rewritten(solver, op, rows)


@pytest.mark.parametrize(("name", "operator"), [case for case in CASES if case[1].startswith("fp.")])
def test_the_rewriter_on_every_special_value(solver: Solver, name: str, operator: str) -> None:
    """Each in each place of each format; what stands beside it is special too."""
    op, rng = OPERATORS[operator], Random(operator)
    rows = []
    for signature in drawn(op, rng, name):
        columns = special_values(op, signature)
        for place, column in enumerate(columns):
            for here in column:
                beside = [rng.choice(other) for other in columns]
                rows.append((signature, (*beside[:place], here, *beside[place + 1 :])))
    assert_rewritten(solver, op, rows)


@pytest.mark.parametrize(
    "circuits", [CIRCUITS, pytest.param(MORE_CIRCUITS, marks=pytest.mark.soak)], ids=["few", "many"]
)
@pytest.mark.parametrize(("name", "operator"), CASES)
def test_the_circuit_computes_what_folding_computes(
    solver: Solver, name: str, operator: str, circuits: dict[str, int]
) -> None:
    op, rng = OPERATORS[operator], Random(f"circuit {name} {operator}")
    index = b.var("index", BitVec(3))
    known = [signature for signature in drawn(op, rng, name) if not too_slow(name, operator, signature[0])]
    assert known or (name, operator) in TOO_SLOW
    for sorts, params in rng.sample(known, min(len(known), circuits[name])):
        rows = [tuple(value(rng, sort) for sort in sorts) for _ in range(8)]
        args = tuple(chosen(sort, [row[place] for row in rows], index) for place, sort in enumerate(sorts))
        result = applied(op, params, args)
        folded = chosen(result.sort, [op.fold(sorts, params, row) for row in rows], index)
        answer = solver.check([b.not_(b.eq(result, folded))], budget=PATIENT)
        assert isinstance(answer, Unsat), (answer, sorts, params, rows)


def too_slow(name: str, operator: str, sorts: tuple[Sort, ...]) -> bool:
    return any(sort in TOO_SLOW.get((name, operator), ()) for sort in sorts)


def chosen(sort: Sort, rows: list[Any], index: Term) -> Term:
    """The row that the index says, as the solver will see it: a tree of conditions."""
    if isinstance(sort, Bool):
        return b.eq(b.lookup(ConstantTable.of(BitVec(1), [int(row) for row in rows]), index), b.const(BitVec(1), 1))
    return b.lookup(ConstantTable.of(sort, rows), index)


# --- all values of small sorts ----------------------------------------------------------------------------------------

#: bitwuzla and cvc5 have no small float formats; z3 has those with no more exponent than significand bits.
SMALL: Final[dict[str, list[Sort]]] = {
    "bitwuzla": [BOOL, BitVec(1), BitVec(3)],
    "cvc5": [BOOL, BitVec(1), BitVec(3)],
    "z3": [BOOL, BitVec(1), BitVec(3), Float(3, 3)],
}
SMALL_PARAMETERS: Final[dict[str, list[tuple[Any, ...]]]] = {
    "extract": [(1, 0), (2, 1), (2, 0)],
    "zero_extend": [(0,), (2,)],
    "sign_extend": [(0,), (2,)],
    "lookup": [(ConstantTable.of(BitVec(3), [1, 0, 7, 2, 2]),)],
    "fp.roundToIntegral": [(mode,) for mode in Rounding],
    "fp.to_sbv": [(mode, 4) for mode in Rounding],
    "fp.to_ubv": [(mode, 3) for mode in Rounding],
    "fp.from_bits": [(3, 3)],
    "fp.to_fp": [(3, 3), (3, 5), (4, 4)],
    "fp.from_sbv": [(3, 3), (3, 4)],
    "fp.from_ubv": [(3, 3), (3, 4)],
}
MOST_BITS: Final = 12  # of all arguments together: a table of 4096 rows


@pytest.mark.parametrize(("name", "operator"), CASES)
def test_all_values_of_small_sorts(solver: Solver, name: str, operator: str) -> None:
    op = OPERATORS[operator]
    for sorts, params in signatures(op, SMALL[name], SMALL_PARAMETERS.get(operator, [()])):
        result_sort = op.sort(sorts, params)
        if name != "z3" and isinstance(result_sort, Float):
            continue
        widths = [1 if isinstance(sort, Bool) else sort.width for sort in sorts]
        if sum(widths) > MOST_BITS:
            continue
        bits = [b.var(f"bits{place}", BitVec(width)) for place, width in enumerate(widths)]
        args = tuple(read(sort, term) for sort, term in zip(sorts, bits, strict=True))
        index = bits[0]
        for term in bits[1:]:
            index = b.concat(index, term)
        rows = itertools.product(*(range(1 << width) for width in widths))
        folded = [op.fold(sorts, params, tuple(decoded(s, v) for s, v in zip(sorts, row, strict=True))) for row in rows]
        answer = solver.check([b.not_(b.eq(applied(op, params, args), chosen(result_sort, folded, index)))])
        assert isinstance(answer, Unsat), (answer, sorts, params)


def read(sort: Sort, bits: Term) -> Term:
    match sort:
        case Bool():
            return b.eq(bits, b.const(BitVec(1), 1))
        case BitVec():
            return bits
        case Float():
            return b.fp_from_bits(sort, bits)


def decoded(sort: Sort, bits: int) -> bool | int:
    return bool(bits) if isinstance(sort, Bool) else int(b.const(sort, bits).value)


# --- laws -------------------------------------------------------------------------------------------------------------

Law = Callable[[Float, Term, Term], Term]


def one(f: Float) -> Term:
    return b.const(f, f.bias << (f.significand - 1))


def bits_of(f: Float) -> Term:
    return b.var(f"pattern{f.width}", BitVec(f.width))


def from_bits(f: Float) -> Term:
    return b.fp_from_bits(f, bits_of(f))


def magnitude(f: Float) -> Term:
    return b.bvand(bits_of(f), b.const(BitVec(f.width), f.sign_bit - 1))


def by_bits(f: Float, test: Callable[[Term, Term], Term], pattern: int) -> Term:
    return test(magnitude(f), b.const(BitVec(f.width), pattern))


def is_nan_by_bits(f: Float) -> Term:
    return b.bvult(b.const(BitVec(f.width), f.infinity), magnitude(f))


def sign(f: Float) -> Term:
    return b.eq(b.extract(bits_of(f), f.width - 1, f.width - 1), b.const(BitVec(1), 1))


def finite(x: Term) -> Term:
    return b.not_(b.or_(b.fp_is_nan(x), b.fp_is_inf(x)))


def subnormal_by_bits(f: Float) -> Term:
    least_normal = b.const(BitVec(f.width), 1 << (f.significand - 1))
    return b.and_(b.bvult(magnitude(f), least_normal), b.not_(by_bits(f, b.eq, 0)))


def round_trip(f: Float, signed: bool) -> Term:
    """An integer narrower than the significand survives."""
    number = b.var("number", BitVec(f.significand - 1))
    there = b.fp_from_signed(f, number) if signed else b.fp_from_unsigned(f, number)
    back = b.fp_to_signed if signed else b.fp_to_unsigned
    return b.eq(back(Rounding.RNE, f.significand - 1, there), number)


#: A law for each float operator: true for all x and y of a format.
LAWS: Final[dict[str, Law]] = {
    "fp.abs": lambda f, x, y: b.eq(b.fp_abs(x), b.ite(b.fp_is_negative(x), b.fp_neg(x), x)),
    "fp.neg": lambda f, x, y: b.eq(
        b.fp_neg(from_bits(f)), b.fp_from_bits(f, b.bvxor(bits_of(f), b.const(BitVec(f.width), f.sign_bit)))
    ),
    "fp.add": lambda f, x, y: b.eq(b.fp_add(x, b.const(f, f.sign_bit)), x),
    "fp.sub": lambda f, x, y: b.eq(b.fp_sub(x, y), b.fp_add(x, b.fp_neg(y))),
    "fp.mul": lambda f, x, y: b.eq(b.fp_mul(x, one(f)), x),
    "fp.div": lambda f, x, y: b.eq(b.fp_div(x, one(f)), x),
    "fp.fma": lambda f, x, y: b.eq(b.fp_fma(x, one(f), b.const(f, f.sign_bit)), x),
    "fp.sqrt": lambda f, x, y: b.eq(b.fp_is_nan(b.fp_sqrt(x)), b.or_(b.fp_is_nan(x), b.fp_lt(x, b.const(f, 0)))),
    "fp.rem": lambda f, x, y: b.implies(b.and_(finite(x), b.fp_is_inf(y)), b.eq(b.fp_rem(x, y), x)),
    "fp.roundToIntegral": lambda f, x, y: b.and_(
        b.implies(finite(x), b.fp_leq(b.fp_round(Rounding.RTN, x), x)),
        b.implies(finite(x), b.fp_leq(x, b.fp_round(Rounding.RTP, x))),
        b.eq(
            b.fp_round(Rounding.RTZ, x),
            b.ite(b.fp_is_negative(x), b.fp_round(Rounding.RTP, x), b.fp_round(Rounding.RTN, x)),
        ),
    ),
    "fp.lt": lambda f, x, y: b.eq(b.fp_lt(x, y), b.and_(b.fp_leq(x, y), b.not_(b.fp_eq(x, y)))),
    "fp.leq": lambda f, x, y: b.eq(b.fp_leq(x, y), b.fp_leq(b.fp_neg(y), b.fp_neg(x))),
    "fp.eq": lambda f, x, y: b.eq(
        b.fp_eq(x, y),
        b.or_(b.and_(b.eq(x, y), b.not_(b.fp_is_nan(x))), b.and_(b.fp_is_zero(x), b.fp_is_zero(y))),
    ),
    "fp.isNaN": lambda f, x, y: b.eq(b.fp_is_nan(from_bits(f)), is_nan_by_bits(f)),
    "fp.isInfinite": lambda f, x, y: b.eq(b.fp_is_inf(from_bits(f)), by_bits(f, b.eq, f.infinity)),
    "fp.isZero": lambda f, x, y: b.eq(b.fp_is_zero(from_bits(f)), by_bits(f, b.eq, 0)),
    "fp.isNormal": lambda f, x, y: b.eq(
        b.fp_is_normal(from_bits(f)),
        b.not_(b.or_(subnormal_by_bits(f), by_bits(f, b.eq, 0), by_bits(f, b.eq, f.infinity), is_nan_by_bits(f))),
    ),
    "fp.isSubnormal": lambda f, x, y: b.eq(b.fp_is_subnormal(from_bits(f)), subnormal_by_bits(f)),
    "fp.isNegative": lambda f, x, y: b.eq(b.fp_is_negative(from_bits(f)), b.and_(sign(f), b.not_(is_nan_by_bits(f)))),
    "fp.isPositive": lambda f, x, y: b.eq(b.fp_is_positive(from_bits(f)), b.not_(b.or_(sign(f), is_nan_by_bits(f)))),
    "fp.from_bits": lambda f, x, y: b.implies(
        b.eq(from_bits(f), x), b.eq(b.fp_is_negative(x), b.and_(sign(f), b.not_(b.fp_is_nan(x))))
    ),
    "fp.to_fp": lambda f, x, y: b.eq(b.fp_to_fp(f, b.fp_to_fp(FLOAT64, x)), x),
    "fp.from_sbv": lambda f, x, y: round_trip(f, True),
    "fp.from_ubv": lambda f, x, y: round_trip(f, False),
    "fp.to_sbv": lambda f, x, y: b.implies(
        b.not_(b.fits_integer(Rounding.RTZ, 8, x, signed=True)),
        b.eq(b.fp_to_signed(Rounding.RTZ, 8, x), b.const(BitVec(8), 0)),
    ),
    "fp.to_ubv": lambda f, x, y: b.implies(
        b.fp_lt(x, b.const(f, 0)), b.eq(b.fp_to_unsigned(Rounding.RTP, 8, x), b.const(BitVec(8), 0))
    ),
}
UNPROVED: Final[dict[tuple[str, str], str]] = {
    ("cvc5", "fp.rem"): "takes 8 s",
}


def test_every_float_operator_has_a_law() -> None:
    takes_or_gives_floats = {name for name, op in OPERATORS.items() if op.name.startswith("fp.")}
    assert takes_or_gives_floats == LAWS.keys()


@pytest.mark.parametrize(("name", "operator"), [case for case in CASES if case[1] in LAWS and case not in UNPROVED])
def test_laws_hold_for_all_floats(solver: Solver, name: str, operator: str) -> None:
    for f in (FLOAT32,) if name == "cvc5" else (FLOAT16, FLOAT32):
        x, y = b.var(f"x{f.width}", f), b.var(f"y{f.width}", f)
        answer = solver.check([b.not_(LAWS[operator](f, x, y))], budget=PATIENT)
        assert isinstance(answer, Unsat), answer


@pytest.mark.parametrize(("name", "operator"), REFUSED)
def test_what_is_left_out_is_refused_not_answered(solver: Solver, name: str, operator: str) -> None:
    x, y = b.var("x", FLOAT32), b.var("y", FLOAT32)
    answer = solver.check([b.fp_eq(applied(OPERATORS[operator], (), (x, y)), x)])
    assert isinstance(answer, Unknown)
    assert answer.reason is Reason.UNSUPPORTED
    assert operator in answer.detail


@pytest.mark.parametrize(("name", "sort"), [("cvc5", FLOAT16), ("cvc5", Float(3, 4)), ("bitwuzla", Float(3, 4))])
def test_formats_left_out_are_refused_not_answered(solver: Solver, name: str, sort: Float) -> None:
    answer = solver.check([b.fp_is_nan(b.fp_from_bits(sort, b.var("bits", BitVec(sort.width))))])
    assert isinstance(answer, Unknown)
    assert answer.reason is Reason.UNSUPPORTED
    assert sort.smtlib in answer.detail

"""Every operator of the table, on constants: folding is evaluation is what MPFR computes, and GMP for integers.

`test_operators_solvers.py` holds the same table to the three solvers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import gmpy2
import pytest
from gmpy2 import mpfr, mpz
from hypothesis import given, settings

from soid.formula import build as b
from soid.formula.operators import OPERATORS, Operator
from soid.formula.passes import evaluate
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from tests.differential.signatures import Signature, applied, parameters, signatures, special_values, value
from tests.floats import operands
from tests.mpfr import RINT, from_mpfr, mpfr_context, to_mpfr
from tests.randomness import SEEDED

FORMATS: Final[list[Sort]] = [FLOAT16, FLOAT32, FLOAT64]
MOST_ROWS: Final = (
    1000  # of special values for one signature; above it (fma, ite) a part, with each value in each place
)

# --- the judges: the value as a number of Python, of GMP or of MPFR, given numbers of the same kinds ------------------

Judge = Callable[[tuple[Sort, ...], tuple[Any, ...], tuple[Any, ...]], Any]


def on(function: Callable[..., Any]) -> Judge:
    return lambda sorts, params, values: function(*values)


def two_s_complement(function: Callable[..., Any]) -> Judge:
    """On the numbers that the first argument's width makes of the patterns."""
    return lambda sorts, params, values: function(*(signed(sort, v) for sort, v in zip(sorts, values, strict=True)))


def signed(sort: Sort, pattern: mpz) -> mpz:
    assert isinstance(sort, BitVec)
    return pattern - (mpz(2) ** sort.width if gmpy2.bit_test(pattern, sort.width - 1) else 0)


def unsigned_quotient(sorts: tuple[Sort, ...], params: Any, values: tuple[mpz, mpz]) -> mpz:
    return gmpy2.f_div(*values) if values[1] else -1  # SMT-LIB: all ones


def signed_quotient(x: mpz, y: mpz) -> mpz:
    return gmpy2.t_div(x, y) if y else (1 if x < 0 else -1)


def bits(sorts: tuple[Sort, ...], params: tuple[int, int], values: tuple[mpz]) -> mpz:
    high, low = params
    return mpz(gmpy2.xmpz(values[0])[low : high + 1])


def joined(sorts: tuple[Sort, ...], params: Any, values: tuple[mpz, mpz]) -> mpz:
    assert isinstance(sorts[1], BitVec)
    return values[0] * mpz(2) ** sorts[1].width + values[1]


def row(sorts: tuple[Sort, ...], params: tuple[Any], values: tuple[mpz]) -> Any:
    table = params[0]
    at = table.rows[int(values[0])] if values[0] < len(table.rows) else 0
    return number(table.sort, at)


def same(x: Any, y: Any) -> bool:
    """SMT-LIB's identity: one NaN, two zeros."""
    if isinstance(x, mpfr):
        return bool((gmpy2.is_nan(x) and gmpy2.is_nan(y)) or (x == y and gmpy2.is_signed(x) == gmpy2.is_signed(y)))
    return bool(x == y)


def least_exponent(sorts: tuple[Sort, ...]) -> int:
    """Of normal numbers, as MPFR counts."""
    assert isinstance(sorts[0], Float)
    return 2 - sorts[0].bias


def is_normal(sorts: tuple[Sort, ...], params: Any, values: tuple[mpfr]) -> bool:
    return bool(gmpy2.is_regular(values[0])) and int(gmpy2.get_exp(values[0])) >= least_exponent(sorts)


def is_subnormal(sorts: tuple[Sort, ...], params: Any, values: tuple[mpfr]) -> bool:
    return bool(gmpy2.is_regular(values[0])) and int(gmpy2.get_exp(values[0])) < least_exponent(sorts)


def has_sign(negative: bool) -> Judge:
    return on(lambda x: not gmpy2.is_nan(x) and bool(gmpy2.is_signed(x)) == negative)


def converted(sorts: tuple[Sort, ...], params: Any, values: tuple[mpfr]) -> mpfr:
    x = values[0]
    return mpfr(gmpy2.mpq(x)) if gmpy2.is_regular(x) else x  # rounded by the context, once


def whole(low: Callable[[int], mpz], high: Callable[[int], mpz]) -> Judge:
    """The number rounded, if it lies in the range that the width gives; what does not fit is 0."""

    def judge(sorts: tuple[Sort, ...], params: tuple[Any, int], values: tuple[mpfr]) -> mpz:
        mode, width = params
        rounded = RINT[mode](values[0])
        fits = gmpy2.is_finite(rounded) and low(width) <= mpz(rounded) <= high(width)
        return mpz(rounded) if fits else mpz(0)

    return judge


JUDGES: Final[dict[str, Judge]] = {
    "not": on(lambda p: p is False),
    "and": on(lambda *ps: False not in ps),
    "or": on(lambda *ps: True in ps),
    "=": on(same),
    "ite": on(lambda p, x, y: x if p else y),
    "bvnot": on(lambda x: -x - 1),
    "bvneg": on(lambda x: -x),
    "bvand": on(lambda x, y: x & y),
    "bvor": on(lambda x, y: x | y),
    "bvxor": on(lambda x, y: x ^ y),
    "bvadd": on(gmpy2.add),
    "bvsub": on(gmpy2.sub),
    "bvmul": on(gmpy2.mul),
    "bvudiv": unsigned_quotient,
    "bvurem": on(lambda x, y: gmpy2.f_mod(x, y) if y else x),
    "bvsdiv": two_s_complement(signed_quotient),
    "bvsrem": two_s_complement(lambda x, y: gmpy2.t_mod(x, y) if y else x),
    "bvshl": lambda sorts, params, values: values[0] * mpz(2) ** min(values[1], sorts[0].width),  # type: ignore[union-attr]
    "bvlshr": on(lambda x, y: gmpy2.f_div_2exp(x, min(y, 1 << 20))),
    "bvashr": lambda sorts, params, values: gmpy2.f_div_2exp(signed(sorts[0], values[0]), min(values[1], 1 << 20)),
    "bvult": on(lambda x, y: x < y),
    "bvule": on(lambda x, y: x <= y),
    "bvslt": two_s_complement(lambda x, y: x < y),
    "bvsle": two_s_complement(lambda x, y: x <= y),
    "concat": joined,
    "extract": bits,
    "zero_extend": on(lambda x: x),
    "sign_extend": two_s_complement(lambda x: x),
    "lookup": row,
    "fp.abs": on(abs),
    "fp.neg": on(lambda x: -x),
    "fp.add": on(gmpy2.add),
    "fp.sub": on(gmpy2.sub),
    "fp.mul": on(gmpy2.mul),
    "fp.div": on(gmpy2.div),
    "fp.fma": on(gmpy2.fma),
    "fp.sqrt": on(gmpy2.sqrt),
    "fp.rem": on(gmpy2.remainder),
    "fp.roundToIntegral": lambda sorts, params, values: RINT[params[0]](values[0]),
    "fp.lt": on(lambda x, y: x < y),
    "fp.leq": on(lambda x, y: x <= y),
    "fp.eq": on(lambda x, y: x == y),
    "fp.isNaN": on(gmpy2.is_nan),
    "fp.isInfinite": on(gmpy2.is_infinite),
    "fp.isZero": on(gmpy2.is_zero),
    "fp.isNormal": is_normal,
    "fp.isSubnormal": is_subnormal,
    "fp.isNegative": has_sign(True),
    "fp.isPositive": has_sign(False),
    "fp.from_bits": lambda sorts, params, values: to_mpfr(Float(*params), int(values[0])),
    "fp.to_fp": converted,
    "fp.from_sbv": two_s_complement(mpfr),
    "fp.from_ubv": on(mpfr),
    "fp.to_sbv": whole(lambda width: -(mpz(2) ** (width - 1)), lambda width: mpz(2) ** (width - 1) - 1),
    "fp.to_ubv": whole(lambda width: mpz(0), lambda width: mpz(2) ** width - 1),
}


def number(sort: Sort, pattern: Any) -> Any:
    match sort:
        case Bool():
            return pattern
        case BitVec():
            return mpz(pattern)
        case Float():
            return to_mpfr(sort, pattern)


def judged(operator: Operator, signature: Signature, values: tuple[Any, ...]) -> Any:
    """What the judge gives, as a pattern of the result's sort."""
    sorts, params = signature
    result = operator.sort(sorts, params)
    rounding = next((sort for sort in (result, *sorts) if isinstance(sort, Float)), FLOAT64)
    numbers = tuple(number(sort, v) for sort, v in zip(sorts, values, strict=True))
    with mpfr_context(rounding):
        given = JUDGES[operator.name](sorts, params, numbers)
    match result:
        case Bool():
            return bool(given)
        case BitVec():
            return int(given) & result.mask
        case Float():
            return from_mpfr(result, given)


def agree(operator: Operator, signature: Signature, rows: list[tuple[Any, ...]]) -> None:
    sorts, params = signature
    variables = tuple(b.var(f"{place}:{sort.smtlib}", sort) for place, sort in enumerate(sorts))
    term = applied(operator, params, variables)
    for values in rows:
        constants = tuple(b.const(sort, v) for sort, v in zip(sorts, values, strict=True))
        expected = judged(operator, signature, values)
        folded = operator.fold(sorts, params, tuple(constant.value for constant in constants))
        evaluated = evaluate(term, dict(zip(variables, values, strict=True)))
        built = b.apply(operator, constants, params).value
        assert (folded, evaluated, built) == (expected,) * 3, (sorts, params, values)


# --- the values -------------------------------------------------------------------------------------------------------


def rows_of_specials(columns: list[list[Any]], random: Random) -> list[tuple[Any, ...]]:
    """All combinations; where they are too many, some of them, with every value in every place."""
    everything = list(itertools.product(*columns))
    if len(everything) <= MOST_ROWS:
        return everything
    longest = max(map(len, columns))
    each = [
        tuple(column[i] if place == here else random.choice(column) for here, column in enumerate(columns))
        for place, i in itertools.product(range(len(columns)), range(longest))
        if i < len(columns[place])
    ]
    return each + random.sample(everything, MOST_ROWS - len(each))


def signatures_of(operator: Operator, random: Random) -> Iterator[Signature]:
    widths = [1, 8, 32, 64, random.randint(2, 64)]
    pool = [BOOL, *(BitVec(width) for width in sorted({*widths, 16})), *FORMATS]
    return signatures(operator, pool, parameters(operator.name, random))


def random_rows(sorts: tuple[Sort, ...], random: Random, count: int) -> list[tuple[Any, ...]]:
    if isinstance(sorts[0], Float) and len(set(sorts)) == 1:
        return operands(random, sorts[0], len(sorts), count)  # near each other, so that results are ties
    return [tuple(value(random, sort) for sort in sorts) for _ in range(count)]


# --- the tests --------------------------------------------------------------------------------------------------------

EVERY_OPERATOR = pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda operator: operator.name)


def test_every_operator_has_a_judge() -> None:
    assert JUDGES.keys() == OPERATORS.keys()


@EVERY_OPERATOR
def test_special_values(operator: Operator) -> None:
    random = Random(operator.name)
    for signature in signatures_of(operator, random):
        agree(operator, signature, rows_of_specials(special_values(operator, signature), random))


@EVERY_OPERATOR
@settings(max_examples=4)  # of many rows each: finding the signatures takes longer than a row
@given(random=SEEDED)
def test_any_values(operator: Operator, random: Random) -> None:
    for signature in signatures_of(operator, random):
        agree(operator, signature, random_rows(signature[0], random, 20))

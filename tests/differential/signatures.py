"""Which sorts and parameters an operator of the table takes, found by trying; and values for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

from soid.formula import build as b
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import OPERATORS, IllSorted, Operator
from soid.formula.softfloat import Rounding
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from soid.formula.term import Term, intern
from tests.floats import patterns, special_patterns

Signature = tuple[tuple[Sort, ...], tuple[Any, ...]]  # sorts of the arguments, parameters


def parameters(name: str, rng: Random) -> list[tuple[Any, ...]]:
    """For the operators that have some."""
    formats = [(f.exponent, f.significand) for f in (FLOAT16, FLOAT32, FLOAT64)]
    width = rng.randint(1, 64)
    low = rng.randint(0, 7)
    rows = [rng.getrandbits(8) for _ in range(rng.randint(1, 9))]
    known: dict[str, list[tuple[Any, ...]]] = {
        "extract": [(rng.randint(low, 7), low), (0, 0)],
        "zero_extend": [(rng.randint(0, 9),)],
        "sign_extend": [(rng.randint(0, 9),)],
        "lookup": [(ConstantTable.of(BitVec(8), rows),), (ConstantTable.of(FLOAT32, patterns(rng, FLOAT32, 5)),)],
        "fp.roundToIntegral": [(mode,) for mode in Rounding],
        "fp.to_sbv": [(mode, width) for mode in Rounding],
        "fp.to_ubv": [(mode, width) for mode in Rounding],
        **dict.fromkeys(("fp.from_bits", "fp.to_fp", "fp.from_sbv", "fp.from_ubv"), formats),
    }
    return known.get(name, [()])


def signatures(operator: Operator, pool: list[Sort], parameter_lists: list[tuple[Any, ...]]) -> Iterator[Signature]:
    """Every combination that the operator's own rule accepts."""
    arities = [operator.arity] if operator.arity is not None else [2, 3]
    for arity, params in itertools.product(arities, parameter_lists):
        shapes = [(sort,) * arity for sort in pool]
        shapes += [(BOOL, sort, sort) for sort in pool if arity == 3 and not isinstance(sort, Bool)]
        for shape in shapes:
            try:
                operator.sort(shape, params)
            except IllSorted:
                continue
            yield shape, params


def value(rng: Random, sort: Sort) -> bool | int:
    match sort:
        case Bool():
            return rng.random() < 0.5
        case BitVec(width):
            near = rng.choice((0, 1, 2, sort.mask, 1 << (width - 1), width, rng.getrandbits(width)))
            return near & sort.mask
        case Float():
            return int(b.const(sort, patterns(rng, sort, 1)[0]).value)


def special_values(operator: Operator, signature: Signature) -> list[list[Any]]:
    """For each argument; bits that are read as a float are those of its special values, all NaNs among them."""
    sorts, params = signature
    if operator is OPERATORS["fp.from_bits"]:
        return [list(special_patterns(Float(*params)))]
    return [special(sort) for sort in sorts]


def special(sort: Sort) -> list[Any]:
    """The values at which arithmetic changes its ways, as the terms' constants have them."""
    match sort:
        case Bool():
            return [False, True]
        case BitVec(width):
            half = 1 << (width - 1)
            return sorted({v & sort.mask for v in (0, 1, 2, half - 1, half, half + 1, width, -2, -1)})
        case Float():
            return sorted({int(b.const(sort, bits).value) for bits in special_patterns(sort)})


def applied(operator: Operator, params: tuple[Any, ...], args: tuple[Term, ...]) -> Term:
    """The application as it is, without the builder's folding and rewriting."""
    return intern(operator, params, args, operator.sort(tuple(arg.sort for arg in args), params))

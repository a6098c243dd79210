"""Arithmetic on plain numbers against the same on terms, for every pair of small numbers."""

from __future__ import annotations

from itertools import product

import pytest

from soid.engine.llvm.ir.ir_types import DOUBLE, FLOAT, FloatingType, IntegerType
from soid.engine.llvm.symbolic.values import number_arithmetic as arithmetic
from soid.engine.llvm.symbolic.values import number_conversions as converting
from soid.engine.llvm.symbolic.values.held_values import format_of, sort_of
from soid.formula import build
from soid.formula.passes import evaluate
from soid.formula.softfloat import from_integer
from soid.formula.term import Term
from tests.floats import special_patterns

KIND = IntegerType(4)
A, B = (build.var(name, sort_of(KIND)) for name in "ab")
PAIRS = list(product(range(16), repeat=2))
FLAGS = {
    **dict.fromkeys(("add", "sub", "mul", "shl"), ((), ("nsw",), ("nuw",), ("nsw", "nuw"))),
    **dict.fromkeys(("and", "xor", "udiv", "sdiv", "urem", "srem", "lshr", "ashr"), ((),)),
    "or": ((), ("disjoint",)),
}
OPERATIONS = [(op, frozenset(flags)) for op, choices in FLAGS.items() for flags in choices]
PREDICATES = ["eq", "ne", *(f"{sign}{order}" for sign in "us" for order in ("lt", "le", "gt", "ge"))]


def at(value: bool | int | Term, a: int, b: int = 0) -> int:
    """What a number, or a term of it, is for these two."""
    return int(evaluate(value, {A: a, B: b})) if isinstance(value, Term) else int(value)


@pytest.mark.parametrize(
    ("op", "flags"), OPERATIONS, ids=lambda each: each if isinstance(each, str) else " ".join(sorted(each))
)
def test_operations(op: str, flags: frozenset[str]) -> None:
    plain = arithmetic.met(op, KIND, flags)
    obligations = arithmetic.obligations(op, A, B, KIND, flags)
    result = arithmetic.integer(op, A, B, KIND)
    for a, b in PAIRS:
        is_met = all(at(holds, a, b) for holds, _ in obligations)
        assert plain(a, b) == (at(result, a, b) if is_met else None), (a, b)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons(predicate: str) -> None:
    holds = arithmetic.comparison(predicate, KIND.width)
    expected = arithmetic.compare(predicate, A, B, KIND)
    assert all(holds(a, b) == at(expected, a, b) for a, b in PAIRS)


@pytest.mark.parametrize(("op", "width"), [("trunc", 2), ("zext", 7), ("sext", 7)])
def test_conversions_of_integers(op: str, width: int) -> None:
    convert = converting.met(op, KIND, IntegerType(width))
    expected = converting.convert(op, A, KIND, IntegerType(width))
    assert all(convert(a) == at(expected, a) for a in range(16))


@pytest.mark.parametrize("op", ["fptosi", "fptoui"])
@pytest.mark.parametrize("source", [FLOAT, DOUBLE], ids=str)
@pytest.mark.parametrize("width", [8, 32])
def test_conversions_to_integers(op: str, source: FloatingType, width: int) -> None:
    format = format_of(source)
    x = build.var("x", format)
    convert = converting.met(op, source, IntegerType(width))
    ((holds, _),) = converting.obligations(op, x, source, IntegerType(width), frozenset())
    expected = converting.convert(op, x, source, IntegerType(width))
    assert isinstance(holds, Term) and isinstance(expected, Term)
    edges = [from_integer(format, 1 << bits) + near for bits in (width - 1, width) for near in (-1, 0, 1)]
    for bits in (*special_patterns(format), *edges, *(edge | format.sign_bit for edge in edges)):
        assert convert(bits) == (evaluate(expected, {x: bits}) if evaluate(holds, {x: bits}) else None), hex(bits)

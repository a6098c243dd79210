"""How a person reads a term."""

import pytest

from soid.formula import build as b
from soid.formula import operators as ops
from soid.formula.constant_table import ConstantTable
from soid.formula.sorts import BOOL, FLOAT32, FLOAT64, BitVec
from soid.formula.term_text import reading
from tests.unit.formula.terms import applications, deep_sum

X, Y = b.var("x", BitVec(8)), b.var("y", BitVec(8))
P, Q, R = (b.var(name, BOOL) for name in "pqr")
F = b.var("speed", FLOAT64)


def number(value):
    return b.const(BitVec(8), value)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X, "x"),
        (b.TRUE, "true"),
        (b.and_(P, Q, b.or_(P, R)), "p and q and (p or r)"),
        (b.bvslt(X, number(0xFE)), "x < -2"),
        (b.bvult(X, number(0xFE)), "x < 254 (unsigned)"),
        (b.bvmul(b.bvadd(X, Y), X), "(x + y) * x"),
        (b.ite(P, X, b.bvneg(Y)), "x if p else (-y)"),
        (b.fp_sqrt(b.fp_add(F, F)), "sqrt(speed + speed)"),
        (b.fp_fma(F, F, b.fp_abs(F)), "fma(speed, speed, |speed|)"),
        (b.fp_abs(b.fp_neg(F)), "|-speed|"),
        (b.lookup(ConstantTable.of(BitVec(8), [1, 2]), b.bvadd(X, Y)), "table[x + y]"),
        (b.fp_leq(F, b.const(FLOAT64, 0x3FB999999999999A)), "speed <= 0.1"),
        (b.fp_lt(b.var("f", FLOAT32), b.const(FLOAT32, FLOAT32.nan)), "f < nan"),
    ],
)
def test_readings(term, text):
    assert reading(term) == text


def test_deep_wide_and_ladder_terms_are_cut():
    deep, ladder = deep_sum(), X
    for i in range(60):
        ladder = b.bvadd(b.bvmul(ladder, ladder), number(i + 1))
    wide = b.and_(*(b.bvult(b.bvadd(X, number(i + 1)), number(i // 200 + 1)) for i in range(255)), P)
    for term in (deep, ladder, wide):
        assert "…" in reading(term, depth=10**6)
        assert len(reading(term, depth=10**6)) < 20_000
    assert reading(deep, depth=0) == "…"


@pytest.mark.parametrize("op", ops.OPERATORS.values(), ids=lambda op: op.name)
def test_every_operator_reads(op):
    for term in applications(op):
        text = reading(term)
        assert "{" not in text
        assert "a0" in text

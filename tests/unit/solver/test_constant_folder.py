from __future__ import annotations

import pytest

from soid.formula import build as b
from soid.formula.sorts import BOOL, FLOAT32, BitVec
from soid.formula.term import Term
from soid.solver.constant_folder import ConstantFolder
from soid.solver.protocol import Reason, Sat, Unknown, Unsat
from tests.unit.solver.fake import Fake

BYTE = BitVec(8)
P, Q = b.var("p", BOOL), b.var("q", BOOL)
X, Y, F = b.var("x", BYTE), b.var("y", BYTE), b.var("f", FLOAT32)
SMALL = b.bvult(X, b.const(BYTE, 9))
IS_THREE = b.eq(X, b.const(BYTE, 3))


@pytest.fixture
def fake() -> Fake:
    return Fake(Unknown(Reason.SOLVER, "asked"))


@pytest.mark.parametrize(
    "conjuncts",
    [
        [P, b.FALSE, Q],
        [b.not_(P), Q, P],
        [SMALL, Q, P, b.not_(Q)],
        [b.and_(SMALL, b.and_(P, Q)), b.not_(Q)],
        [IS_THREE, b.not_(SMALL)],
        [IS_THREE, b.eq(X, b.const(BYTE, 4))],
    ],
)
def test_contradictions_need_no_solver(fake: Fake, conjuncts: list[Term]) -> None:
    assert ConstantFolder(fake).check(conjuncts) == Unsat()
    assert not fake.asked


@pytest.mark.parametrize(
    ("conjuncts", "model"),
    [
        ([], {}),
        ([b.TRUE], {}),
        ([IS_THREE, SMALL], {X: 3}),
        ([b.and_(P, b.not_(Q)), IS_THREE, b.bvult(X, b.ite(P, b.const(BYTE, 9), X))], {P: True, Q: False, X: 3}),
        ([b.eq(F, b.const(FLOAT32, FLOAT32.nan)), b.fp_is_nan(F)], {F: FLOAT32.nan}),
    ],
)
def test_what_equalities_fix_needs_no_solver(fake: Fake, conjuncts: list[Term], model: dict[Term, int]) -> None:
    assert ConstantFolder(fake).check(conjuncts) == Sat(model)
    assert not fake.asked


def test_the_rest_is_asked_without_constants_and_repetitions(fake: Fake) -> None:
    question = [b.and_(SMALL, P), b.TRUE, b.bvult(Y, X), P]
    assert isinstance(ConstantFolder(fake).check(question), Unknown)
    assert fake.asked == [(SMALL, P, b.bvult(Y, X))]


def test_a_variable_that_nothing_fixes_is_asked_about(fake: Fake) -> None:
    assert isinstance(ConstantFolder(fake).check([IS_THREE, b.bvult(X, Y)]), Unknown)
    assert len(fake.asked) == 1

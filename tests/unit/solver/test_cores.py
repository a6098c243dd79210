from __future__ import annotations

from collections.abc import Sequence

import pytest

from soid.formula import build as b
from soid.formula.sorts import BOOL, BitVec
from soid.formula.term import Term
from soid.solver.back_ends import NAMES, in_process
from soid.solver.cores import smallest_core
from soid.solver.protocol import Budget, Reason, Result, Sat, Unknown, Unsat
from tests.unit.solver.fake import Fake

BYTE = BitVec(8)
X = b.var("x", BYTE)
P, Q, R = (b.var(name, BOOL) for name in "pqr")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_it_is_superfluous_and_every_solver_gives_the_same(name: str) -> None:
    assumptions = [P, b.bvult(X, b.const(BYTE, 9)), Q, b.bvult(b.const(BYTE, 20), X), b.eq(X, b.const(BYTE, 3))]
    core = smallest_core(in_process(name), [b.bvult(X, b.const(BYTE, 100))], assumptions)
    assert core == (assumptions[3], assumptions[4])


def test_the_conjuncts_alone_may_suffice() -> None:
    assert smallest_core(Fake(Unsat()), [b.FALSE], [P, Q]) == ()


@pytest.mark.parametrize("answer", [Sat({}), Unknown(Reason.TIME)])
def test_none_where_there_is_no_conflict_or_none_is_known(answer: Result) -> None:
    assert smallest_core(Fake(answer), [], [P]) is None


def test_unknown_keeps_an_assumption() -> None:
    def answer(terms: Sequence[Term]) -> Result:
        return Unsat() if Q in terms else Unknown(Reason.TIME)

    assert smallest_core(Fake(answer), [], [P, Q, R]) == (Q,)


def test_out_of_time_gives_what_it_has() -> None:
    assert smallest_core(Fake(Unsat()), [], [P, Q], Budget(0.0)) == (P, Q)

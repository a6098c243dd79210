from __future__ import annotations

import pytest

from soid.errors import InternalError
from soid.formula import build as b
from soid.formula.sorts import BOOL
from soid.solver.cross_check import CrossCheckingSolver
from soid.solver.protocol import Budget, Reason, Result, Sat, Unknown, Unsat
from tests.clock import set_up
from tests.unit.solver.fake import Fake

P = b.var("p", BOOL)
SAT, UNSAT, TIME = Sat({P: True}), Unsat(), Unknown(Reason.TIME, "too hard")


def ask(*answers: Result) -> tuple[CrossCheckingSolver, Result]:
    check = CrossCheckingSolver([Fake(answer, name=f"s{place}") for place, answer in enumerate(answers)])
    return check, check.check([P])


def test_agreement() -> None:
    check, result = ask(SAT, SAT)
    assert result == SAT
    assert check.name == "s0 & s1"
    assert ask(UNSAT, UNSAT, UNSAT)[1] == UNSAT


@pytest.mark.parametrize("answers", [(SAT, UNSAT), (UNSAT, SAT), (SAT, TIME, UNSAT), (SAT, SAT, UNSAT)])
def test_disagreement_is_no_answer_and_names_both(answers: tuple[Result, ...]) -> None:
    with pytest.raises(InternalError, match=r"s0 says (un)?sat, s[12] says (un)?sat"):
        ask(*answers)


def test_the_solvers_that_know_decide() -> None:
    assert ask(TIME, UNSAT)[1] == UNSAT


def test_nobody_knows() -> None:
    assert ask(TIME, TIME)[1] == TIME


def test_the_budget_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(monkeypatch)
    fakes = [Fake(SAT), Fake(SAT)]
    CrossCheckingSolver(fakes).check([P], budget=Budget(8.0))
    assert [fake.budgets for fake in fakes] == [[Budget(4.0)], [Budget(8.0)]]


def test_cancelled_is_cancelled() -> None:
    check = CrossCheckingSolver([Fake(Unknown(Reason.CANCELLED)), last := Fake(SAT)])
    assert check.check([P]) == Unknown(Reason.CANCELLED)
    assert not last.asked

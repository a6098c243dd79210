"""What shares no variable is asked apart, and together it is the same answer."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings

from soid.formula import build as b
from soid.formula.passes import evaluate_all
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.solver.independence import IndependentSolver
from soid.solver.protocol import Budget, Reason, Sat, Unknown, Unsat
from tests.exhaustive import ExhaustiveSolver
from tests.randomness import SEEDED
from tests.unit.solver.fake import Fake

BYTE, SMALL = BitVec(8), BitVec(2)
X, Y, Z = (b.var(name, BYTE) for name in "xyz")


def below(term: Term, value: int) -> Term:
    return b.bvult(term, b.const(BYTE, value))


def test_each_group_is_asked_by_itself_the_smaller_first() -> None:
    fake = Fake(Sat({Y: 1}), Sat({X: 1, Z: 2}))
    question = [below(X, 3), below(Y, 5), b.bvult(X, Z)]
    assert IndependentSolver(fake).check(question) == Sat({X: 1, Y: 1, Z: 2})
    assert fake.asked == [(below(Y, 5),), (below(X, 3), b.bvult(X, Z))]


def test_what_hangs_together_is_asked_as_it_is() -> None:
    fake = Fake(Unsat())
    question = [b.bvult(X, Y), b.bvult(Y, Z), below(Z, 2)]
    assert IndependentSolver(fake).check(question) == Unsat()
    assert fake.asked == [tuple(question)]


def test_one_unsatisfiable_group_is_enough_even_after_an_unknown_one() -> None:
    unknown = Unknown(Reason.TIME)
    assert IndependentSolver(Fake(unknown, Unsat())).check([below(X, 1), below(Y, 1)]) == Unsat()
    assert IndependentSolver(Fake(Sat({X: 0}), unknown)).check([below(X, 1), below(Y, 1)]) == unknown
    assert IndependentSolver(Fake(unknown, Sat({Y: 0}))).check([below(X, 1), below(Y, 1)]) == unknown


def test_the_groups_share_one_budget() -> None:
    fake = Fake(Sat({}))
    IndependentSolver(fake).check([below(X, 1), below(Y, 1)], budget=Budget(60.0))
    assert all(each.seconds is not None and each.seconds <= 60.0 for each in fake.budgets)
    assert len(fake.budgets) == 2


def test_a_settled_group_says_who_did_most() -> None:
    fake = Fake(Sat({X: 0}, "bitwuzla"), Sat({Y: 0}, "cache"))
    result = IndependentSolver(fake).check([below(X, 1), below(Y, 1)])
    assert isinstance(result, Sat) and result.by == "bitwuzla"


@given(random=SEEDED)
@settings(max_examples=60)
def test_the_answer_is_that_of_the_whole(random: Random) -> None:
    symbols = [b.var(f"s{number}", SMALL) for number in range(4)]

    def condition() -> Term:
        one, other = (
            random.choice(symbols),
            random.choice((random.choice(symbols), b.const(SMALL, random.randrange(4)))),
        )
        made = random.choice((b.bvult, b.eq, b.bvule))(one, other)
        return random.choice((made, b.not_(made)))

    question = [condition() for _ in range(random.randrange(1, 8))]
    whole, apart = ExhaustiveSolver().check(question), IndependentSolver(ExhaustiveSolver()).check(question)
    assert type(apart) is type(whole)
    if isinstance(apart, Sat):
        assert all(evaluate_all(question, apart.model))

"""Formulas that begin with facts about library functions: other facts contradict nothing, another claim does."""

from __future__ import annotations

import pytest

from soid.budget import Cancellation
from soid.evidence.checks import CheckOutcome
from soid.evidence.derivation import Means
from soid.evidence.formula_comparison import _beside_premises
from soid.evidence.obligations import Obligation
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term
from soid.solver.script_solver import ScriptSolver
from tests.exhaustive import ExhaustiveSolver

X, RESULT = build.var("x", BitVec(4)), build.var("result", BitVec(4))


def at_most(variable: Term, most: int) -> Term:
    return build.bvule(variable, build.const(variable.sort, most))


CLAIM = (at_most(X, 5), build.not_(at_most(RESULT, 9)))
OURS = Obligation("proof", "", "unsat", (at_most(RESULT, 9), *CLAIM), premises=1)


@pytest.mark.parametrize(
    ("theirs", "outcome"),
    [
        ((at_most(RESULT, 7), *CLAIM), CheckOutcome.OPEN),
        ((at_most(RESULT, 12), at_most(RESULT, 8), *CLAIM), CheckOutcome.OPEN),
        ((build.FALSE, *CLAIM), CheckOutcome.OPEN),  # it is not confirmed: that it is a fact is not known
        ((at_most(RESULT, 9), at_most(X, 4), CLAIM[1]), CheckOutcome.CONTRADICTED),
        ((at_most(RESULT, 9), CLAIM[0], build.not_(at_most(RESULT, 10))), CheckOutcome.CONTRADICTED),
        ((CLAIM[0],), CheckOutcome.CONTRADICTED),
    ],
)
def test_only_the_claim_is_compared(theirs: tuple[Term, ...], outcome: CheckOutcome) -> None:
    means = Means(ExhaustiveSolver(), 30.0, Cancellation())
    with ScriptSolver(("bitwuzla",)) as scripts:
        found, words = _beside_premises(theirs, OURS, means, scripts)
    assert found is outcome, words

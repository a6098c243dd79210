"""A question's clock and checks: stages inside stages, and what a recipe makes of its budgets."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.formula.term import Term
from soid.oracle.inquiry import Context, Inquiry, QuestionProgress, Settings
from soid.recipe import PAPER, SOID, Recipe
from soid.solver.protocol import Result, Unsat
from tests.unit.oracle.worlds import FakeEngine


class Budgets:
    """A solver that keeps the budgets it is given."""

    name = "budgets"

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        assert budget.seconds is not None
        self.seconds.append(budget.seconds)
        return Unsat()

    def close(self) -> None:
        pass


def asking(solver: Budgets, recipe: Recipe, said: list[str]) -> Inquiry:
    def report(progress: QuestionProgress) -> None:
        said.append(progress.stage)

    settings = Settings(seconds=80.0, recipe=recipe)
    return Inquiry(Context(FakeEngine(()), solver, settings=settings, progress=report))


def test_a_stage_inside_another_counts_for_itself_alone() -> None:
    said: list[str] = []
    one = asking(Budgets(), SOID, said)
    began = time.perf_counter()
    with one.stage("outer"):
        with one.stage("inner"):
            time.sleep(0.05)
        with one.stage("inner"):
            time.sleep(0.05)
    total = time.perf_counter() - began
    assert said == ["outer", "inner", "inner"]
    assert list(one.seconds) == ["outer", "inner"]
    assert one.seconds["inner"] >= 0.1
    assert one.seconds["outer"] >= 0
    assert sum(one.seconds.values()) <= total


@pytest.mark.parametrize(("recipe", "least", "most"), [(SOID, 5.0, 10.0), (PAPER, 60.0, 80.0)])
def test_a_branch_gets_a_share_of_the_time_unless_the_recipe_waits(recipe: Recipe, least: float, most: float) -> None:
    solver = Budgets()
    asking(solver, recipe, []).glance([])
    assert least <= solver.seconds[0] <= most


@pytest.mark.parametrize(("recipe", "over"), [(SOID, False), (PAPER, True), (SOID.without("settling"), True)])
def test_settling_can_be_left_out(recipe: Recipe, over: bool) -> None:
    assert asking(Budgets(), recipe, []).witness_deadline().is_over is over

"""A question's clock and checks: stages inside stages, and what a recipe makes of its budgets."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.formula.term import Term
from soid.oracle.inquiry import DIRECT, GLANCES, Context, Inquiry, QuestionProgress, Settings
from soid.recipe import PAPER, SOID, Recipe
from soid.solver.protocol import Result, Unsat
from tests.clock import set_up
from tests.unit.oracle.worlds import FakeEngine


class Budgets:
    """A solver that keeps the budgets it is given."""

    name = "budgets"

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
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


def test_a_stage_inside_another_counts_for_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_up(monkeypatch)
    said: list[str] = []
    one = asking(Budgets(), SOID, said)
    with one.stage("explore"):
        clock.forward(1.0)
        with one.stage("solve"):
            clock.forward(2.0)
        with one.stage("solve"):
            clock.forward(4.0)
        clock.forward(8.0)
    assert said == ["explore", "solve", "solve"]
    assert one.seconds == {"explore": 9.0, "solve": 6.0}


@pytest.mark.parametrize(("recipe", "seconds"), [(SOID, 80.0 * DIRECT / GLANCES), (PAPER, 80.0)])
def test_a_branch_gets_a_share_of_the_time_unless_the_recipe_waits(
    recipe: Recipe, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(monkeypatch)
    solver = Budgets()
    asking(solver, recipe, []).glance([])
    assert solver.seconds == [seconds]


@pytest.mark.parametrize(("recipe", "over"), [(SOID, False), (PAPER, True), (SOID.without("settling"), True)])
def test_settling_can_be_left_out(recipe: Recipe, over: bool) -> None:
    assert asking(Budgets(), recipe, []).witness_deadline().is_over is over

"""A question's clock and checks: stages inside stages, and what a recipe makes of its budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import pytest

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.formula.checker import Open
from soid.formula.term import Term
from soid.oracle.inquiry import (
    A_STEP_BRIEFLY,
    BRIEF,
    BRIEFLY,
    DIRECT,
    GLANCES,
    IN_VAIN,
    LEAST_GLANCE,
    Context,
    Inquiry,
    QuestionProgress,
    Settings,
)
from soid.recipe import PAPER, SOID, Recipe
from soid.solver.protocol import Reason, Result, Unknown, Unsat
from tests.clock import Clock, set_up
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


@final
class Hopeless:
    """A solver that uses all the time that it gets and then gives up."""

    name = "hopeless"

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.longest = 0.0

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        assert budget.seconds is not None
        self.longest = max(self.longest, budget.seconds)
        self.clock.forward(budget.seconds)
        return Unknown(Reason.TIME)

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


@pytest.mark.parametrize(("recipe", "seconds"), [(SOID, 80.0 * DIRECT * IN_VAIN / GLANCES), (PAPER, 80.0)])
def test_a_branch_gets_a_share_of_the_time_unless_the_recipe_waits(
    recipe: Recipe, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(monkeypatch)
    solver = Budgets()
    asking(solver, recipe, []).glance([])
    assert solver.seconds == [seconds]


@pytest.mark.parametrize("seconds", [2.0, 60.0, 600.0])
def test_branches_that_no_solver_settles_leave_time_for_solving(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All together they take half of the time, and the least that each of them gets; a longer budget leaves more."""
    clock = set_up(monkeypatch)
    hopeless = Hopeless(clock)
    one = Inquiry(Context(FakeEngine(()), hopeless, settings=Settings(seconds=seconds)))
    for _ in range(40):
        assert isinstance(one.glance([]), Open)
    left = one.direct.seconds_left
    assert left is not None and left >= max(0.0, seconds * DIRECT * (1 - IN_VAIN) - 40 * LEAST_GLANCE)
    assert hopeless.longest == pytest.approx(max(LEAST_GLANCE, seconds * DIRECT * IN_VAIN / GLANCES))
    assert seconds < 60 or left > 0


def test_a_first_attempt_is_brief_and_costs_the_next_one_nothing_but_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_up(monkeypatch)
    one = Inquiry(Context(FakeEngine(()), Hopeless(clock), settings=Settings(seconds=80.0)))
    with one.briefly():
        assert one.direct.seconds_left == BRIEFLY
        clock.forward(BRIEFLY / 2)
        one.glance([])  # it may take what is left, and then the attempt is over
        assert one.direct.is_over
    assert one.direct.seconds_left == pytest.approx(80.0 * DIRECT - BRIEFLY)
    assert one.in_vain == 80.0 * DIRECT * IN_VAIN
    without = Inquiry(Context(FakeEngine(()), Hopeless(clock), settings=Settings(80.0, recipe=SOID.without("runs"))))
    with without.briefly():
        assert without.direct.seconds_left == 80.0 * DIRECT


@pytest.mark.parametrize(("seconds", "most"), [(800.0, BRIEFLY + 39 * A_STEP_BRIEFLY), (4.0, 4.0 * DIRECT * BRIEF)])
def test_a_first_attempt_at_many_steps_is_longer_up_to_its_share(
    monkeypatch: pytest.MonkeyPatch, seconds: float, most: float
) -> None:
    one = Inquiry(Context(FakeEngine(()), Hopeless(set_up(monkeypatch)), settings=Settings(seconds=seconds)))
    with one.briefly(40):
        assert one.direct.seconds_left == pytest.approx(most)


@pytest.mark.parametrize(("recipe", "over"), [(SOID, False), (PAPER, True), (SOID.without("settling"), True)])
def test_settling_can_be_left_out(recipe: Recipe, over: bool) -> None:
    assert asking(Budgets(), recipe, []).witness_deadline().is_over is over

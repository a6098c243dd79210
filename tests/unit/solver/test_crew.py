"""Several processes cover a family as one does: the same is excluded, the same is shown, and no process stays."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.formula import build as b
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.formula.term_rows import model_to_rows
from soid.solver.box_cutter import BoxCutter, ExclusionGoal
from soid.solver.box_cutter_worker import Done
from soid.solver.crew import Crew
from soid.solver.paving import Paving, begin
from soid.solver.state_count import Count
from tests.unit.solver.test_paving import ANYWHERE, FLOAT, WORD, number

FAMILY = [b.fp_leq(number(1.0), FLOAT), b.fp_leq(FLOAT, number(2.0)), ANYWHERE]
ROOT = b.fp_eq(b.fp_mul(FLOAT, FLOAT), number(2.0))  # nowhere so, and only a box for each float around it shows that
NEEDLE = b.eq(WORD, b.const(WORD.sort, 0x3FB504F3))


def begun(goal: ExclusionGoal) -> Paving:
    cutter = BoxCutter.of(FAMILY, goal, [WORD])
    assert cutter is not None
    return begin(cutter)


def size(paving: Paving) -> int:
    """Of all that is settled or open."""
    return paving.settled.most + sum(piece.size.most for piece in paving.open)


WHOLE = size(begun(ExclusionGoal(ROOT)))


def covered(goal: ExclusionGoal, workers: int, is_over: Callable[[], bool] = lambda: False) -> Paving:
    paving = begun(goal)
    Crew(FAMILY, goal, [WORD], workers).pave(paving, is_over, lambda _: None)
    return paving


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_how_many_they_are_changes_nothing(workers: int) -> None:
    excluded = covered(ExclusionGoal(ROOT), workers)
    assert excluded.excluded and excluded.settled == Count(WHOLE, WHOLE)
    shown = covered(ExclusionGoal(NEEDLE), workers)
    assert shown.model is not None and all(evaluate_all([*FAMILY, NEEDLE], shown.model))


def test_what_is_being_cut_when_time_is_over_is_open() -> None:
    paving = covered(ExclusionGoal(ROOT), 2, lambda: True)
    assert not paving.excluded and paving.share == 0 and size(paving) == WHOLE
    rounds = iter(range(12))
    paving = covered(ExclusionGoal(ROOT), 2, lambda: next(rounds, None) is None)
    assert size(paving) == WHOLE


def test_the_box_of_a_worker_that_dies_is_open_again() -> None:
    paving = begun(ExclusionGoal(ROOT))
    crew = Crew(FAMILY, ExclusionGoal(ROOT), [WORD], 2)
    for worker in crew._workers:
        os.kill(worker.pid, signal.SIGKILL)
    crew.pave(paving, lambda: False, lambda _: None)
    assert paving.share == 0 and size(paving) == WHOLE and len(paving.open) == 1


def test_no_worker_outlives_the_paving() -> None:
    crew = Crew(FAMILY, ExclusionGoal(ROOT), [WORD], 2)
    pids = [worker.pid for worker in crew._workers]
    crew.pave(begun(ExclusionGoal(ROOT)), lambda: True, lambda _: None)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_state_that_does_not_show_the_goal_is_not_believed() -> None:
    crew = Crew(FAMILY, ExclusionGoal(NEEDLE), [WORD], 1)
    try:
        piece = begun(ExclusionGoal(NEEDLE)).open[0]
        cuts = crew._cuts(Done(Count(5, 5), [], model_to_rows({WORD: 7})), piece)
        assert cuts.model is None and cuts.open == [piece] and cuts.settled == Count(0, 0)
    finally:
        crew.end()


def test_terms_cross_over_whole() -> None:
    """A doubt and a goal that share most of their terms."""
    doubt: Term = b.and_(ROOT, NEEDLE)
    assert covered(ExclusionGoal(b.and_(ROOT, b.not_(NEEDLE)), doubt), 1).excluded

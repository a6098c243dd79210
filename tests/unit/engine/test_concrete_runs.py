"""Runs on single states: each is the path of its state alone, and only what is certain is a result."""

from __future__ import annotations

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.concrete_runs import ConcreteRuns
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, OutputValue, Path, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.formula.passes import evaluate
from soid.formula.sorts import BitVec
from tests.unit.oracle.worlds import BROKEN, DARK, FAKE, INTERFACE, FakeEngine, X, Y, decides, is_, paths


def runs(given: tuple[Path, ...]) -> ConcreteRuns:
    exploration = Exploration({"armed": 0}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    return ConcreteRuns(FakeEngine(given), exploration, [INTERFACE.variable("x"), INTERFACE.variable("y")])


def test_a_run_is_the_path_of_its_state_alone() -> None:
    found = runs(paths(BROKEN))
    assert isinstance(found.run({"x": 1, "y": 2}).ending, Decided)
    assert found.run({"x": 3, "y": 0}).ending == BROKEN
    one, two = found.summary.paths
    states = [(x, y) for x in range(4) for y in range(4)]
    assert [at for at in states if evaluate(one.condition, {X: at[0], Y: at[1]})] == [(1, 2)]
    assert [at for at in states if evaluate(two.condition, {X: at[0], Y: at[1]})] == [(3, 0)]
    assert found.summary.relies_on == (FAKE,)
    assert found.summary_of([1]).paths == (two,)


def test_paths_that_say_the_same_are_one() -> None:
    found = runs((decides("one", is_(X, 1), "GO"), decides("two", TRUE, "GO")))
    assert isinstance(found.run({"x": 1, "y": 0}).ending, Decided)
    found = runs((decides("one", is_(X, 1), "GO"), decides("two", TRUE, "STAY")))
    assert isinstance(found.run({"x": 1, "y": 0}).ending, Unexplored)


OPEN = build.var("open", BitVec(2))  # stands for what C leaves open


@pytest.mark.parametrize(
    "given",
    [
        paths(DARK)[3:],
        (decides("one", is_(OPEN, 0), "GO"), decides("two", build.not_(is_(OPEN, 0)), "STAY")),
        (decides("one", TRUE, "GO"), Path("two", TRUE, DARK)),
        (Path("one", TRUE, Decided(), {"move": OutputValue(OPEN)}),),
        (Path("one", TRUE, Decided(), {"inner": OutputValue(X, is_(OPEN, 0))}),),
        (),
    ],
)
def test_what_depends_on_more_than_the_inputs_is_unexplored(given: tuple[Path, ...]) -> None:
    assert isinstance(runs(given).run({"x": 3, "y": 0}).ending, Unexplored)

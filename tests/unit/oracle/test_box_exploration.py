"""Exploring again, box by box: what was left unexplored for lack of time is settled, and nothing else is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

import pytest

from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Path, PathSummary, Unexplored
from soid.formula.build import TRUE
from soid.oracle import inquiry
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse
from soid.recipe import SOID
from soid.scenario.trace import Keyframe
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.test_pipeline_stages import QUESTIONS
from tests.unit.oracle.worlds import BROKEN, DARK, FAKE, INTERFACE, FakeEngine, ask, paths

NO_RUNS = Settings(recipe=SOID.without("runs"))
LATE = Unexplored("the time budget ended")


@final
@dataclass
class Late(Engine):
    """An engine that runs out of time wherever it is asked about more than a box, and knows all paths in one."""

    inner: FakeEngine
    name: str = "late"
    boxes: int = 0
    asked: int = 0
    conditions: list[str] = field(default_factory=list)

    def explore(self, exploration: Exploration) -> PathSummary:
        self.asked += 1
        if self.asked == 1:
            return self.inner.explore(exploration)  # the fact
        if self.asked == 2:
            return PathSummary((Path("nowhere", TRUE, LATE),), self.inner.relies_on)
        self.boxes += 1
        return self.inner.explore(exploration)


def ask_late(question: str, given: Sequence[Path], settings: Settings | None = None) -> tuple[Answer, Late]:
    engine = Late(FakeEngine(given))
    keyframe = Keyframe(0, {"x": 0, "y": 1, "armed": 0}, {}, INTERFACE)
    query = parse(question, INTERFACE)
    found = answer(
        query.checked(INTERFACE), keyframe, Context(engine, ExhaustiveSolver(), settings=settings or NO_RUNS)
    )
    return found, engine


@pytest.fixture(autouse=True)
def no_time_for_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiry, "DIRECT", 0.0)


@pytest.mark.parametrize(("question", "given"), QUESTIONS)
def test_boxes_say_what_the_whole_would_have_said(question: str, given: tuple[Path, ...]) -> None:
    right = ask(question, given, solver=ExhaustiveSolver())
    found, engine = ask_late(question, given)
    assert found.verdict is right.verdict
    if right.verdict is Verdict.VACUOUS:
        return
    assert engine.boxes
    if right.verdict.is_definite:
        assert found.witness is not None and right.witness is not None
        assert found.witness.shows is right.witness.shows
        assert found.settled_by["paving"] == 1


def test_a_scenario_of_a_box_may_not_be_the_nearest() -> None:
    found, _ = ask_late(QUESTIONS[0][0], paths(BROKEN))
    assert found.verdict is Verdict.NO and found.witness is not None and not found.witness.settled


def test_a_proof_leaves_nothing_unexplored() -> None:
    found, _ = ask_late("would decides if x in {0, 1, 2} and y is anything", paths(BROKEN))
    assert found.verdict is Verdict.YES and found.paths["unexplored"] == 0
    assert FAKE in found.relies_on


def test_what_no_box_shows_is_counted_and_stays_open() -> None:
    found, engine = ask_late("would decides if x is anything", paths(DARK))
    assert found.verdict is Verdict.UNKNOWN and found.settled is not None and engine.boxes
    assert found.settled.share == Fraction(2, 3) and [str(box) for box in found.settled.open] == ["x 3"]


def test_without_paving_nothing_is_explored_again() -> None:
    found, engine = ask_late(QUESTIONS[0][0], paths(BROKEN), Settings(recipe=SOID.without("paving", "runs")))
    assert found.verdict is Verdict.UNKNOWN and not engine.boxes

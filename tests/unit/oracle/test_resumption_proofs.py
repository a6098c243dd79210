"""What is kept of an open question settles that question alone, and nothing more than was settled of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path as File
from typing import final

import pytest

from soid.assumptions import Assumption
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Path, PathSummary, Unexplored, assuming
from soid.formula import build
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.oracle.unfinished import OpenBoxes, Unfinished, UnfinishedQuestions, ordered
from soid.query.language.query_parser import parse_checked
from soid.recipe import SOID
from soid.scenario.trace import Keyframe
from soid.solver.protocol import Solver
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.worlds import DARK, FAKE, INTERFACE, OnCue, X, decides, ends, gives_up, is_

LATE = Unexplored("the time budget ended", out_of_time=True)
FIRST = Assumption("first", "what the first exploration took for granted")


@final
class Stepwise(Engine):
    """An engine that gives other paths each time when it explores more than the fact."""

    name = "stepwise"

    def __init__(self, *summaries: tuple[Sequence[Path], tuple[Assumption, ...]]) -> None:
        self._summaries = list(summaries)

    def explore(self, exploration: Exploration) -> PathSummary:
        fixed = {
            variable.symbol: build.const(variable.symbol.sort, exploration.fixed[variable.path])
            for variable in INTERFACE.inputs
            if variable.path in exploration.fixed
        }
        if len(fixed) == len(INTERFACE.inputs):
            return PathSummary(tuple(assuming([decides("fact", build.TRUE, "STAY")], fixed)), (FAKE,))
        paths, relies_on = self._summaries.pop(0)
        return PathSummary(tuple(assuming(paths, fixed)), relies_on)


@pytest.fixture
def unfinished(tmp_path: File) -> UnfinishedQuestions:
    return UnfinishedQuestions(lambda: "a program", tmp_path)


def ask(
    question: str,
    engine: Engine,
    unfinished: UnfinishedQuestions,
    *,
    resume: bool = False,
    solver: Solver | None = None,
) -> Answer:
    settings = Settings(seconds=None, recipe=SOID.without("runs"))
    context = Context(engine, solver or ExhaustiveSolver(), settings=settings, unfinished=unfinished, resume=resume)
    keyframe = Keyframe(0, {"x": 0, "y": 1, "armed": 0}, {}, INTERFACE)
    return answer(parse_checked(question, INTERFACE), keyframe, context)


@pytest.mark.parametrize(
    ("question", "verdict"),
    [("would move == GO if 1 <= x", Verdict.YES), ("might move == TURN if 1 <= x", Verdict.NO)],
)
def test_what_no_time_can_explore_stays_open(question: str, verdict: Verdict, tmp_path: File) -> None:
    known, late = decides("1", is_(X, 1), "GO"), ends("2", is_(X, 2), LATE)
    for dark in (DARK, None):
        unfinished = UnfinishedQuestions(partial(str, dark), tmp_path)  # each is another program
        third = ends("3", is_(X, 3), dark) if dark is not None else decides("3", is_(X, 3), "GO")
        engine = Stepwise(((known, late, third), (FAKE,)), ((decides("2", is_(X, 2), "GO"),), (FAKE,)))
        assert ask(question, engine, unfinished).resumable
        resumed = ask(question, engine, unfinished, resume=True)
        assert resumed.before is not None
        assert resumed.verdict is (verdict if dark is None else Verdict.UNKNOWN)


def test_what_is_kept_of_one_question_is_not_taken_for_another(unfinished: UnfinishedQuestions, tmp_path: File) -> None:
    paths = decides("1", is_(X, 1), "GO"), ends("2", is_(X, 2), LATE), decides("3", is_(X, 3), "GO")
    asked, files = ("would move == GO if 1 <= x", "would move != STAY if 1 <= x"), list[File]()
    for question in asked:
        assert ask(question, Stepwise((paths, (FAKE,))), unfinished).resumable
        files += [file for file in tmp_path.glob("*.json") if file not in files]
    one, other = files
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    for question in asked:
        assert ask(question, Stepwise((paths, (FAKE,))), unfinished, resume=True).before is None


def test_an_answer_relies_on_what_was_settled_before_it_was_resumed(
    unfinished: UnfinishedQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths that are too many to be kept are explored anew, what was settled with them is kept."""
    monkeypatch.setattr("soid.oracle.unfinished.LARGEST", 0)
    question, late = "would move == GO if 1 <= x", ends("2", is_(X, 2), LATE)
    engine = Stepwise(
        ((decides("1", is_(X, 1), "GO"), late, decides("3", is_(X, 3), "GO")), (FIRST,)),
        *[((decides("all", build.TRUE, "GO"),), (FAKE,))] * 3,
    )
    first = ask(question, engine, unfinished)
    assert first.verdict is Verdict.UNKNOWN and first.resumable and FIRST in first.relies_on
    resumed = ask(question, engine, unfinished, resume=True)
    assert resumed.verdict is Verdict.YES and resumed.before is not None
    assert {FIRST, FAKE} <= set(resumed.relies_on)
    assert len(set(resumed.relies_on)) == len(resumed.relies_on)


def test_where_too_many_paths_were_left_it_is_explored_box_by_box(
    unfinished: UnfinishedQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soid.oracle.resumption._MANY", 0)
    question, late = "would move == GO if 1 <= x", ends("2", is_(X, 2), LATE)
    paths = decides("1", is_(X, 1), "GO"), late, decides("3", is_(X, 3), "GO")
    assert ask(question, Stepwise((paths, (FAKE,))), unfinished).resumable
    boxes = [((decides("all", build.TRUE, "GO"),), (FIRST,))] * 9
    resumed = ask(question, Stepwise(*boxes), unfinished, resume=True)
    assert resumed.verdict is Verdict.YES and FIRST in resumed.relies_on


def test_of_boxes_that_were_settled_before_nothing_is_said_by_paths_that_leave_them_out(
    unfinished: UnfinishedQuestions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At x = 1 it goes, which an exploration of that box had settled; its path was not kept."""
    late = PathSummary(tuple(ends(str(at), is_(X, at), LATE) for at in (1, 2, 3)), (FAKE,))
    order = INTERFACE.variable("x").order
    boxes = OpenBoxes((ordered(X, order),), (((2, 3),),), (False,))
    monkeypatch.setattr(UnfinishedQuestions, "find", lambda *_: Unfinished(1.0, late, open=boxes))
    stays = [decides("2", is_(X, 2), "STAY"), decides("3", is_(X, 3), "STAY")]
    refuted = 0
    for call in range(8):
        engine, solver = Stepwise((stays, (FAKE,))), OnCue(call, gives_up)
        found = ask("would move == GO if 1 <= x", engine, unfinished, resume=True, solver=solver)
        assert found.verdict in (Verdict.NO, Verdict.UNKNOWN) and found.throughout is None
        refuted += found.verdict is Verdict.NO
    assert refuted > 4

"""Runs of single scenarios settle what solvers leave open: with the right verdict and the nearest scenario, or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import pytest
from msgspec.structs import replace

from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import Path, PathSummary, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.passes import evaluate_all
from soid.formula.sorts import FLOAT32
from soid.formula.term import Term
from soid.oracle import member_runs
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, QuestionProgress, Settings
from soid.oracle.pipeline import answer
from soid.oracle.reason import ReasonCode
from soid.oracle.sampled_states import sampled
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse
from soid.query.language.query_parser import parse as parse_query
from soid.recipe import SOID
from soid.scenario.family import Family
from soid.scenario.trace import Keyframe
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Reason, Result, Unknown
from tests.clock import Clock, set_up
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.test_pipeline_stages import QUESTIONS
from tests.unit.oracle.worlds import (
    BROKEN,
    DARK,
    FAKE,
    INTERFACE,
    WAITING,
    FakeEngine,
    X,
    Y,
    ask,
    decides,
    ends,
    is_,
    paths,
)

NO_PAVING = Settings(recipe=SOID.without("paving"))
EVERYTHING = "x is anything and y is anything and armed is anything"
MORE = [
    *QUESTIONS,
    *(
        (f"{kind} {behavior} if {EVERYTHING}", paths(ending))
        for kind in ("would", "might")
        for behavior in ("move == GO", "decides", "not fails", "move != TURN", "armed' and move == GO", "inner == 2")
        for ending in (BROKEN, WAITING, DARK)
    ),
]


@final
class Blind:
    """A solver that knows nothing while the question is solved, and everything before and after that."""

    name = "blind"

    def __init__(self, reason: Reason = Reason.TIME, *, once: bool = False) -> None:
        self.stage = ""
        self.reason = reason
        self.once = once  # it knows everything once scenarios were run

    def watch(self, progress: QuestionProgress) -> None:
        self.stage = "run" if self.once and self.stage == "run" else progress.stage

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        if self.stage == "solve":
            return Unknown(self.reason, "blind")
        return ExhaustiveSolver().check(conjuncts, budget, cancel)

    def close(self) -> None:
        pass


def ask_blind(question: str, given: Sequence[Path], settings: Settings = NO_PAVING) -> Answer:
    blind = Blind()
    return ask(question, given, solver=blind, settings=settings, progress=blind.watch)


@pytest.mark.parametrize(("question", "given"), MORE)
def test_a_family_that_is_run_whole_is_settled_as_by_solvers(question: str, given: tuple[Path, ...]) -> None:
    right = ask(question, given, solver=ExhaustiveSolver(), settings=NO_PAVING)
    found = ask_blind(question, given)
    assert found.verdict is right.verdict
    if not right.verdict.is_definite or "runs" not in found.settled_by:
        return
    assert found.witness is not None and right.witness is not None
    assert (found.witness.inputs, found.witness.shows) == (right.witness.inputs, right.witness.shows)
    assert found.witness.settled is right.witness.settled
    assert FAKE in found.relies_on


@pytest.mark.parametrize(("question", "given"), MORE)
def test_some_scenarios_never_turn_a_verdict_around(
    question: str, given: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_runs, "FEW", 1)
    right = ask(question, given, solver=ExhaustiveSolver(), settings=NO_PAVING)
    found = ask_blind(question, given)
    assert found.verdict in (right.verdict, Verdict.UNKNOWN)
    shown_by_one = right.verdict is (Verdict.NO if question.startswith("would") else Verdict.YES)
    if shown_by_one:  # so few scenarios are all tried
        assert found.verdict is right.verdict
        assert found.witness is not None and right.witness is not None
        assert not found.witness.settled or found.witness.inputs == right.witness.inputs


def test_a_proof_by_runs_says_so() -> None:
    found = ask_blind("would decides if x in {0, 1, 2} and y is anything", paths(BROKEN))
    assert (found.verdict, found.reason_code) == (Verdict.YES, ReasonCode.ALWAYS_BY_RUNS)
    assert found.reason == "it is so in every scenario: proved by interpreting the program on each of the 11"
    assert found.settled_by["runs"] == found.paths["decided"] == 11
    never = ask_blind("might fails if x in {0, 1, 2} and y is anything", paths(BROKEN))
    assert (never.verdict, never.reason_code) == (Verdict.NO, ReasonCode.NEVER_BY_RUNS)


def test_one_scenario_that_is_not_explored_prevents_a_proof() -> None:
    assert ask_blind("would decides if x is anything", paths(DARK)).verdict is Verdict.UNKNOWN
    assert ask_blind("might move == GO if x in {2, 3}", paths(DARK)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("question", ["might move == GO if {}", "would move != GO if {}"])
def test_a_scenario_that_is_surely_not_the_fact_may_take_another_path_than_those_run(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is run first has the logged y, and x is not known: another scenario settles it, on another path."""
    monkeypatch.setattr(member_runs, "FEW", 1)
    blind, x, y = Blind(once=True), is_(X, 1), is_(Y, 1)
    given = (
        decides("here", build.and_(x, y), "GO"),
        decides("there", build.and_(x, build.not_(y)), "GO"),
        decides("else", build.and_(build.not_(x), build.not_(is_(X, 3))), "STAY"),
        ends("dark", is_(X, 3), DARK),
    )
    context = Context(FakeEngine(given), blind, settings=NO_PAVING, progress=blind.watch)
    keyframe = Keyframe(0, {"x": 1, "y": 1, "armed": 0}, {}, INTERFACE, unlogged=("x",))
    asked = question.format("x is anything and y is anything")
    found = answer(parse_query(asked, INTERFACE).checked(INTERFACE), keyframe, context)
    assert found.verdict is (Verdict.YES if asked.startswith("might") else Verdict.NO), found.reason
    assert found.witness is not None and found.witness.inputs["x"] == 1 and found.witness.inputs["y"] != 1


def test_without_runs_nothing_is_run() -> None:
    settings = Settings(recipe=SOID.without("paving", "runs"))
    assert ask_blind(f"would decides if {EVERYTHING}", paths(BROKEN), settings).verdict is Verdict.UNKNOWN


def test_a_run_that_never_comes_back_costs_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run of an endless scenario uses what it is given: the family is not run whole, and time is left."""
    clock = set_up(monkeypatch)
    monkeypatch.setattr("soid.oracle.member_runs.time", clock)
    blind = Blind()
    engine = Endless(FakeEngine(paths(BROKEN)), clock)
    context = Context(engine, blind, settings=replace(NO_PAVING, seconds=64.0), progress=blind.watch)
    keyframe = Keyframe(0, {"x": 0, "y": 1, "armed": 0}, {}, INTERFACE)
    found = answer(parse_query(f"would not fails if {EVERYTHING}", INTERFACE).checked(INTERFACE), keyframe, context)
    assert found.verdict is Verdict.NO and found.witness is not None and found.witness.inputs["x"] == 3
    assert clock.now - 1000 < 32 and engine.endless


@final
@dataclass
class Endless(Engine):
    """An engine for a program that never comes back if x is 2."""

    inner: FakeEngine
    clock: Clock
    name: str = "endless"
    endless: int = 0

    def explore(self, exploration: Exploration) -> PathSummary:
        if exploration.fixed.get("x") != 2:
            return self.inner.explore(exploration)
        self.endless += 1
        self.clock.forward(exploration.deadline.seconds_left or 0.0)
        return PathSummary((Path("late", TRUE, Unexplored("the time budget ended", out_of_time=True)),))


# --- which scenarios are run ----------------------------------------------------------------------------------------

SPEED = FloatType(FLOAT32)
LIGHT = EnumType("light", 8, False, (("RED", 0), ("GREEN", 7)))
CAR = Interface((
    Variable("speed", Role.ENVIRONMENT, SPEED),
    Variable("gap", Role.ENVIRONMENT, IntType(32, signed=True)),
    Variable("light", Role.ENVIRONMENT, LIGHT),
    Variable("on", Role.ENVIRONMENT, BoolType()),
    Variable("brake", Role.DECISION, BoolType()),
))  # fmt: skip
FACT = {"speed": parse(SPEED, "10.5"), "gap": 40, "light": 0, "on": 1}


def states(suppositions: str, start: dict[str, int], most: int = 300) -> list[dict[str, int]]:
    query = parse_query(f"would brake if {suppositions}", CAR)
    family = Family(CAR, FACT, query.suppositions)
    found = list(sampled(family.scenarios, family.varying, FACT, {**FACT, **start}, most))
    assert all(family.contains({**family.given, **state}) for state in found)
    assert all(evaluate_all(family.scenarios, {v.symbol: state[v.path] for v in family.varying}) for state in found)
    return found


def test_ends_and_neighbours_are_among_the_first() -> None:
    found = [state["speed"] for state in states("1.0 <= speed <= 20.0", {"speed": parse(SPEED, "2.0")})]
    ends = [parse(SPEED, text) for text in ("1.0", "20.0", "2.0")]
    fact = FACT["speed"]
    assert {*ends, fact - 1, fact + 1, ends[0] + 1, ends[1] - 1} <= set(found[:30])
    assert len(found) == len(set(found)) == 300 and fact not in found


def test_types_without_bounds_are_tried_at_their_extremes() -> None:
    found = [state["gap"] for state in states("gap is anything", {"gap": 0})]
    assert {0, 1, 39, 41, 1 << 31, (1 << 31) - 1, (1 << 32) - 1} <= set(found)


def test_corners_are_tried_together() -> None:
    found = states("0 <= gap <= 9 and 0.5 <= speed <= 1.5 and light is anything and on is anything", {"gap": 1})
    gaps, speeds = (0, 9), (parse(SPEED, "0.5"), parse(SPEED, "1.5"))
    tried = {(state["gap"], state["speed"]) for state in found}
    assert {(gap, speed) for gap in gaps for speed in speeds} <= tried
    assert {state["light"] for state in found} == {0, 7} and {state["on"] for state in found} == {0, 1}


def test_constants_of_the_program_are_tried() -> None:
    gap, speed = CAR.variable("gap"), CAR.variable("speed")
    limit = build.const(FLOAT32, parse(SPEED, "119.5"))
    paths = [
        build.and_(build.bvslt(gap.symbol, build.const(gap.symbol.sort, 7919)), build.fp_leq(limit, speed.reading))
    ]
    query = parse_query("would brake if gap is anything and speed is anything", CAR)
    family = Family(CAR, FACT, query.suppositions)
    found = list(sampled(family.scenarios, family.varying, FACT, {**FACT, "gap": 1}, 300, paths))
    assert {7918, 7919, 7920} <= {state["gap"] for state in found}
    assert {limit.value - 1, limit.value, limit.value + 1} <= {state["speed"] for state in found}


def test_the_same_family_gives_the_same_states() -> None:
    asked = "speed is anything and gap > 3", {"gap": 5}
    assert states(*asked) == states(*asked)

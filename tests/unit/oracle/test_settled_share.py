"""An unknown says how much is settled: exactly, never rounded up, and only what is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import final

import pytest
from msgspec import convert
from msgspec.structs import replace

from soid import Project
from soid.budget import Cancellation
from soid.documents import json_of
from soid.formula.term import Term
from soid.oracle import open_share
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import QuestionProgress, Settings
from soid.oracle.settled_share import BoxSide, OpenBox, SettledDocument, SettledShare
from soid.query.words.shares import percent
from soid.recipe import SOID
from soid.solver.protocol import UNLIMITED, Budget, Result
from tests.exhaustive import ExhaustiveSolver
from tests.unit.oracle.test_pipeline_stages import QUESTIONS
from tests.unit.oracle.worlds import DARK, OnCue, ask, gives_up, paths


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(1), "100 %"),
        (1 - Fraction(1, 10**30), "99.9 %"),
        (Fraction(973_999, 1_000_000), "97.3 %"),
        (Fraction(1, 2), "50 %"),
        (Fraction(1, 10**7), "less than 0.1 %"),
        (Fraction(0), "0 %"),
    ],
)
def test_percentages_are_rounded_down(share: Fraction, text: str) -> None:
    assert percent(share) == text


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the shares are the same."""
    monkeypatch.setattr(open_share, "BRIEFLY", 100.0)


BOX = OpenBox((BoxSide("x", "1.0", "1.5", "m"), BoxSide("signal", "RIGHT", "RIGHT")), 7)


NO_RUNS = Settings(recipe=SOID.without("runs"))


def settled(**changes: object) -> SettledShare:
    given: dict[str, object] = {
        "verdict": "yes",
        "share": 1 - Fraction(7, 2**64),
        "exact": True,
        "states": 2**64,
        "boxes": 3,
        "open": (BOX,),
    }
    return SettledShare(**{**given, **changes})  # type: ignore[arg-type]


def test_what_is_open_is_told_in_words() -> None:
    words = "yes for 99.9 % of the scenarios, proved; open: (x from 1.0 to 1.5 m, signal RIGHT) and 2 more"
    assert str(settled()) == words
    assert str(settled(exact=False, boxes=1)).startswith("yes for at least 99.9 % of")


def test_as_json_and_back() -> None:
    kept = json_of(settled().document)
    assert kept["share"] < 1 and kept["states"] == str(2**64)
    assert convert(kept, SettledDocument).settled == settled()


def test_boxes_settle_what_solvers_give_up_on() -> None:
    """Once a scenario is known to ask about, every question of these small worlds is settled without a solver."""
    by_boxes = 0
    for question, given in QUESTIONS:
        right = ask(question, given, solver=ExhaustiveSolver())
        answer = ask(question, given, solver=OnCue(1, gives_up, onwards=True), settings=NO_RUNS)
        assert answer.verdict is right.verdict
        if right.verdict.is_definite:
            assert answer.settled is None
            by_boxes += answer.settled_by.get("paving", 0)
    assert by_boxes >= 5  # the others needed no solver


def test_unexplored_states_are_open_and_the_rest_is_counted() -> None:
    """x is 0 to 3, and 0 in fact; of the other three states x = 3 is unexplored."""
    answer = ask("would decides if x is anything", paths(DARK))
    assert answer.verdict is Verdict.UNKNOWN and answer.settled is not None
    assert (answer.settled.verdict, answer.settled.share, answer.settled.exact) == ("yes", Fraction(2, 3), True)
    assert [str(box) for box in answer.settled.open] == ["x 3"]
    assert "yes for 66.7 % of the scenarios, proved; open: x 3" in answer.reason
    assert ask("might fails if x is anything", paths(DARK)).settled == replace(answer.settled, verdict="no")


def test_two_thirds_of_several_variables() -> None:
    answer = ask("would decides if x is anything and y is anything and armed is anything", paths(DARK))
    assert answer.settled is not None
    by_hand = [(x, y, a) for x in range(4) for y in range(4) for a in range(2) if (x, y, a) != (0, 1, 0)]
    assert answer.settled.states == len(by_hand)
    assert answer.settled.share == Fraction(sum(1 for x, _, _ in by_hand if x != 3), len(by_hand))


def test_without_paving_nothing_is_said_of_a_share() -> None:
    settings = Settings(recipe=SOID.without("paving"))
    answer = ask("would decides if x is anything", paths(DARK), settings=settings)
    assert answer.verdict is Verdict.UNKNOWN and answer.settled is None and "%" not in answer.reason


def test_the_share_is_told_while_it_grows_and_who_calls_off_gets_no_verdict() -> None:
    told: list[QuestionProgress] = []
    ask("would decides if x is anything", paths(DARK), progress=told.append)
    assert {each.stage for each in told if each.share is not None} == {"pave"}
    cancel = Cancellation()

    def watch(progress: QuestionProgress) -> None:
        if progress.stage == "pave":
            cancel.cancel()

    answer = ask("would decides if x is anything", paths(DARK), progress=watch, cancel=cancel)
    assert answer.verdict is Verdict.UNKNOWN and answer.settled is None


@final
class Moody:
    """A solver that knows nothing while the question is solved, and everything before and after that."""

    name = "moody"

    def __init__(self) -> None:
        self.stage = ""

    def watch(self, progress: QuestionProgress) -> None:
        self.stage = progress.stage

    def check(
        self, conjuncts: Sequence[Term], budget: Budget = UNLIMITED, cancel: Cancellation | None = None
    ) -> Result:
        result = ExhaustiveSolver().check(conjuncts, budget, cancel)
        return gives_up(result) if self.stage in ("solve", "pave") else result

    def close(self) -> None:
        pass


@pytest.mark.parametrize("question", [QUESTIONS[0][0], QUESTIONS[5][0], QUESTIONS[6][0]])
def test_how_many_cores_there_are_changes_nothing(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are started at once, and find the answer; the scenario shown is the same."""
    monkeypatch.setattr(open_share, "ALONE", 0.0)
    answers = []
    for cores in (1, 2, 4):
        moody = Moody()
        answers.append(ask(question, solver=moody, settings=replace(NO_RUNS, cores=cores), progress=moody.watch))
    assert {answer.settled_by["paving"] for answer in answers} == {1}
    first = answers[0].witness
    assert first is not None and first.settled
    for answer in answers:
        assert answer.verdict is answers[0].verdict and answer.witness is not None
        assert answer.witness.inputs == first.inputs


def test_what_is_open_lies_in_the_family(tmp_path: Path) -> None:
    """A family over every finite number has no infinity."""
    (tmp_path / "p.c").write_text("int f(float x) { return x > 5.0f ? *(volatile int *)0x40021000 : 0; }")
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["p.c"]\nentry = "f"\n[trace]\nfile = "log.jsonl"\n'
    )
    (tmp_path / "log.jsonl").write_text('{"x": 1.0}\n')
    answer = Project.open(tmp_path, settings=Settings(seconds=20.0)).ask("might return == 1 if x >= 0.0")
    assert answer.settled is not None
    assert max(float(box.sides[0].high) for box in answer.settled.open) < math.inf

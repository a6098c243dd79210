"""Questions are chosen at steps whose state is known, about what mattered, and only if they have an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

import pytest

from soid.engine.replay import Replay, Replayer, Returned
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, IntType
from soid.proposal.first_questions import FirstQuestion, QuestionChoice
from soid.scenario.trace import Step, Trace
from tests.unit.proposal.test_log_agreement import Counting, run_over, trace


def asked(values: list[int], answer: Callable[[int, str], str]) -> tuple[list[FirstQuestion], list[tuple[int, str]]]:
    """The questions about a log that has no state and no decision, and all that were tried."""
    log, program, tried = trace(values, [None] * len(values)), Counting(), list[tuple[int, str]]()

    def ask(step: int, text: str) -> str:
        tried.append((step, text))
        return answer(step, text)

    return list(QuestionChoice(log, run_over(log, program), program).questions(ask)), tried


def test_a_step_whose_state_answers_would_not_have_is_never_asked_about() -> None:
    """At the change the count is 2, and an answer would take it for 0: its proof would be about another program."""
    found, tried = asked([0, 0, 1, 1, 1, 1], lambda step, text: "yes")
    assert found and {step for step, _ in tried} <= {0, 1, 2}
    assert found[0].text.startswith("did ")


@final
class Guard(Replayer):
    """It warns if the gate is open, unless x is above 100; it remembers nothing."""

    how = "in a test"
    doubt = ""
    interface: Final = Interface(
        (
            Variable("x", Role.ENVIRONMENT, IntType(32, signed=True), Range(0, 200)),
            Variable("gate", Role.ENVIRONMENT, BoolType()),
            Variable("warn", Role.DECISION, BoolType()),
        )
    )

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        given = [{"warn": int(each["gate"] and each["x"] <= 100)} for each in (inputs, *environments)]
        return Returned(given[-1], tuple(given[:-1]))

    replay_failure = replay


def about(rows: Sequence[tuple[int, int]]) -> list[str]:
    """The questions about a log of x and gate."""
    steps = [Step(at, {"x": x, "gate": gate}, {"warn": int(gate and x <= 100)}) for at, (x, gate) in enumerate(rows)]
    log, program = Trace(Guard.interface, tuple(steps)), Guard()
    found = QuestionChoice(log, run_over(log, program), program).questions(lambda step, text: "yes")
    return [f"{each.step}: {each.text}" for each in found]


def test_a_change_is_asked_about_with_what_mattered() -> None:
    """Both inputs changed, and only the gate mattered; then only x did."""
    assert about([(1, 0), (2, 0), (3, 0), (4, 1), (4, 1)]) == [
        "3: did warn == true",
        "3: would warn == false if gate == false",
        "1: might warn == true within 3 steps if gate == false from step 3",
    ]
    assert about([(150, 1), (150, 1), (150, 1), (4, 1)]) == [
        "3: did warn == true",
        "3: might warn == false if x is anything",
        "1: might warn == true within 3 steps if gate == false",
    ]


@final
class Price(Replayer):
    """It gives a number with many digits."""

    how = "in a test"
    doubt = ""
    interface: Final = Interface(
        (
            Variable("x", Role.ENVIRONMENT, IntType(32, signed=True), Range(0, 200)),
            Variable("price", Role.DECISION, FloatType(FLOAT64)),
        )
    )

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        given = [{"price": sf.float_to_bits64(each["x"] / 7)} for each in (inputs, *environments)]
        return Returned(given[-1], tuple(given[:-1]))

    replay_failure = replay


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([10, 22, 40, 15, 16], "did price >= 2"),
        ([15, 16, 10, 22, 40], "did price < 2"),
        ([10, 10], "did price >= 1"),
        ([7, 14], "did price == 2.0"),
    ],
)
def test_a_number_with_many_digits_is_compared_with_a_round_one(values: list[int], asked: str) -> None:
    steps = [Step(at, {"x": x}, {"price": sf.float_to_bits64(x / 7)}) for at, x in enumerate(values)]
    log, program = Trace(Price.interface, tuple(steps)), Price()
    found = list(QuestionChoice(log, run_over(log, program), program, alone=True).questions(lambda step, text: "yes"))
    assert found[0].text == asked
    assert all(len(number) <= 3 for each in found for number in re.findall(r"[\d.]+", each.text))


def test_the_last_change_to_something_new_is_asked_about() -> None:
    assert about([(1, 0), (1, 0), (1, 1), (1, 0), (1, 0)])[0] == "2: did warn == true"
    assert about([(1, 0), (1, 0)])[0] == "1: did warn == false"  # nothing changes


def test_what_has_no_answer_is_not_proposed() -> None:
    found, tried = asked([0, 0, 1, 1, 1], lambda step, text: "unknown")
    assert found == [] and tried
    found, _ = asked([0, 0, 1, 1, 1], lambda step, text: "yes" if " if " in text else "error")
    assert found and all(" if " in each.text for each in found)

"""Reasons: each code has a sentence, and is documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.summary import Unexplored
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from soid.oracle.reason import ReasonCode, VerdictReason
from soid.solver.protocol import Reason, Unknown
from tests.unit.oracle.worlds import DARK, OnCue, ask, paths

JSON = (Path(__file__).parents[3] / "docs" / "json.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", ReasonCode)
def test_each_code_has_a_sentence_and_is_documented(code: ReasonCode) -> None:
    assert str(VerdictReason(code, ("this", "that")))
    assert f"`{code.value}`" in JSON.partition("### reason_code")[2].partition("###")[0]


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("did move == STAY", ReasonCode.DID),
        ("did move == GO", ReasonCode.DID_NOT),
        ("would move == GO if x <= 1", ReasonCode.ALWAYS),
        ("would move == GO if x == 3", ReasonCode.UNEXPLORED),
        ("might move == TURN if x <= 1", ReasonCode.NEVER),
        ("would move == GO if x == 1 and x == 2", ReasonCode.CONFLICT),
        ("would move == GO if x is anything", ReasonCode.DECIDES_OTHERWISE),
        ("would move == GO", ReasonCode.NOTHING_SUPPOSED),
    ],
)
def test_an_answer_has_the_code_of_its_reason(question: str, code: ReasonCode) -> None:
    answer = ask(question, paths(DARK))
    assert (answer.why.code, answer.document.reason_code) == (code, code), answer.reason


@pytest.mark.parametrize("late", [True, False])
def test_an_unknown_says_whether_more_time_may_settle_it(late: bool) -> None:
    """`out_of_time` comes from the cause itself, not from its words: a file may be called time.c."""
    answer = ask("would move == GO if x == 3", paths(Unexplored("time.c is not supported", out_of_time=late)))
    assert (answer.verdict, answer.why.out_of_time) == (Verdict.UNKNOWN, late)
    reason = Reason.TIME if late else Reason.SOLVER
    never = OnCue(0, lambda _: Unknown(reason, "the time of day"), onwards=True)
    answer = ask("would move == GO if x == 3", solver=never, settings=Settings(seconds=5))
    assert (answer.why.code, answer.why.out_of_time) == (ReasonCode.FAMILY_OPEN, late)

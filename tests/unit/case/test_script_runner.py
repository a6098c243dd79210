"""Running a script with a fake oracle: which questions are asked, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import pytest

from soid.case.script_runner import (
    AnsweredQuestion,
    AnswerOrigin,
    Caused,
    Ending,
    Event,
    KnownAnswer,
    KnownStudy,
    ScriptOutcome,
    judge,
    run,
)
from soid.oracle.answer import Verdict
from soid.query.language.script.plan import PlannedMoment, PutStudy
from tests.unit.query.crossing import planned

YES, NO, VACUOUS, UNKNOWN, ERROR = Verdict

SIGNAL = "world.agents[1].signal"


@dataclass
class Told:
    """Answers as it was told to, by question, or by question and step; yes to what it was not told about."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    record: dict[str, Verdict] = field(default_factory=dict)
    asked: list[tuple[str, int | None]] = field(default_factory=list)

    def recorded(self, question: str, moment: PlannedMoment, /) -> KnownAnswer | None:
        return KnownAnswer(self.record[question], "as before", 7) if question in self.record else None

    def ask(self, question: str, moment: PlannedMoment, /) -> KnownAnswer:
        self.asked.append((question, moment.step))
        verdict = self.verdicts.get(f"{question} @{moment.step}", self.verdicts.get(question, YES))
        return KnownAnswer(verdict, "because it was told so", len(self.asked))

    def study(self, put: PutStudy, moment: PlannedMoment, explained: KnownAnswer | None, /) -> KnownStudy:
        self.asked.append((put.text, moment.step))
        return KnownStudy(put.text)


def ran(script: str, stand: Told) -> tuple[list[Event], ScriptOutcome]:
    *events, last = run(planned(script), stand)
    assert isinstance(last, ScriptOutcome)
    assert not any(isinstance(event, ScriptOutcome) for event in events)
    return events, last


def concluded(script: str, **verdicts: Verdict) -> str | None:
    """The conclusion, where there is one; keys are behaviors asked about with `did`."""
    stand = Told({f"did {what}": verdict for what, verdict in verdicts.items()})
    _, outcome = ran(script, stand)
    return outcome.text if outcome.ending is Ending.CONCLUDED else None


ALL = """\
when did move:
    conclude "yes"
otherwise:
    conclude "no"
when unknown:
    conclude "unknown"
when vacuous:
    conclude "vacuous"
when error:
    conclude "error"
"""


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_has_a_block_of_its_own(verdict: Verdict) -> None:
    assert concluded(ALL, move=verdict) == verdict.value


@pytest.mark.parametrize("verdict", [VACUOUS, UNKNOWN, ERROR])
@pytest.mark.parametrize("handled", [VACUOUS, UNKNOWN, ERROR])
def test_what_is_neither_yes_nor_no_ends_the_script_unless_it_is_handled(verdict: Verdict, handled: Verdict) -> None:
    script = 'when did move:\n  conclude "a"\notherwise:\n  conclude "b"\n'
    script += f'when {handled.value}:\n  did waited > 1\nconclude "c"'
    stand = Told({"did move": verdict})
    events, outcome = ran(script, stand)
    if verdict is handled:
        assert (outcome.ending, outcome.text) == (Ending.CONCLUDED, "c")
        assert [question for question, _ in stand.asked] == ["did move", "did waited > 1"]
    else:
        assert (outcome.ending, outcome.verdict) == (Ending.STOPPED, verdict)
        assert (
            outcome.text
            == f'“Did it decide for "move"?” at the case\'s own moment: {verdict.value}, because it was told so'
        )
        assert outcome.span is not None and outcome.span.start == 0
        assert len(events) == 1


@pytest.mark.parametrize(
    ("verdict", "expected"), [(YES, "in it"), (NO, "after it"), (VACUOUS, None), (UNKNOWN, None), (ERROR, None)]
)
def test_a_when_without_otherwise_goes_on_after_a_no(verdict: Verdict, expected: str | None) -> None:
    assert concluded('when did move:\n  conclude "in it"\nconclude "after it"', move=verdict) == expected


@pytest.mark.parametrize("verdict", Verdict)
def test_a_question_by_itself_is_asked_whatever_comes_of_it(verdict: Verdict) -> None:
    assert concluded('did move\nconclude "on"', move=verdict) == "on"


def test_blocks_in_blocks() -> None:
    script = """\
when did move:
    when did right_of_way():
        conclude "both"
    otherwise:
        when did waited > 1:
            conclude "first and third"
    conclude "first"
otherwise:
    when did right_of_way():
        conclude "second"
conclude "none"
"""
    ways = {
        (YES, YES, YES): "both",
        (YES, YES, NO): "both",
        (YES, NO, YES): "first and third",
        (YES, NO, NO): "first",
        (NO, YES, YES): "second",
        (NO, YES, NO): "second",
        (NO, NO, YES): "none",
        (NO, NO, NO): "none",
    }
    for verdicts, expected in ways.items():
        assert (
            concluded(script, **dict(zip(("move", "right_of_way()", "waited > 1"), verdicts, strict=True))) == expected
        )


def test_nothing_is_asked_after_a_conclusion() -> None:
    stand = Told()
    ran('did move\nconclude "done"\ndid waited > 1', stand)
    assert stand.asked == [("did move", None)]


@pytest.mark.parametrize(
    ("script", "says"), [("did move", "its end"), ('when did waited > 1:\n  conclude "a"', "`conclude`")]
)
def test_the_end_without_a_conclusion(script: str, says: str) -> None:
    _, outcome = ran(script, Told({"did waited > 1": NO}))
    assert outcome.ending is Ending.ENDED and says in outcome.text


# --- asked once -----------------------------------------------------------------------------------------------


def test_a_question_is_asked_once_a_moment() -> None:
    stand = Told()
    events, _ = ran(
        f"let s = {SIGNAL}\ndid move\ndid (move)\nat step 3\ndid move\nat step 4\ndid move\nat step 3\ndid move", stand
    )
    assert stand.asked == [("did move", None), ("did move", 3), ("did move", 4)]
    origins = [event.origin for event in events if isinstance(event, AnsweredQuestion)]
    assert origins == [
        AnswerOrigin.ASKED,
        AnswerOrigin.REPEATED,
        AnswerOrigin.ASKED,
        AnswerOrigin.ASKED,
        AnswerOrigin.REPEATED,
    ]


def test_the_same_moment_by_another_name_is_the_same() -> None:
    stand = Told()
    ran(
        'trace "a" as day at step 3\nkeyframe here = step 3\ndid move\nat here\ndid move\nat step 3 of day\ndid move',
        stand,
    )
    assert stand.asked == [("did move", 3)]


def test_what_is_written_differently_and_asks_the_same_is_asked_once() -> None:
    stand = Told()
    ran(
        "let other = world.agents[1]\nfamily f = other.x > 1\nwould move if f\nwould move if world.agents[1].x > 1",
        stand,
    )
    assert len(stand.asked) == 1


def test_what_the_record_has_is_not_asked() -> None:
    stand = Told(record={"did move": NO})
    events, outcome = ran('when did move:\n  conclude "a"\notherwise:\n  did waited > 1\n  did move', stand)
    assert [(event.origin, event.reply.number) for event in events if isinstance(event, AnsweredQuestion)] == [
        (AnswerOrigin.RECORDED, 7),
        (AnswerOrigin.ASKED, 1),
        (AnswerOrigin.REPEATED, 7),
    ]
    assert outcome.number == 7


# --- moments --------------------------------------------------------------------------------------------------


def test_a_moment_holds_to_the_end_of_its_block() -> None:
    stand = Told()
    ran(
        "at step 1\nwhen did move:\n  at step 2\n  did waited > 2\ndid waited > 1\n"
        "for each step in 3..4:\n  did waited > 3",
        stand,
    )
    assert stand.asked == [
        ("did move", 1),
        ("did waited > 2", 2),
        ("did waited > 1", 1),
        ("did waited > 3", 3),
        ("did waited > 3", 4),
    ]


def test_a_loop_ends_with_the_first_conclusion() -> None:
    stand = Told({"did move": NO, "did move @5": YES})
    _, outcome = ran('for each step in 3..9:\n  when did move:\n    conclude "found"\nconclude "not found"', stand)
    assert outcome.text == "found"
    assert [step for _, step in stand.asked] == [3, 4, 5]


def test_a_loop_over_cars() -> None:
    stand = Told({"did world.agents[1].x > 2": NO, "did world.agents[2].x > 2": UNKNOWN})
    _, outcome = ran("for each car in world.agents[0..2]:\n  when did car.x > 2:\n    did move", stand)
    assert [question for question, _ in stand.asked] == [
        "did world.agents[0].x > 2",
        "did move",
        "did world.agents[1].x > 2",
        "did world.agents[2].x > 2",
    ]
    assert (outcome.ending, outcome.verdict) == (Ending.STOPPED, UNKNOWN)


# --- causes ---------------------------------------------------------------------------------------------------

CAUSE = f"move because {SIGNAL} == RIGHT"
QUESTIONS = [
    f"did {SIGNAL} == RIGHT",
    "did move",
    f"would move if {SIGNAL} == RIGHT",
    f"would not move if {SIGNAL} != RIGHT",
]


def test_both_directions_of_a_cause_are_asked_whatever_the_first_answers_are() -> None:
    for verdicts in product(Verdict, repeat=2):
        stand = Told(dict(zip(QUESTIONS[:2], verdicts, strict=True)))
        events, _ = ran(CAUSE, stand)
        assert [question for question, _ in stand.asked] == QUESTIONS
        assert isinstance(events[-1], Caused)


def test_a_cause_is_true_only_if_all_of_it_is() -> None:
    """Against what it means, for all answers: the fact, and two families that do not have the fact in them."""
    for held, happened, whenever, otherwise in product(Verdict, repeat=4):
        verdict, reason = judge(held, happened, whenever, otherwise)
        said = (held, happened, whenever, otherwise)
        if verdict is YES:
            assert held is happened is otherwise is YES and whenever in (YES, VACUOUS)
        elif NO in said:
            assert verdict is NO
        else:
            assert verdict in said and verdict not in (YES, NO)
            assert verdict.value in reason
        assert (verdict is NO) == (NO in said)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((YES, YES, VACUOUS, YES), "cause"),
        ((YES, YES, YES, NO), "not"),
        ((YES, YES, UNKNOWN, YES), "unclear"),
        ((YES, YES, YES, VACUOUS), None),
    ],
)
def test_a_cause_decides(answers: tuple[Verdict, ...], expected: str | None) -> None:
    script = f'when {CAUSE}:\n  conclude "cause"\notherwise:\n  conclude "not"\nwhen unknown:\n  conclude "unclear"'
    _, outcome = ran(script, Told(dict(zip(QUESTIONS, answers, strict=True))))
    assert (outcome.text if outcome.ending is Ending.CONCLUDED else None) == expected
    if expected is None:
        assert outcome.verdict is VACUOUS and "because signal of agent 1 was RIGHT?”" in outcome.text


# --- verdicts of several questions ------------------------------------------------------------------------------

TWO = """\
let q = did move
let r = did waited == 1
when {}:
    conclude "first"
otherwise{}:
    conclude "second"
"""

Q, R = "did move", "did waited == 1"


def weighed(formula: str, q: Verdict, r: Verdict, then: str = "") -> str | None:
    _, outcome = ran(TWO.format(formula, then), Told({Q: q, R: r}))
    assert (outcome.ending is Ending.STOPPED) == (outcome.text not in ("first", "second"))
    return outcome.text if outcome.ending is Ending.CONCLUDED else None


@pytest.mark.parametrize(("q", "r"), [*product((YES, NO), repeat=2)])
def test_definite_verdicts_are_combined_as_in_logic(q: Verdict, r: Verdict) -> None:
    p, s = q is YES, r is YES
    for formula, holds in (
        ("q is yes and r is yes", p and s),
        ("q is yes or 2 is yes", p or s),
        ("not (q is no or r is no)", p and s),
        ("1 is not yes and r is no", not p and not s),
        ("q is unknown or r is error", False),
    ):
        assert weighed(formula, q, r) == ("first" if holds else "second"), formula


@pytest.mark.parametrize("neither", [VACUOUS, UNKNOWN, ERROR])
def test_a_verdict_that_is_neither_passes_for_no_yes_and_no_no(neither: Verdict) -> None:
    for formula in ("q is yes", "q is no", "not q is yes", "q is yes or q is no", "q is yes and r is yes"):
        assert weighed(formula, neither, YES) is None, formula
    assert weighed("q is yes or r is yes", neither, YES) == "first", "the other one settles it"
    assert weighed("q is yes and r is no", neither, YES) == "second"
    said = neither.value
    assert weighed(f"q is {said}", neither, YES) == "first"
    assert weighed("q is yes", neither, YES, f" when q is {said}") == "second", "a verdict that is named is handled"
    assert weighed("q is yes", neither, YES, f" when r is {said}") is None, "not for another question"
    assert weighed(f"q is yes or (q is {said} and r is no)", neither, YES) == "second"


def test_kleene_agrees_with_every_way_of_settling_an_open_verdict() -> None:
    """Where an open verdict does not stop the script, a yes and a no in its place both lead to the same end."""
    formulas = ("q is yes and r is no", "q is yes or r is no", "not (q is no and (r is yes or q is yes))", "q is no")
    for formula, other, swapped in product(formulas, (YES, NO), (False, True)):
        pairs = [(other, each) if swapped else (each, other) for each in (UNKNOWN, YES, NO)]
        found, on_yes, on_no = (weighed(formula, *pair) for pair in pairs)
        assert found is None or found == on_yes == on_no, (formula, pairs)


def test_why_a_formula_is_open_is_told() -> None:
    _, outcome = ran(TWO.format("q is yes and r is no", ""), Told({Q: UNKNOWN, R: NO}))
    assert outcome.text == "`q is yes and r is no` is open: q is unknown, because it was told so"
    assert (outcome.ending, outcome.verdict) == (Ending.STOPPED, UNKNOWN)


BRANCH = """\
when did move:
    let inner = did waited == 1
when {}:
    conclude "first"
otherwise:
    conclude "second"
"""


@pytest.mark.parametrize(
    ("formula", "move", "expected"),
    [
        ("inner is yes", YES, "first"),
        ("inner is yes", NO, None),
        ("inner is unknown", NO, None),
        ("not inner is no", NO, None),
        ("1 is yes and inner is yes", NO, "second"),
        ("1 is no or 2 is yes", NO, "first"),
    ],
)
def test_a_question_that_was_not_asked_has_no_verdict(formula: str, move: Verdict, expected: str | None) -> None:
    _, outcome = ran(BRANCH.format(formula), Told({Q: move}))
    if expected is not None:
        assert outcome.text == expected
    else:
        assert "inner was not asked" in outcome.text
        assert (outcome.ending, outcome.verdict) == (Ending.STOPPED, None)


def test_a_loop_has_the_verdicts_of_this_time_around() -> None:
    script = """\
        for each step in 1..3:
            when did move:
                let inner = did waited == 1
            when 1 is no or inner is no:
                did waited == 2
            otherwise:
                did waited == 3
    """
    script = "\n".join(line[8:] for line in script.splitlines())
    stand = Told({"did move @2": NO})
    ran(script, stand)
    assert stand.asked == [(Q, 1), (R, 1), ("did waited == 3", 1), (Q, 2), ("did waited == 2", 2), (Q, 3), (R, 3),
                           ("did waited == 3", 3)]  # fmt: skip
    _, outcome = ran(script.replace("1 is no or inner is no", "inner is no"), Told({"did move @2": NO}))
    assert "inner was not asked" in outcome.text, "what was found at step 1 is not taken for step 2"


def test_a_cause_has_a_verdict_too() -> None:
    script = f'let why = move because {SIGNAL} == RIGHT\nwhen why is no and 1 is no:\n    conclude "it is not"\n'
    assert concluded(script, move=NO) == "it is not"

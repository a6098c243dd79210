"""The plan of a script: names expanded, causes turned into questions, loops unrolled, moments resolved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from soid.errors import QueryError
from soid.query.language.query_parser import parse
from soid.query.language.script import resolver
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.plan import (
    Decide,
    Each,
    End,
    Go,
    InTurn,
    PlannedMoment,
    PlannedQuestion,
    PutCause,
    Steps,
    Weigh,
)
from soid.query.query import Query
from soid.scenario.expression import Name, Not
from tests.unit.query.crossing import CROSSING, planned
from tests.unit.query.queries import INTERFACE, queries


def texts(steps: Steps) -> Iterator[str]:
    """All questions of the plan, in order, for all answers."""
    for step in steps:
        match step:
            case PlannedQuestion(_, text):
                yield text
            case PutCause():
                yield from (put.text for put in (step.held, step.happened, step.whenever, step.otherwise))
            case Decide(condition, branches):
                yield from texts((condition,))
                for branch in branches.values():
                    yield from texts(branch)
            case Weigh(arms):
                for arm in arms:
                    yield from texts(arm.steps)
            case Each(_, inner):
                yield from texts(inner)
            case InTurn(blocks):
                for block in blocks:
                    yield from texts(block)
            case Go() | End():
                pass


def asked(text: str, **more: int) -> list[str]:
    return list(texts(planned(text, **more).steps))


# --- names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "question"),
    [
        ("let other = world.agents[1]\ndid other.x > 1", "did world.agents[1].x > 1"),
        ("let all = world\nlet other = all.agents[1]\ndid other.x > 1", "did world.agents[1].x > 1"),
        ("let go = move\ndid go", "did move"),
        ("let w = waited\ndid w' > fact(w) + w", "did waited' > fact(waited) + waited"),
        ("let w = waited'\ndid w > fact(w)", "did waited' > fact(waited')"),
        ("let side = LEFT\ndid world.agents[1].signal is side", "did world.agents[1].signal is LEFT"),
        ('let side = "LEFT"\ndid world.agents[1].signal in {side}', 'did world.agents[1].signal in {"LEFT"}'),
        ("let s = speed\ndid *speed > 1", None),
        ("let low = 1.0\nlet high = 2.5\ndid *speed in {low..high}", "did *speed in {1.0..2.5}"),
        ("let a = 1.5\ndid *speed > -a", "did *speed > -1.5"),
        (
            "let gap = world.agents[1].x - world.agents[0].x\ndid 2 * gap < 1",
            "did 2 * (world.agents[1].x - world.agents[0].x) < 1",
        ),
        ("let stays = not move\ndid not stays", "did not not move"),
        ("let here = world.agents[1].x\nwould move if here is anything", "would move if world.agents[1].x is anything"),
        (
            "let here = world.agents[1].x\nwould move if here within 0.5 of fact and waited > 1 and keep waited",
            "would move if world.agents[1].x within 0.5 of fact and waited > 1 and keep waited",
        ),
        (
            "let other = world.agents[1]\nfamily far = other.x > 3 and keep waited\n"
            "family any = far and other.signal is anything".replace("any =", "all =")
            + "\nmight move if all and waited > 1",
            "might move if world.agents[1].x > 3 and keep waited and world.agents[1].signal is anything and waited > 1",
        ),
        ("family either = waited > 1 or waited < 1\nmight move if either", "might move if waited > 1 or waited < 1"),
        (
            "family either = waited > 1 or waited < 1\nmight move if either and waited != 3",
            "might move if (waited > 1 or waited < 1) and waited != 3",
        ),
        ("let a = waited\nwhen did a > 1:\n  let b = a\n  did b > 2", ["did waited > 1", "did waited > 2"]),
        (
            "when did move:\n  let b = waited\n  did b > 2\notherwise:\n  let b = move\n  did b",
            ["did move", "did waited > 2", "did move"],
        ),
    ],
)
def test_names_are_put_in(script: str, question: str | list[str] | None) -> None:
    if question is None:
        with pytest.raises(QueryError):
            planned(script)
        return
    expected = [question] if isinstance(question, str) else question
    assert asked(script) == expected
    for text in expected:  # the expansion is a valid question
        parse(text, CROSSING)


def test_what_is_put_in_for_one_name_is_not_looked_at_again() -> None:
    names = Definitions(CROSSING).let("a", Name("waited")).let("b", Not(Name("a")))
    assert names.expression(Name("b")) == Not(Name("waited"))


@settings(max_examples=50)
@given(queries)
def test_without_names_a_question_is_what_it_was(query: Query) -> None:
    names = Definitions(INTERFACE)
    assert names.behavior(query.behavior) == query.behavior
    assert names.suppositions(query.suppositions) == query.suppositions


# --- causes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "questions"),
    [
        (
            "move because world.agents[1].signal == RIGHT",
            [
                "did world.agents[1].signal == RIGHT",
                "did move",
                "would move if world.agents[1].signal == RIGHT",
                "would not move if world.agents[1].signal != RIGHT",
            ],
        ),
        (
            "not move because waited > 3 and world.agents[1].x < 1 and keep waited and keep world.agents[1].x",
            [
                "did waited > 3 and world.agents[1].x < 1",
                "did not move",
                "would not move if waited > 3 and world.agents[1].x < 1 and keep waited and keep world.agents[1].x",
                "would move if keep waited and keep world.agents[1].x and not (waited > 3 and world.agents[1].x < 1)",
            ],
        ),
        (
            "move and *speed > 1 within 5 steps because waited in {1..3}",
            [
                "did waited in {1..3}",
                "did move and *speed > 1 within 5 steps",
                "would move and *speed > 1 within 5 steps if waited in {1..3}",
                "would not (move and *speed > 1) throughout 5 steps if waited not in {1..3}",
            ],
        ),
        (
            "move throughout 2 steps because not waited == 1",
            [
                "did not waited == 1",
                "did move throughout 2 steps",
                "would move throughout 2 steps if not waited == 1",
                "would not move within 2 steps if waited == 1",
            ],
        ),
        (
            "waited' > 2 after 3 steps because waited > 1 or waited < 1",
            [
                "did waited > 1 or waited < 1",
                "did waited' > 2 after 3 steps",
                "would waited' > 2 after 3 steps if waited > 1 or waited < 1",
                "would not waited' > 2 after 3 steps if not (waited > 1 or waited < 1)",
            ],
        ),
    ],
)
def test_a_cause_is_asked_about_in_both_directions(cause: str, questions: list[str]) -> None:
    assert asked(cause) == questions
    assert asked(
        f"family because_of = {cause.split('because')[1]}\n{cause.split('because')[0]} because because_of"
    ) == (questions)
    (put,) = planned(cause).steps
    assert isinstance(put, PutCause) and put.text == cause


def test_whether_the_cause_held_is_asked_of_the_moment_alone() -> None:
    """If a question has several steps, the cause is about the inputs of the first."""
    held, happened, *_ = asked("move because waited > 1", steps=4)
    assert (held, happened) == ("did waited > 1 after 1 step", "did move")


# --- loops and moments ----------------------------------------------------------------------------------------


def test_a_loop_over_places_asks_of_each() -> None:
    script = "for each car in {world.agents[1..2], world.agents[0]}:\n  did car.x > 1\n  did move"
    assert asked(script) == [
        *("did world.agents[1].x > 1", "did move", "did world.agents[2].x > 1", "did move"),
        *("did world.agents[0].x > 1", "did move"),
    ]


def test_a_loop_over_whole_numbers_asks_of_each() -> None:
    expected = [f"did waited == {number}" for number in (0, 1, 2)]
    assert asked("for each n in 0..2:\n  did waited == n") == expected
    assert asked("for each n in {0..1, 2}:\n  did waited == n") == expected


def test_places_may_begin_with_a_name() -> None:
    assert asked("let w = world\nfor each car in w.agents[0..1]:\n  did car.x > 1") == [
        "did world.agents[0].x > 1",
        "did world.agents[1].x > 1",
    ]


def test_moments() -> None:
    plan = planned(
        """\
trace "a" as day at step 4
trace "b" as night
keyframe dusk = step 7 of night
keyframe noon = step 5 of day
at step 3
at noon
for each step in {1..3, 9} of night:
    did move
for each keyframe in {dusk, noon}:
    did move
"""
    )
    dusk, noon = PlannedMoment(7, "night", "dusk"), PlannedMoment(5, None, "noon")
    assert plan.start == PlannedMoment(4)
    assert plan.keyframes == {"dusk": dusk, "noon": noon}
    first, second, steps, keyframes = plan.steps
    assert (first, second) == (Go(PlannedMoment(3)), Go(noon))
    assert isinstance(steps, Each) and steps.moments == tuple(PlannedMoment(step, "night") for step in (1, 2, 3, 9))
    assert isinstance(keyframes, Each) and keyframes.moments == (dusk, noon)


def test_moments_by_the_clock_of_their_log() -> None:
    plan = planned(
        """\
trace "a" as day at 4s
keyframe dusk = 7s
at 3s of day
for each step in {1s..3, 9s, 2..3s}:
    did move
"""
    )
    assert plan.start == PlannedMoment(4) and plan.keyframes == {"dusk": PlannedMoment(7, None, "dusk")}
    first, steps = plan.steps
    assert first == Go(PlannedMoment(3))
    assert isinstance(steps, Each) and [each.step for each in steps.moments] == [1, 2, 3, 9, 2, 3]
    with pytest.raises(QueryError, match="these steps are none"):
        planned("for each step in 3s..2s:\n    did move\n")
    with pytest.raises(QueryError, match="step 99 is not in"):
        planned("at 99s\n")


def test_loops_in_loops_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolver, "MOST_LINES", 500)
    script = "".join(
        "  " * depth + f"for each {name} in {{world.agents[0], world.agents[1]}}:\n"
        for depth, name in enumerate("abcdefghijklmnopqrstuvw")
    )
    with pytest.raises(QueryError, match="more than 500 lines"):
        planned(script + "  " * 23 + "did move")


# --- verdicts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "line", "problem"),
    [
        ("when q is yes:\n    did move\nlet q = did move", 1, "the question q is asked below this line only"),
        ("when 1 is yes:\n    did move", 1, "the question 1 is asked below this line only"),
        ("did move\nwhen 2 is yes:\n    conclude 'a'", 2, "no question has the number 2"),
        ("did move\nwhen 0 is yes:\n    conclude 'a'", 2, "no question has the number 0"),
        ("did move\nwhen q is yes:\n    conclude 'a'", 2, "no question is called q"),
        ("let q = did move\nwhen q is maybe:\n    conclude 'a'", 2, "maybe is no verdict"),
        ("let q = did move\nwhen q:\n    conclude 'a'", 2, "neither a question nor the verdict of one"),
        ("let q = did move\nwhen q == 1:\n    conclude 'a'", 2, "neither a question nor the verdict of one"),
        ("let q = did move\nlet q = did move", 2, "a question is called q already"),
        ("let q = did move\nlet q = waited", 2, "the name q is given already"),
        ("let q = waited\nlet q = did move", 2, "the name q is given already"),
        ("let move = did move", 1, "move is a variable of the program"),
        ("let q = did move\nwould move if q", 2, "q is a question, not a value"),
        (
            "for each step in 1..2:\n    let q = did move\nwhen q is yes:\n    conclude 'a'",
            3,
            "the question q is asked in a loop",
        ),
        (
            "let q = did move\nwhen q is yes:\n    did move\nwhen unknown:\n    did move",
            4,
            "`when unknown:` belongs to a question",
        ),
        (
            "let q = did move\nwhen did move:\n    did move\notherwise when q is yes:\n    did move",
            4,
            "there is no `when` over verdicts above",
        ),
        (
            "did move\nwhen 1 is yes:\n    did move\notherwise:\n    did move\notherwise when 1 is no:\n    did move",
            6,
            "nothing can follow `otherwise:`",
        ),
        ("let q = did move\nwhen q is yes", 2, "the line ends too early: expected"),
    ],
)
def test_mistakes_about_verdicts_have_their_line(script: str, line: int, problem: str) -> None:
    with pytest.raises(QueryError) as refused:
        planned(script.replace("'", '"'))
    assert problem in str(refused.value)
    assert str(refused.value).startswith(f"crash.soid, line {line}, column ")


def test_an_inner_loop_may_use_the_verdict_of_the_outer_one() -> None:
    loop = "for each step in 1..2:\n    let q = did move\n    for each step in 3..4:\n"
    assert asked(f"{loop}        when q is yes:\n            did waited == 1\n") == ["did move", "did waited == 1"]

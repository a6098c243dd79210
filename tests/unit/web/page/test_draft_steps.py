"""The steps of a drafted question, its world, and suppositions of some steps: what is composed is what is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.case.project import Project
from soid.errors import KeyframeError, QueryError
from soid.examples import folder
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.query.language.query_parser import parse
from soid.query.query import QueryKind
from soid.query.steps import Over, Steps
from soid.scenario.expression import Comparison
from soid.scenario.future import Future
from soid.scenario.trace import Step, Trace
from soid.web.page.draft_steps import SpanKind, StepSpan, UntilDraft, unlogged
from soid.web.page.map_plan import plan
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How

SIGNAL, X, OTHER = "world.agents[1].signal", "world.agents[1].x", "world.agents[1].z"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.open(folder("crash") / "standard")


@pytest.fixture(scope="module")
def drone() -> Project:
    return Project.open(folder("drone"), step=230)


@pytest.fixture
def draft(project: Project) -> QuestionDraft:
    made = QuestionDraft(project.keyframe)
    made.kind, made.behavior = QueryKind.MIGHT, "not move"
    made.over, made.count = Over.WITHIN, "3"
    made.suppose(SIGNAL, How.ONE_OF, "LEFT")
    return made


@pytest.mark.parametrize("future", list(Future))
def test_the_world_is_written(draft: QuestionDraft, future: Future) -> None:
    draft.future = future
    read = draft.read()
    assert read.text == f"might not move within 3 steps {future.value} if {SIGNAL} in {{LEFT}}"
    assert read.query == parse(read.text, draft.interface)


def test_a_did_has_no_world_and_one_step_has_none(draft: QuestionDraft) -> None:
    draft.future, draft.kind = Future.HELD, QueryKind.DID
    assert draft.read().text == "did not move within 3 steps"
    draft.kind, draft.over = QueryKind.MIGHT, None
    assert draft.read().text == f"might not move if {SIGNAL} in {{LEFT}}"


def test_one_step_is_written_where_the_manifest_means_several(project: Project) -> None:
    draft = QuestionDraft(project.keyframe, steps=Steps(Over.AFTER, 3))
    draft.kind, draft.behavior, draft.over = QueryKind.DID, "move", None
    assert draft.read().text == "did move after 1 step"


def test_a_typed_world_counts(draft: QuestionDraft) -> None:
    draft.behavior = "not move after 2 steps anything"
    assert draft.has_typed_steps and draft.steps == Steps(Over.AFTER, 2, Future.ANYTHING)
    assert draft.read().text == f"might not move after 2 steps anything if {SIGNAL} in {{LEFT}}"
    draft.kind = QueryKind.DID
    assert "asks about what happened" in str(draft.read().behavior)


@pytest.mark.parametrize("count", ["", "x", "0", "-3", "1.5", "9" * 50])
def test_what_is_no_number_of_steps_is_told(draft: QuestionDraft, count: str) -> None:
    draft.count = count
    read = draft.read()
    assert read.query is None and "no number of steps" in str(read.problem)


# --- a log that ends too early -------------------------------------------------------------------------------------


def test_where_the_log_ends_too_early_the_other_worlds_can_be_asked(draft: QuestionDraft) -> None:
    draft.count = "17"
    read = draft.read()
    assert read.query is None and isinstance(read.problem, KeyframeError)
    assert "up to step 26 only, and 17 steps go to step 27" in read.problem.cause
    for future in (Future.HELD, Future.ANYTHING):
        draft.future = future
        assert draft.read().query is not None
    draft.future, draft.count = Future.AS_LOGGED, "16"
    assert draft.read().query is not None
    draft.kind, draft.count = QueryKind.DID, "17"
    assert "held" not in getattr(draft.read().problem, "remedy", "held")


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(1, 20), st.data())
def test_steps_in_a_row_are_counted_as_the_log_has_them(numbers: set[int], count: int, data: st.DataObject) -> None:
    interface = Interface((Variable("x", Role.ENVIRONMENT, BoolType()),))
    trace = Trace(interface, tuple(Step(at, {"x": 0}, {}) for at in sorted(numbers)))
    keyframe = trace.keyframe(data.draw(st.sampled_from(sorted(numbers))))
    try:
        keyframe.following(count - 1)
    except KeyframeError:
        last = keyframe.step
        while last + 1 in numbers:
            last += 1
        assert f"up to step {last} only" in unlogged(keyframe, count)
    else:
        assert unlogged(keyframe, count) == ""


def test_a_step_may_be_typed_as_a_time(drone: Project) -> None:
    draft = QuestionDraft(drone.keyframe)
    draft.kind, draft.behavior = QueryKind.WOULD, "return.mode == MODE_LAND"
    draft.over, draft.count = Over.WITHIN, "9"
    pilot = draft.suppose("s.pilot", How.ONE_OF, "PILOT_RTH")
    draft.time(pilot.id, StepSpan(SpanKind.FROM_TO, "46.4s", "0:47"))
    read = draft.read()
    assert read.text.endswith("as logged if s.pilot in {PILOT_RTH} from step 232 to step 235")
    assert "from step 232 (46.4 s) to step 235 (47 s)" in read.sentence
    assert read.chips[0].words == "is PILOT_RTH from 46.4s to 0:47" and read.chips[0].was == "PILOT_HOLD at step 232"
    draft.time(pilot.id, StepSpan(SpanKind.AT, "46s"))  # the moment itself
    assert draft.point["s.pilot"] != draft.fact["s.pilot"]
    draft.time(pilot.id, StepSpan(SpanKind.AT, "99s"))
    read = draft.read()
    assert read.problem is not None and "has no step at 99s" in str(read.problem)


# --- suppositions of some steps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (StepSpan(SpanKind.AT, "12"), "at step 12"),
        (StepSpan(SpanKind.FROM, " 12 "), "from step 12"),
        (StepSpan(SpanKind.FROM_TO, "11", "12"), "from step 11 to step 12"),
    ],
)
def test_a_supposition_has_steps(draft: QuestionDraft, span: StepSpan, text: str) -> None:
    draft.time(draft.supposed[0].id, span)
    read = draft.read()
    assert read.text == f"might not move within 3 steps as logged if {SIGNAL} in {{LEFT}} {text}"
    assert read.chips[0].words == f"is LEFT {text}"
    assert read.query == parse(read.text, draft.interface)
    begins_now = span.first == "11"
    assert (draft.point[SIGNAL] != draft.fact[SIGNAL]) is begins_now  # the picture is of this moment
    assert read.chips[0].was == ("RIGHT" if begins_now else "RIGHT at step 12")


def test_several_suppositions_have_steps_of_their_own(draft: QuestionDraft) -> None:
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.AT, "11"))
    more = draft.suppose(SIGNAL, How.ONE_OF, "STRAIGHT")
    draft.time(more.id, StepSpan(SpanKind.FROM, "12"))
    read = draft.read()
    assert read.text.endswith(f"{SIGNAL} in {{LEFT}} at step 11 and {SIGNAL} in {{STRAIGHT}} from step 12")
    assert not any(chip.together for chip in read.chips)
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.AT, "12"))
    assert "two things are supposed" in str(draft.read().problem)


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (StepSpan(SpanKind.AT, ""), "nothing is no step"),
        (StepSpan(SpanKind.AT, "x"), "x is no step"),
        (StepSpan(SpanKind.FROM_TO, "12", ""), "nothing is no step"),
        (StepSpan(SpanKind.FROM_TO, "13", "12"), "step 12 is before step 13"),
    ],
)
def test_steps_that_are_none_stand_at_their_supposition(draft: QuestionDraft, span: StepSpan, said: str) -> None:
    draft.time(draft.supposed[0].id, span)
    read = draft.read()
    assert read.query is None and said in str(read.chips[0].problem)


@pytest.mark.parametrize(
    ("span", "text", "said"),
    [
        (
            StepSpan(SpanKind.UNTIL, until=UntilDraft("move", value="true")),
            "until move",
            "until it decides to drive on",
        ),
        (
            StepSpan(SpanKind.FROM_UNTIL, "12", until=UntilDraft("move", value="false")),
            "from step 12 until not move",
            "from step 12 until it decides to stay",
        ),
        (
            StepSpan(SpanKind.FROM_UNTIL, "12", until=UntilDraft("move", Comparison.NE, "true")),
            "from step 12 until not move",
            "from step 12 until it decides to stay",
        ),
    ],
)
def test_a_supposition_lasts_until_a_decision(draft: QuestionDraft, span: StepSpan, text: str, said: str) -> None:
    draft.time(draft.supposed[0].id, span)
    read = draft.read()
    assert read.text == f"might not move within 3 steps as logged if {SIGNAL} in {{LEFT}} {text}"
    assert read.chips[0].words == f"is LEFT {text}"
    assert said in read.sentence
    assert read.query == parse(read.text, draft.interface)
    assert (draft.point[SIGNAL] != draft.fact[SIGNAL]) is (span.kind is SpanKind.UNTIL)  # the picture is of this moment


@pytest.mark.parametrize(
    ("until", "text"),
    [
        (UntilDraft("return.mode", value="MODE_LAND"), "until return.mode == MODE_LAND"),
        (UntilDraft("return.mode", Comparison.NE, "MODE_LAND"), "until return.mode != MODE_LAND"),
        (UntilDraft("return.climb", Comparison.LT, " -0.5 "), "until return.climb < -0.5"),
        (UntilDraft("bad_gps_ticks'", Comparison.GE, "7"), "until bad_gps_ticks' >= 7"),
    ],
)
def test_an_end_is_a_label_a_number_or_state(drone: Project, until: UntilDraft, text: str) -> None:
    draft = QuestionDraft(drone.keyframe)
    draft.kind, draft.behavior, draft.over, draft.count = QueryKind.MIGHT, "decides", Over.WITHIN, "3"
    draft.time(draft.suppose("s.pilot", How.ONE_OF, "PILOT_RTH").id, StepSpan(SpanKind.UNTIL, until=until))
    read = draft.read()
    assert read.text == f"might decides within 3 steps as logged if s.pilot in {{PILOT_RTH}} {text}"
    assert read.query == parse(read.text, draft.interface)


@pytest.mark.parametrize(
    ("until", "said"),
    [
        (UntilDraft(), "nothing is chosen that would end it"),
        (UntilDraft("move"), "there is no value"),
        (UntilDraft("move", value="7"), "7"),
    ],
)
def test_an_end_that_is_none_stands_at_its_supposition(draft: QuestionDraft, until: UntilDraft, said: str) -> None:
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.UNTIL, until=until))
    read = draft.read()
    assert read.query is None and said in str(read.chips[0].problem)


def test_a_step_that_the_question_is_not_about_is_told(draft: QuestionDraft) -> None:
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.AT, "14"))
    assert "step 14 is not one that the question is about: steps 11 to 13" in str(draft.read().problem)
    assert plan(draft).over == "" and "one step" in plan(draft).words


def test_what_is_dragged_is_supposed_of_this_moment_and_not_of_other_steps(draft: QuestionDraft) -> None:
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.AT, "12"))
    draft.put(SIGNAL, How.ONE_OF, "STRAIGHT")
    draft.put(SIGNAL, How.ONE_OF, "RIGHT", "STRAIGHT")
    timed, now = draft.supposed
    assert (timed.values, timed.span.first) == (("LEFT",), "12")
    assert (now.values, now.span.kind) == (("RIGHT", "STRAIGHT"), SpanKind.ALL)
    assert "two things are supposed" in str(draft.read().problem)  # one of them lasts


def test_what_is_compared_with_another_variable_has_no_steps(draft: QuestionDraft) -> None:
    below = draft.suppose(X, How.BELOW, OTHER)
    draft.time(below.id, StepSpan(SpanKind.AT, "12"))
    assert isinstance(draft.read().chips[1].problem, QueryError) and not draft.may_have_steps(below)


def test_asking_again_takes_what_differs_in_later_steps(project: Project, draft: QuestionDraft) -> None:
    draft.behavior, draft.kind = "move", QueryKind.WOULD
    draft.time(draft.supposed[0].id, StepSpan(SpanKind.FROM_TO, "12", "13"))
    draft.edit(draft.supposed[0].id, How.ANYTHING)
    answer = project.ask(draft.read().text.replace("would move", "might not move"))
    assert answer.witness is not None and f"{SIGNAL}@12..13" in answer.witness.inputs
    draft.take(answer.witness.inputs, [change.variable.path for change in answer.witness.changed])
    (taken,) = draft.supposed
    assert (taken.path, taken.span) == (SIGNAL, StepSpan(SpanKind.FROM_TO, "12", "13"))
    again = project.ask(draft.read().text.replace("would move", "might not move"))
    assert again.witness is not None and again.witness.inputs == answer.witness.inputs


@pytest.mark.parametrize("begins", ["", "from step 12 "])
def test_asking_again_takes_what_is_supposed_until_something(
    project: Project, draft: QuestionDraft, begins: str
) -> None:
    asked = f"might not move within 3 steps held if {SIGNAL} is anything {begins}until not move"
    answer = project.ask(asked)
    assert answer.witness is not None
    untils = {each.path: each.supposed for each in answer.course(project.keyframe).untils}
    draft.take(answer.witness.inputs, [change.variable.path for change in answer.witness.changed], untils)
    (taken,) = draft.supposed
    assert taken.how is How.FORMULA and taken.values[0].endswith(f" {begins}until not move")
    assert draft.read().problem is None
    again = project.ask(f"might not move within 3 steps held if {taken.values[0]}")
    assert again.witness is not None and again.witness.inputs == answer.witness.inputs

"""A query as a draft: what was composed comes back, and what anybody has written is asked as it was written."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from soid.case.project import Project
from soid.examples import folder
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, show
from soid.query.language.query_parser import parse_checked
from soid.query.query import Query, QueryKind
from soid.query.steps import Over
from soid.scenario.expression import Comparison
from soid.scenario.future import Future, usual_future
from soid.web.page.behavior_choices import behaviors
from soid.web.page.draft_state import DraftState
from soid.web.page.draft_steps import SpanKind, StepSpan, UntilDraft
from soid.web.page.query_draft import draft_of
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How, SuppositionDraft, choices

EXAMPLES = (
    "advisory",
    "crash/standard",
    "crash/together",
    "diabetes",
    "drone",
    "lending",
    "microwave",
    "overdraft",
    "pedestrian",
    "proper_response",
    "triage",
)
CRASH, OVEN = "crash/standard", "microwave"


@cache
def project(name: str) -> Project:
    example, _, part = name.partition("/")
    return Project.open(folder(example) / part)


def a_draft(name: str) -> QuestionDraft:
    return QuestionDraft(project(name).keyframe)


def asked(draft: QuestionDraft, text: str) -> Query:
    """What somebody has written, with its steps and its world."""
    return parse_checked(text, draft.interface, draft.keyframe.trace).query.going(usual_future(draft.interface))


def again(draft: QuestionDraft, text: str) -> QuestionDraft:
    """A draft of a question that somebody has written, at the same moment."""
    other = QuestionDraft(draft.keyframe)
    state = draft_of(asked(draft, text), other)
    assert state is not None
    other.become(state)
    return other


def composed(draft: QuestionDraft) -> DraftState:
    """Whatever the suppositions are numbered by."""
    return replace(draft.state, supposed=tuple(replace(each, id=0) for each in draft.supposed))


# --- any draft ------------------------------------------------------------------------------------------------


@st.composite
def values(draw: st.DrawFn, variable: Variable) -> str:
    """A value as it may be typed: of the type, wherever it lies."""
    kind = variable.type
    match kind:
        case EnumType(labels=labels):
            return draw(st.sampled_from([label for label, _ in labels]))
        case BoolType():
            return draw(st.sampled_from(["true", "false"]))
        case IntType():
            return str(draw(st.integers(kind.least, kind.greatest)))
        case FloatType(format):
            return show(kind, draw(st.integers(0, 2**format.width - 1)))


@st.composite
def spans(draw: st.DrawFn, draft: QuestionDraft) -> StepSpan:
    kind = draw(st.sampled_from(SpanKind))
    step = draft.keyframe.step
    output = draw(st.sampled_from(draft.interface.outputs))
    sign = draw(st.sampled_from([Comparison.EQ, Comparison.NE]))
    until = UntilDraft(output.name, sign, draw(values(output.variable))) if kind.has_until else UntilDraft()
    return StepSpan(kind, str(step) if kind.has_first else "", str(step + 2) if kind is SpanKind.FROM_TO else "", until)


@st.composite
def suppositions(draw: st.DrawFn, draft: QuestionDraft) -> SuppositionDraft:
    variable = draw(st.sampled_from(draft.interface.inputs))
    how = draw(st.sampled_from(choices(variable)))
    match how:
        case How.EXACTLY | How.WITHIN:
            typed: tuple[str, ...] = (draw(values(variable)),)
        case How.ONE_OF:
            typed = tuple(draw(st.lists(values(variable), min_size=1, max_size=3)))
        case How.BETWEEN:
            typed = draw(values(variable)), draw(values(variable))
        case How.BELOW | How.ABOVE:
            typed = (draw(st.sampled_from(draft.interface.inputs)).path,)
        case _:
            typed = ()
    made = SuppositionDraft(0, how, variable.path, typed)
    timed = variable.role is Role.ENVIRONMENT and how in (How.EXACTLY, How.ONE_OF, How.BETWEEN, How.ANYTHING)
    return replace(made, span=draw(spans(draft))) if timed and draw(st.booleans()) else made


@st.composite
def drafts(draw: st.DrawFn) -> QuestionDraft:
    draft = a_draft(draw(st.sampled_from(EXAMPLES)))
    for each in draw(st.lists(suppositions(draft), max_size=4)):
        draft.time(draft.suppose(each.path, each.how, *each.values).id, each.span)
    draft.kind = draw(st.sampled_from(QueryKind))
    draft.behavior = draw(st.sampled_from([*behaviors(draft.interface)]))
    draft.over = draw(st.sampled_from([None, *Over]))
    draft.count = str(draw(st.integers(1, 5)))
    draft.future = draw(st.sampled_from([each for each in Future if each is not Future.CLOSED_LOOP]))
    return draft


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(drafts())
def test_what_was_composed_comes_back(draft: QuestionDraft) -> None:
    read = draft.read()
    event(f"asked: {read.query is not None}")
    if read.query is None:  # it cannot be asked, so it has no text
        return
    other = again(draft, read.text)
    assert other.read().text == read.text
    assert composed(again(other, read.text)) == composed(other)


# --- what the page has fields for -----------------------------------------------------------------------------

X, Z, SIGNAL = "world.agents[1].x", "world.agents[1].z", "world.agents[1].signal"


@pytest.mark.parametrize(
    ("text", "how", "typed"),
    [
        (f"{SIGNAL} is anything", How.ANYTHING, ()),
        (f"{SIGNAL} is any bits", How.ANY_BITS, ()),
        (f"{SIGNAL} in {{LEFT, STRAIGHT}}", How.ONE_OF, ("LEFT", "STRAIGHT")),
        (f"{SIGNAL} == LEFT", How.EXACTLY, ("LEFT",)),
        (f"1 <= {X} <= 1.5", How.BETWEEN, ("1.0", "1.5")),
        (f"{X} == 1", How.EXACTLY, ("1.0",)),
        (f"{X} is 0.0", How.EXACTLY, ("0.0",)),
        (f"{X} within 0.25 of fact", How.WITHIN, ("0.25",)),
        (f"{X} within 10 % of fact", How.WITHIN, ("10 %",)),
        (f"{X} may only rise", How.RISING, ()),
        (f"{X} <= fact({X})", How.FALLING, ()),
        (f"{X} < {Z} and keep {Z}", How.BELOW, (Z,)),
    ],
)
def test_what_is_written_goes_into_the_fields(text: str, how: How, typed: tuple[str, ...]) -> None:
    found = again(a_draft(CRASH), f"might move if {text}")
    assert [(each.how, each.values) for each in found.supposed] == [(how, typed)]
    assert found.read().query is not None


@pytest.mark.parametrize(
    "text",
    [
        f"{X} < {Z}",
        f"{X} == 0",
        f"{X} < 1 or {Z} > 2",
        f"({X} > 1 and {Z} > 2)",
        f"not {SIGNAL} == LEFT",
        f"keep {X} and {X} < {Z}",
        f"1.0 <= {X} <= 2.0 and keep {X} and {Z} is anything",
        f"{SIGNAL} == LEFT to step 12 and {Z} is anything",
    ],
)
def test_what_has_no_fields_is_a_formula_word_by_word(text: str) -> None:
    question = f"might move within 3 steps if {text}"
    found = again(a_draft(CRASH), question)
    assert found.meant == asked(found, question)
    assert any(each.how is How.FORMULA for each in found.supposed)


def test_steps_and_their_world_go_into_their_fields() -> None:
    found = again(
        a_draft(OVEN), "might action == CANCEL within 3 steps held if heat == true from step 4 until action == OPEN"
    )
    assert (found.behavior, found.over, found.count, found.future) == (
        "action == CANCEL",
        Over.WITHIN,
        "3",
        Future.HELD,
    )
    (heat,) = found.supposed
    assert heat.span == StepSpan(SpanKind.FROM_UNTIL, "4", "", UntilDraft("action", Comparison.EQ, "OPEN"))


def test_a_world_that_goes_on_goes_into_its_field() -> None:
    found = again(a_draft(CRASH), "would move within 3 steps closed loop if world.agents[1].signal is anything")
    assert (found.over, found.future) == (Over.WITHIN, Future.CLOSED_LOOP)


def test_a_world_that_has_no_field_stays_behind_the_behavior() -> None:
    found = again(a_draft(OVEN), "might action == CANCEL after 1 step held if heat is anything")
    assert found.behavior == "action == CANCEL after 1 step held" and found.has_typed_steps


def test_did_has_no_suppositions() -> None:
    found = again(a_draft(OVEN), "did action == CLOSE")
    assert (found.kind, found.behavior, found.supposed) == (QueryKind.DID, "action == CLOSE", ())


def test_a_question_about_pairs_has_no_draft() -> None:
    draft = a_draft(OVEN)
    query = parse_checked("would action be the same if heat differs", draft.interface).query
    assert draft_of(query, draft) is None

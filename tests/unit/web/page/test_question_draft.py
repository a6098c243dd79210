"""The draft of a question: what is put together is what is asked, and what cannot be asked says why, where it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.case.project import Project
from soid.errors import QueryError
from soid.examples import folder
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import FloatType, parse, show
from soid.query.language.query_parser import parse as parse_query
from soid.query.query import QueryKind
from soid.query.steps import Over, Steps
from soid.query.words.amount_words import from_degrees, shown, to_degrees
from soid.scenario.supposition import supposition_text
from soid.web.page.amounts import typed
from soid.web.page.behavior_choices import behaviors
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How, SuppositionDraft, choices, made

X, SIGNAL, ANGLE = "world.agents[1].x", "world.agents[1].signal", "world.agents[1].angle"


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.open(folder("crash") / "standard")


@pytest.fixture
def draft(project: Project) -> QuestionDraft:
    made = QuestionDraft(project.keyframe)
    made.kind, made.behavior = QueryKind.MIGHT, "not move"
    return made


def test_a_question_is_composed_as_the_language_prints_it(draft: QuestionDraft) -> None:
    draft.suppose(SIGNAL, How.ONE_OF, "STRAIGHT", "LEFT")
    draft.suppose(X, How.BETWEEN, "1", "1.5")
    read = draft.read()
    wanted = f"might not move if {SIGNAL} in {{STRAIGHT, LEFT}} and 1.0 <= {X} <= 1.5"
    assert read.text == wanted
    assert read.query == parse_query(wanted, draft.interface)
    assert "the other car's x" in read.sentence and "STRAIGHT or LEFT" in read.sentence
    assert [(chip.subject, chip.words, chip.was) for chip in read.chips] == [
        ("the other car's signal", "is STRAIGHT or LEFT", "RIGHT"),
        ("the other car's x", "is between 1.0 m and 1.5 m", "1.376 m"),
    ]


@pytest.mark.parametrize(
    "formula",
    [
        f"min({X}, 2.5) * 2.34 < 3 implies {SIGNAL} == LEFT",
        f"uint32({SIGNAL}) & 3 == 1 iff int32({X}) // 2 % 3 == 1",
        f"{SIGNAL} | 4 xor ~1 << 2 >= 0 or {X} + int8({X}) / 3 > 0",
        f'smtlib("(fp.lt |{X}| |fact({X})|)")',
    ],
)
def test_whatever_a_formula_computes_is_asked_as_it_is_written(draft: QuestionDraft, formula: str) -> None:
    draft.suppose("", How.FORMULA, formula)
    draft.behavior = f"not move implies {formula}" if "implies" not in formula and "iff" not in formula else "not move"
    read = draft.read()
    assert read.text == f"might {draft.behavior} if {formula}"
    assert read.query == parse_query(read.text, draft.interface)
    assert read.chips[0].words == formula and read.chips[0].problem is None


def test_how_a_question_is_read_is_said_before_it_is_asked(draft: QuestionDraft) -> None:
    draft.kind, draft.behavior = QueryKind.DID, f"int32({X}) // 2 == 0"
    assert "// rounds down" in draft.read().caution


def test_zero_is_a_value(draft: QuestionDraft) -> None:
    draft.suppose(X, How.EXACTLY, "0.0")
    read = draft.read()
    assert read.query is not None and read.chips[0].problem is None
    assert read.text == f"might not move if {X} is 0.0"
    assert read.chips[0].words == "is 0.0 m"


@pytest.mark.parametrize(
    ("how", "values"),
    [
        (How.EXACTLY, ()),
        (How.EXACTLY, ("",)),
        (How.EXACTLY, ("  ",)),
        (How.ONE_OF, ()),
        (How.BETWEEN, ("1.0", "")),
        (How.BETWEEN, ("", "1.0")),
        (How.WITHIN, ("",)),
        (How.BELOW, ("",)),
    ],
)
def test_a_supposition_without_a_value_cannot_be_asked(draft: QuestionDraft, how: How, values: tuple[str, ...]) -> None:
    draft.suppose(SIGNAL, How.ANYTHING)
    empty = draft.suppose(X, how, *values)
    read = draft.read()
    assert read.query is None and read.text == ""
    by_id = {chip.id: chip for chip in read.chips}
    problem = by_id.pop(empty.id).problem
    assert problem is not None and problem.remedy
    assert all(chip.problem is None for chip in by_id.values())


def test_a_share_of_the_fact_can_be_typed(draft: QuestionDraft) -> None:
    draft.suppose(X, How.WITHIN, "10%")
    read = draft.read()
    assert read.query is not None and read.text.endswith(f"{X} within 10 % of fact")
    assert read.chips[0].words == "is at most 10 percent more or less than it was"


def test_two_suppositions_on_one_variable_both_hold_and_say_so(draft: QuestionDraft) -> None:
    draft.suppose(X, How.BETWEEN, "1", "1.5")
    draft.suppose(X, How.BETWEEN, "1.25", "2")
    read = draft.read()
    assert read.text == f"might not move if 1.0 <= {X} <= 1.5 and 1.25 <= {X} <= 2.0"
    assert all("holds as well" in chip.together for chip in read.chips)


def test_a_formula_over_the_same_variable_says_so_too(draft: QuestionDraft) -> None:
    draft.suppose(X, How.BETWEEN, "1", "1.5")
    draft.suppose("", How.FORMULA, f"{X} < world.agents[0].x")
    assert all(chip.together for chip in draft.read().chips)


def test_contradictory_suppositions_are_vacuous_not_no(project: Project, draft: QuestionDraft) -> None:
    draft.suppose(X, How.BETWEEN, "1", "1.25")
    draft.suppose(X, How.BETWEEN, "1.5", "2")
    assert project.ask(draft.read().text).verdict.value == "vacuous"


def test_errors_stand_at_the_supposition_that_they_belong_to(draft: QuestionDraft) -> None:
    good = draft.suppose(X, How.BETWEEN, "1", "1.5")
    backwards = draft.suppose(X, How.BETWEEN, "2", "1")
    unknown = draft.suppose("", How.FORMULA, "nobody > 1")
    wrong_label = draft.suppose(SIGNAL, How.ONE_OF, "UP")
    problems = {chip.id: chip.problem for chip in draft.read().chips}
    assert problems[good.id] is None
    assert (found := problems[backwards.id]) is not None and "nothing lies between 2.0 m" in found.cause
    assert (found := problems[unknown.id]) is not None and "nobody" in found.cause
    assert (found := problems[wrong_label.id]) is not None and "STRAIGHT" in found.cause


def test_did_leaves_out_what_is_supposed(draft: QuestionDraft) -> None:
    draft.suppose(X, How.EXACTLY, "")
    draft.kind = QueryKind.DID
    assert draft.read().text == "did not move"


def test_would_and_might_need_something_that_differs(draft: QuestionDraft) -> None:
    read = draft.read()
    assert read.query is None and read.problem is not None


def test_a_wrong_behavior_is_told_as_such(draft: QuestionDraft) -> None:
    draft.suppose(X, How.ANYTHING)
    draft.behavior = "mvoe"
    read = draft.read()
    assert read.query is None and read.behavior is not None and "mvoe" in read.behavior.cause


def test_a_behavior_may_be_over_several_steps(draft: QuestionDraft) -> None:
    draft.suppose(X, How.ANYTHING)
    draft.behavior = "not move within 5 steps"
    assert draft.read().text == f"might not move within 5 steps as logged if {X} is anything"


def test_what_is_shown_before_is_what_is_asked_where_the_manifest_says_how_many_steps(project: Project) -> None:
    draft = QuestionDraft(project.keyframe, steps=Steps(Over.AFTER, 3))
    draft.behavior = "move"
    assert draft.read().text == "did move after 3 steps"
    assert "in the last of 3 steps" in draft.read().sentence
    draft.behavior = "move within 2 steps"
    assert draft.read().text == "did move within 2 steps"


def test_a_value_of_an_enumeration_without_a_name_is_spoken_of_by_its_bits(draft: QuestionDraft) -> None:
    draft.take({**draft.fact, SIGNAL: 7})
    assert draft.read().text == f"might not move if {SIGNAL} is bits(0x7)"
    assert draft.point[SIGNAL] == 7


def test_who_came_first_keeps_the_other_one(draft: QuestionDraft) -> None:
    mine, theirs = "world.agents[0].arrived", "world.agents[1].arrived"
    draft.suppose(mine, How.BELOW, theirs)
    assert draft.read().text == f"might not move if {mine} < {theirs} and keep {theirs}"
    draft.suppose(theirs, How.ANYTHING)  # now something is said about it, so it is not kept
    assert draft.read().text == f"might not move if {mine} < {theirs} and {theirs} is anything"


def test_a_direction_is_asked_about_without_a_value(draft: QuestionDraft) -> None:
    draft.suppose(X, How.RISING)
    read = draft.read()
    assert read.text == f"might not move if {X} >= fact({X})"
    assert read.chips[0].words == "is what it was, or more"
    draft.edit(draft.supposed[0].id, How.FALLING)
    assert draft.read().text == f"might not move if {X} <= fact({X})"


def test_what_may_be_missing_can_be_supposed_to_be() -> None:
    def offered(kind: FloatType) -> tuple[How, ...]:
        return choices(Variable("x", Role.ENVIRONMENT, kind))

    assert How.MISSING not in offered(FloatType(FLOAT64))
    number = Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64, missing=True))
    assert How.MISSING in choices(number)
    supposed = SuppositionDraft(1, How.MISSING, "x")
    assert [supposition_text(each) for each in made(supposed, Interface((number,)))] == ["x is missing"]


def test_a_value_that_no_scenario_has_is_cautioned(draft: QuestionDraft) -> None:
    draft.suppose(X, How.EXACTLY, "5")
    chip = draft.read().chips[0]
    assert chip.problem is None and "0.0 to 4.095 m" in chip.caution


def test_asking_again_starts_from_the_counterfactual_bit_for_bit(project: Project, draft: QuestionDraft) -> None:
    draft.suppose(SIGNAL, How.ANYTHING)
    draft.suppose(X, How.BETWEEN, "1", "1.5")
    answer = project.ask(draft.read().text)
    assert answer.witness is not None
    draft.take(answer.witness.inputs)
    read = draft.read()
    assert {supposed.path for supposed in draft.supposed} == {change.variable.path for change in answer.changed}
    again = project.ask(read.text)
    assert again.verdict.value == "yes" and again.witness is not None
    assert again.witness.inputs == answer.witness.inputs


def test_negative_zero_and_nan_are_taken_as_they_are(draft: QuestionDraft) -> None:
    kind = draft.interface.variable(X).type
    draft.take({**draft.fact, X: parse(kind, "-0.0")})
    assert draft.read().text == f"might not move if {X} is -0.0"
    draft.take({**draft.fact, X: parse(kind, "nan(0x7fc00001)")})
    assert draft.read().text == f"might not move if {X} is nan(0x7fc00001)"


def test_the_last_thing_dragged_is_what_counts(draft: QuestionDraft) -> None:
    draft.put(X, How.EXACTLY, "1.0")
    draft.put(X, How.BETWEEN, "1.0", "2.0")
    assert [each.how for each in draft.on(X)] == [How.BETWEEN]


def test_what_is_drawn_is_what_all_suppositions_leave(draft: QuestionDraft) -> None:
    kind = draft.interface.variable(X).type

    def drawn() -> tuple[str, ...] | None:
        found = draft.extent(X)
        return tuple(show(kind, bits) for bits in found) if found is not None else None

    assert drawn() is None
    draft.suppose(X, How.ANYTHING)
    assert drawn() == ("0.0", "4.095")  # its domain
    draft.suppose(X, How.BETWEEN, "1", "9")
    assert drawn() == ("1.0", "4.095")
    draft.suppose(X, How.BETWEEN, "0.5", "1.25")
    assert drawn() == ("1.0", "1.25")
    more = draft.suppose("", How.FORMULA, f"{X} > world.agents[0].x")
    assert drawn() is None  # nobody has worked out what that leaves
    draft.remove(more.id)
    draft.suppose(X, How.BETWEEN, "2", "3")
    assert drawn() is None  # nothing is left


def test_a_point_is_drawn_only_where_one_value_is_all_that_is_said(draft: QuestionDraft) -> None:
    kind = draft.interface.variable(X).type
    draft.suppose(X, How.EXACTLY, "1.0")
    assert show(kind, draft.point[X]) == "1.0"
    draft.suppose(X, How.EXACTLY, "2.0")
    assert draft.point[X] == draft.fact[X]


def test_who_supposes_something_no_longer_asks_what_happened(project: Project) -> None:
    draft = QuestionDraft(project.keyframe)
    draft.put(X, How.EXACTLY, "1")
    assert draft.kind is QueryKind.WOULD and draft.read().text == f"would move if {X} == 1.0"
    draft.kind = QueryKind.DID  # who wants it all the same has it: what is supposed is left out
    draft.put(X, How.EXACTLY, "2")
    assert draft.kind is QueryKind.DID and draft.read().text == "did move"


#: what each example is asked about first: never whether a number was more than it was
FIRST = {
    "crash": "move",
    "microwave": "action == CLOSE",  # as it was in fact
    "diabetes": "assessment.risk == LOW",
    "proper_response": "limits.brake",
    "pedestrian": "decides",  # it decides a number alone
    "drone": "return.mode == MODE_HOLD",
}


@pytest.mark.parametrize(("name", "first"), FIRST.items())
def test_every_choice_of_a_behavior_is_a_behavior(project: Project, name: str, first: str) -> None:
    opened = project if name == "crash" else Project.open(folder(name))
    draft = QuestionDraft(opened.keyframe)
    choices = list(behaviors(opened.program.interface))
    assert draft.behavior == first and first in choices
    for choice in choices:
        draft.behavior = choice
        read = draft.read()
        assert read.text == f"did {choice}"
        assert bool(read.caution) == ("fact(" in choice)  # what happened is compared with itself


def test_every_way_to_suppose_can_be_asked_of_every_input() -> None:
    for name in ("microwave", "diabetes"):
        project = Project.open(folder(name))
        for variable in project.program.interface.inputs:
            value = show(variable.type, project.keyframe.inputs[variable.path])
            other = next(each.path for each in project.program.interface.inputs if each.path != variable.path)
            typed_in = {How.BETWEEN: (value, value), How.BELOW: (other,), How.ABOVE: (other,)}
            for how in choices(variable):
                draft = QuestionDraft(project.keyframe)
                draft.kind = QueryKind.WOULD
                draft.suppose(variable.path, how, *typed_in.get(how, (value,)))
                assert draft.read().query is not None, (variable.path, how, draft.read())


# --- amounts and angles ---------------------------------------------------------------------------------------

ANGLES = [Variable("angle", Role.ENVIRONMENT, FloatType(each), unit="rad") for each in (FLOAT32, FLOAT64)]


def test_degrees_are_labelled_and_converted_as_the_program_rounds(draft: QuestionDraft) -> None:
    draft.suppose(ANGLE, How.EXACTLY, "90°")
    read = draft.read()
    assert read.text == f"might not move if {ANGLE} == 1.5707964"
    assert read.chips[0].words == "is 1.5707964 rad (90°)"
    assert read.chips[0].was.endswith("°)") and " rad (" in read.chips[0].was


@pytest.mark.parametrize("text", ["90", "90°", "90 deg", "90 degrees", "90 rad"])
def test_what_is_not_said_to_be_degrees_is_radians(text: str) -> None:
    angle = ANGLES[0]
    wanted = "90.0" if text in ("90", "90 rad") else "1.5707964"
    assert show(angle.type, typed(angle, text)) == wanted


@pytest.mark.parametrize("angle", ANGLES, ids=["float32", "float64"])
@given(value=st.floats(allow_nan=False, width=32))
def test_degrees_read_back_to_the_same_bits(angle: Variable, value: float) -> None:
    assert isinstance(angle.type, FloatType)
    bits = parse(angle.type, repr(value))
    told = to_degrees(angle.type, bits)
    if "inf" not in told:
        assert from_degrees(angle.type, told) == bits
        assert typed(angle, f"{told}°") == bits


def test_another_unit_is_refused_not_dropped(draft: QuestionDraft) -> None:
    x = draft.interface.variable(X)
    assert shown(x, typed(x, "1.5 m")) == "1.5 m"
    for text in ("1.5 ft", "1.5°", "1,5", "one"):
        with pytest.raises(QueryError):
            typed(x, text)

"""Bars of inputs: what comes first, what is drawn of a range, and what is marked on it."""

from __future__ import annotations

from functools import cache

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.formula.sorts import FLOAT64
from soid.mapping.bars.input_bars import MarkedInputs, input_bars, of_moment, of_query, of_suppositions
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, IntType, parse
from soid.query.language.query_parser import parse as parse_query
from soid.query.language.query_parser import parse_suppositions


@cache
def project(example: str) -> Project:
    return Project.open(folder(example))


def asked(example: str, question: str):
    answer = project(example).ask(question)
    return of_query(project(example).keyframe, answer.query, answer.witness)


def supposed(example: str, text: str):
    made = project(example)
    return of_suppositions(made.keyframe, parse_suppositions(text, made.program.interface))


def test_what_differs_comes_first_then_what_is_supposed_and_the_rest_is_folded():
    made = asked("overdraft", "might v1.letter.limit == 0 if applicant.age <= 70 and applicant.sex in {MALE, FEMALE}")
    assert {bar.name for bar in made.shown} == {"the age", "the sex"}
    assert [bar.differs for bar in made.shown] == sorted((bar.differs for bar in made.shown), reverse=True)
    assert "the debts" in [bar.name for bar in made.folded]
    sex = next(bar for bar in made.shown if bar.name == "the sex")
    assert {sex.axis.text(low) for stretch in sex.supposed for low in stretch} == {"MALE", "FEMALE"}


def test_nothing_supposed_of_many_inputs_draws_the_first_and_folds_the_rest():
    many = tuple(Variable(f"x{n}", Role.ENVIRONMENT, IntType(8, False)) for n in range(200))
    made = input_bars(Interface(many), MarkedInputs({each.path: 3 for each in many}))
    assert len(made.shown) == 6 and 20 < len(made.folded) < 194
    supposing = MarkedInputs({each.path: 3 for each in many}, supposed={"x150": ((1, 2),)})
    assert [bar.name for bar in input_bars(Interface(many), supposing).shown] == ["x150"]


def test_a_few_inputs_are_all_shown():
    made = of_moment(project("microwave").keyframe)
    assert (len(made.shown), len(made.folded)) == (5, 0)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("100 <= patient.glucose <= 150", "100.0", "150.0"),
        ("patient.glucose < 150", "-0.0", "149.99999999999997"),
        ("patient.glucose within 10 of fact", "189.0", "209.0"),
    ],
)
def test_what_is_supposed_of_one_input_is_where_it_may_be(text, low, high):
    (bar,) = [each for each in supposed("diabetes", text).shown if each.supposed]
    assert [tuple(map(bar.axis.text, stretch)) for stretch in bar.supposed] == [(low, high)]


def test_conditions_on_two_inputs_leave_each_its_own_range():
    made = supposed("diabetes", "patient.glucose < patient.insulin and patient.insulin < 50")
    ranges = {bar.variable.path: bar.supposed for bar in made.shown if bar.supposed}
    glucose = next(bar for bar in made.shown if bar.variable.path == "patient.glucose")
    assert ranges.keys() == {"patient.glucose", "patient.insulin"}
    assert glucose.range_told == "0 to 1000 mg/dl" and glucose.supposed == ((glucose.axis.low, glucose.axis.high),)


def test_an_undeclared_range_is_drawn_around_the_values_at_hand_and_goes_on():
    made = of_moment(project("diabetes").keyframe)
    weight = next(each for each in (*made.shown, *made.folded) if each.variable.path == "patient.weight")
    assert weight.goes_on == (True, True) and weight.axis.scale == "even"
    assert weight.range_told == "0 to 300 lb" and weight.told_fact == "249.973 lb"
    far = asked("diabetes", "might assessment.risk == HIGH if patient.weight is anything").shown[0]
    assert far.axis.scale == "by magnitude" and far.differs
    assert far.axis.low <= far.axis.place(far.scenario) <= far.axis.high


def test_what_was_not_measured_lies_beside_the_range():
    kind = FloatType(FLOAT64, missing=True)
    x = Variable("x", Role.ENVIRONMENT, kind, Range(parse(kind, "0"), parse(kind, "20")))
    (bar,) = input_bars(Interface((x,)), MarkedInputs({"x": kind.format.nan}, scenario={"x": parse(kind, "2")})).shown
    assert bar.told_fact == "missing" and bar.aside == (bar.fact,) and bar.range_told == "0 to 20"


def test_a_value_that_is_not_known_has_no_place():
    stop = Variable("stop", Role.STATE, BoolType())
    (bar,) = input_bars(Interface((stop,)), MarkedInputs({"stop": 0}, frozenset({"stop"}))).shown
    assert (bar.fact, bar.told_fact) == (None, "not known")


def test_two_lives_are_marked_beside_each_other():
    made = asked("overdraft", "might v1.letter.limit fall if applicant.income rises, for any applicant")
    assert made.sides == ("one", "the other")
    income = made.shown[0]
    assert income.name == "the income" and income.differs
    assert len({bar.name for bar in made.shown}) == len(made.shown)


def test_a_did_supposes_nothing():
    made = project("microwave")
    query = parse_query("did action == CANCEL", made.program.interface)
    assert not any(bar.matters for bar in of_query(made.keyframe, query).shown)


def test_what_is_logged_rounded_is_drawn_along_its_whole_range():
    altitude = next(bar for bar in asked("drone", "did return.mode == MODE_HOLD").shown if bar.name == "the altitude")
    assert altitude.ends == ("-50", "500 m")


def test_no_value_is_rounded_onto_another_one_that_is_drawn():
    x = Variable("x", Role.ENVIRONMENT, FloatType(FLOAT64))
    bits = [parse(x.type, text) for text in ("-156.5", "-156.50000000000003")]
    (bar,) = input_bars(Interface((x,)), MarkedInputs({"x": bits[0]}, scenario={"x": bits[1]})).shown
    assert bar.told_fact != bar.told_scenario and bar.differs

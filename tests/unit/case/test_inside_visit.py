"""What questions visit inside a program, and where they meet there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from soid.case.abstraction import Abstraction, abstraction_of
from soid.case.abstraction_picture import svg
from soid.case.abstraction_words import in_words
from soid.case.project import Project
from soid.examples import folder
from soid.solver.chain import chain

QUESTIONS = (
    "did limits.brake",
    "might limits.brake if guard.elapsed is anything",
    "would limits.brake if 0 <= road.distance <= 60 and 0.2 <= guard.elapsed <= 10",
)


@pytest.fixture(scope="module")
def guard() -> Iterator[Project]:
    solver = chain()
    yield Project.open(folder("proper_response"), solver=solver)
    solver.close()


@pytest.fixture(scope="module")
def found(guard: Project) -> Abstraction:
    return abstraction_of([(guard, question) for question in QUESTIONS], inside=True)


def test_each_question_goes_through_the_program_to_its_ends(found):
    insides = [visit.inside for visit in found.visits]
    assert [len(each.states) for each in insides] == [3, 4, 5]
    for visit, inside in zip(found.visits, insides, strict=True):
        ends = [state.number for state in visit.states if state.after == 1]
        assert [end for _, end in inside.leads_to] == ends and not inside.open
        (first, *rest) = inside.stretches
        assert first.before is None and [each.before for each in rest] == [0] * len(rest)
        covered = sorted(number for each in inside.stretches for number in each.states)
        assert covered == list(range(len(inside.states)))


def test_questions_meet_at_the_same_point_where_one_input_takes_both(found):
    met = {(each.questions, each.states) for each in found.inside_meets if each.settled}
    assert len(met) == len(found.inside_meets)
    assert {states for questions, states in met if questions == (2, 3)} == {(0, 0), (1, 1), (2, 3), (3, 4)}
    # the fact does not come to where the guard brakes
    assert ((1, 2), (2, 2)) in met and not any(questions == (1, 2) and states[1] == 3 for questions, states in met)


def test_without_being_asked_nothing_is_looked_at(guard, found):
    plain = abstraction_of([(guard, question) for question in QUESTIONS])
    assert all(visit.inside is None for visit in plain.visits)
    assert not plain.document.inside and plain.states == found.states and plain.transitions == found.transitions


def test_all_of_the_picture_is_said_in_words_and_in_tables(guard, found):
    interface = guard.program.interface
    words = in_words(found, interface, guard.program.name)
    said = " ".join(words.summary)
    assert "3 questions about proper-response guard have visited 9 states of it" in said
    assert "s1 lies wholly in s3" in said and "s9 lies wholly in s5" not in said
    assert "q2 and q3 have states in common at 4 of the 5 places inside" in said
    assert [each.called for each in words.questions] == ["q1", "q2", "q3"]
    assert not any("==" in each.question or "<=" in each.question for each in words.questions)
    assert len(words.states) == len(found.states)
    rows = words.inside[1].rows
    assert rows[2][2] == "respond returns" and rows[3][5] == "2"
    assert rows[2][4] == "(the time since the alarm + 0.1) is less than 0.5"
    drawn = svg(found, interface, guard.program.name)
    assert drawn.count("sa-inside") - 1 == sum(len(visit.inside.stretches) for visit in found.visits)


def test_what_has_no_inside_says_so():
    oven = Project.open(folder("microwave"))
    (visit,) = abstraction_of([(oven, "did action == CLOSE")], inside=True).visits
    assert visit.inside is not None and not visit.inside.states
    assert "it is shown at its boundary alone" in visit.inside.open

"""What a map on a page is about: what may be mapped, what is pointed at, what a part of it is."""

from __future__ import annotations

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.mapping.decision_map import DecisionMap
from soid.mapping.map_layout import MapLayout
from soid.query.query import QueryKind
from soid.web.page import map_plan
from soid.web.page.question_draft import QuestionDraft
from soid.web.page.supposition_draft import How

X, SIGNAL, ANGLE = (f"world.agents[1].{name}" for name in ("x", "signal", "angle"))


@pytest.fixture(scope="module")
def case():
    opened = Project.open(folder("crash") / "standard")
    yield opened
    opened.solver.close()


@pytest.fixture(scope="module")
def made(case) -> DecisionMap:
    made: DecisionMap = case.map(f"0.9 <= {X} <= 2.0 and {SIGNAL} is anything", by="move")
    return made


def test_what_is_supposed_is_what_is_mapped(case):
    draft = QuestionDraft(case.keyframe)  # a `did`, which supposes nothing; a map does not depend on the kind
    assert map_plan.plan(draft).over == ""
    assert "say what may differ" in map_plan.plan(draft).words
    draft.suppose(X, How.BETWEEN, "0.9", "2.0")
    assert map_plan.plan(draft).over == f"0.9 <= {X} <= 2.0"
    draft.suppose(SIGNAL, How.ANYTHING)
    found = map_plan.plan(draft)
    assert found.over == f"0.9 <= {X} <= 2.0 and {SIGNAL} is anything"
    assert found.words.startswith("What happens along the other car")
    draft.suppose(ANGLE, How.ANYTHING)
    assert map_plan.plan(draft).over == ""
    assert "3 vary" in map_plan.plan(draft).words


def test_a_supposition_without_a_value_cannot_be_mapped(case):
    draft = QuestionDraft(case.keyframe)
    draft.suppose(X, How.BETWEEN, "0.9", "")
    assert map_plan.plan(draft) == map_plan.MapPlan("", "A supposition cannot be read: it is marked above.")


def test_regions_are_told_apart_by_decisions_or_by_the_behavior_asked_about(case):
    first, *_, last = map_plan.choices(case.program.interface, "not move")
    assert first[0] == ""
    assert last == ("not move", "by whether it decides to stay")


def test_what_is_pointed_at_is_read_off(case, made):
    found = map_plan.pointed(made, (0.5, 1 / 6), case.program.interface)
    assert found.words.startswith("the other car's x 1.45 m, the other car's signal STRAIGHT: ")
    assert found.words.endswith("STRAIGHT: it decides to stay")
    assert map_plan.pointed(made, (0.5, 5 / 6), case.program.interface).words.endswith("RIGHT: it decides to drive on")
    assert made.axes[0].text(found.places[0]) == "1.45"  # with as many decimals as can be seen


def test_rounding_never_leaves_the_region(case, made):
    layout = MapLayout(made)
    for n in range(601):
        at = (n / 600, 1 / 6)
        found = map_plan.pointed(made, at, case.program.interface)
        assert made.at(found.places) is made.at(layout.at(*at))


def test_a_point_becomes_the_next_question(case, made):
    draft = QuestionDraft(case.keyframe)
    draft.suppose(X, How.BETWEEN, "0.9", "2.0")
    map_plan.suppose(draft, made, map_plan.pointed(made, (0.5, 1 / 6), case.program.interface).places)
    assert draft.read().text == f"would move if {X} == 1.45 and {SIGNAL} in {{STRAIGHT}}"
    draft.kind = QueryKind.MIGHT
    map_plan.suppose(draft, made, map_plan.pointed(made, (0.5, 5 / 6), case.program.interface).places)
    assert draft.read().text == f"might move if {X} == 1.45 and {SIGNAL} in {{RIGHT}}"


def test_a_part_of_a_map(case, made):
    interface = case.program.interface
    over = map_plan.part(made, interface, (0.5, 0.9), (0.25, 0.1))
    assert over == f"0.9 <= {X} <= 2.0 and {SIGNAL} is anything and 1.175 <= {X} <= 1.45"
    smaller = case.map(over, by="move")
    assert [axis.text(axis.low) for axis in smaller.axes] == ["1.175", "STRAIGHT"]
    assert map_plan.part(made, interface, (0.5, 0.1), (0.505, 0.9)) == ""  # a hand that trembles
    assert map_plan.part(made, interface, (0.0, 0.0), (1.0, 1.0)) == ""


def test_a_part_of_what_is_said_with_or_stays_a_part_of_it(case):
    over = f"{X} < 1.0 or {X} > 1.5"
    made = case.map(over, by="move")
    narrowed = map_plan.part(made, case.program.interface, (0.1, 0.0), (0.9, 1.0))
    assert narrowed.startswith(f"({over}) and ")


def test_around_the_fact(case, made):
    over = map_plan.around_fact(made, case.program.interface)
    (axis, _) = case.map(over, by="move").axes
    assert axis.low < axis.place(case.keyframe.inputs[X]) < axis.high

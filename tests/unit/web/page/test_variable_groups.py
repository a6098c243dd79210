"""Which of many inputs matter, and how the others are grouped and found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from soid.case.project import Project
from soid.examples import folder
from soid.formula.sorts import FLOAT32
from soid.program.interface import Interface, Role, Variable
from soid.program.types import FloatType
from soid.query.language.query_parser import parse_suppositions
from soid.web.page.variable_groups import groups, matching, mattering


def variable(path: str, role: Role = Role.ENVIRONMENT, label: str = "") -> Variable:
    return Variable(path, role, FloatType(FLOAT32), label=label)


PLANT = Interface(
    (
        *(variable(f"plant.units[{unit}].{name}") for unit in (3, 12) for name in ("flow", "heat")),
        variable("spare.units[3].flow"),
        variable("old.units[12].flow", Role.STATE),
        variable("manual", label="the driver's hand"),
    )
)


def test_inputs_are_grouped_by_what_they_are_part_of_and_no_two_groups_have_one_name():
    assert [(group.title, [each.path for each in group.variables]) for group in groups(PLANT.inputs)] == [
        ("plant.units[3] · perceived", ["plant.units[3].flow", "plant.units[3].heat"]),
        ("unit 12 · perceived", ["plant.units[12].flow", "plant.units[12].heat"]),
        ("spare.units[3] · perceived", ["spare.units[3].flow"]),
        ("unit 12 · remembered", ["old.units[12].flow"]),
        ("by itself · perceived", ["manual"]),
    ]


def test_a_search_finds_paths_labels_and_words():
    assert [each.path for each in matching(PLANT, "HEAT 12")] == ["plant.units[12].heat"]
    assert [each.path for each in matching(PLANT, "heat pump")] == []
    assert [each.path for each in matching(PLANT, "heat of unit 3")] == ["plant.units[3].heat"]
    assert [each.path for each in matching(PLANT, "hand")] == ["manual"]
    assert matching(PLANT, " ") == list(PLANT.inputs)


def test_what_is_supposed_matters_and_what_the_project_asks_about():
    supposed = parse_suppositions("plant.units[12].heat <= 3 and manual is anything", PLANT)
    assert [each.path for each in mattering(PLANT, supposed)] == ["plant.units[12].heat", "manual"]
    assert mattering(PLANT, (), listed=("this is no question",)) == []


@pytest.fixture(scope="module")
def oven() -> Iterator[Project]:
    project = Project.open(folder("microwave"))
    yield project
    project.solver.close()


def test_what_an_answer_supposes_and_changes_matters(oven):
    answer = oven.ask("might action == CANCEL if heat is anything and closed is anything")
    found = [each.path for each in mattering(oven.keyframe.interface, (), answer)]
    assert set(found) == {"heat", "closed"}
    listed = ("did action == CLOSE if error is anything", "might action == CLOSE if error is anything")
    assert {each.path for each in mattering(oven.keyframe.interface, (), listed=listed)} == {"error"}


def test_what_flipped_an_outcome_matters(oven):
    explanation = {
        "mattered": {"sets": [{"flips": [{"variable": "heat", "as_logged": False, "neighbours": True, "first": True}]}]}
    }
    assert [each.path for each in mattering(oven.keyframe.interface, (), None, explanation)] == ["heat"]

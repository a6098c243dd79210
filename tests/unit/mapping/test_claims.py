"""What tells the regions of a map apart: outputs, a behavior, or the decisions of one of several programs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import QueryError
from soid.mapping.claims import Outputs, by_text
from soid.mapping.decision_map import DecisionMap
from tests.several_programs import several

NEAR = "int decide(int gap) { return gap < 20; }\n"
NEVER = "int decide(int gap) { return 0; }\n"
LOG = '{"gap": 30, "return": 0}\n'


def described(made: DecisionMap) -> dict[str, str]:
    return {region.label.text: str(region.boxes) for region in made.regions}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    variables = "gap = { domain = [0, 100] }\n"
    return several(tmp_path, {"near": NEAR, "never": NEVER}, LOG, variables=variables)


def test_a_program_stands_for_its_decisions(project: Project) -> None:
    made = project.map("gap is anything", by="near")
    assert made.by == "near" == made.document.by
    assert set(described(made)) == {"near.return = 0", "near.return = 1"}
    assert set(described(project.map("gap is anything", by="never"))) == {"never.return = 0"}
    assert described(project.map("gap is anything", by="near.return")) == described(made)


def test_a_map_can_call_decisions_as_the_program_does(project: Project) -> None:
    made, by = project.map("gap is anything", by="near"), by_text("near", project.program.interface)
    assert isinstance(by, Outputs)
    own = made.relabelled(partial(by.own_label, interface=project.program.interface))
    assert described(own) == {label.removeprefix("near."): boxes for label, boxes in described(made).items()}
    assert own.fact.label is not None and own.fact.label.text == "return = 0"
    assert made.fact.label is not None and made.fact.label.words == "near decides to return 0"
    assert own.fact.label.words == "it decides to return 0"  # beside the maps of others


def test_a_variable_that_is_called_as_a_program_is_meant_first(tmp_path: Path) -> None:
    source = "int decide(int near) { return near < 20; }\n"
    project = several(tmp_path, {"near": source, "never": source}, '{"near": 30, "return": 0}\n')
    with pytest.raises(QueryError, match="near is what the program is given"):
        by_text("near", project.program.interface)

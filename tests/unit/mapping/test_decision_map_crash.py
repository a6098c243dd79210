"""The crash's map: where the other car was, by what it signalled; each box held to runs of single states."""

from __future__ import annotations

import itertools

import pytest

from soid.case.project import Project
from soid.documents import json_of
from soid.examples import folder
from soid.formula.build import TRUE
from soid.mapping.decision_map import DecisionMap
from soid.oracle.confirmation import confirm
from soid.oracle.inquiry import Context, Inquiry
from soid.oracle.pipeline import explore
from soid.program.types import show
from soid.query.language.query_parser import parse_behavior

X, SIGNAL = "world.agents[1].x", "world.agents[1].signal"


@pytest.fixture(scope="module")
def case():
    opened = Project.open(folder("crash") / "standard")
    yield opened
    opened.solver.close()


@pytest.fixture(scope="module")
def made(case) -> DecisionMap:
    made: DecisionMap = case.map(f"{X} is anything and {SIGNAL} is anything", by="move")
    return made


def test_it_stays_where_the_other_car_comes_and_does_not_turn(made):
    boxes = json_of(made.document)["regions"]
    assert [(region["label"], region["boxes"]) for region in boxes] == [
        ("move = false", [[[1.17, 1.7549998], ["STRAIGHT", "LEFT"]]]),
        (
            "move = true",
            [
                [[-0.0, 1.1699998], ["STRAIGHT", "LEFT"]],
                [[-0.0, 4.095], ["RIGHT", "RIGHT"]],
                [[1.7549999, 4.095], ["STRAIGHT", "LEFT"]],
            ],
        ),
    ]
    assert made.open == 0
    assert made.fact.label is not None and made.fact.label.text == "move = true"


def test_the_corners_of_every_box_run_as_the_map_says(case, made):
    asking = Inquiry(Context(case.engine, case.solver, case.replayer))
    interface = case.program.interface
    for region in made.regions:
        for box in region.boxes:
            for places in itertools.product(*box):
                moved = {axis.variable.path: axis.bits(at) for axis, at in zip(made.axes, places, strict=True)}
                state = {**case.keyframe.inputs, **moved}
                run = explore(state, TRUE, parse_behavior("decides"), asking).run({})
                confirmed = confirm(run, state, interface, asking, concrete=True)  # a difference would be an error
                assert confirmed.replayed.startswith("by running the compiled program")
                assert f"move = {show(interface.variable('move').type, int(run.outputs['move']))}" == region.label.text

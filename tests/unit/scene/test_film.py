"""Films: what happened step by step, and what would have, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from soid.case.filmed import filmed, told_of
from soid.case.project import Project
from soid.examples import folder
from soid.oracle.answer import Answer
from soid.scene.film import FRAMES
from soid.scene.film_svg import film_svg

STOPPED = "would not collision throughout 40 steps if warning.kind == PEDESTRIAN"


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Project, Answer]]:
    project = Project.open(folder("pedestrian"))
    yield project, project.ask(STOPPED)
    project.solver.close()


def test_frames_are_what_each_step_leaves(asked: tuple[Project, Answer]) -> None:
    project, answer = asked
    film = filmed(project, answer)
    assert film is not None
    assert (len(film.fact), len(film.scenario)) == (28, 41)  # the log ends with the collision
    logged = {step.time: step.inputs["car.crossing"] for step in project.trace}
    for number, frame in enumerate(film.fact[1:-1], start=4):  # step 3 leaves what step 4 perceives
        car = frame.figures[0]
        assert (frame.called, car.values["car.crossing"]) == (f"step {number - 1}", logged[number])
    assert [frame.called for frame in film.fact if frame.events] == ["step 29"]
    assert not any(frame.events for frame in film.scenario)
    assert 27 in film.chosen() and len(film.chosen()) <= FRAMES + 2


def test_the_drawing_says_what_happens_and_where(asked: tuple[Project, Answer]) -> None:
    project, answer = asked
    film = filmed(project, answer)
    assert film is not None
    drawn = film_svg(film, told_of(project, answer))
    texts = [
        "".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert {"In fact", "In the scenario", "step 29", "the car hits the road user", "the log ends"} <= set(texts)
    assert drawn.count("<title>step 29: the car hits the road user</title>") == 1  # its mark on the line of steps


def test_what_no_world_goes_on_from_has_no_film() -> None:
    project = Project.open(folder("pedestrian"))
    assert filmed(project, project.ask("would control.brake > 0 if warning.kind == PEDESTRIAN")) is None
    assert filmed(project, project.ask("did collision within 27 steps")) is None
    project.solver.close()

"""A film to be played: every frame is in its drawing, and one is shown."""

from __future__ import annotations

from xml.etree import ElementTree

from soid.case.filmed import filmed, has_film
from soid.case.project import Project
from soid.examples import folder
from soid.scene.film_stage import film_stages

NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_each_of_the_two_has_a_drawing_with_all_its_frames() -> None:
    project = Project.open(folder("pedestrian"))
    answer = project.ask("would not collision throughout 40 steps if warning.kind == PEDESTRIAN")
    film = filmed(project, answer)
    assert film is not None and has_film(answer)
    fact, scenario = film_stages(film)
    assert (fact.where, scenario.where) == ("In fact", "In the scenario")
    for stage, frames in ((fact, film.fact), (scenario, film.scenario)):
        assert [each.called for each in stage.frames] == [each.called for each in frames]
        root = ElementTree.fromstring(stage.svg)
        drawn = [each for each in root.iter(f"{NAMESPACE}g") if "data-frame" in each.attrib]
        assert [int(each.attrib["data-frame"]) for each in drawn] == list(range(len(frames)))
        assert [each.get("display") for each in drawn] == [None, *["none"] * (len(frames) - 1)]
        shown = [[actor.get("data-actor") for actor in each if actor.get("data-actor")] for each in drawn]
        places = [[actor.place is not None for actor in each.figures] for each in frames]
        assert [len(each) for each in shown] <= [sum(each) for each in places] and any(shown)
    assert [(each.called, each.events, each.overlaps) for each in fact.frames if each.events] == [
        ("step 29", ("the car hits the road user",), ("A and S overlap",))
    ]
    assert "the car hits the road user" in fact.svg and fact.ends == "the log ends"
    assert not has_film(project.ask("did collision within 27 steps"))
    assert not has_film(project.ask("would control.brake > 0 if warning.kind == PEDESTRIAN"))
    project.solver.close()

"""Regions in words."""

import shutil
from pathlib import Path

from soid.case.project import Project
from soid.examples import folder
from soid.mapping.map_words import axis_name, boxes_told, fact_text, heading, measure_text
from soid.oracle.inquiry import Settings


def told(over: str) -> list[list[str]]:
    made = Project.open(folder("lending"), settings=Settings(replay="off")).map(over, by="approve")
    return [boxes_told(made.axes, region.boxes) for region in made.regions]


def test_labels_that_lie_apart_are_told_together() -> None:
    assert told("postcode is anything and 0 <= income <= 6000") == [
        [
            "the income 0 to 1959 EUR/month, the postcode area N1, N2, S1, W1, W2",
            "the income 0 to 3269 EUR/month, the postcode area E1, E2, S2",
        ],
        [
            "the income 1960 to 6000 EUR/month, the postcode area N1, N2, S1, W1, W2",
            "the income 3270 to 6000 EUR/month, the postcode area E1, E2, S2",
        ],
    ]


def test_ranges_of_numbers_stay_boxes() -> None:
    assert told("0 <= income <= 6000") == [["the income 0 to 3269 EUR/month"], ["the income 3270 to 6000 EUR/month"]]


def test_axes_have_names_like_no_other_variable_s(tmp_path: Path) -> None:
    """A label that two variables have tells neither, and a variable without one has words made of its name."""
    project = tmp_path / "made"
    shutil.copytree(folder("proper_response"), project)
    manifest = project / "soid.toml"
    text = manifest.read_text(encoding="utf-8").replace('label = "the distance to the car in front", ', "")
    text = text.replace("the speed of the car in front", "the speed").replace("the speed of the car", "the speed")
    manifest.write_text(text, encoding="utf-8")
    made = Project.open(project, settings=Settings(replay="off")).map(
        "road.distance is anything and 10 <= road.front_speed <= 20"
    )
    assert [axis_name(axis) for axis in made.axes] == ["distance of road", "the speed (road.front_speed)"]
    assert not any("road.distance" in line for line in (heading(made), measure_text(made), fact_text(made)))

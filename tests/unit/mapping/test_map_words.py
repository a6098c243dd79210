"""Regions in words."""

from soid.case.project import Project
from soid.examples import folder
from soid.mapping.map_words import boxes_told
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

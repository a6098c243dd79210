"""Growth: points of every size, measured in processes of their own, and what is said of them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.assumptions import Ledger
from soid.bench.growth import Grown, Growth, GrowthPlan, measure
from soid.bench.growth_picture import draw
from soid.bench.growth_series import Point, Series, every_series
from soid.bench.two_drivers import write_two_drivers
from soid.budget import Cancellation
from soid.case.project import Project
from soid.cli.bench.bench_growth import bench_growth
from soid.cli.command_line.bench_options import BenchGrowthOptions
from soid.documents import json_of
from soid.engine.manifest_reader import load
from soid.errors import InputError
from soid.examples import folder
from soid.oracle.answer import Verdict


def series(at_most: float | None = 4.0) -> Series:
    points = tuple(Point(size, "would act", lambda _: None) for size in (10, 100, 1000))
    return Series("rules", "rules in a row", "rules", at_most, points)


def grown(seconds: float, place: int = 0, verdict: str = "no") -> Grown:
    point = series().points[place]
    return Grown(
        point.size, point.question, verdict, "", 1.0, seconds * 2, (seconds, seconds * 3, seconds * 2), 90.0, 2
    )


def test_every_point_is_a_project_with_its_question(tmp_path: Path) -> None:
    every = every_series(folder("crash"))
    programs, worlds = ["cars", "floats", "range", "branches", "rows"], ["held", "logged", "loop"]
    assert [each.name for each in every] == [*programs, *worlds, "trees", "features"]
    for each in every:
        assert [point.size for point in each.points] == sorted(point.size for point in each.points)
        place = tmp_path / each.name
        place.mkdir()
        each.points[0].make(place)
        assert load(place).keyframe is not None


def series_named(name: str) -> Series:
    return next(each for each in every_series(folder("crash")) if each.name == name)


def test_further_cars_are_there_and_nothing_is_logged_as_decided(tmp_path: Path) -> None:
    most = series_named("cars").points[-1]
    most.make(tmp_path)
    step = json.loads((tmp_path / "log.jsonl").read_text())
    assert most.size == 5
    assert [agent["present"] for agent in step["world"]["agents"]] == [True] * 5
    assert "move" not in step


@pytest.mark.parametrize(
    ("name", "goes_on"), [("held", Ledger.STEADY), ("logged", Ledger.UNREACTIVE), ("loop", Ledger.WORLD)]
)
def test_two_drivers_are_asked_about_in_each_future(tmp_path: Path, name: str, goes_on: Ledger) -> None:
    """The first point with fewer steps: the same question, which rests on how things go on and is proved."""
    asked = series_named(name).points[0]
    asked.make(tmp_path)
    found = Project.open(tmp_path).ask(asked.question.replace("throughout 10", "throughout 3"))
    assert found.verdict is Verdict.YES
    assert goes_on.value in {each.id for each in found.relies_on}
    assert {each.variable.path for each in found.freed} == {"cars.other.signal", "cars.other.to"}


@pytest.mark.parametrize(("signal", "told"), [("RIGHT", "yes"), ("STRAIGHT", "no")])
def test_the_signal_matters_to_whether_the_two_drivers_collide(tmp_path: Path, signal: str, told: str) -> None:
    write_two_drivers(tmp_path)
    family = f"cars.other.signal == {signal} and 3.0 <= cars.other.to <= 3.5"
    found = Project.open(tmp_path).ask(f"might collision within 16 steps closed loop if {family}")
    assert found.verdict.value == told


def test_growth_is_the_last_against_the_first() -> None:
    growth = Growth(series(), (grown(0.1), grown(0.2, 1), grown(0.3, 2)))
    assert growth.times == pytest.approx(3.0) and growth.is_kept
    assert Growth(series(2.0), growth.points).is_kept is False
    assert Growth(series(None), growth.points).is_kept is None


def test_what_was_not_answered_keeps_no_promise() -> None:
    unknown = Growth(series(), (grown(0.1), grown(0.1, 1), grown(0.1, 2, "unknown")))
    assert unknown.times is None and unknown.is_kept is False
    assert Growth(series(), (grown(0.1),)).is_kept is False


def test_the_picture_shows_each_point_and_what_is_unknown() -> None:
    picture = draw([Growth(series(), (grown(0.1), grown(0.2, 1), grown(50.0, 2, "unknown")))])
    root = ET.fromstring(picture)
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"10 rules", "100 rules", "1,000 rules", "rules in a row"} <= set(words)
    assert picture.count('r="4"') == 3 and picture.count('r="4" fill="#bf3989"') == 1


def test_a_point_is_measured_in_its_own_process() -> None:
    """The least of the generated programs, and one whose process ends at once."""
    least = series_named("branches").points[0]
    small = replace(least, question="would act or not act if 0.49 <= in.v[0] <= 0.51")
    broken = replace(least, question="would act if nonsense")
    found: list[Growth] = []
    measure(GrowthPlan([Series("branches", "", "", None, (small, broken))], 2, 200.0), found, Cancellation())
    done, failed = found[0].points
    assert done.verdict == "yes" and len(done.runs) == 2 and done.megabytes and done.open
    assert failed.verdict == "unknown" and "its process ended" in failed.reason and failed.seconds is None
    assert json.loads(json.dumps(json_of(found[0].document)))["points"][0]["verdict"] == "yes"


def test_who_calls_off_gets_what_was_measured() -> None:
    cancel = Cancellation()
    cancel.cancel()
    found: list[Growth] = []
    measure(GrowthPlan([series()], 1, 1.0), found, cancel)
    assert [growth.points for growth in found] == [()]


def test_a_series_that_is_not_there_is_said() -> None:
    with pytest.raises(InputError, match="no series called planes"):
        bench_growth(BenchGrowthOptions(("planes",), 1, 1.0, as_json=True))

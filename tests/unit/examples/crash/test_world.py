"""The simulated crossing: where cars are, who touches whom, what is logged; test_world_properties.py has the rest."""

import math
from itertools import pairwise

import pytest

from soid.examples import folder
from soid.examples.crash.car_program import DRIVERS, CarProgram, Feature, Seen, Signal
from soid.examples.crash.logs import CRASH, KEYFRAME, as_jsonl, run
from soid.examples.crash.roads import TILE, Pose, Way, on_road, touch


@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("turn", Signal)
def test_a_way_is_unbroken_and_stays_on_the_road(quarter, turn):
    way = Way(quarter, turn)
    steps = int(way.length / 0.01)
    poses = [way.at(0.005 + 0.01 * step) for step in range(steps)]
    assert all(on_road(pose) for pose in poses)
    for one, two in pairwise(poses):
        assert math.hypot(two.x - one.x, two.z - one.z) == pytest.approx(0.01, rel=0.02)


def test_where_a_way_leads():
    west = Way(0, Signal.STRAIGHT).at(0.0)
    assert (west.x, west.z, west.angle) == pytest.approx((TILE, 3.75 * TILE, 0.0))
    right = Way(0, Signal.RIGHT)
    end = right.at(right.length)
    assert (end.x, end.z) == pytest.approx((3.25 * TILE, 6 * TILE))
    assert end.angle == pytest.approx(3 * math.pi / 2)
    left = Way(0, Signal.LEFT)
    end = left.at(left.length)
    assert (end.x, end.z) == pytest.approx((3.75 * TILE, TILE))


def test_cars_touch_when_they_overlap():
    here = Pose(1.0, 1.0, 0.0)
    assert touch(here, Pose(1.17, 1.0, 0.0)) and not touch(here, Pose(1.19, 1.0, 0.0))  # bumper to bumper
    assert touch(here, Pose(1.0, 1.09, 0.0)) and not touch(here, Pose(1.0, 1.11, 0.0))  # side by side
    assert touch(here, Pose(1.13, 1.0, math.pi / 2)) and not touch(here, Pose(1.15, 1.0, math.pi / 2))


def test_what_the_program_sees_at_the_line():
    program = CarProgram("standard")
    own = Seen(3.75 * TILE, 4 * TILE + 0.4, math.pi / 2, 0.0, Signal.STRAIGHT, 2.0)

    def situation(signal: Signal, arrived: float) -> int:
        program.see([own.packed(), Seen(1.376, 3.75 * TILE, 0.0, 0.4, signal, arrived).packed()])
        return program.situation()

    late = Feature.AT_LINE | Feature.APPROACHED
    assert situation(Signal.RIGHT, 1.0) == late | Feature.SAFE
    assert situation(Signal.STRAIGHT, 1.0) == situation(Signal.LEFT, 1.0) == late
    assert situation(Signal.STRAIGHT, 3.0) == late | Feature.RIGHT_OF_WAY
    assert situation(Signal.STRAIGHT, 2.0) == late | Feature.RIGHT_OF_WAY  # together: the other one is on the left


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_committed_log_is_what_the_run_gives(driver):
    assert (folder("crash") / driver / "log.jsonl").read_text() == as_jsonl(run(driver, CRASH))


def test_the_keyframe_is_where_the_car_comes_to_the_line():
    record = run("standard", CRASH)[KEYFRAME]
    assert record["move"] and abs(record["world"]["agents"][1]["x"] - 1.376) < 0.001

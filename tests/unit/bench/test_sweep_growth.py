"""Sweeps of growing size: flights as long as asked for, a sweep that is measured, and what is promised of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.bench.sweep_growth import SweepGrowth, SweptPoint, measure, write_flights
from soid.budget import Cancellation
from soid.cli.bench import bench_sweep as command
from soid.cli.command_line.bench_options import BenchSweepOptions
from soid.errors import InputError
from soid.examples import folder
from soid.examples.drone.logs import fly


def point(moments: int, seconds: float, calls: int) -> SweptPoint:
    return SweptPoint(moments, 2 * moments, seconds, 5 * calls, calls, moments, 90.0, {"yes": moments, "no": moments})


def test_flights_have_as_many_moments_as_are_asked_for(tmp_path: Path) -> None:
    logs = write_flights(lambda day: fly(day).recorder, tmp_path / "flights", 310)
    assert [len(log.read_text().splitlines()) for log in logs] == [301, 11]
    first, second = (log.read_text().splitlines()[1:11] for log in logs)
    assert first != second


def test_it_is_kept_where_it_grows_by_less_than_moments_and_asks_seldom() -> None:
    assert SweepGrowth((point(100, 1.0, 9), point(1000, 4.0, 100))).is_kept
    assert not SweepGrowth((point(100, 1.0, 9), point(1000, 11.0, 100))).is_kept
    assert not SweepGrowth((point(100, 1.0, 9), point(1000, 4.0, 101))).is_kept
    assert SweepGrowth((point(1000, 4.0, 100),)).exponent is None
    assert SweepGrowth((point(100, 1.0, 9), point(10_000, 10.0, 9))).exponent == pytest.approx(0.5)


def test_a_sweep_is_measured_in_a_process_of_its_own() -> None:
    found: list[SweptPoint] = []
    measure(folder("drone"), lambda day: fly(day).recorder, [24], found, Cancellation())
    (made,) = found
    assert (made.moments, made.rows) == (24, 48) and sum(made.verdicts.values()) == 48
    assert made.seconds > 0 and made.megabytes > 1 and made.checks >= made.calls > 0


def test_the_command_shows_points_and_ends_with_one_where_the_promise_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = 9

    def measured(_: object, __: object, sizes: list[int], found: list[SweptPoint], *___: object) -> None:
        found += [point(size, size**0.5, calls) for size in sizes]

    monkeypatch.setattr(command, "measure", measured)
    assert command.bench_sweep(BenchSweepOptions((400, 100), as_json=True)) == 0
    said = json.loads(capsys.readouterr().out)
    assert [each["moments"] for each in said["points"]] == [100, 400] and said["exponent"] == pytest.approx(0.5)
    calls = 41
    assert command.bench_sweep(BenchSweepOptions((100, 400))) == 1
    assert "to the power of 0.50" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(InputError, match="no sweep of 0 moments"):
        command.bench_sweep(BenchSweepOptions((0,)))

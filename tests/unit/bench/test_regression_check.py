"""The check fails where a ratio has grown, whatever the seconds are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.bench import regression_check as checks
from soid.bench.regression_check import BASELINE, RATIOS, TOLERANCE, calibration, check, ratios, read, write
from soid.cli.bench import bench_check as command
from soid.cli.command_line.bench_options import BenchCheckOptions
from soid.errors import InputError

FOUND = {
    "python": 0.1,
    "open": 0.05,
    "signal": 0.04,
    "range": 0.1,
    "road": 0.2,
    "plane": 1.5,
    "paper": 0.8,
    "held": 0.2,
    "logged": 0.3,
    "loop": 0.8,
    "few": 0.6,
    "moments": 1.4,
}


def slower(name: str, times: float) -> dict[str, float]:
    return {**FOUND, name: FOUND[name] * times}


def test_the_stored_baseline_has_every_ratio() -> None:
    assert list(read()) == list(RATIOS)
    assert all(value > 0 for value in read().values())


def test_a_machine_that_is_slower_in_everything_shows_no_regression() -> None:
    everything = {name: value * 7 for name, value in FOUND.items()}
    assert not any(each.is_regression for each in check(everything, ratios(FOUND)))


def test_what_has_become_slower_than_the_rest_is_one() -> None:
    checked = check(slower("plane", TOLERANCE * 1.01), ratios(FOUND))
    assert [each.name for each in checked if each.is_regression] == ["any x and z, against plain Python"]
    assert not any(each.is_regression for each in check(slower("plane", TOLERANCE * 0.99), ratios(FOUND)))


def test_what_is_not_stored_is_no_regression_and_is_said() -> None:
    checked = check(FOUND, {})
    assert all(each.times is None and not each.is_regression for each in checked)


def test_a_baseline_is_written_and_read(tmp_path: Path) -> None:
    write(FOUND, tmp_path / "b.json")
    assert read(tmp_path / "b.json") == pytest.approx(ratios(FOUND), rel=1e-3)
    for text in ("{}", "[]", "nonsense", '{"ratios": {"a": "b"}}'):
        (tmp_path / "b.json").write_text(text)
        with pytest.raises(InputError, match="is no baseline"):
            read(tmp_path / "b.json")
    with pytest.raises(InputError, match="cannot be written"):
        write(FOUND, tmp_path / "nowhere" / "b.json")


@pytest.mark.parametrize(("times", "status"), [(1.0, 0), (5.0, 1)])
def test_the_command_ends_with_one_where_something_is_slower(
    times: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(FOUND, tmp_path / "b.json")
    monkeypatch.setattr(command, "measure", lambda *_: slower("road", times))
    assert command.bench_check(BenchCheckOptions(1, tmp_path / "b.json", as_json=True)) == status
    said = json.loads(capsys.readouterr().out)
    assert [each["regression"] for each in said["ratios"]].count(True) == status
    assert command.bench_check(BenchCheckOptions(1, tmp_path / "b.json")) == status
    assert ("slower" in capsys.readouterr().out) == bool(status)


def test_the_calibration_does_work() -> None:
    assert calibration() > 1000 and checks.BASELINE == BASELINE

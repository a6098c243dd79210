"""A variable at a moment: where its values come from, and what a rounded one stands for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from soid.cli import main
from soid.examples import folder


@pytest.fixture
def drone(tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder("drone"), tmp_path / "drone"))


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["inspect", *words]) == 0
    return " ".join(capsys.readouterr().out.split())


def variables(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, Any]]:
    return {each["path"]: each for each in json.loads(said(capsys, *words, "--json"))["variables"]}


def test_what_was_not_logged_is_derived_and_what_is_rounded_stands_for_a_range(
    drone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = said(capsys, "-p", str(drone), "-s", "236")
    assert "Logged rounded: s.gps.hdop: 2 decimals, 5.26 stands for 5.255 to 5.265; s.battery: 2 decimals" in out
    assert "s.altitude: 2 decimals in ft, 25.243536 stands for 25.242012 to 25.24506 m" in out
    assert "in fact 0.0 (derived)" in out and "in fact true (derived)" in out and "not logged)" not in out
    assert "in fact 11 (derived) → 12 (derived)" in out
    assert "return.climb, return.speed, return.alarm, bad_gps_ticks', low_battery_ticks': not logged: derived" in out
    found = variables(capsys, "-p", str(drone), "-s", "236")
    assert (found["return.mode"]["fact_after"], found["return.mode"]["origin_after"]) == ("MODE_HOVER", "logged")
    assert (found["return.alarm"]["fact_after"], found["return.alarm"]["origin_after"]) == (True, "derived")
    assert found["return.alarm"]["origin"] is None and found["s.pilot"]["origin_after"] is None
    ticks = found["bad_gps_ticks"]
    assert [ticks[key] for key in ("fact", "origin", "fact_after", "origin_after")] == [11, "derived", 12, "derived"]
    assert (found["s.altitude"]["decimals"], found["s.altitude"]["rounded"]) == (2, [25.242012, 25.24506])
    assert (found["s.link"]["decimals"], found["s.link"]["rounded"]) == (None, None)


def test_what_does_not_follow_is_not_known(drone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = drone / "soid.toml"
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if "from_start" not in line))
    assert "in fact not known → not known" in said(capsys, "-p", str(drone), "-s", "236")
    ticks = variables(capsys, "-p", str(drone), "-s", "236")["bad_gps_ticks"]
    assert [ticks[key] for key in ("fact", "origin", "fact_after", "origin_after")] == [None, "assumed", None, None]


def test_without_a_step_the_decimals_are_shown(drone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Logged rounded: s.gps.hdop: 2 decimals; s.battery: 2 decimals;" in said(capsys, "-p", str(drone))
    found = variables(capsys, "-p", str(drone))
    assert (found["s.battery"]["decimals"], found["s.battery"]["rounded"]) == (2, None)

"""The projects without a manifest: their programs can be read, and their recorders' files are what they wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.cli import main
from tests.projects import recorders


@pytest.mark.parametrize("file", recorders.RECORDERS, ids=lambda file: file.parent.name)
def test_the_recorder_s_file_is_what_running_the_program_writes(file: Path) -> None:
    assert file.read_text() == recorders.RECORDERS[file]()
    assert not (file.parent / "soid.toml").exists()


@pytest.mark.parametrize(
    ("source", "entry", "remembered", "decided"),
    [
        ("infusion/pump.c", "pump_tick", ["hot_ticks", "pressed_ticks"], ["out.action", "out.alarm", "out.heater"]),
        ("railway/crossing.cpp", "railway::control", ["clear_ticks", "closing_ticks"], ["return"]),
    ],
)
def test_its_counters_are_state_and_its_orders_are_decisions(
    source: str, entry: str, remembered: list[str], decided: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(recorders.FOLDER / source), "--entry", entry, "--json"]) == 0
    variables = json.loads(capsys.readouterr().out)["variables"]
    roles = {each["path"].rpartition("::")[2]: each["role"] for each in variables}
    assert sorted(path for path, role in roles.items() if role == "state") == remembered
    assert [path for path, role in roles.items() if role == "decision"] == decided

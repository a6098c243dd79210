"""`soid log check`: what it says, what a script reads, what a case keeps, and how it ends."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from soid.cli import main
from soid.examples import folder
from soid.oracle import whole_log
from soid.oracle.log_walk import ComparedStep
from soid.scenario.logs import text_log

DRONE = ("--project", str(folder("drone")))
PROGRAM = "int decide(float speed) { return speed > 20.0f; }"
MANIFEST = '[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'


@pytest.fixture
def wrong_unit(tmp_path: Path) -> Path:
    """A log in km/h of a program that takes m/s."""
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "soid.toml").write_text(MANIFEST + '[variables]\nspeed = { unit = "m/s" }\n')
    rows = [{"step": n, "speed": round(3.6 * 1.5 * n, 1), "return": int(1.5 * n > 20)} for n in range(30)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_a_log_that_fits(capsys, tmp_path):
    drone, table = tmp_path / "drone", tmp_path / "steps.csv"
    shutil.copytree(folder("drone"), drone)
    manifest = (drone / "soid.toml").read_text().replace("from_start = true", "").replace("keyframe = 220", "")
    (drone / "soid.toml").write_text(manifest)
    heading, *rows = (drone / "recorder.csv").read_text().splitlines(keepends=True)
    (drone / "recorder.csv").write_text("".join([heading, *rows[140:175]]))
    assert main(["log", "check", "--csv", str(table), "--seconds", "600", "--project", str(drone)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Log and program fit" in out and "35 of 35 steps give what is logged" in out
    assert "return.speed 35 of 35 0.0 from step 0 on, 6.0 from step 28 on" in out
    with table.open() as file:
        steps = list(csv.DictReader(file))
    assert len(steps) == 35 and {row["fit"] for row in steps} == {"fits"}
    assert (steps[10]["return.climb"], steps[10]["return.climb is"]) == ("2.0", "derived")
    assert (steps[10]["return.mode"], steps[10]["return.mode is"]) == ("MODE_RTH", "logged")
    assert (steps[0]["bad_gps_ticks"], steps[0]["bad_gps_ticks is"]) == ("", "not known")


def test_a_log_that_differs(capsys, wrong_unit):
    assert main(["log", "check", "-p", str(wrong_unit)]) == 4
    out = " ".join(capsys.readouterr().out.split())
    assert "They part first at step 4" in out and "log.jsonl:5" in out
    assert "the log says return = 0, the program gives 1" in out
    assert "unit (likely): with speed read as km/h instead of m/s, all 30 steps fit" in out


def test_for_scripts(capsys, wrong_unit):
    assert main(["log", "check", "--json", "-p", str(wrong_unit)]) == 4
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["steps"], said["differs"], said["entry"]) == ("differs", 30, 10, None)
    assert [each["cause"] for each in said["causes"] if each["explains"]] == ["unit"]


@pytest.mark.parametrize("large", [0, text_log.LARGE])
def test_what_is_strange_about_the_log(capsys, monkeypatch, tmp_path, large):
    monkeypatch.setattr(text_log, "LARGE", large)
    monkeypatch.setattr(text_log, "PIECE", 64)
    (tmp_path / "p.c").write_text(PROGRAM)
    table = 'time = { column = "t", unit = "ms" }\n[variables]\nspeed = { domain = [0, 40] }\n'
    (tmp_path / "soid.toml").write_text(MANIFEST.replace("jsonl", "csv") + table)
    times = [0, 10, 20, 30, 30, 40, 50, 60, 150, 160, 170, 180]
    speeds = ["1", "2", "50", "4", "60", "", "7", "", "9", "70", "11", "12"]
    rows = [f"{t},{speed},{int(speed > '20' and len(speed) == 2)}\n" for t, speed in zip(times, speeds, strict=True)]
    (tmp_path / "log.csv").write_text("t,speed,return\n" + "".join(rows))
    assert main(["log", "check", "-p", str(tmp_path)]) == 0
    told = " ".join(capsys.readouterr().out.split("Strange about the log:")[1].split())
    assert "1 row at the same time as the row before, first at " in told and "log.csv:6" in told
    assert "1 gap in the log's times: the longest is 0.09 s before " in told and "log.csv:10, and 0.01 s" in told
    assert "speed is outside of its domain (0.0 to 40.0) in 3 steps, first at " in told and "log.csv:4: it is" in told
    assert "speed is not logged in 2 steps, first at " in told and "log.csv:7: answers" in told
    assert "is large" not in told
    assert main(["log", "check", "--json", "-p", str(tmp_path)]) == 0
    assert len(json.loads(capsys.readouterr().out)["warnings"]) == 4
    assert main(["ask", "-p", str(tmp_path), "-s", "4", "did return == 1"]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert ("the log is large" in told) == (large == 0)
    assert "1 row at the same time as the row before, first at" in told
    assert ("log.csv:10" in told) == (large != 0)  # far from the moment that was asked about


def test_a_case_keeps_it(capsys, wrong_unit):
    file, manifest = str(wrong_unit / "a.case"), wrong_unit / "soid.toml"
    manifest.write_text(manifest.read_text().replace('unit = "m/s"', 'unit = "m/s", domain = [0, 100]'))
    assert main(["case", "new", file, "-p", str(wrong_unit)]) == 0
    assert main(["log", "check", "--case", file]) == 4
    assert f"kept as entry 2 of {file}" in " ".join(capsys.readouterr().out.split())
    assert main(["case", "show", file, "2"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "20 of 30 steps fit; 10 differ, the first at step 4" in told
    assert main(["case", "show", file, "2", "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert (kept["kind"], kept["payload"]["verdict"]) == ("compared", "differs")
    name, result = kept["payload"]["log"], kept["payload"]["result"]
    assert result["partings"][0]["source"] == f"{name}:5"  # and not where it lies on this machine
    (warning,) = result["warnings"]
    assert f"in 11 steps, first at {name}:20: it is a fact" in warning


def test_who_stops_it_is_told_how_far_it_came(capsys, monkeypatch):
    noted: list[ComparedStep] = []
    whole = whole_log.LogTally.add

    def stopping(self: whole_log.LogTally, found: ComparedStep, unsure: object) -> None:
        noted.append(found)
        if len(noted) == 101:
            raise KeyboardInterrupt
        whole(self, found, unsure)  # type: ignore[arg-type]

    monkeypatch.setattr(whole_log.LogTally, "add", stopping)
    assert main(["log", "check", *DRONE]) == 130
    assert "Stopped after step 99: 100 steps were compared, and none of these differs." in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_table_that_cannot_be_written(capsys):
    assert main(["log", "check", "--csv", "/nowhere/steps.csv", *DRONE]) == 10
    assert "cannot be written" in capsys.readouterr().err

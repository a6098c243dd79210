"""Where the log has a clock, what is told of a moment has its time; where it has none, nothing is said of times."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from soid.cli import main
from soid.examples import folder
from tests.projects.clocked_oven import clocked_oven

QUESTION = "might action == CANCEL if heat is anything"


@pytest.fixture
def oven(tmp_path: Path) -> Path:
    return clocked_oven(tmp_path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_inspect(oven: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "inspect", "-p", str(oven), "-s", "2")
    assert "step 2, 0.5 s" in out and "logged from 0 s (7000 ms)" in out and "this step at 0.5 s (7500 ms)" in out
    found = json.loads(said(capsys, "inspect", "-p", str(oven), "-s", "2", "--json"))
    assert found["time"] == {"seconds": 0.5, "logged": "7500", "unit": "ms"}


def test_a_moment_may_be_given_by_its_time(oven: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "step 2, 0.5 s" in said(capsys, "inspect", "-p", str(oven), "-s", "0.6s")
    found = json.loads(said(capsys, "ask", "-p", str(oven), "--step", "@7500", "did action == NOTHING", "--json"))
    assert found["step"] == 2
    assert main(["ask", "-p", str(oven), "-s", "9s", "did action == CANCEL"]) == 17
    assert "Its times go from 0 s to" in " ".join(capsys.readouterr().err.split())
    assert main(["ask", "-p", str(oven), "-s", "three", "did action == CANCEL"]) == 17
    assert "three is neither a step nor a time" in capsys.readouterr().err
    case = str(tmp_path / "oven.case")
    said(capsys, "case", "new", case, "-p", str(oven))
    assert "step 2 of oven/log.jsonl is called half" in said(capsys, "case", "keyframe", case, "0.5s", "half")
    question = "might action == CANCEL within 2 steps if error to 0.5s"
    found = json.loads(said(capsys, "case", "ask", case, question, "--step", "0.5s", "--json"))
    assert found["step"] == 2
    assert found["question"] == "might action == CANCEL within 2 steps as logged if error to step 2"


def test_headings(oven: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Question ─ step 3, 0.75 s" in re.sub("─+", "─", said(capsys, "ask", "-p", str(oven), QUESTION))
    case, html = str(tmp_path / "oven.case"), tmp_path / "report.html"
    said(capsys, "case", "new", case, "-p", str(oven))
    said(capsys, "report", case, "--html", str(html))
    assert "log.jsonl, 0.75 s after its first row (its clock says 7750 ms), the program" in re.sub(
        "<[^>]*>", "", html.read_text()
    )


def test_without_a_clock(capsys: pytest.CaptureFixture[str]) -> None:
    oven = str(folder("microwave"))
    assert json.loads(said(capsys, "inspect", "-p", oven, "-s", "3", "--json"))["time"] is None
    out = said(capsys, "inspect", "-p", oven, "-s", "3")
    assert "logged from" not in out and "step 3," not in out
    shown = json.loads(said(capsys, "log", "show", "-p", oven, "--json"))
    assert (shown["first_time"], shown["last_time"]) == (None, None)
    assert {change["time"] for change in shown["changes"]} == {None}
    assert main(["log", "show", "-p", oven, "--from", "1s"]) == 17
    assert "does not say when its steps were logged" in " ".join(capsys.readouterr().err.split())

"""What every program has, on neural networks: explanations, maps, pairs, several networks, record and report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from soid.case.case import Case
from soid.case.project import Project
from soid.cli import main
from soid.documents import json_of
from soid.explanation.explanation_words import explanation
from soid.explanation.flips import Flip
from soid.mapping.partition import Fineness
from soid.oracle.inquiry import Settings
from tests.network_files import FLOAT, network_file, run

MANIFEST = """
[programs.old]
engine = "model"
model = "old.onnx"
[programs.old.decisions]
side = "argmax of y"
[programs.new]
engine = "model"
model = "new.onnx"
[programs.new.decisions]
side = "argmax of y"
[trace]
file = "log.jsonl"
[variables]
x_0 = { domain = [-4.0, 4.0] }
x_1 = { domain = [-4.0, 4.0] }
"old.side" = { labels = ["LEFT", "RIGHT"] }
"new.side" = { labels = ["LEFT", "RIGHT"] }
"""
SINGLE = """
[program]
engine = "model"
model = "old.onnx"
[decisions]
side = "argmax of y"
[trace]
file = "log.jsonl"
[variables]
x_0 = { domain = [-4.0, 4.0] }
x_1 = { domain = [-4.0, 4.0] }
side = { labels = ["LEFT", "RIGHT"] }
"""


def network(threshold: float) -> bytes:
    """RIGHT where relu(x_0) + relu(x_1) / 4 is more than a number."""
    weights = {"w": np.array([[0.0, 1.0], [0.0, 0.25]], np.float32), "b": np.array([threshold, 0.0], np.float32)}
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Gemm", ["r", "w", "b"], ["y"])]
    return network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], weights)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.onnx").write_bytes(network(1.0))
    (tmp_path / "new.onnx").write_bytes(network(1.5))
    (tmp_path / "soid.toml").write_text(SINGLE)
    (tmp_path / "both.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text('{"x_0": 0.0, "x_1": 1.0, "side": "LEFT"}\n')
    return tmp_path


def opened(file: Path) -> Project:
    return Project.open(file, settings=Settings(replay="off", seconds=20.0))


def test_a_flip_is_told_as_far_as_it_is_proved(folder: Path) -> None:
    """It flips at 0.75, where the last bits decide: before, it was not told at all."""
    found = opened(folder).explain("might side == RIGHT if x_0 is anything", others=0)
    assert found.mattered is not None
    ((flip,),) = (each.flips for each in found.mattered.sets)
    assert isinstance(flip, Flip)
    last, first = (float(np.array(bits, np.uint32).view(np.float32)) for bits in flip.values)
    assert last <= 0.75 <= first and first - last < 1e-5
    assert flip.open_between is not flip.neighbours


def test_where_the_last_bits_decide_the_flip_is_that_of_runs(folder: Path) -> None:
    """No value lies between the two at which onnxruntime itself gives the one label and the other."""
    weights = {"w": np.array([[0.0, 0.37], [0.0, 0.23]], np.float32), "b": np.array([1.1, 0.0], np.float32)}
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Gemm", ["r", "w", "b"], ["y"])]
    content = network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], weights)
    (folder / "old.onnx").write_bytes(content)
    project = Project.open(folder)
    found = project.explain("might side == RIGHT if x_0 is anything", others=0)
    assert found.mattered is not None
    ((flip,),) = (each.flips for each in found.mattered.sets)
    assert isinstance(flip, Flip) and flip.open_between and flip.in_runs is not None
    (last, low, high, first) = (
        float(np.array(bits, np.uint32).view(np.float32)) for bits in (flip.values[0], *flip.in_runs, flip.values[1])
    )
    assert last <= low < high <= first and np.nextafter(np.float32(low), np.float32(9)) == np.float32(high)
    labels = [run(content, {"x": np.array([[value, 1.0]], np.float32)})[0].argmax() for value in (low, high)]
    assert labels == [0, 1]
    words = dict(explanation(json_of(found.document), project.program.interface))
    assert any("in the runs made here it flips between" in line.read for lines in words.values() for line in lines)


def test_a_map_is_settled_up_to_a_thin_band(folder: Path) -> None:
    found = opened(folder).map("0.25 <= x_0 <= 2 and 0.25 <= x_1 <= 4", by="side", fineness=Fineness(resolution=8))
    told = {region.label for region in found.document.regions}
    assert {"side = LEFT", "side = RIGHT"} <= told


def test_pairs_of_a_network(folder: Path) -> None:
    """Robustness: every input differs by at most one percent."""
    asked = opened(folder).ask
    differs = "x_0 differs by at most 1 % and x_1 differs by at most 1 %"
    near, far = "0.7 <= x_0 <= 0.8 and x_1 == 1", "1.5 <= x_0 <= 4 and x_1 == 1"
    assert asked(f"would side be the same if {differs}, for every state with {far}").verdict.value == "yes"
    found = asked(f"would side be the same if {differs}, for every state with {near}")
    assert found.verdict.value == "no"


def test_several_networks(folder: Path) -> None:
    project = opened(folder / "both.toml")
    made = project.compare(["might side == RIGHT if 0.8 <= x_0 <= 1.2"])
    assert {name: each.verdict.value for name, each in made.questions[0].answers.items()} == {"old": "yes", "new": "no"}
    differ = project.differ("old", "new", "0.8 <= x_0 <= 1.2", by="side")
    assert (differ.in_fact.verdict.value, differ.elsewhere.verdict.value) == ("yes", "no")
    assert project.differ("old", "new", "2 <= x_0 <= 4", by="side").elsewhere.verdict.value == "yes"


def test_the_record_and_the_report_of_a_network(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = folder / "adviser.case"
    commands = [
        ["case", "new", str(case), "--project", str(folder)],
        ["case", "ask", str(case), "would side == RIGHT if 1 <= x_0 <= 4", "--replay", "off"],
        ["report", str(case), "--html", str(folder / "report.html")],
    ]
    for command in commands:
        assert main(command) == 0, capsys.readouterr().err
    assert "old.onnx" in (folder / "report.html").read_text()
    with Case.open(case) as opened_case:
        assert len(opened_case.entries) >= 1
    capsys.readouterr()
    assert main(["case", "show", str(case), "--json"]) == 0
    assert "RIGHT" in json.dumps(capsys.readouterr().out)

"""A neural network that acts in a world: a label that is known almost everywhere, and numbers without a label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from soid.case.project import Project
from soid.errors import ManifestError
from soid.oracle.inquiry import Settings
from tests.network_files import FLOAT, network_file

WORLD = """
enum side { RIGHT, LEFT };
void step(float *x, enum side *last, int *away, enum side side)
{
    *x = side == RIGHT ? *x + 1.0f : *x - 1.0f;
    *away = *last == side && *x > 3.0f;
    *last = side;
}
"""
MANIFEST = """
[program]
engine = "model"
model = "side.onnx"
[inputs]
"x[1]" = "code of last: RIGHT = 0, LEFT = 1"
[decisions]
side = "argmax of y"
[world]
engine = "c"
sources = ["world.c"]
entry = "step"
names = { "*x" = "x_0", "*last" = "last" }
acts = { side = "side" }
[events]
far = { when = "*away == 1" }
[trace]
file = "log.jsonl"
[variables]
x_0 = { domain = [-100.0, 100.0] }
side = { labels = ["RIGHT", "LEFT"] }
"""


def project(folder: Path, world: str = WORLD) -> Project:
    """A network that goes on to the side on which it is: right of 0 to the right, left of it to the left."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    weights = {"w": np.array([[1.0, -1.0], [0.0, 0.0]], np.float32)}
    (folder / "side.onnx").write_bytes(network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], weights))
    (folder / "world.c").write_text(world)
    (folder / "soid.toml").write_text(MANIFEST)
    (folder / "log.jsonl").write_text('{"x_0": 0.5, "last": "RIGHT", "side": "RIGHT"}\n')
    return Project.open(folder, settings=Settings(replay="off"))


def test_a_network_goes_on_in_the_world(tmp_path: Path) -> None:
    asked = project(tmp_path).ask
    assert asked("would far within 3 steps if x_0 in {0.625, 0.75, 1.0}").verdict.value == "yes"
    assert asked("might far within 2 steps if x_0 in {0.625, 0.75, 1.0}").verdict.value == "no"
    assert asked("would not far within 4 steps if x_0 in {-2.0, -1.0}").verdict.value == "yes"


def test_only_where_the_label_hangs_on_the_last_bits_the_loop_is_open(tmp_path: Path) -> None:
    """Before, nothing was known of any state: at 0 there is a tie, so the label is not known everywhere."""
    asked = project(tmp_path).ask
    found = asked("might far within 3 steps if -1.0 <= x_0 <= 1.0")
    assert found.verdict.value == "yes"
    assert asked("might far within 2 steps if -1.0 <= x_0 <= 1.0").verdict.value in ("no", "unknown")


def test_a_number_without_a_label_means_nothing_to_the_network(tmp_path: Path) -> None:
    strange = WORLD.replace("*last = side;", "*last = (enum side)(*x > 1.0f ? 7 : side);")
    found = project(tmp_path, strange).ask("would not far within 3 steps if 0.5 <= x_0 <= 1.0")
    assert found.verdict.value == "unknown" and "number without a label" in found.reason


def test_a_world_with_other_labels_is_refused_with_those_of_the_decision(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="side is no decision of the type") as raised:
        project(tmp_path, WORLD.replace("{ RIGHT, LEFT }", "{ LEFT, RIGHT }"))
    assert "RIGHT = 0, LEFT = 1" in raised.value.remedy

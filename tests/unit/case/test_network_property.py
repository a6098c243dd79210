"""Properties of networks: bounds to the last float, relations of outputs, and the words of the competition."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from soid.case.network_property import PropertyExaminer
from soid.case.property_answer import PropertyAnswer, PropertyResult
from soid.cli import main
from soid.errors import InputError
from soid.oracle.inquiry import Settings
from soid.query.vnnlib import read_vnnlib
from soid.solver.chain import chain
from tests.network_files import FLOAT, network_file

DECLARED = "".join(f"(declare-const {name} Real)\n" for name in ("X_0", "X_1", "Y_0", "Y_1"))
UNIT = "(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1)))\n"
SAT, UNSAT, UNKNOWN = PropertyResult


def network(folder: Path) -> Path:
    """y = relu(x_0 + x_1), relu(x_0 - x_1)."""
    file = folder / "net.onnx"
    weights = {"w": np.array([[1.0, 1.0], [1.0, -1.0]], np.float32)}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    file.write_bytes(network_file(nodes, {"x": (FLOAT, (1, 2))}, ["y"], weights))
    return file


def asked(folder: Path, text: str) -> PropertyAnswer:
    with closing(chain()) as solver:
        settings = Settings(seconds=20.0, replay="off")
        return PropertyExaminer(network(folder), read_vnnlib(DECLARED + text, "p"), settings, solver).answer()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (UNIT + "(assert (>= Y_0 1.9))", SAT),
        (UNIT + "(assert (>= Y_0 2.1))", UNSAT),
        (UNIT + "(assert (>= (- Y_0 Y_1) 1.5))", SAT),
        (UNIT + "(assert (>= (- Y_0 Y_1) 2.5))", UNSAT),
        (UNIT + "(assert (>= (+ (* 3 Y_0) (* -1.5 Y_1)) 5.5))", SAT),
        (UNIT + "(assert (or (>= Y_0 3) (and (>= Y_1 0.9) (<= Y_0 1.0))))", SAT),
        ("(assert (or (and (= X_0 5) (= X_1 1)) (and (= X_0 -1) (= X_1 0.5))))(assert (<= Y_0 0.25))", SAT),
        (UNIT + "(assert (> X_0 1))", UNSAT),  # no box: nothing to ask
        (UNIT + "(assert (false))".replace("(false)", "false"), UNSAT),
    ],
)
def test_results(tmp_path: Path, text: str, result: PropertyResult) -> None:
    found = asked(tmp_path, text)
    assert found.result is result
    assert bool(found.counterexample) is (result is SAT)


def test_a_bound_between_two_floats_holds_no_float_beyond_it(tmp_path: Path) -> None:
    """0.1 lies below the float32 that is nearest to it: an input of 0.1f is greater than the bound."""
    box = "(assert (and (>= X_0 0.0999999) (<= X_0 0.1) (= X_1 0)))"
    found = asked(tmp_path, box + "(assert (>= Y_0 0))")
    assert np.float64(np.float32(found.inputs[0])) < 0.1 and found.result is SAT


def test_the_last_input_of_a_box_is_not_left_out_as_a_fact(tmp_path: Path) -> None:
    found = asked(tmp_path, "(assert (and (= X_0 0) (= X_1 0)))(assert (<= Y_0 0.5))")
    assert found.result is SAT and [abs(float(each)) for each in found.inputs] == [0, 0]


def test_what_hangs_on_the_last_bits_is_unknown(tmp_path: Path) -> None:
    """Both outputs are real numbers that differ by a little, and may be the same float."""
    found = asked(
        tmp_path, "(assert (and (>= X_0 0.3) (<= X_0 0.30001) (>= X_1 1e-10) (<= X_1 2e-10)))(assert (<= Y_0 Y_1))"
    )
    assert found.result is UNKNOWN and "last bits" in found.reason and found.counterexample == ""


def test_a_property_of_another_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"3 inputs and 2 outputs, and net\.onnx 2 and 2"):
        asked(tmp_path, UNIT + "(declare-const X_2 Real)(assert (<= Y_0 0))")


def test_the_command_says_the_word_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.vnnlib"
    file.write_text(DECLARED + UNIT + "(assert (>= Y_0 1.9))")
    command = ["ask", "--vnnlib", str(file), "--model", str(network(tmp_path)), "--quiet"]
    assert main(command) == 0
    word, first, *_, last = capsys.readouterr().out.splitlines()
    assert word == "sat" and first.startswith("((X_0 ") and last.startswith("(Y_1 ") and last.endswith("))")
    file.write_text(DECLARED + UNIT + "(assert (>= Y_0 2.1))")
    assert main([*command, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["result"] == "unsat"


def answered(file: Path, nodes: list[Any], count: int, constants: dict[str, Any], text: str) -> PropertyResult:
    """What is said of a network of its own, run in onnxruntime."""
    file.write_bytes(network_file(nodes, {"x": (FLOAT, (1, count))}, ["y"], constants))
    with closing(chain()) as solver:
        settings = Settings(seconds=20.0, witness_seconds=1.0)
        return PropertyExaminer(file, read_vnnlib(text, "p"), settings, solver).answer().result


@pytest.mark.parametrize("relation", ["(or (>= Y_0 1) (<= Y_0 1))", "(not (or (>= Y_0 1) (<= Y_0 1)))"])
def test_what_may_be_nan_is_on_no_side(relation: str, tmp_path: Path) -> None:
    """inf - inf: it was an internal error, for the runtime's NaN was not from -inf to inf."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["z"]), helper.make_node("MatMul", ["z", "v"], ["y"])]
    constants = {"w": np.full((1, 2), 1e30, np.float32), "v": np.array([[1.0], [-1.0]], np.float32)}
    text = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (and (>= X_0 1e10) (<= X_0 2e10)))"
    assert answered(tmp_path / "net.onnx", nodes, 1, constants, f"{text}(assert {relation})") is UNKNOWN


@pytest.mark.parametrize(("function", "least"), [("Sigmoid", 9.5), ("Tanh", 4.5)])
def test_a_curve_over_a_wide_range_is_not_below_its_chord(function: str, least: float, tmp_path: Path) -> None:
    """f(x) - c x, where c x is what the chord rises by: at x = 20 it is 1, and it was unsat."""
    nodes = [
        helper.make_node(function, ["x"], ["s"]),
        helper.make_node("Mul", ["x", "c"], ["m"]),
        helper.make_node("Sub", ["s", "m"], ["y"]),
    ]
    low = {"Sigmoid": 1 / (1 + np.exp(-least)), "Tanh": np.tanh(least)}[function]
    constants = {"c": np.array([(1.0 - low) / 5.5e12], np.float32)}
    text = "(declare-const X_0 Real)(declare-const Y_0 Real)"
    text += f"(assert (and (>= X_0 {least}) (<= X_0 5558613053440) (>= Y_0 0.99998)))"
    assert answered(tmp_path / "net.onnx", nodes, 1, constants, text) is not UNSAT

"""Networks as programs of an application: inputs that it makes, decisions of outputs, state; each replayed for real."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import pytest
from onnx import helper

from soid.assumptions import Ledger
from soid.engine.learned.kept_models import read_model
from soid.engine.learned.learned_engine import LearnedEngine
from soid.engine.learned.model import Greatest
from soid.engine.learned.network import NetworkSum
from soid.engine.manifest_reader import load
from soid.engine.registry import open_program
from soid.engine.replay import Returned
from soid.errors import ManifestError
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.jail.launcher import layers
from soid.program.interface import Interface, Role
from soid.program.types import BoolType, EnumType, FloatType, IntType, parse, show
from tests.network_files import DOUBLE, FLOAT, INT64, network_file, run

node = helper.make_node
_RNG: Final = np.random.default_rng(5)


def _numbers(*shape: int) -> Any:
    return _RNG.normal(size=shape).astype(np.float32)


CONSTANTS: Final = {
    "w": _numbers(5, 6), "b": _numbers(6), "v": _numbers(8, 4), "d": _numbers(4),
    "zero": np.array([0]), "one": np.array([1]), "two": np.array([2]),
}  # fmt: skip
NODES: Final = [
    node("Gemm", ["x", "w", "b"], ["h"]), node("Relu", ["h"], ["r"]), node("Concat", ["r", "h_in"], ["j"], axis=1),
    node("Gemm", ["j", "v", "d"], ["y"]), node("Tanh", ["y"], ["t"]),
    node("Slice", ["t", "zero", "two", "one"], ["h_out"]),
]  # fmt: skip
PLAIN: Final = network_file(NODES, {"x": (FLOAT, ["N", 5]), "h_in": (FLOAT, ["N", 2])}, ["y", "h_out"], CONSTANTS)
MANIFEST: Final = """
[inputs]
"x[0]" = "(altitude - 19791.091) / 60261.0"
"x[1:4]" = "one hot of weather: DRY, RAIN, SNOW"
"x[4]" = "code of gear: DOWN = -0.5, UP = 1"

[state]
h_in = "h_out"

[decisions]
advisory = "argmin of y"
best = "argmax of y"
strong = "y_0 - y_1 >= 0.2"
brake = "y_2 > 0.5"

[variables]
advisory = { labels = ["COC", "WL", "WR", "SL"] }
altitude = { domain = [0, 60000], unit = "ft" }
"""


def project(folder: Path, content: bytes, more: str = "") -> Path:
    (folder / "net.onnx").write_bytes(content)
    (folder / "soid.toml").write_text(f'[program]\nengine = "model"\nmodel = "net.onnx"\n{more}')
    return folder


def opened(folder: Path) -> tuple[Interface, LearnedEngine]:
    program, engine = open_program(load(folder).program)
    assert isinstance(engine, LearnedEngine)
    return program.interface, engine


def bits(interface: Interface, values: Mapping[str, str]) -> dict[str, int]:
    return {path: parse(interface.variable(path).type, text) for path, text in values.items()}


def test_the_interface_has_the_application_s_variables(tmp_path: Path) -> None:
    interface, engine = opened(project(tmp_path, PLAIN, MANIFEST))
    kinds = {each.path: each.type for each in interface}
    assert [each.path for each in interface if each.role is Role.STATE] == ["h_in_0", "h_in_1"]
    assert kinds["h_in_0"] == FloatType(FLOAT32)
    assert kinds["altitude"] == FloatType(FLOAT64)
    assert isinstance(kinds["weather"], EnumType)
    assert interface.variable("weather").domain_text == "DRY, RAIN, SNOW"
    assert isinstance(kinds["advisory"], EnumType)
    assert [label for label, _ in kinds["advisory"].labels] == ["COC", "WL", "WR", "SL"]
    assert kinds["strong"] == kinds["brake"] == BoolType()
    assert {"x_0", "x_4"}.isdisjoint(kinds)
    assert "h_in_0'" in [each.name for each in interface.outputs]
    told = "\n".join(engine.notes)
    assert "It is given x (1 x 5) and h_in (1 x 2) and gives y (1 x 4), h_out (1 x 2), advisory and best." in told
    assert "Layers: weights to 6, relu, weights to 4, tanh; 62 weights that are not 0." in told
    assert "x[0] = (altitude - 19791.091) / 60261.0; x[1:4] = one hot of weather: DRY, RAIN, SNOW;" in told


@pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
def test_a_scenario_is_replayed_in_onnxruntime(tmp_path: Path) -> None:
    interface, engine = opened(project(tmp_path, PLAIN, MANIFEST))
    replayer: Any = engine.replayer(unconfined=False)
    given = {"altitude": "31234.5", "weather": "RAIN", "gear": "DOWN", "h_in_0": "0.25", "h_in_1": "-0.5"}
    found = replayer.replay(bits(interface, given), [{}, bits(interface, {"weather": "SNOW"})])
    assert isinstance(found, Returned)
    state = np.array([[0.25, -0.5]], np.float32)
    scaled = np.float32((31234.5 - 19791.091) / 60261.0)
    for step, weather in enumerate(([0, 1, 0], [0, 1, 0], [0, 0, 1])):
        row = np.array([[scaled, *weather, -0.5]], np.float32)
        y, h = run(PLAIN, {"x": row, "h_in": state})
        outputs = (*found.earlier, found.outputs)[step]
        shown = {name: show(interface.output_type(name), value) for name, value in outputs.items()}
        for place in range(4):
            assert np.float32(shown[f"y_{place}"]) == y[0, place]
        assert [np.float32(shown[f"h_out_{place}"]) for place in range(2)] == h[0].tolist()
        assert not any(name.endswith("'") for name in shown)  # a log's state is not derived from this machine's bits
        assert shown["advisory"] == ["COC", "WL", "WR", "SL"][int(y.argmin())]
        assert shown["best"] == f"class_{y.argmax()}"
        assert shown["strong"] == str(bool(y[0, 0] - y[0, 1] >= 0.2)).lower()
        assert shown["brake"] == str(bool(y[0, 2] > 0.5)).lower()
        state = h


@pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
def test_how_an_application_computes_its_inputs_is_relied_on(tmp_path: Path) -> None:
    """In float32 the same formula gives other bits: what the manifest says is taken for granted, and said."""
    content = network_file([node("Identity", ["x"], ["y"])], {"x": (FLOAT, [1])}, ["y"])
    found = []
    for text in ("(a - 0.1) / 3", "in float32: (a - 0.1) / 3"):
        interface, engine = opened(project(tmp_path, content, f'[inputs]\nx = "{text}"\n'))
        replayer: Any = engine.replayer(unconfined=False)
        given = [replayer.replay(bits(interface, {"a": str(each / 7)})) for each in range(40)]
        found.append([each.outputs["y"] for each in given])
        assert f"x = {text}" in str(Ledger.PREPARED.of("; ".join(engine.application.told)))
    assert found[0] != found[1]


@pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
def test_classes_that_the_graph_chooses(tmp_path: Path) -> None:
    nodes = [
        node("Softmax", ["x"], ["p"]), node("ArgMax", ["p"], ["l"], axis=1, keepdims=0),
        node("Identity", ["p"], ["n"]), node("ArgMin", ["n"], ["m"], axis=1),
    ]  # fmt: skip
    one = network_file(nodes[:2], {"x": (DOUBLE, ["N", 3])}, ["p", "l"])
    interface, engine = opened(project(tmp_path, one))
    replayer: Any = engine.replayer(unconfined=False)
    given = bits(interface, {"x_0": "0.5", "x_1": "1.5", "x_2": "-2"})
    assert replayer.replay(given).outputs["decision"] == 1
    assert engine.model.label is not None
    assert engine.model.label.rule == Greatest(("l_0", "l_1", "l_2"), after_softmax=True)
    both = network_file(nodes, {"x": (DOUBLE, ["N", 3])}, ["l", "m"])
    interface, engine = opened(project(tmp_path, both))
    replayer = engine.replayer(unconfined=False)
    assert replayer.replay(given).outputs == {"l": 1, "m": 2}
    rules = [each.choice.rule for each in engine.model.choices]
    assert rules == [Greatest(("l_0", "l_1", "l_2"), after_softmax=True), Greatest(("m_0", "m_1", "m_2"))]
    assert all(each.precision == 64 for each in engine.model.sums)


def test_the_greatest_share_is_that_of_the_greatest_argument(tmp_path: Path) -> None:
    content = network_file([node("Softmax", ["x"], ["p"])], {"x": (FLOAT, ["N", 3])}, ["p"])
    _, engine = opened(project(tmp_path, content, '[decisions]\nbest = "argmax of p"\nworst = "argmin of p"\n'))
    best, worst = (each.choice.rule for each in engine.model.choices)
    assert isinstance(best, Greatest)
    assert isinstance(worst, Greatest)
    sums = {each.name: each for each in engine.model.sums if isinstance(each, NetworkSum)}
    assert best.after_softmax
    assert {term.vector for name in best.numbers for term in sums[name].terms} == {0}
    assert not worst.after_softmax  # small shares may be equal where their arguments differ
    assert {(term.vector, term.factor) for name in worst.numbers for term in sums[name].terms} == {(1, -1.0)}


def test_a_share_is_no_percentage(tmp_path: Path) -> None:
    content = network_file([node("Sigmoid", ["x"], ["p"])], {"x": (FLOAT, ["N", 1])}, ["p"])
    with pytest.raises(ManifestError, match="p is from 0 to 1"):
        opened(project(tmp_path, content, '[decisions]\nbrake = "p >= 37"\n'))


def test_inputs_are_of_the_element_s_own_type(tmp_path: Path) -> None:
    nodes = [node("Cast", ["n"], ["a"], to=FLOAT), node("Concat", ["x", "a"], ["y"], axis=1)]
    content = network_file(nodes, {"x": (FLOAT, ["N", 2]), "n": (INT64, ["N", 1])}, ["y"])
    interface, _ = opened(project(tmp_path, content))
    assert interface.variable("x_0").type == FloatType(FLOAT32)
    assert interface.variable("n").type == IntType(64, signed=True)
    assert interface.variable("n").domain_text == "-9007199254740992 to 9007199254740992"
    for kind, domain in (
        ("int32", "-2147483648 to 2147483647"),
        ("uint8", "0 to 255"),
        ("uint64", "0 to 9007199254740992"),
    ):
        stated, _ = opened(project(tmp_path, content, f'[variables]\nn = {{ type = "{kind}" }}\n'))
        assert stated.variable("n").domain_text == domain
    with pytest.raises(ManifestError, match="in the program it is int64"):
        opened(project(tmp_path, content, '[variables]\nn = { type = "float32" }\n'))
    wider, _ = opened(project(tmp_path, content, '[variables]\nx_0 = { type = "float64" }\nx_1 = { type = "int8" }\n'))
    assert wider.variable("x_0").type == FloatType(FLOAT64)
    assert wider.variable("x_1").type == IntType(8, signed=True)


def test_names_in_the_file_s_metadata(tmp_path: Path) -> None:
    nodes = [node("MatMul", ["x", "w"], ["y"]), node("ArgMax", ["y"], ["l"], axis=1)]
    model = onnx.load_from_string(network_file(nodes, {"x": (FLOAT, ["N", 2])}, ["l"], {"w": _numbers(2, 3)}))
    helper.set_model_props(model, {"feature_names": '["speed", "gap (m)"]', "class_names": "GO, WAIT, STOP"})
    interface, _ = opened(project(tmp_path, model.SerializeToString()))
    assert [each.path for each in interface] == ["speed", "gap_m", "decision"]
    decision = interface.variable("decision").type
    assert isinstance(decision, EnumType)
    assert [label for label, _ in decision.labels] == ["GO", "WAIT", "STOP"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[inputs]\nz = "a"\n', "no input z"),
        ('[inputs]\nx = "a"\n', "makes 1 for 5 elements"),
        ('[inputs]\n"x[5]" = "a"\n', "x has 5 elements"),
        ('[inputs]\n"x[1:3]" = "one hot of w: A, B, C"\n', "makes 3 for 2"),
        ('[inputs]\n"x[3:3]" = "a"\n', "has no elements"),
        ('[inputs]\n"x[0]" = "a"\n"x[0:2]" = "one hot of w: A, B"\n', "made twice"),
        ('[inputs]\n"x[0]" = "x_1"\n', "an element of the network itself"),
        ('[inputs]\n"x[0]" = "a / 0"\n', "divide by 0"),
        ('[inputs]\n"x[0]" = "a * a"\n', "second name"),
        ('[inputs]\n"x[0]" = "w"\n"x[1:3]" = "one hot of w: A, B"\n', "other labels"),
        ('[decisions]\nbest = "argmax of z"\n', "no output z"),
        ('[decisions]\nstrong = "y_0 - z >= 1"\n', "no number z"),
        ('[decisions]\nstrong = "y_9 >= 1"\n', "no number y_9"),
        ('[state]\nh_in = "y"\n', "other sizes or types"),
        ('[state]\nz = "y"\n', "no input z"),
        ('[state]\nh_in = "h_out"\n[inputs]\n"h_in[0]" = "a + 1"\n', "also in \\[inputs\\]"),
    ],
)
def test_what_does_not_fit_the_network_is_refused(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=why):
        opened(project(tmp_path, PLAIN, text))


def test_trees_have_no_inputs_to_make(tmp_path: Path) -> None:
    model = Path(__file__).parent / "readers" / "onnx_models" / "xgb.onnx"
    for text in ('[inputs]\nx = "a"\n', '[decisions]\nbest = "argmax of y"\n', '[state]\nh = "k"\n'):
        with pytest.raises(ManifestError, match="only a neural network"):
            opened(project(tmp_path, model.read_bytes(), text))


def test_the_file_s_own_model_stays_as_it_is(tmp_path: Path) -> None:
    folder = project(tmp_path, PLAIN, MANIFEST)
    _, engine = opened(folder)
    assert engine.read.model == read_model(folder / "net.onnx").model
    assert len(engine.read.model.features) == 7
    assert len(engine.model.features) == 5

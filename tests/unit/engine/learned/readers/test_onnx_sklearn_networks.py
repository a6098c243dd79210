"""Networks as skl2onnx exports them: a scaler before, and the labels of classes behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from soid.case.project import Project
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx import read
from soid.oracle.inquiry import Settings
from soid.program.types import EnumType
from tests.network_files import FLOAT, INT64, compare, random_inputs, run

STRING = onnx.TensorProto.STRING


def exported(labels: list[Any], behind: str = "ArrayFeatureExtractor") -> bytes:
    """As skl2onnx exports a pipeline of StandardScaler and MLPClassifier."""
    draw = np.random.default_rng(3)
    texts = isinstance(labels[0], str)
    values = [each.encode() for each in labels] if texts else labels
    constants = [
        numpy_helper.from_array(draw.normal(size=(3, 8)).astype(np.float32), "w"),
        numpy_helper.from_array(draw.normal(size=(1, 8)).astype(np.float32), "b"),
        numpy_helper.from_array(draw.normal(size=(8, len(labels))).astype(np.float32), "v"),
        numpy_helper.from_array(np.array([-1], np.int64), "shape"),
        helper.make_tensor("classes", STRING if texts else INT64, [len(labels)], values),
    ]
    nodes = [
        helper.make_node(
            "Scaler", ["X"], ["scaled"], domain="ai.onnx.ml", offset=[0.1, -0.5, 2.0], scale=[2.0, 0.3, 1.0]
        ),
        helper.make_node("MatMul", ["scaled", "w"], ["products"]),
        helper.make_node("Add", ["products", "b"], ["sums"]),
        helper.make_node("Relu", ["sums"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "v"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["probabilities"]),
        helper.make_node("ArgMax", ["probabilities"], ["index"], axis=1),
        helper.make_node(behind, ["classes", "index"], ["found"], domain="ai.onnx.ml"),
        helper.make_node("Reshape", ["found", "shape"], ["flat"]),
        helper.make_node("Cast", ["flat"], ["label"], to=STRING if texts else INT64),
    ]
    given = [helper.make_tensor_value_info("X", FLOAT, [None, 3])]
    results = [
        helper.make_tensor_value_info("label", STRING if texts else INT64, None),
        helper.make_tensor_value_info("probabilities", FLOAT, None),
    ]
    graph = helper.make_graph(nodes, "graph", given, results, constants)
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 1)]
    content: bytes = helper.make_model(graph, opset_imports=sets, ir_version=10).SerializeToString()
    return content


@pytest.mark.parametrize(
    ("labels", "names"),
    [([3, 7, 5], ["class_3", "class_7", "class_5"]), (["RED", "GREEN", "dark blue"], ["RED", "GREEN", "dark_blue"])],
)
def test_labels_are_those_of_the_file_and_of_the_runtime(tmp_path: Path, labels: list[Any], names: list[str]) -> None:
    (tmp_path / "net.onnx").write_bytes(exported(labels))
    (tmp_path / "soid.toml").write_text(
        '[program]\nengine = "model"\nmodel = "net.onnx"\n[trace]\nfile = "log.csv"\n'
        "[variables]\nX_0 = { domain = [-3.0, 3.0] }\nX_1 = { domain = [-3.0, 3.0] }\n"
    )
    (tmp_path / "log.csv").write_text("X_0,X_1,X_2\n0.5,-0.25,1.0\n")
    project = Project.open(tmp_path, settings=Settings(seconds=30.0))
    kind = project.program.interface.variable("decision").type
    assert isinstance(kind, EnumType)
    assert [label for label, _ in kind.labels] == names
    found = [project.ask(f"might decision == {name} if X_0 is anything and X_1 is anything") for name in names]
    assert sum(each.verdict.value == "yes" for each in found) >= 2  # each was replayed: another label is an error
    shown = [each.witness for each in found if each.verdict.value == "yes"]
    assert all(each is not None and "onnxruntime" in each.replayed for each in shown)


def test_a_scaler_rounds_as_the_layers_allow() -> None:
    content = exported([0, 1])
    graph = onnx.load_from_string(content)
    del graph.graph.output[0]
    plain = graph.SerializeToString()
    model, rng = read(plain), np.random.default_rng(1)
    for _ in range(40):
        given = random_inputs(model, {"X": FLOAT}, rng)
        compare(model, given, run(plain, given), ["probabilities"])


def test_a_zipmap_is_refused_with_the_option_that_leaves_it_out() -> None:
    with pytest.raises(ModelRefused) as raised:
        read(exported([0, 1], "ZipMap"))
    assert "zipmap" in raised.value.remedy

"""Files that are damaged or mean harm: the reader of ONNX files says so, quickly, and has no other error."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from soid.engine.learned.model import LearnedModel
from soid.engine.learned.readers.onnx import read, recognises
from soid.errors import ProgramError
from tests.mutated_models import mutations
from tests.onnx_ensembles import evaluated, model_file

MODELS: Final = Path(__file__).parent / "onnx_models"
FILES: Final = [(MODELS / f"{name}.onnx").read_bytes() for name in ("ct2_i64", "ct_lr", "lgb", "xgb3", "rf3_f64")]


def survives(content: bytes) -> bool:
    """Whether it is read all the same; then it can be evaluated."""
    recognises(content[:4096])
    try:
        model = read(content)
    except ProgramError:
        return False
    _is_sound(model)
    return True


def _is_sound(model: LearnedModel) -> None:
    rows = np.array([[0.0] * len(model.features), [1.0] * len(model.features), [-7.5] * len(model.features)])
    found = evaluated(model, rows)
    for trees in model.trees:
        assert np.isfinite(np.frombuffer(trees.values, "<f8")).all()
    for each in model.outputs:
        assert each.number in found.numbers


def test_damaged_files_are_refused_or_read() -> None:
    read_all_the_same = 0
    for number, content in enumerate(FILES):
        read_all_the_same += sum(survives(each) for each in mutations(content, 60, number))
    assert 0 < read_all_the_same < 250


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
def test_ten_thousand_damaged_files_are_refused_or_read() -> None:
    for number, content in enumerate(FILES):
        for each in mutations(content, 2000, 100 + number):
            survives(each)
        for each in field_mutations(content, 1000, 200 + number):
            survives(each)


def field_mutations(content: bytes, count: int, seed: int) -> Any:
    """Files that are well-formed, but for one number of one attribute."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        model = onnx.load_from_string(content)
        node = model.graph.node[rng.integers(len(model.graph.node))]
        if node.attribute:
            attribute = node.attribute[rng.integers(len(node.attribute))]
            for values, others in (
                (attribute.ints, (-1, 0, 1, 7, 2**31, 2**62, -(2**63))),
                (attribute.floats, (math.nan, math.inf, -math.inf, 3e38, -1.0, 1e-45)),
                (attribute.strings, (b"", b"\xff\xfe", b"BRANCH_EQ", b"LEAF", b"BRANCH_GT")),
            ):
                if values:
                    values[rng.integers(len(values))] = others[rng.integers(len(others))]
                    if rng.random() < 0.1:
                        del values[rng.integers(len(values)) :]
        yield model.SerializeToString()


def test_wrong_numbers_in_attributes_are_refused_or_read() -> None:
    for number, content in enumerate(FILES):
        for each in field_mutations(content, 12, number):
            survives(each)


def stump(**more: Any) -> bytes:
    attributes: dict[str, Any] = {
        "n_targets": 1, "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.5, 0.0, 0.0],
        "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0], "target_treeids": [0, 0],
        "target_nodeids": [1, 2], "target_ids": [0, 0], "target_weights": [1.0, 2.0],
    }  # fmt: skip
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", **(attributes | more))
    return model_file([node], 1, TensorProto.FLOAT, {"y": TensorProto.FLOAT})


BROKEN: Final[dict[str, tuple[bytes, str]]] = {
    "nothing": (b"", "0 graphs"),
    "a length beyond the end": (b"\x08\x08\x3a\xff\xff\xff\xff\x0f", "ends at byte"),
    "a number without an end": (b"\x08" + b"\xff" * 20, "no end"),
    "a group": (b"\x0b\x0c", "field of kind 3"),
    "a circle of two": (
        stump(
            nodes_modes=["BRANCH_LEQ", "BRANCH_LT", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 2, 0],
            target_nodeids=[2, 0],
        ),
        "circle",
    ),
    "a circle of one": (stump(nodes_truenodeids=[0, 0, 0]), "circle"),
    "a child that does not exist": (stump(nodes_falsenodeids=[7, 0, 0]), "child"),
    "a feature that does not exist": (stump(nodes_featureids=[5, 0, 0]), "column 5 of 1"),
    "a negative feature": (stump(nodes_featureids=[-1, 0, 0]), "column -1"),
    "NaN as threshold": (stump(nodes_values=[math.nan, 0.0, 0.0]), "NaN"),
    "NaN at a leaf": (stump(target_weights=[math.nan, 0.0]), "weight nan"),
    "an infinite leaf": (stump(target_weights=[math.inf, 0.0]), "weight inf"),
    "leaves that overflow": (stump(target_weights=[3e38, 3e38]), "too large"),
    "a leaf without a weight": (
        stump(target_treeids=[0], target_nodeids=[1], target_ids=[0], target_weights=[1.0]), "leaf",
    ),
    "a target that does not exist": (stump(target_ids=[0, 3]), "number 3 of 1"),
    "a node twice": (stump(nodes_nodeids=[0, 1, 1]), "two nodes of one number"),
    "lists of other lengths": (stump(nodes_values=[0.5]), "lengths"),
    "another type": (stump(nodes_values=[1, 2, 3]), "another type"),
    "a billion targets": (stump(n_targets=10**9), "1000000000 numbers"),
    "a billion columns": (
        model_file([helper.make_node("Identity", ["x"], ["y"])], 10**9, TensorProto.FLOAT, {"y": TensorProto.FLOAT}),
        "columns",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_says_what_is_wrong(what: str) -> None:
    content, told = BROKEN[what]
    with pytest.raises(ProgramError, match=told):
        read(content)


def test_a_tensor_that_claims_a_billion_elements_takes_no_memory() -> None:
    content = onnx.load_from_string(stump())
    tensor = content.graph.initializer.add()
    tensor.name, tensor.data_type = "c", TensorProto.FLOAT
    tensor.dims.extend([10**9])
    with pytest.raises(ProgramError, match="tensor of shape"):
        read(content.SerializeToString())


def test_a_chain_as_long_as_the_file_is_no_recursion() -> None:
    count = 5000
    every = range(2 * count + 1)
    content = stump(
        nodes_treeids=[0 for _ in every], nodes_nodeids=list(every), nodes_featureids=[0 for _ in every],
        nodes_modes=["BRANCH_LEQ", "LEAF"] * count + ["LEAF"], nodes_values=[float(n) for n in every],
        nodes_truenodeids=[n + 1 if n % 2 == 0 and n < 2 * count else 0 for n in every],
        nodes_falsenodeids=[n + 2 if n % 2 == 0 and n < 2 * count else 0 for n in every],
        target_treeids=[0] * (count + 1), target_nodeids=[*range(1, 2 * count, 2), 2 * count],
        target_ids=[0] * (count + 1), target_weights=[1.0] * (count + 1),
    )  # fmt: skip
    assert len(np.frombuffer(read(content).trees[0].feature, "<i4")) == 2 * count + 1


def test_nodes_with_two_parents_do_not_multiply_without_end() -> None:
    """Each level's node has both children in the next: a path doubles with every level."""
    count = 60
    content = stump(
        nodes_treeids=[0] * (count + 1), nodes_nodeids=list(range(count + 1)), nodes_featureids=[0] * (count + 1),
        nodes_modes=["BRANCH_LEQ"] * count + ["LEAF"], nodes_values=[float(n % 7) for n in range(count + 1)],
        nodes_truenodeids=[*range(1, count + 1), 0], nodes_falsenodeids=[*range(1, count + 1), 0],
        target_treeids=[0], target_nodeids=[count], target_ids=[0], target_weights=[1.0],
    )  # fmt: skip
    with pytest.raises(ProgramError, match="too many"):
        read(content)

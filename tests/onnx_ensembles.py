"""ONNX files for tests: random tree ensembles, and what runs them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from soid.engine.learned.evaluation import Evaluated, ModelEvaluation
from soid.engine.learned.model import LearnedModel

KINDS: Final = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64, TensorProto.INT64: np.int64}
MODES: Final = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_TYPES: Final = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}


def model_file(
    nodes: list[Any], columns: int, kind: int, outputs: dict[str, int], ml: int = 3, **constants: Any
) -> bytes:
    """A file with one table as its input."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", kind, [None, columns])],
        [helper.make_tensor_value_info(name, each, None) for name, each in outputs.items()],
        [helper.make_tensor(name, *given) for name, given in constants.items()],
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", ml)]
    found: bytes = helper.make_model(graph, opset_imports=versions, ir_version=8).SerializeToString()
    return found


def random_nodes(
    rng: np.random.Generator,
    trees: int,
    depth: int,
    columns: int,
    modes: tuple[str, ...] = MODES,
    whole: bool = False,
    missing: bool = True,
) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """Attributes of nodes, and the leaves as pairs of numbers."""
    found: dict[str, Any] = {name: [] for name in _ATTRIBUTES}
    leaves = []
    for tree in range(trees):
        waiting, number = [(0, 0)], 1
        while waiting:
            node, level = waiting.pop(0)
            inner = level < depth and (level == 0 or rng.random() < 0.8)
            threshold = float(rng.integers(-3, 4)) if whole or rng.random() < 0.3 else float(np.float32(rng.normal()))
            row = [tree, node, int(rng.integers(columns)), "LEAF", 0, 0, threshold, 0]
            if inner:
                row[3:6] = [str(rng.choice(modes)), number, number + 1]
                row[7] = int(missing and rng.random() < 0.4)
                waiting += [(number, level + 1), (number + 1, level + 1)]
                number += 2
            else:
                leaves.append((tree, node))
            for name, value in zip(_ATTRIBUTES, row, strict=True):
                found[name].append(value)
    return found, leaves


_ATTRIBUTES: Final = (
    "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_modes", "nodes_truenodeids", "nodes_falsenodeids",
    "nodes_values", "nodes_missing_value_tracks_true",
)  # fmt: skip


def weights(prefix: str, leaves: list[tuple[int, int]], targets: list[int], values: list[float]) -> dict[str, Any]:
    """One weight for each leaf and target."""
    pairs = [(leaf, target) for leaf in leaves for target in targets]
    return {
        f"{prefix}_treeids": [leaf[0] for leaf, _ in pairs],
        f"{prefix}_nodeids": [leaf[1] for leaf, _ in pairs],
        f"{prefix}_ids": [target for _, target in pairs],
        f"{prefix}_weights": values,
    }


def session(content: bytes, threads: int = 1) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 4
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def fed(running: Any, model: LearnedModel, rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Rows as the inputs of a graph: codes of texts become the texts."""
    found, first = {}, 0
    for given in running.get_inputs():
        count = given.shape[1]
        columns = rows[:, first : first + count]
        if given.type == "tensor(string)":
            labels = [
                {code: label for label, code in each.categories} for each in model.features[first : first + count]
            ]
            texts = [
                [known.get(int(code), "unseen") for known, code in zip(labels, row, strict=True)] for row in columns
            ]
            found[given.name] = np.array(texts, object)
        else:
            with np.errstate(over="ignore"):
                found[given.name] = columns.astype(_TYPES[given.type])
        first += count
    return found


def evaluated(model: LearnedModel, rows: np.ndarray[Any, Any]) -> Evaluated:
    with np.errstate(all="ignore"):
        return ModelEvaluation(model).of(rows)


def compared(
    content: bytes, model: LearnedModel, rows: np.ndarray[Any, Any], threads: int = 1
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Numbers as the library shows them, the same numbers as soid has them, and which labels are the same."""
    running = session(content, threads)
    results = running.run(None, fed(running, model, rows))
    own = evaluated(model, rows)
    labels = np.ones(len(rows), bool)
    if model.label is not None:
        labels = results[0].astype(str) == np.array(model.label.classes)[own.labels]
        results = results[1:]
    shown = [each for each in model.outputs if each.name.startswith("prob")] or list(model.outputs)
    theirs = _table(results, len(rows))[:, -len(shown) :]
    return theirs, np.stack([own.numbers[each.number] for each in shown], 1).astype(theirs.dtype), labels


def _table(results: list[Any], count: int) -> np.ndarray[Any, Any]:
    if isinstance(results[0], list):  # a mapping from classes for each row
        return np.array([list(row.values()) for row in results[0]], np.float32)
    return np.concatenate([each.reshape(count, -1) for each in results], 1)


def same_bits(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Row by row; all NaNs are one."""
    bits = np.int32 if one.dtype == np.float32 else np.int64
    found: np.ndarray[Any, Any] = ((one.view(bits) == other.view(bits)) | (np.isnan(one) & np.isnan(other))).all(axis=1)
    return found

"""What onnxruntime's own functions are off by, measured on the one that is installed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from soid.engine.learned.networks.float_errors import UNIT
from soid.engine.learned.networks.runtime_functions import ABSOLUTE, RELATIVE, RUNTIME, lead_margin, share_errors

FUNCTIONS: dict[str, Any] = {"Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Tanh": np.tanh, "Exp": np.exp}
KINDS: dict[int, Any] = {
    32: (TensorProto.FLOAT, np.float32, np.uint32),
    64: (TensorProto.DOUBLE, np.float64, np.uint64),
}
SAFETY = 2  # the room that is left is so many times what is measured, at least


def run(operator: str, rows: Any, precision: int = 32) -> Any:
    kind, _, _ = KINDS[precision]
    ends = [helper.make_tensor_value_info(name, kind, [None, None]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "one", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": rows})[0]


def arguments(seed: int, count: int, precision: int) -> Any:
    """Numbers of all exponents, and many of those at which the functions are steep."""
    _, kind, bits = KINDS[precision]
    draw = np.random.default_rng(seed)
    every = draw.integers(0, 2**precision, count, dtype=np.uint64).astype(bits).view(kind)
    near = np.concatenate(
        [draw.uniform(-20, 20, count), draw.uniform(-110, 110, count), draw.normal(size=count) * 0.01]
    )
    found = np.concatenate([every, near.astype(kind)])
    found = found[np.isfinite(found)]
    return found[: len(found) // 97 * 97].reshape(-1, 97)


def measured(operator: str, precision: int, seed: int, count: int) -> float:
    """The greatest error in units of the room that there is for it."""
    x = arguments(seed, count, precision)
    with np.errstate(all="ignore"):
        return _share_of_room(operator, precision, x)


def _share_of_room(operator: str, precision: int, x: Any) -> float:
    result = run(operator, x, precision).astype(np.longdouble)
    real = FUNCTIONS[operator](x.astype(np.longdouble))
    if operator == "Exp":
        inside = (real < float(np.finfo(KINDS[precision][1]).max) / 4) & (
            real > float(np.finfo(KINDS[precision][1]).tiny)
        )
        shares = np.abs(result - real)[inside] / (RELATIVE[precision] * UNIT[precision] * real[inside])
        assert (np.abs(result - real)[real <= float(np.finfo(KINDS[precision][1]).tiny)] < 1e-37).all()
    else:
        shares = np.abs(result - real) / (ABSOLUTE[operator.lower(), precision] * UNIT[precision])
    return float(shares.max())


def test_the_version_that_was_measured_is_the_one_that_is_installed() -> None:
    assert f"onnxruntime {onnxruntime.__version__}" == RUNTIME


@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("operator", FUNCTIONS)
def test_functions_are_off_by_half_of_their_room_at_most(operator: str, precision: int) -> None:
    assert 0.01 < measured(operator, precision, 0, 60_000) <= 1 / SAFETY


@pytest.mark.fuzz
@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.parametrize("operator", FUNCTIONS)
def test_functions_of_many_more_arguments(operator: str, precision: int) -> None:
    """`ARGUMENTS=1000` draws so many million for each function."""
    rounds = int(os.environ.get("ARGUMENTS", "80"))
    assert max(measured(operator, precision, seed, 250_000) for seed in range(1, rounds + 1)) <= 1 / SAFETY


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_shares_are_off_by_half_of_their_room_at_most(count: int) -> None:
    draw = np.random.default_rng(count)
    for scale in (0.01, 1, 5, 20, 60, 500):
        x = (draw.normal(size=(20_000 // count, count)) * scale).astype(np.float32)
        exact = np.exp(x.astype(np.longdouble) - x.max(axis=1, keepdims=True))
        exact /= exact.sum(axis=1, keepdims=True)
        assert (np.abs(run("Softmax", x) - exact) <= share_errors(exact, count, 32) / SAFETY).all()


def test_a_lead_above_the_margin_is_a_greater_share() -> None:
    """And a smaller lead may not be one: the margin is there for something."""
    shares = run("Softmax", np.array([[1e-9, 0.0, -1.0]], np.float32))[0]
    assert shares[0] == shares[1]
    draw = np.random.default_rng(0)
    x = (draw.normal(size=(200_000, 3)) * 3).astype(np.float32)
    order = np.argsort(x, axis=1)
    rows = np.arange(len(x))
    best = x[rows, order[:, 2]]
    for units in (1, 2, 4, 8, 24, 64):
        x[rows, order[:, 1]] = (best.astype(np.float64) - units * UNIT[32]).astype(np.float32)
        lead = best.astype(np.float64) - x[rows, order[:, 1]]
        shares = run("Softmax", x)
        greater = shares[rows, order[:, 2]] > shares[rows, order[:, 1]]
        assert greater[lead > lead_margin(32)].all()

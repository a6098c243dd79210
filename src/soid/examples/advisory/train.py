"""Teaches the advisory networks with scikit-learn: `python -m soid.examples.advisory.train [FOLDER]`.

Needs the extras `train` and `onnx`. A network learns which advisory costs least by the tables, from states that are
drawn at random. Two networks differ in nothing but the seed of states and weights:

    advisory.onnx              the network that flew
    retrained/advisory.onnx    another seed

scikit-learn 1.9 made the present ones. Another version, or another processor, may learn other weights.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np

from soid.examples.advisory.encounter import ADVISORIES, FASTEST, LONGEST, code
from soid.examples.advisory.tables import looked_up, tables

FOLDER: Final = Path(__file__).parent
SEEDS: Final = {"advisory.onnx": 1, "retrained/advisory.onnx": 3}
LAYERS: Final = (20, 20, 20)
LEARNED_FROM: Final = 5_000
HELD_OUT: Final = 100_000
ROUNDS: Final = 30

#: what the application makes of its variables, as the manifests have it: (value - middle) / scale
MIDDLES: Final = (0.0, 0.0, 0.0, 12.0, 0.0)
SCALES: Final = (500.0, 20.0, 20.0, 12.0, 1.0)

Array = np.ndarray[Any, Any]


def states(count: int, seed: int) -> tuple[Array, ...]:
    """Gaps, own rates, other's rates, seconds, and last advisories; most gaps are small."""
    draw = np.random.default_rng(seed)
    gaps = np.where(draw.random(count) < 0.6, draw.uniform(-800, 800, count), draw.uniform(-2200, 2200, count))
    own, other = draw.uniform(-FASTEST, FASTEST, (2, count))
    return gaps, own, other, draw.integers(1, LONGEST + 1, count), draw.integers(0, len(ADVISORIES), count)


def given(gap: Array, own: Array, other: Array, seconds: Array, last: Array) -> Array:
    """What the network is given, in the application's own roundings."""
    told: Array = np.stack([gap, own, other, seconds.astype(float), code(last)], axis=-1)
    made: Array = ((told - np.array(MIDDLES)) / np.array(SCALES)).astype(np.float32)
    return made


def learn(costs: Array, seed: int) -> Any:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    seen = states(LEARNED_FROM, seed)
    learner = MLPClassifier(LAYERS, batch_size=200, max_iter=ROUNDS, random_state=seed, learning_rate_init=0.002)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # it ends after these rounds, whether or not it might improve
        return learner.fit(given(*seen), looked_up(costs, *seen).argmin(axis=1))


def network_file(learner: Any) -> bytes:
    """The weights as an ONNX file, without the softmax: its greatest number is the greatest before it."""
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants, at = [], [], "x"
    for number, (weights, bias) in enumerate(zip(learner.coefs_, learner.intercepts_, strict=True), start=1):
        is_last = number == len(learner.coefs_)
        sums = "score" if is_last else f"sum_{number}"
        constants += [
            numpy_helper.from_array(values.astype(np.float32), f"{name}_{number}")
            for name, values in (("weights", weights), ("bias", bias))
        ]
        nodes.append(helper.make_node("Gemm", [at, f"weights_{number}", f"bias_{number}"], [sums]))
        if not is_last:
            at = f"layer_{number}"
            nodes.append(helper.make_node("Relu", [sums], [at]))
    shapes = {"x": len(MIDDLES), "score": len(ADVISORIES)}
    given_, result = (helper.make_tensor_value_info(each, TensorProto.FLOAT, [1, shapes[each]]) for each in shapes)
    graph = helper.make_graph(nodes, "advisory", [given_], [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    content: bytes = model.SerializeToString()
    return content


def scores(content: bytes, rows: Array) -> Array:
    """What a network gives, row by row: in onnxruntime, as the application calls it."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"x": row[None]})[0] for row in rows])


def measures(costs: Array, learner: Any) -> dict[str, str]:
    """What the model card says, in states that it has not learned from."""
    seen = states(HELD_OUT, 999)
    known = looked_up(costs, *seen)
    regret = known[np.arange(HELD_OUT), learner.predict(given(*seen))] - known.min(axis=1)
    return {
        "the advisory of the tables": f"{np.mean(regret == 0):.1%}",
        "costs more by 0.1": f"{np.mean(regret > 0.1):.3%}",
    }


def main(arguments: list[str]) -> int:
    folder, costs = Path(arguments[0]) if arguments else FOLDER, tables()
    for name, seed in SEEDS.items():
        try:
            learner = learn(costs, seed)
            content = network_file(learner)
        except ImportError as error:
            print(f"{error.name} is missing: pip install 'soid[train,onnx]'", file=sys.stderr)
            return 1
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        print(f"{file}: learned from {LEARNED_FROM} states, measured in {HELD_OUT} others")
        for what, share in measures(costs, learner).items():
            print(f"    {what}: {share}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

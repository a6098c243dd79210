"""How long questions about networks take: python -m tests.differential.network_speed --seconds 120 --count 12

random, trained     5 inputs, 6 layers of 50, 5 classes: does the class stay the winner in wide boxes?
wide                8 inputs, 3 layers of 128: all inputs within 0.15
image               784 inputs, 2 layers of 256, 10 classes: all inputs within 0.02; learned from noisy patterns
"""

from __future__ import annotations

import argparse
import struct
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from soid.engine.learned.network import Activated, Layer, Network
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from tests.small_networks import affine, engine_of, model_of, native, network, random_network

Case = tuple[str, Network, Any, float]  # its name, the network, the fact, and how far inputs may be from it


def trained(seed: int, sizes: list[int], rows: int = 4000) -> Network:
    """A network that scikit-learn has trained to tell five kinds of points apart."""
    draw = np.random.default_rng(seed)
    x = draw.uniform(-1, 1, (rows, sizes[0]))
    turned = draw.normal(size=(sizes[0], 3))
    score = np.sin(2.5 * x @ turned[:, 0]) + (x @ turned[:, 1]) ** 2 - x[:, 0] * (x @ turned[:, 2])
    kinds = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    return learned(seed, x, kinds, sizes[1:-1])


def learned(seed: int, rows: Any, kinds: Any, hidden: list[int]) -> Network:
    from sklearn.neural_network import MLPClassifier

    made = MLPClassifier(tuple(hidden), random_state=seed, max_iter=40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it could learn for longer
        made.fit(rows, kinds)
    layers: list[Layer] = []
    for number, (weights, bias) in enumerate(zip(made.coefs_, made.intercepts_, strict=True)):
        layers.append(affine(len(layers), weights.T.astype(np.float32), bias.astype(np.float32)))
        if number < len(made.coefs_) - 1:
            layers.append(Activated(len(layers), "relu"))
    return network(rows.shape[1], *layers)


def cases(count: int) -> Iterator[Case]:
    deep = [5, *[50] * 6, 5]
    for kind in ("random", "trained"):
        for seed in range(count):
            draw = np.random.default_rng(seed)
            one = random_network(draw, deep) if kind == "random" else trained(seed, deep)
            fact = draw.uniform(-1, 1, 5).astype(np.float32)
            for width in (0.05, 0.1, 0.2, 0.4) if kind == "random" else (0.01, 0.02, 0.05, 0.1, 0.2):
                yield kind, one, fact, width
    for seed in range(max(1, count // 3)):
        draw = np.random.default_rng(seed)
        yield "wide", random_network(draw, [8, 128, 128, 128, 5]), draw.uniform(-1, 1, 8).astype(np.float32), 0.15
        patterns = draw.random((10, 784)) * (draw.random((10, 784)) < 0.3)
        kinds = draw.integers(0, 10, 2000)
        noisy = np.clip(patterns[kinds] + draw.normal(size=(2000, 784)) * 0.3, 0, 1)
        yield "image", learned(seed, noisy, kinds, [256, 256]), noisy[0].astype(np.float32), 0.02


def asked(one: Network, fact: Any, width: float, seconds: float) -> tuple[str, float, float]:
    """The verdict, and the seconds that it took to solve: by the clock, and of all cores together."""
    values = native(one, fact[None])[0]
    engine, solver = engine_of(model_of(one, len(values))), chain()
    near = " and ".join(f"{float(x) - width!r} <= x{place} <= {float(x) + width!r}" for place, x in enumerate(fact))
    inputs = {f"x{place}": struct.unpack("<Q", struct.pack("<d", float(x)))[0] for place, x in enumerate(fact)}
    checked = parse_checked(f"would decision is c{values.argmax()} if {near}", engine.interface)
    settings = Settings(seconds=seconds, witness_seconds=0.0, replay="off")
    began, used = time.perf_counter(), time.process_time()
    found = answer(checked, Keyframe(0, inputs, {}, engine.interface), Context(engine, solver, settings=settings))
    return found.verdict.value, time.perf_counter() - began, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    took: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name, one, fact, width in cases(given.count):
        if given.only in name:
            verdict, seconds, used = asked(one, fact, width, given.seconds)
            took.setdefault((name, verdict), []).append((seconds, used))
            sys.stdout.write(f"{name:8} within {width:4}  {verdict:8}{seconds:8.2f} s, {used:.2f} s of CPU\n")
            sys.stdout.flush()
    for (name, verdict), each in took.items():
        slow = sum(seconds > 10 for seconds, _ in each)
        (middle, used), (longest, _) = np.median(each, axis=0), max(each)
        sys.stdout.write(
            f"{name:8} {verdict:8}{len(each):4}  median {middle:.2f} s ({used:.2f} s of CPU), longest {longest:.2f} s, "
            f"above 10 s: {slow}\n"
        )


if __name__ == "__main__":
    main()

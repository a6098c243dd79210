"""Verdicts about networks against runs of them: in onnxruntime, and in floats in several orders."""

from __future__ import annotations

import itertools
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from soid.engine.learned.learned_engine import LearnedEngine
from soid.engine.learned.network import Affine, Network
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.network_files import session_of
from tests.small_networks import FloatRun, engine_of, model_of, native, random_network, runs

ORDERS = ("blas", "in order", "reversed")
SETTINGS = Settings(seconds=20.0, witness_seconds=0.05, replay="off")


@dataclass(frozen=True)
class Asked:
    """A network as a program, and the moment at which it is asked about."""

    network: Network
    outputs: int
    fact: Any
    engine: LearnedEngine = field(init=False)
    session: Any = field(init=False)
    solver: Solver = field(default_factory=chain)

    def __post_init__(self) -> None:
        object.__setattr__(self, "engine", engine_of(model_of(self.network, self.outputs)))
        object.__setattr__(self, "session", session_of(self.network))

    def ask(self, question: str, settings: Settings = SETTINGS) -> Answer:
        interface = self.engine.interface
        inputs = {f"x{number}": _bits(value) for number, value in enumerate(self.fact)}
        context = Context(self.engine, self.solver, settings=settings)
        return answer(parse_checked(question, interface), Keyframe(0, inputs, {}, interface), context)

    def run(self, rows: Any) -> Any:
        """The last vector for rows, as onnxruntime gives it."""
        parts = np.array_split(rows.astype(np.float32), 1 + len(rows) // 100_000)
        return np.concatenate([self.session.run(None, {"v0": part})[0] for part in parts]).astype(np.float64)

    def results(self, rows: Any) -> list[Any]:
        """The same, and as floats give it in several orders."""
        return [self.run(rows), *(native(self.network, rows, order).astype(np.float64) for order in ORDERS)]

    def witness(self, given: Answer) -> Any:
        assert given.witness is not None
        return np.array([[_number(given.witness.inputs[f"x{number}"]) for number in range(len(self.fact))]])


def _bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", float(value)))[0])


def _number(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def small(seed: str) -> Asked:
    luck = random.Random(seed)
    draw = np.random.default_rng(luck.randrange(1 << 30))
    columns, outputs, depth = luck.randint(1, 3), luck.randint(2, 4), luck.randint(1, 3)
    sizes = [columns, *(luck.randint(2, 7) for _ in range(depth)), outputs]
    one = random_network(draw, sizes, luck.choice(("relu", "relu", "leaky_relu")), luck.choice((1.0, 2.0, 6.0)))
    return Asked(one, outputs, draw.uniform(-1, 1, columns).astype(np.float32).astype(np.float64))


def large(seed: str) -> Asked:
    luck = random.Random(seed)
    draw = np.random.default_rng(luck.randrange(1 << 30))
    columns, outputs = luck.randint(2, 6), luck.randint(2, 6)
    sizes = [columns, *[luck.choice((16, 32, 50))] * luck.randint(2, 6), outputs]
    return Asked(
        random_network(draw, sizes), outputs, draw.uniform(-1, 1, columns).astype(np.float32).astype(np.float64)
    )


def wide(seed: str) -> Asked:
    """Of so many inputs that signs of ReLUs are split."""
    luck = random.Random(seed)
    draw = np.random.default_rng(luck.randrange(1 << 30))
    columns, outputs = luck.randint(9, 24), luck.randint(2, 4)
    one = random_network(draw, [columns, *[luck.choice((12, 24, 40))] * luck.randint(2, 3), outputs])
    return Asked(one, outputs, draw.uniform(-1, 1, columns).astype(np.float32).astype(np.float64))


def family(asked: Asked, luck: random.Random, widest: float) -> tuple[str, Any, Any]:
    """Ranges of some inputs around the fact, and their ends."""
    low, high = asked.fact.copy(), asked.fact.copy()
    words = []
    free = luck.sample(range(len(low)), luck.randint(1, len(low)))
    for number in free:
        low[number] = float(np.float32(low[number] - luck.random() * widest))
        high[number] = float(np.float32(high[number] + luck.random() * widest))
        words.append(f"{float(low[number])!r} <= x{number} <= {float(high[number])!r}")
    return " and ".join(words), low, high


def grid(low: Any, high: Any, points: int, drawn: int) -> Any:
    sides = [np.linspace(a, b, points if b > a else 1) for a, b in zip(low, high, strict=True)]
    every = np.array(list(itertools.product(*sides)))
    more = np.random.default_rng(0).uniform(low, high, (drawn, len(low)))
    rows = np.concatenate([every, more]).astype(np.float32).astype(np.float64)
    return np.clip(rows, low, high)


def behaviors(asked: Asked, results: list[Any], luck: random.Random) -> Iterator[tuple[str, Any]]:
    """Questions, and their truth for each order's results."""
    chosen = luck.randrange(asked.outputs)
    yield f"decision is c{chosen}", lambda values: values.argmax(axis=1) == chosen
    output = luck.randrange(asked.outputs)
    values = np.sort(results[0][:, output])
    place = values[luck.randrange(len(values))]
    bound = float(luck.choice((place, values[0], values[-1], values[-1] + 0.1, values[0] - 1e-4)))
    yield f"y{output} >= {bound!r}", lambda values: values[:, output] >= bound


def compare(asked: Asked, luck: random.Random, seed: str, widest: float, rows_of: Any, few: int = 100_000) -> list[str]:
    """More rows than `few` are run in onnxruntime alone."""
    words, low, high = family(asked, luck, widest)
    rows = rows_of(low, high)
    results = asked.results(rows) if len(rows) <= few else [asked.run(rows)]
    fact = (rows == asked.fact).all(axis=1)
    met = []
    for behavior, truth in behaviors(asked, results, luck):
        truths = np.concatenate([truth(each)[~fact] for each in results])
        for kind in ("would", "might"):
            found = asked.ask(f"{kind} {behavior} if {words}")
            what = (seed, kind, behavior, words, found.reason)
            assert found.verdict in (Verdict.YES, Verdict.NO, Verdict.UNKNOWN), what
            if found.verdict is Verdict.UNKNOWN:
                met.append("unknown: time" if "time was over" in found.reason else "unknown")
                continue
            is_yes = found.verdict is Verdict.YES
            met.append(found.verdict.value)
            if is_yes == (kind == "would"):  # a proof: no row is an exception
                assert truths.all() if is_yes else not truths.any(), what
            else:
                row = asked.witness(found)
                assert ((row >= low) & (row <= high)).all() and not (row == asked.fact).all(), what
                for values in [*asked.results(row), *exact_results(asked, row[0], luck)]:
                    assert truth(values)[0] == (kind == "might"), what
    return met


def exact_results(asked: Asked, row: Any, luck: random.Random) -> list[Any]:
    if len(asked.network.layers) > 7:
        return []
    given: list[FloatRun] = runs(luck, 3)
    return [np.array([[float(each) for each in run.vectors(asked.network, row)[-1]]]) for run in given]


def compare_small(seed: str) -> list[str]:
    asked, luck = small(seed), random.Random(f"{seed} asked")
    return compare(asked, luck, seed, luck.choice((0.1, 1.0, 3.0)), lambda low, high: grid(low, high, 9, 300))


def test_verdicts_about_small_networks_are_those_of_their_runs() -> None:
    met = [each for number in range(5) for each in compare_small(f"network {number}")]
    assert met.count("yes") > 2 and met.count("no") > 2
    assert met.count("unknown: time") == 0
    assert met.count("unknown") <= len(met) // 4  # bounds are chosen at results: many hang on the last bits


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(0, 500, 10))
def test_more_small_networks(first: int) -> None:
    met = [each for number in range(first, first + 10) for each in compare_small(f"more {number}")]
    assert met.count("unknown: time") <= 1


def descended(asked: Asked, low: Any, high: Any) -> Any:
    """Rows at random, and from some of them towards the corners where leads are least: a grid would be too large."""
    draw = np.random.default_rng(0)
    rows = draw.uniform(low, high, (4000, len(low)))
    layers = [each for each in asked.network.layers if isinstance(each, Affine)]
    matrices = [np.frombuffer(each.weights).reshape(len(each.bias) // 8, -1) for each in layers]
    found, at = [rows], rows
    for step in range(20):
        given, active = at, []
        for number, (matrix, each) in enumerate(zip(matrices, layers, strict=True)):
            given = given @ matrix.T + np.frombuffer(each.bias)
            if number < len(layers) - 1:
                active.append(given > 0)
                given = np.maximum(given, 0.0)
        order = np.argsort(given, axis=1)
        slopes = matrices[-1][order[:, -1]] - matrices[-1][order[:, -2]]  # of the winner's lead over the second
        for matrix, kept in zip(matrices[-2::-1], active[::-1], strict=True):
            slopes = (slopes * kept) @ matrix
        at = np.clip(at - np.sign(slopes) * (high - low) * (0.2 if step < 8 else 0.03), low, high)
        found.append(at)
    return np.clip(np.concatenate(found).astype(np.float32).astype(np.float64), low, high)


def compare_wide(seed: str, seconds: float = 8.0) -> list[str]:
    """Whether the class at the fact is chosen in all of a box, in ever wider ones until it is not."""
    asked, met = wide(seed), list[str]()
    winner = int(asked.results(asked.fact[None])[0].argmax(axis=1)[0])
    for width in (0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.17, 0.22):
        low, high = ((asked.fact + sign * width).astype(np.float32).astype(np.float64) for sign in (-1, 1))
        words = " and ".join(
            f"{a!r} <= x{place} <= {b!r}" for place, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True))
        )
        found = asked.ask(f"would decision is c{winner} if {words}", replace(SETTINGS, seconds=seconds))
        met.append(found.verdict.value)
        if found.verdict is Verdict.YES:
            rows = descended(asked, low, high)
            assert all((each.argmax(axis=1) == winner).all() for each in asked.results(rows)), (seed, width)
        elif found.verdict is Verdict.NO:
            for values in asked.results(asked.witness(found)):
                assert values.argmax(axis=1)[0] != winner, (seed, width)
            break
    return met


def test_verdicts_about_networks_of_many_inputs_are_those_of_their_runs() -> None:
    met = compare_wide("wide 0")
    assert met.count("yes") and met.count("no")


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", range(100))
def test_more_networks_of_many_inputs(number: int) -> None:
    compare_wide(f"more wide {number}")


def compare_large(seed: str, count: int) -> list[str]:
    """Against so many results of onnxruntime."""
    luck = random.Random(f"{seed} asked")
    widest = luck.choice((0.02, 0.1, 0.3))
    return compare(large(seed), luck, seed, widest, lambda low, high: grid(low, high, 3, count))


def test_verdicts_about_larger_networks_are_those_of_their_runs() -> None:
    met = compare_large("large 0", 20_000)
    assert "yes" in met or "no" in met


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", range(200))
def test_more_larger_networks(number: int) -> None:
    compare_large(f"large {number}", 1_000_000)

"""Bounds of networks by whole numbers, against exact runs of them in floats; and that the tests can fail."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper

from soid.engine.learned.network import Activated, Network, NetworkSum, NetworkTerm, Softmaxed
from soid.engine.learned.network_evaluation import exact_vectors
from soid.evidence.learned import activation_lines, plain_layers, plain_networks, runtime_margins
from soid.evidence.learned.plain_networks import EVERYTHING, network_numbers, network_sums, relu_sizes
from soid.evidence.learned.plain_sums import Enclosed
from soid.evidence.learned.plain_trees import FeatureRange
from soid.evidence.learned.whole_rows import Digits, Elements, Rows
from tests.network_files import FLOAT, network_file
from tests.small_networks import FloatRun, affine, model_of, network, random_network, runs
from tests.unit.engine.learned.networks.test_network_bounds import lossy, mixed, points_in, single


def _sizes(one: Network) -> list[int]:
    sizes = [len(one.columns)]
    for layer in one.layers:
        sizes.append(plain_networks._size(layer, sizes))
    return sizes[1:]


def numbers_in(one: Network, low: Any, high: Any, slopes: Any = None) -> dict[str, Enclosed]:
    """All numbers of a network's last vector, and their leads."""
    model = model_of(one, _sizes(one)[-1])
    pairs = zip(np.ravel(low).tolist(), np.ravel(high).tolist(), strict=True)
    box = {number: FeatureRange(*ends) for number, ends in enumerate(pairs)}
    return network_numbers(model, list(network_sums(model).values()), box, slopes)


def assert_inside(found: dict[str, Enclosed], values: list[Fraction], what: object) -> None:
    for place, value in enumerate(values):
        low, high = found[f"y{place}"]
        assert low <= value <= high, (what, place, float(value), low, high)
    for one, other in itertools.combinations(range(len(values)), 2):
        low, high = found[f"lead of y{one} over y{other}"]
        assert low <= values[one] - values[other] <= high, (what, one, other)


def assert_sound(one: Network, seed: int, widths: tuple[float, ...]) -> None:
    """Runs in several orders, fused or not, flushing or not, lie within bounds of boxes and of points."""
    draw, luck = np.random.default_rng(seed), random.Random(seed)
    for width in widths:
        low = single(draw.uniform(-1, 1, len(one.columns)))
        high = single(low + width)
        slopes = [draw.integers(0, 17, size) / 16 for size in relu_sizes(one)]
        found, chosen = numbers_in(one, low, high), numbers_in(one, low, high, slopes)
        assert EVERYTHING not in found.values()
        for row in points_in(luck, low, high, 2)[-4:]:
            at_point = numbers_in(one, row, row)
            for run in runs(luck, 1):
                values = run.vectors(one, row)[-1]
                for each, what in ((found, width), (chosen, "slopes"), (at_point, "point")):
                    assert_inside(each, values, (seed, what, run))


@pytest.mark.parametrize("kind", range(0, 16, 3))
def test_exact_runs_of_all_layers_lie_within_bounds(kind: int) -> None:
    assert_sound(mixed(np.random.default_rng(kind), kind), kind, (1e-6, 0.5))


@pytest.mark.fuzz
def test_exact_runs_of_many_networks_lie_within_bounds() -> None:
    for seed in range(600):
        draw = np.random.default_rng(seed)
        if seed % 3:
            assert_sound(mixed(draw, seed % 16), seed, (0.0, 1e-6, 0.1, 2.0))
        else:
            sizes = [int(each) for each in draw.integers(1, 9, draw.integers(2, 5))]
            function = ("relu", "leaky_relu", "clip")[seed // 3 % 3]
            scale = float(2.0 ** draw.integers(-20, 20))
            assert_sound(random_network(draw, sizes, function, scale), seed, (1e-6, 0.1, 2.0))


def test_without_the_runtime_s_margins_a_run_is_outside(monkeypatch: Any) -> None:
    one, row = lossy(64), np.ones(64)
    (value,) = FloatRun("in order").vectors(one, row)[-1]
    assert numbers_in(one, row, row)["y0"][0] <= value
    monkeypatch.setattr(runtime_margins, "share", lambda *_: 0.0)
    assert value < Fraction(numbers_in(one, row, row)["y0"][0])


@pytest.mark.parametrize(
    ("weights", "x"), [([[2.0**-70] * 8], 2.0**-70), ([[2.0**-3] * 8], 2.0**-140), ([[2.0**-140] * 8], 2.0**3)]
)
def test_what_underflows_is_in_the_bounds(weights: Any, x: float) -> None:
    one, row = network(8, affine(0, weights, [0.0])), np.full(8, x)
    low, high = numbers_in(one, row, row)["y0"]
    for flushes in (True, False):
        (value,) = FloatRun(flushes=flushes).vectors(one, row)[-1]
        assert low <= value <= high


def exact_ends(one: Network, low: Any, high: Any) -> list[Fraction]:
    rows = itertools.islice(itertools.product(*zip(low, high, strict=True)), 16)
    return [exact_vectors(one, [Fraction(float(each)) for each in row])[-1][0] for row in rows]


def rounded_misses(count: int, digits: Digits) -> int:
    """How many real results lie outside of bounds in whole numbers, without room for a runtime's roundings."""
    outside = 0
    for seed in range(count):
        draw = np.random.default_rng(seed)
        layers = (
            affine(0, draw.normal(size=(4, 4)) * 1e6, draw.normal(size=4)),
            affine(1, draw.normal(size=(1, 4)), [0]),
        )
        one = network(4, *layers)
        low = draw.normal(size=4)
        high = low + 1e-6
        found = plain_networks.NetworkBox(one, low, high, digits, None)
        ((least, most),) = found.ends([NetworkSum("y", 0, (NetworkTerm(2, 0),), 64)])
        outside += not all(least <= value <= most for value in exact_ends(one, low, high))
    return outside


def test_the_bits_that_whole_numbers_lose_are_in_the_bounds(monkeypatch: Any) -> None:
    monkeypatch.setattr(runtime_margins, "share", lambda *_: 0.0)
    monkeypatch.setattr(runtime_margins, "underflow", lambda count, weights, _: np.zeros_like(weights))
    assert rounded_misses(20, Digits(24, np.int64)) == rounded_misses(20, Digits.long()) == 0
    monkeypatch.setattr(
        Rows, "shortened", lambda rows, _: (rows, 0.0)
    )  # longer rows: nothing is lost, and nothing wrong
    assert rounded_misses(20, Digits(24, object)) == 0


def test_rows_lose_what_they_say() -> None:
    luck = random.Random(1)
    for kind in (np.int64, object):
        digits = Digits(20, kind)
        for _ in range(50):
            values = [luck.randrange(-(2**50), 2**50) >> luck.randrange(50) for _ in range(6)]
            others = [luck.randrange(-(2**40), 2**40) >> luck.randrange(40) for _ in range(6)]
            one = Rows(np.array([values], kind), np.array([luck.randrange(-60, 0)]))
            other = Rows(np.array([others], kind), np.array([luck.randrange(-60, 0)]))
            added, lost = one.plus(other, digits)
            elements = [Fraction(luck.randrange(-(2**20), 2**20 + 1), 2**20) for _ in range(6)]
            wanted, found = total(one, elements) + total(other, elements), total(added, elements)
            assert abs(wanted - found) <= Fraction(float(lost[0]))


def total(rows: Rows, elements: list[Fraction]) -> Fraction:
    pairs = zip(rows.numbers[0].tolist(), elements, strict=True)
    return sum((number * each for number, each in pairs), Fraction(0)) * Fraction(2) ** int(rows.exponents[0])


def test_elements_are_not_inside_of_their_ends() -> None:
    ends = np.array([-1e-30, 0.1, -3.7, 0.0])
    found = Elements.of(ends, ends, Digits(20, np.int64))
    for place, end in enumerate(ends.tolist()):
        unit = Fraction(2) ** int(found.scales[place] - 20)
        assert int(found.lows[place]) * unit <= Fraction(end) <= int(found.highs[place]) * unit


# --- functions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["relu", "leaky_relu", "clip", "hard_sigmoid", "sigmoid", "tanh", "exp"])
def test_lines_enclose_the_function(function: Any) -> None:
    """In float64, whose errors are far below the room that is left for a float32."""
    draw = np.random.default_rng(3)
    layer = Activated(0, function, {"leaky_relu": 1.7, "clip": -0.5, "hard_sigmoid": 0.25}.get(function, 0.0), 0.5)
    low = draw.normal(size=40) * 3
    high = low + 10.0 ** draw.uniform(-7, 1, 40)
    digits = Digits.short(40)
    source = Elements.of(low, high, digits)
    found, relation = plain_layers.activated(layer, source, None, digits)
    assert isinstance(relation, plain_layers.Lined)
    (piece,) = relation.pieces
    for share in np.linspace(0, 1, 41):
        x = low + share * (high - low)
        y = plain_value(layer, x)
        assert (found.low <= y).all() and (y <= found.high).all()
        for slope, offset, sign in ((piece.low, relation.low, 1), (piece.high, relation.high, -1)):
            line = np.ldexp(slope, -piece.bits) * np.ldexp(x, -source.scales) + np.ldexp(offset, -digits.bits)
            assert (sign * (y - np.ldexp(line, found.scales)) >= 0).all()


def plain_value(layer: Activated, x: Any) -> Any:
    match layer.function:
        case "sigmoid":
            return 1 / (1 + np.exp(-x))
        case "tanh":
            return np.tanh(x)
        case "exp":
            return np.exp(x)
        case _:
            return activation_lines.bent(layer, x, x).value(x)


@pytest.mark.parametrize("operator", ["Sigmoid", "Tanh", "Exp", "Softmax"])
def test_what_a_runtime_gives_lies_within_bounds(operator: str) -> None:
    draw = np.random.default_rng(5)
    weights = draw.normal(size=(4, 3)).astype(np.float32)
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"]), helper.make_node(operator, ["h"], ["y"])]
    constants = {"w": weights.T.copy(), "b": np.zeros(4, np.float32)}
    content = network_file(nodes, {"x": (FLOAT, [1, 3])}, ["y"], constants)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    second = Softmaxed(1, 4) if operator == "Softmax" else Activated(1, operator.lower())  # type: ignore[arg-type]
    one = network(3, affine(0, weights, np.zeros(4)), second)
    for width in (0.0, 0.01, 1.0):
        low = single(draw.normal(size=3))
        high = single(low + width)
        found = numbers_in(one, low, high)
        for row in points_in(random.Random(6), low, high, 4):
            (given,) = session.run(None, {"x": row.astype(np.float32)[None]})
            for place, value in enumerate(np.ravel(given).tolist()):
                assert found[f"y{place}"][0] <= value <= found[f"y{place}"][1]
        if width == 0.0:
            assert all(high - low < 1e-4 * max(1, abs(high)) for low, high in found.values())


@pytest.mark.parametrize("size", [1e30, 3e38])
def test_where_something_may_overflow_nothing_is_known(size: float) -> None:
    weights = [[1e9, 1e9], [1.0, 1.0]]
    one = network(2, affine(0, weights, [0.0, 0.0]), Activated(1, "relu"), affine(2, [[0.0, 1.0]], [0.0]))
    assert numbers_in(one, np.zeros(2), np.full(2, size))["y0"] == EVERYTHING
    low, high = numbers_in(one, np.zeros(2), np.full(2, 1e20))["y0"]
    assert math.isfinite(low) and math.isfinite(high)


@pytest.mark.parametrize("function", ["sigmoid", "tanh"])
def test_a_curve_far_from_zero_is_checked_without_a_warning(function: Any) -> None:
    """Whoever verifies a bundle sees what numpy warns of."""
    one = network(1, Activated(0, function))
    found = numbers_in(one, [-4000.0], [3000.0])["y0"]
    assert found[0] <= (0.0 if function == "sigmoid" else -1.0) and 1.0 <= found[1] < 3.0

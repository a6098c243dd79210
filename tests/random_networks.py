"""Random graphs of several operators: each is given a value of any shape, and chooses what fits it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import onnx
from onnx import helper

from tests.network_files import DOUBLE, FLOAT, KINDS, network_file

_MOST: Final = 400  # elements of a value


class RandomGraph:
    """A graph that grows by one operator at a time; `shapes` are those that ONNX itself infers."""

    def __init__(self, seed: int, kind: int = FLOAT, version: int = 17) -> None:
        self.version = version
        self.rng = np.random.default_rng(seed)
        self.kind = kind
        self.nodes: list[Any] = []
        self.inputs: dict[str, tuple[int, list[int | str | None]]] = {}
        self.constants: dict[str, Any] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._count = 0
        for number in range(int(self.rng.integers(1, 3))):
            self._input(f"x{number}")

    def _input(self, name: str) -> None:
        shape = _SHAPES[self.rng.integers(len(_SHAPES))]
        is_open = shape[0] == 1 and self.rng.random() < 0.5
        self.inputs[name] = (self.kind, ["N" if is_open else shape[0], *shape[1:]])
        self.shapes[name] = shape

    @property
    def content(self) -> bytes:
        return network_file(self.nodes, self.inputs, self.results, self.constants, self.version)

    @property
    def results(self) -> list[str]:
        """The values that no operator uses, and not more than three."""
        used = {name for node in self.nodes for name in node.input}
        made = [name for node in self.nodes for name in node.output if name not in used]
        return made[-3:]

    def grow(self, count: int) -> None:
        while len(self.nodes) < count:
            names = list(self.shapes)
            chosen = names[-1] if self.rng.random() < 0.7 else names[self.rng.integers(len(names))]
            _OPERATORS[self.rng.integers(len(_OPERATORS))](self, chosen)

    def made(self, operator: str, inputs: list[str], **attributes: Any) -> None:
        """One more operator; what has too many elements is left out again."""
        self._count += 1
        name = f"v{self._count}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        fixed = {each: (self.kind, self.shapes[each]) for each in self.inputs}
        model = onnx.load_from_string(network_file(self.nodes, fixed, [name], self.constants, self.version))
        try:
            inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph.output[0]
        except onnx.shape_inference.InferenceError:  # shapes that do not fit together
            self.nodes.pop()
            return
        sizes = [size.dim_value for size in inferred.type.tensor_type.shape.dim]
        if inferred.type.tensor_type.elem_type != self.kind or not 0 < np.prod(sizes) <= _MOST:
            self.nodes.pop()
        else:
            self.shapes[name] = tuple(sizes)

    def constant(self, *shape: int, scale: float = 1.0) -> str:
        return self.given(np.asarray(self.rng.normal(size=shape) * scale, KINDS[self.kind]))

    def given(self, value: Any) -> str:
        self._count += 1
        self.constants[f"c{self._count}"] = np.asarray(value)
        return f"c{self._count}"

    def integers(self, *values: int) -> str:
        return self.given(np.array(values, np.int64))

    def axis(self, rank: int) -> int:
        return int(self.rng.integers(-rank, rank))

    def one_of(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]


_SHAPES: Final = ((1, 4), (1, 7), (3, 2), (1, 2, 6), (1, 2, 5, 4), (1, 3, 4, 4), (2, 3, 2))


def _gemm(graph: RandomGraph, name: str) -> None:
    shape = graph.shapes[name]
    if len(shape) != 2:
        return
    turned, turned_weights = bool(graph.rng.integers(2)), bool(graph.rng.integers(2))
    rows, inner = shape[::-1] if turned else shape
    columns = int(graph.rng.integers(1, 6))
    weights = graph.constant(*((columns, inner) if turned_weights else (inner, columns)), scale=0.5)
    bias = graph.one_of([], [graph.constant(columns)], [graph.constant(rows, 1)], [graph.constant(rows, columns)])
    more = graph.one_of({}, {"alpha": 0.7}, {"beta": -0.3}, {"alpha": -1.5, "beta": 2.0})
    graph.made("Gemm", [name, weights, *bias], transA=int(turned), transB=int(turned_weights), **more)


def _matmul(graph: RandomGraph, name: str) -> None:
    shape = graph.shapes[name]
    if not shape:
        return
    if len(shape) > 1 and graph.rng.random() < 0.3:
        graph.made("MatMul", [graph.constant(int(graph.rng.integers(1, 5)), shape[-2], scale=0.5), name])
        return
    outer = graph.one_of((), (), (2,), shape[:-2])
    graph.made("MatMul", [name, graph.constant(*outer, shape[-1], int(graph.rng.integers(1, 6)), scale=0.5)])


def _spread(graph: RandomGraph, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that spreads over this one, or a little beyond."""
    kept = shape[int(graph.rng.integers(len(shape) + 1)) :]
    found = [1 if graph.rng.random() < 0.3 else size for size in kept]
    return (2, *found) if len(found) == len(shape) and graph.rng.random() < 0.1 else tuple(found)


def _arithmetic(graph: RandomGraph, name: str) -> None:
    operator = graph.one_of("Add", "Sub", "Mul", "Div", "Max", "Min")
    other = graph.constant(*_spread(graph, graph.shapes[name]))
    if operator == "Div":
        value = graph.constants[other]
        graph.constants[other] = np.asarray(np.where(np.abs(value) < 0.2, 1.0, value), value.dtype)
    inputs = [name, other] if operator == "Div" or graph.rng.random() < 0.6 else [other, name]
    graph.made(operator, inputs)


def _together(graph: RandomGraph, name: str) -> None:
    """Two computed values."""
    same = [each for each, shape in graph.shapes.items() if _fit(shape, graph.shapes[name])]
    other = same[graph.rng.integers(len(same))]
    graph.made(graph.one_of("Add", "Sub", "Max", "Min", "Sum"), graph.one_of([name, other], [other, name]))


def _fit(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(one, other)
    except ValueError:
        return False
    return True


def _function(graph: RandomGraph, name: str) -> None:
    operator = graph.one_of("Relu", "LeakyRelu", "HardSigmoid", "Sigmoid", "Tanh", "Neg", "Identity", "Clip", "Softmax")
    if graph.kind == DOUBLE and operator in ("LeakyRelu", "HardSigmoid"):
        operator = "Relu"
    if operator == "Clip":
        low, high = sorted(graph.rng.normal(size=2))
        bounds = [graph.given(np.array(each, KINDS[graph.kind])) for each in (low, high)]
        graph.made(operator, [name, *graph.one_of(bounds, bounds[:1], ["", bounds[1]])])
    elif operator == "Softmax":
        if graph.shapes[name]:
            graph.made(operator, [name], axis=graph.axis(len(graph.shapes[name])))
    else:
        graph.made(operator, [name])


def _moved(graph: RandomGraph, name: str) -> None:
    shape = graph.shapes[name]
    rank = len(shape)
    operator = graph.one_of("Transpose", "Reshape", "Flatten", "Slice", "Gather", "Unsqueeze", "Squeeze", "Concat")
    if not rank or (operator == "Unsqueeze" and rank > 3):
        return
    match operator:
        case "Transpose":
            graph.made(operator, [name], perm=[int(each) for each in graph.rng.permutation(rank)])
        case "Reshape":
            count = int(np.prod(shape))
            divisors = [each for each in range(1, count + 1) if count % each == 0]
            first = int(graph.one_of(*divisors))
            sizes = graph.one_of(
                (first, -1), (-1, first), (1, first, -1), (-1,), (1, first, count // first, 1), (0, -1)
            )
            if sizes != (0, -1) or shape[0]:
                graph.made(operator, [name, graph.integers(*sizes)])
        case "Flatten":
            graph.made(operator, [name], axis=int(graph.rng.integers(-rank, rank + 1)))
        case "Slice":
            _slice(graph, name, shape)
        case "Gather":
            axis = graph.axis(rank)
            places = graph.rng.integers(-shape[axis], shape[axis], size=graph.one_of((), (1,), (3,), (2, 2)))
            graph.made(operator, [name, graph.given(places)], axis=axis)
        case "Unsqueeze":
            graph.made(operator, [name, graph.integers(graph.axis(rank + 1))])
        case "Squeeze":
            axes = [axis for axis, size in enumerate(shape) if size == 1]
            if axes:
                graph.made(operator, [name, graph.integers(graph.one_of(axes[0], axes[-1] - rank))])
        case "Concat":
            _concat(graph, name, shape)


def _slice(graph: RandomGraph, name: str, shape: tuple[int, ...]) -> None:
    axis = graph.axis(len(shape))
    size = shape[axis]
    step = int(graph.one_of(1, 1, 2, -1, -2))
    first, last = sorted(int(each) for each in graph.rng.integers(-size - 2, size + 3, size=2))
    ends = (first, last) if step > 0 else (last, first)
    graph.made("Slice", [name, *(graph.integers(each) for each in (*ends, axis, step))])


def _concat(graph: RandomGraph, name: str, shape: tuple[int, ...]) -> None:
    axis = graph.axis(len(shape))
    others = [
        each
        for each, own in graph.shapes.items()
        if len(own) == len(shape)
        and all(a == b for n, (a, b) in enumerate(zip(own, shape, strict=True)) if n != axis % len(shape))
    ]
    more = [others[graph.rng.integers(len(others))]] if graph.rng.random() < 0.7 else [graph.constant(*shape)]
    graph.made("Concat", graph.one_of([name, *more], [*more, name], [name, *more, name]), axis=axis)


def _window(graph: RandomGraph, name: str) -> None:
    shape = graph.shapes[name]
    if len(shape) not in (3, 4) or shape[0] != 1:
        return
    grid = shape[2:]
    kernel = [int(graph.rng.integers(1, min(size, 3) + 1)) for size in grid]
    more: dict[str, Any] = {"strides": [int(graph.rng.integers(1, 3)) for _ in grid]}
    if graph.rng.random() < 0.3:
        more["auto_pad"] = graph.one_of("SAME_UPPER", "SAME_LOWER", "VALID")
        more["strides"] = [min(step, size) for step, size in zip(more["strides"], kernel, strict=True)]
    else:
        more["pads"] = [int(graph.rng.integers(0, size)) for size in kernel * 2]
    operator = graph.one_of("Conv", "Conv", "MaxPool", "AveragePool", "GlobalAveragePool")
    if operator.startswith("Global"):
        graph.made(operator, [name])
    elif operator == "Conv":
        groups = int(graph.one_of(1, 1, shape[1], 2 if shape[1] % 2 == 0 else 1))
        filters = groups * int(graph.rng.integers(1, 3))
        weights = graph.constant(filters, shape[1] // groups, *kernel, scale=0.5)
        if "auto_pad" not in more:
            gaps = [
                int(graph.one_of(1, 1, 2)) if size > 2 * own - 2 else 1 for size, own in zip(grid, kernel, strict=True)
            ]
            more["dilations"] = gaps
        graph.made(operator, [name, weights, *graph.one_of([], [graph.constant(filters)])], group=groups, **more)
    else:
        graph.made(operator, [name], kernel_shape=kernel, **more)


def _normalised(graph: RandomGraph, name: str) -> None:
    shape = graph.shapes[name]
    if len(shape) < 2:
        return
    scale, bias, mean = (graph.constant(shape[1]) for _ in range(3))
    variance = graph.given(np.asarray(abs(graph.rng.normal(size=shape[1])) + 0.1, KINDS[graph.kind]))
    graph.made("BatchNormalization", [name, scale, bias, mean, variance], epsilon=graph.one_of(1e-5, 0.01))


def _reduced(graph: RandomGraph, name: str) -> None:
    rank = len(graph.shapes[name])
    if rank:
        operator = graph.one_of("ReduceMean", "ReduceMax", "ReduceMin")
        axis, keeps = graph.axis(rank), int(graph.rng.integers(2))
        if graph.version < 18:
            graph.made(operator, [name], axes=[axis], keepdims=keeps)
        else:
            graph.made(operator, [name, graph.integers(axis)], keepdims=keeps)


_OPERATORS: Final[tuple[Callable[[RandomGraph, str], None], ...]] = (
    _gemm, _gemm, _matmul, _arithmetic, _arithmetic, _together, _function, _function, _moved, _moved, _moved, _window,
    _window, _normalised, _reduced,
)  # fmt: skip

"""Operators that look through a window: convolutions and pooling, over one or two axes of space.

A convolution becomes a matrix, most of which is zeros. That a runtime computes it as a sum of products, and not by way
of another transform (Winograd, Fourier), is taken for granted and said.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Affine, Extreme
from soid.engine.learned.readers.onnx.graph_values import (
    LARGEST_VALUE,
    ComputedValue,
    ConstantValue,
    Places,
    floats,
    precision_of,
    refuse_large,
)
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder, packed
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.protobuf_wire import broken

_SHARED: Final = "auto_pad kernel_shape pads strides dilations"
_MOST: Final = 1 << 20  # sizes in attributes
_AVERAGED: Final = 3  # roundings of a mean after those of its sum: the division, 1 / n here, the product with it there


@final
class Window:
    """How a window moves over a grid."""

    def __init__(
        self,
        node: OnnxNode,
        attributes: NodeAttributes,
        given: tuple[int, ...],
        kernel: list[int],
        *,
        rounds_up: bool = False,
    ) -> None:
        """`rounds_up`: a last step counts although the window then reaches beyond the end."""
        rank = len(given)
        self.kernel = kernel
        self._given = given
        self._strides = _sizes(node, attributes, "strides", rank)
        self._dilations = _sizes(node, attributes, "dilations", rank)
        if len(kernel) != rank or any(not 0 < each < _MOST for each in kernel):
            raise broken(f"{node.name} of {rank} axes has a window of {kernel[:8]}")
        self.reach = [(size - 1) * gap + 1 for size, gap in zip(kernel, self._dilations, strict=True)]
        self.before, self.after = self._pads(node, attributes)
        spans = zip(given, self.before, self.after, self.reach, self._strides, strict=True)
        self.result = tuple((size + low + high - reach) // step + 1 for size, low, high, reach, step in spans)
        if rounds_up:
            self.result = self._rounded_up(node, attributes)
        if min(self.result) < 1:
            raise broken(f"{node.name} has a window that is larger than what it looks at")

    @property
    def is_padded(self) -> bool:
        return any(self.before) or any(self.after)

    def _rounded_up(self, node: OnnxNode, attributes: NodeAttributes) -> tuple[int, ...]:
        """The sizes where they are rounded up, if every version of onnxruntime takes that for the same."""
        spans = zip(self._given, self.before, self.after, self.reach, self._strides, strict=True)
        found = tuple(-((size + low + high - reach) // -step) + 1 for size, low, high, reach, step in spans)
        if found == self.result:
            return found
        begins = ((each - 1) * step for each, step in zip(found, self._strides, strict=True))
        inside = all(at < size + low for at, size, low in zip(begins, self._given, self.before, strict=True))
        if not inside or node.operator != "MaxPool" or attributes.text("auto_pad", "NOTSET") != "NOTSET":
            raise ModelRefused(
                f"{node.name} with such a ceil_mode is not modelled: versions of onnxruntime differ there."
            )
        return found

    def _pads(self, node: OnnxNode, attributes: NodeAttributes) -> tuple[list[int], list[int]]:
        """How many elements are added before and after, on each axis."""
        rank, mode = len(self._given), attributes.text("auto_pad", "NOTSET")
        pads = attributes.integers("pads")
        if mode == "VALID":
            return [0] * rank, [0] * rank
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            spans = zip(self._given, self._strides, self.reach, strict=True)
            missing = [(-(-size // step) - 1) * step + reach - size for size, step, reach in spans]
            if min(missing) < 0:
                raise ModelRefused(f"{node.name} with {mode}, and steps longer than its window, is not modelled.")
            less, more = [each // 2 for each in missing], [each - each // 2 for each in missing]
            return (less, more) if mode == "SAME_UPPER" else (more, less)
        pads = pads or [0] * 2 * rank
        if mode != "NOTSET" or len(pads) != 2 * rank or any(not 0 <= each < _MOST for each in pads):
            raise broken(f"{node.name} has auto_pad {mode} and pads {pads[:8]}")
        return pads[:rank], pads[rank:]

    def offsets(self) -> Iterator[tuple[tuple[int, ...], Places, Places]]:
        """For each element of the window: the places of the result where it is inside, and what it looks at there."""
        for element in itertools.product(*map(range, self.kernel)):
            seen = [
                np.arange(count) * step + place * gap - low
                for count, step, place, gap, low in zip(
                    self.result, self._strides, element, self._dilations, self.before, strict=True
                )
            ]
            inside = [(each >= 0) & (each < size) for each, size in zip(seen, self._given, strict=True)]
            results = [np.flatnonzero(each) for each in inside]
            sources = [each[kept] for each, kept in zip(seen, inside, strict=True)]
            yield element, _flat(results, self.result), _flat(sources, self._given)


def _flat(axes: list[Places], shape: tuple[int, ...]) -> Places:
    """Places on each axis, combined, as places in the flat grid."""
    found = np.zeros(1, np.int64)
    for places, size in zip(axes, shape, strict=True):
        found = (found[:, None] * size + places[None, :]).ravel()
    return found


def _sizes(node: OnnxNode, attributes: NodeAttributes, name: str, rank: int) -> list[int]:
    found = attributes.integers(name) or [1] * rank
    if len(found) != rank or any(not 0 < each < _MOST for each in found):
        raise broken(f"{node.name} of {rank} axes has the {name} {found[:8]}")
    return found


@final
class _Image(Struct, frozen=True):
    """One picture: its channels and its grid."""

    channels: int
    grid: tuple[int, ...]

    @classmethod
    def of(cls, node: OnnxNode, given: ComputedValue) -> _Image:
        if len(given.shape) not in (3, 4) or given.shape[0] != 1:
            told = f"{node.name} of the shape {list(given.shape)} is not modelled"
            raise ModelRefused(f"{told}, only of one picture with one or two axes.")
        return cls(given.shape[1], given.shape[2:])

    @property
    def size(self) -> int:
        return int(np.prod(self.grid))


def convolved(
    node: OnnxNode, layers: LayerBuilder, one: ComputedValue, weights: ConstantValue, bias: ConstantValue | None
) -> Places:
    attributes = NodeAttributes(node, f"{_SHARED} group")
    image, kernels = _Image.of(node, one), floats(node, weights, one.kind)
    groups, rank = attributes.integer("group", 1), len(image.grid)
    if (
        kernels.ndim != rank + 2
        or groups < 1
        or kernels.shape[0] % groups
        or kernels.shape[1] * groups != image.channels
    ):
        raise broken(f"{node.name} of {list(one.shape)} has weights of {list(kernels.shape)} in {groups} groups")
    kernel = list(kernels.shape[2:])
    if attributes.integers("kernel_shape") not in ([], kernel):
        raise broken(f"{node.name} has a kernel_shape that its weights have not")
    window = Window(node, attributes, image.grid, kernel)
    filters, inner, count = kernels.shape[0], kernels.shape[1], int(np.prod(window.result))
    shape = (1, filters, *window.result)
    refuse_large(node, shape, LARGEST_VALUE)
    layers.weigh(node, filters * count, image.channels * image.size)
    dense = np.zeros((filters, count, image.channels, image.size))
    of_group = filters // groups
    for element, results, sources in window.offsets():
        for number in range(filters):
            first = number // of_group * inner
            own = kernels[number].reshape(inner, -1)[:, np.ravel_multi_index(element, kernel)]
            dense[number, results, first : first + inner, sources] = own
    offset = np.zeros(filters) if bias is None else floats(node, bias, one.kind)
    if offset.shape != (filters,):
        raise broken(f"{node.name} has {offset.size} biases for {filters} filters")
    layer = Affine(
        layers.vector(one.places), packed(dense), packed(np.repeat(offset, count)), precision_of(node, one.kind)
    )
    return layers.add(layer, shape, inner * int(np.prod(kernel)) + 1)


def pooled(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, version: int) -> Places:
    """MaxPool and AveragePool."""
    is_mean = node.operator == "AveragePool"
    attributes = NodeAttributes(node, f"{_SHARED} ceil_mode count_include_pad storage_order")
    image = _Image.of(node, one)
    kernel, rounds_up = attributes.integers("kernel_shape"), attributes.flag("ceil_mode")
    window = Window(node, attributes, image.grid, kernel, rounds_up=rounds_up)
    if len([each for each in node.outputs if each]) > 1:
        raise ModelRefused(f"{node.name} that gives places is not modelled.")
    counts_pads = attributes.flag("count_include_pad") and window.is_padded
    if counts_pads and version >= 19:
        told = f"{node.name} with count_include_pad is not modelled from opset 19 on"
        raise ModelRefused(f"{told}: versions of onnxruntime differ there.")
    count, shape = int(np.prod(window.result)), (1, image.channels, *window.result)
    refuse_large(node, shape, LARGEST_VALUE)
    refuse_large(node, (count, *window.kernel), LARGEST_VALUE)
    seen: list[list[int]] = [[] for _ in range(count)]
    for _, results, sources in window.offsets():
        for result, source in zip(results.tolist(), sources.tolist(), strict=True):
            seen[result].append(source)
    if not all(seen):
        raise ModelRefused(f"{node.name} with a window that sees nothing is not modelled.")
    groups = [[channel * image.size + place for place in each] for channel in range(image.channels) for each in seen]
    if not is_mean:
        return extreme(node, layers, one.places, groups, shape)
    divisors = [int(np.prod(window.kernel)) if counts_pads else len(each) for each in groups]
    return mean(node, layers, one, groups, divisors, shape)


def extreme(
    node: OnnxNode,
    layers: LayerBuilder,
    places: Places,
    groups: list[list[int]],
    shape: tuple[int, ...],
    least: bool = False,
) -> Places:
    """The greatest of each group; one with fewer elements has its first several times."""
    size = max(map(len, groups))
    refuse_large(node, (len(groups), size), LARGEST_VALUE)
    filled = np.array([each + each[:1] * (size - len(each)) for each in groups], "<i4")
    return layers.add(Extreme(layers.vector(places), filled.tobytes(), size, least), shape)


def mean(
    node: OnnxNode,
    layers: LayerBuilder,
    one: ComputedValue,
    groups: list[list[int]],
    divisors: list[int],
    shape: tuple[int, ...],
) -> Places:
    """The sum of each group over a number; it is the sum that may overflow, and not its parts."""
    precision = precision_of(node, one.kind)
    layers.weigh(node, len(groups), one.places.size)
    dense = np.zeros((len(groups), one.places.size))
    for row, group in enumerate(groups):
        dense[row, group] = 1.0
    layer = Affine(layers.vector(one.places), packed(dense), packed(np.zeros(len(groups))), precision)
    places = layers.add(layer, shape, max(map(len, groups)) + 1)
    if set(divisors) == {1}:
        return places
    return layers.scaled(places, 1.0 / np.array(divisors), np.zeros(len(groups)), _AVERAGED, precision)


def pooled_whole(node: OnnxNode, layers: LayerBuilder, one: ComputedValue) -> Places:
    """GlobalAveragePool and GlobalMaxPool."""
    NodeAttributes(node, "")
    image = _Image.of(node, one)
    groups = [list(range(each * image.size, (each + 1) * image.size)) for each in range(image.channels)]
    shape = (1, image.channels, *[1] * len(image.grid))
    if node.operator == "GlobalMaxPool":
        return extreme(node, layers, one.places, groups, shape)
    return mean(node, layers, one, groups, [image.size] * image.channels, shape)


def reduced(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, axes: list[int] | None) -> Places:
    """ReduceSum, ReduceMean, ReduceMax and ReduceMin."""
    attributes = NodeAttributes(node, "axes keepdims noop_with_empty_axes")
    rank = len(one.shape)
    given = attributes.integers("axes") if axes is None else axes
    if not given and attributes.flag("noop_with_empty_axes"):
        raise ModelRefused(f"{node.name} without axes is not modelled.")
    if any(not -rank <= each < rank for each in given):
        raise broken(f"{node.name} has the axes {given[:8]} of {rank}")
    along = sorted({each % rank for each in given}) if given else list(range(rank))
    kept = [axis for axis in range(rank) if axis not in along]
    numbers = np.arange(one.places.size).reshape(one.shape).transpose(*kept, *along)
    groups = numbers.reshape(int(np.prod([one.shape[axis] for axis in kept], dtype=np.int64)), -1).tolist()
    sizes = [1 if axis in along else size for axis, size in enumerate(one.shape)]
    shape = tuple(sizes if attributes.flag("keepdims", True) else [one.shape[axis] for axis in kept])
    if node.operator in ("ReduceMax", "ReduceMin"):
        return extreme(node, layers, one.places, groups, shape, least=node.operator == "ReduceMin")
    divisor = len(groups[0]) if node.operator == "ReduceMean" else 1
    return mean(node, layers, one, groups, [divisor] * len(groups), shape)

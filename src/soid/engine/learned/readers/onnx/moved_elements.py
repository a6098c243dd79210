"""Operators that move elements and compute nothing: Reshape, Transpose, Slice, Concat and their like.

They take an array of any integers or floats, so they are the same for constants and for places of computed elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx.graph_values import (
    ConstantValue,
    GraphElement,
    axis_of,
    integers,
    refuse_large,
)
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.protobuf_wire import broken

Elements = NDArray[Any]
Others = Sequence[GraphElement | None]  # the inputs after the first, of which each is a constant


def _identity(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    NodeAttributes(node, "")
    return [given]


def _reshaped(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    keeps_zero = NodeAttributes(node, "allowzero").flag("allowzero")
    sizes = integers(node, _only(node, others, 1)[0], "a shape")
    if not keeps_zero:
        if any(size == 0 and place >= given.ndim for place, size in enumerate(sizes)):
            raise broken(f"{node.name} to {sizes[:8]} keeps a size of {list(given.shape)}")
        sizes = [given.shape[place] if size == 0 else size for place, size in enumerate(sizes)]
    open_ones = [place for place, size in enumerate(sizes) if size == -1]
    known = math.prod(size for size in sizes if size != -1)
    if open_ones and known:
        sizes[open_ones[0]] = given.size // known
    if len(open_ones) > 1 or min(sizes, default=0) < 0 or math.prod(sizes) != given.size:
        raise broken(f"{node.name} of {list(given.shape)} to {sizes[:8]}")
    return [given.reshape(sizes)]


def _flattened(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    axis = NodeAttributes(node, "axis").integer("axis", 1)
    _only(node, others, 0)
    if not -given.ndim <= axis <= given.ndim:
        raise broken(f"{node.name} has the axis {axis} of {given.ndim}")
    axis = axis + given.ndim if axis < 0 else axis
    return [given.reshape(math.prod(given.shape[:axis]), math.prod(given.shape[axis:]))]


def _transposed(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    order = NodeAttributes(node, "perm").integers("perm") or list(range(given.ndim))[::-1]
    _only(node, others, 0)
    if sorted(order) != list(range(given.ndim)):
        raise broken(f"{node.name} has the order {order[:8]} of {given.ndim} axes")
    return [given.transpose(order)]


def _squeezed(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    NodeAttributes(node, "")
    axes = _only(node, others, 1)[0]
    chosen = (
        [place for place, size in enumerate(given.shape) if size == 1]
        if axes is None
        else [axis_of(node, each, given.ndim) for each in integers(node, axes, "axes")]
    )
    if len(set(chosen)) != len(chosen) or any(given.shape[each] != 1 for each in chosen):
        raise broken(f"{node.name} of {list(given.shape)} takes away the axes {chosen[:8]}")
    return [given.reshape([size for place, size in enumerate(given.shape) if place not in chosen])]


def _unsqueezed(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    NodeAttributes(node, "")
    axes = integers(node, _only(node, others, 1)[0], "axes")
    rank = given.ndim + len(axes)
    if rank > _MOST_AXES:
        raise broken(f"{node.name} makes {rank} axes")
    chosen = {axis_of(node, each, rank) for each in axes}
    if len(chosen) != len(axes):
        raise broken(f"{node.name} has an axis twice")
    left = iter(given.shape)
    return [given.reshape([1 if place in chosen else next(left) for place in range(rank)])]


def _sliced(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    NodeAttributes(node, "")
    starts, ends, axes, steps = _only(node, others, 4)
    first = integers(node, starts, "starts")
    last = integers(node, ends, "ends")
    along = list(range(len(first))) if axes is None else integers(node, axes, "axes")
    by = [1] * len(first) if steps is None else integers(node, steps, "steps")
    along = [axis_of(node, each, given.ndim) for each in along]
    if not len(first) == len(last) == len(along) == len(by) or len(set(along)) != len(along) or 0 in by:
        raise broken(f"{node.name} has starts, ends, axes and steps that do not belong together")
    chosen = [slice(None)] * given.ndim
    for begin, end, axis, step in zip(first, last, along, by, strict=True):
        chosen[axis] = _range(begin, end, step, given.shape[axis])
    return [given[tuple(chosen)]]


def _range(begin: int, end: int, step: int, size: int) -> slice:
    """What ONNX means by a slice: ends beyond the axis are moved to it; -1 after that is before the first."""
    begin, end = (each + size if each < 0 else each for each in (begin, end))
    if step > 0:
        return slice(min(max(begin, 0), size), min(max(end, 0), size), step)
    begin, end = min(max(begin, 0), size - 1), min(max(end, -1), size - 1)
    return slice(begin, None if end < 0 else end, step)


def _gathered(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    axis = axis_of(node, NodeAttributes(node, "axis").integer("axis", 0), given.ndim)
    places = _only(node, others, 1)[0]
    if not isinstance(places, ConstantValue) or places.values.dtype.kind != "i":
        raise ModelRefused(f"{node.name} by places that are not constant integers is not modelled.")
    size = given.shape[axis]
    refuse_large(node, (given.size // max(size, 1), places.values.size))
    if ((places.values < -size) | (places.values >= size)).any():
        raise broken(f"{node.name} takes an element beyond the {size} that there are")
    return [np.take(given, places.values, axis)]


def _split(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    attributes = NodeAttributes(node, "axis num_outputs")
    axis = axis_of(node, attributes.integer("axis", 0), given.ndim)
    size, count = given.shape[axis], len(node.outputs)
    sizes = _only(node, others, 1)[0]
    if sizes is not None:
        parts = integers(node, sizes, "sizes")
    else:
        each = -(-size // count)
        parts = [min(each, size - each * place) for place in range(count)]
    if len(parts) != count or min(parts) < 0 or sum(parts) != size:
        raise broken(f"{node.name} of {size} elements into {parts[:8]}")
    return np.split(given, np.cumsum(parts)[:-1], axis)


def _expanded(node: OnnxNode, given: Elements, others: Others) -> list[Elements]:
    NodeAttributes(node, "")
    sizes = integers(node, _only(node, others, 1)[0], "a shape")
    shape = broadcast(node, given.shape, tuple(sizes))
    return [np.broadcast_to(given, shape)]


def joined(node: OnnxNode, given: Sequence[Elements]) -> Elements:
    """Concat."""
    axis = NodeAttributes(node, "axis").integer("axis", 0)
    if not given or not given[0].ndim or len({each.ndim for each in given}) != 1:
        raise broken(f"{node.name} of values with different axes")
    axis = axis_of(node, axis, given[0].ndim)
    if len({(*each.shape[:axis], *each.shape[axis + 1 :]) for each in given}) != 1:
        raise broken(f"{node.name} of the shapes {[list(each.shape) for each in given[:4]]}")
    return np.concatenate(given, axis)


def broadcast(node: OnnxNode, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of what is computed element by element."""
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        told = " and ".join(str(list(each)[:8]) for each in shapes)
        raise broken(f"{node.name} of the shapes {told}") from None
    refuse_large(node, shape)
    return shape


def _only(node: OnnxNode, others: Others, most: int) -> list[GraphElement | None]:
    """At most so many further inputs; those that are left out are None."""
    if len(others) > most:
        raise broken(f"{node.name} has {len(others) + 1} inputs")
    return [*others, *[None] * (most - len(others))]


_MOST_AXES: Final = 32

MOVES: Final[dict[str, Callable[[OnnxNode, Elements, Others], list[Elements]]]] = {
    "Identity": _identity,
    "Reshape": _reshaped,
    "Flatten": _flattened,
    "Transpose": _transposed,
    "Squeeze": _squeezed,
    "Unsqueeze": _unsqueezed,
    "Slice": _sliced,
    "Gather": _gathered,
    "Split": _split,
    "Expand": _expanded,
}

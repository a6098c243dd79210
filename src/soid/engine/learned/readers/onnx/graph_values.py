"""What a graph of ONNX operators computes with while it is read: constants, and vectors that layers compute.

Shapes are known at once. A computed value has for each of its elements the place where it lies, a vector and an element
of it, as one integer: so what only moves elements (Reshape, Transpose, Slice, Concat) moves integers, and is the same
for constants.
"""

from __future__ import annotations

import math
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Precision
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    TYPE_NAMES,
    OnnxTensor,
)
from soid.engine.learned.readers.onnx.protobuf_wire import broken

Places = NDArray[np.int64]  # in the shape of the value: the vector times 2^32, plus the element
Numbers = NDArray[np.float64]

LARGEST_VALUE: Final = 1 << 20  # elements of a value that layers compute
_LARGEST_CONSTANT: Final = 1 << 26

PRECISIONS: Final[dict[int, Precision]] = {FLOAT: 32, DOUBLE: 64}
DTYPES: Final[dict[int, Any]] = {
    FLOAT: np.float32, DOUBLE: np.float64, INT32: np.int32, INT64: np.int64, BOOL: np.bool_, 2: np.uint8,
}  # fmt: skip
WHOLE: Final = (INT32, INT64, BOOL)


@final
class ConstantValue(Struct, frozen=True):
    """Numbers that do not depend on the inputs."""

    kind: int
    values: NDArray[Any]
    name: str  # as the file calls it

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape


@final
class ComputedValue(Struct, frozen=True):
    """Numbers that depend on the inputs."""

    kind: int
    places: Places

    @property
    def shape(self) -> tuple[int, ...]:
        return self.places.shape


@final
class ChosenValue(Struct, frozen=True):
    """The indices that ArgMax or ArgMin gives: each by a rule over elements."""

    kind: int
    groups: tuple[Places, ...]  # of each index: the elements that are compared, flat
    shape: tuple[int, ...]
    precision: Precision  # of what is compared
    least: bool  # ArgMin
    labels: tuple[str, ...] = ()  # what stands for each index; empty: the index itself


Number = ConstantValue | ComputedValue
GraphElement = Number | ChosenValue


def constant(given: OnnxTensor, name: str) -> ConstantValue:
    if given.kind == STRING:
        raise ModelRefused(f"The constant {name} is a text, which no network computes with.")
    values = given.values.reshape(given.shape).astype(DTYPES[given.kind])
    return ConstantValue(given.kind, values, name)


def refuse_large(node: OnnxNode, shape: tuple[int, ...], most: int = _LARGEST_CONSTANT) -> None:
    """Refuse a result before it takes memory."""
    if any(size < 0 for size in shape):
        raise broken(f"{node.name} gives the shape {list(shape)[:8]}")
    if math.prod(shape) > most:
        raise ModelRefused(f"{node.name} gives {math.prod(shape):,} numbers; more than {most:,} are not modelled.")


def integers(node: OnnxNode, given: GraphElement | None, what: str) -> list[int]:
    """Integers that a graph must have as constants: a shape, axes, places."""
    if not isinstance(given, ConstantValue):
        raise ModelRefused(f"{node.name} with {what} that depends on the inputs is not modelled.")
    if given.kind not in (INT32, INT64) or given.values.ndim > 1:
        raise broken(f"{what} of {node.name} is no list of integers")
    return [int(each) for each in given.values.ravel()]


def floats(node: OnnxNode, given: ConstantValue, kind: int) -> Numbers:
    """Finite numbers of a type, as float64."""
    if given.kind != kind:
        told = f"{TYPE_NAMES[given.kind]} and {TYPE_NAMES[kind]}"
        raise broken(f"{node.name} computes with {given.name}, and has {told}")
    found: Numbers = given.values.astype(np.float64)
    if not np.isfinite(found).all():
        raise ModelRefused(f"The constant {given.name} of {node.name} has a number that is infinite or NaN.")
    return found


def precision_of(node: OnnxNode, kind: int) -> Precision:
    if kind not in PRECISIONS:
        raise ModelRefused(f"{node.name} of {TYPE_NAMES.get(kind, kind)} is not modelled, only of float and double.")
    return PRECISIONS[kind]


def axis_of(node: OnnxNode, axis: int, rank: int) -> int:
    """An axis that may be counted from the end."""
    if not -rank <= axis < rank:
        raise broken(f"{node.name} has the axis {axis} of {rank}")
    return axis % rank

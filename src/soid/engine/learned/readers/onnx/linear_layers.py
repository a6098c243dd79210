"""Operators that are linear in what is computed: Gemm, MatMul, sums, products with constants, batch normalisation.

How often a runtime rounds is counted for all ways in which it may compute them. It may fold a constant factor or a
batch normalisation into the weights before it, and a constant or another vector into the sum, of which it is then the
first term. So what is added to a sum of n terms has n roundings more.
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.network import Added, Affine, Precision
from soid.engine.learned.networks.float_errors import LEAST
from soid.engine.learned.readers.onnx.graph_values import (
    LARGEST_VALUE,
    ComputedValue,
    ConstantValue,
    Number,
    Numbers,
    Places,
    floats,
    precision_of,
    refuse_large,
)
from soid.engine.learned.readers.onnx.layer_builder import LayerBuilder, packed
from soid.engine.learned.readers.onnx.moved_elements import broadcast
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import OnnxNode
from soid.engine.learned.readers.onnx.onnx_tensors import TYPE_NAMES
from soid.engine.learned.readers.onnx.protobuf_wire import broken

_T = TypeVar("_T", bound=np.generic)

_EPSILON: Final = float(np.float32(1e-5))
_NORMALISED: Final = 12  # roundings of a batch normalisation: of 1 / sqrt(var + e) here and there, and of what follows
_VANISHED: Final = 4.0  # times t: less than what roundings of a batch normalisation may lose by underflow
_DIVIDED: Final = 3  # of a division: its own, that of the reciprocal here, and of the product with one there
#: of a product of doubles with one number for all: onnxruntime keeps it as a float32 if a matrix product is beside it
_SINGLE: Final = 1 << 30
_SMALLEST: Final = 2.0**-1000  # a reciprocal below it might not be a normal number


def product(node: OnnxNode, layers: LayerBuilder, one: Number, other: Number) -> Places:
    """MatMul with a constant on either side."""
    NodeAttributes(node, "")
    match one, other:
        case ComputedValue(), ConstantValue():
            return _product(node, layers, one, floats(node, other, one.kind))
        case ConstantValue(), ComputedValue():
            if min(len(one.shape), len(other.shape)) < 1:
                raise broken(f"{node.name} of a single number")
            turned = _turned(other.places)
            found = _product(node, layers, ComputedValue(other.kind, turned), _turned(floats(node, one, other.kind)))
            if len(other.shape) == 1 or len(one.shape) == 1:
                return found
            return found.swapaxes(-1, -2)
    raise ModelRefused(f"{node.name} of two matrices that both depend on the inputs is not modelled.")


def _turned(matrix: NDArray[_T]) -> NDArray[_T]:
    return matrix.swapaxes(-1, -2) if matrix.ndim > 1 else matrix


def _product(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, weights: Numbers) -> Places:
    """A computed matrix, or many, times a constant one."""
    places = one.places
    if not places.ndim or not weights.ndim:
        raise broken(f"{node.name} of a single number")
    left = places[None, :] if places.ndim == 1 else places
    right = weights[:, None] if weights.ndim == 1 else weights
    if left.shape[-1] != right.shape[-2]:
        raise broken(f"{node.name} of the shapes {list(places.shape)} and {list(weights.shape)}")
    outer = broadcast(node, left.shape[:-2], right.shape[:-2])
    rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    shape = (*outer, rows, columns)
    refuse_large(node, shape, LARGEST_VALUE)
    source = np.broadcast_to(np.arange(places.size).reshape(left.shape), (*outer, rows, inner)).reshape(-1, rows, inner)
    matrices = np.broadcast_to(right, (*outer, inner, columns)).reshape(-1, inner, columns)
    layers.weigh(node, int(np.prod(shape)), places.size)
    dense = np.zeros((source.shape[0], rows, columns, places.size))
    for number, (own, matrix) in enumerate(zip(source, matrices, strict=True)):
        for row in range(rows):
            dense[number, row][:, own[row]] = matrix.T
    precision = precision_of(node, one.kind)
    layer = Affine(layers.vector(places), packed(dense), packed(np.zeros(int(np.prod(shape)))), precision)
    found = layers.add(layer, shape, inner + 1)
    found = found[..., 0, :] if places.ndim == 1 else found
    return found[..., 0] if weights.ndim == 1 else found


def gemm(
    node: OnnxNode,
    layers: LayerBuilder,
    one: Number,
    other: Number,
    added: Number | None,
) -> Places:
    """alpha * A * B + beta * C."""
    attributes = NodeAttributes(node, "alpha beta transA transB")
    alpha, beta = attributes.number("alpha", 1.0), attributes.number("beta", 1.0)
    if not (np.isfinite(alpha) and np.isfinite(beta)) or alpha == 0.0:
        raise ModelRefused(f"{node.name} with alpha = {alpha} and beta = {beta} is not modelled.")
    if len(one.shape) != 2 or len(other.shape) != 2:
        raise broken(f"{node.name} of the shapes {list(one.shape)} and {list(other.shape)}")
    first = _turned_value(one) if attributes.flag("transA") else one
    second = _turned_value(other) if attributes.flag("transB") else other
    plain = OnnxNode(node.operator, node.domain, node.inputs, node.outputs, {})
    places = product(plain, layers, first, second)
    kind = one.kind if isinstance(one, ComputedValue) else other.kind
    precision = precision_of(node, kind)
    if alpha != 1.0:
        places = layers.scaled(places, np.full(places.size, alpha), np.zeros(places.size), 1, precision)
    if added is None or beta == 0.0:
        return places
    if broadcast(node, places.shape, added.shape) != places.shape:
        raise broken(f"{node.name} adds the shape {list(added.shape)} to {list(places.shape)}")
    if isinstance(added, ConstantValue):
        offset = np.broadcast_to(floats(node, added, kind), places.shape)
        return with_offset(layers, places, offset * beta, precision, 2 if beta != 1.0 else 1)
    spread = np.broadcast_to(_same_kind(node, added, kind).places, places.shape)
    if beta != 1.0:
        spread = layers.scaled(spread, np.full(spread.size, beta), np.zeros(spread.size), 1, precision)
    return total(layers, [places, spread], [False, False], precision)


def _turned_value(given: Number) -> Number:
    if isinstance(given, ComputedValue):
        return ComputedValue(given.kind, given.places.T)
    return ConstantValue(given.kind, given.values.T, given.name)


def _same_kind(node: OnnxNode, given: ComputedValue, kind: int) -> ComputedValue:
    if given.kind != kind:
        raise broken(f"{node.name} of {TYPE_NAMES[given.kind]} and {TYPE_NAMES[kind]}")
    return given


def with_offset(
    layers: LayerBuilder, places: Places, offset: Numbers, precision: Precision, roundings: int = 1
) -> Places:
    """A constant added: as the bias of a matrix product that has none, else to each element."""
    known = layers.layer_at(places)
    if known is not None and isinstance(known[1], Affine) and not any(known[1].bias):
        made = Affine(
            known[1].source, known[1].weights, packed(np.ravel(offset)), precision, known[1].roundings + roundings - 1
        )
        return layers.add(made, places.shape, layers.terms(places))
    return layers.scaled(places, np.ones(places.size), np.ravel(offset), roundings, precision)


def total(layers: LayerBuilder, given: list[Places], subtracted: list[bool], precision: Precision) -> Places:
    """Vectors added up. Each is rounded as often as a sum among the others has terms, onto which it may be added."""
    terms = [layers.terms(each) for each in given]
    sources = []
    for number, each in enumerate(given):
        others = sum(terms[:number] + terms[number + 1 :])
        if others:
            layer = layers.scaled(each, np.ones(each.size), np.zeros(each.size), others, precision)
            sources.append(layers.vector(layer))
        else:
            sources.append(layers.vector(each))
    return layers.add(Added(tuple(sources), tuple(subtracted), precision), given[0].shape)


def sum_of(node: OnnxNode, layers: LayerBuilder, given: list[Number]) -> Places:
    """Add, Sub and Sum, of which some are computed."""
    NodeAttributes(node, "")
    kind = next(each.kind for each in given if isinstance(each, ComputedValue))
    precision = precision_of(node, kind)
    shape = broadcast(node, *(each.shape for each in given))
    refuse_large(node, shape, LARGEST_VALUE)
    signs = [1.0] + [-1.0 if node.operator == "Sub" else 1.0] * (len(given) - 1)
    computed = [
        (np.broadcast_to(_same_kind(node, each, kind).places, shape), sign)
        for each, sign in zip(given, signs, strict=True)
        if isinstance(each, ComputedValue)
    ]
    constants = [
        (np.broadcast_to(floats(node, each, kind), shape), sign)
        for each, sign in zip(given, signs, strict=True)
        if isinstance(each, ConstantValue)
    ]
    if len(given) == 2 and constants:
        (places, sign), (offset, other) = computed[0], constants[0]
        if sign > 0:
            return with_offset(layers, places, offset * other, precision)
        return layers.scaled(places, np.full(places.size, sign), np.ravel(offset * other), 1, precision)
    vectors = [places for places, _ in computed] + [layers.constants(each, precision) for each, _ in constants]
    subtracted = [sign < 0 for _, sign in (*computed, *constants)]
    return vectors[0] if len(vectors) == 1 else total(layers, vectors, subtracted, precision)


def factor(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, by: ConstantValue) -> Places:
    """Mul, and Div by a constant."""
    NodeAttributes(node, "")
    precision = precision_of(node, one.kind)
    shape = broadcast(node, one.shape, by.shape)
    refuse_large(node, shape, LARGEST_VALUE)
    values = floats(node, by, one.kind)
    roundings = 1
    if node.operator == "Div":
        if (np.abs(values) < _SMALLEST).any() or (np.abs(values) > 1 / _SMALLEST).any():
            raise ModelRefused(f"{node.name} by zero, or by a number as small or as large, is not modelled.")
        values, roundings = 1.0 / values, _DIVIDED
    if precision == 64 and values.size == 1:
        roundings += _SINGLE
    places = np.broadcast_to(one.places, shape)
    spread = np.ravel(np.broadcast_to(values, shape))
    return layers.scaled(places, spread, np.zeros(places.size), roundings, precision)


def negated(node: OnnxNode, layers: LayerBuilder, one: ComputedValue) -> Places:
    NodeAttributes(node, "")
    precision = precision_of(node, one.kind)
    return layers.scaled(one.places, np.full(one.places.size, -1.0), np.zeros(one.places.size), 0, precision)


def normalised(node: OnnxNode, layers: LayerBuilder, one: ComputedValue, given: list[ConstantValue]) -> Places:
    """BatchNormalization: (x - mean) / sqrt(variance + epsilon) * scale + bias, of each channel."""
    attributes = NodeAttributes(node, "epsilon momentum training_mode")
    if attributes.flag("training_mode") or len(node.outputs) > 1:
        raise ModelRefused(f"{node.name} that learns is not modelled.")
    if len(one.shape) < 2 or any(each.shape != (one.shape[1],) for each in given):
        raise broken(f"{node.name} of {list(one.shape)} has constants for another number of channels")
    precision = precision_of(node, one.kind)
    scale, bias, mean, variance = (floats(node, each, one.kind) for each in given)
    epsilon = attributes.number("epsilon", _EPSILON)
    if not (variance + epsilon >= LEAST[precision]).all():  # what is subnormal may become 0
        raise ModelRefused(f"{node.name} with a variance that is not above zero is not modelled.")
    by = scale / np.sqrt(variance + epsilon)
    moved = -mean * by
    if not (np.isfinite(by) & np.isfinite(moved)).all():
        raise ModelRefused(f"{node.name} with constants as large is not modelled.")
    vanishing = (np.abs(by) < LEAST[precision]) & (by != 0)
    if (vanishing & (np.abs(mean) > _VANISHED)).any():  # a runtime's mean * by may be 0
        raise ModelRefused(f"{node.name} with scales as small is not modelled.")
    factors, offsets, biases = (
        np.ravel(np.broadcast_to(each.reshape(-1, *[1] * (len(one.shape) - 2)), one.shape))
        for each in (by, moved, bias)
    )
    # in two layers: where mean * by and the bias cancel, the error of their sum is none that is relative to the sum
    places = layers.scaled(one.places, factors, offsets, _NORMALISED, precision)
    return layers.scaled(places, np.ones(places.size), biases, _NORMALISED, precision)

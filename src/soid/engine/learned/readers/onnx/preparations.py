"""Operators that prepare columns for a model: selection, casts, arithmetic with constants, imputation, encoders.

A float32 operation is the float64 one, rounded: twice as many bits and two more are enough for that to be the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeVar

from soid.engine.learned.column_steps import Column, ColumnArithmetic, ColumnStep, Impute, Indicator, Table, ToFloat32
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx.input_features import InputFeatures, PreparedColumns
from soid.engine.learned.readers.onnx.node_attributes import NodeAttributes
from soid.engine.learned.readers.onnx.onnx_messages import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    TYPE_NAMES,
    OnnxNode,
    OnnxTensor,
)
from soid.engine.learned.readers.onnx.protobuf_wire import broken

_T = TypeVar("_T")
_FLOATS: Final = (FLOAT, DOUBLE)
_WHOLE: Final = (INT64, INT32, BOOL)


def cast(node: OnnxNode, given: PreparedColumns) -> PreparedColumns:
    target = NodeAttributes(node, "to saturate round_mode").integer("to", 0)
    return converted(given, target, node)


def converted(given: PreparedColumns, target: int, node: OnnxNode) -> PreparedColumns:
    """The same columns with elements of another type."""
    if target == given.kind or (target in (DOUBLE, INT64) and given.kind in (*_WHOLE, target)):
        return PreparedColumns(target, given.columns, given.flat)
    if target == DOUBLE and given.kind == FLOAT:
        return PreparedColumns(target, given.columns, given.flat)
    if target == FLOAT and given.kind in (DOUBLE, *_WHOLE):
        return PreparedColumns(target, tuple(then(each, ToFloat32()) for each in given.columns), given.flat)
    told = f"{TYPE_NAMES[given.kind]} to {TYPE_NAMES.get(target, str(target))}"
    raise ModelRefused(f"{node.name} from {told} is not modelled.")


def then(column: Column, *steps: ColumnStep) -> Column:
    return Column(column.feature, column.steps + steps)


def joined(node: OnnxNode, given: Sequence[PreparedColumns]) -> PreparedColumns:
    """Concat: tables side by side."""
    if NodeAttributes(node, "axis").integer("axis", 1) not in (1, -1) or not all(each.flat for each in given):
        raise ModelRefused(f"{node.name} along another axis than the columns is not modelled.")
    if len({each.kind for each in given}) != 1:
        raise broken("it joins columns of different types")
    return PreparedColumns(given[0].kind, tuple(column for each in given for column in each.columns))


def vectorized(node: OnnxNode, given: Sequence[PreparedColumns]) -> PreparedColumns:
    """FeatureVectorizer: tables side by side, as floats."""
    sizes = NodeAttributes(node, "inputdimensions").integers("inputdimensions")
    if sizes != [len(each.columns) for each in given]:
        raise ModelRefused(f"{node.name} that cuts or pads its inputs is not modelled.")
    columns = [column for each in given for column in converted(each, FLOAT, node).columns]
    return PreparedColumns(FLOAT, tuple(columns))


def selected(places: OnnxTensor, columns: Sequence[_T]) -> tuple[_T, ...]:
    """Some of the columns: ArrayFeatureExtractor, and Gather."""
    if places.kind not in (INT64, INT32):
        raise broken("columns are chosen by something else than integers")
    found = []
    for place in places.values.tolist():
        if not -len(columns) <= place < len(columns):
            raise broken(f"column {place} of {len(columns)} is chosen")
        found.append(columns[place])
    return tuple(found)


def arithmetic(
    node: OnnxNode, operation: Literal["add", "subtract", "multiply", "divide"], given: PreparedColumns, by: OnnxTensor
) -> PreparedColumns:
    """Add, Sub, Mul and Div with a constant on the right."""
    NodeAttributes(node, "")
    if given.kind not in _FLOATS or by.kind != given.kind or not given.flat:
        raise ModelRefused(f"{node.name} of {TYPE_NAMES[given.kind]} and {TYPE_NAMES[by.kind]} is not modelled.")
    values = [float(value) for value in by.values]
    if len(by.shape) > 2 or (len(by.shape) == 2 and by.shape[0] != 1):
        raise ModelRefused(f"{node.name} with a constant of shape {list(by.shape)} is not modelled.")
    return PreparedColumns(
        given.kind,
        tuple(
            _rounded(given.kind, then(column, _step(node, operation, value)))
            for column, value in zip(given.columns, _spread(values, len(given.columns), node), strict=True)
        ),
    )


def _step(
    node: OnnxNode, operation: Literal["add", "subtract", "multiply", "divide"], value: float
) -> ColumnArithmetic:
    if not math.isfinite(value) or (value == 0.0 and operation in ("multiply", "divide")):
        raise ModelRefused(f"{node.name} by {value} is not modelled.")
    return ColumnArithmetic(operation, value)


def _rounded(kind: int, column: Column) -> Column:
    return then(column, ToFloat32()) if kind == FLOAT else column


def _spread(values: list[float], count: int, node: OnnxNode) -> list[float]:
    if len(values) not in (1, count):
        raise broken(f"{node.name} has {len(values)} values for {count} columns")
    return values * count if len(values) != count else values


def scaled(node: OnnxNode, given: PreparedColumns) -> PreparedColumns:
    """Scaler: (x - offset) * scale, in the type of x, then as float32."""
    attributes = NodeAttributes(node, "offset scale")
    offsets, scales = attributes.numbers("offset"), attributes.numbers("scale")
    if given.kind not in _FLOATS or not given.flat or len(offsets) != len(scales):
        raise ModelRefused(f"{node.name} of {TYPE_NAMES[given.kind]} with {len(offsets)} offsets is not modelled.")
    count = len(given.columns)
    found = []
    for column, offset, scale in zip(
        given.columns, _spread(offsets, count, node), _spread(scales, count, node), strict=True
    ):
        moved = _rounded(given.kind, then(column, _step(node, "subtract", offset)))
        found.append(then(moved, _step(node, "multiply", scale), ToFloat32()))
    return PreparedColumns(FLOAT, tuple(found))


def imputed(node: OnnxNode, given: PreparedColumns) -> PreparedColumns:
    attributes = NodeAttributes(
        node, "imputed_value_floats replaced_value_float imputed_value_int64s replaced_value_int64"
    )
    values = attributes.numbers("imputed_value_floats")
    if given.kind != FLOAT or not given.flat or not values:
        raise ModelRefused(f"{node.name} of {TYPE_NAMES[given.kind]} is not modelled.")
    if not math.isnan(attributes.number("replaced_value_float", 0.0)):
        raise ModelRefused(f"{node.name} that replaces a number is not modelled, only one that replaces NaN.")
    if not all(math.isfinite(value) for value in values):
        raise ModelRefused(f"{node.name} that replaces by an infinity or NaN is not modelled.")
    if len(values) != len(given.columns):
        values = values[:1] * len(given.columns)  # as onnxruntime does: then the first value is for all
    return PreparedColumns(
        FLOAT, tuple(then(column, Impute(value)) for column, value in zip(given.columns, values, strict=True))
    )


def one_hot(node: OnnxNode, given: PreparedColumns, features: InputFeatures) -> PreparedColumns:
    """OneHotEncoder: a column for each known category."""
    attributes = NodeAttributes(node, "cats_int64s cats_strings zeros")
    numbers, texts = attributes.integers("cats_int64s"), attributes.texts("cats_strings")
    keys: Sequence[int | str] = texts if given.kind == STRING else numbers
    if given.kind not in (INT64, STRING) or (numbers and texts):
        raise ModelRefused(f"{node.name} of {TYPE_NAMES[given.kind]} is not modelled.")
    if not keys or len(set(keys)) != len(keys):
        raise broken(f"{node.name} has no categories, or one twice")
    found = []
    for column in given.columns:
        _must_be_raw(column, node)
        codes = features.codes(column.feature, texts) if given.kind == STRING else _exact(numbers, node)
        if not attributes.integer("zeros", 1):
            features.demand(column.feature, codes)
        made: Callable[[int], ColumnStep] = _chosen if given.kind == STRING else lambda code: Indicator(float(code))
        found += [then(column, made(code)) for code in codes]
    return PreparedColumns(FLOAT, tuple(found), flat=False)


def _chosen(code: int) -> Table:
    return Table(((code, 1.0),), 0.0)


def _exact(numbers: list[int], node: OnnxNode) -> list[int]:
    if any(abs(number) > 2**53 for number in numbers):
        raise ModelRefused(f"{node.name} with integers beyond 2**53 is not modelled.")
    return numbers


def _must_be_raw(column: Column, node: OnnxNode) -> None:
    if column.steps:
        raise ModelRefused(f"{node.name} of what another operator has made is not modelled, only of inputs.")


def label_encoded(node: OnnxNode, given: PreparedColumns, features: InputFeatures) -> PreparedColumns:
    """LabelEncoder: a number for each known category, another one for the rest."""
    attributes = NodeAttributes(
        node,
        "classes_strings default_int64 default_string default_float default_tensor keys_strings keys_int64s "
        "keys_floats keys_tensor values_strings values_int64s values_floats values_tensor",
    )
    keys, numbers, texts = _keys(attributes, given.kind, node)
    kind, values, otherwise = _values(attributes, node, len(numbers) or len(texts))
    if not keys or len(set(keys)) != len(keys):
        raise broken(f"{node.name} has no keys, or one twice")
    if len(values) != len(keys) or not all(math.isfinite(value) for value in [*values, otherwise]):
        raise broken(f"{node.name} has {len(values)} values for {len(keys)} keys, or values that are not finite")
    found = []
    for column in given.columns:
        _must_be_raw(column, node)
        codes = features.codes(column.feature, texts) if given.kind == STRING else _exact(numbers, node)
        found.append(then(column, Table(tuple(zip(codes, values, strict=True)), otherwise)))
    return PreparedColumns(kind, tuple(found), given.flat)


def _keys(attributes: NodeAttributes, kind: int, node: OnnxNode) -> tuple[Sequence[int | str], list[int], list[str]]:
    """All of them, and those of either type."""
    tensor = attributes.tensor("keys_tensor")
    numbers, texts = attributes.integers("keys_int64s"), attributes.texts("keys_strings")
    if tensor is not None and tensor.kind == INT64:
        numbers = tensor.values.tolist()
    texts = texts or attributes.texts("classes_strings")
    if kind == INT64 and numbers:
        return numbers, numbers, []
    if kind == STRING and texts:
        return texts, [], texts
    raise ModelRefused(f"{node.name} of {TYPE_NAMES[kind]} with other keys is not modelled.")


def _values(attributes: NodeAttributes, node: OnnxNode, count: int) -> tuple[int, list[float], float]:
    """The type of the values, the values, and the one for the rest."""
    if attributes.texts("classes_strings"):
        return INT64, [float(place) for place in range(count)], float(attributes.integer("default_int64", -1))
    default = attributes.tensor("default_tensor")
    tensor = attributes.tensor("values_tensor")
    if default is not None and (len(default.values) != 1 or default.kind == STRING):
        raise broken(f"{node.name} has {len(default.values)} default values, or a text")
    whole = attributes.integers("values_int64s")
    if whole or (tensor is not None and tensor.kind == INT64):
        values = _exact(whole or ([] if tensor is None else tensor.values.tolist()), node)
        otherwise = attributes.integer("default_int64", -1) if default is None else int(default.values[0])
        return INT64, [float(value) for value in values], float(_exact([otherwise], node)[0])
    floats = attributes.numbers("values_floats")
    if floats or (tensor is not None and tensor.kind in _FLOATS):
        otherwise_float = attributes.number("default_float", -0.0) if default is None else float(default.values[0])
        kind = FLOAT if tensor is None else tensor.kind
        return kind, floats or ([] if tensor is None else [float(v) for v in tensor.values]), otherwise_float
    raise ModelRefused(f"{node.name} that makes texts is not modelled.")

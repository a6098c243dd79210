"""Constants of an ONNX file: numbers and texts with their shapes, in the file itself or in another one beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.onnx import protobuf_wire as wire
from soid.engine.learned.readers.onnx.protobuf_wire import Fields, broken

#: types of elements
FLOAT: Final = 1
INT32: Final = 6
INT64: Final = 7
STRING: Final = 8
BOOL: Final = 9
DOUBLE: Final = 11

TYPE_NAMES: Final = {
    0: "undefined", FLOAT: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", INT32: "int32", INT64: "int64",
    STRING: "string", BOOL: "bool", 10: "float16", DOUBLE: "double", 12: "uint32", 13: "uint64", 16: "bfloat16",
}  # fmt: skip

#: how elements lie in raw data, and in which field they lie otherwise
_LAYOUTS: Final = {FLOAT: "<f4", 2: "u1", INT32: "<i4", INT64: "<i8", BOOL: "u1", DOUBLE: "<f8"}
_LARGEST: Final = 1 << 28  # elements of a tensor


#: the contents of files beside the model, by the names that it has for them
Files = Mapping[str, bytes]


@final
class OnnxTensor(Struct, frozen=True):
    """Numbers or texts that are in the file."""

    kind: int
    shape: tuple[int, ...]
    values: NDArray[Any]  # flat


def tensor(message: Fields, files: Files) -> OnnxTensor:
    kind, shape = wire.integer(message, 2), tuple(wire.integers(message, 1))
    if any(size < 0 for size in shape) or math.prod(shape) > _LARGEST:
        raise broken(f"it has a tensor of shape {list(shape)[:8]}")
    if kind == STRING:
        values: NDArray[Any] = np.array(wire.byte_strings(message, 6), object)
    elif kind in _LAYOUTS:
        values = _numbers(kind, message, math.prod(shape), files)
    else:
        raise ModelRefused(f"Constants of the type {TYPE_NAMES.get(kind, kind)} are not modelled.")
    if len(values) != math.prod(shape):
        raise broken(f"a tensor of shape {list(shape)[:8]} has {len(values)} elements")
    return OnnxTensor(kind, shape, values)


def _numbers(kind: int, message: Fields, count: int, files: Files) -> NDArray[Any]:
    layout = np.dtype(_LAYOUTS[kind])
    raw = b"".join(wire.byte_strings(message, 9))
    if wire.integer(message, 14):
        return np.frombuffer(bytes_beside(message, count * layout.itemsize, files), layout)
    if raw:
        if len(raw) % layout.itemsize:
            raise broken("a tensor's numbers are cut off")
        return np.frombuffer(raw, layout)
    match kind:
        case 1:
            return wire.float32s(message, 4)
        case 11:
            return wire.float64s(message, 10)
        case 7:
            return np.array(wire.integers(message, 7), np.int64)
        case _:
            return np.array(wire.integers(message, 5), np.int64).astype(layout)


def size_of(kind: int) -> int:
    """Bytes of an element."""
    if kind not in _LAYOUTS:
        raise ModelRefused(f"Constants of the type {TYPE_NAMES.get(kind, kind)} are not modelled.")
    return int(np.dtype(_LAYOUTS[kind]).itemsize)


def bytes_beside(message: Fields, size: int, files: Files) -> bytes:
    """The bytes of a constant in another file."""
    name, first, length = place_beside(message)
    content = files.get(name)
    if content is None:
        raise ModelRefused(f"Constants in the file {name!r:.80} cannot be read.", "Export the model as one file.")
    if length not in (None, size):
        raise broken(f"a constant of {size} bytes is said to have {length} in {name!r:.80}")
    if first + size > len(content):
        raise broken(f"a constant of {size} bytes lies at the byte {first} of {name!r:.80}, which has {len(content)}")
    return content[first : first + size]


def place_beside(message: Fields) -> tuple[str, int, int | None]:
    """Where a constant lies that is not in the model's file: the other file, the first byte, and how many."""
    pairs = map(wire.fields, wire.byte_strings(message, 13))
    known = {wire.text(each, 1): wire.text(each, 2) for each in pairs}
    first, length = known.get("offset", "0"), known.get("length")
    if not (first.isascii() and first.isdigit() and len(first) < 20):
        raise broken(f"a constant begins at the byte {first!r:.40} of another file")
    if length is not None and not (length.isascii() and length.isdigit() and len(length) < 20):
        raise broken(f"a constant in another file has {length!r:.40} bytes")
    return known.get("location", ""), int(first), None if length is None else int(length)

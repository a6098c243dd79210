"""The values of a decoded message (ROS 2, Protocol Buffers) as nested cells: numbers as text, floats as stored.

A float of Protocol Buffers stays one; ROS 2 decoders do not say which floats were stored short.
"""

from __future__ import annotations

from typing import Any, Final

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.scenario.log_formats import StoredFloat

_FLOAT: Final = 6  # kinds of fields in a descriptor of Protocol Buffers (cpp_type)
_ENUM: Final = 8


def plain_value(value: Any, form: Any) -> Any:
    """A decoded value as a nested value of cells; `form` is the format that its floats were stored in."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        bits = sf.float_to_bits64(value)
        return StoredFloat(form, bits if form == FLOAT64 else sf.convert(FLOAT64, form, bits))
    if isinstance(value, bytes):
        return [str(byte) for byte in value]
    if hasattr(value, "DESCRIPTOR"):
        absent = [f.name for f in value.DESCRIPTOR.fields if f.has_presence and not value.HasField(f.name)]
        named = [(f, getattr(value, f.name)) for f in value.DESCRIPTOR.fields if f.name not in absent]
        return {field.name: _field(field, inner) for field, inner in named}
    if hasattr(value, "items"):
        return {str(key): plain_value(inner, form) for key, inner in value.items()}
    if hasattr(value, "__slots__"):
        return {name: plain_value(getattr(value, name), form) for name in value.__slots__}
    return [plain_value(each, form) for each in value]


def _field(field: Any, value: Any) -> Any:
    """A field of Protocol Buffers: an enumeration has its labels, and a message that is absent no value."""
    if field.cpp_type == _ENUM:
        labels = field.enum_type.values_by_number
        named = [labels[each].name if each in labels else str(each) for each in (value if _is_many(value) else [value])]
        return named if _is_many(value) else named[0]
    return plain_value(value, FLOAT32 if field.cpp_type == _FLOAT else FLOAT64)


def _is_many(value: Any) -> bool:
    return not isinstance(value, int)

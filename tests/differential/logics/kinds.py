"""Kinds of variables: bits, the Python values they stand for, and their texts in SMT-LIB, logs and questions."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import cache

Value = bool | int | float  # what bits stand for: a bool, a whole number, a float

_CODES = {16: "<e", 32: "<f"}
_EXPONENTS = {16: 5, 32: 8}


@dataclass(frozen=True)
class Kind:
    sort: str  # bool, int, enum, float
    width: int
    signed: bool = False
    labels: tuple[tuple[str, int], ...] = ()  # of an enum: label and number

    @property
    def name(self) -> str:
        """As soid.toml has it."""
        if self.sort == "int":
            return f"{'int' if self.signed else 'uint'}{self.width}"
        return f"float{self.width}" if self.sort == "float" else self.sort

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1


BOOL = Kind("bool", 1)
FLOAT16 = Kind("float", 16)
FLOAT32 = Kind("float", 32)


@cache
def decode(kind: Kind, bits: int) -> Value:
    if kind.sort == "bool":
        return bool(bits)
    if kind.sort == "float":
        number: float = struct.unpack(_CODES[kind.width], bits.to_bytes(kind.width // 8, "little"))[0]
        return number
    return bits - (1 << kind.width) if kind.signed and bits >> (kind.width - 1) else bits


def encode(kind: Kind, value: Value) -> int:
    """The bits of a value; numbers wrap, floats round to nearest even, and every NaN is the plain one."""
    if kind.sort == "float":
        return _encode_float(kind, float(value))
    return int(value) & kind.mask


def _encode_float(kind: Kind, value: float) -> int:
    infinity = ((1 << _EXPONENTS[kind.width]) - 1) << (kind.width - 1 - _EXPONENTS[kind.width])
    if math.isnan(value):
        return infinity | 1 << (kind.width - 2 - _EXPONENTS[kind.width])
    try:
        return int.from_bytes(struct.pack(_CODES[kind.width], value), "little")
    except OverflowError:
        return infinity | (1 << (kind.width - 1) if value < 0 else 0)


def rounded(kind: Kind, value: float) -> float:
    """The float of this kind nearest to a double.

    Right also for a sum, a difference or a product of two such floats that was computed in doubles, because a double
    has more than twice their digits, and two to spare.
    """
    return float(decode(kind, _encode_float(kind, value)))


def plain(kind: Kind, bits: int) -> int:
    """The bits with every NaN folded to the plain one."""
    return encode(kind, decode(kind, bits)) if kind.sort == "float" else bits


def is_nan(kind: Kind, bits: int) -> bool:
    return kind.sort == "float" and math.isnan(decode(kind, bits))


# --- texts ----------------------------------------------------------------------------------------------------


def smt_sort(kind: Kind) -> str:
    if kind.sort == "bool":
        return "Bool"
    if kind.sort == "float":
        exponent = _EXPONENTS[kind.width]
        return f"(_ FloatingPoint {exponent} {kind.width - exponent})"
    return f"(_ BitVec {kind.width})"


def smt_bits(width: int, bits: int) -> str:
    return f"#b{bits:0{width}b}"


def smt_value(kind: Kind, bits: int) -> str:
    if kind.sort == "bool":
        return "true" if bits else "false"
    text = f"{bits:0{kind.width}b}"
    if kind.sort == "float":
        end = 1 + _EXPONENTS[kind.width]
        return f"(fp #b{text[0]} #b{text[1:end]} #b{text[end:]})"
    return f"#b{text}"


def text_of(kind: Kind, bits: int) -> str:
    """The value as a question writes it; a NaN that is not the plain one shows its bits."""
    value = decode(kind, bits)
    if kind.sort == "bool":
        return "true" if value else "false"
    if kind.sort == "enum":
        return next((label for label, number in kind.labels if number == value), str(value))
    if kind.sort == "float" and math.isnan(value):
        return "nan" if bits == plain(kind, bits) else f"nan(0x{bits:x})"
    return repr(value)


def json_of(kind: Kind, bits: int) -> str:
    """The value as a log writes it."""
    text = text_of(kind, bits)
    plain_number = kind.sort == "float" and math.isfinite(decode(kind, bits))
    return text if kind.sort in ("bool", "int") or plain_number else f'"{text}"'

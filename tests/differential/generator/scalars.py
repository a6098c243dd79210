"""The scalar types of generated programs: their ranges, C's conversions between them, and their raw bits.

Everything a vector or an output holds is an unsigned integer of the type's width ("raw bits"), so that NaN, -0.0
and wrapped integers are told apart:  ``bits_of(FLOAT, -0.0) == 0x80000000``, ``value_of(INT8, 0xFF) == -1``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "BOOL",
    "CHAR",
    "DOUBLE",
    "FLOAT",
    "HALF",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "INTEGERS",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "CType",
    "TypeKind",
    "arithmetic_type",
    "bits_of",
    "enum_type",
    "is_nan_bits",
    "promoted",
    "unsigned_of",
    "value_of",
]


class TypeKind(Enum):
    """What a scalar is."""

    INT = "int"
    BOOL = "bool"
    ENUM = "enum"
    FLOAT = "float"


@dataclass(frozen=True, slots=True)
class CType:
    """One scalar type as the target has it."""

    name: str  # as written in a declaration
    kind: TypeKind
    bits: int  # width in memory
    signed: bool
    labels: tuple[str, ...] = ()  # enumerators, for ENUM
    values: tuple[int, ...] = ()  # their values, same order

    @property
    def is_float(self) -> bool:
        """Whether the type is a floating one."""
        return self.kind is TypeKind.FLOAT

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.bits // 8

    @property
    def low(self) -> int:
        """The smallest value a well-formed integer object of this type holds."""
        if self.kind is TypeKind.ENUM:
            return min(self.values)
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest value a well-formed integer object of this type holds."""
        if self.kind is TypeKind.ENUM:
            return max(self.values)
        if self.kind is TypeKind.BOOL:
            return 1
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1


def _integer(name: str, bits: int, signed: bool) -> CType:
    return CType(name, TypeKind.INT, bits, signed)


INT8 = _integer("int8_t", 8, True)
UINT8 = _integer("uint8_t", 8, False)
INT16 = _integer("int16_t", 16, True)
UINT16 = _integer("uint16_t", 16, False)
INT32 = _integer("int32_t", 32, True)
UINT32 = _integer("uint32_t", 32, False)
INT64 = _integer("int64_t", 64, True)
UINT64 = _integer("uint64_t", 64, False)
CHAR = _integer("char", 8, True)  # the builds pass -fsigned-char, so every machine has the same programs
BOOL = CType("bool", TypeKind.BOOL, 8, False)
HALF = CType("_Float16", TypeKind.FLOAT, 16, True)
FLOAT = CType("float", TypeKind.FLOAT, 32, True)
DOUBLE = CType("double", TypeKind.FLOAT, 64, True)

INTEGERS = (INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64)
_PACKING = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def enum_type(tag: str, labels: tuple[str, ...], values: tuple[int, ...]) -> CType:
    """An enumeration without negative enumerators: clang gives it ``unsigned int``."""
    return CType(f"enum {tag}", TypeKind.ENUM, 32, False, labels, values)


def promoted(ctype: CType) -> CType:
    """The type after C's integer promotions."""
    if ctype.kind is TypeKind.ENUM:
        return UINT32
    return ctype if ctype.is_float or ctype.bits >= 32 else INT32


def arithmetic_type(left: CType, right: CType) -> CType:
    """The type of ``left op right`` after the usual arithmetic conversions."""
    if left.is_float or right.is_float:
        floats = [t for t in (left, right) if t.is_float]
        return max(floats, key=lambda t: t.bits)
    a, b = promoted(left), promoted(right)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def unsigned_of(ctype: CType) -> CType:
    """The unsigned integer type of the same width."""
    return {8: UINT8, 16: UINT16, 32: UINT32, 64: UINT64}[ctype.bits]


def bits_of(ctype: CType, value: float) -> int:
    """The raw bits of a Python value; a float too large for the type becomes an infinity."""
    if not ctype.is_float:
        return int(value) & ((1 << ctype.bits) - 1)
    as_float, as_int = _PACKING[ctype.bits]
    try:
        packed = struct.pack(as_float, value)
    except OverflowError:
        packed = struct.pack(as_float, float("inf") if value > 0 else float("-inf"))
    return int(struct.unpack(as_int, packed)[0])


def value_of(ctype: CType, bits: int) -> int | float:
    """The Python value of raw bits; floats of any width become the double that equals them."""
    if ctype.is_float:
        as_float, as_int = _PACKING[ctype.bits]
        return float(struct.unpack(as_float, struct.pack(as_int, bits))[0])
    sign = 1 << (ctype.bits - 1)
    return bits - (1 << ctype.bits) if ctype.signed and bits & sign else bits


def is_nan_bits(ctype: CType, bits: int) -> bool:
    """Whether the raw bits are a NaN: the standards leave a computed NaN's sign and payload open."""
    if not ctype.is_float:
        return False
    value = value_of(ctype, bits)
    return value != value

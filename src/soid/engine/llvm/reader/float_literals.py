"""Bit patterns of floating-point constants as LLVM writes them.

LLVM writes a decimal only if it is exact. Else it writes float and double both as the sixteen hexadecimal digits of a
double, and the other formats with a letter: half 0xH, bfloat 0xR, x86_fp80 0xK, fp128 0xL, ppc_fp128 0xM.

>>> hex(float_bits(FLOAT, "1.500000e+00")), hex(float_bits(FLOAT, "0x3FB99999A0000000"))
('0x3fc00000', '0x3dcccccd')
>>> hex(float_bits(HALF, "0xH3C00"))
'0x3c00'
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from soid.engine.llvm.ir.ir_types import BFLOAT, DOUBLE, FLOAT, FP128, HALF, PPC_FP128, X86_FP80, FloatingType

_DOUBLE_INFINITY = 0x7FF << 52
_LETTERS = {HALF: "0xH", BFLOAT: "0xR", X86_FP80: "0xK", FP128: "0xL", PPC_FP128: "0xM"}


def float_bits(type_: FloatingType, text: str) -> int:
    """The bit pattern of a constant; ValueError where the text is no number of this type."""
    if type_ == DOUBLE:
        return _double_bits(text)
    if type_ == FLOAT:
        return _narrow(_double_bits(text))
    return _lettered(type_, text)


def all_float_bits(type_: FloatingType, texts: Sequence[str]) -> Sequence[int]:
    """The bit patterns of many constants at once, which is faster."""
    if type_ != FLOAT:
        return [float_bits(type_, text) for text in texts]
    doubles = [_double_bits(text) for text in texts]
    if any(bits & _DOUBLE_INFINITY == _DOUBLE_INFINITY for bits in doubles):
        return [_narrow(bits) for bits in doubles]
    count = len(doubles)
    values = struct.unpack(f"<{count}d", struct.pack(f"<{count}Q", *doubles))
    return struct.unpack(f"<{count}I", struct.pack(f"<{count}f", *values))


def _double_bits(text: str) -> int:
    if text.startswith("0x"):
        return int(text, 16)
    bits: int = struct.unpack("<Q", struct.pack("<d", float(text)))[0]
    return bits


def _narrow(bits: int) -> int:
    """A double that is exactly a float, as that float; NaN keeps the top of its payload."""
    if bits & _DOUBLE_INFINITY == _DOUBLE_INFINITY:
        # not by `struct`: the hardware makes signalling NaNs quiet
        return bits >> 63 << 31 | 0x7F800000 | (bits >> 29 & 0x7FFFFF)
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    narrow: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return narrow


def _lettered(type_: FloatingType, text: str) -> int:
    letter = _LETTERS[type_]
    if not text.startswith(letter):
        raise ValueError(f"{text} is no {type_}")
    digits = text[len(letter) :]
    if letter in ("0xL", "0xM"):
        # two words of sixteen digits, the low one first
        return int(digits[16:] or "0", 16) << 64 | int(digits[:16], 16)
    return int(digits, 16)

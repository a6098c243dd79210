"""Bit patterns of floating-point constants as LLVM writes them.

LLVM writes a decimal only where it is exact; otherwise float and double are both the sixteen hexadecimal digits
of a double, and the other formats carry a letter: half 0xH, bfloat 0xR, x86_fp80 0xK, fp128 0xL, ppc_fp128 0xM.

>>> hex(float_bits(FloatType(), "1.500000e+00")), hex(float_bits(FloatType(), "0x3FB99999A0000000"))
('0x3fc00000', '0x3dcccccd')
>>> hex(float_bits(HalfType(), "0xH3C00"))
'0x3c00'
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from soid.engine.llvm.types import BFloatType, DoubleType, FloatingType, FloatType, Fp128, HalfType, PpcFp128, X86Fp80

_DOUBLE_INFINITY = 0x7FF << 52
_LETTERS = {HalfType: "0xH", BFloatType: "0xR", X86Fp80: "0xK", Fp128: "0xL", PpcFp128: "0xM"}


def float_bits(type_: FloatingType, text: str) -> int:
    """The bit pattern of a constant; ValueError where the text is no number of this type."""
    if isinstance(type_, DoubleType):
        return _double_bits(text)
    if isinstance(type_, FloatType):
        return _narrow(_double_bits(text))
    return _lettered(type_, text)


def all_float_bits(type_: FloatingType, texts: Sequence[str]) -> Sequence[int]:
    """The bit patterns of many, in less time than one by one."""
    if not isinstance(type_, FloatType):
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
    """The float whose value a double has exactly; NaN keeps the top of its payload."""
    if bits & _DOUBLE_INFINITY == _DOUBLE_INFINITY:
        # by hand: going through the hardware would turn signalling NaNs into quiet ones
        return bits >> 63 << 31 | 0x7F800000 | (bits >> 29 & 0x7FFFFF)
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    narrow: int = struct.unpack("<I", struct.pack("<f", value))[0]
    return narrow


def _lettered(type_: FloatingType, text: str) -> int:
    letter = _LETTERS[type(type_)]
    if not text.startswith(letter):
        raise ValueError(f"{text} is no {type_}")
    digits = text[len(letter) :]
    if letter in ("0xL", "0xM"):
        # two words of sixteen digits, the low one first
        return int(digits[16:] or "0", 16) << 64 | int(digits[:16], 16)
    return int(digits, 16)

"""Constants as SMT-LIB writes them.

>>> from soid.formula.sorts import BitVec, FLOAT16
>>> literal(BitVec(8), 255), literal(BitVec(3), 5)
('#xff', '#b101')
>>> literal(FLOAT16, 0x3C00), literal(FLOAT16, FLOAT16.nan)
('(fp #b0 #b01111 #b0000000000)', '(_ NaN 5 11)')
"""

from __future__ import annotations

from typing import Any

from soid.formula.softfloat import is_nan
from soid.formula.sorts import Bool, Float, Sort


def bits_literal(value: int, width: int) -> str:
    """A bit-vector, in hexadecimal if its width is a multiple of four."""
    return f"#x{value:0{width // 4}x}" if width % 4 == 0 else f"#b{value:0{width}b}"


def literal(sort: Sort, value: Any) -> str:
    """A constant of a sort; all NaN bit patterns become `(_ NaN e s)`."""
    if isinstance(sort, Bool):
        return "true" if value else "false"
    if not isinstance(sort, Float):
        return bits_literal(value, sort.width)
    if is_nan(sort, value):
        return f"(_ NaN {sort.exponent} {sort.significand})"
    bits = f"{value:0{sort.width}b}"
    return f"(fp #b{bits[0]} #b{bits[1 : 1 + sort.exponent]} #b{bits[1 + sort.exponent :]})"

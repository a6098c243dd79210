"""The exact number that a literal writes.

>>> exact("0.1"), exact("-0x1.8p1"), exact("inf")
(Fraction(1, 10), Fraction(-3, 1), None)
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from soid.errors import QueryError

_DECIMAL: Final = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", re.ASCII)
_HEX: Final = re.compile(r"(-?)0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]+))?(?:[pP]([+-]?\d+))?", re.ASCII)

#: no type of a program reaches this far; a number beyond it is a slip, and would take all memory to write out
_MOST_DIGITS: Final = 4_000


def exact(text: str) -> Fraction | None:
    """The number as a fraction; None for inf and nan. One that no type could hold or tell from 0 is an error."""
    for pattern, base, scale, digit_bits in ((_HEX, 16, 2, 4), (_DECIMAL, 10, 10, 1)):
        found = pattern.fullmatch(text)
        if found:
            sign, whole, fraction, power = found.groups(default="")
            if len(whole) + len(fraction) > _MOST_DIGITS or len(power) > 6 or abs(int(power or "0")) > _MOST_DIGITS:
                raise QueryError(
                    f"{text if len(text) < 40 else text[:37] + '...'} is a number beyond every type of a program",
                    "Write one that the variable could have.",
                )
            digits = int(whole + fraction, 16) if base == 16 else int(Decimal(whole + fraction))
            value = digits * Fraction(scale) ** (int(power or "0") - digit_bits * len(fraction))
            return -value if sign else value
    return None

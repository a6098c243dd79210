"""Decimal text to float bits by the machine's own conversion, wherever that is exact: logs are long.

`soid.formula.decimals.parse` is the rule, and gives the same bits for every text that is taken here.

>>> from soid.formula.sorts import FLOAT16, FLOAT32
>>> hex(quick(FLOAT32, "1.376") or 0), quick(FLOAT16, "1.376")
('0x3fb020c5', None)
"""

from __future__ import annotations

import re
from typing import Final

from soid.formula.softfloat import float_to_bits32, float_to_bits64
from soid.formula.sorts import FLOAT32, FLOAT64, Float

_PLAIN: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,9})?")
_LEAST, _END = 2.0**-126, 2.0**127  # FLOAT32 has all its digits here, and does not overflow
_BELOW_SINGLE: Final = (1 << 29) - 1  # bits of a double's significand that a single does not have
_TIE: Final = 1 << 28


def quick(f: Float, text: str) -> int | None:
    """The bits of the float nearest to a plain decimal, or None where the long way must be taken."""
    if not _PLAIN.fullmatch(text):
        return None
    if f == FLOAT64:
        return float_to_bits64(float(text))  # Python rounds decimals correctly
    if f != FLOAT32:
        return None
    # Rounded to a double first, a number stays on its side of every tie between singles, as those are doubles too;
    # only where it lands on a tie does the second rounding not know on which side it was.
    x = float(text)
    if x != 0.0 and (not _LEAST <= abs(x) < _END or float_to_bits64(x) & _BELOW_SINGLE == _TIE):
        return None
    return float_to_bits32(x)

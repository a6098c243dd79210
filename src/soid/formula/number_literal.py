"""Numbers as they are written: decimals ("-1.5e-3") and C's hex floats ("0x1.8p3").

>>> number_literal("-1.50e-3"), number_literal("0x1.8p3").value, number_literal("inf")
(NumberLiteral(negative=True, digits=15, base=10, exponent=-4), Fraction(12, 1), None)
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal, final

from msgspec import Struct

_LITERAL: Final = re.compile(
    r"""(?P<sign>[+-]?)
    (?: 0x (?=\.?[0-9a-f]) (?P<hex_whole>[0-9a-f]*) (?:\.(?P<hex_fraction>[0-9a-f]*))? (?:p(?P<power>[+-]?[0-9]+))?
      | (?=\.?[0-9]) (?P<whole>[0-9]*) (?:\.(?P<fraction>[0-9]*))? (?:e(?P<exponent>[+-]?[0-9]+))?
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


@final
class NumberLiteral(Struct, frozen=True):
    """A sign and digits * base**exponent. The digits do not end in zero; the exponent may be huge."""

    negative: bool  # true for -0.0 too
    digits: int
    base: Literal[2, 10]
    exponent: int  # 0 if the digits are 0

    @property
    def value(self) -> Fraction:
        """The exact number; a huge exponent makes it huge."""
        value = self.digits * Fraction(self.base) ** self.exponent
        return -value if self.negative else value


def number_literal(text: str) -> NumberLiteral | None:
    """The number that a text writes; None if it writes none. "inf" and "nan" are not numbers here."""
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    negative, is_hex = found["sign"] == "-", found["whole"] is None
    names = ("hex_whole", "hex_fraction", "power") if is_hex else ("whole", "fraction", "exponent")
    whole, fraction, power = (found[name] or "" for name in names)
    digits = (whole + fraction).rstrip("0")
    if not digits:
        return NumberLiteral(negative, 0, 2 if is_hex else 10, 0)
    places = len(whole) - len(digits)  # by which the point moves to stand after the last digit
    if is_hex:
        return NumberLiteral(negative, int(digits, 16), 2, _integer(power) + 4 * places)
    return NumberLiteral(negative, _integer(digits), 10, _integer(power) + places)


def _integer(digits: str) -> int:
    """The integer; 0 for empty text. Decimal reads it, because int() refuses more than 4300 digits."""
    return int(Decimal(digits or "0"))

"""The exact number that a literal writes.

>>> exact("0.1"), exact("-0x1.8p1"), exact("inf")
(Fraction(1, 10), Fraction(-3, 1), None)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from soid.errors import QueryError
from soid.formula.number_literal import number_literal

#: no type of a program reaches this far; a number beyond it is a slip, and would take all memory to write out
_MOST_DIGITS: Final = 4_000


def exact(text: str) -> Fraction | None:
    """The number as a fraction; None for inf and nan. One that no type could hold or tell from 0 is an error."""
    literal = number_literal(text) if len(text) <= _MOST_DIGITS else None
    if len(text) > _MOST_DIGITS or (literal is not None and abs(literal.exponent) > _MOST_DIGITS):
        raise QueryError(
            f"{text if len(text) < 40 else text[:37] + '...'} is a number beyond every type of a program",
            "Write one that the variable could have.",
        )
    return None if literal is None else literal.value

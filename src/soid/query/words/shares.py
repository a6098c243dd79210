"""Shares as percentages: below all it is never 100 %, and above nothing never 0 %.

>>> from fractions import Fraction
>>> [percent(Fraction(*each)) for each in ((1, 1), (99_999, 100_000), (2, 3), (1, 100_000), (0, 1))]
['100 %', '99.9 %', '66.6 %', 'less than 0.1 %', '0 %']
>>> percent(Fraction(2, 3), nearest=True), percent(0.25)
('66.7 %', '25 %')
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from soid.query.words.lists import listed

#: less than this is told in words
LEAST_TOLD: Final = Fraction(1, 1000)
_DIGITS: Final = 12  # of a share as a float, after the decimal point


def percent(share: Fraction | float, *, nearest: bool = False) -> str:
    """A share with one decimal, rounded down unless the `nearest` is wanted."""
    exact = Fraction(share)
    if exact in (0, 1):
        return f"{exact * 100} %"
    tenths = round(exact * 1000) if nearest else int(exact * 1000)
    return f"{min(tenths, 999) / 10:g} %" if tenths else "less than 0.1 %"


def rounded_down(share: Fraction) -> float:
    """A share as a float that never exceeds it, and is 1 only for 1 and 0 only for 0."""
    down = (share.numerator * 10**_DIGITS // share.denominator) / 10**_DIGITS
    return down or float(share) or (5e-324 if share else 0.0)


def by_magnitude(endless: Sequence[str], among: int) -> str:
    """How ranges without an end are measured; `endless` has what has such a range, of so many.

    >>> by_magnitude(["x"], 1)
    'by order of magnitude: from 1 on each doubling counts the same'
    """
    where = "" if len(endless) == among else f"that of {listed(endless)} "
    return f"{where}by order of magnitude: from 1 on each doubling counts the same"

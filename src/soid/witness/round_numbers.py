"""Round numbers that stand for one of many digits: what people would have written.

The value nearest to the fact is often one float beyond a border, such as 1.1699998. Whoever reads it takes its last
digits for important. Beyond it, seen from the fact, there are round numbers, some of them well away from the border:

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.types import FloatType, parse, show
>>> kind = FloatType(FLOAT32)
>>> def beyond(fact, nearest):
...     return [show(kind, bits) for bits in round_numbers(kind, parse(kind, fact), parse(kind, nearest))]
>>> beyond("1.376", "1.1699998"), beyond("249.973", "249.97298"), beyond("0", "1e-45")
(['1.0', '1.16', '1.169', '1.1699'], ['240.0', '249.0', '249.9', '249.97'], ['1.0', '0.1', '0.01', '0.001'])
>>> beyond("0.5", "0.4")
[]
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Final

from soid.formula import softfloat as sf
from soid.program.types import FloatType, show

_FEW: Final = 4  # digits that a person might have written: such a number stays as it is
_TRIES: Final = 4  # each ten times as near as the one before
_NOTHING: Final = Fraction(1, 10**9)  # next to 0, of whatever unit: no measure of what is far


def round_numbers(kind: FloatType, fact: int, nearest: int) -> Iterator[int]:
    """Round numbers beyond the nearest value, seen from the fact; the farthest from it first. None if it is round."""
    if not sf.is_finite(kind.format, nearest):
        return
    here = sf.to_fraction(kind.format, fact) if sf.is_finite(kind.format, fact) else Fraction(0)
    there = sf.to_fraction(kind.format, nearest)
    is_round = _digits(show(kind, nearest)) <= _FEW and (abs(there) > _NOTHING or there == 0)
    if is_round or here == there:  # zeros of different signs are the same number
        return
    reach = max(abs(there - here), abs(there) / 10, abs(here) / 10)
    step = (reach if reach > _NOTHING else Fraction(1)) * (1 if there > here else -1)
    for _ in range(_TRIES):
        yield sf.from_fraction(kind.format, _roundest(there + step / 10, there + step))
        step /= 10


def _digits(text: str) -> int:
    return len(Decimal(text).normalize().as_tuple().digits)


def _roundest(first: Fraction, last: Fraction) -> Fraction:
    """The number of fewest decimals between two numbers; of several, the one that is nearest to the first."""
    low, high = sorted((first, last))
    unit = Fraction(10) ** len(str(int(max(abs(low), abs(high)))))
    while (least := -(-low // unit) * unit) > high:
        unit /= 10
    return least if first < last else high // unit * unit

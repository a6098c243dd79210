"""What is drawn of an input's range: all of it, or where that is huge the part around the values at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from soid.formula import softfloat as sf
from soid.mapping.axes import WIDE, Axis, bands_of, has_names
from soid.mapping.bars.supposed_ranges import Ranges
from soid.program.domain import OrMissing, Range, Values
from soid.program.interface import Variable
from soid.program.types import EnumType, FloatType, IntType, number
from soid.scene.vector.panel import ticks

#: an undeclared range with numbers of so different sizes is drawn by magnitude
_APART: Final = 200.0
_TICKS: Final = 5.0
_ROOM: Final = 1.2  # the range is drawn so many times as far as the values at hand lie from zero
_LARGEST: Final = Fraction(10**300)  # of a number that a float surely holds, when it is rounded too


def drawn_range(
    variable: Variable, domain: Ranges, at_hand: Sequence[int], logged: Sequence[int], supposed: Ranges
) -> tuple[Axis, tuple[bool, bool]]:
    """The axis, and whether the range goes on before and after it; all places are those of the variable's order."""
    if has_names(variable):
        return _named(variable, domain, at_hand), (False, False)
    whole = _hull(variable, domain, at_hand)
    declared = variable.domain.domain if isinstance(variable.domain, OrMissing) else variable.domain
    if whole.scale == "even" or isinstance(declared, Range | Values):
        return whole, (False, False)
    ends = [end for low, high in supposed for end in (low, high) if whole.low < end < whole.high]
    return _around(whole, [*at_hand, *ends, *logged])


def _named(variable: Variable, domain: Ranges, at_hand: Sequence[int]) -> Axis:
    """All labels; what has none only if it is at hand."""
    places = [place for stretch in domain for place in stretch] + list(at_hand)
    low, high = min(places), max(places)
    bands = bands_of(variable, low, high, unnamed=False)
    strange = [place for place in at_hand if not any(first <= place <= last for first, last in bands)]
    if isinstance(variable.type, EnumType):  # of the labels, those in the domain
        inside = [band for band in bands if any(a <= band[0] and band[1] <= b for a, b in domain) or band[0] in at_hand]
        bands = tuple(sorted({*inside, *((place, place) for place in strange)}))
    return Axis(variable, low, high, bands)


def _hull(variable: Variable, domain: Ranges, at_hand: Sequence[int]) -> Axis:
    """From the least to the greatest number."""
    numbers = [place for place in at_hand if _is_number(variable, place)]
    least, greatest = _finite(variable)
    low = min([each for each, _ in domain] + numbers, default=least)
    high = max([each for _, each in domain] + numbers, default=greatest)
    return Axis(variable, max(low, least), min(high, greatest))


def _finite(variable: Variable) -> tuple[int, int]:
    kind = variable.type
    if not isinstance(kind, FloatType):
        return variable.order.places
    most = kind.format.max_finite
    return variable.order.place_of(most | kind.format.sign_bit), variable.order.place_of(most)


def _is_number(variable: Variable, place: int) -> bool:
    kind = variable.type
    return not isinstance(kind, FloatType) or sf.is_finite(kind.format, variable.order.value_at(place))


def _around(whole: Axis, places: Sequence[int]) -> tuple[Axis, tuple[bool, bool]]:
    """The part of a range that has some places in it, with round ends."""
    variable = whole.variable
    inside = [place for place in places if _is_number(variable, place)]
    found = [_number(variable, place) for place in inside] or [0.0]
    sizes = sorted({abs(each) for each in found if each})
    wide = 0.0 if len(sizes) > 1 and sizes[-1] > _APART * sizes[0] and sizes[-1] > _APART else WIDE
    low, high = min(*found, 0.0), max(*found, 0.0)
    high = 1.0 if low == high else high
    first, last = _rounded_out(low * _ROOM, high * _ROOM)
    low_place, high_place = (min(max(_place(variable, end), whole.low), whole.high) for end in (first, last))
    low_place, high_place = min([low_place, *inside]), max([high_place, *inside])
    axis = Axis(variable, low_place, high_place, wide=wide)
    return axis, (low_place > whole.low, high_place < whole.high)


def _rounded_out(low: float, high: float) -> tuple[float, float]:
    """The next round numbers around."""
    marks = ticks(low, high, _TICKS)
    step = min(b - a for a, b in pairwise(marks)) if len(marks) > 1 else (high - low)
    return math.floor(low / step) * step, math.ceil(high / step) * step


def _number(variable: Variable, place: int) -> float:
    kind, bits = variable.type, variable.order.value_at(place)
    if isinstance(kind, FloatType):
        exact = sf.to_fraction(kind.format, bits)
    else:
        assert isinstance(kind, IntType)
        exact = Fraction(number(kind, bits))
    return float(min(max(exact, -_LARGEST), _LARGEST))


def _place(variable: Variable, value: float) -> int:
    kind = variable.type
    if isinstance(kind, FloatType):
        return variable.order.place_of(sf.from_fraction(kind.format, Fraction(value)))
    assert isinstance(kind, IntType)
    whole = min(max(round(value), kind.least), kind.greatest)
    return variable.order.place_of(whole & (1 << kind.width) - 1)

"""Axes: the one or two variables of a map, the places of their values, and their positions in the picture.

A place is an index in the variable's order (`ValueOrder`): neighbouring places are neighbouring values. Positions
follow the values: evenly for a narrow range, by magnitude (roughly logarithmic) for a wide one, and in bands of the
same height for values with names.

>>> from soid.formula.sorts import FLOAT32
>>> from soid.program.interface import Role
>>> from soid.program.types import parse
>>> x = Variable("x", Role.ENVIRONMENT, FloatType(FLOAT32))
>>> low, high = (x.order.place_of(parse(x.type, text)) for text in ("1", "1.5"))
>>> axis = Axis(x, low, high)
>>> axis.text(axis.middle(low, high)), axis.span(axis.middle(low, high), high), axis.text(axis.nearest(0.2))
('1.25', (0.5, 1.0), '1.1')
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, final

from soid.documents import JsonValue
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, json_value, number, show

#: a range wider than this is drawn by magnitude, unless an axis says otherwise
WIDE: Final = 1e6
#: share of the picture at an end with infinities and NaNs
_BEYOND: Final = 0.06
#: integers with more bits than this may not fit a Python float
_HUGE: Final = 512
_FEW: Final = 64  # combinations of flags that are told apart one by one
#: the largest argument of `sinh`
_MOST: Final = 710.0

Scale = Literal["even", "by magnitude", "bands"]
Band = tuple[int, int]  # the first and the last place


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """One variable, from its place `low` to its place `high`."""

    variable: Variable
    low: int
    high: int
    bands: tuple[Band, ...] = ()  # of a variable with names, in order
    wide: float = WIDE  # a range wider than this is drawn by magnitude
    name: str = field(default="", compare=False)  # the variable in words, like no other of the program
    scale: Scale = field(init=False, compare=False)
    _ends: tuple[float, float] = field(init=False, repr=False, compare=False)  # of the numbers, on the scale
    _by_place: bool = field(init=False, repr=False, compare=False)  # its numbers are one Python float: draw by place
    _beyond: tuple[float, float] = field(init=False, repr=False, compare=False)  # shares of infinities and NaNs

    def __post_init__(self) -> None:
        if self.has_names:
            scale: Scale = "bands"
            first = last = 0.0
        else:
            first, last = self.numbers
            scale = "even" if last - first <= self.wide else "by magnitude"
        half = 0.5 if isinstance(self.variable.type, IntType) else 0.0
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "_by_place", first == last)
        object.__setattr__(self, "_ends", (self._scaled(first - half), self._scaled(last + half)))
        object.__setattr__(
            self, "_beyond", tuple(0.0 if self._is_number(end) else _BEYOND for end in (self.low, self.high))
        )

    @property
    def has_names(self) -> bool:
        return has_names(self.variable)

    def bits(self, place: int) -> int:
        return int(self.variable.order.value_at(place))

    def place(self, bits: int) -> int:
        return self.variable.order.place_of(bits)

    def text(self, place: int) -> str:
        """The value at a place, as a person reads it."""
        return show(self.variable.type, self.bits(place))

    def first_text(self, low: int, high: int) -> str:
        """The value at the beginning of a stretch; one with both zeros begins at 0, as people read it."""
        zero = self.variable.order.place_of(0)
        is_zero = isinstance(self.variable.type, FloatType) and low == zero - 1 and high >= zero
        return self.text(zero if is_zero else low)

    def json(self, place: int) -> JsonValue:
        return json_value(self.variable.type, self.bits(place))

    def band_text(self, band: Band) -> str:
        first, last = band
        return self.text(first) if first == last else f"{self.text(first)} to {self.text(last)}"

    def is_unnamed(self, place: int) -> bool:
        """Whether a value of an enumeration has no label."""
        kind = self.variable.type
        return isinstance(kind, EnumType) and all(number(kind, self.bits(place)) != known for _, known in kind.labels)

    # --- positions --------------------------------------------------------------------------------------------

    def span(self, low: int, high: int) -> tuple[float, float]:
        """Where the places from `low` to `high` begin and end in the picture, from 0 to 1.

        The span of values without a label is empty if only labels are drawn.
        """
        if self.has_names:
            first = bisect_left(self.bands, low, key=lambda band: band[1])
            last = bisect_right(self.bands, high, key=lambda band: band[0])
            return first / len(self.bands), max(first, last) / len(self.bands)
        if self.low == self.high:
            return 0.0, 1.0
        return self._drawn_at(low, -0.5), self._drawn_at(high, 0.5)

    def nearest(self, share: float) -> int:
        """The place at a position."""
        if self.has_names:
            return self.bands[min(max(int(share * len(self.bands)), 0), len(self.bands) - 1)][0]
        before, after = self._beyond
        if share <= before:
            return self.low
        if share >= 1 - after:
            return self.high
        if self._by_place:
            return self.low + int(share * (self.high - self.low))
        inside = (share - before) / (1 - before - after)
        first, last = self._ends
        return self._with_number(first + (last - first) * inside, self.low, self.high)

    def middle(self, low: int, high: int) -> int:
        """A place about halfway between two in the picture; it comes before the second if they differ."""
        kind = self.variable.type
        if self.has_names or not (self._is_number(low) and self._is_number(high)):
            return (low + high) // 2
        assert isinstance(kind, IntType | FloatType)
        first, last = (self._scaled(self._number(place)) for place in (low, high))
        return min(self._with_number((first + last) / 2, low, high), max(high - 1, low))

    def _drawn_at(self, place: int, half: float) -> float:
        """The position of a place; an integer extends halfway to both neighbours, by `half`."""
        before, after = self._beyond
        kind = self.variable.type
        if self._by_place:
            return (place - self.low) / (self.high - self.low)
        if not self._is_number(place):
            infinite = isinstance(kind, FloatType) and sf.is_infinite(kind.format, self.bits(place))
            below = place < self.place(0)
            edge = 0.0 if below else 1.0
            if not infinite:
                return edge
            return before / 2 if below else 1 - after / 2
        return self.drawn_at(self._number(place) + (half if isinstance(kind, IntType) else 0.0))

    def drawn_at(self, value: float) -> float:
        """The position of a number, which need not be a value."""
        before, after = self._beyond
        first, last = self._ends
        inside = (self._scaled(value) - first) / (last - first) if last > first else 0.5
        return before + min(max(inside, 0.0), 1.0) * (1 - before - after)

    @property
    def numbers(self) -> tuple[float, float]:
        """The least and the greatest number; zeros if there is none."""
        low, high, kind = self.low, self.high, self.variable.type
        if isinstance(kind, FloatType):
            most = kind.format.max_finite
            low, high = max(low, self.place(most | kind.format.sign_bit)), min(high, self.place(most))
        return (self._number(low), self._number(high)) if low <= high else (0.0, 0.0)

    def _is_number(self, place: int) -> bool:
        kind = self.variable.type
        return not isinstance(kind, FloatType) or sf.is_finite(kind.format, self.bits(place))

    def _number(self, place: int) -> float:
        kind, bits = self.variable.type, self.bits(place)
        if isinstance(kind, FloatType):
            quick = {FLOAT32: sf.bits32_to_float, FLOAT64: sf.bits64_to_float}.get(kind.format)
            return quick(bits) if quick is not None else float(sf.to_fraction(kind.format, bits))
        assert isinstance(kind, IntType)
        return float(number(kind, bits)) if kind.width < _HUGE else float(Fraction(number(kind, bits), 1 << kind.width))

    def _scaled(self, value: float) -> float:
        return math.asinh(value) if self.scale == "by magnitude" else value

    def _with_number(self, scaled: float, low: int, high: int) -> int:
        """The place between `low` and `high` of the number nearest to one on the scale."""
        kind = self.variable.type
        value = math.sinh(min(max(scaled, -_MOST), _MOST)) if self.scale == "by magnitude" else scaled
        if isinstance(kind, FloatType):
            place = self.place(sf.from_fraction(kind.format, Fraction(value)))
        else:
            assert isinstance(kind, IntType)
            whole = math.floor(value + 0.5) if kind.width < _HUGE else math.floor(Fraction(value) * (1 << kind.width))
            place = self.place(min(max(whole, kind.least), kind.greatest) & ((1 << kind.width) - 1))
        return min(max(place, low), high)


def has_names(variable: Variable) -> bool:
    """Whether a variable's values have names and no distances."""
    return isinstance(variable.type, BoolType | EnumType)


def bands_of(variable: Variable, low: int, high: int, *, unnamed: bool) -> tuple[Band, ...]:
    """The bands from `low` to `high`: one for each label and, with `unnamed`, for each range without labels.

    Where there are few combinations of flags, each has a band.
    """
    kind = variable.type
    few = unnamed and isinstance(kind, EnumType) and kind.flags and high - low < _FEW
    if isinstance(kind, BoolType) or few:
        return tuple((place, place) for place in range(low, high + 1))
    if not isinstance(kind, EnumType):
        return ()
    mask = (1 << kind.width) - 1
    labelled = sorted({variable.order.place_of(value & mask) for _, value in kind.labels})
    found: list[Band] = []
    at = low
    for place in (each for each in labelled if low <= each <= high):
        if unnamed and at < place:
            found.append((at, place - 1))
        found.append((place, place))
        at = place + 1
    return (*found, (at, high)) if unnamed and at <= high else tuple(found)

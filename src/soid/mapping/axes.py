"""Axes: the one or two variables that a map goes along, the places of their values, and where these are drawn.

A place is one of the variable's order (`ValueOrder`): neighbouring places are neighbouring values. Where a place is
drawn follows the values: evenly where their range can be seen at a glance, by magnitude where it is wide (a step of the
picture is then so many times more, not so much more), in bands of one height where values have names.

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
from soid.formula.term import Term
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, json_value, number, show

#: a range wider than this is drawn by magnitude
_WIDE: Final = 1e6
#: of the picture, at an end where there are infinities and NaNs beyond the numbers
_BEYOND: Final = 0.06
#: more bits than this make a number that a Python float may not hold
_HUGE: Final = 512

#: of what may be undone by `sinh`
_MOST: Final = 710.0

Scale = Literal["even", "by magnitude", "bands"]
Band = tuple[int, int]  # the first and the last place


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """One variable, from one place to another; both are drawn."""

    variable: Variable
    low: int  # place
    high: int
    bands: tuple[Band, ...] = ()  # of what has names, in order
    scale: Scale = field(init=False, compare=False)
    _ends: tuple[float, float] = field(init=False, repr=False, compare=False)  # of the numbers, on the scale
    _by_place: bool = field(init=False, repr=False, compare=False)  # no two numbers could be drawn apart
    _beyond: tuple[float, float] = field(init=False, repr=False, compare=False)  # parts of the picture for no numbers

    def __post_init__(self) -> None:
        if self.has_names:
            scale: Scale = "bands"
            first = last = 0.0
        else:
            first, last = self.numbers
            scale = "even" if last - first <= _WIDE else "by magnitude"
        half = 0.5 if isinstance(self.variable.type, IntType) else 0.0
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "_by_place", first == last)
        object.__setattr__(self, "_ends", (self._scaled(first - half), self._scaled(last + half)))
        object.__setattr__(
            self, "_beyond", tuple(0.0 if self._is_number(end) else _BEYOND for end in (self.low, self.high))
        )

    @property
    def places(self) -> int:
        """How many values it has."""
        return self.high - self.low + 1

    @property
    def has_names(self) -> bool:
        return has_names(self.variable)

    @property
    def unit(self) -> str:
        return self.variable.unit

    def bits(self, place: int) -> int:
        return int(self.variable.order.value_at(place))

    def place(self, bits: int) -> int:
        return self.variable.order.place_of(bits)

    def text(self, place: int) -> str:
        """The value at a place, as a person reads it."""
        return show(self.variable.type, self.bits(place))

    def json(self, place: int) -> JsonValue:
        return json_value(self.variable.type, self.bits(place))

    def holds(self, low: int, high: int) -> Term:
        """That the variable lies from one place to another."""
        return self.variable.between(low, high)

    def band_text(self, band: Band) -> str:
        first, last = band
        return self.text(first) if first == last else f"{self.text(first)} to {self.text(last)}"

    def is_unnamed(self, place: int) -> bool:
        """Whether a value has no name, though others of its type have."""
        kind = self.variable.type
        return isinstance(kind, EnumType) and all(number(kind, self.bits(place)) != known for _, known in kind.labels)

    # --- where it is drawn ------------------------------------------------------------------------------------

    def span(self, low: int, high: int) -> tuple[float, float]:
        """Where the places from one to another are drawn: from 0, the beginning of the axis, to 1.

        Of values without a name, where only those with one are drawn, this is nothing: it ends where it begins.
        """
        if self.has_names:
            first = bisect_left(self.bands, low, key=lambda band: band[1])
            last = bisect_right(self.bands, high, key=lambda band: band[0])
            return first / len(self.bands), max(first, last) / len(self.bands)
        if self.low == self.high:
            return 0.0, 1.0
        return self._drawn_at(low, -0.5), self._drawn_at(high, 0.5)

    def nearest(self, share: float) -> int:
        """The place that is drawn there."""
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
        """A place that is drawn about halfway between two; before the second, where they differ."""
        kind = self.variable.type
        if self.has_names or not (self._is_number(low) and self._is_number(high)):
            return (low + high) // 2
        assert isinstance(kind, IntType | FloatType)
        first, last = (self._scaled(self._number(place)) for place in (low, high))
        return min(self._with_number((first + last) / 2, low, high), max(high - 1, low))

    def _drawn_at(self, place: int, half: float) -> float:
        """Of a number; a whole number takes up the room to both its neighbours halfway."""
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
        """Where a number is drawn, be it between two values."""
        before, after = self._beyond
        first, last = self._ends
        inside = (self._scaled(value) - first) / (last - first) if last > first else 0.5
        return before + min(max(inside, 0.0), 1.0) * (1 - before - after)

    @property
    def numbers(self) -> tuple[float, float]:
        """The least and the greatest number; nothing that is long, where there is none."""
        low, high = self._number_places()
        return (self._number(low), self._number(high)) if low <= high else (0.0, 0.0)

    def _number_places(self) -> tuple[int, int]:
        kind = self.variable.type
        if not isinstance(kind, FloatType):
            return self.low, self.high
        most = kind.format.max_finite
        return max(self.low, self.place(most | kind.format.sign_bit)), min(self.high, self.place(most))

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
        """The place of the number nearest to one on the scale, from one place to another."""
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
    """Whether a variable's values have names, and no distances."""
    return isinstance(variable.type, BoolType | EnumType)


def bands_of(variable: Variable, low: int, high: int, *, unnamed: bool) -> tuple[Band, ...]:
    """The bands from one place to another: each label by itself, and if so wished each stretch without labels."""
    kind = variable.type
    if isinstance(kind, BoolType):
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

"""The settled share of an open question: for how much of the family it is settled, by measure, and where it is open.

>>> box = OpenBox((BoxSide("speed", "31.187500", "40.0", "m/s", "the speed"),), 5)
>>> print(SettledShare("yes", Fraction(4, 5), True, 9, 1, (box,), Measure.LENGTH, ("the speed",)))
yes for 80 % of the range of the speed, proved; open: the speed from 31.187 to 40.0 m/s
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.formula.measure import Measure
from soid.query.words import listed, percent
from soid.query.words.readable_numbers import with_unit
from soid.query.words.shares import LEAST_TOLD, by_magnitude, rounded_down

#: how many open boxes are listed, the largest first
TOLD: Final = 10
_IN_WORDS: Final = 2  # how many of them the reason lists

#: cells of a picture: all of it is settled, something of it is open, no scenario is there
SETTLED, OPEN, OUTSIDE = ".", "#", " "

_FINE: Final = 10**30  # a share is told in parts of this
_SMALLEST: Final = 4_000  # halvings: a smaller share is told as none
_DIGITS: Final = 5  # of a number in words
_NAMED: Final = 3  # inputs that are called by name


@final
class BoxSide(Struct, frozen=True):
    """The values of one variable in a box, from `low` to `high` inclusive."""

    variable: str  # its path
    low: str
    high: str
    unit: str = ""
    name: str = ""  # the variable in words

    def __str__(self) -> str:
        name = self.name or self.variable
        if self.low == self.high:
            return f"{name} {with_unit(self.low, self.unit)}"
        low, high = (_shortened(*end) for end in ((self.low, ROUND_FLOOR), (self.high, ROUND_CEILING)))
        return f"{name} from {low} to {with_unit(high, self.unit)}"


def _shortened(text: str, rounding: str) -> str:
    """A number with few digits and without the sign of a zero; labels and other texts are left alone."""
    if text == "-0.0":
        return "0.0"
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if not number.is_finite() or len(number.as_tuple().digits) <= _DIGITS or number == number.to_integral_value():
        return text
    places = max(_DIGITS - 1 - number.adjusted(), 0)
    return str(number.quantize(Decimal(1).scaleb(-places), rounding))


@final
class NarrowedSide(Struct, frozen=True):
    """What is supposed of one input in a narrower family, as query text; its least and greatest value as written."""

    path: str
    text: str
    low: str
    high: str


@final
class PictureAxis(Struct, frozen=True):
    """One input, from its least value to its greatest, or with a cell for each of few values."""

    variable: str  # its path
    name: str  # in words
    low: str
    high: str
    unit: str = ""
    values: tuple[str, ...] = ()  # of each cell, if it has one


@final
class SettledPicture(Struct, frozen=True):
    """Cells of a family with one input that varies, or two."""

    axes: tuple[PictureAxis, ...]  # across, and down if two inputs vary
    rows: tuple[str, ...]  # a sign for each cell: see SETTLED, OPEN and OUTSIDE


@final
class OpenBoxDocument(Struct, frozen=True):
    """An open box as JSON."""

    sides: list[BoxSide]
    states: str  # in decimal, because it may exceed the numbers of other languages


@final
class OpenBox(Struct, frozen=True):
    """A box of states for which the question is open."""

    sides: tuple[BoxSide, ...]
    states: int  # of the family in this box; an upper bound if the share is not exact

    def __str__(self) -> str:
        return ", ".join(str(side) for side in self.sides)

    @property
    def document(self) -> OpenBoxDocument:
        return OpenBoxDocument(list(self.sides), str(self.states))


@final
class SettledDocument(Struct, frozen=True):
    """A settled share as JSON."""

    verdict: str
    share: float
    exact: bool
    states: str
    boxes: int
    open: list[OpenBoxDocument]
    fraction: str
    measure: Measure = Measure.NUMBER  # answers of earlier versions counted states
    over: tuple[str, ...] = ()
    endless: tuple[str, ...] = ()
    picture: SettledPicture | None = None

    @property
    def settled(self) -> SettledShare:
        """The record behind this document."""
        boxes = tuple(OpenBox(tuple(box.sides), int(box.states)) for box in self.open)
        counted = Fraction(self.fraction), self.exact, int(self.states), self.boxes, boxes
        return SettledShare(self.verdict, *counted, self.measure, self.over, self.endless, self.picture)


def coarse(share: Fraction) -> Fraction:
    """A share of few digits that does not exceed it; a small one is a power of 1/2, and one beyond reason 0."""
    if share.denominator < _FINE:
        return share
    if whole := share.numerator * _FINE // share.denominator:
        return Fraction(whole, _FINE)
    halvings = share.denominator.bit_length() - share.numerator.bit_length() + 1
    return Fraction(1, 1 << halvings) if share and halvings < _SMALLEST else Fraction(0)


@final
class SettledShare(Struct, frozen=True):
    """The share of a family for which the question is proved, and the open boxes."""

    verdict: str  # of every settled state: yes or no
    share: Fraction  # of the family, by measure, that is settled
    exact: bool  # False: a lower bound, because the suppositions relate variables to each other
    states: int  # of the family; an upper bound if the share is not exact
    boxes: int  # the number of open boxes
    open: tuple[OpenBox, ...]  # the largest of them
    measure: Measure = Measure.NUMBER
    over: tuple[str, ...] = ()  # what varies, in words
    endless: tuple[str, ...] = ()  # what of it is measured by order of magnitude, its range having no end
    picture: SettledPicture | None = None  # if one input varies, or two
    settled_part: tuple[NarrowedSide, ...] = ()  # what to suppose besides, to be where it is settled
    open_part: tuple[NarrowedSide, ...] = ()  # and to be where anything is open

    def __str__(self) -> str:
        boxes = [str(box) for box in self.open[:_IN_WORDS]]
        if len(boxes) > 1 or self.boxes > len(boxes):
            boxes = [f"({box})" for box in boxes]
        if self.boxes > len(boxes):
            boxes.append(f"{self.boxes - len(boxes):,} more")
        where = f"; open: {listed(boxes)}" if boxes else ""
        return f"{self.verdict} for {self.amount}, proved{where}"

    @property
    def amount(self) -> str:
        """How much is settled: "80 % of the range of the speed"."""
        share = percent(self.share, nearest=self.exact)
        if not self.exact:
            share = f"at least {share if self.share >= LEAST_TOLD or not self.share else 'a tiny part'}"
        return f"{share} of {self._whole}"

    @property
    def told(self) -> str:
        """How much is settled, and how, without what is open."""
        are = "are" if self.measure is Measure.NUMBER else "is"
        return f"{self.amount} {are} settled: there the answer is {self.verdict}"

    @property
    def _whole(self) -> str:
        if self.measure is Measure.NUMBER:
            return "the scenarios"
        named = listed(self.over) if 0 < len(self.over) <= _NAMED else f"all {len(self.over)} inputs that vary"
        whole = {Measure.LENGTH: "range", Measure.AREA: "area over the ranges"}.get(self.measure, "space of the ranges")
        how = f" ({by_magnitude(self.endless, len(self.over))})" if self.endless else ""
        return f"the {whole} of {named}{how}"

    @property
    def document(self) -> SettledDocument:
        counted = rounded_down(self.share), self.exact, str(self.states), self.boxes
        boxes = [box.document for box in self.open]
        measured = self.measure, self.over, self.endless, self.picture
        return SettledDocument(self.verdict, *counted, boxes, str(self.share), *measured)

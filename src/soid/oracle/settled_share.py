"""The settled share of an open question: for how many of the family's states it is settled, and which are open.

>>> percent(Fraction(99_999, 100_000)), percent(Fraction(1, 3)), percent(Fraction(1, 10**6)), percent(Fraction(0))
('99.9 %', '33.3 %', '0.0001 %', '0 %')
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.query.words import listed

#: how many open boxes are listed, the largest first
TOLD: Final = 10
_IN_WORDS: Final = 2  # how many of them the reason lists

_DIGITS: Final = 12  # of a share, after the decimal point


@final
class BoxSide(Struct, frozen=True):
    """The values of one variable in a box, from `low` to `high` inclusive."""

    variable: str  # its path
    low: str
    high: str
    unit: str = ""

    def __str__(self) -> str:
        values = self.low if self.low == self.high else f"{self.low} to {self.high}"
        return f"{self.variable} {values}{f' {self.unit}' if self.unit else ''}"


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

    @property
    def settled(self) -> SettledShare:
        """The record behind this document."""
        boxes = tuple(OpenBox(tuple(box.sides), int(box.states)) for box in self.open)
        return SettledShare(self.verdict, Fraction(self.fraction), self.exact, int(self.states), self.boxes, boxes)


@final
class SettledShare(Struct, frozen=True):
    """The share of a family for which the question is proved, and the open boxes."""

    verdict: str  # of every settled state: yes or no
    share: Fraction  # of the family's states that are settled, never rounded up
    exact: bool  # False: a lower bound, because the suppositions relate variables to each other
    states: int  # of the family; an upper bound if the share is not exact
    boxes: int  # the number of open boxes
    open: tuple[OpenBox, ...]  # the largest of them

    def __str__(self) -> str:
        least = "" if self.exact else "at least "
        boxes = [f"({box})" for box in self.open[:_IN_WORDS]]
        if self.boxes > len(boxes):
            boxes.append(f"{self.boxes - len(boxes):,} more")
        where = f"; open: {listed(boxes)}" if boxes else ""
        return f"{self.verdict} for {least}{percent(self.share)} of the family's states, proved{where}"

    @property
    def document(self) -> SettledDocument:
        shares = rounded_down(self.share), self.exact, str(self.states), self.boxes
        return SettledDocument(self.verdict, *shares, [box.document for box in self.open], str(self.share))


def rounded_down(share: Fraction) -> float:
    """A share as a float that never exceeds it."""
    return (share.numerator * 10**_DIGITS // share.denominator) / 10**_DIGITS


def percent(share: Fraction) -> str:
    """A share, rounded down to one decimal or to its first digit that is not 0; only a share of 1 is 100 %."""
    digits = 1
    while share and share * 10 ** (digits + 2) < 1:
        digits += 1
    scaled = share.numerator * 10 ** (digits + 2) // share.denominator
    whole, rest = divmod(scaled, 10**digits)
    return f"{whole}.{rest:0{digits}} %" if rest else f"{whole} %"

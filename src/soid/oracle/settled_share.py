"""Of a question that stays open: for how many of the family's states it is settled, and where it is not.

>>> percent(Fraction(99_999, 100_000)), percent(Fraction(1, 3)), percent(Fraction(1, 10**6)), percent(Fraction(0))
('99.9 %', '33.3 %', '0.0001 %', '0 %')
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, final

from msgspec import Struct

#: open boxes that are told; those with most states
TOLD: Final = 10
_IN_WORDS: Final = 2  # of those, in the reason

_DIGITS: Final = 12  # of a share, after the point


@final
class BoxSide(Struct, frozen=True):
    """Between which values of a variable a box lies, both included."""

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
    states: str  # in decimal: more than other languages' numbers hold


@final
class OpenBox(Struct, frozen=True):
    """States of the family of which nobody knows."""

    sides: tuple[BoxSide, ...]
    states: int  # of the family, in it; at most so many where the share is not exact

    def __str__(self) -> str:
        return ", ".join(str(side) for side in self.sides)

    @property
    def document(self) -> OpenBoxDocument:
        return OpenBoxDocument(list(self.sides), str(self.states))


@final
class SettledDocument(Struct, frozen=True):
    """What is proved of a family as JSON."""

    verdict: str
    share: float
    exact: bool
    states: str
    boxes: int
    open: list[OpenBoxDocument]
    fraction: str

    @property
    def settled(self) -> SettledShare:
        """The record that this document is of."""
        boxes = tuple(OpenBox(tuple(box.sides), int(box.states)) for box in self.open)
        return SettledShare(self.verdict, Fraction(self.fraction), self.exact, int(self.states), self.boxes, boxes)


@final
class SettledShare(Struct, frozen=True):
    """What is proved of a family, box by box."""

    verdict: str  # of every state that is settled: yes or no
    share: Fraction  # of the family's states that are settled, never rounded up
    exact: bool  # False: at least this share, since the suppositions relate variables to each other
    states: int  # of the family; at most so many where the share is not exact
    boxes: int  # that are open
    open: tuple[OpenBox, ...]  # the largest of them

    def __str__(self) -> str:
        least = "" if self.exact else "at least "
        told = [f"({box})" for box in self.open[:_IN_WORDS]]
        if self.boxes > len(told):
            told.append(f"{self.boxes - len(told):,} more")
        where = f"; open: {', '.join(told[:-1])}{' and ' if told[:-1] else ''}{told[-1]}" if told else ""
        return f"{self.verdict} for {least}{percent(self.share)} of the family's states, proved{where}"

    @property
    def document(self) -> SettledDocument:
        shares = rounded_down(self.share), self.exact, str(self.states), self.boxes
        return SettledDocument(self.verdict, *shares, [box.document for box in self.open], str(self.share))


def rounded_down(share: Fraction) -> float:
    """A share as a number: 1 is everything."""
    return (share.numerator * 10**_DIGITS // share.denominator) / 10**_DIGITS


def percent(share: Fraction) -> str:
    """Rounded down, to one digit after the point or to the first that counts: what is not everything is never 100 %."""
    digits = 1
    while share and share * 10 ** (digits + 2) < 1:
        digits += 1
    scaled = share.numerator * 10 ** (digits + 2) // share.denominator
    whole, rest = divmod(scaled, 10**digits)
    return f"{whole}.{rest:0{digits}} %" if rest else f"{whole} %"

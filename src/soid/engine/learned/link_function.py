"""The links of a model as functions of its other numbers, for terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

from soid.engine.learned import links
from soid.engine.learned.float_places import SORTS, float_at, nearest_place
from soid.engine.learned.model import Link
from soid.engine.summary import Enclosure, ModelNumber
from soid.formula import softfloat as sf
from soid.formula.intervals import Floats, Values
from soid.formula.sorts import Float
from soid.formula.term import Term


@final
class LinkFunction(Enclosure):
    """A number that follows from other numbers; of an inexact one either the least or the greatest that it may be."""

    def __init__(
        self, link: Link, arguments: Sequence[Term], end: int | None = None, *, are_ends: bool = False
    ) -> None:
        self._link = link
        self._are_ends = are_ends  # of ranges in which its arguments lie
        self._end = end
        self.sort: Float = SORTS[link.precision]
        self._sorts = [each.sort for each in arguments]

    @property
    def number(self) -> ModelNumber:
        return ModelNumber(self._link.name, self._end)

    def facts(self) -> tuple[Term, ...]:
        return ()

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        lows, highs = [], []
        for each, sort in zip(arguments, self._sorts, strict=True):
            assert isinstance(each, Floats) and isinstance(sort, Float)
            if each.nan:
                return Floats(~self.sort.infinity, self.sort.infinity, True)
            lows.append(float_at(sort, each.low))
            highs.append(float_at(sort, each.high))
        if self._are_ends and self._end is not None and links.rises_to_the_bit(self._link):
            return self._between(lows, highs, self._end)
        spread = links.over(self._link, lows, highs, are_ends=self._are_ends)
        if _is_unclear(spread):
            return Floats(~self.sort.infinity, self.sort.infinity, True)
        low, high = self._outward(spread)
        if lows == highs and self._end is not None:
            low = high = (low, high)[self._end]
        return Floats(low, high, False)

    def _between(self, lows: list[float], highs: list[float], end: int) -> Values:
        """From what it is at the arguments at which it is the least to what it is where it is the greatest."""
        if links.is_shared(self._link) and any(map(math.isinf, (*lows, *highs))):
            return Floats(~self.sort.infinity, self.sort.infinity, True)
        ends = links.corners(self._link, lows, highs)
        low, high = (self._outward(links.spread_of(self._link, each, are_ends=True))[end] for each in ends)
        return Floats(low, high, False)

    def _outward(self, spread: tuple[float, float]) -> tuple[int, int]:
        """The places of a range's ends, which are rounded away from it."""
        low, high = (nearest_place(self.sort, end) for end in spread)
        return low - (float_at(self.sort, low) > spread[0]), high + (float_at(self.sort, high) < spread[1])

    def value(self, arguments: tuple[int, ...], /) -> int:
        read = []
        for bits, sort in zip(arguments, self._sorts, strict=True):
            assert isinstance(sort, Float)
            read.append(float_at(sort, sf.ordinal(sort, bits)))
        spread = links.spread_of(self._link, read, are_ends=self._are_ends)
        if any(map(math.isnan, spread)):
            return self.sort.nan
        ends = self._outward(spread)
        return sf.from_ordinal(self.sort, ends[self._end or 0])

    def closer(self, arguments: tuple[int, ...], /) -> LinkFunction:
        return self


def _is_unclear(spread: tuple[float, float]) -> bool:
    """Whether it may be no number at all: a softmax of two infinities is none."""
    return any(map(math.isnan, spread)) or spread == (-math.inf, math.inf)

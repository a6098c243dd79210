"""How a vector follows from earlier ones in each of many boxes, as rows of coefficients are taken back through it.

A row a is taken from a layer's result v to its sources: `back` gives rows for the sources and a number, so that a v is
never below the number and the rows' sum, as long as the sources are in their ranges. Rows are arrays with a box, a row
and an element in each of their dimensions; everything that floats may be off by is in the number.
"""

from __future__ import annotations

from typing import Any, Protocol, final

import numpy as np
from msgspec import Struct

from soid.engine.learned.networks.float_errors import Numbers, own
from soid.engine.learned.networks.ranges import Lines, Ranges


@final
class TakenBack(Struct, frozen=True):
    """What a row becomes of a layer's sources."""

    rows: tuple[Numbers | None, ...]  # for each source; None: it does not depend on it
    number: Numbers  # for each box and row
    loss: Numbers  # the part of it that stands for the runtime's roundings


class Relation(Protocol):
    """A layer's result and its sources, in some boxes."""

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        """Take rows back in some of the boxes."""
        ...

    def picked(self, elements: Any, chosen: Any, /) -> TakenBack | None:
        """The same for rows that are one element each, and then their negatives; None: by `back` alone."""
        ...


def summed(rows: Numbers, by_box: Numbers) -> Numbers:
    """The sums of the elements of rows times numbers of each box."""
    found: Numbers = np.matmul(rows, by_box[:, :, None])[:, :, 0]
    return found


@final
class AffineRelation(Struct, frozen=True):
    """weights * x + bias, and errors for each box and element."""

    weights: Numbers
    bias: Numbers
    errors: Numbers

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        count, each, size = rows.shape
        flat = rows.reshape(count * each, size)
        loss = summed(np.abs(rows), self.errors[chosen])
        number = (flat @ self.bias).reshape(count, each) - loss
        return TakenBack(((flat @ self.weights).reshape(count, each, -1),), number, loss)

    def picked(self, elements: Any, chosen: Any, /) -> TakenBack:
        rows, bias = self.weights[elements], self.bias[elements]
        loss = np.take_along_axis(self.errors[chosen], elements, axis=1)
        loss = np.concatenate([loss, loss], axis=1)
        return TakenBack((np.concatenate([rows, -rows], axis=1),), np.concatenate([bias, -bias], axis=1) - loss, loss)


@final
class LineRelation:
    """A function of each element, between two lines."""

    def __init__(self, lines: Lines, sizes: Numbers) -> None:
        self.low_slope = lines.low_slope
        roomy = lines.with_room(sizes)
        # a * middle + |a| * half is a * low where a is positive, and a * high where it is negative
        self._slope = (roomy.low_slope + roomy.high_slope) / 2
        self._slope_half = (roomy.low_slope - roomy.high_slope) / 2
        self._offset = (roomy.low_offset + roomy.high_offset) / 2
        self._offset_half = (roomy.low_offset - roomy.high_offset) / 2

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        sizes = np.abs(rows)
        number = summed(rows, self._offset[chosen]) + summed(sizes, self._offset_half[chosen])
        sizes *= self._slope_half[chosen][:, None, :]
        sizes += rows * self._slope[chosen][:, None, :]
        return TakenBack((sizes,), number, np.zeros_like(number))

    def picked(self, elements: Any, chosen: Any, /) -> None:
        return None


@final
class SumRelation(Struct, frozen=True):
    """A sum of vectors, of which some are subtracted."""

    subtracted: tuple[bool, ...]
    errors: Numbers

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        loss = summed(np.abs(rows), self.errors[chosen])
        return TakenBack(tuple(-rows if negative else rows for negative in self.subtracted), -loss, loss)

    def picked(self, elements: Any, chosen: Any, /) -> None:
        return None


@final
class SelectedPart(Struct, frozen=True):
    """The elements that a selection takes from one source."""

    places: Any  # in the result
    elements: Any  # in the source
    size: int  # of the source
    times: Numbers | None  # a matrix of 0 and 1 from places to elements, if one of these is taken twice

    @classmethod
    def of(cls, places: Any, elements: Any, size: int) -> SelectedPart:
        times = None
        if len(np.unique(elements)) < len(elements):
            times = np.zeros((len(places), size))
            times[np.arange(len(places)), elements] = 1.0
        return cls(places, elements, size, times)


@final
class SelectionRelation(Struct, frozen=True):
    """Elements of earlier vectors. Of one that is there twice the coefficients are added."""

    parts: tuple[SelectedPart, ...]
    room: Numbers  # for the roundings of these additions

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        found = []
        number = np.zeros(rows.shape[:2])
        for each in self.parts:
            taken = rows[:, :, each.places]
            if each.times is None:
                part = np.zeros((*rows.shape[:2], each.size))
                part[:, :, each.elements] = taken
            else:
                part = taken @ each.times
                number = number - summed(np.abs(taken), self.room[chosen][:, each.places])
            found.append(part)
        return TakenBack(tuple(found), number, np.zeros_like(number))

    def picked(self, elements: Any, chosen: Any, /) -> None:
        return None


@final
class ExtremeRelation(Struct, frozen=True):
    """The greatest of some elements: it is not below the one whose lower bound is best.

    It is not above that element either if all others are below it, else not above the greatest upper bound.
    """

    size: int  # of the source
    best: Any  # for each box and element of the result: the element of the source
    alone: Numbers  # 1: it is that element, 0: it may be another
    most: Numbers  # 0 where it is that element, else an upper bound
    sign: float  # -1: the least is asked for, which is the negative greatest of negatives
    tiny: Numbers
    sizes: Numbers  # of the source

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        signed, best = self.sign * rows, self.best[chosen]
        up, down = np.maximum(signed, 0.0), np.minimum(signed, 0.0)
        alone, most = self.alone[chosen], self.most[chosen]
        part = np.zeros((*rows.shape[:2], self.size))
        boxes, each = np.ogrid[: rows.shape[0], : rows.shape[1]]
        np.add.at(part, (boxes[:, :, None], each[:, :, None], best[:, None, :]), up + down * alone[:, None, :])
        room = own(self.best.shape[1]) * (np.take_along_axis(self.sizes[chosen], best, axis=1) + np.abs(most))
        number = summed(down, most) - summed(np.abs(rows), room + self.tiny[chosen])
        return TakenBack((self.sign * part,), number, np.zeros_like(number))

    def picked(self, elements: Any, chosen: Any, /) -> None:
        return None


@final
class RangeRelation:
    """A result of which its range alone is known."""

    def __init__(self, ranges: Ranges) -> None:
        room = own(ranges.low.shape[1]) * ranges.sizes
        self._middle = (ranges.low + ranges.high) / 2
        self._half = (ranges.high - ranges.low) / 2 + room

    def back(self, rows: Numbers, chosen: Any, /) -> TakenBack:
        number = summed(rows, self._middle[chosen]) - summed(np.abs(rows), self._half[chosen])
        return TakenBack((None,), number, np.zeros_like(number))

    def picked(self, elements: Any, chosen: Any, /) -> None:
        return None

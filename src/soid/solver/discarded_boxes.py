"""The boxes that a search over cells has discarded, with the results of functions there: if it was all, a cover."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, final

from soid.formula.interval_program import Box
from soid.formula.intervals import Floats
from soid.solver.box_conditions import BoxConditions
from soid.solver.box_splitter import Cover, Range


@final
class DiscardedBoxes:
    """Boxes without a model; so many are kept at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._boxes: list[tuple[Box, Mapping[int, Floats]]] = []

    @property
    def is_full(self) -> bool:
        """Whether no more are kept."""
        return len(self._boxes) > self._most  # one more shows that there are too many

    def add(self, boxes: Iterable[Box], held: Mapping[int, Floats]) -> None:
        """Keep boxes, with the results of functions in them by place of their symbols."""
        if not self.is_full:
            known = dict(held)
            self._boxes += [(box, known) for box in boxes]

    def cover(self, conditions: BoxConditions) -> Cover | None:
        """These boxes, and those outside of the first box of the search; None if they are too many."""
        outside = list(conditions.outside())
        if len(outside) + len(self._boxes) > self._most:
            return None
        numbers = tuple(each.symbol for each in conditions.functions)
        unknown = (None,) * len(numbers)
        return Cover(
            tuple((each.term, each.order.name) for each in conditions.variables),
            (*outside, *(box for box, _ in self._boxes)),
            numbers,
            (*(unknown for _ in outside), *(_ranges(conditions, held) for _, held in self._boxes)),
        )


#: keeps none
NO_BOXES: Final = DiscardedBoxes(-1)


def _ranges(conditions: BoxConditions, held: Mapping[int, Floats]) -> tuple[Range | None, ...]:
    """Bounds of each function in a box: those that are not held follow from others."""
    places = {term: place for place, term in enumerate(conditions.order)}
    values: dict[int, Any] = dict(held)
    found: list[Range | None] = []
    for each in conditions.functions:
        place = places[each.symbol]
        if place not in values:
            below: Sequence[int] = [places[argument] for argument in each.arguments]
            values[place] = each.over(tuple(values.get(at, conditions.constants[at]) for at in below))
        known = values[place]
        assert isinstance(known, Floats)
        found.append(None if known.nan else _both_zeros(known.low, known.high))
    return tuple(found)


def _both_zeros(low: int, high: int) -> Range:
    """A range of floats in which an end that is a zero stands for both zeros: which one a sum gives is not bounded."""
    return (-1 if low == 0 else low, 0 if high == -1 else high)

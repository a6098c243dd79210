"""Functions that bound many boxes at once, along the axes of a map: their values in a box, and where to cut it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, final

from soid.engine.summary import Approximation
from soid.formula.cell_function import BoundedBoxes, CellBounds, CellFunction, place_of
from soid.formula.interval_program import Box, Step
from soid.formula.intervals import Floats, Values
from soid.formula.term import Term
from soid.mapping.axes import Axis

if TYPE_CHECKING:
    from soid.formula.function_arguments import Flags, Numbers, ReadArguments


@final
class AxisFunction:
    """One such function."""

    def __init__(self, function: CellFunction, arguments: ReadArguments, axes: Sequence[Axis]) -> None:
        self._arguments = arguments
        self._axes = axes
        self.has_cells = function.tries_ends  # without cells, cutting never ends at a boundary: the map's own cuts do
        low, high, missing = self._ranges(tuple((axis.low, axis.high) for axis in axes))
        self._bounds: CellBounds = function.within(low[0], high[0], missing[0])
        self._seen: tuple[Box, BoundedBoxes] | None = None  # the last box that was looked at

    def _ranges(self, box: Box) -> tuple[Numbers, Numbers, Flags]:
        import numpy as np  # takes long to load, and most maps do without

        low, high = (np.array([[each[end] for each in box]], np.int64) for end in (0, 1))
        return self._arguments.ranges(low, high)

    def _look(self, box: Box) -> BoundedBoxes:
        if self._seen is None or self._seen[0] != box:
            self._seen = box, self._bounds.of(*self._ranges(box))
        return self._seen[1]

    def step(self, _: Sequence[Values], box: Box) -> Values:
        """The function's values in a box."""
        look = self._look(box)
        return Floats(int(look.low[0]), int(look.high[0]), False)

    def cut(self, box: Box) -> tuple[int, int] | None:
        """The axis along which a box is best cut, and the last place before the cut; None if that gains nothing."""
        if not self.has_cells:
            return None
        look = self._look(box)
        gains = look.advice()[0]
        best = max(range(len(gains)), key=lambda argument: float(gains[argument]))
        number = self._arguments.variables[best]
        if not gains[best] > 0 or number is None:
            return None
        low, high = box[number]
        cuts = look.cuts(0, best, 2)
        place = place_of(self._axes[number].variable.order, cuts[0]) if cuts else (low + high) // 2 + 1
        return (number, place - 1) if low < place <= high else None


@final
class FunctionSteps:
    """The approximations that can be bounded along the axes of a map, and what follows from these alone."""

    def __init__(self, approximations: Sequence[Approximation], axes: Sequence[Axis]) -> None:
        self.bounded: dict[Term, AxisFunction] = {}
        self._following: dict[Term, Approximation] = {}
        for one in approximations:
            if (bulk := one.enclosure.bulk) is not None:
                self._add(one, bulk, axes)
            elif all(each in self.bounded or each in self._following or each.is_const for each in one.arguments):
                self._following[one.symbol] = one

    def _add(self, one: Approximation, bulk: CellFunction, axes: Sequence[Axis]) -> None:
        from soid.formula.function_arguments import ReadArguments  # numpy takes long to load

        numbers = {axis.variable.symbol: number for number, axis in enumerate(axes)}
        arguments = ReadArguments.of(one.arguments, numbers, [axis.variable.order for axis in axes])
        if arguments is not None:
            self.bounded[one.symbol] = AxisFunction(bulk, arguments, axes)

    def below(self, term: Term) -> tuple[Term, ...]:
        """The terms from which the values of a term follow."""
        one = self._following.get(term)
        return term.args if one is None else one.arguments

    def steps(self, places: Mapping[Term, int]) -> dict[Term, Step]:
        """How the values of these functions follow in a box, from those of terms at their places."""
        found: dict[Term, Step] = {each: one.step for each, one in self.bounded.items() if each in places}
        return found | {each: _step(one, places) for each, one in self._following.items() if each in places}


def _step(one: Approximation, places: Mapping[Term, int]) -> Step:
    over, arguments = one.enclosure.over, [places[each] for each in one.arguments]
    return lambda values, _: over(tuple([values[place] for place in arguments]))

"""Branch and bound for functions that are constant on cells, such as sums of trees: many boxes at once.

A box gives each variable a range of places. The functions bound their results over a whole group of boxes; a box in
which a condition is false everywhere is discarded, in any other a point is tried, and the box is cut where a function
says that its bounds gain most. In a box that lies in one cell of every function the results are constants, and what is
left are conditions over the variables alone.

    trees over income and age,  score <= 0.0,  0 <= income <= 90000        unsat, 40 boxes; or sat, income = 41250
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from soid.budget import Cancellation, Deadline
from soid.formula.cell_function import BoundedBoxes, CellBounds, number_of, place_of, source_of
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, Floats
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.solver.box_conditions import BoxConditions, BoxFunction, Size, lay_out

Places = NDArray[np.int64]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

_SIZE: Final = Size(variables=256, terms=40_000)
_GROUP: Final = 64  # boxes that are looked at together
_WAITING: Final = 1_000_000  # boxes: with more the search ends
_IN_CELL: Final = 4_000  # evaluations of terms, for the conditions that are left in one cell


Model = dict[Term, bool | int]

#: no state satisfies the conditions
NOTHING: Final[Model] = {}


def search_cells(
    conjuncts: Sequence[Term], functions: Sequence[BoxFunction], deadline: Deadline, cancel: Cancellation
) -> Model | None:
    """A model of the conjuncts, NOTHING if there is none, None if the search ended early or cannot be made."""
    conditions = lay_out(conjuncts, _SIZE, functions=functions)
    if conditions is None:
        return None
    arguments = [_Arguments.of(each, conditions) for each in conditions.functions if each.bulk is not None]
    if any(each is None for each in arguments):
        return None
    known = [each for each in arguments if each is not None]
    if any(not _fits(variable.order) for variable in conditions.variables):
        return None
    return _CellSearch(conditions, known, deadline, cancel).run()


def _fits(order: ValueOrder) -> bool:
    low, high = order.places
    return low >= -(1 << 63) and high < 1 << 63


@final
class _Arguments(Struct, frozen=True):
    """How the arguments of a function follow from the places of variables."""

    function: BoxFunction
    symbol: int  # the place of its symbol among the terms
    variables: tuple[int | None, ...]  # for each argument its variable; None: a constant
    constants: tuple[float, ...]  # NaN for arguments that are variables
    orders: tuple[ValueOrder | None, ...]

    @classmethod
    def of(cls, function: BoxFunction, conditions: BoxConditions) -> _Arguments | None:
        """None if an argument is neither a constant nor the reading of a variable."""
        numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
        found, constants, orders = [], [], []
        for argument in function.arguments:
            source = source_of(argument)
            if source is None:
                return None
            number = numbers.get(source) if source.is_var else None
            if source.is_var and number is None:
                return None
            found.append(number)
            constants.append(number_of(argument) if number is None else np.nan)
            orders.append(None if number is None else conditions.variables[number].order)
        return cls(function, conditions.order.index(function.symbol), tuple(found), tuple(constants), tuple(orders))

    def ranges(self, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
        shape = (len(low), len(self.variables))
        lows, highs, missing = np.empty(shape), np.empty(shape), np.zeros(shape, bool)
        for column, (number, order) in enumerate(zip(self.variables, self.orders, strict=True)):
            if number is None or order is None:
                constant = self.constants[column]
                missing[:, column] = constant != constant
                lows[:, column], highs[:, column] = (constant, constant) if constant == constant else (np.inf, -np.inf)
            else:
                lows[:, column], highs[:, column], missing[:, column] = _read(order, low[:, number], high[:, number])
        return lows, highs, missing


def _read(order: ValueOrder, low: Places, high: Places) -> tuple[Numbers, Numbers, Flags]:
    """The numbers from one place to another, and whether NaN is among them."""
    sort = order.read_as
    if not isinstance(sort, Float):
        return low.astype(np.float64), high.astype(np.float64), np.zeros(len(low), bool)
    first, last = ~sort.infinity, sort.infinity
    missing = (low < first) | (high > last)
    some = (low <= last) & (high >= first)
    lows = np.where(some, _floats(sort, np.clip(low, first, last)), np.inf)
    highs = np.where(some, _floats(sort, np.clip(high, first, last)), -np.inf)
    return lows, highs, missing


def _floats(sort: Float, places: Places) -> Numbers:
    """The floats at places of their order."""
    if sort.width == 64:
        return np.where(places >= 0, places, ~places | np.int64(-(1 << 63))).view(np.float64)
    assert sort.width == 32, "no library has features of another width"
    bits = np.where(places >= 0, places, ~places | 1 << 31).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)


@final
class _Group(Struct, frozen=True):
    """Boxes that are looked at together, and the functions' bounds for them."""

    low: Places  # a row for each box, a column for each variable
    high: Places
    bounds: tuple[CellBounds, ...]


@final
class _CellSearch:
    """One search."""

    def __init__(
        self, conditions: BoxConditions, functions: list[_Arguments], deadline: Deadline, cancel: Cancellation
    ) -> None:
        self._deadline = deadline
        self._cancel = cancel
        self._functions = functions
        self._held: dict[int, Floats] = {}  # by place of a function's symbol: its values in the box at hand
        steps = list(conditions.steps)
        for each in functions:
            steps[each.symbol] = lambda _, __, place=each.symbol: self._held[place]  # type: ignore[misc]
        self._conditions = replace(conditions, steps=steps)
        self._open = False  # whether a box was left open

    def run(self) -> Model | None:
        start = self._conditions.start()
        if start is None:
            return NOTHING
        low = np.array([[first for first, _ in start]], np.int64)
        high = np.array([[last for _, last in start]], np.int64)
        bounds = []
        for each in self._functions:
            assert each.function.bulk is not None
            lows, highs, missing = each.ranges(low, high)
            bounds.append(each.function.bulk.within(lows[0], highs[0], missing[0]))
        waiting, count = [_Group(low, high, tuple(bounds))], 1
        while waiting:
            if self._deadline.is_over or self._cancel.cancelled or count > _WAITING:
                return None
            group = waiting.pop()
            count -= len(group.low)
            found = self._look(group)
            if isinstance(found, dict):
                return found
            waiting += found
            count += sum(len(each.low) for each in found)
        return None if self._open else NOTHING

    def _look(self, group: _Group) -> list[_Group] | Model:
        """The parts of a group's boxes that are still to be looked at, or a model."""
        looks = self._looks(group.low, group.high, group.bounds)
        kept = [row for row in self._possible(looks) if self._may_hold(group, looks, row)]
        if not kept:
            return []
        model = self._tried(group, kept)
        if model is not None:
            return model
        low, high = group.low[kept], group.high[kept]
        looks = self._looks(low, high, group.bounds)
        advice = self._advice(looks, len(kept))
        lows, highs = [], []
        for row in range(len(kept)):
            parts = self._cut(low[row], high[row], looks, row, advice[row])
            if parts is None:
                model = self._in_cell(low[row], high[row], looks, row)
                if model is not None:
                    return model
                continue
            for first, last in parts:
                lows.append(first)
                highs.append(last)
        return self._grouped(lows, highs, tuple(look.narrowed() for look in looks))

    def _looks(self, low: Places, high: Places, bounds: tuple[CellBounds, ...]) -> list[BoundedBoxes]:
        return [one.of(*each.ranges(low, high)) for each, one in zip(self._functions, bounds, strict=True)]

    def _possible(self, looks: list[BoundedBoxes]) -> list[int]:
        """The boxes in which no function's results lie outside of what the conditions say of them."""
        possible = np.ones(len(looks[0].low), bool)
        for each, look in zip(self._functions, looks, strict=True):
            told = self._conditions.asserted.get(each.symbol)
            if isinstance(told, Floats):
                possible &= (look.low <= told.high) & (look.high >= told.low)
        return [int(row) for row in np.flatnonzero(possible)]

    def _hold(self, looks: list[BoundedBoxes], row: int) -> None:
        for each, look in zip(self._functions, looks, strict=True):
            self._held[each.symbol] = Floats(int(look.low[row]), int(look.high[row]), False)

    def _may_hold(self, group: _Group, looks: list[BoundedBoxes], row: int) -> bool:
        self._hold(looks, row)
        return self._evaluated(_box(group.low[row], group.high[row])) is not None

    def _evaluated(self, box: Box) -> list[Any] | None:
        """The values of all terms in a box; None if a condition is false everywhere in it."""
        values = self._conditions.constants.copy()
        everything = (1 << len(self._conditions.variables)) - 1
        return values if self._conditions.evaluate(box, values, everything) else None

    def _tried(self, group: _Group, rows: list[int]) -> Model | None:
        """A model at the middle, the low end or the high end of a box."""
        low, high = group.low[rows], group.high[rows]
        middle = low + (high - low) // 2  # int64: a range has at most 2**63 places on each side of zero
        middle = np.where((low < 0) & (high >= 0), (low + high) // 2, middle)
        for points in (middle, low, high):
            looks = self._looks(points, points, group.bounds)
            for row in self._possible(looks):
                model = self._model(points[row], looks, row)
                if model is not None:
                    return model
        return None

    def _model(self, point: Places, looks: list[BoundedBoxes], row: int) -> Model | None:
        self._hold(looks, row)
        values = self._evaluated(_box(point, point))
        if values is None or any(values[root] != ALWAYS for root in self._conditions.roots):
            return None
        model: Model = {
            variable.term: variable.order.value_at(int(place))
            for variable, place in zip(self._conditions.variables, point, strict=True)
        }
        for function in self._conditions.functions:
            place = self._conditions.order.index(function.symbol)
            held = values[place]
            assert isinstance(held, Floats) and held.low == held.high, "a function has one result at a point"
            assert isinstance(function.symbol.sort, Float)
            model[function.symbol] = ValueOrder(function.symbol.sort).value_at(held.low)
        return model

    def _advice(self, looks: list[BoundedBoxes], count: int) -> Numbers:
        """For each box and variable what cutting gains."""
        found = np.zeros((count, len(self._conditions.variables)))
        for each, look in zip(self._functions, looks, strict=True):
            gains = look.advice()
            for argument, number in enumerate(each.variables):
                if number is not None:
                    found[:, number] += gains[:, argument]
        return found

    def _cut(
        self, low: Places, high: Places, looks: list[BoundedBoxes], row: int, advice: Numbers
    ) -> list[tuple[Places, Places]] | None:
        """Two parts of a box; None if no function gains from cutting it."""
        number = int(np.argmax(advice))
        if not advice[number] > 0 or low[number] == high[number]:
            return None
        place = self._cut_place(number, int(low[number]), int(high[number]), looks, row)
        upper, lower = low.copy(), high.copy()
        upper[number], lower[number] = place, place - 1
        return [(low, lower), (upper, high)]

    def _cut_place(self, number: int, low: int, high: int, looks: list[BoundedBoxes], row: int) -> int:
        order = self._conditions.variables[number].order
        if isinstance(order.read_as, Float):
            for border in (~order.read_as.infinity, order.read_as.infinity + 1):
                if low < border <= high:
                    return border  # NaN apart from numbers
        for each, look in zip(self._functions, looks, strict=True):
            for argument, variable in enumerate(each.variables):
                if variable == number and look.advice()[row, argument] > 0:
                    cut = look.cut(row, argument)
                    place = None if cut is None else place_of(order, cut)
                    if place is not None and low < place <= high:
                        return place
        return (low + high) // 2 + 1

    def _in_cell(self, low: Places, high: Places, looks: list[BoundedBoxes], row: int) -> Model | None:
        """A model in a box in which every function is constant, if the other conditions have one."""
        from soid.solver.box_splitter import search_box

        self._hold(looks, row)
        held = dict(self._held)
        steps = list(self._conditions.steps)
        for place, values in held.items():
            steps[place] = lambda _, __, known=values: known  # type: ignore[misc]
        if any(values.low != values.high for values in held.values()):
            self._open = True
            return None
        found = search_box(
            replace(self._conditions, steps=steps), _box(low, high), _IN_CELL, self._deadline, self._cancel
        )
        if found is None:
            self._open = True
            return None
        return found or None

    def _grouped(self, lows: list[Places], highs: list[Places], bounds: tuple[CellBounds, ...]) -> list[_Group]:
        if not lows:
            return []
        low, high = np.array(lows), np.array(highs)
        return [_Group(low[at : at + _GROUP], high[at : at + _GROUP], bounds) for at in range(0, len(low), _GROUP)][
            ::-1
        ]


def _box(low: Places, high: Places) -> Box:
    return tuple(zip(low.tolist(), high.tolist(), strict=True))

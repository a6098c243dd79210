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

from soid.budget import Cancellation, Deadline
from soid.formula import operators as ops
from soid.formula.cell_function import BoundedBoxes, CellBounds, CellFunction, place_of
from soid.formula.function_arguments import Numbers, Places, ReadArguments
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, NEVER, Floats
from soid.formula.passes import flatten_and
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.solver.box_conditions import BoxConditions, BoxFunction, Size, lay_out

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
    conditions = lay_out(flatten_and(conjuncts), _SIZE, functions=functions)
    if conditions is None:
        return None
    known = _bounded(conditions)
    if known is None:
        return None
    return _CellSearch(conditions, known, deadline, cancel).run()


def _fits(order: ValueOrder) -> bool:
    low, high = order.places
    return low >= -(1 << 63) and high < 1 << 63


@final
class _Bounded(Struct, frozen=True):
    """A function that bounds many boxes at once."""

    function: CellFunction
    symbol: int  # the place of its symbol among the terms
    arguments: ReadArguments


def _bounded(conditions: BoxConditions) -> list[_Bounded] | None:
    """The functions of the conditions; None if an argument of one is no plain reading of a variable."""
    numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
    orders = [variable.order for variable in conditions.variables]
    found: list[_Bounded] = []
    for each in conditions.functions:
        if each.bulk is not None:
            read = ReadArguments.of(each.arguments, numbers, orders)
            if read is None:
                return None
            found.append(_Bounded(each.bulk, conditions.order.index(each.symbol), read))
    return found


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
        self, conditions: BoxConditions, functions: list[_Bounded], deadline: Deadline, cancel: Cancellation
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
        self._equal = _equalities(conditions)
        self._pinning = (
            False  # whether the conditions hold only where some variables have the values they are compared with
        )

    def run(self) -> Model | None:
        start = self._conditions.start()
        if start is None:
            return NOTHING
        low = np.array([[first for first, _ in start]], np.int64)
        high = np.array([[last for _, last in start]], np.int64)
        bounds = []
        for each in self._functions:
            lows, highs, missing = each.arguments.ranges(low, high)
            bounds.append(each.function.within(lows[0], highs[0], missing[0]))
        self._pinning = self._needs_equalities(self._looks(low, high, tuple(bounds)), start)
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
        return [one.of(*each.arguments.ranges(low, high)) for each, one in zip(self._functions, bounds, strict=True)]

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
            assert isinstance(held, Floats) and isinstance(function.symbol.sort, Float)
            if held.low != held.high or held.nan:
                return None  # what it is here is not known
            model[function.symbol] = ValueOrder(function.symbol.sort).value_at(held.low)
        return model

    def _advice(self, looks: list[BoundedBoxes], count: int) -> Numbers:
        """For each box and variable what cutting gains."""
        found = np.zeros((count, len(self._conditions.variables)))
        for each, look in zip(self._functions, looks, strict=True):
            gains = look.advice()
            for argument, number in enumerate(each.arguments.variables):
                if number is not None:
                    found[:, number] += gains[:, argument]
        return found

    def _cut(
        self, low: Places, high: Places, looks: list[BoundedBoxes], row: int, advice: Numbers
    ) -> list[tuple[Places, Places]] | None:
        """Parts of a box; None if no function gains from cutting it, and no condition."""
        if self._pinning and (parts := self._pinned(low, high)):
            return parts
        number = int(np.argmax(advice))
        if not advice[number] > 0 or low[number] == high[number]:
            return self._pinned(low, high)
        place = self._cut_place(number, int(low[number]), int(high[number]), looks, row)
        upper, lower = low.copy(), high.copy()
        upper[number], lower[number] = place, place - 1
        return [(low, lower), (upper, high)]

    def _pinned(self, low: Places, high: Places) -> list[tuple[Places, Places]] | None:
        """A box cut at a value that a condition compares a variable with: below it, at it and above it."""
        for number, places in self._equal.items():
            first, last = int(low[number]), int(high[number])
            at = next((place for place in places if first <= place <= last), None)
            if at is None or first == last:
                continue
            parts = []
            for begin, end in ((first, at - 1), (at + 1, last), (at, at)):
                if begin <= end:
                    lower, upper = low.copy(), high.copy()
                    lower[number], upper[number] = begin, end
                    parts.append((lower, upper))
            return parts
        return None

    def _needs_equalities(self, looks: list[BoundedBoxes], start: Box) -> bool:
        """Whether no state satisfies the conditions in which every variable differs from what it is compared with."""
        conditions = self._conditions
        equal = {place for place, term in enumerate(conditions.order) if _compared(term) is not None}
        if not equal:
            return False
        self._hold(looks, 0)
        steps = [_never if place in equal else step for place, step in enumerate(conditions.steps)]
        asserted = {place: values for place, values in conditions.asserted.items() if place not in equal}
        differing = replace(conditions, steps=steps, asserted=asserted)
        everything = (1 << len(conditions.variables)) - 1
        return not differing.evaluate(start, conditions.constants.copy(), everything)

    def _cut_place(self, number: int, low: int, high: int, looks: list[BoundedBoxes], row: int) -> int:
        order = self._conditions.variables[number].order
        if isinstance(order.read_as, Float):
            for border in (~order.read_as.infinity, order.read_as.infinity + 1):
                if low < border <= high:
                    return border  # NaN apart from numbers
        for each, look in zip(self._functions, looks, strict=True):
            for argument, variable in enumerate(each.arguments.variables):
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


def _never(values: list[Any], box: Box) -> int:
    return NEVER


def _compared(term: Term) -> tuple[Term, int] | None:
    """The variable and the value, if a term compares these two."""
    if term.op is not ops.EQ:
        return None
    one, other = term.args if term.args[1].is_const else term.args[::-1]
    return (one, other.value) if one.is_var and other.is_const else None


def _equalities(conditions: BoxConditions) -> dict[int, list[int]]:
    """The places with which conditions compare variables, by the variable's number."""
    numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
    found: dict[int, list[int]] = {}
    for each in filter(None, map(_compared, conditions.order)):
        number = numbers.get(each[0])
        if number is not None:
            place = conditions.variables[number].order.place_of(each[1])
            found.setdefault(number, []).append(place)
    return found


def _box(low: Places, high: Places) -> Box:
    return tuple(zip(low.tolist(), high.tolist(), strict=True))

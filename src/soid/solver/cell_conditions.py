"""Conditions as a search over cells looks at them: what is left of them in its first box.

    0 <= income <= 90000        holds in the first box, and is not looked at again
    probability > 0.5           of one function's result alone: becomes a range of its results, for many boxes at once
    income != 41250 or ...      false only where all of these variables have these values
    income > 12 * rate          any other is evaluated box by box

A range of results is found by bisection: if interval evaluation shows that a condition is false for all results up to
one, every box whose results lie there is discarded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from soid.formula import intervals
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.cell_function import BoundedBoxes, CellBounds, CellFunction, RegionBounds, place_of
from soid.formula.function_arguments import Flags, Numbers, Places, ReadArguments, fits, places_of
from soid.formula.interval_program import Box, Step
from soid.formula.intervals import ALWAYS, NEVER, Floats
from soid.formula.sorts import Float, Sort
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder
from soid.solver.box_conditions import BoxConditions
from soid.solver.cell_truths import is_plain, truths
from soid.solver.plain_conditions import compared_value

Model = dict[Term, bool | int]

_COMPARISONS: Final = (ops.FP_LT, ops.FP_LEQ, ops.FP_EQ, ops.EQ)
_KEPT: Final = 256  # conditions of which a function knows which of its results they allow
_NOTHING: Final = (1, 0)

#: a term to evaluate: its place, its step, what the conditions allow it, its sort, and whether it is a condition
_Evaluation = tuple[int, Step, Any, Sort, bool]


@final
class BoundedFunction(Struct, frozen=True):
    """A function that bounds many boxes at once."""

    function: CellFunction
    place: int  # of its symbol among the terms
    arguments: ReadArguments


def bounded_functions(conditions: BoxConditions) -> list[BoundedFunction] | None:
    """The functions of the conditions; None if one does not plainly read variables, or one of these has many places."""
    if not all(fits(variable.order) for variable in conditions.variables):
        return None
    numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
    orders = [variable.order for variable in conditions.variables]
    found: list[BoundedFunction] = []
    known: dict[tuple[Term, ...], ReadArguments | None] = {}  # functions of the same arguments read them together
    for each in conditions.functions:
        if each.bulk is not None:
            if each.arguments not in known:
                known[each.arguments] = ReadArguments.of(each.arguments, numbers, orders)
            read = known[each.arguments]
            if read is None:
                return None
            found.append(BoundedFunction(each.bulk, conditions.order.index(each.symbol), read))
    return found


@final
class CellConditions:
    """What is left of conditions in a first box."""

    def __init__(self, conditions: BoxConditions, functions: list[BoundedFunction], start: Box) -> None:
        self.start = start
        self.functions = functions
        self._held: dict[int, Floats] = {}  # by place of a function's symbol: its results in the box at hand
        steps = list(conditions.steps)
        for each in functions:
            steps[each.place] = lambda _, __, held=self._held, place=each.place: held[place]  # type: ignore[misc]
        self._below = _below(conditions)
        low, high = (np.array([ends], np.int64) for ends in zip(*start, strict=True))
        self.conditions = replace(conditions, steps=steps)
        self._borders = [self._compared_with(each.place) for each in functions]
        self.bounds = self._bounds_within(low, high)
        self.hold_whole()
        left = self._left(start)
        self.is_impossible = conditions.never or left is None
        self.conditions = replace(self.conditions, roots=dict.fromkeys(left or ()))
        self._told = self._allowed()
        by_place = {each.place: each for each in functions}
        alone = {root: by_place[place] for root in left or () if (place := self._alone(root)) is not None}
        for root, function in alone.items():
            self._narrow(root, function)
        others = [root for root in left or () if root not in alone]
        differences = {root: found for root in others if (found := self._differences(root))}
        self._differs = [*conditions.differences, *differences.values()]
        #: places of functions in `functions`, by symbol; and the conditions that are evaluated for many boxes at once
        self._symbols = {conditions.order[each.place]: number for number, each in enumerate(functions)}
        self._plain = [root for root in others if is_plain(conditions.order[root], self._symbols)]
        self._scalar = self._plan([root for root in others if root not in differences and root not in self._plain])
        self._whole = self._plan([*(left or ()), *(self._place(each.symbol) for each in conditions.functions)])

    def _bounds_within(self, low: Places, high: Places) -> tuple[RegionBounds, ...]:
        found = []
        for each, borders in zip(self.functions, self._borders, strict=True):
            lows, highs, missing = each.arguments.ranges(low, high)
            found.append(each.function.within(lows[0], highs[0], missing[0], borders))
        return tuple(found)

    def looks(self, low: Places, high: Places, bounds: tuple[CellBounds, ...]) -> list[BoundedBoxes]:
        ranges = {read: read.ranges(low, high) for read in dict.fromkeys(each.arguments for each in self.functions)}
        return [one.of(*ranges[each.arguments]) for each, one in zip(self.functions, bounds, strict=True)]

    def climb(self) -> Iterator[Places]:
        """Points of the first box at which a function is likely to be what the conditions allow it, if most is not."""
        middle = [(low + high) // 2 for low, high in self.start]
        for each, bounds in zip(self.functions, self.bounds, strict=True):
            rows = bounds.likely()
            if len(rows):
                yield self._points(each, rows)
        for each, bounds in zip(self.functions, self.bounds, strict=True):
            (least, most), (low, high) = self._told[each.place], bounds.whole
            if (least > low) == (most < high):
                continue  # it may be anything, or is to be somewhere inside
            for row in bounds.climb(1 if least > low else -1):
                point = list(middle)
                for number, value in zip(each.arguments.variables, row.tolist(), strict=True):
                    if number is not None and not math.isinf(value):
                        first, last = self.start[number]
                        point[number] = min(max(place_of(self.conditions.variables[number].order, value), first), last)
                yield np.array([point], np.int64)

    def _points(self, function: BoundedFunction, rows: Numbers) -> Places:
        """Points of the first box, from rows of a function's arguments."""
        found = np.tile(np.array([(low + high) // 2 for low, high in self.start], np.int64), (len(rows), 1))
        for column, number in enumerate(function.arguments.variables):
            if number is not None:
                places = places_of(self.conditions.variables[number].order, rows[:, column])
                found[:, number] = np.clip(places, *self.start[number])
        return found

    def _place(self, term: Term) -> int:
        return self.conditions.order.index(term)

    def undecided(self, looks: Sequence[BoundedBoxes]) -> list[Flags]:
        """For each function the boxes in which it matters what its result is: a comparison of it may be so or so."""
        found: list[Flags] = []
        for borders, look in zip(self._borders, looks, strict=True):
            if borders is None:
                found.append(np.ones(len(look.low), bool))
            else:
                open_ = (look.low[:, None] <= borders) & (borders <= look.high[:, None])
                found.append(np.asarray(open_.any(axis=1)))
        return found

    def _compared_with(self, place: int) -> Places | None:
        """The places of all constants that a function's result is compared with; None if more is done with it."""
        found = list[int]()
        for at, below in enumerate(self._below):
            if place not in below or not self.conditions.masks[at]:
                continue
            term = self.conditions.order[at]
            others = [each for each in term.args if each is not self.conditions.order[place]]
            if term.op not in _COMPARISONS or len(others) != 1 or not others[0].is_const:
                return None
            assert isinstance(others[0].sort, Float)
            at_constant = sf.ordinal(others[0].sort, others[0].value)
            found += [-1, 0] if at_constant in (-1, 0) else [at_constant]
        return np.array(found, np.int64)

    # --- what is left ---------------------------------------------------------------------------------------------

    def _left(self, start: Box) -> list[int] | None:
        """The conditions that do not hold everywhere in the first box; None if one is false everywhere."""
        values = self.conditions.constants.copy()
        for place, mask in enumerate(self.conditions.masks):
            if mask:  # what the conditions tell of terms is left aside: it is what they are asked about
                values[place] = self.conditions.steps[place](values, start)
        if any(values[root] == NEVER for root in self.conditions.roots):
            return None
        return [root for root in self.conditions.roots if values[root] != ALWAYS]

    def _allowed(self) -> dict[int, tuple[int, int]]:
        """By place of a function's symbol the results that the conditions allow it, as ordinals."""
        found = {}
        for each in self.functions:
            told = self.conditions.asserted.get(each.place)
            low, high = _everything(self.conditions.order[each.place].sort)
            found[each.place] = (max(low, told.low), min(high, told.high)) if isinstance(told, Floats) else (low, high)
        return found

    def _alone(self, root: int) -> int | None:
        """The place of the function's symbol, if a condition follows from one function's result alone."""
        symbols, seen, waiting = {each.place for each in self.functions}, set[int](), [root]
        found: set[int] = set()
        while waiting:
            place = waiting.pop()
            if place in symbols:
                found.add(place)
            elif place not in seen:
                seen.add(place)
                if self.conditions.masks[place] and not self._below[place]:
                    return None  # a variable
                waiting += self._below[place]
        return found.pop() if len(found) == 1 else None

    def _narrow(self, root: int, function: BoundedFunction) -> None:
        """Leave out the least and the greatest results of a function for which a condition is false."""
        plan, place = self._plan([root]), function.place
        within = self._held[place]  # what it is in the first box
        everything = _everything(self.conditions.order[place].sort)
        key, known = self._followed(root, plan), function.function.allowed
        if key not in known:  # without what other conditions say: it is kept for questions that do not have these
            if len(known) >= _KEPT:
                known.clear()
            alone = [(at, step, None, sort, at == root) for at, step, _, sort, _ in plan]
            known[key] = self._allowing(alone, place, *everything) or _NOTHING
        ends = known[key], self._told[place], (within.low, within.high)
        low, high = max(first for first, _ in ends), min(last for _, last in ends)
        found = None
        if low <= high:
            # in a smaller range the condition may be false at an end
            found = self._allowing(plan, place, low, high) if known[key] == everything else (low, high)
        self._held[place] = within
        if found is None:
            self.is_impossible = True
        else:
            self._told[place] = found

    def _followed(self, root: int, plan: list[_Evaluation]) -> tuple[Hashable, ...]:
        """A condition, and the functions between it and the results that it follows from, with their arguments.

        Among these may be constants: numbers that do not vary here, and are others at another moment.
        """
        symbols = {self.conditions.order[place] for place, *_ in plan}
        between = (each for each in self.conditions.functions if each.bulk is None and each.symbol in symbols)
        return (self.conditions.order[root], *((each.symbol, each.arguments, each.over) for each in between))

    def _allowing(self, plan: list[_Evaluation], place: int, low: int, high: int) -> tuple[int, int] | None:
        """What is left of a range of results without those for which a condition is false; None: nothing."""

        def refuted(first: int, last: int) -> bool:
            self._held[place] = Floats(first, last, False)
            return self.evaluated(plan, self.start) is None

        if refuted(low, high):
            return None
        if refuted(low, low):  # of most conditions one end alone is false
            low = _first(low + 1, high, lambda middle: not refuted(low, middle))
        if refuted(high, high):
            high = _first(low, high, lambda middle: refuted(middle, high)) - 1
        return low, high

    def _differences(self, root: int) -> dict[int, int] | None:
        """Variables by number with places, if a condition says that one of them is elsewhere."""
        numbers = {variable.term: number for number, variable in enumerate(self.conditions.variables)}
        term = self.conditions.order[root]
        found: dict[int, int] = {}
        for each in term.args if term.op is ops.OR else (term,):
            pair = compared_value(each.args[0]) if each.op is ops.NOT else None
            if pair is None or pair[0] not in numbers or numbers[pair[0]] in found:
                return None
            number = numbers[pair[0]]
            found[number] = self.conditions.variables[number].order.place_of(pair[1])
        return found

    def _plan(self, roots: Sequence[int]) -> list[_Evaluation]:
        """The terms to evaluate for some conditions."""
        needed, waiting = set[int](), list(roots)
        while waiting:
            place = waiting.pop()
            if place not in needed and self.conditions.masks[place]:
                needed.add(place)
                if place not in self._held:
                    waiting += self._below[place]
        conditions = self.conditions
        return [
            (place, conditions.steps[place], conditions.asserted.get(place), conditions.order[place].sort,
             place in conditions.roots)
            for place in sorted(needed)
        ]  # fmt: skip

    # --- boxes ------------------------------------------------------------------------------------------------------

    def possible(self, low: Places, high: Places, looks: Sequence[BoundedBoxes]) -> list[int]:
        """The boxes in which no condition is false everywhere."""
        found = np.ones(len(low), bool)
        for each, look in zip(self.functions, looks, strict=True):
            least, most = self._told[each.place]
            found &= (look.low <= most) & (look.high >= least)
        if self._differs:
            found &= ~self._is_left_out(low, high)
        if self._plain and found.any():
            ends = [
                (np.maximum(look.low, self._told[each.place][0]), np.minimum(look.high, self._told[each.place][1]))
                for each, look in zip(self.functions, looks, strict=True)
            ]
            conditions = [self.conditions.order[root] for root in self._plain]
            for truth in truths(conditions, self._symbols, ends):
                found &= truth != NEVER
        rows = [int(row) for row in np.flatnonzero(found)]
        return [row for row in rows if self._may_hold(low, high, looks, row)] if self._scalar else rows

    def _is_left_out(self, low: Places, high: Places) -> Flags:
        """For each box whether it is a single point of variables of which one is to be elsewhere."""
        found = np.zeros(len(low), bool)
        for places in self._differs:
            numbers, at = list(places), np.array(list(places.values()), np.int64)
            found |= ((low[:, numbers] == at) & (high[:, numbers] == at)).all(axis=1)
        return found

    def _may_hold(self, low: Places, high: Places, looks: Sequence[BoundedBoxes], row: int) -> bool:
        self.hold(looks, row)
        return self.evaluated(self._scalar, box_of(low[row], high[row])) is not None

    def hold(self, looks: Sequence[BoundedBoxes], row: int) -> dict[int, Floats]:
        """Take a box's results of the functions for those of the box at hand."""
        for each, look in zip(self.functions, looks, strict=True):
            self._held[each.place] = Floats(int(look.low[row]), int(look.high[row]), False)
        return self._held

    def hold_whole(self) -> dict[int, Floats]:
        """The same for the first box."""
        for each, one in zip(self.functions, self.bounds, strict=True):
            self._held[each.place] = Floats(*one.whole, False)
        return self._held

    def evaluated(self, plan: list[_Evaluation], box: Box) -> list[Any] | None:
        """The values of terms in a box; None if a condition is false everywhere in it."""
        values: list[Any] = self.conditions.constants.copy()
        for place, step, allowed, sort, is_condition in plan:
            found = step(values, box)
            if allowed is not None:
                found = intervals.meet(sort, found, allowed)  # type: ignore[assignment]
                if found is None:
                    return None
            if is_condition and found == NEVER:
                return None
            values[place] = found
        return values

    @property
    def is_exact(self) -> bool:
        """Whether the functions' results at a point are known."""
        return all(each.function.is_exact for each in self.functions)

    def model_at(self, point: Places) -> Model | None:
        """The state at a point, if it satisfies the conditions; it has a row."""
        if self._is_left_out(point, point)[0]:
            return None
        for each in self.functions:
            low, high, missing = each.arguments.ranges(point, point)
            self._held[each.place] = Floats(*each.function.at(low[0], high[0], missing[0]), False)
        return self._model(point[0])

    def model(self, point: Places, looks: Sequence[BoundedBoxes], row: int) -> Model | None:
        """The state at a point with the functions' results there, if it satisfies the conditions."""
        for each, look in zip(self.functions, looks, strict=True):
            found = look.at_point(row)
            if found is None:
                return None
            self._held[each.place] = Floats(found, found, False)
        return self._model(point)

    def _model(self, point: Places) -> Model | None:
        values = self.evaluated(self._whole, box_of(point, point))
        if values is None or any(values[root] != ALWAYS for root in self.conditions.roots):
            return None
        model: Model = {
            variable.term: variable.order.value_at(int(place))
            for variable, place in zip(self.conditions.variables, point, strict=True)
        }
        for function in self.conditions.functions:
            held = values[self._place(function.symbol)]
            assert isinstance(held, Floats) and isinstance(function.symbol.sort, Float)
            if held.low != held.high or held.nan:
                return None  # what it is here is not known
            model[function.symbol] = ValueOrder(function.symbol.sort).value_at(held.low)
        return model


def _everything(sort: Sort) -> tuple[int, int]:
    """All floats but NaN, as ordinals."""
    assert isinstance(sort, Float)
    return ~sort.infinity, sort.infinity


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number from which on something holds; it holds at the last."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _below(conditions: BoxConditions) -> list[list[int]]:
    """For each term the places of those from which its values follow."""
    places = {term: place for place, term in enumerate(conditions.order)}
    computed = {function.symbol: function.arguments for function in conditions.functions}
    return [[places[each] for each in computed.get(term, term.args)] for term in conditions.order]


def box_of(low: Places, high: Places) -> Box:
    return tuple(zip(low.tolist(), high.tolist(), strict=True))

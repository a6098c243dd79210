"""Branch and bound for functions that are constant on cells, such as sums of trees: many boxes at once.

A box gives each variable a range of places. The functions bound their results over a whole group of boxes; a box in
which a condition is false everywhere is discarded, in any other a point is tried, and the box is cut where a function
says that its bounds gain most. In a box that lies in one cell of every function the results are constants, and what is
left are conditions over the variables alone.

    trees over income and age,  score <= 0.0,  0 <= income <= 90000        unsat, 40 boxes; or sat, income = 41250
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from soid.budget import Cancellation, Deadline
from soid.formula.cell_function import BoundedBoxes, CellBounds, place_of
from soid.formula.function_arguments import Numbers, Places
from soid.formula.interval_program import Box
from soid.formula.intervals import NEVER
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.solver.box_conditions import BoxConditions, BoxFunction, Size
from soid.solver.box_splitter import Cover, search_box
from soid.solver.cell_conditions import CellConditions, Model, bounded_functions, box_of
from soid.solver.discarded_boxes import NO_BOXES, DiscardedBoxes
from soid.solver.plain_conditions import compared_value, lay_out_plainly
from soid.solver.settled_part import Report, SettledPart

_SIZE: Final = Size(variables=4_096, terms=200_000)
_GROUP: Final = 64  # boxes that are looked at together
_LARGE_GROUP: Final = 192  # where a look at each of them costs less in company: functions without cells
_FEW: Final = 8  # boxes of a group that is cut finely
_PARTS: Final = 8  # of a box that is cut finely
_WAITING: Final = 1_000_000  # boxes: with more the search ends
_AFTER_OPEN: Final = 3  # times as many groups, at most, are looked at altogether as before a box was left open
_AT_LEAST: Final = 30  # groups that are looked at afterwards
_IN_CELL: Final = 4_000  # evaluations of terms, for the conditions that are left in one cell

Accepts = Callable[[Model], bool]

#: no state satisfies the conditions
NOTHING: Final[Model] = {}


def search_cells(
    conjuncts: Sequence[Term],
    functions: Sequence[BoxFunction],
    deadline: Deadline,
    cancel: Cancellation,
    report: Report = lambda _: None,
) -> Model | None:
    """A model of the conjuncts, NOTHING if there is none, None if the search ended early or cannot be made."""
    conditions = lay_out_plainly(conjuncts, _SIZE, functions)
    found = None if conditions is None else settled_cells(conditions, deadline, cancel, report=report)
    return None if found is None else _told(found)


def cover_cells(
    conjuncts: Sequence[Term], functions: Sequence[BoxFunction], most: int, deadline: Deadline, cancel: Cancellation
) -> Cover | Model | None:
    """The boxes of a search that has found no model; NOTHING if they are more than `most`; else what it has found."""
    conditions, discarded = lay_out_plainly(conjuncts, _SIZE, functions), DiscardedBoxes(most)
    settled = None if conditions is None else settled_cells(conditions, deadline, cancel, discarded=discarded)
    if conditions is None or settled is None:
        return None
    found = _told(settled)
    return (discarded.cover(conditions) or NOTHING) if found is NOTHING else found


@final
class SettledCells(Struct, frozen=True):
    """The result of a search: a model, or boxes outside of which there is none."""

    model: Model | None = None
    open: Sequence[Box] = ()  # these are not to be cut further
    waiting: Sequence[Box] = ()  # when the search ended


def _told(found: SettledCells) -> Model | None:
    if found.model is None and (found.open or found.waiting):
        return None
    return found.model or NOTHING


def settled_cells(
    conditions: BoxConditions,
    deadline: Deadline,
    cancel: Cancellation,
    *,
    widely: bool = False,
    most: int = _WAITING,
    discarded: DiscardedBoxes = NO_BOXES,
    report: Report = lambda _: None,
    within: Sequence[Box] | None = None,
    accepts: Accepts = lambda _: True,
) -> SettledCells | None:
    """Search until no box is open, or time is over, or more than `most` are; None if the search cannot be made.

    `within` are the boxes that an earlier search has left: only they are looked at. A model ends it if it is accepted.

    Most boxes at hand are pursued to their end, unless the search goes `widely`: then large boxes are settled first.
    """
    known, start = bounded_functions(conditions), conditions.start()
    if known is None:
        return None
    if start is None:
        return SettledCells()
    left = CellConditions(conditions, known, start)
    if left.is_impossible:
        discarded.add([start], left.hold_whole())
        return SettledCells()
    return _CellSearch(left, deadline, cancel, discarded, report, accepts).run(widely, most, within)


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
        self,
        left: CellConditions,
        deadline: Deadline,
        cancel: Cancellation,
        discarded: DiscardedBoxes,
        report: Report,
        accepts: Accepts,
    ) -> None:
        self._left = left
        self._accepts = accepts
        self._discarded = discarded
        self._settled = SettledPart(left.start, [each.order for each in left.conditions.variables], report)
        self._deadline = deadline
        self._cancel = cancel
        self._open: list[Box] = []  # boxes that are not cut further
        self._tries_ends = any(each.function.tries_ends for each in left.functions)
        self._group = _GROUP if self._tries_ends else _LARGE_GROUP
        self._equal = _equalities(left.conditions)
        #: whether the conditions hold only where some variables have the values they are compared with
        self._pinning = self._needs_equalities()

    def run(self, widely: bool, most: int, within: Sequence[Box] | None) -> SettledCells:
        for points in self._left.climb() if within is None else ():
            if self._left.is_exact and len(points) == 1:
                model = self._accepted(self._left.model_at(points))
            else:
                looks = self._left.looks(points, points, self._left.bounds)
                model = self._model(points, looks, self._left.possible(points, points, looks))
            if model is not None:
                return SettledCells(model)
        waiting = deque(self._first(within or [self._left.start]))
        count = sum(len(each.low) for each in waiting)
        #: a model may be far from where the search has gone deep; and without cells small boxes alone may be settled
        turns = itertools.cycle((True, self._tries_ends) if widely else (False, False, True))
        looked, last = 0, None  # groups; and after which no more are looked at
        while waiting and not self._deadline.is_over and not self._cancel.cancelled and count <= most:
            looked += 1
            if self._open and not widely:  # it is not settled any more, but by a model
                last = last or looked * _AFTER_OPEN + _AT_LEAST
                if looked > last:
                    break
            group = waiting.popleft() if next(turns) else waiting.pop()
            count -= len(group.low)
            opened = len(self._open)
            found = self._look(group)
            if isinstance(found, dict):
                return SettledCells(found)
            waiting += found
            self._settled.add((group.low, group.high), [(e.low, e.high) for e in found], self._open[opened:])
            count += sum(len(each.low) for each in found)
        left = [box_of(*ends) for group in waiting for ends in zip(group.low, group.high, strict=True)]
        return SettledCells(None, self._open, left)

    def _first(self, boxes: Sequence[Box]) -> list[_Group]:
        """The groups of the boxes that the search begins with."""
        low, high = np.moveaxis(np.array(boxes, np.int64), 2, 0)
        self._settled.begin(low, high)
        cuts = range(0, len(boxes), self._group)
        return [_Group(low[at : at + self._group], high[at : at + self._group], self._left.bounds) for at in cuts]

    def _look(self, group: _Group) -> list[_Group] | Model:
        """The parts of a group's boxes that are still to be looked at, or a model."""
        count = len(group.low)
        few = count <= _FEW  # then what a look costs hardly depends on how many boxes there are
        points = self._points(group.low, group.high) if few else group.low[:0]
        low, high = (np.concatenate([ends, points]) for ends in (group.low, group.high))
        looks = self._left.looks(low, high, group.bounds)
        possible = self._left.possible(low, high, looks)
        kept = [row for row in possible if row < count]
        self._discard(group, looks, kept)
        if not kept:
            return []
        model = self._model(low, looks, possible[len(kept) :]) if few else self._tried(low[kept], high[kept], group)
        if model is not None:
            return model
        low, high, looks = low[kept], high[kept], [look.chosen(kept) for look in looks]
        advice = self._advice(looks, len(kept))
        lows, highs = [], []
        for row in range(len(kept)):
            parts = self._cut(low[row], high[row], looks, row, advice[row], _PARTS if few else 2)
            if parts is None:
                model = self._in_cell(low[row], high[row], looks, row)
                if model is not None:
                    return model
                continue
            for first, last in parts:
                lows.append(first)
                highs.append(last)
        return _grouped(lows, highs, tuple(look.narrowed() for look in looks), self._group)

    def _discard(self, group: _Group, looks: list[BoundedBoxes], kept: list[int]) -> None:
        if not self._discarded.is_full:
            for row in sorted(set(range(len(group.low))) - set(kept)):
                self._discarded.add([box_of(group.low[row], group.high[row])], self._left.hold(looks, row))

    def _tried(self, low: Places, high: Places, group: _Group) -> Model | None:
        """A model at one of the points of boxes."""
        points = self._points(low, high)
        looks = self._left.looks(points, points, group.bounds)
        return self._model(points, looks, self._left.possible(points, points, looks))

    def _points(self, low: Places, high: Places) -> Places:
        """The middle of each box, then the low end of each, then the high end, where these are worth a look."""
        return np.concatenate([_middles(low, high), *((low, high) if self._tries_ends else ())])

    def _model(self, points: Places, looks: list[BoundedBoxes], rows: Sequence[int]) -> Model | None:
        """A model at one of some points."""
        models = (self._accepted(self._left.model(points[row], looks, row)) for row in rows)
        return next((model for model in models if model is not None), None)

    def _accepted(self, model: Model | None) -> Model | None:
        return model if model is not None and self._accepts(model) else None

    def _advice(self, looks: list[BoundedBoxes], count: int) -> Numbers:
        """For each box and variable what cutting gains: for functions whose results matter there, else for all."""
        found = np.zeros((2, count, len(self._left.conditions.variables)))
        undecided = self._left.undecided(looks)
        for each, look, matters in zip(self._left.functions, looks, undecided, strict=True):
            gains = look.advice()
            for argument, number in enumerate(each.arguments.variables):
                if number is not None:
                    found[0, :, number] += gains[:, argument]
                    found[1, :, number] += gains[:, argument] * matters
        return np.asarray(np.where(found[1].any(axis=1)[:, None], found[1], found[0]))

    def _cut(
        self, low: Places, high: Places, looks: list[BoundedBoxes], row: int, advice: Numbers, most: int
    ) -> list[tuple[Places, Places]] | None:
        """At most so many parts of a box; None if no function gains from cutting it, and no condition."""
        if self._pinning and (parts := self._pinned(low, high)):
            return parts
        number = int(np.argmax(advice))
        if not advice[number] > 0 or low[number] == high[number]:
            return self._pinned(low, high)
        begins = self._cut_places(number, int(low[number]), int(high[number]), looks, row, most)
        parts = []
        for first, after in itertools.pairwise([int(low[number]), *begins, int(high[number]) + 1]):
            lower, upper = low.copy(), high.copy()
            lower[number], upper[number] = first, after - 1
            parts.append((lower, upper))
        return parts

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

    def _needs_equalities(self) -> bool:
        """Whether no state satisfies the conditions in which every variable differs from what it is compared with."""
        conditions = self._left.conditions
        equal = {place for place, term in enumerate(conditions.order) if compared_value(term) is not None}
        if not equal:
            return False
        steps = [_never if place in equal else step for place, step in enumerate(conditions.steps)]
        asserted = {place: values for place, values in conditions.asserted.items() if place not in equal}
        differing = replace(conditions, steps=steps, asserted=asserted)
        everything = (1 << len(conditions.variables)) - 1
        self._left.hold_whole()
        return not differing.evaluate(self._left.start, conditions.constants.copy(), everything)

    def _cut_places(
        self, number: int, low: int, high: int, looks: list[BoundedBoxes], row: int, most: int
    ) -> list[int]:
        """Where the parts of a variable's range begin, after the first."""
        order = self._left.conditions.variables[number].order
        if isinstance(order.read_as, Float):
            for border in (~order.read_as.infinity, order.read_as.infinity + 1):
                if low < border <= high:
                    return [border]  # NaN apart from numbers
        for each, look in zip(self._left.functions, looks, strict=True):
            for argument, variable in enumerate(each.arguments.variables):
                if variable == number and look.advice()[row, argument] > 0:
                    places = sorted({place_of(order, cut) for cut in look.cuts(row, argument, most)})
                    if begins := [place for place in places if low < place <= high]:
                        return begins
        return [(low + high) // 2 + 1]

    def _in_cell(self, low: Places, high: Places, looks: list[BoundedBoxes], row: int) -> Model | None:
        """A model in a box in which every function is constant, if the other conditions have one."""
        held = dict(self._left.hold(looks, row))
        steps = list(self._left.conditions.steps)
        for place, values in held.items():
            steps[place] = lambda _, __, known=values: known  # type: ignore[misc]
        if any(values.low != values.high for values in held.values()):
            self._open.append(box_of(low, high))
            return None
        conditions, discarded = replace(self._left.conditions, steps=steps), list[Box]()
        found = search_box(conditions, box_of(low, high), _IN_CELL, self._deadline, self._cancel, discarded)
        if found is None or (found and not self._accepts(found)):
            self._open.append(box_of(low, high))
            return None
        self._discarded.add(discarded, held)
        return found or None


def _middles(low: Places, high: Places) -> Places:
    middle = low + (high - low) // 2  # int64: a range has at most 2**63 places on each side of zero
    return np.where((low < 0) & (high >= 0), (low + high) // 2, middle)


def _grouped(lows: list[Places], highs: list[Places], bounds: tuple[CellBounds, ...], size: int) -> list[_Group]:
    if not lows:
        return []
    low, high = np.array(lows), np.array(highs)
    return [_Group(low[at : at + size], high[at : at + size], bounds) for at in range(0, len(low), size)][::-1]


def _never(values: list[Any], box: Box) -> int:
    return NEVER


def _equalities(conditions: BoxConditions) -> dict[int, list[int]]:
    """The places with which conditions compare variables, by the variable's number."""
    numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
    found: dict[int, list[int]] = {}
    for each in filter(None, map(compared_value, conditions.order)):
        number = numbers.get(each[0])
        if number is not None:
            place = conditions.variables[number].order.place_of(each[1])
            found.setdefault(number, []).append(place)
    for difference in conditions.differences:
        for number, place in difference.items():
            found.setdefault(number, []).append(place)
    return found

"""How much of a family lies in a box, by number or by measure: exact where each condition is about one variable, else
two bounds.

    0.0 <= x <= 1.0,  y in {2, 5},  not (x == 0.5 and y == 5)      the floats from -0.0 to 1.0, twice, and one less

A state is a bit pattern of every variable, so NaNs with different payloads are different states, as are the two zeros.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from collections.abc import Sequence
from typing import Final, NamedTuple, final

from soid.formula import operators as ops
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, EITHER, NEVER, Values
from soid.formula.measure import Ruler, Scale, ruler_for
from soid.formula.term import Term
from soid.solver.box_conditions import BoxConditions, halves

_HALVINGS: Final = 24  # of a box in which conditions relate variables to each other
_REMEMBERED: Final = 100_000  # counts of ranges of single variables


class Count(NamedTuple):
    """A number or a size between two bounds; it is exact if they are equal."""

    least: int
    most: int

    @property
    def is_exact(self) -> bool:
        return self.least == self.most

    def plus(self, other: Count) -> Count:
        return Count(self.least + other.least, self.most + other.most)

    def minus(self, other: Count) -> Count:
        return Count(self.least - other.least, self.most - other.most)

    def less(self, part: Count) -> Count:
        """The number of the others, if so many of these are in a part."""
        return Count(max(0, self.least - part.most), self.most - part.least)


NONE: Final = Count(0, 0)


@final
class Counter:
    """Counts the states of a family in boxes, or measures them with a ruler for each variable."""

    def __init__(
        self, laid_out: BoxConditions, family: Sequence[Term], variables: int, rulers: Sequence[Ruler] | None = None
    ) -> None:
        """`laid_out` has the family's conditions; its first `variables` variables are the family's."""
        self._laid_out = laid_out
        counting = (Ruler(variable.order, Scale.NUMBER) for variable in laid_out.variables[:variables])
        self.rulers: tuple[Ruler, ...] = tuple(counting if rulers is None else rulers)
        self._family = family
        self._variables = variables
        self._places = {term: place for place, term in enumerate(laid_out.order)}
        self._values: list[Values] = laid_out.constants.copy()
        self._cones: dict[int, list[int]] = {}
        self._known: dict[tuple[int, int, int, tuple[int, ...]], int] = {}
        self._single: list[list[int]] = [[] for _ in range(variables)]  # for each variable, conditions on it alone
        self._excluded: list[list[list[int]]] = []  # for each excluded set of states: conditions for each variable
        self._related: list[int] = []  # conditions on several variables
        for term in family:
            self._sort_in(term)
        self._mixed = functools.reduce(operator.or_, (laid_out.masks[place] for place in self._related), 0)

    def by_measure(self, whole: Box) -> Counter:
        """The same for measures; `whole` is a box around the family."""
        rulers = tuple(self._ruler(number, whole) for number in range(self._variables))
        if rulers == self.rulers:
            return self
        return Counter(self._laid_out, self._family, self._variables, rulers)

    def _ruler(self, number: int, whole: Box) -> Ruler:
        """The ruler for the values of a variable that the conditions on it alone allow."""
        low, high = whole[number]
        count = self._between(number, whole, low, high, ())
        if count < high - low + 1:
            low, high = self._end(number, whole, 0), self._end(number, whole, -1)
        return ruler_for(self._laid_out.variables[number].order, low, high, count)

    def _end(self, number: int, whole: Box, side: int) -> int:
        """The least or the greatest value of a variable that is allowed: in halves that were counted before."""
        low, high = whole[number]
        while low < high:
            middle = (low + high) // 2
            parts = ((low, middle), (middle + 1, high))
            near, far = parts[side], parts[~side]
            low, high = near if self._between(number, whole, *near, ()) else far
        return low

    def _sort_in(self, term: Term) -> None:
        place = self._places[term]
        number = self._alone(place)
        if number is not None:
            self._single[number].append(place)
            return
        parts = [self._alone(self._places[arg]) for arg in term.args] if term.op is ops.OR else [None]
        if None in parts or len(set(parts)) < len(parts):
            self._related.append(place)
            return
        left_out: list[list[int]] = [[] for _ in range(self._variables)]
        for number, arg in zip(parts, term.args, strict=True):
            assert number is not None
            left_out[number].append(~self._places[arg])  # a disjunction excludes the states where no disjunct holds
        self._excluded.append(left_out)

    def _alone(self, place: int) -> int | None:
        """The family's variable that a condition depends on, if it depends on nothing else."""
        mask = self._laid_out.masks[place]
        number = mask.bit_length() - 1
        return number if mask and mask == 1 << number and number < self._variables else None

    def count(self, box: Box) -> Count:
        """How much of the family is in a box, which is halved a few times where conditions relate variables."""
        counted, serial = NONE, itertools.count()
        waiting: list[tuple[int, int, Box, Count]] = []
        pieces = [box]
        for _ in range(_HALVINGS):
            for piece in pieces:
                states = self._count(piece)
                if states.is_exact:
                    counted = counted.plus(states)
                else:
                    heapq.heappush(waiting, (-states.most, next(serial), piece, states))
            if not waiting:
                return counted
            _, _, piece, states = heapq.heappop(waiting)
            pieces = self._halves(piece)
            if not pieces:
                counted = counted.plus(states)
        for *_, states in waiting:
            counted = counted.plus(states)
        return functools.reduce(Count.plus, map(self._count, pieces), counted)

    def is_empty(self, box: Box) -> bool:
        """Whether nothing of the family is in a box, as far as one evaluation shows."""
        return self._count(box).most == 0

    def _halves(self, box: Box) -> list[Box]:
        """The halves along the widest variable that conditions relate to others; none if it has one value."""
        related = [number for number in range(self._variables) if self._mixed >> number & 1]
        which = max(related, key=lambda number: box[number][1] - box[number][0], default=None)
        return [] if which is None or box[which][0] == box[which][1] else list(halves(box, which))

    def _count(self, box: Box) -> Count:
        truths = [self._truth(place, box) for place in self._related]
        if NEVER in truths:
            return NONE
        allowed = math.prod(self._between(number, box, *box[number], ()) for number in range(self._variables))
        left_out = [
            math.prod(self._between(number, box, *box[number], tuple(more)) for number, more in enumerate(each))
            for each in self._excluded
        ]
        most = allowed - max(left_out, default=0)
        return Count(0 if EITHER in truths else max(0, allowed - sum(left_out)), most)

    def _between(self, number: int, box: Box, low: int, high: int, more: tuple[int, ...]) -> int:
        """The size of a variable's values from `low` to `high` that satisfy the conditions on it alone, and `more`."""
        key = (number, low, high, more)
        known = self._known.get(key)
        if known is not None:
            return known
        part = (*box[:number], (low, high), *box[number + 1 :])
        truths = [self._truth(place, part) for place in (*self._single[number], *more)]
        if NEVER in truths:
            found = 0
        elif all(truth == ALWAYS for truth in truths):
            found = self.rulers[number].size(low, high)
        else:
            middle = (low + high) // 2  # a single value decides every condition, so there are two values or more
            halves = ((low, middle), (middle + 1, high))
            found = sum(self._between(number, box, *half, more) for half in halves)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[key] = found
        return found

    def _truth(self, place: int, box: Box) -> int:
        """Whether a condition holds in a box, without regard to the others; `~place` is its negation."""
        if place < 0:
            truth = self._truth(~place, box)
            return truth if truth == EITHER else ALWAYS + NEVER - truth
        for each in self._cone(place):
            self._values[each] = self._laid_out.steps[each](self._values, box)
        found = self._values[place]
        assert isinstance(found, int)
        return found

    def _cone(self, place: int) -> list[int]:
        """The places of the terms that a condition is computed from, in order."""
        if place not in self._cones:
            needed, stack = {place}, [place]
            while stack:
                for arg in self._laid_out.order[stack.pop()].args:
                    below = self._places[arg]
                    if self._laid_out.masks[below] and below not in needed:
                        needed.add(below)
                        stack.append(below)
            self._cones[place] = sorted(needed)
        return self._cones[place]

"""All states of a small family, one by one: every condition is evaluated on each of them.

    x in {1..4},  y in {0, 9},  x + y < 10,  not (x == 2 and y == 0)        3 states with y = 0; none with y = 9

Interval evaluation discards boxes without a state. A box is halved until every condition holds in all of it, or until
it is one state, on which they are evaluated. The largest box is the next one: that a family is not small is seen before
many a state is listed. The states come in ascending order.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from typing import Final

from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, Values
from soid.formula.passes import flatten_and
from soid.formula.term import Term
from soid.solver.box_conditions import LOW, BoxConditions, Size, halves, lay_out

_SIZE: Final = Size(variables=64, terms=4_000)
_BOXES: Final = 1_000  # that are evaluated at most, and so many more for each state that may be listed:
_BOXES_PER_STATE: Final = 4

#: as many states are worth looking at one by one
FEW: Final = 10_000

State = dict[Term, bool | int]
_Path = tuple[int, ...]  # to a box: at each halving, whether it is in the upper half
_Waiting = tuple[
    int, _Path, Box, list[Values], int
]  # its states, negated; its values, but for those of changed variables


def all_states(conditions: Sequence[Term], symbols: Sequence[Term], most: int) -> list[State] | None:
    """The states of the symbols that satisfy the conditions; None if they are, or may be, more than `most`."""
    laid_out = lay_out(flatten_and(conditions), _SIZE, symbols=symbols)
    if laid_out is None or len(laid_out.variables) > len(symbols):
        return None
    start = laid_out.start()
    found: list[tuple[_Path, list[State]]] = []
    counted, values, everything = 0, laid_out.constants.copy(), (1 << len(symbols)) - 1
    waiting: list[_Waiting] = [] if start is None else [(-_states(start), (), start, values, everything)]
    for _ in range(_BOXES + _BOXES_PER_STATE * most):
        if not waiting:
            return [state for _, listed in sorted(found, key=lambda each: each[0]) for state in listed]
        size, path, box, values, changed = heapq.heappop(waiting)
        if not laid_out.evaluate(box, values, changed):
            continue
        inside = all(values[root] == ALWAYS for root in laid_out.roots)
        which = max(range(len(box)), key=lambda number: box[number][1] - box[number][0])
        if inside and counted - size > most:
            return None
        if inside or box[which][0] == box[which][1]:
            found.append((path, _listed(laid_out, box)))
            counted += len(found[-1][1])
        else:
            for side, half in zip((1, 0), halves(box, which), strict=True):
                heapq.heappush(waiting, (-_states(half), (*path, side), half, values.copy(), 1 << which))
        if counted > most:
            return None
    return None


def _states(box: Box) -> int:
    return math.prod(high - low + 1 for low, high in box)


def _listed(laid_out: BoxConditions, box: Box) -> list[State]:
    """The states of a box, without those that a condition excludes."""
    places = itertools.product(*(range(low, high + 1) for low, high in box))
    states = (laid_out.model_at(tuple((place, place) for place in each), LOW) for each in places)
    return [state for state in states if state is not None]

"""All states of a small family, one by one: every condition is evaluated on each of them.

    x in {1..4},  y in {0, 9},  x + y < 10,  not (x == 2 and y == 0)        3 states with y = 0; none with y = 9

Interval evaluation discards boxes without a state. A box is halved until every condition holds in all of it, or until
it is one state, on which they are evaluated. The states come in ascending order.
"""

from __future__ import annotations

import itertools
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


def all_states(conditions: Sequence[Term], symbols: Sequence[Term], most: int) -> list[State] | None:
    """The states of the symbols that satisfy the conditions; None if they are, or may be, more than `most`."""
    laid_out = lay_out(flatten_and(conditions), _SIZE, symbols=symbols)
    if laid_out is None or len(laid_out.variables) > len(symbols):
        return None
    start = laid_out.start()
    found: list[State] = []
    values, everything = laid_out.constants.copy(), (1 << len(symbols)) - 1
    waiting: list[tuple[Box, list[Values], int]] = [] if start is None else [(start, values, everything)]
    for _ in range(_BOXES + _BOXES_PER_STATE * most):
        if not waiting:
            return found
        box, values, changed = waiting.pop()
        if not laid_out.evaluate(box, values, changed):
            continue
        inside = all(values[root] == ALWAYS for root in laid_out.roots)
        which = max(range(len(box)), key=lambda number: box[number][1] - box[number][0])
        if inside and len(found) + _states(box, most) > most:
            return None
        if inside or box[which][0] == box[which][1]:
            found += _listed(laid_out, box)
        else:
            waiting += [(half, values.copy(), 1 << which) for half in halves(box, which)]
        if len(found) > most:
            return None
    return None


def _states(box: Box, most: int) -> int:
    """The number of states in a box, counted no further than `most` requires."""
    counted = 1
    for low, high in box:
        counted *= high - low + 1
        if counted > most:
            break
    return counted


def _listed(laid_out: BoxConditions, box: Box) -> list[State]:
    """The states of a box, without those that a condition excludes."""
    places = itertools.product(*(range(low, high + 1) for low, high in box))
    states = (laid_out.model_at(tuple((place, place) for place in each), LOW) for each in places)
    return [state for state in states if state is not None]

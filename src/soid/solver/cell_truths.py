"""Conditions on several functions' results, for many boxes at once: comparisons with constants, and logic over them.

    lead over B >= 0.0 and lead over C > 0.0 or ...        for each box: never true, always true, or either
    (if lead over B > 0.0 then 0 else 1) = 1

A truth is a number as in interval evaluation (`formula/intervals.py`): its bits say whether the condition may be false,
and whether it may be true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.intervals import ALWAYS, EITHER, NEVER
from soid.formula.sorts import Bool, Float
from soid.formula.term import Term, postorder

Truths = NDArray[np.int8]
Ends = tuple[Any, Any]  # places of the least and the greatest result in each box

_COMPARISONS: Final = (ops.FP_LT, ops.FP_LEQ)
_LOGIC: Final = (ops.NOT, ops.AND, ops.OR)


def is_plain(condition: Term, functions: Mapping[Term, int]) -> bool:
    """Whether a condition consists of comparisons of functions' results with constants, and of logic."""
    return all(_is_known(term, functions) for term in postorder([condition]))


def _is_known(term: Term, functions: Mapping[Term, int]) -> bool:
    if term in functions or term.is_const or term.op in _LOGIC:
        return True
    if term.op is ops.ITE:
        return not isinstance(term.sort, Float)
    if term.op is ops.EQ:
        return term.args[1].is_const and term.args[0].op is ops.ITE and not isinstance(term.args[0].sort, Bool)
    return term.op in _COMPARISONS and all(arg.is_const or arg in functions for arg in term.args)


def truths(conditions: Sequence[Term], functions: Mapping[Term, int], ends: Sequence[Ends]) -> list[Truths]:
    """The truths of plain conditions in boxes; `functions` has the places of results' ends in `ends`."""
    count = len(ends[0][0])
    known: dict[Term, Truths] = {}
    for term in postorder(conditions):
        if isinstance(term.sort, Bool):
            if term.is_const:
                known[term] = np.full(count, ALWAYS if term.value else NEVER, np.int8)
            elif term.op is ops.EQ:
                known[term] = chosen_constant(term.args[0], term.args[1], known, count)
            elif term.op in _COMPARISONS:
                one, other = (_ends_of(arg, functions, ends) for arg in term.args)
                known[term] = _compared(term, one, other)
            else:
                known[term] = combined(term, [known[arg] for arg in term.args])
    return [known[each] for each in conditions]


def chosen_constant(choice: Term, wanted: Term, known: Mapping[Term, Truths], count: int) -> Truths:
    """Whether a choice between constants, by conditions, is one of them."""
    if choice.is_const:
        return np.full(count, ALWAYS if choice is wanted else NEVER, np.int8)
    condition = known[choice.args[0]]
    first, second = (chosen_constant(each, wanted, known, count) for each in choice.args[1:])
    return (np.where(condition & ALWAYS, first, 0) | np.where(condition & NEVER, second, 0)).astype(np.int8)


def _ends_of(term: Term, functions: Mapping[Term, int], ends: Sequence[Ends]) -> Ends:
    if term in functions:
        low, high = ends[functions[term]]
        return np.where(low == -1, 0, low), np.where(high == -1, 0, high)  # comparisons do not distinguish the zeros
    assert isinstance(term.sort, Float)
    place = sf.ordinal(term.sort, term.value)
    return (0, 0) if place == -1 else (place, place)


def _compared(term: Term, one: Ends, other: Ends) -> Truths:
    if any(arg.is_const and isinstance(arg.sort, Float) and sf.is_nan(arg.sort, arg.value) for arg in term.args):
        return np.full(np.broadcast(one[0], other[0]).shape, NEVER, np.int8)
    if term.op is ops.FP_LT:
        always, never = one[1] < other[0], one[0] >= other[1]
    else:
        always, never = one[1] <= other[0], one[0] > other[1]
    return np.where(always, ALWAYS, np.where(never, NEVER, EITHER)).astype(np.int8)


def combined(term: Term, given: Sequence[Truths]) -> Truths:
    if term.op is ops.ITE:
        condition, first, second = given
        return (np.where(condition & ALWAYS, first, 0) | np.where(condition & NEVER, second, 0)).astype(np.int8)
    if term.op is ops.NOT:
        (one,) = given
        return ((one & NEVER) << 1 | (one & ALWAYS) >> 1).astype(np.int8)
    every, some = reduce(np.bitwise_and, given), reduce(np.bitwise_or, given)
    # a conjunction may be true if all may be, and false if one may be; a disjunction the other way round
    true, false = (every, some) if term.op is ops.AND else (some, every)
    return ((true & ALWAYS) | (false & NEVER)).astype(np.int8)

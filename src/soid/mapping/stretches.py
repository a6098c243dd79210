"""What a term of one variable is along the variable's axis, place by place and exactly.

A part of the axis is halved until the term has one value on each half, down to single places where need be. So a
threshold is found between the two neighbouring values that it separates; nothing is sampled.

    x < 0.585  for x in 0.0 to 4.095          true from 0.0 to 0.58499998, false from 0.585 to 4.095
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from soid.formula import intervals
from soid.formula.intervals import Values
from soid.formula.passes import evaluate
from soid.formula.term import Term
from soid.mapping.axes import Axis
from soid.mapping.box_evaluation import Evaluation, Stretches, single

#: parts that are looked at before the rest of the axis is left open
EFFORT: Final = 4_000


def stretches(
    term: Term, number: int, axes: Sequence[Axis], *, effort: int = EFFORT, stopped: Callable[[], bool] = lambda: False
) -> Stretches:
    """A term of one variable, along the axis with this number."""
    axis = axes[number]
    everywhere = [(each.low, each.high) for each in axes]
    evaluation = Evaluation([term], axes, {})
    ends: list[int] = []
    values: list[Values] = []
    parts = [(axis.low, axis.high)]
    while parts:
        low, high = parts.pop()
        effort -= 1
        found = _over(term, evaluation, everywhere, number, low, high, axis)
        if single(found, term.sort) is None and low < high and effort > 0 and not stopped():
            middle = (low + high) // 2
            parts += [(middle + 1, high), (low, middle)]
        elif values and values[-1] == found and single(found, term.sort) is not None:
            ends[-1] = high
        else:
            ends.append(high)
            values.append(found)
    return Stretches(term, number, tuple(ends), tuple(values))


def _over(
    term: Term,
    evaluation: Evaluation,
    everywhere: Sequence[tuple[int, int]],
    number: int,
    low: int,
    high: int,
    axis: Axis,
) -> Values:
    if low == high:  # of one place everything is known, whatever intervals follow closely
        return intervals.exactly(term.sort, int(evaluate(term, {axis.variable.symbol: axis.bits(low)})))
    box = tuple((low, high) if each == number else part for each, part in enumerate(everywhere))
    return evaluation.over(box)(term)

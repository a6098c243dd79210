"""Interval evaluation of terms over boxes of a map, and exact evaluation along one axis (`stretches`).

A term of one variable is evaluated along the variable's axis once: a part of the axis is halved until the term has one
value on each part, down to single places. So a threshold is found between two neighbouring values; nothing is sampled.

    x < 0.585  for x in 0.0 to 4.095          true from 0.0 to 0.58499998, false from 0.585 to 4.095
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula import intervals
from soid.formula.interval_program import Box, IntervalProgram, Step
from soid.formula.intervals import EITHER, Values
from soid.formula.passes import evaluate
from soid.formula.term import Term, postorder
from soid.mapping.axes import Axis
from soid.mapping.axis_functions import FunctionSteps

#: parts of an axis that are evaluated before the rest keeps intervals
_EFFORT: Final = 4_000


@final
class Stretches(Struct, frozen=True):
    """A term along an axis: stretches that follow each other without a gap."""

    term: Term
    axis: int  # its number
    ends: tuple[int, ...]  # the last place of each
    values: tuple[Values, ...]  # of the term there: one value, unless the effort or the time did not suffice

    def over(self, low: int, high: int) -> Values:
        """The term's values between two places."""
        first, last = bisect_left(self.ends, low), bisect_left(self.ends, high)
        found = self.values[first]
        for value in self.values[first + 1 : last + 1]:
            found = intervals.join(self.term.sort, found, value)
            if found == EITHER:
                break
        return found

    def step(self, _: Sequence[Values], box: Box) -> Values:
        """The term's values in a box."""
        return self.over(*box[self.axis])

    def cuts(self, low: int, high: int) -> Sequence[int]:
        """The places from `low` on, before `high`, after each of which the value changes."""
        return self.ends[bisect_left(self.ends, low) : bisect_left(self.ends, high)]


@final
class Evaluation:
    """Terms laid out for interval evaluation; for terms with `Stretches` these are used."""

    def __init__(
        self,
        roots: Sequence[Term],
        axes: Sequence[Axis],
        known: Mapping[Term, Stretches],
        functions: FunctionSteps | None = None,
    ) -> None:
        variables = {axis.variable.symbol: axis.variable.order for axis in axes}
        below = functions.below if functions is not None else lambda term: term.args
        order = postorder(roots, lambda term: () if term in known else below(term))
        steps: dict[Term, Step] = {term: each.step for term, each in known.items()}
        if functions is not None:
            steps |= functions.steps({term: place for place, term in enumerate(order)})
        self._program = IntervalProgram(order, variables, steps)
        self.known = [known[term] for term in order if term in known]

    def has(self, term: Term) -> bool:
        return term in self._program.places

    def over(self, box: Box) -> Callable[[Term], Values]:
        """A function that gives a term's values in a box."""
        values, places = self._program.run(box), self._program.places
        return lambda term: values[places[term]]


def stretches(term: Term, number: int, axes: Sequence[Axis], stopped: Callable[[], bool] = lambda: False) -> Stretches:
    """A term of one variable, along the axis with this number."""
    axis, effort = axes[number], _EFFORT
    everywhere = [(each.low, each.high) for each in axes]
    evaluation = Evaluation([term], axes, {})
    ends: list[int] = []
    values: list[Values] = []
    parts = [(axis.low, axis.high)]
    while parts:
        low, high = parts.pop()
        effort -= 1
        if low == high:  # a single place has an exact value
            found = intervals.exactly(term.sort, int(evaluate(term, {axis.variable.symbol: axis.bits(low)})))
        else:
            found = evaluation.over((*everywhere[:number], (low, high), *everywhere[number + 1 :]))(term)
        if intervals.single(term.sort, found) is None and low < high and effort > 0 and not stopped():
            middle = (low + high) // 2
            parts += [(middle + 1, high), (low, middle)]
        elif values and values[-1] == found and intervals.single(term.sort, found) is not None:
            ends[-1] = high
        else:
            ends.append(high)
            values.append(found)
    return Stretches(term, number, tuple(ends), tuple(values))

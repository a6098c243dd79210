"""Terms over a box of the map: what each can be while the axes' variables lie between places (`formula.intervals`).

What is known of a term along one axis (`Stretches`) is looked up instead of computed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from msgspec import Struct

from soid.formula import intervals
from soid.formula import softfloat as sf
from soid.formula.interval_program import Box, IntervalProgram
from soid.formula.intervals import ALWAYS, EITHER, Bits, Floats, Values
from soid.formula.term import Term, postorder
from soid.mapping.axes import Axis


@final
class Stretches(Struct, frozen=True):
    """A term along an axis: stretches that follow each other without a gap."""

    term: Term
    axis: int  # its number
    ends: tuple[int, ...]  # the last place of each
    values: tuple[Values, ...]  # what the term can be there: one value, unless nobody could tell

    def over(self, low: int, high: int) -> Values:
        """What the term can be from one place to another."""
        first, last = bisect_left(self.ends, low), bisect_left(self.ends, high)
        found = self.values[first]
        for value in self.values[first + 1 : last + 1]:
            found = intervals.join(self.term.sort, found, value)
            if found == EITHER:
                break
        return found

    def step(self, _: Sequence[Values], box: Box) -> Values:
        """What the term can be in a box."""
        return self.over(*box[self.axis])

    def cuts(self, low: int, high: int) -> Sequence[int]:
        """The places from `low` on, before `high`, after each of which it becomes something else."""
        return self.ends[bisect_left(self.ends, low) : bisect_left(self.ends, high)]


@final
class Evaluation:
    """Some terms, laid out with all that they are computed from."""

    def __init__(self, roots: Sequence[Term], axes: Sequence[Axis], known: Mapping[Term, Stretches]) -> None:
        variables = {axis.variable.symbol: axis.variable.order for axis in axes}
        order = postorder(roots, lambda term: () if term in known else term.args)
        self._program = IntervalProgram(order, variables, {term: each.step for term, each in known.items()})
        self.size = len(order)
        self.known = [known[term] for term in order if term in known]

    def has(self, term: Term) -> bool:
        return term in self._program.places

    def over(self, box: Box) -> Callable[[Term], Values]:
        """What a term can be in a box."""
        values, places = self._program.run(box), self._program.places
        return lambda term: values[places[term]]


def single(values: Values, sort: Any) -> int | None:
    """The one value that this is, as terms hold it; None if there may be several."""
    if isinstance(values, Bits):
        return values.low if values.size == 0 else None
    if isinstance(values, Floats):
        if values.low > values.high:
            return int(sort.nan)
        return sf.from_ordinal(sort, values.low) if values.low == values.high and not values.nan else None
    return None if values == EITHER else int(values == ALWAYS)

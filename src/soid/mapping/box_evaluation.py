"""Terms over a box of the map: what each can be while the axes' variables lie between places (`formula.intervals`).

What is known of a term along one axis (`Stretches`) is looked up instead of computed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from msgspec import Struct

from soid.formula import intervals
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.intervals import ALWAYS, EITHER, Bits, Floats, Values
from soid.formula.term import Term, postorder
from soid.mapping.axes import Axis
from soid.program.types import BoolType, FloatType

Box = tuple[tuple[int, int], ...]  # for each axis the first and the last place


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

    def cuts(self, low: int, high: int) -> Sequence[int]:
        """The places from `low` on, before `high`, after each of which it becomes something else."""
        return self.ends[bisect_left(self.ends, low) : bisect_left(self.ends, high)]


Step = Callable[[list[Values], Box], Values]


@final
class Evaluation:
    """Some terms, laid out with all that they are computed from, arguments first."""

    def __init__(self, roots: Sequence[Term], axes: Sequence[Axis], known: Mapping[Term, Stretches]) -> None:
        self._axes = {axis.variable.symbol: number for number, axis in enumerate(axes)}
        self._known = known
        order = self._order(roots)
        self._places = {term: place for place, term in enumerate(order)}
        self._steps = [self._step(term, axes) for term in order]
        self.size = len(order)
        self.known = [known[term] for term in order if term in known]

    def has(self, term: Term) -> bool:
        return term in self._places

    def over(self, box: Box) -> Callable[[Term], Values]:
        """What a term can be in a box."""
        values: list[Values] = []
        for step in self._steps:
            values.append(step(values, box))
        return lambda term: values[self._places[term]]

    def _order(self, roots: Sequence[Term]) -> list[Term]:
        """Below what is known nothing need be computed."""
        wanted: set[Term] = set()
        stack = list(roots)
        while stack:
            term = stack.pop()
            if term not in wanted:
                wanted.add(term)
                if term not in self._known:
                    stack.extend(term.args)
        return [term for term in postorder(roots) if term in wanted]

    def _step(self, term: Term, axes: Sequence[Axis]) -> Step:
        known = self._known.get(term)
        if known is not None:
            number, over = known.axis, known.over
            return lambda _, box: over(*box[number])
        if term.is_var:
            number = self._axes.get(term, -1)
            if number < 0:  # what no axis gives: the result of an approximated function
                anything = intervals.everything(term.sort)
                return lambda *_: anything
            axis = axes[number]
            return lambda _, box: bits_between(axis, *box[number])
        if term.op is ops.FP_FROM_BITS and term.args[0] in self._axes:
            number = self._axes[term.args[0]]
            kind = axes[number].variable.type
            if isinstance(kind, FloatType) and kind.format == term.sort:
                form = kind.format
                return lambda _, box: intervals.by_place(form, *(place - form.sign_bit for place in box[number]))
        args = [self._places[arg] for arg in term.args]
        follows = intervals.following(term)
        return lambda values, _: follows([values[arg] for arg in args])


def bits_between(axis: Axis, low: int, high: int) -> Values:
    """The variable's symbol from one place to another."""
    kind = axis.variable.type
    if isinstance(kind, BoolType):
        return (low == 0) | (high == 1) << 1
    if not isinstance(kind, FloatType):
        return Bits(axis.bits(low), high - low)
    sign = kind.format.sign_bit
    if low < sign <= high:
        return Bits(0, 2 * sign - 1)  # across zero the bits are no span
    return Bits(min(axis.bits(low), axis.bits(high)), high - low)


def single(values: Values, sort: Any) -> int | None:
    """The one value that this is, as terms hold it; None if there may be several."""
    if isinstance(values, Bits):
        return values.low if values.size == 0 else None
    if isinstance(values, Floats):
        if values.low > values.high:
            return int(sort.nan)
        return sf.from_ordinal(sort, values.low) if values.low == values.high and not values.nan else None
    return None if values == EITHER else int(values == ALWAYS)

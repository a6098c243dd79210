"""Terms laid out as a straight-line program that evaluates intervals for one box after another.

A box gives each variable a first and a last place in its order (`ValueOrder`). Arguments come before the terms that
use them.

>>> from soid.formula.build import bvadd, const, var
>>> from soid.formula.term import postorder
>>> x = var("x", BitVec(8))
>>> program = IntervalProgram(postorder([bvadd(x, const(BitVec(8), 1))]), {x: ValueOrder(BitVec(8))})
>>> program.run(((3, 5),))[-1]
Bits(low=4, size=2)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import final

from soid.formula import intervals
from soid.formula import operators as ops
from soid.formula.intervals import EITHER, NEVER, Bits, Values
from soid.formula.reach import one_of
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

Box = tuple[tuple[int, int], ...]  # for each variable the first and the last place in its order

Step = Callable[[list[Values], Box], Values]  # the interval of a term, from those of the terms before it and the box


@final
class IntervalProgram:
    """Steps that compute the interval of each term in a box."""

    def __init__(
        self, order: Sequence[Term], variables: Mapping[Term, ValueOrder], known: Mapping[Term, Step] | None = None
    ) -> None:
        """`variables` has the order of the box's ranges; a variable that is not among them can have any value.

        `known` gives the steps of some terms; their arguments need not be in `order`.
        """
        self.order = order
        self.places = {term: place for place, term in enumerate(order)}
        self._variables = variables
        self._numbers = {symbol: number for number, symbol in enumerate(variables)}
        self._known = known or {}
        self.steps = [self._known.get(term) or self._step(term) for term in order]

    def run(self, box: Box) -> list[Values]:
        """The interval of each term in a box."""
        values: list[Values] = []
        for step in self.steps:
            values.append(step(values, box))
        return values

    def _step(self, term: Term) -> Step:
        number = self._numbers.get(term)
        if number is not None:
            read, which = self._variables[term].values, number
            return lambda _, box: read(*box[which])
        if term.is_var or term.is_const:
            known = intervals.everything(term.sort) if term.is_var else intervals.exactly(term.sort, term.value)
            return lambda *_: known
        return self._reading(term) or self._membership(term) or self._following(term)

    def _reading(self, term: Term) -> Step | None:
        """For a variable that is ordered as a float and read as one: the interval straight from the box's places."""
        number = self._numbers.get(term.args[0]) if term.op is ops.FP_FROM_BITS else None
        if number is None or not isinstance(self._variables[term.args[0]].read_as, Float):
            return None
        form, which = term.sort, number
        assert isinstance(form, Float)
        return lambda _, box: intervals.by_place(form, *box[which])

    def _membership(self, term: Term) -> Step | None:
        """For a condition that says: a bit-vector is one of some constants."""
        chosen = one_of(term) if term.op is ops.EQ or term.op is ops.OR else None
        if chosen is None or any(arg in self._known for arg in term.args):
            return None
        if chosen[0] in self._numbers:
            return self._membership_of_variable(*chosen)
        place, constants, sort = self.places[chosen[0]], chosen[1], chosen[0].sort
        assert isinstance(sort, BitVec)

        def step(values: list[Values], _: Box) -> Values:
            span = values[place]
            assert isinstance(span, Bits)
            inside = sum(1 for each in constants if intervals.contains(sort, span, each))
            return NEVER if not inside else intervals.ALWAYS if inside == span.size + 1 else EITHER

        return step

    def _membership_of_variable(self, variable: Term, constants: Collection[int]) -> Step:
        """By places, not bits: the bits of floats from -0.0 on, as a range, are all bits."""
        which, order = self._numbers[variable], self._variables[variable]
        places = [order.place_of(each) for each in constants]

        def step(_: list[Values], box: Box) -> Values:
            low, high = box[which]
            inside = sum(1 for each in places if low <= each <= high)
            return NEVER if not inside else intervals.ALWAYS if inside == high - low + 1 else EITHER

        return step

    def _following(self, term: Term) -> Step:
        follows = intervals.following(term)
        args = [self.places[arg] for arg in term.args]
        return lambda values, _: follows([values[arg] for arg in args])

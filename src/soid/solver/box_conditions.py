"""Conditions laid out for evaluation box by box: between which places of its order each variable lies.

    1.0 <= x <= 1.5,  x * x > 2.0       x: the floats from 1.0 to 1.5;  x * x, and whether it is above 2.0, follow

What the conditions say of single terms narrows those terms in every box, so that what only holds outside of it is not
looked at: a box in which some condition holds nowhere has no state that satisfies all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula import intervals, reach
from soid.formula import operators as ops
from soid.formula.interval_program import Box, IntervalProgram, Step
from soid.formula.intervals import EITHER, NEVER, Bits, Floats, Values
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

_FEW: Final = 4  # values: a variable with no more than these is told apart value by value, before others are halved

LOW, HIGH, MIDDLE = 0, 1, 2  # points of a box


@final
class BoxVariable(Struct, frozen=True):
    """A variable and the order in which its values are halved."""

    term: Term
    order: ValueOrder


@final
class BoxConditions(Struct, frozen=True):
    """Conditions, laid out for evaluation box by box: arguments before what uses them."""

    order: list[Term]
    steps: list[Step]  # how each follows from those before it
    constants: list[Values]  # what does not depend on any variable, and nothing known of the rest
    roots: dict[int, None]  # the places of the conditions, in order
    variables: list[BoxVariable]
    symbols: list[int]  # the place of each variable
    readings: dict[int, int]  # by variable: the place of the float that its bits are read as
    masks: list[int]  # which variables each depends on
    truths: dict[int, tuple[int, ...]]  # of a truth: the truths that it is made of
    never: bool  # a condition holds nowhere at all
    asserted: dict[int, Values]  # what the conditions say of a term: no state that satisfies them lies outside

    def outside(self) -> Iterator[Box]:
        """What lies around the box that the search begins with."""
        everywhere = tuple(variable.order.places for variable in self.variables)
        start = self.start()
        if start is None:
            yield everywhere
            return
        for number, ((first, last), (low, high)) in enumerate(zip(everywhere, start, strict=True)):
            for part in ((first, low - 1), (high + 1, last)):
                if part[0] <= part[1]:
                    yield (*start[:number], part, *everywhere[number + 1 :])

    def start(self) -> Box | None:
        """The box that the conditions on single variables leave."""
        box = []
        for number, variable in enumerate(self.variables):
            low, high = variable.order.places
            told = self.asserted.get(self.readings.get(number, -1))
            if isinstance(told, Floats) and not told.nan:
                low, high = max(low, told.low), min(high, told.high)
            told = self.asserted.get(self.symbols[number])
            if isinstance(told, Bits):
                first, last = variable.order.enclosing(told)
                low, high = max(low, first), min(high, last)
            elif isinstance(told, int) and told != EITHER:
                low = high = told - 1
            if low > high:
                return None
            box.append((low, high))
        return tuple(box)

    def evaluate(self, box: Box, values: list[Values], changed: int) -> bool:
        """Work out what each term can be; False if some condition holds nowhere in the box."""
        if self.never:
            return False
        for place, mask in enumerate(self.masks):
            if not mask & changed:
                continue
            found = self.steps[place](values, box)
            told = self.asserted.get(place)
            if told is not None:
                both = intervals.meet(self.order[place].sort, found, told)
                if both is None:
                    return False
                found = both
            if found == NEVER and place in self.roots:
                return False
            values[place] = found
        return True

    def model_at(self, box: Box, point: int) -> dict[Term, bool | int] | None:
        """The state at the low end, the high end or the middle of a box, if it satisfies the question."""
        places = [(low, high, (low + high) // 2)[point] for low, high in box]
        model = {v.term: v.order.value_at(place) for v, place in zip(self.variables, places, strict=True)}
        known: dict[Term, bool | int] = {}
        for term in self.order:
            op, args = term.op, term.args
            if args:
                known[term] = op.fold(tuple([a.sort for a in args]), term.params, tuple([known[a] for a in args]))
            else:
                known[term] = term.params[0] if op is ops.CONST else model[term]
        return model if all(known[self.order[root]] for root in self.roots) else None

    def widest(self, box: Box, values: list[Values]) -> int | None:
        """The variable to halve: one that the open comparisons depend on, few values first, else the most."""
        open_mask = self._open(values)
        sizes = [high - low for low, high in box]
        wide = [number for number, size in enumerate(sizes) if size]
        wide = [number for number in wide if open_mask >> number & 1] or wide
        if not wide:
            return None
        few = [number for number in wide if sizes[number] < _FEW]
        return few[0] if few else max(wide, key=lambda number: sizes[number].bit_length())

    def _open(self, values: list[Values]) -> int:
        """The variables of the comparisons that keep conditions open; what is decided within them has no say."""
        mask = 0
        stack = [root for root in self.roots if values[root] == EITHER]
        seen = set(stack)
        while stack:
            place = stack.pop()
            below = [arg for arg in self.truths[place] if values[arg] == EITHER]
            if not below:
                mask |= self.masks[place]
            stack += [arg for arg in below if arg not in seen]
            seen.update(below)
        return mask


def halves(box: Box, which: int) -> Iterator[Box]:
    low, high = box[which]
    middle = (low + high) // 2
    for part in ((middle + 1, high), (low, middle)):
        yield (*box[:which], part, *box[which + 1 :])


# --- laying a question out --------------------------------------------------------------------------------------


@final
class Size(Struct, frozen=True):
    """How much a question may speak of to be laid out."""

    variables: int
    terms: int


def lay_out(
    given: Sequence[Term], most: Size, *, goals: Sequence[Term] = (), symbols: Sequence[Term] = ()
) -> BoxConditions | None:
    """The question laid out; None if it is too large, or of another kind.

    The box that it begins with is what the given conditions leave of everything; goals, which must hold as well, are
    looked at in boxes only. Its variables are these symbols, in their order, and then any others.
    """
    roots = [*given, *goals]
    order = _bounded_order([*symbols, *roots], most.terms)
    if order is None:
        return None
    symbols = [term for term in order if term.is_var]
    if not symbols or len(symbols) > most.variables or any(isinstance(term.sort, Float) for term in symbols):
        return None
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    readings = {term.args[0]: term for term in order if term.op is ops.FP_FROM_BITS and term.args[0] in numbers}
    signed = {arg for term in order if term.op in _SIGNED for arg in term.args if arg in numbers}
    variables = [BoxVariable(symbol, _order(symbol, readings.get(symbol), symbol in signed)) for symbol in symbols]
    program = IntervalProgram(order, {variable.term: variable.order for variable in variables})
    places = program.places
    masks: list[int] = []
    for term in order:
        mask = 1 << numbers[term] if term in numbers else 0
        for arg in term.args:
            mask |= masks[places[arg]]
        masks.append(mask)
    constants: list[Values] = []
    for step, mask in zip(program.steps, masks, strict=True):
        constants.append(EITHER if mask else step(constants, ()))
    return BoxConditions(
        order,
        program.steps,
        constants,
        {places[root]: None for root in roots},
        variables,
        [places[symbol] for symbol in symbols],
        {numbers[symbol]: places[reading] for symbol, reading in readings.items()},
        masks,
        {
            place: tuple(places[arg] for arg in term.args if isinstance(arg.sort, Bool))
            for place, term in enumerate(order)
            if isinstance(term.sort, Bool)
        },
        any(not masks[places[root]] and constants[places[root]] == NEVER for root in roots),
        {places[term]: values for term, values in reach.told(given).items()},
    )


#: operators whose arguments are numbers with a sign
_SIGNED: Final = (ops.BVSLT, ops.BVSLE, ops.SIGN_EXTEND, ops.SBV_TO_FP)


def _order(symbol: Term, reading: Term | None, signed: bool) -> ValueOrder:
    sort = symbol.sort if reading is None else reading.sort
    return ValueOrder(sort, signed and isinstance(sort, BitVec))


def _bounded_order(roots: Sequence[Term], most: int) -> list[Term] | None:
    """Every term below the roots once, arguments first; None if they are many."""
    seen: set[Term] = set()
    order: list[Term] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        term, expanded = stack.pop()
        if expanded:
            order.append(term)
        elif term not in seen:
            seen.add(term)
            if len(seen) > most:
                return None
            stack.append((term, True))
            stack.extend((arg, False) for arg in reversed(term.args) if arg not in seen)
    return order

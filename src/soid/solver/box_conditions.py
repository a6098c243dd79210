"""Conditions laid out for interval evaluation over boxes. A box gives each variable a range of places in its order.

    1.0 <= x <= 1.5,  x * x > 2.0       x: the floats from 1.0 to 1.5;  x * x, and whether it is above 2.0, follow

If a condition is false everywhere in a box, no state of the box satisfies all conditions. A condition that compares a
term with constants also narrows that term in every box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula import intervals, reach
from soid.formula import operators as ops
from soid.formula.cell_function import CellFunction, Rise
from soid.formula.interval_program import Box, IntervalProgram, Step
from soid.formula.intervals import EITHER, NEVER, Bits, Floats, Values
from soid.formula.passes import evaluate_all, evaluate_ordered
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term
from soid.formula.value_order import ValueOrder

_FEW: Final = 4  # values: a variable with so few is split into single values before others are halved

LOW, HIGH, MIDDLE = 0, 1, 2  # points of a box


@final
class BoxVariable(Struct, frozen=True):
    """A variable, and the order of its values."""

    term: Term
    order: ValueOrder


@final
class BoxFunction(Struct, frozen=True):
    """A function that no operator computes: a symbol stands for its result."""

    symbol: Term
    arguments: tuple[Term, ...]  # over variables and the symbols of earlier functions
    over: Callable[[tuple[Values, ...]], Values]  # from intervals of the arguments to one of the result
    value: Callable[[tuple[int, ...]], int]  # the result for given arguments
    bulk: CellFunction | None = None  # the same over many boxes at once, where it can do that
    rise: Rise | None = None  # of a function of one argument that rises: how steeply at least, and its own error


@final
class BoxConditions(Struct, frozen=True):
    """Conditions as a list of terms; a place is an index into it, except that a box has places of a ValueOrder."""

    order: list[Term]  # arguments before the terms that use them
    steps: list[Step]  # each computes a term's values from those of earlier terms
    constants: list[Values]  # values of the terms without variables; EITHER stands for the others
    roots: dict[int, None]  # the places of the conditions
    variables: list[BoxVariable]
    symbols: list[int]  # the place of each variable
    readings: dict[int, int]  # by variable: the place of the float that its bits are read as
    masks: list[int]  # for each term the variables that it depends on, as bits
    truths: dict[int, tuple[int, ...]]  # by Bool term: its Bool arguments
    never: bool  # a condition without variables is false
    asserted: dict[int, Values]  # the values that the conditions allow a term
    functions: tuple[BoxFunction, ...] = ()
    ranges: Mapping[int, tuple[int, int]] = {}  # by variable: the places that further conditions leave it
    differences: tuple[Mapping[int, int], ...] = ()  # places by variable: in each of these one is at another place

    def outside(self) -> Iterator[Box]:
        """Boxes that cover everything outside the first box."""
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
        """The first box of a search: as small as the conditions on single variables make it; None if it is empty."""
        box = []
        for number, variable in enumerate(self.variables):
            low, high = self.ranges.get(number) or variable.order.places
            allowed = self.asserted.get(self.readings.get(number, -1))
            if isinstance(allowed, Floats) and not allowed.nan:
                low, high = max(low, allowed.low), min(high, allowed.high)
            allowed = self.asserted.get(self.symbols[number])
            if isinstance(allowed, Bits):
                first, last = variable.order.enclosing(allowed)
                low, high = max(low, first), min(high, last)
            elif isinstance(allowed, int) and allowed != EITHER:
                low = high = allowed - 1
            if low > high:
                return None
            box.append((low, high))
        return tuple(box)

    def evaluate(self, box: Box, values: list[Values], changed: int) -> bool:
        """Compute the values of the terms with `changed` variables; False if a condition is false in the whole box."""
        if self.never or any(_is_at(box, places) for places in self.differences):
            return False
        for place, mask in enumerate(self.masks):
            if not mask & changed:
                continue
            found = self.steps[place](values, box)
            allowed = self.asserted.get(place)
            if allowed is not None:
                both = intervals.meet(self.order[place].sort, found, allowed)
                if both is None:
                    return False
                found = both
            if found == NEVER and place in self.roots:
                return False
            values[place] = found
        return True

    def model_at(self, box: Box, point: int) -> dict[Term, bool | int] | None:
        """The state at the low end, the high end or the middle of a box, if it satisfies the conditions."""
        places = [(low, high, (low + high) // 2)[point] for low, high in box]
        if any(all(places[number] == at for number, at in each.items()) for each in self.differences):
            return None
        model = {v.term: v.order.value_at(place) for v, place in zip(self.variables, places, strict=True)}
        for function in self.functions:
            model[function.symbol] = function.value(tuple(evaluate_all(function.arguments, model)))
        known = evaluate_ordered(self.order, model)
        return model if all(known[self.order[root]] for root in self.roots) else None

    def widest(self, box: Box, values: list[Values]) -> int | None:
        """The variable to halve: one that undecided comparisons depend on, with few values, else with the most."""
        open_mask = self._open(values)
        sizes = [high - low for low, high in box]
        wide = [number for number, size in enumerate(sizes) if size]
        wide = [number for number in wide if open_mask >> number & 1] or wide
        if not wide:
            return None
        few = [number for number in wide if sizes[number] < _FEW]
        return few[0] if few else max(wide, key=lambda number: sizes[number].bit_length())

    def _open(self, values: list[Values]) -> int:
        """The variables of the undecided comparisons inside undecided conditions, as bits."""
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


def _is_at(box: Box, places: Mapping[int, int]) -> bool:
    """Whether some variables have these places everywhere in a box."""
    return all(box[number] == (at, at) for number, at in places.items())


def hull(boxes: Sequence[Box]) -> Box:
    """The smallest box around some."""
    sides = zip(*boxes, strict=True)
    return tuple((min(low for low, _ in side), max(high for _, high in side)) for side in map(list, sides))


def halves(box: Box, which: int) -> Iterator[Box]:
    low, high = box[which]
    middle = (low + high) // 2
    for part in ((middle + 1, high), (low, middle)):
        yield (*box[:which], part, *box[which + 1 :])


# --- laying out -------------------------------------------------------------------------------------------------


@final
class Size(Struct, frozen=True):
    """The most that conditions may have to be laid out."""

    variables: int
    terms: int


def lay_out(
    given: Sequence[Term],
    most: Size,
    *,
    goals: Sequence[Term] = (),
    symbols: Sequence[Term] = (),
    functions: Sequence[BoxFunction] = (),
    orders: Mapping[Term, ValueOrder] = {},
) -> BoxConditions | None:
    """Lay conditions out; None if they are too large, have no variable, or have one of a float sort.

    Goals are conditions that do not narrow the first box. The variables are `symbols` in their order, then any others.
    The symbol of a function is no variable: its values follow from the function's arguments. `orders` are for variables
    that no condition orders.
    """
    roots = [*given, *goals]
    computed = {function.symbol: function for function in functions}
    order = _bounded_order([*symbols, *roots], most.terms, computed)
    if order is None:
        return None
    symbols = [term for term in order if term.is_var and term not in computed]
    if not symbols or len(symbols) > most.variables or any(isinstance(term.sort, Float) for term in symbols):
        return None
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    readings = {term.args[0]: term for term in order if term.op is ops.FP_FROM_BITS and term.args[0] in numbers}
    signed = {arg for term in order if term.op in _SIGNED for arg in term.args if arg in numbers}
    signed |= {arg for each in computed.values() for arg in each.arguments if arg in numbers}  # as functions read them
    free = {symbol: each for symbol, each in orders.items() if symbol not in readings and symbol not in signed}
    variables = [
        BoxVariable(symbol, free.get(symbol) or _order(symbol, readings.get(symbol), symbol in signed))
        for symbol in symbols
    ]
    places = {term: place for place, term in enumerate(order)}
    known = {term: _step(computed[term], places) for term in order if term in computed}
    program = IntervalProgram(order, {variable.term: variable.order for variable in variables}, known)
    masks: list[int] = []
    for term in order:
        mask = 1 << numbers[term] if term in numbers else 0
        for arg in _below(term, computed):
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
        tuple(computed[term] for term in order if term in computed),
    )


def _step(function: BoxFunction, places: Mapping[Term, int]) -> Step:
    over, arguments = function.over, [places[argument] for argument in function.arguments]
    return lambda values, _: over(tuple([values[place] for place in arguments]))


def _below(term: Term, computed: Mapping[Term, BoxFunction]) -> tuple[Term, ...]:
    """The terms from which the values of a term follow."""
    return computed[term].arguments if term in computed else term.args


#: operators that read their arguments as signed
_SIGNED: Final = (ops.BVSLT, ops.BVSLE, ops.SIGN_EXTEND, ops.SBV_TO_FP)


def _order(symbol: Term, reading: Term | None, signed: bool) -> ValueOrder:
    sort = symbol.sort if reading is None else reading.sort
    return ValueOrder(sort, signed and isinstance(sort, BitVec))


def _bounded_order(roots: Sequence[Term], most: int, computed: Mapping[Term, BoxFunction]) -> list[Term] | None:
    """`postorder`, which stops with None when there are more terms than `most`."""
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
            stack.extend((arg, False) for arg in reversed(_below(term, computed)) if arg not in seen)
    return order

"""Questions over few variables, settled by halving the box that they lie in: what no solver need be asked.

A box says between which values each variable lies. `intervals` shows that a condition holds nowhere in a box, or leaves
it open; then a point of the box is tried, and the box is halved. When the last box is gone nothing satisfies the
question: the boxes that were discarded cover all there was. A point counts only if every condition, evaluated, is true.

    1.0 <= x <= 1.5,  (int)(x / 0.585) == 4               unsat, one box
    1.0 <= x <= 1.5,  x * x > 2.0                         sat, x = 1.5

What needs more boxes than a few, or speaks of more variables, goes to the next solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, final

from soid.formula import bounds, intervals
from soid.formula import operators as ops
from soid.formula.intervals import EITHER, NEVER, Bits, Floats, Values
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Result, Sat, Solver, Unsat
from soid.solver.statistics import Tally

_BY: Final = "boxes"
_VARIABLES: Final = 3
_TERMS: Final = 400
_EFFORT: Final = 2_000  # terms evaluated, over all boxes; some milliseconds
_FEW: Final = 4  # values: a variable with no more than these is told apart value by value, before others are halved


@final
class Boxes:
    """Answers what a few boxes settle, and hands on the rest."""

    def __init__(self, inner: Solver, tally: Tally | None = None, effort: int = _EFFORT) -> None:
        self._inner = inner
        self._tally = tally or Tally()  # of what it settled
        self._effort = effort

    @property
    def name(self) -> str:
        return self._inner.name

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        began = time.perf_counter()
        late = budget.seconds == 0 or (cancel is not None and cancel.cancelled)  # who says so comes after this one
        question = None if late else _prepare([*conjuncts, *assumptions])
        found = question.search(self._effort) if question is not None else None
        if found is None:
            return self._inner.check(conjuncts, assumptions, budget, cancel)
        result = Unsat(tuple(assumptions), _BY) if found is _NOTHING else Sat(found, _BY)
        self._tally.add(result, time.perf_counter() - began)
        return result

    def close(self) -> None:
        self._inner.close()


_NOTHING: Final[dict[Term, bool | int]] = {}

Box = tuple[tuple[int, int], ...]  # for each variable the first and the last place in its order

#: how the values of a variable are lined up: a float's bits as floats are, NaNs beyond the infinities
Order = Literal["bool", "float", "signed", "unsigned"]


@final
@dataclass(frozen=True, slots=True)
class Cover:
    """Boxes that hold all states of some variables, in none of which a question is satisfied."""

    variables: tuple[tuple[Term, Order], ...]
    boxes: tuple[Box, ...]


def cover(conjuncts: Sequence[Term], effort: int = 10 * _EFFORT) -> Cover | None:
    """The boxes by which conditions are shown to exclude each other; None where that takes more, or they do not."""
    question = _prepare(conjuncts)
    discarded: list[Box] = []
    if question is None or question.search(effort, discarded) is not _NOTHING:
        return None
    variables = tuple((each.term, each.order) for each in question.variables)
    return Cover(variables, (*question.outside(), *discarded))


@final
@dataclass(frozen=True, slots=True)
class _Variable:
    """A variable and the order in which its values are halved."""

    term: Term
    read: Callable[[int, int], Values]  # the values between two places
    bits: Callable[[int], bool | int]  # the value at a place
    stretch: Callable[[Bits], tuple[int, int]]  # the first and the last place of some bit patterns
    places: tuple[int, int]
    order: Order


Step = Callable[[list[Values]], Values]


@final
@dataclass(frozen=True, slots=True)
class _Question:
    """Conditions, laid out for evaluation box by box: arguments before what uses them."""

    order: list[Term]
    steps: list[Step | None]  # how each follows from those before it; None for a variable
    constants: list[Values]  # what does not depend on any variable, and nothing known of the rest
    roots: list[int]
    variables: list[_Variable]
    readings: list[tuple[int, int, Float]]  # of a variable's bits as a float: its place, whose it is, the format
    masks: list[int]  # which variables each depends on
    asserted: dict[int, Values]  # what the conditions say of a term: no state that satisfies them lies outside

    def search(self, effort: int, discarded: list[Box] | None = None) -> dict[Term, bool | int] | None:
        """A state that satisfies the question, `_NOTHING` if none does, None if that takes more effort.

        The boxes in which none does are added to `discarded`.
        """
        gone = [] if discarded is None else discarded
        start = self._start()
        if start is None:
            return _NOTHING
        for point in (0, 1, 2):
            model = self._try(start, point)
            if model is not None:
                return model
        everything = (1 << len(self.variables)) - 1
        open_boxes: list[tuple[Box, list[Values], int]] = [(start, self.constants.copy(), everything)]
        while open_boxes:
            box, values, changed = open_boxes.pop()
            effort -= sum(1 for mask in self.masks if mask & changed)
            if effort < 0:
                return None
            if not self._evaluate(box, values, changed):
                gone.append(box)
                continue
            undecided = [root for root in self.roots if values[root] == EITHER]
            model = self._try(box, 2)
            if model is not None:
                return model
            which = self._widest(box, undecided)
            if which is None:
                gone.append(box)
                continue  # a single point, and it was tried
            for half in _halves(box, which):
                open_boxes.append((half, values.copy(), 1 << which))
        return _NOTHING

    def outside(self) -> Iterator[Box]:
        """What lies around the box that the search begins with."""
        everywhere = tuple(variable.places for variable in self.variables)
        start = self._start()
        if start is None:
            yield everywhere
            return
        for number, ((first, last), (low, high)) in enumerate(zip(everywhere, start, strict=True)):
            for part in ((first, low - 1), (high + 1, last)):
                if part[0] <= part[1]:
                    yield (*start[:number], part, *everywhere[number + 1 :])

    def _start(self) -> Box | None:
        """The box that the conditions on single variables leave."""
        box = []
        places = {id(self.order[place]): place for place in range(len(self.order))}
        readings = {variable: place for place, variable, _ in self.readings}
        for number, variable in enumerate(self.variables):
            low, high = variable.places
            told = self.asserted.get(readings.get(number, -1))
            if isinstance(told, Floats) and not told.nan:
                low, high = max(low, told.low), min(high, told.high)
            told = self.asserted.get(places[id(variable.term)])
            if isinstance(told, Bits):
                first, last = variable.stretch(told)
                low, high = max(low, first), min(high, last)
            elif isinstance(told, int) and told != EITHER:
                low = high = told - 1
            if low > high:
                return None
            box.append((low, high))
        return tuple(box)

    def _evaluate(self, box: Box, values: list[Values], changed: int) -> bool:
        """Work out what each term can be; False if some condition holds nowhere in the box."""
        read = {place: intervals.by_place(form, *box[number]) for place, number, form in self.readings}
        number = -1
        for place, (step, mask) in enumerate(zip(self.steps, self.masks, strict=True)):
            number += step is None
            if not mask & changed:
                continue
            if step is None:
                found = self.variables[number].read(*box[number])
            else:
                found = read[place] if place in read else step(values)
            told = self.asserted.get(place)
            if told is not None:
                both = intervals.meet(self.order[place].sort, found, told)
                if both is None:
                    return False
                found = both
            values[place] = found
        return all(values[root] != NEVER for root in self.roots)

    def _try(self, box: Box, point: int) -> dict[Term, bool | int] | None:
        """The state at the low end, the high end or the middle of a box, if it satisfies the question."""
        places = [(low, high, (low + high) // 2)[point] for low, high in box]
        model = {v.term: v.bits(place) for v, place in zip(self.variables, places, strict=True)}
        known: dict[Term, bool | int] = {}
        for term in self.order:
            if term.is_const:
                known[term] = term.value
            elif term.is_var:
                known[term] = model[term]
            else:
                args = term.args
                known[term] = term.op.fold(tuple(a.sort for a in args), term.params, tuple(known[a] for a in args))
        return model if all(known[self.order[root]] for root in self.roots) else None

    def _widest(self, box: Box, undecided: Sequence[int]) -> int | None:
        """The variable to halve: one that the open conditions depend on, few values first, else the most."""
        open_mask = 0
        for root in undecided:
            open_mask |= self.masks[root]
        sizes = [high - low for low, high in box]
        wide = [number for number, size in enumerate(sizes) if size]
        wide = [number for number in wide if open_mask >> number & 1] or wide
        if not wide:
            return None
        few = [number for number in wide if sizes[number] < _FEW]
        return few[0] if few else max(wide, key=lambda number: sizes[number].bit_length())


def _halves(box: Box, which: int) -> Iterator[Box]:
    low, high = box[which]
    middle = (low + high) // 2
    for part in ((middle + 1, high), (low, middle)):
        yield (*box[:which], part, *box[which + 1 :])


# --- laying a question out --------------------------------------------------------------------------------------


def _prepare(roots: Sequence[Term]) -> _Question | None:
    """The question laid out; None if it is too large, or speaks of too much."""
    order = _bounded_order(roots)
    if order is None:
        return None
    symbols = [term for term in order if term.is_var]
    if not symbols or len(symbols) > _VARIABLES or any(isinstance(term.sort, Float) for term in symbols):
        return None
    places = {term: place for place, term in enumerate(order)}
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    readings = [
        (place, numbers[term.args[0]], term.sort)
        for place, term in enumerate(order)
        if term.op is ops.FP_FROM_BITS and term.args[0] in numbers and isinstance(term.sort, Float)
    ]
    forms = {number: form for _, number, form in readings}
    signed = {arg for term in order if term.op in _SIGNED for arg in term.args if arg in numbers}
    masks: list[int] = []
    for term in order:
        mask = 1 << numbers[term] if term in numbers else 0
        for arg in term.args:
            mask |= masks[places[arg]]
        masks.append(mask)
    steps = [_step(term, places) for term in order]
    constants: list[Values] = []
    for step, mask in zip(steps, masks, strict=True):
        constants.append(EITHER if mask or step is None else step(constants))
    return _Question(
        order,
        steps,
        constants,
        [places[root] for root in dict.fromkeys(roots)],
        [_variable(symbol, forms.get(number), symbol in signed) for number, symbol in enumerate(symbols)],
        readings,
        masks,
        _asserted(roots, places),
    )


#: operators whose arguments are numbers with a sign
_SIGNED: Final = (ops.BVSLT, ops.BVSLE, ops.SIGN_EXTEND, ops.SBV_TO_FP)


def _bounded_order(roots: Sequence[Term]) -> list[Term] | None:
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
            if len(seen) > _TERMS:
                return None
            stack.append((term, True))
            stack.extend((arg, False) for arg in reversed(term.args) if arg not in seen)
    return order


def _variable(symbol: Term, form: Float | None, signed: bool) -> _Variable:
    sort = symbol.sort
    if isinstance(sort, Bool):
        return _Variable(
            symbol, lambda low, high: (low == 0) | (high == 1) << 1, bool, lambda _: (0, 1), (0, 1), "bool"
        )
    assert isinstance(sort, BitVec)
    width, half = sort.width, 1 << (sort.width - 1)
    if form is not None:
        return _Variable(symbol, *_by_place(form), (-half, half - 1), "float")
    if signed:
        return _Variable(
            symbol,
            lambda low, high: intervals.numbers(low, high, width),
            lambda place: place & sort.mask,
            lambda bits: intervals.signed(bits, width),
            (-half, half - 1),
            "signed",
        )
    return _Variable(
        symbol,
        lambda low, high: Bits(low, high - low),
        lambda place: place,
        lambda bits: intervals.unsigned(bits, width),
        (0, sort.mask),
        "unsigned",
    )


def _by_place(
    form: Float,
) -> tuple[Callable[[int, int], Values], Callable[[int], int], Callable[[Bits], tuple[int, int]]]:
    """The bit patterns of a float in the order of floats; across zero they are no span."""
    sign = form.sign_bit

    def read(low: int, high: int) -> Values:
        if low >= 0:
            return Bits(low, high - low)
        if high < 0:
            return Bits(intervals.at_place(form, high), high - low)
        return Bits(0, 2 * sign - 1)

    def stretch(bits: Bits) -> tuple[int, int]:
        low, high = intervals.unsigned(bits, form.width)
        if low < sign <= high:
            return intervals.place_of(form, high), sign - 1
        places = intervals.place_of(form, low), intervals.place_of(form, high)
        return min(places), max(places)

    return read, lambda place: intervals.at_place(form, place), stretch


def _step(term: Term, places: dict[Term, int]) -> Step | None:
    if term.is_var:
        return None
    chosen = _one_of(term)
    if chosen is not None:
        place, width = places[chosen[0]], chosen[0].sort
        assert isinstance(width, BitVec)
        return _membership(place, width, chosen[1])
    args = [places[arg] for arg in term.args]
    return lambda values: intervals.evaluate(term, [values[arg] for arg in args])


def _one_of(term: Term) -> tuple[Term, frozenset[int]] | None:
    """The bit-vector, and the constants of which it is one, where a condition says that."""
    found: set[Term] = set()
    constants: set[int] = set()
    for each in term.args if term.op is ops.OR else (term,):
        if each.op is not ops.EQ or not isinstance(each.args[0].sort, BitVec):
            return None
        one, other = each.args if each.args[1].is_const else each.args[::-1]
        if not other.is_const:
            return None
        found.add(one)
        constants.add(other.value)
    return (found.pop(), frozenset(constants)) if len(found) == 1 else None


def _membership(place: int, sort: BitVec, constants: frozenset[int]) -> Step:
    def step(values: list[Values]) -> Values:
        span = values[place]
        assert isinstance(span, Bits)
        inside = sum(1 for each in constants if intervals.contains(sort, span, each))
        return NEVER if not inside else intervals.ALWAYS if inside == span.size + 1 else EITHER

    return step


def _asserted(roots: Sequence[Term], places: dict[Term, int]) -> dict[int, Values]:
    """What each condition says of a term by comparing it with constants."""
    found: dict[int, Values] = {}
    for root in roots:
        said = _said(root)
        if said is None:
            continue
        term, values = said
        place = places[term]
        before = found.get(place)
        both = values if before is None else intervals.meet(term.sort, before, values)
        if both is not None:  # where two exclude each other, evaluating the one under the other will show it
            found[place] = both
    return found


def _said(condition: Term) -> tuple[Term, Values] | None:
    told = bounds.told(condition)
    if told is not None:
        (term, order), span = told
        if order == bounds.FLOAT:
            return (term, Floats(span.low, span.high, span.nan)) if span.low <= span.high or span.nan else None
        assert isinstance(term.sort, BitVec)
        return (term, intervals.numbers(span.low, span.high, term.sort.width)) if span.low <= span.high else None
    chosen = _one_of(condition)
    if chosen is not None:
        term, constants = chosen
        assert isinstance(term.sort, BitVec)
        low, high = min(constants), max(constants)
        return term, Bits(low, high - low)
    if condition.is_var:
        return condition, intervals.ALWAYS
    if condition.op is ops.NOT and condition.args[0].is_var:
        return condition.args[0], NEVER
    return None

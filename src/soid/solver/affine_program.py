"""Conditions as affine forms evaluate them: for many boxes at once the form of each float and the truth of each Bool.

    s = 0.5 * x - 0.25 * y,  h = s if 0 < s else 0,  h + 0.1 < 0.0

What is no operation on floats that `affine_forms` has, and follows from none, is not known: a condition about it is
neither true nor false in any box.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct

from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.cell_function import number_of, source_of
from soid.formula.function_arguments import Places, ReadArguments
from soid.formula.intervals import ALWAYS, EITHER, NEVER, Floats
from soid.formula.passes import substitute
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Bool, Float
from soid.formula.term import Term
from soid.solver import affine_forms as forms
from soid.solver.affine_forms import AffineForm, Flags, Numbers
from soid.solver.box_conditions import BoxConditions, BoxFunction
from soid.solver.cell_truths import Truths, chosen_constant, combined

_MOST_COLUMNS: Final = 1_000
_FEW: Final = 2  # zeros whose signs are tried
_READINGS: Final = (ops.FP_FROM_BITS, ops.SBV_TO_FP, ops.UBV_TO_FP)
_ORDERED: Final = (ops.FP_LT, ops.FP_LEQ)
_LOGIC: Final = (ops.NOT, ops.AND, ops.OR)


@final
class FloatChoice(Struct, frozen=True):
    """What a choice between two floats comes to."""

    greater: bool = False  # the greater of the two, whatever the condition
    second: bool = False  # the second one: where the condition holds, both are zeros


@final
class AffineLook(Struct, frozen=True):
    """What is known of boxes."""

    low: Numbers  # of the inputs
    high: Numbers
    impossible: Flags  # boxes in which a condition is false
    gains: Numbers  # for each box and variable how much cutting it there gains


@final
class AffineProgram:
    """The terms of conditions, ready to be evaluated."""

    def __init__(self, conditions: BoxConditions, inputs: list[Term], read: ReadArguments, columns: dict[Term, int]):
        self.conditions = conditions
        self._inputs = {term: number for number, term in enumerate(inputs)}
        self._read = read
        self._columns = columns
        self.width = len(inputs) + len(columns)
        self._functions = {function.symbol: function for function in conditions.functions}
        self._choices = {term: _choice(term) for term in conditions.order if _is_choice(term)}
        self._last = _last_uses(conditions, self._functions)
        self._roots = [conditions.order[place] for place in conditions.roots]

    @classmethod
    def of(cls, conditions: BoxConditions) -> AffineProgram | None:
        """None if no variable is read as a float, or too much is left open."""
        numbers = {variable.term: number for number, variable in enumerate(conditions.variables)}
        orders = [variable.order for variable in conditions.variables]
        inputs = [term for term in conditions.order if term.op in _READINGS and source_of(term) in numbers]
        read = ReadArguments.of(inputs, numbers, orders) if inputs else None
        symbols = {function.symbol for function in conditions.functions}
        curved = [term for term in conditions.order if _is_choice(term) or term.op is ops.FP_ABS or term in symbols]
        if read is None or len(inputs) + len(curved) > _MOST_COLUMNS:
            return None
        return cls(conditions, inputs, read, {term: len(inputs) + at for at, term in enumerate(curved)})

    def evaluate(self, low: Places, high: Places) -> AffineLook:
        lows, highs, missing = self._read.ranges(low, high)
        evaluation = _Evaluation(self, lows, highs, missing)
        with np.errstate(all="ignore"):
            evaluation.run()
        impossible = np.zeros(len(low), bool)
        for root in self._roots:
            impossible |= evaluation.truths[root] == NEVER
        gains = np.zeros((len(low), len(self.conditions.variables)))
        for column, number in enumerate(self._read.variables):
            if number is not None:
                gains[:, number] += evaluation.gains[:, column]
        return AffineLook(lows, highs, impossible, gains)

    @property
    def variables(self) -> tuple[int | None, ...]:
        """For each input the variable that it reads."""
        return self._read.variables

    def input_of(self, term: Term) -> int | None:
        return self._inputs.get(term)

    def column_of(self, term: Term) -> int:
        return self._columns[term]

    def function_of(self, term: Term) -> BoxFunction | None:
        return self._functions.get(term)

    def choice_of(self, term: Term) -> FloatChoice:
        return self._choices[term]

    def last_used(self, place: int) -> Sequence[Term]:
        """Terms that nothing after a place needs."""
        return self._last.get(place, ())


@final
class _Evaluation:
    """The terms in some boxes."""

    def __init__(self, program: AffineProgram, lows: Numbers, highs: Numbers, missing: Flags) -> None:
        self._program = program
        self._ends = lows, highs, missing
        self._count = len(lows)
        self._forms: dict[Term, AffineForm] = {}
        self.truths: dict[Term, Truths] = {}
        self.gains = np.zeros(lows.shape)

    def run(self) -> None:
        for place, term in enumerate(self._program.conditions.order):
            if isinstance(term.sort, Bool):
                self.truths[term] = self._truth(term)
            elif isinstance(term.sort, Float):
                self._forms[term] = self._form(term)
            for each in self._program.last_used(place):
                self._forms.pop(each, None)

    # --- floats -------------------------------------------------------------------------------------------------

    def _form(self, term: Term) -> AffineForm:
        sort, program = term.sort, self._program
        assert isinstance(sort, Float)
        number = program.input_of(term)
        if number is not None:
            return self._input(term, number)
        if not forms.is_modelled(sort):
            return self._unknown()
        if term.is_const:
            value = number_of(term)
            return forms.exactly(value, self._count, program.width) if np.isfinite(value) else self._unknown()
        function = program.function_of(term)
        if function is not None:
            return self._function(term, function)
        args = [self._forms[arg] for arg in term.args if isinstance(arg.sort, Float)]
        if not all(forms.is_modelled(arg.sort) for arg in term.args if isinstance(arg.sort, Float)):
            return self._unknown()
        if term.op.name in forms.BINARY:
            return forms.BINARY[term.op.name](sort, *args)
        if term.op is ops.FP_FMA:
            return forms.fused(sort, *args)
        if term.op is ops.FP_NEG:
            return forms.negated(args[0])
        if term.op is ops.FP_ABS:
            return forms.greater(args[0], forms.negated(args[0]), program.column_of(term))
        if term.op is ops.FP_TO_FP:
            given = term.args[0].sort
            assert isinstance(given, Float)
            return forms.converted(sort, given, args[0])
        return self._chosen(term, *args) if term.op is ops.ITE else self._unknown()

    def _unknown(self) -> AffineForm:
        return forms.unknown(self._count, self._program.width)

    def _input(self, term: Term, number: int) -> AffineForm:
        lows, highs, absent = self._ends
        low, high, missing = lows[:, number], highs[:, number], absent[:, number]
        rounds = 0.0 if term.op is ops.FP_FROM_BITS else 2.0**-23 if term.sort == FLOAT32 else 2.0**-52
        finite = np.asarray(np.isfinite(low) & np.isfinite(high) & ~missing)
        low, high = np.where(finite, low, 0.0), np.where(finite, high, 0.0)
        found = forms.of_input(low, high, number, self._program.width, rounds)
        return forms.selected(finite, found, self._unknown())

    def _chosen(self, term: Term, one: AffineForm, other: AffineForm) -> AffineForm:
        choice, truth = self._program.choice_of(term), self.truths[term.args[0]]
        if choice.second:
            return other
        column = self._program.column_of(term)
        open_ = (forms.greater if choice.greater else forms.either)(one, other, column)
        return forms.selected(truth == ALWAYS, one, forms.selected(truth == NEVER, other, open_))

    def _function(self, term: Term, function: BoxFunction) -> AffineForm:
        """The function's own bounds, box by box, and how steep it is between them."""
        argument, form = function.arguments[0], term.sort
        assert isinstance(form, Float)
        given = self._forms.get(argument)
        if len(function.arguments) != 1 or given is None or argument.sort != form or function.rise is None:
            return self._unknown()
        low, high = np.full(self._count, -np.inf), np.full(self._count, np.inf)
        for row in np.flatnonzero(given.is_known).tolist():
            span = function.over((Floats(_place(form, given.low[row]), _place(form, given.high[row], up=True), False),))
            if isinstance(span, Floats) and not span.nan and span.low <= span.high:
                low[row], high[row] = (_number(form, end) for end in (span.low, span.high))
        slope, error = function.rise(low, high)
        known = np.asarray(given.is_known & np.isfinite(low) & np.isfinite(high))
        found = forms.risen(given, low, high, slope, error, self._program.column_of(term))
        return forms.selected(known, found, self._unknown())

    # --- truths -------------------------------------------------------------------------------------------------

    def _truth(self, term: Term) -> Truths:
        args = term.args
        if term.is_const:
            return self._all(ALWAYS if term.value else NEVER)
        if term.op in _LOGIC or (term.op is ops.ITE and isinstance(term.sort, Bool)):
            return combined(term, [self.truths[arg] for arg in args])
        if term.op is ops.EQ and args[1].is_const and isinstance(args[0].sort, BitVec) and _picks(args[0]):
            return chosen_constant(args[0], args[1], self.truths, self._count)
        if not args or not all(isinstance(arg.sort, Float) for arg in args):
            return self._all(EITHER)
        given = [self._forms[arg] for arg in args]
        known = np.logical_and.reduce([each.is_known for each in given])
        found = self._of_floats(term, given)
        return np.where(known, found, EITHER).astype(np.int8)

    def _all(self, truth: int) -> Truths:
        return np.full(self._count, truth, np.int8)

    def _of_floats(self, term: Term, given: Sequence[AffineForm]) -> Any:
        if term.op is ops.FP_IS_NAN or term.op is ops.FP_IS_INF:
            return NEVER
        if term.op in (ops.FP_IS_NEGATIVE, ops.FP_IS_POSITIVE, ops.FP_IS_ZERO):
            low, high = given[0].low, given[0].high
            if term.op is ops.FP_IS_ZERO:
                return np.where((low > 0) | (high < 0), NEVER, np.where((low == 0) & (high == 0), ALWAYS, EITHER))
            above, below = (ALWAYS, NEVER) if term.op is ops.FP_IS_POSITIVE else (NEVER, ALWAYS)
            return np.where(low > 0, above, np.where(high < 0, below, EITHER))
        if term.op in (*_ORDERED, ops.FP_EQ, ops.EQ):
            return self._compared(term, *given)
        return EITHER

    def _compared(self, term: Term, one: AffineForm, other: AffineForm) -> Any:
        lead = forms.summed(one, other, -1.0)
        reach = lead.reach
        low = np.maximum(lead.low, np.nextafter(lead.middle - reach, -np.inf))
        high = np.minimum(lead.high, np.nextafter(lead.middle + reach, np.inf))
        if term.op not in _ORDERED:
            return np.where((low > 0) | (high < 0), NEVER, EITHER)
        always, never = (high < 0, low >= 0) if term.op is ops.FP_LT else (high <= 0, low > 0)
        found = np.where(always, ALWAYS, np.where(never, NEVER, EITHER))
        open_ = (found == EITHER) & (reach > 0) & np.isfinite(reach)
        inputs = len(self.gains[0])
        steep = np.abs(lead.slopes[:, :inputs])
        self.gains += np.where(open_[:, None], steep / np.where(open_, reach, 1.0)[:, None], 0.0)
        return found


def _place(form: Float, number: float, *, up: bool = False) -> int:
    """The place of a number, which is a float; of the two zeros, the one farther out."""
    place = sf.ordinal(form, sf.convert(FLOAT64, form, sf.float_to_bits64(number)))
    return (0 if up else -1) if place in (-1, 0) else place


def _number(form: Float, place: int) -> float:
    return sf.bits64_to_float(sf.convert(form, FLOAT64, sf.from_ordinal(form, place)))


def _last_uses(conditions: BoxConditions, functions: Mapping[Term, BoxFunction]) -> dict[int, list[Term]]:
    """By place the floats that are needed there for the last time."""
    last: dict[Term, int] = {}
    for place, term in enumerate(conditions.order):
        last[term] = place
        for arg in functions[term].arguments if term in functions else term.args:
            last[arg] = place
    found: dict[int, list[Term]] = {}
    for term, place in last.items():
        if isinstance(term.sort, Float):
            found.setdefault(place, []).append(term)
    return found


# --- choices ----------------------------------------------------------------------------------------------------


def _is_choice(term: Term) -> bool:
    return term.op is ops.ITE and isinstance(term.sort, Float)


def _picks(term: Term) -> bool:
    """Whether a bit-vector is one of some constants, by conditions."""
    return term.is_const or (term.op is ops.ITE and all(_picks(each) for each in term.args[1:]))


def _choice(term: Term) -> FloatChoice:
    condition, one, other = term.args
    if _both_zero(condition, one, other):
        return FloatChoice(second=True)
    return FloatChoice(greater=_is_greater(condition, one, other))


def _is_greater(condition: Term, one: Term, other: Term) -> bool:
    """Whether it is the greater of the two that is chosen, unless they are equal: `s if 0 < s else 0`."""
    while condition.op is ops.NOT:  # of numbers; where one is NaN nothing is known
        condition, one, other = condition.args[0], other, one
    if condition.op not in _ORDERED:
        return False
    lower, upper = condition.args
    if _is_same(one, upper) and _is_same(other, lower):
        return True
    if _is_zero(lower):
        return one is upper and _is_share(other, upper)  # s if 0 < s else share * s
    return _is_zero(upper) and other is lower and _is_share(one, lower)


def _is_share(term: Term, of: Term) -> bool:
    """Whether it is a part of a number: with the same sign, and not farther from zero."""
    pairs = (term.args, term.args[::-1]) if term.op is ops.FP_MUL else ()
    return any(share.is_const and 0.0 <= number_of(share) <= 1.0 and rest is of for share, rest in pairs)


def _is_same(one: Term, other: Term) -> bool:
    return one is other or (_is_zero(one) and _is_zero(other))


def _is_zero(term: Term) -> bool:
    if term.op is ops.ITE:
        return all(_is_zero(each) for each in term.args[1:])
    return term.is_const and isinstance(term.sort, Float) and number_of(term) == 0.0


def _both_zero(condition: Term, one: Term, other: Term) -> bool:
    """Whether both are zeros where a condition holds: `fmax` tells which of two zeros it gives."""
    parts = condition.args if condition.op is ops.AND else (condition,)
    zeros = [each.args[0] for each in parts if each.op is ops.FP_IS_ZERO]
    if not 0 < len(zeros) <= _FEW or not _is_zero(one):
        return False
    for signs in itertools.product((False, True), repeat=len(zeros)):
        values = {each: _zero(each, negative) for each, negative in zip(zeros, signs, strict=True)}
        if not _is_zero(substitute([other], values)[0]):
            return False
    return True


def _zero(term: Term, negative: bool) -> Term:
    assert isinstance(term.sort, Float)
    return build.const(term.sort, 1 << (term.sort.width - 1) if negative else 0)

"""The values of terms in a box of a cover by affine forms, beside intervals: for sums of products.

    s = 0.5 * x - 0.25 * y,  h = s > 0 ? s : 0        h + 0.1 < 0 is false wherever in the box

What has no rule here has its interval alone (`cover_spans`). Results of library functions follow from the true
functions, and from what the library may be off by, which is the same figure as wherever soid asks about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from flint import arb, ctx

from soid.engine.llvm.symbolic.library.approximated.true_functions import FUNCTIONS
from soid.engine.summary import Approximation
from soid.evidence import ball_forms as forms
from soid.evidence.ball_forms import BallForm
from soid.evidence.cover_spans import CoverSpan, Sides, anything, span_of
from soid.evidence.learned.feature_ranges import float_at, place_of
from soid.formula import operators as ops
from soid.formula.sorts import FLOAT64, Bool, Float
from soid.formula.term import Term, postorder

Rule = Callable[[Float, BallForm, BallForm], BallForm | None]

_BINARY: Final[Mapping[object, Rule]] = {
    ops.FP_ADD: forms.added,
    ops.FP_SUB: forms.subtracted,
    ops.FP_MUL: forms.multiplied,
    ops.FP_DIV: forms.divided,
}
_ORDERED: Final = (ops.FP_LT, ops.FP_LEQ)


@final
class FormSpans:
    """The terms of some conditions, with those of which library functions take their arguments."""

    def __init__(self, terms: Sequence[Term], functions: Sequence[Approximation]) -> None:
        self._order = postorder([*(each for one in functions for each in (*one.arguments, one.symbol)), *terms])
        self._functions = {one.symbol: one for one in functions}

    def within(self, sides: Sides) -> dict[Term, CoverSpan]:
        """What each may be in a box."""
        with ctx.workprec(forms.BITS):
            return _Values(self._functions, sides, self._order).spans


@final
class _Values:
    """The terms in one box."""

    def __init__(self, functions: Mapping[Term, Approximation], sides: Sides, order: Sequence[Term]) -> None:
        self.spans: dict[Term, CoverSpan] = {}
        self._functions = functions
        self._forms: dict[Term, BallForm] = {}
        for term in order:
            span = anything(term.sort) if term in functions else span_of(term, sides, self.spans)
            if forms.has_forms(term.sort):
                span = self._narrowed(term, span)
            elif isinstance(term.sort, Bool) and not span.single:
                span = self._compared(term) or span
            self.spans[term] = span

    def _narrowed(self, term: Term, span: CoverSpan) -> CoverSpan:
        """Keep the form of a float, if there is one; the result is where both it and the interval have it."""
        assert isinstance(term.sort, Float)
        form, ends = self._form(term), _numbers(term.sort, span)
        if form is None:
            if ends is not None:
                self._forms[term] = forms.open_within(*ends, term)
            return span
        self._forms[term] = form = form if ends is None else forms.within(form, *ends)
        low, high = _place_below(term.sort, form.low), -1 - _place_below(term.sort, -form.high)
        return CoverSpan(max(low, span.low), min(high, span.high)) if ends is not None else CoverSpan(low, high)

    def _form(self, term: Term) -> BallForm | None:
        sort, args = term.sort, term.args
        assert isinstance(sort, Float)
        if term in self._functions:
            return self._result(self._functions[term])
        if term.op is ops.ITE:
            return self._chosen(term)
        given = [self._forms[arg] for arg in args if arg in self._forms]
        if not args or len(given) < len([arg for arg in args if isinstance(arg.sort, Float)]):
            return None
        if term.op in _BINARY:
            return _BINARY[term.op](sort, *given)
        if term.op is ops.FP_FMA:
            return forms.fused(sort, *given)
        if term.op is ops.FP_NEG:
            return forms.negated(*given)
        if term.op is ops.FP_ABS:
            return forms.greater(given[0], forms.negated(given[0]), term)
        return forms.converted(sort, *given) if term.op is ops.FP_TO_FP else None

    def _result(self, one: Approximation) -> BallForm | None:
        sort = one.symbol.sort
        name = one.function if sort == FLOAT64 else one.function.removesuffix("f")
        given = self._forms.get(one.arguments[0])
        if name not in forms.RISING or given is None or one.arguments[0].sort != sort:
            return None
        assert isinstance(sort, Float)
        return forms.risen(sort, given, forms.RISING[name], FUNCTIONS[name].units(sort), one.symbol)

    def _chosen(self, term: Term) -> BallForm | None:
        condition, *branches = term.args
        known = self.spans[condition]
        if known.single:
            return self._forms.get(branches[1 - known.low])
        if any(each not in self._forms for each in branches):
            return None
        one, other = (self._forms[each] for each in branches)
        if _same_where_zero(condition, branches):
            return other
        sign = _greater(condition, *branches)
        if not sign:
            return forms.either(one, other, term)
        if sign > 0:
            return forms.greater(one, other, term)
        return forms.negated(forms.greater(forms.negated(one), forms.negated(other), term))

    def _compared(self, term: Term) -> CoverSpan | None:
        """Whether a comparison is true, if that is known."""
        if term.op not in (*_ORDERED, ops.FP_EQ, ops.EQ) or any(arg not in self._forms for arg in term.args):
            return None
        lead = forms.difference(*(self._forms[arg] for arg in term.args))
        if term.op not in _ORDERED:
            return CoverSpan(0, 0) if lead.low > 0 or lead.high < 0 else None
        if lead.high < 0 or (term.op is ops.FP_LEQ and lead.high <= 0):
            return CoverSpan(1, 1)
        return CoverSpan(0, 0) if lead.low > 0 or (term.op is ops.FP_LT and lead.low >= 0) else None


def _numbers(sort: Float, span: CoverSpan) -> tuple[float, float] | None:
    """The ends of a span of finite numbers."""
    low, high = (float_at(sort.width, end) for end in (span.low, span.high))
    return (low, high) if not span.nan and math.isfinite(low) and math.isfinite(high) else None


def _place_below(sort: Float, number: arb) -> int:
    """The place of a float that is not above a number; of the zeros the negative one."""
    near = float(number.lower())
    place = place_of(sort.width, math.nextafter(near, -math.inf)) - 1
    return -1 if place == 0 else place


# --- choices ------------------------------------------------------------------------------------------------------


def _greater(condition: Term, one: Term, other: Term) -> int:
    """1: the greater of two numbers is chosen, -1: the lesser, unless they are equal; 0: neither is known."""
    while condition.op is ops.NOT:
        condition, one, other = condition.args[0], other, one
    if condition.op not in _ORDERED:
        return 0
    lesser, greater = condition.args
    if _alike(one, greater) and _alike(other, lesser):
        return 1
    if _alike(one, lesser) and _alike(other, greater):
        return -1
    if _is_zero(lesser) and one is greater and _is_part(other, greater):  # 0 < s ? s : share * s
        return 1
    return 1 if _is_zero(greater) and other is lesser and _is_part(one, lesser) else 0


def _alike(one: Term, other: Term) -> bool:
    return one is other or (_is_zero(one) and _is_zero(other))


def _is_zero(term: Term) -> bool:
    return all(each.is_const and _value(each) == 0 for each in _leaves(term))


def _is_part(term: Term, of: Term) -> bool:
    """Whether it is a number times a share of one: a product between zero and the number."""
    pairs = (term.args, term.args[::-1]) if term.op is ops.FP_MUL else ()
    return any(share.is_const and 0 <= _value(share) <= 1 and rest is of for share, rest in pairs)


def _same_where_zero(condition: Term, branches: Sequence[Term]) -> bool:
    """Whether both choices are zeros where a condition holds: `fmax` tells which of two zeros it gives."""
    parts = condition.args if condition.op is ops.AND else (condition,)
    zeros = {part.args[0] for part in parts if part.op is ops.FP_IS_ZERO}
    return bool(zeros) and all(leaf in zeros or _is_zero(leaf) for each in branches for leaf in _leaves(each))


def _leaves(term: Term) -> list[Term]:
    """The terms of which choices choose one."""
    found: list[Term] = []
    waiting, seen = [term], {term}
    while waiting:
        each = waiting.pop()
        below = each.args[1:] if each.op is ops.ITE else ()
        if not below:
            found.append(each)
        waiting += [arg for arg in below if arg not in seen]
        seen.update(below)
    return found


def _value(constant: Term) -> float:
    sort = constant.sort
    if not isinstance(sort, Float) or not forms.has_forms(sort):
        return math.nan
    bits = int(constant.value)
    return float_at(sort.width, bits if bits < sort.sign_bit else sort.sign_bit - 1 - bits)

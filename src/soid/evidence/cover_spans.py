"""The values of terms in a box of a cover, as intervals.

This shares no code with the intervals by which soid settles questions (`soid.formula.intervals`), on purpose, so that
one checks the other. It is short: an unknown operator gives any value. Operators are evaluated at the ends of intervals
only where they are monotone, which IEEE rounding preserves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.operators import Operator
from soid.formula.sorts import BitVec, Bool, Float
from soid.formula.term import Term

Sides = Mapping[Term, tuple[str, tuple[int, int]]]  # of each variable its order, and its places in a box


@final
class CoverSpan(Struct, frozen=True):
    """An interval: of 0 and 1 for a Bool, of unsigned numbers for a bit-vector, of places for a float.

    That of a bit-vector may also go from a negative number to one that is none: its negative ones wrap around.
    That of a float that is NaN for sure has no number: it goes from beyond the infinity to below the negative one.
    """

    low: int
    high: int
    nan: bool = False  # a float that may also be NaN

    @property
    def is_no_number(self) -> bool:
        return self.nan and self.low > self.high

    @property
    def single(self) -> bool:
        return self.low == self.high and not self.nan


Rule = Callable[[Term, list[CoverSpan]], CoverSpan]


def spans_of(order: Sequence[Term], sides: Sides, numbers: Mapping[Term, CoverSpan]) -> dict[Term, CoverSpan]:
    """The values of terms in a box, arguments before the terms that use them; those of numbers are given."""
    known = dict(numbers)
    for term in order:
        if term not in known:
            known[term] = span_of(term, sides, known)
    return known


def span_of(term: Term, sides: Sides, known: Mapping[Term, CoverSpan]) -> CoverSpan:
    """The values of a term whose arguments are known."""
    if term.is_var:
        return variable(term, *sides[term])
    if term.is_const:
        return _constant(term.sort, term.value)
    if term.op is ops.FP_FROM_BITS and term.args[0] in sides and sides[term.args[0]][0] == "float":
        assert isinstance(term.sort, Float)
        return _floats(term.sort, *sides[term.args[0]][1])
    return _apply(term, [known[arg] for arg in term.args])


def variable(term: Term, order: str, sides: tuple[int, int]) -> CoverSpan:
    low, high = sides
    if order in ("bool", "unsigned") or low >= 0:
        return CoverSpan(low, high)
    assert isinstance(term.sort, BitVec)
    size = term.sort.mask + 1
    if high >= 0:
        return CoverSpan(low, high) if order == "signed" else CoverSpan(0, term.sort.mask)
    if order == "signed":
        return CoverSpan(low + size, high + size)
    return CoverSpan(size // 2 - 1 - high, size // 2 - 1 - low)  # a float with its sign set: bits run the other way


def _constant(sort: object, value: Any) -> CoverSpan:
    if isinstance(sort, Float):
        return anything(sort) if sf.is_nan(sort, value) else CoverSpan(_place(sort, value), _place(sort, value))
    return CoverSpan(int(value), int(value))


def anything(sort: object) -> CoverSpan:
    if isinstance(sort, Float):
        return CoverSpan(_place(sort, sort.sign_bit | sort.infinity), _place(sort, sort.infinity), True)
    return CoverSpan(0, sort.mask if isinstance(sort, BitVec) else 1)


def _place(form: Float, bits: int) -> int:
    return bits if bits < form.sign_bit else form.sign_bit - 1 - bits


def _bits(form: Float, place: int) -> int:
    return place if place >= 0 else form.sign_bit - 1 - place


def _floats(form: Float, low: int, high: int) -> CoverSpan:
    """The floats between two places; the places beyond the infinities are NaNs."""
    first, last = _place(form, form.sign_bit | form.infinity), form.infinity
    if high < first or low > last:
        return CoverSpan(last + 1, first - 1, True)
    return CoverSpan(max(low, first), min(high, last), low < first or high > last)


def value(sort: object, span: CoverSpan) -> Any:
    """The value of a span that has exactly one."""
    if isinstance(sort, Bool):
        return bool(span.low)
    return _bits(sort, span.low) if isinstance(sort, Float) else span.low


def _fold(term: Term, values: Sequence[Any]) -> Any:
    return term.op.fold(tuple(arg.sort for arg in term.args), term.params, tuple(values))


def _apply(term: Term, args: list[CoverSpan]) -> CoverSpan:
    if all(arg.single for arg in args):
        values = [value(arg.sort, span) for arg, span in zip(term.args, args, strict=True)]
        return _constant(term.sort, _fold(term, values))
    rule = _RULES.get(term.op)
    if rule is None:
        return anything(term.sort)
    if term.op not in _OF_SIGNED:
        args = [_unwrapped(arg.sort, span) for arg, span in zip(term.args, args, strict=True)]
    return rule(term, args)


def _unwrapped(sort: object, span: CoverSpan) -> CoverSpan:
    """A span of a bit-vector without negative numbers."""
    return anything(sort) if isinstance(sort, BitVec) and span.low < 0 else span


def _truth(never: bool, always: bool) -> CoverSpan:
    return CoverSpan(0, 0) if never else CoverSpan(1, 1) if always else CoverSpan(0, 1)


def _equal(term: Term, args: list[CoverSpan]) -> CoverSpan:
    one, other = args
    if any(_unwrapped(term.args[0].sort, span) is not span for span in args):
        (low, high), (first, last) = (_signed(term, span) for span in args)
        return _truth(high < first or last < low, False)
    return _truth((one.high < other.low or other.high < one.low) and not (one.nan and other.nan), False)


def _choose(term: Term, args: list[CoverSpan]) -> CoverSpan:
    condition, *branches = args
    if condition.single:
        return branches[0] if condition.low else branches[1]
    then, otherwise = (_unwrapped(term.sort, span) for span in branches)
    return CoverSpan(min(then.low, otherwise.low), max(then.high, otherwise.high), then.nan or otherwise.nan)


def _less(ends: Callable[[Term, CoverSpan], tuple[int, int]], *, strict: bool) -> Rule:
    """Comparison by the ends of both spans; of floats it is false for a NaN."""

    def rule(term: Term, args: list[CoverSpan]) -> CoverSpan:
        (low, high), (first, last) = (ends(term, arg) for arg in args)
        never = low >= last if strict else low > last
        always = (high < first if strict else high <= first) and not any(arg.nan for arg in args)
        return _truth(never, always)

    return rule


def _unsigned(_: Term, span: CoverSpan) -> tuple[int, int]:
    return span.low, span.high


def _signed(term: Term, span: CoverSpan) -> tuple[int, int]:
    sort = term.args[0].sort
    assert isinstance(sort, BitVec)
    half = (sort.mask + 1) // 2
    if span.low < 0:
        return span.low, span.high
    if span.low < half <= span.high:
        return -half, half - 1
    return (span.low, span.high) if span.high < half else (span.low - 2 * half, span.high - 2 * half)


def _fits(low: int, high: int, sort: object) -> CoverSpan:
    """A span of integers if none of them wraps around; else any value."""
    assert isinstance(sort, BitVec)
    return CoverSpan(low, high) if low >= 0 and high <= sort.mask else anything(sort)


def _extract(term: Term, args: list[CoverSpan]) -> CoverSpan:
    high, low = term.params
    above = high + 1
    if args[0].low >> above != args[0].high >> above:
        return anything(term.sort)
    mask = (1 << above) - 1
    return CoverSpan((args[0].low & mask) >> low, (args[0].high & mask) >> low)


def _sign_extend(term: Term, args: list[CoverSpan]) -> CoverSpan:
    low, high = _signed(term, args[0])
    assert isinstance(term.sort, BitVec)
    if low < 0 <= high:
        return CoverSpan(low, high)
    return CoverSpan(low & term.sort.mask, high & term.sort.mask)


def _equal_zeros(_: Term, span: CoverSpan) -> tuple[int, int]:
    """The ends of a span of floats, with the place of -0.0 replaced by that of 0.0."""
    return 0 if span.low == -1 else span.low, 0 if span.high == -1 else span.high


def _float_equal(term: Term, args: list[CoverSpan]) -> CoverSpan:
    (low, high), (first, last) = (_equal_zeros(term, arg) for arg in args)
    return _truth(high < first or last < low, False)


def _ends(term: Term, corners: Sequence[Sequence[int]]) -> CoverSpan:
    """From the least to the greatest result at some corners; an end that is a zero includes both zeros."""
    form = term.sort
    assert isinstance(form, Float)
    results = [_fold(term, corner) for corner in corners]
    if any(sf.is_nan(form, bits) for bits in results):
        return anything(form)
    places = [_place(form, bits) for bits in results]
    low, high = min(places), max(places)
    return CoverSpan(-1 if low == 0 else low, 0 if high == -1 else high)


def _corners(*which: tuple[int, ...]) -> Rule:
    """The rule of a monotone float operator: `which` lists the corners to evaluate, 0 is a low end and 1 a high end."""

    def rule(term: Term, args: list[CoverSpan]) -> CoverSpan:
        form = term.args[0].sort
        assert isinstance(form, Float)
        if any(span.nan or max(abs(span.low + 1), abs(span.high)) >= form.infinity for span in args):
            return anything(term.sort)
        if term.op is ops.FP_DIV and args[1].low <= 0 and args[1].high >= -1:
            return anything(term.sort)
        ends = [(_bits(form, span.low), _bits(form, span.high)) for span in args]
        return _ends(term, [[pair[end] for pair, end in zip(ends, chosen, strict=True)] for chosen in which])

    return rule


def _from_integer(term: Term, args: list[CoverSpan]) -> CoverSpan:
    low, high = _signed(term, args[0]) if term.op is ops.SBV_TO_FP else (args[0].low, args[0].high)
    sort = term.args[0].sort
    assert isinstance(sort, BitVec)
    return _ends(term, [[low & sort.mask], [high & sort.mask]])


def _to_integer(term: Term, args: list[CoverSpan]) -> CoverSpan:
    form, sort = term.args[0].sort, term.sort
    assert isinstance(form, Float) and isinstance(sort, BitVec)
    ends = [sf.to_integer(form, term.params[0], _bits(form, end)) for end in (args[0].low, args[0].high)]
    signed = term.op is ops.FP_TO_SBV
    least, greatest = (-(sort.mask + 1) // 2, sort.mask // 2) if signed else (0, sort.mask)
    low, high = ends
    if args[0].nan or low is None or high is None or low < least or high > greatest or low < 0 <= high:
        return anything(sort)
    return CoverSpan(low & sort.mask, high & sort.mask)


def _is_infinite(term: Term, args: list[CoverSpan]) -> CoverSpan:
    form = term.args[0].sort
    assert isinstance(form, Float)
    finite = max(abs(args[0].low + 1), abs(args[0].high)) < form.infinity
    return _truth(finite or args[0].is_no_number, False)


#: those that read spans which go from negative numbers to others
_OF_SIGNED: Final = frozenset({ops.EQ, ops.ITE, ops.BVSLT, ops.BVSLE, ops.SIGN_EXTEND, ops.SBV_TO_FP})

_RULES: Final[Mapping[Operator, Rule]] = {
    ops.NOT: lambda _, args: CoverSpan(1 - args[0].high, 1 - args[0].low),
    ops.AND: lambda _, args: CoverSpan(min(arg.low for arg in args), min(arg.high for arg in args)),
    ops.OR: lambda _, args: CoverSpan(max(arg.low for arg in args), max(arg.high for arg in args)),
    ops.EQ: _equal,
    ops.ITE: _choose,
    ops.BVULT: _less(_unsigned, strict=True),
    ops.BVULE: _less(_unsigned, strict=False),
    ops.BVSLT: _less(_signed, strict=True),
    ops.BVSLE: _less(_signed, strict=False),
    ops.BVADD: lambda term, args: _fits(args[0].low + args[1].low, args[0].high + args[1].high, term.sort),
    ops.BVSUB: lambda term, args: _fits(args[0].low - args[1].high, args[0].high - args[1].low, term.sort),
    ops.BVMUL: lambda term, args: _fits(args[0].low * args[1].low, args[0].high * args[1].high, term.sort),
    ops.EXTRACT: _extract,
    ops.ZERO_EXTEND: lambda _, args: args[0],
    ops.SIGN_EXTEND: _sign_extend,
    ops.FP_NEG: _corners((0,), (1,)),
    ops.FP_ADD: _corners((0, 0), (1, 1)),
    ops.FP_SUB: _corners((0, 1), (1, 0)),
    ops.FP_MUL: _corners((0, 0), (0, 1), (1, 0), (1, 1)),
    ops.FP_DIV: _corners((0, 0), (0, 1), (1, 0), (1, 1)),
    ops.FP_ROUND: _corners((0,), (1,)),
    ops.FP_TO_FP: _corners((0,), (1,)),
    ops.FP_LT: _less(_equal_zeros, strict=True),
    ops.FP_LEQ: _less(_equal_zeros, strict=False),
    ops.FP_EQ: _float_equal,
    ops.FP_IS_NAN: lambda _, args: _truth(not args[0].nan, args[0].is_no_number),
    ops.FP_IS_INF: _is_infinite,
    ops.SBV_TO_FP: _from_integer,
    ops.UBV_TO_FP: _from_integer,
    ops.FP_TO_SBV: _to_integer,
    ops.FP_TO_UBV: _to_integer,
}

"""Interval arithmetic: which values a term can have while its variables stay within bounds.

Rounding is monotone, so a float operation on two spans gives a span whose ends are the operation's results at their
ends, exact to the bit. NaN and both zeros are tracked. Bit-vectors are spans modulo two to their width, so a sum that
wraps around, or the numbers -1 to 1, stay a short span. An operator without a close rule gives all values of its sort:
a span may be too wide, but never too narrow.

    x in 1.0 to 1.5                   (int)(x / 0.585)  is 1 to 2,    x < 0.9  is never true

The module is long because each operator has a rule, and the same test checks all rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.operators import Operator
from soid.formula.sorts import BitVec, Bool, Float, Sort
from soid.formula.term import Term

#: the values that a Bool can have
NEVER: Final = 1
ALWAYS: Final = 2
EITHER: Final = 3


class Bits(NamedTuple):
    """The numbers low, low + 1, ..., low + size, modulo two to the width."""

    low: int
    size: int


class Floats(NamedTuple):
    """The floats from one place in their order to another (`softfloat.ordinal`), and perhaps NaN.

    If low is above high, the only value is NaN.
    """

    low: int
    high: int
    nan: bool


Values = int | Bits | Floats

_ONLY_NAN: Final = Floats(1, 0, True)


def everything(sort: Sort) -> Values:
    """All values of a sort."""
    if isinstance(sort, Bool):
        return EITHER
    if isinstance(sort, BitVec):
        return Bits(0, sort.mask)
    return Floats(~sort.infinity, sort.infinity, True)


def exactly(sort: Sort, value: int) -> Values:
    """The interval of one value, which is given as terms hold it."""
    if isinstance(sort, Bool):
        return ALWAYS if value else NEVER
    if isinstance(sort, BitVec):
        return Bits(value, 0)
    if sf.is_nan(sort, value):
        return _ONLY_NAN
    place = sf.ordinal(sort, value)
    return Floats(place, place, False)


def contains(sort: Sort, values: Values, value: int) -> bool:
    """Whether a value, which is given as terms hold it, is in the interval."""
    if isinstance(values, Bits):
        assert isinstance(sort, BitVec)
        return (value - values.low) & sort.mask <= values.size
    if isinstance(values, Floats):
        assert isinstance(sort, Float)
        return values.nan if sf.is_nan(sort, value) else values.low <= sf.ordinal(sort, value) <= values.high
    return bool(values & (ALWAYS if value else NEVER))


def single(sort: Sort, values: Values) -> int | None:
    """The only value of an interval, as terms hold it; None if there may be several."""
    if isinstance(values, Bits):
        return values.low if values.size == 0 else None
    if isinstance(values, Floats):
        assert isinstance(sort, Float)
        if values.low > values.high:
            return sort.nan
        return sf.from_ordinal(sort, values.low) if values.low == values.high and not values.nan else None
    return None if values == EITHER else int(values == ALWAYS)


def meet(sort: Sort, one: Values, other: Values) -> Values | None:
    """The values in both, or a span around them if they are no span; None if there are none."""
    if isinstance(one, Floats) and isinstance(other, Floats):
        both = Floats(max(one.low, other.low), min(one.high, other.high), one.nan and other.nan)
        return both if both.low <= both.high or both.nan else None
    if isinstance(one, Bits) and isinstance(other, Bits):
        assert isinstance(sort, BitVec)
        return _meet_bits(one, other, sort.mask)
    assert isinstance(one, int) and isinstance(other, int)
    return one & other or None


def _meet_bits(one: Bits, other: Bits, mask: int) -> Bits | None:
    gap = (other.low - one.low) & mask  # from one's beginning to other's
    back = (one.low - other.low) & mask
    if gap > one.size and back > other.size:
        return None
    if gap <= one.size and back <= other.size and gap:  # they overlap at both ends: the smaller contains the overlap
        return min(one, other, key=lambda each: each.size)
    if gap <= one.size:
        return Bits(other.low, min(one.size - gap, other.size))
    return Bits(one.low, min(other.size - back, one.size))


def evaluate(term: Term, args: Sequence[Values]) -> Values:
    """The interval of a term, given those of its arguments. The caller knows the intervals of variables."""
    return following(term)(args)


def following(term: Term) -> Callable[[Sequence[Values]], Values]:
    """The function from the intervals of a term's arguments to the term's own, for repeated evaluation."""
    if term.is_const:
        known = exactly(term.sort, term.value)
        return lambda _: known
    rule = _RULES.get(term.op)
    unknown = everything(term.sort)

    def follows(args: Sequence[Values]) -> Values:
        found = unknown if rule is None else rule(term, args)
        if _is_single(found):
            return found
        for each in args:
            if not _is_single(each):
                return found
        return _at_point(term, args)  # exact at a point, so that halving a box ends

    return follows


def _at_point(term: Term, args: Sequence[Values]) -> Values:
    sorts = tuple(arg.sort for arg in term.args)
    values = tuple(_only(sort, each) for sort, each in zip(sorts, args, strict=True))
    return exactly(term.sort, term.op.fold(sorts, term.params, values))


def _only(sort: Sort, values: Values) -> bool | int:
    """The value of an interval of one value."""
    if isinstance(values, Bits):
        return values.low
    if isinstance(values, Floats):
        assert isinstance(sort, Float)
        return sort.nan if values.nan else sf.from_ordinal(sort, values.low)
    return values == ALWAYS


# --- readings of bit-vectors ------------------------------------------------------------------------------------


def unsigned(bits: Bits, width: int) -> tuple[int, int]:
    """The least and the greatest number of the span, read as unsigned."""
    end = bits.low + bits.size
    return (0, (1 << width) - 1) if end >> width else (bits.low, end)


def signed(bits: Bits, width: int) -> tuple[int, int]:
    """The least and the greatest number of the span, read as signed."""
    half = 1 << (width - 1)
    low, high = unsigned(Bits((bits.low + half) & (2 * half - 1), bits.size), width)
    return low - half, high - half


def numbers(low: int, high: int, width: int) -> Bits:
    """The bit-vectors of the integers from low to high."""
    mask = (1 << width) - 1
    return Bits(0, mask) if high - low >= mask else Bits(low & mask, high - low)


def _narrower(one: Bits, other: Bits) -> Bits:
    return one if one.size <= other.size else other


def _width(term: Term) -> int:
    sort = term.sort
    assert isinstance(sort, BitVec)
    return sort.width


def _format(term: Term) -> Float:
    sort = term.sort
    assert isinstance(sort, Float)
    return sort


Rule = Callable[[Term, Sequence[Any]], Values]  # from the term and the intervals of its arguments
_RULES: Final[dict[Operator, Rule]] = {}


def _rule(operator: Operator) -> Callable[[Rule], Rule]:
    def enter(rule: Rule) -> Rule:
        _RULES[operator] = rule
        return rule

    return enter


# --- truth ------------------------------------------------------------------------------------------------------


def _junction(zero: int, unit: int) -> Rule:
    return lambda _, args: zero if zero in args else unit if all(each == unit for each in args) else EITHER


_RULES[ops.AND] = _junction(NEVER, ALWAYS)
_RULES[ops.OR] = _junction(ALWAYS, NEVER)
_RULES[ops.NOT] = lambda _, args: (args[0] & 1) << 1 | args[0] >> 1


@_rule(ops.EQ)
def _equal(term: Term, args: Sequence[Values]) -> Values:
    one, other = args
    if meet(term.args[0].sort, one, other) is None:
        return NEVER
    return ALWAYS if one == other and _is_single(one) else EITHER


def _is_single(values: Values) -> bool:
    if isinstance(values, Bits):
        return values.size == 0
    if isinstance(values, Floats):
        return values.low > values.high if values.nan else values.low == values.high
    return values != EITHER


@_rule(ops.ITE)
def _if(term: Term, args: Sequence[Values]) -> Values:
    condition, yes, no = args
    if condition == EITHER:
        return join(term.sort, yes, no)
    return yes if condition == ALWAYS else no


def join(sort: Sort, one: Values, other: Values) -> Values:
    """The smallest span around both."""
    if isinstance(one, Bits) and isinstance(other, Bits):
        assert isinstance(sort, BitVec)
        return _narrower(_from(one, other, sort), _from(other, one, sort))
    if isinstance(one, Floats) and isinstance(other, Floats):
        nan = one.nan or other.nan
        if one.low > one.high:
            return Floats(other.low, other.high, nan)
        if other.low > other.high:
            return Floats(one.low, one.high, nan)
        return Floats(min(one.low, other.low), max(one.high, other.high), nan)
    assert isinstance(one, int) and isinstance(other, int)
    return one | other


def _from(one: Bits, other: Bits, sort: BitVec) -> Bits:
    """The span from the beginning of `one` to the end of `other`."""
    gap = (other.low - one.low) & sort.mask
    return numbers(one.low, one.low + max(one.size, gap + other.size), sort.width)


def _less(a: int, b: int, c: int, d: int) -> int:
    """Whether a number from a to b is less than one from c to d."""
    return ALWAYS if b < c else NEVER if a >= d else EITHER


def _at_most(a: int, b: int, c: int, d: int) -> int:
    return ALWAYS if b <= c else NEVER if a > d else EITHER


def _same(a: int, b: int, c: int, d: int) -> int:
    return NEVER if b < c or d < a else ALWAYS if a == b == c == d else EITHER


# --- bit-vectors ------------------------------------------------------------------------------------------------

Reading = Callable[[Bits, int], tuple[int, int]]  # `unsigned` or `signed`


def _of_spans(rule: Callable[..., Bits]) -> Rule:
    """A rule given by the result's width and the arguments' spans."""
    return lambda term, args: rule(_width(term), *args)


def _of_ends(read: Reading, rule: Callable[..., Bits]) -> Rule:
    """A rule for two arguments of the result's width, given by that width and the ends of both arguments."""

    def apply(term: Term, args: Sequence[Bits]) -> Bits:
        width = _width(term)
        return rule(width, *read(args[0], width), *read(args[1], width))

    return apply


def _compares(read: Reading, decide: Callable[[int, int, int, int], int]) -> Rule:
    def apply(term: Term, args: Sequence[Bits]) -> int:
        width = _width(term.args[0])
        return decide(*read(args[0], width), *read(args[1], width))

    return apply


def _all_bits(width: int) -> Bits:
    return Bits(0, (1 << width) - 1)


def _ones(a: int, b: int) -> int:
    """The greatest number with as many bits as the longer of two."""
    return (1 << max(a.bit_length(), b.bit_length())) - 1


def _product(width: int, one: Bits, other: Bits) -> Bits:
    """Unsigned and signed readings give the same product modulo two to the width; the narrower span is taken."""
    found = []
    for read in (unsigned, signed):
        (a, b), (c, d) = read(one, width), read(other, width)
        products = (a * c, a * d, b * c, b * d)
        found.append(numbers(min(products), max(products), width))
    return _narrower(*found)


def _unsigned_remainder(width: int, a: int, b: int, c: int, d: int) -> Bits:
    if b < c:
        return numbers(a, b, width)
    if c == d > 0 and a // c == b // c:
        return numbers(a % c, b % c, width)
    return Bits(0, min(b, d - 1)) if c > 0 else Bits(0, b)


def _signed_quotient(width: int, a: int, b: int, c: int, d: int) -> Bits:
    if c <= 0 <= d:
        return _all_bits(width)
    quotients = [ops.truncated_quotient(x, y) for x in (a, b) for y in (c, d)]
    return numbers(min(quotients), max(quotients), width)


def _signed_remainder(width: int, a: int, b: int, c: int, d: int) -> Bits:
    if c <= 0 <= d:
        return _all_bits(width)
    quotient = ops.truncated_quotient(a, c)
    if a * b > 0 and c == d and quotient == ops.truncated_quotient(b, c):
        part = quotient * c
        return numbers(a - part, b - part, width)
    least = min(abs(c), abs(d))
    if -least < a and b < least:
        return numbers(a, b, width)
    most = max(abs(c), abs(d)) - 1
    return numbers(max(-most, min(a, 0)), min(most, max(b, 0)), width)


def _shifted_left(width: int, one: Bits, by: Bits) -> Bits:
    if by.size or by.low >= width:
        return Bits(0, 0) if not by.size else _all_bits(width)
    spans = [numbers(low << by.low, high << by.low, width) for low, high in (unsigned(one, width), signed(one, width))]
    return _narrower(*spans)


def _shifted_right(width: int, a: int, b: int, c: int, d: int) -> Bits:
    low, high = a >> min(d, width), b >> min(c, width)
    return Bits(low, high - low)


def _shifted_with_sign(width: int, one: Bits, by: Bits) -> Bits:
    steps = [min(each, width) for each in unsigned(by, width)]
    ends = [each >> step for each in signed(one, width) for step in steps]
    return numbers(min(ends), max(ends), width)


_RULES.update(
    {
        ops.BVADD: _of_spans(lambda w, x, y: numbers(x.low + y.low, x.low + y.low + x.size + y.size, w)),
        ops.BVSUB: _of_spans(lambda w, x, y: numbers(x.low - y.low - y.size, x.low + x.size - y.low, w)),
        ops.BVNEG: _of_spans(lambda w, x: numbers(-x.low - x.size, -x.low, w)),
        ops.BVNOT: _of_spans(lambda w, x: numbers(~(x.low + x.size), ~x.low, w)),
        ops.BVMUL: _of_spans(_product),
        ops.BVAND: _of_ends(unsigned, lambda w, a, b, c, d: Bits(0, min(b, d))),
        ops.BVOR: _of_ends(unsigned, lambda w, a, b, c, d: Bits(max(a, c), _ones(b, d) - max(a, c))),
        ops.BVXOR: _of_ends(unsigned, lambda w, a, b, c, d: Bits(0, _ones(b, d))),
        ops.BVUDIV: _of_ends(unsigned, lambda w, a, b, c, d: numbers(a // d, b // c, w) if c > 0 else _all_bits(w)),
        ops.BVUREM: _of_ends(unsigned, _unsigned_remainder),
        ops.BVSDIV: _of_ends(signed, _signed_quotient),
        ops.BVSREM: _of_ends(signed, _signed_remainder),
        ops.BVSHL: _of_spans(_shifted_left),
        ops.BVLSHR: _of_ends(unsigned, _shifted_right),
        ops.BVASHR: _of_spans(_shifted_with_sign),
        ops.BVULT: _compares(unsigned, _less),
        ops.BVULE: _compares(unsigned, _at_most),
        ops.BVSLT: _compares(signed, _less),
        ops.BVSLE: _compares(signed, _at_most),
    }
)


@_rule(ops.CONCAT)
def _concat(term: Term, args: Sequence[Bits]) -> Bits:
    low_width = _width(term.args[1])
    (a, b), (c, d) = unsigned(args[0], _width(term.args[0])), unsigned(args[1], low_width)
    first, last = a << low_width | c, b << low_width | d
    return Bits(first, last - first)


@_rule(ops.EXTRACT)
def _extract(term: Term, args: Sequence[Bits]) -> Bits:
    (one,) = args
    high, low = term.params
    kept = one if high + 1 == _width(term.args[0]) else numbers(one.low, one.low + one.size, high + 1)
    if low == 0:
        return kept
    a, b = unsigned(kept, high + 1)
    return Bits(a >> low, (b >> low) - (a >> low))


@_rule(ops.ZERO_EXTEND)
def _zero_extend(term: Term, args: Sequence[Bits]) -> Bits:
    low, high = unsigned(args[0], _width(term.args[0]))
    return Bits(low, high - low)


@_rule(ops.SIGN_EXTEND)
def _sign_extend(term: Term, args: Sequence[Bits]) -> Bits:
    return numbers(*signed(args[0], _width(term.args[0])), _width(term))


_MOST_ROWS: Final = 4096  # of a table, that a look-up reads


@_rule(ops.LOOKUP)
def _lookup(term: Term, args: Sequence[Bits]) -> Values:
    table = term.params[0]
    low, high = unsigned(args[0], _width(term.args[0]))
    last = min(high, len(table.rows))  # the rows after the last one written are zero
    if last - low > _MOST_ROWS:
        return everything(term.sort)
    rows = {table.at(row) for row in range(low, max(low, last) + 1)}
    return hull(term.sort, rows)


def hull(sort: Sort, values: Collection[int]) -> Values:
    """The smallest span around some values; there is at least one value."""
    if isinstance(sort, Float):
        places = [sf.ordinal(sort, value) for value in values if not sf.is_nan(sort, value)]
        nan = any(sf.is_nan(sort, value) for value in values)
        return Floats(min(places), max(places), nan) if places else _ONLY_NAN
    assert isinstance(sort, BitVec)
    ordered = sorted(values)
    plain = Bits(ordered[0], ordered[-1] - ordered[0])
    turned = sorted(ops.signed(value, sort.width) for value in ordered)
    return _narrower(plain, numbers(turned[0], turned[-1], sort.width))


# --- floats -----------------------------------------------------------------------------------------------------


def _floats(rule: Callable[..., Floats]) -> Rule:
    """A rule for arguments without NaN: if an argument can be NaN, or is only NaN, so is the result."""

    def apply(term: Term, args: Sequence[Floats]) -> Floats:
        if any(each.low > each.high for each in args):
            return _ONLY_NAN
        found = rule(term, *args)
        return found._replace(nan=True) if any(each.nan for each in args) else found

    return apply


def _span(form: Float, results: Iterable[int], *, nan: bool = False) -> Floats:
    """From the least to the greatest of some results; all floats if one result is NaN."""
    places = []
    for result in results:
        if sf.is_nan(form, result):
            return _all_floats(form)
        places.append(sf.total_order(form, result))
    low, high = min(places), max(places)
    # the ends of the arguments do not tell which zero an operation gives
    return Floats(-1 if low == 0 else low, 0 if high == -1 else high, nan)


def _all_floats(form: Float) -> Floats:
    return Floats(~form.infinity, form.infinity, True)


def _ends(form: Float, span: Floats) -> tuple[int, int]:
    return sf.from_ordinal(form, span.low), sf.from_ordinal(form, span.high)


def _is_unbounded(form: Float, span: Floats) -> bool:
    return span.low == ~form.infinity or span.high == form.infinity


def _has_zero(span: Floats) -> bool:
    return span.low <= 0 and span.high >= -1


@_rule(ops.FP_ADD)
@_floats
def _float_add(term: Term, one: Floats, other: Floats) -> Floats:
    form = _format(term)
    (a, b), (c, d) = _ends(form, one), _ends(form, other)
    opposite = _is_unbounded(form, one) and _is_unbounded(form, other)
    if opposite and (one.low == ~form.infinity or other.low == ~form.infinity):
        return _all_floats(form)  # the sum of opposite infinities is NaN
    return _span(form, (sf.add(form, a, c), sf.add(form, b, d)))


@_rule(ops.FP_SUB)
def _float_sub(term: Term, args: Sequence[Floats]) -> Values:
    one, other = args
    return _float_add(term, (one, Floats(~other.high, ~other.low, other.nan)))


def _at_corners(operate: Callable[..., int], may_be_nan: Callable[..., bool]) -> Rule:
    """The results at all combinations of the arguments' ends enclose the others, unless some result may be NaN."""

    @_floats
    def rule(term: Term, *spans: Floats) -> Floats:
        form = _format(term)
        if may_be_nan(form, *spans):
            return _all_floats(form)
        corners = itertools.product(*[_ends(form, each) for each in spans])
        return _span(form, (operate(form, *corner) for corner in corners))

    return rule


_RULES[ops.FP_MUL] = _at_corners(
    sf.mul, lambda f, x, y: (_is_unbounded(f, x) and _has_zero(y)) or (_is_unbounded(f, y) and _has_zero(x))
)
_RULES[ops.FP_DIV] = _at_corners(sf.div, lambda f, x, y: _has_zero(y) or (_is_unbounded(f, x) and _is_unbounded(f, y)))
_RULES[ops.FP_FMA] = _at_corners(sf.fma, lambda f, *spans: any(_is_unbounded(f, each) for each in spans))


@_rule(ops.FP_SQRT)
@_floats
def _float_sqrt(term: Term, one: Floats) -> Floats:
    form = _format(term)
    if one.high < -1:
        return _ONLY_NAN
    real = Floats(max(one.low, -1), one.high, False)
    return _span(form, (sf.sqrt(form, each) for each in _ends(form, real)), nan=one.low < -1)


_RULES[ops.FP_NEG] = _floats(lambda _, one: Floats(~one.high, ~one.low, False))


@_rule(ops.FP_ABS)
@_floats
def _float_abs(_: Term, one: Floats) -> Floats:
    if one.low >= 0:
        return Floats(one.low, one.high, False)
    if one.high < 0:
        return Floats(~one.high, ~one.low, False)
    return Floats(0, max(one.high, ~one.low), False)


@_rule(ops.FP_ROUND)
@_floats
def _float_round(term: Term, one: Floats) -> Floats:
    form, (mode,) = _format(term), term.params
    return _span(form, (sf.round_to_integral(form, mode, each) for each in _ends(form, one)))


@_rule(ops.FP_TO_FP)
@_floats
def _float_convert(term: Term, one: Floats) -> Floats:
    source, target = _format(term.args[0]), _format(term)
    return _span(target, (sf.convert(source, target, each) for each in _ends(source, one)))


def _from_integers(read: Reading) -> Rule:
    def rule(term: Term, args: Sequence[Bits]) -> Floats:
        form = _format(term)
        return _span(form, (sf.from_integer(form, each) for each in read(args[0], _width(term.args[0]))))

    return rule


_RULES[ops.SBV_TO_FP] = _from_integers(signed)
_RULES[ops.UBV_TO_FP] = _from_integers(unsigned)


def _to_integers(is_signed: bool) -> Rule:
    def rule(term: Term, args: Sequence[Floats]) -> Bits:
        (one,) = args
        (mode, width), form = term.params, _format(term.args[0])
        least, greatest = (-1 << (width - 1), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
        if one.low > one.high:
            return Bits(0, 0)  # a NaN gives 0, and so does a number that does not fit
        ends = [sf.to_integer(form, mode, each) for each in _ends(form, one)]
        low, high = ((least - 1, greatest + 1)[place] if end is None else end for place, end in enumerate(ends))
        fits = not one.nan and least <= low and high <= greatest
        if low > greatest or high < least:
            return Bits(0, 0)
        low, high = max(low, least), min(high, greatest)
        return numbers(low, high, width) if fits else numbers(min(low, 0), max(high, 0), width)

    return rule


_RULES[ops.FP_TO_SBV] = _to_integers(True)
_RULES[ops.FP_TO_UBV] = _to_integers(False)


@_rule(ops.FP_FROM_BITS)
def _from_bits(term: Term, args: Sequence[Bits]) -> Values:
    form = _format(term)
    low, high = unsigned(args[0], form.width)
    found: Values | None = None
    for first, last in ((low, min(high, form.sign_bit - 1)), (max(low, form.sign_bit), high)):
        if first <= last:
            part = by_place(form, sf.total_order(form, first), sf.total_order(form, last))
            found = part if found is None else join(form, found, part)
    assert found is not None
    return found


def by_place(form: Float, one: int, other: int) -> Floats:
    """The floats between two places of the total order, given in either order; the places beyond infinity are NaN."""
    low, high = min(one, other), max(one, other)
    nan = low < ~form.infinity or high > form.infinity
    low, high = max(low, ~form.infinity), min(high, form.infinity)
    return Floats(low, high, nan) if low <= high else _ONLY_NAN


def _compares_floats(decide: Callable[[int, int, int, int], int]) -> Rule:
    def rule(_: Term, args: Sequence[Floats]) -> int:
        one, other = args
        if one.low > one.high or other.low > other.high:
            return NEVER  # no comparison holds for NaN
        # comparisons do not distinguish the zeros, which are at -1 and at 0
        found = decide(*(0 if place == -1 else place for place in (one.low, one.high, other.low, other.high)))
        return EITHER if found == ALWAYS and (one.nan or other.nan) else found

    return rule


_RULES[ops.FP_LT] = _compares_floats(_less)
_RULES[ops.FP_LEQ] = _compares_floats(_at_most)
_RULES[ops.FP_EQ] = _compares_floats(_same)


@_rule(ops.FP_IS_NAN)
def _is_nan(_: Term, args: Sequence[Floats]) -> int:
    (one,) = args
    return NEVER if not one.nan else ALWAYS if one.low > one.high else EITHER


def _is_among(places: Callable[[Float], Sequence[tuple[int, int]]]) -> Rule:
    """Whether a float lies in one of some stretches of the order. NaN lies in none."""

    def rule(term: Term, args: Sequence[Floats]) -> int:
        (one,) = args
        stretches = [(max(a, one.low), min(b, one.high)) for a, b in places(_format(term.args[0]))]
        inside = [(a, b) for a, b in stretches if a <= b]
        if not inside:
            return NEVER
        return ALWAYS if not one.nan and (one.low, one.high) in inside else EITHER

    return rule


def _hidden(form: Float) -> int:
    return 1 << (form.significand - 1)  # the least normal number


_RULES[ops.FP_IS_INF] = _is_among(lambda f: ((~f.infinity, ~f.infinity), (f.infinity, f.infinity)))
_RULES[ops.FP_IS_ZERO] = _is_among(lambda f: ((-1, 0),))
_RULES[ops.FP_IS_NORMAL] = _is_among(lambda f: ((~(f.infinity - 1), ~_hidden(f)), (_hidden(f), f.infinity - 1)))
_RULES[ops.FP_IS_SUBNORMAL] = _is_among(lambda f: ((~(_hidden(f) - 1), -2), (1, _hidden(f) - 1)))
_RULES[ops.FP_IS_NEGATIVE] = _is_among(lambda f: ((~f.infinity, -1),))
_RULES[ops.FP_IS_POSITIVE] = _is_among(lambda f: ((0, f.infinity),))

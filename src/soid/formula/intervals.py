"""Interval arithmetic: which values a term can have while its variables stay within bounds.

Rounding is monotone, so a float operation on two spans gives a span whose ends are the operation's results at their
ends, exact to the bit. NaN and both zeros are tracked. Bit-vectors are spans modulo two to their width, so a sum that
wraps around, or the numbers -1 to 1, stay a short span. An operator without a close rule gives all values of its sort:
a span may be too wide, but never too narrow.

    x in 1.0 to 1.5                   (int)(x / 0.585)  is 1 to 2,    x < 0.9  is never true

The module is long because each operator has a rule, and the same test checks all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

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


Rule = Callable[[Term, Sequence[Values]], Values]
_RULES: Final[dict[Operator, Rule]] = {}


def _rule(*operators: Operator) -> Callable[[Rule], Rule]:
    def enter(rule: Rule) -> Rule:
        for operator in operators:
            _RULES[operator] = rule
        return rule

    return enter


# --- truth ------------------------------------------------------------------------------------------------------


@_rule(ops.NOT)
def _not(_: Term, args: Sequence[Values]) -> Values:
    (one,) = args
    assert isinstance(one, int)
    return (one & 1) << 1 | one >> 1


@_rule(ops.AND)
def _and(_: Term, args: Sequence[Values]) -> Values:
    if NEVER in args:
        return NEVER
    return ALWAYS if all(each == ALWAYS for each in args) else EITHER


@_rule(ops.OR)
def _or(_: Term, args: Sequence[Values]) -> Values:
    if ALWAYS in args:
        return ALWAYS
    return NEVER if all(each == NEVER for each in args) else EITHER


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
    if condition == ALWAYS:
        return yes
    if condition == NEVER:
        return no
    return join(term.sort, yes, no)


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


# --- bit-vectors ------------------------------------------------------------------------------------------------


def _integers(rule: Callable[[Term, list[Bits]], Bits]) -> Rule:
    def apply(term: Term, args: Sequence[Values]) -> Values:
        return rule(term, [each for each in args if isinstance(each, Bits)])

    return apply


@_rule(ops.BVADD)
@_integers
def _add(term: Term, args: list[Bits]) -> Bits:
    one, other = args
    low = one.low + other.low
    return numbers(low, low + one.size + other.size, _width(term))


@_rule(ops.BVSUB)
@_integers
def _sub(term: Term, args: list[Bits]) -> Bits:
    one, other = args
    return numbers(one.low - other.low - other.size, one.low + one.size - other.low, _width(term))


@_rule(ops.BVNEG)
@_integers
def _neg(term: Term, args: list[Bits]) -> Bits:
    (one,) = args
    return numbers(-one.low - one.size, -one.low, _width(term))


@_rule(ops.BVNOT)
@_integers
def _complement(term: Term, args: list[Bits]) -> Bits:
    (one,) = args
    return numbers(~(one.low + one.size), ~one.low, _width(term))


@_rule(ops.BVMUL)
@_integers
def _mul(term: Term, args: list[Bits]) -> Bits:
    """Unsigned and signed readings give the same product modulo two to the width; the narrower span is taken."""
    width = _width(term)
    found = []
    for read in (unsigned, signed):
        (a, b), (c, d) = (read(each, width) for each in args)
        products = (a * c, a * d, b * c, b * d)
        found.append(numbers(min(products), max(products), width))
    return _narrower(*found)


@_rule(ops.BVAND)
@_integers
def _bit_and(term: Term, args: list[Bits]) -> Bits:
    (_, a), (_, b) = (unsigned(each, _width(term)) for each in args)
    return Bits(0, min(a, b))


@_rule(ops.BVOR)
@_integers
def _bit_or(term: Term, args: list[Bits]) -> Bits:
    (a, b), (c, d) = (unsigned(each, _width(term)) for each in args)
    low, high = max(a, c), (1 << max(b.bit_length(), d.bit_length())) - 1
    return Bits(low, high - low)


@_rule(ops.BVXOR)
@_integers
def _bit_xor(term: Term, args: list[Bits]) -> Bits:
    (_, b), (_, d) = (unsigned(each, _width(term)) for each in args)
    return Bits(0, (1 << max(b.bit_length(), d.bit_length())) - 1)


@_rule(ops.BVUDIV)
@_integers
def _unsigned_quotient(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    (a, b), (c, d) = (unsigned(each, width) for each in args)
    return numbers(a // d, b // c, width) if c > 0 else Bits(0, (1 << width) - 1)


@_rule(ops.BVUREM)
@_integers
def _unsigned_remainder(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    (a, b), (c, d) = (unsigned(each, width) for each in args)
    if b < c:
        return numbers(a, b, width)
    if c == d > 0 and a // c == b // c:
        return numbers(a % c, b % c, width)
    return Bits(0, min(b, d - 1)) if c > 0 else Bits(0, b)


@_rule(ops.BVSDIV)
@_integers
def _signed_quotient(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    (a, b), (c, d) = (signed(each, width) for each in args)
    if c <= 0 <= d:
        return Bits(0, (1 << width) - 1)
    quotients = [ops.truncated_quotient(x, y) for x in (a, b) for y in (c, d)]
    return numbers(min(quotients), max(quotients), width)


@_rule(ops.BVSREM)
@_integers
def _signed_remainder(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    (a, b), (c, d) = (signed(each, width) for each in args)
    if c <= 0 <= d:
        return Bits(0, (1 << width) - 1)
    quotient = ops.truncated_quotient(a, c)
    if a * b > 0 and c == d and quotient == ops.truncated_quotient(b, c):
        part = quotient * c
        return numbers(a - part, b - part, width)
    least = min(abs(c), abs(d))
    if -least < a and b < least:
        return numbers(a, b, width)
    most = max(abs(c), abs(d)) - 1
    return numbers(max(-most, min(a, 0)), min(most, max(b, 0)), width)


@_rule(ops.BVSHL)
@_integers
def _shifted_left(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    one, by = args
    if by.size or by.low >= width:
        return Bits(0, 0) if not by.size else Bits(0, (1 << width) - 1)
    spans = [numbers(low << by.low, high << by.low, width) for low, high in (unsigned(one, width), signed(one, width))]
    return _narrower(*spans)


@_rule(ops.BVLSHR)
@_integers
def _shifted_right(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    (a, b), (c, d) = (unsigned(each, width) for each in args)
    low, high = a >> min(d, width), b >> min(c, width)
    return Bits(low, high - low)


@_rule(ops.BVASHR)
@_integers
def _shifted_with_sign(term: Term, args: list[Bits]) -> Bits:
    width = _width(term)
    a, b = signed(args[0], width)
    c, d = (min(each, width) for each in unsigned(args[1], width))
    ends = [each >> by for each in (a, b) for by in (c, d)]
    return numbers(min(ends), max(ends), width)


@_rule(ops.CONCAT)
@_integers
def _concat(term: Term, args: list[Bits]) -> Bits:
    low_width = _width(term.args[1])
    (a, b), (c, d) = unsigned(args[0], _width(term.args[0])), unsigned(args[1], low_width)
    first, last = a << low_width | c, b << low_width | d
    return Bits(first, last - first)


@_rule(ops.EXTRACT)
@_integers
def _extract(term: Term, args: list[Bits]) -> Bits:
    (one,) = args
    high, low = term.params
    kept = one if high + 1 == _width(term.args[0]) else numbers(one.low, one.low + one.size, high + 1)
    if low == 0:
        return kept
    a, b = unsigned(kept, high + 1)
    return Bits(a >> low, (b >> low) - (a >> low))


@_rule(ops.ZERO_EXTEND)
@_integers
def _zero_extend(term: Term, args: list[Bits]) -> Bits:
    low, high = unsigned(args[0], _width(term.args[0]))
    return Bits(low, high - low)


@_rule(ops.SIGN_EXTEND)
@_integers
def _sign_extend(term: Term, args: list[Bits]) -> Bits:
    return numbers(*signed(args[0], _width(term.args[0])), _width(term))


def _compares(read: Callable[[Bits, int], tuple[int, int]], strict: bool) -> Rule:
    def rule(term: Term, args: Sequence[Values]) -> Values:
        width = _width(term.args[0])
        (a, b), (c, d) = (read(each, width) for each in args if isinstance(each, Bits))
        if strict:
            return ALWAYS if b < c else NEVER if a >= d else EITHER
        return ALWAYS if b <= c else NEVER if a > d else EITHER

    return rule


_RULES[ops.BVULT] = _compares(unsigned, True)
_RULES[ops.BVULE] = _compares(unsigned, False)
_RULES[ops.BVSLT] = _compares(signed, True)
_RULES[ops.BVSLE] = _compares(signed, False)

_MOST_ROWS: Final = 4096  # of a table, that a look-up reads


@_rule(ops.LOOKUP)
def _lookup(term: Term, args: Sequence[Values]) -> Values:
    (index,) = args
    assert isinstance(index, Bits)
    table = term.params[0]
    low, high = unsigned(index, _width(term.args[0]))
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


def _floats(rule: Callable[[Term, list[Floats]], Floats]) -> Rule:
    """A rule for arguments without NaN: if an argument can be NaN, or is only NaN, so is the result."""

    def apply(term: Term, args: Sequence[Values]) -> Values:
        spans = [each for each in args if isinstance(each, Floats)]
        if any(each.low > each.high for each in spans):
            return _ONLY_NAN
        found = rule(term, spans)
        return found._replace(nan=True) if any(each.nan for each in spans) else found

    return apply


def _span(form: Float, results: Iterable[int], *, nan: bool = False) -> Floats:
    """From the least to the greatest of some results; all floats if one result is NaN."""
    places = []
    for result in results:
        if sf.is_nan(form, result):
            return Floats(~form.infinity, form.infinity, True)
        places.append(sf.total_order(form, result))
    low, high = min(places), max(places)
    # the ends of the arguments do not tell which zero an operation gives
    return Floats(-1 if low == 0 else low, 0 if high == -1 else high, nan)


def _ends(form: Float, span: Floats) -> tuple[int, int]:
    return sf.from_ordinal(form, span.low), sf.from_ordinal(form, span.high)


def _is_unbounded(form: Float, span: Floats) -> bool:
    return span.low == ~form.infinity or span.high == form.infinity


def _has_zero(span: Floats) -> bool:
    return span.low <= 0 and span.high >= -1


@_rule(ops.FP_ADD)
@_floats
def _float_add(term: Term, args: list[Floats]) -> Floats:
    return _float_sum(_format(term), *args)


@_rule(ops.FP_SUB)
@_floats
def _float_sub(term: Term, args: list[Floats]) -> Floats:
    one, other = args
    return _float_sum(_format(term), one, Floats(~other.high, ~other.low, other.nan))


def _float_sum(form: Float, one: Floats, other: Floats) -> Floats:
    (a, b), (c, d) = _ends(form, one), _ends(form, other)
    opposite = _is_unbounded(form, one) and _is_unbounded(form, other)
    if opposite and (one.low == ~form.infinity or other.low == ~form.infinity):
        return Floats(~form.infinity, form.infinity, True)  # the sum of opposite infinities is NaN
    return _span(form, (sf.add(form, a, c), sf.add(form, b, d)))


@_rule(ops.FP_MUL)
@_floats
def _float_mul(term: Term, args: list[Floats]) -> Floats:
    form = _format(term)
    one, other = args
    if any(_is_unbounded(form, x) and _has_zero(y) for x, y in ((one, other), (other, one))):
        return Floats(~form.infinity, form.infinity, True)
    return _span(form, (sf.mul(form, x, y) for x in _ends(form, one) for y in _ends(form, other)))


@_rule(ops.FP_DIV)
@_floats
def _float_div(term: Term, args: list[Floats]) -> Floats:
    form = _format(term)
    one, other = args
    if _has_zero(other) or (_is_unbounded(form, one) and _is_unbounded(form, other)):
        return Floats(~form.infinity, form.infinity, True)
    return _span(form, (sf.div(form, x, y) for x in _ends(form, one) for y in _ends(form, other)))


@_rule(ops.FP_FMA)
@_floats
def _float_fma(term: Term, args: list[Floats]) -> Floats:
    form = _format(term)
    if any(_is_unbounded(form, each) for each in args):
        return Floats(~form.infinity, form.infinity, True)
    one, other, last = (_ends(form, each) for each in args)
    return _span(form, (sf.fma(form, x, y, z) for x in one for y in other for z in last))


@_rule(ops.FP_SQRT)
@_floats
def _float_sqrt(term: Term, args: list[Floats]) -> Floats:
    form = _format(term)
    (one,) = args
    if one.high < -1:
        return _ONLY_NAN
    real = Floats(max(one.low, -1), one.high, False)
    return _span(form, (sf.sqrt(form, each) for each in _ends(form, real)), nan=one.low < -1)


@_rule(ops.FP_NEG)
@_floats
def _float_neg(_: Term, args: list[Floats]) -> Floats:
    (one,) = args
    return Floats(~one.high, ~one.low, False)


@_rule(ops.FP_ABS)
@_floats
def _float_abs(_: Term, args: list[Floats]) -> Floats:
    (one,) = args
    if one.low >= 0:
        return Floats(one.low, one.high, False)
    if one.high < 0:
        return Floats(~one.high, ~one.low, False)
    return Floats(0, max(one.high, ~one.low), False)


@_rule(ops.FP_ROUND)
@_floats
def _float_round(term: Term, args: list[Floats]) -> Floats:
    form, (mode,) = _format(term), term.params
    return _span(form, (sf.round_to_integral(form, mode, each) for each in _ends(form, args[0])))


@_rule(ops.FP_TO_FP)
@_floats
def _float_convert(term: Term, args: list[Floats]) -> Floats:
    source, target = _format(term.args[0]), _format(term)
    return _span(target, (sf.convert(source, target, each) for each in _ends(source, args[0])))


def _from_integers(read: Callable[[Bits, int], tuple[int, int]]) -> Rule:
    def rule(term: Term, args: Sequence[Values]) -> Values:
        (one,) = args
        assert isinstance(one, Bits)
        form = _format(term)
        return _span(form, (sf.from_integer(form, each) for each in read(one, _width(term.args[0]))))

    return rule


_RULES[ops.SBV_TO_FP] = _from_integers(signed)
_RULES[ops.UBV_TO_FP] = _from_integers(unsigned)


def _to_integers(is_signed: bool) -> Rule:
    def rule(term: Term, args: Sequence[Values]) -> Values:
        (one,) = args
        assert isinstance(one, Floats)
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
def _from_bits(term: Term, args: Sequence[Values]) -> Values:
    (one,) = args
    assert isinstance(one, Bits)
    form = _format(term)
    low, high = unsigned(one, form.width)
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


def _compares_floats(decide: Callable[[Floats, Floats], bool | None]) -> Rule:
    def rule(_: Term, args: Sequence[Values]) -> Values:
        one, other = args
        assert isinstance(one, Floats) and isinstance(other, Floats)
        if one.low > one.high or other.low > other.high:
            return NEVER  # no comparison holds for NaN
        found = decide(_one_zero(one), _one_zero(other))
        if found is False:
            return NEVER
        return ALWAYS if found and not (one.nan or other.nan) else EITHER

    return rule


def _one_zero(span: Floats) -> Floats:
    """The span with both zeros as one place, because comparisons do not distinguish them."""
    return Floats(0 if span.low == -1 else span.low, 0 if span.high == -1 else span.high, span.nan)


def _less(one: Floats, other: Floats) -> bool | None:
    return True if one.high < other.low else False if one.low >= other.high else None


def _at_most(one: Floats, other: Floats) -> bool | None:
    return True if one.high <= other.low else False if one.low > other.high else None


def _same(one: Floats, other: Floats) -> bool | None:
    if one.high < other.low or other.high < one.low:
        return False
    return True if one.low == one.high == other.low == other.high else None


_RULES[ops.FP_LT] = _compares_floats(_less)
_RULES[ops.FP_LEQ] = _compares_floats(_at_most)
_RULES[ops.FP_EQ] = _compares_floats(_same)


@_rule(ops.FP_IS_NAN)
def _is_nan(_: Term, args: Sequence[Values]) -> Values:
    (one,) = args
    assert isinstance(one, Floats)
    return NEVER if not one.nan else ALWAYS if one.low > one.high else EITHER


def _is_among(places: Callable[[Float], Sequence[tuple[int, int]]]) -> Rule:
    """Whether a float lies in one of some stretches of the order. NaN lies in none."""

    def rule(term: Term, args: Sequence[Values]) -> Values:
        (one,) = args
        assert isinstance(one, Floats)
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

"""The bounds of terms that conditions compare with constants.

A program compares one value with many thresholds. On a path with `x > 150`, the negation of `x > 20` is impossible,
and no solver is needed. Bounds are exact: floats are compared by their place in the order of all floats, both zeros
count as one value, and NaN, for which no comparison holds, is tracked.

>>> from soid.formula.build import const, fp_lt, var
>>> from soid.formula.sorts import FLOAT32
>>> from soid.formula.softfloat import float_to_bits32
>>> x, one, two = var("x", FLOAT32), *(const(FLOAT32, float_to_bits32(value)) for value in (1.0, 2.0))
>>> known = Bounds()
>>> known.learn(fp_lt(two, x))
>>> known.decides(fp_lt(one, x)), known.decides(fp_lt(x, one)), known.decides(fp_lt(x, const(FLOAT32, 0x7F000000)))
(True, False, None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, final

from msgspec import Struct

from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.intervals import Bits, Values
from soid.formula.operators import CONST, signed
from soid.formula.passes import flatten_and
from soid.formula.sorts import BitVec, Float, Sort
from soid.formula.term import Term


@final
class Span(Struct, frozen=True):
    """The values from one place in the order to another, and perhaps NaN."""

    low: int
    high: int
    nan: bool = False

    @property
    def is_empty(self) -> bool:
        return self.low > self.high and not self.nan

    def meet(self, other: Span) -> Span:
        return Span(max(self.low, other.low), min(self.high, other.high), self.nan and other.nan)

    def hull(self, other: Span) -> Span:
        """The smallest span around both."""
        spans = [span for span in (self, other) if span.low <= span.high] or [self]
        low, high = min(span.low for span in spans), max(span.high for span in spans)
        return Span(low, high, self.nan or other.nan)

    def within(self, other: Span) -> bool:
        inside = self.low > self.high or (other.low <= self.low and self.high <= other.high)
        return inside and (other.nan or not self.nan)


#: the order in which a comparison reads its operands
UNSIGNED: Final = "unsigned"
SIGNED: Final = "signed"
FLOAT: Final = "float"

Key = tuple[Term, str]

_NONE: Final[frozenset[int]] = frozenset()
_FEW: Final = 16  # fewer values than this are checked one by one

_ORDERS: Final = {
    ops.BVULT: (UNSIGNED, True),
    ops.BVULE: (UNSIGNED, False),
    ops.BVSLT: (SIGNED, True),
    ops.BVSLE: (SIGNED, False),
    ops.FP_LT: (FLOAT, True),
    ops.FP_LEQ: (FLOAT, False),
}


@final
class Bounds:
    """The spans of terms on one path; copied where the path forks."""

    __slots__ = ("_others", "_spans")

    def __init__(
        self, spans: Mapping[Key, Span] | None = None, others: Mapping[Term, frozenset[int]] | None = None
    ) -> None:
        self._spans = dict(spans or {})
        self._others = dict(others or {})  # by bit-vector: the constants that it differs from

    def copy(self) -> Bounds:
        return Bounds(self._spans, self._others)

    def learn(self, condition: Term) -> None:
        """Assume a condition."""
        for conjunct in flatten_and([condition]):
            compared = span_of(conjunct)
            if compared is not None:
                key, span = compared
                self._spans[key] = self._of(key).meet(span)
            differs = _difference(conjunct)
            if differs is not None:
                term, constant = differs
                self._others[term] = self._others.get(term, _NONE) | {constant}

    def either(self, other: Bounds) -> Bounds:
        """The bounds that hold wherever these or the other bounds hold."""
        spans = {key: span.hull(other._spans[key]) for key, span in self._spans.items() if key in other._spans}
        return Bounds(spans, {term: each & other._others.get(term, _NONE) for term, each in self._others.items()})

    def decides(self, condition: Term, reach: Callable[[Term], Values] | None = None) -> bool | None:
        """Whether a condition holds in every state of the path (True) or in none (False); None if neither follows.

        `reach` gives an interval of a term that may exclude further values.
        """
        differs = _difference(condition)
        if differs is not None:
            return self._differs(*differs, reach)
        compared = span_of(condition)
        if compared is None:
            return None
        key, span = compared
        known = self._of(key)
        if known.meet(span).is_empty or (span.low == span.high and span.low in self._others.get(key[0], _NONE)):
            return False
        return True if known.within(span) else None

    def _differs(self, term: Term, constant: int, reach: Callable[[Term], Values] | None) -> bool | None:
        """Whether a bit-vector differs from a constant."""
        others = self._others.get(term, _NONE)
        known = self._of((term, UNSIGNED))
        if constant in others or not known.low <= constant <= known.high:
            return True
        left = reach(term) if reach is not None else None
        if not isinstance(left, Bits) or left.size >= _FEW:
            return False if known.low == known.high else None
        assert isinstance(term.sort, BitVec)
        values = {(left.low + each) & term.sort.mask for each in range(left.size + 1)}
        values = {value for value in values - others if known.low <= value <= known.high}
        return False if values <= {constant} else None

    def _of(self, key: Key) -> Span:
        return self._spans.get(key) or _everything(key[0].sort, key[1])


def _difference(condition: Term) -> tuple[Term, int] | None:
    """The bit-vector and the constant, if a condition says that they differ."""
    same = _equality(condition.args[0]) if condition.op is ops.NOT else None
    return None if same is None else (same[0][0], same[1].low)


def _equality(condition: Term) -> tuple[Key, Span] | None:
    if condition.op is not ops.EQ or not isinstance(condition.args[0].sort, BitVec):
        return None
    for term, constant in (condition.args, condition.args[::-1]):
        if constant.op is CONST:
            return (term, UNSIGNED), Span(constant.value, constant.value)
    return None


def span_of(condition: Term) -> tuple[Key, Span] | None:
    """The term that a condition compares with a constant, the order of the comparison, and the span it leaves."""
    if condition.op is ops.EQ:
        return _equality(condition)
    if condition.op is ops.NOT:
        compared = _comparison(condition.args[0])
        return None if compared is None else (compared[0], _outside(*compared))
    return _comparison(condition)


def _comparison(condition: Term) -> tuple[Key, Span] | None:
    found = _ORDERS.get(condition.op)
    if found is None:
        return None
    order, strict = found
    left, right = condition.args
    if right.op is CONST and not _is_nan(right):
        low, high = _place(right, order)
        whole = _everything(left.sort, order)
        return (left, order), Span(whole.low, low - 1 if strict else high)
    if left.op is CONST and not _is_nan(left):
        low, high = _place(left, order)
        whole = _everything(right.sort, order)
        return (right, order), Span(high + 1 if strict else low, whole.high)
    return None


def _outside(key: Key, span: Span) -> Span:
    """The span where a comparison does not hold: the other side, and NaN."""
    whole = _everything(key[0].sort, key[1])
    if span.low == whole.low:
        return Span(span.high + 1, whole.high, whole.nan)
    return Span(whole.low, span.low - 1, whole.nan)


def _is_nan(constant: Term) -> bool:
    return isinstance(constant.sort, Float) and bool(constant.value == constant.sort.nan)


def _place(constant: Term, order: str) -> tuple[int, int]:
    """The first and the last place of the values that a comparison takes as equal; only for zeros do they differ."""
    sort, value = constant.sort, constant.value
    if isinstance(sort, Float):
        if sf.is_zero(sort, value):
            return sf.ordinal(sort, sort.sign_bit), sf.ordinal(sort, 0)
        place = sf.ordinal(sort, value)
        return place, place
    assert isinstance(sort, BitVec)
    number = signed(value, sort.width) if order == SIGNED else value
    return number, number


def _everything(sort: Sort, order: str) -> Span:
    if isinstance(sort, Float):
        return Span(~sort.infinity, sort.infinity, nan=True)
    assert isinstance(sort, BitVec)
    half = 1 << (sort.width - 1)
    return Span(-half, half - 1) if order == SIGNED else Span(0, 2 * half - 1)

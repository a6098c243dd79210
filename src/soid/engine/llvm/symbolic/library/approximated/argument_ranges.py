"""The expected range of an argument, from the precondition's ranges: it guides the choice of cells.

    precondition  0 <= x and x <= 10        argument  x * 2 + 1        expected  1 to 21

It is only a guide. Cells are facts wherever they lie, so a range that is too narrow loses knowledge, never truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, final

from soid.engine.llvm.symbolic.library.approximated.ordinals import Span
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.build import fp_from_bits
from soid.formula.operators import Operator, signed
from soid.formula.passes import flatten_and
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64, BitVec, Float
from soid.formula.term import Term, postorder


@final
class Ranges:
    """Ranges that a precondition gives to terms, and ranges computed from them."""

    def __init__(self, precondition: Term) -> None:
        self._given: dict[Term, Span] = {}
        for term in flatten_and([precondition]):
            self._learn(term)
        self._known: dict[Term, Span] = {}

    def of(self, root: Term) -> Span:
        """The expected range of a float term."""
        for term in postorder([root]):
            if term not in self._known:
                self._known[term] = _meet(self._given.get(term), self._computed(term))
        return self._known[root]

    def expect(self, symbol: Term, span: Span) -> None:
        """Set the range of a symbol."""
        self._known[symbol] = span

    def _learn(self, term: Term) -> None:
        if term.op in (ops.FP_LEQ, ops.FP_LT, ops.BVSLE, ops.BVSLT):
            low, high = term.args
            if low.is_const:
                self._narrow(high, (_place(low) - _is_zero(low), _everything(high)[1]))
            elif high.is_const:
                self._narrow(low, (_everything(low)[0], _place(high)))
        elif term.op is ops.EQ or term.op is ops.OR:
            pairs = [_pair(each) for each in (term.args if term.op is ops.OR else (term,))]
            found = [pair for pair in pairs if pair is not None]
            if len(found) == len(pairs) and len({variable for variable, _ in found}) == 1:
                self._values(found[0][0], [value for _, value in found])

    def _values(self, variable: Term, values: list[int]) -> None:
        """Learn that a variable has one of some values; if it is the bits of a float, learn it of the float too."""
        sort = variable.sort
        if isinstance(sort, BitVec):
            numbers = [signed(value, sort.width) for value in values]
            self._narrow(variable, (min(numbers), max(numbers)))
            format = _FORMATS.get(sort.width)
            if format is not None and not any(sf.is_nan(format, value) for value in values):
                places = [sf.ordinal(format, value) for value in values]
                self._narrow(fp_from_bits(format, variable), (min(places), max(places)))

    def _narrow(self, term: Term, span: Span) -> None:
        self._given[term] = _meet(self._given.get(term), span)

    def _computed(self, term: Term) -> Span:
        everything = _everything(term)
        if term.is_const:
            return _place(term), _place(term)
        rule = _RULES.get(term.op)
        found = rule(term, self._known) if rule is not None else None
        return everything if found is None else _meet(everything, found)


_FORMATS: Final = {format.width: format for format in (FLOAT16, FLOAT32, FLOAT64)}


def _everything(term: Term) -> Span:
    sort = term.sort
    if isinstance(sort, Float):
        return ~sort.infinity, sort.infinity
    if isinstance(sort, BitVec):
        return -(1 << (sort.width - 1)), (1 << (sort.width - 1)) - 1
    return 0, 1


def _place(constant: Term) -> int:
    sort = constant.sort
    if isinstance(sort, Float):
        return 0 if sf.is_nan(sort, constant.value) else sf.ordinal(sort, constant.value)
    return signed(constant.value, sort.width) if isinstance(sort, BitVec) else int(constant.value)


def _is_zero(constant: Term) -> bool:
    """Whether a constant is +0.0, to which -0.0 compares equal."""
    return isinstance(constant.sort, Float) and constant.value == 0


def _pair(term: Term) -> tuple[Term, int] | None:
    """A variable and the value that an equation gives it."""
    if term.op is ops.EQ:
        for one, other in (term.args, term.args[::-1]):
            if one.is_var and other.is_const:
                return one, int(other.value)
    return None


def _meet(one: Span | None, other: Span) -> Span:
    if one is None:
        return other
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else other


# --- rules: the range of a term from those of its arguments -------------------------------------------------------

Known = Mapping[Term, Span]


def _at_corners(term: Term, known: Known, compute: Callable[..., int]) -> Span | None:
    """Rounded arithmetic is monotone in each argument, so its extremes are at the ends of the ranges."""
    sort = term.sort
    assert isinstance(sort, Float)
    corners: list[tuple[int, ...]] = [()]
    for argument in term.args:
        corners = [(*c, sf.from_ordinal(argument.sort, end)) for c in corners for end in known[argument]]  # type: ignore[arg-type]
    found = [compute(term, *corner) for corner in corners]
    if any(sf.is_nan(sort, bits) for bits in found):
        return None
    places = [sf.ordinal(sort, bits) for bits in found]
    return min(places), max(places)


def _arithmetic(function: Callable[..., int]) -> Callable[[Term, Known], Span | None]:
    return lambda term, known: _at_corners(term, known, lambda t, *bits: function(t.sort, *bits))


def _division(term: Term, known: Known) -> Span | None:
    low, high = known[term.args[1]]
    return None if low <= 0 <= high or low <= -1 <= high else _arithmetic(sf.div)(term, known)


def _absolute(term: Term, known: Known) -> Span | None:
    low, high = known[term.args[0]]
    if low >= 0:
        return low, high
    return (~high, ~low) if high < 0 else (0, max(~low, high))


def _converted(term: Term, known: Known) -> Span | None:
    return _at_corners(term, known, lambda t, bits: sf.convert(t.args[0].sort, t.sort, bits))


def _from_integer(term: Term, known: Known) -> Span | None:
    sort = term.sort
    assert isinstance(sort, Float)
    low, high = (sf.ordinal(sort, sf.from_integer(sort, end)) for end in known[term.args[0]])
    return low, high


def _from_unsigned(term: Term, known: Known) -> Span | None:
    return _from_integer(term, known) if known[term.args[0]][0] >= 0 else None


def _either(term: Term, known: Known) -> Span | None:
    (a, b), (c, d) = known[term.args[1]], known[term.args[2]]
    return min(a, c), max(b, d)


def _square_root(term: Term, known: Known) -> Span | None:
    low, high = known[term.args[0]]
    sort = term.sort
    assert isinstance(sort, Float)
    ends = (sf.sqrt(sort, sf.from_ordinal(sort, max(0, end))) for end in (low, high))
    first, last = (sf.ordinal(sort, end) for end in ends)
    return first, last


_RULES: Final[dict[Operator, Callable[[Term, Known], Span | None]]] = {
    ops.FP_ADD: _arithmetic(sf.add),
    ops.FP_SUB: _arithmetic(sf.sub),
    ops.FP_MUL: _arithmetic(sf.mul),
    ops.FP_DIV: _division,
    ops.FP_NEG: _arithmetic(sf.neg),
    ops.FP_ABS: _absolute,
    ops.FP_SQRT: _square_root,
    ops.FP_TO_FP: _converted,
    ops.SBV_TO_FP: _from_integer,
    ops.UBV_TO_FP: _from_unsigned,
    ops.SIGN_EXTEND: lambda term, known: known[term.args[0]],
    ops.ZERO_EXTEND: lambda term, known: known[term.args[0]] if known[term.args[0]][0] >= 0 else None,
    ops.ITE: _either,
}

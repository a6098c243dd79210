"""The enclosure of an approximated result: bounds over cells of arguments, and the library's results at points.

Every fact is an implication that holds for all arguments: "if x lies in this cell, the result lies between these
bounds". The choice of cells therefore decides how much is known, never whether it is true.

    exp(x), x in 0 to 2     0 <= x < 1: 1 <= exp(x) <= 2.72      1 <= x <= 2: 2.71 <= exp(x) <= 7.39      x = 0: 1
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.symbolic.library.approximated.cell_tree import (
    Box,
    Span,
    Tree,
    constant,
    cuts,
    grown,
    leaves,
    lies,
    nearest,
    parted,
    read,
)
from soid.engine.llvm.symbolic.library.approximated.math_library import MathLibrary
from soid.engine.llvm.symbolic.library.approximated.true_functions import FUNCTIONS, TrueFunction, bounds
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.cell_function import Rise
from soid.formula.intervals import Floats, Values, everything
from soid.formula.sorts import Float
from soid.formula.term import Term

_AT_FIRST: Final = {0: 1, 1: 16, 2: 4}  # equal parts of each argument's range, by the number of arguments that vary
_CLOSER: Final = {0: 1, 1: 4, 2: 2}


@final
class Cells(Struct, frozen=True):
    """The enclosure of one approximated result."""

    function: TrueFunction
    format: Float
    symbol: Term
    arguments: tuple[Term, ...]
    library: MathLibrary
    tree: Tree | None  # None: there are no bounds over cells
    points: tuple[tuple[int, ...], ...]  # bits of arguments for which the library was asked

    def facts(self) -> tuple[Term, ...]:
        at_points = (self._at(point) for point in self.points)
        special = _rules(self.function, self.format, self.arguments, self.symbol)
        over_cells = [self._between(self.tree)] if self.tree is not None else []
        return tuple(fact for fact in (*special, *at_points, *over_cells) if fact is not build.TRUE)

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        anything = everything(self.format)
        if not all(isinstance(each, Floats) and not each.nan and each.low <= each.high for each in arguments):
            return anything
        spans = [(each.low, each.high) for each in arguments if isinstance(each, Floats)]
        allowed = _domain(self.function, self.format)
        if any(low < allowed[0] or high > allowed[1] for low, high in spans):
            return anything
        found = [self._bounds(box) for box in product(*map(_without_zeros_inside, spans))]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            return anything
        return Floats(min(low for low, _ in known), max(high for _, high in known), nan=False)

    @property
    def bulk(self) -> None:
        """Its boxes are looked at one by one."""

    @property
    def rise(self) -> Rise | None:
        return None if self.function.steepness is None else partial(self.function.rise, self.format)

    @property
    def number(self) -> None:
        """It belongs to no model."""

    def value(self, arguments: tuple[int, ...], /) -> int:
        return self.library.call(self.function.name, self.format, *arguments)

    def closer(self, arguments: tuple[int, ...], /) -> Cells:
        points = self.points if arguments in self.points else (*self.points, arguments)
        if self.tree is None or any(sf.is_nan(self.format, bits) for bits in arguments):
            return replace(self, points=points)
        place = tuple(sf.ordinal(self.format, bits) for bits in arguments)
        return replace(self, points=points, tree=parted(self.tree, place, self._finer))

    def range(self) -> Span:
        """The expected range of the result, if the arguments lie in their expected ranges."""
        found = [self._bounds(box) for box in (leaves(self.tree) if self.tree is not None else ())]
        known = [each for each in found if each is not None]
        if not known or len(known) < len(found):
            return ~self.format.infinity, self.format.infinity
        return min(low for low, _ in known), max(high for _, high in known)

    def _finer(self, box: Box) -> Tree:
        parts = _CLOSER[min(2, sum(low < high for low, high in box))]
        return grown(box, [cuts(self.format, span, parts, ()) for span in box])

    def _bounds(self, box: Box) -> Span | None:
        return bounds(self.function.name, self.format, box)

    def _at(self, point: tuple[int, ...]) -> Term:
        there = [build.eq(a, build.const(self.format, bits)) for a, bits in zip(self.arguments, point, strict=True)]
        here = build.eq(self.symbol, build.const(self.format, self.value(point)))
        return build.implies(build.all_of(there), here)

    def _between(self, tree: Tree) -> Term:
        """The bounds of the cell in which the arguments lie."""

        def end(which: int, otherwise: int) -> Term:
            def of(box: Box) -> Term:
                known = self._bounds(box)
                place = known[which] if known is not None else otherwise
                return constant(self.format, place)

            return read(tree, self.arguments, of)

        known = read(tree, self.arguments, lambda box: build.FALSE if self._bounds(box) is None else build.TRUE)
        inside = (lies(a, self.format, span) for a, span in zip(self.arguments, tree.box, strict=True))
        low, high = end(0, ~self.format.infinity), end(1, self.format.infinity)
        between = build.and_(build.fp_leq(low, self.symbol), build.fp_leq(self.symbol, high))
        return build.implies(build.and_(*inside, known), between)


def cells(
    name: str, format: Float, symbol: Term, arguments: tuple[Term, ...], ranges: Sequence[Span], library: MathLibrary
) -> Cells:
    """The first enclosure of a function's result, for arguments expected in these ranges."""
    function = FUNCTIONS[name]
    varying = sum(not argument.is_const for argument in arguments)
    least, most = _domain(function, format)
    box = tuple((max(low, least), min(high, most)) for low, high in ranges)
    tree = None
    if all(low <= high for low, high in box):
        tree = grown(box, [cuts(format, span, _AT_FIRST[varying], function.marks) for span in box])
    special = [_special(format, function) if not a.is_const else (a.value,) for a in arguments]
    points = tuple(product(*special)) if varying == 1 else ()
    return Cells(function, format, symbol, arguments, library, tree, points)


def _domain(function: TrueFunction, format: Float) -> Span:
    """The finite arguments for which there are bounds."""
    low, high = (nearest(format, end) for end in (function.low, function.high))
    return max(~format.max_finite, low), min(format.max_finite, high)


def _without_zeros_inside(span: Span) -> list[Span]:
    """A span in parts, so that each zero is a part of its own: the sign of a zero may decide the result."""
    low, high = span
    starts = [low, *(cut for cut in (-1, 0, 1) if low < cut <= high)]
    return list(zip(starts, [*(start - 1 for start in starts[1:]), high], strict=True))


def _special(format: Float, function: TrueFunction) -> tuple[int, ...]:
    """Arguments for which C defines the result; the library is asked all the same."""
    places = {-1, 0, format.infinity, ~format.infinity}
    places |= {nearest(format, number) for number in (function.low, function.high, 1.0, -1.0)}
    return tuple(sf.from_ordinal(format, place) for place in sorted(places))


# --- special arguments ------------------------------------------------------------------------------------------


def _rules(function: TrueFunction, format: Float, arguments: tuple[Term, ...], symbol: Term) -> list[Term]:
    """What C's Annex F defines for arguments that are not finite, or lie outside the function's domain."""
    if function.arity == 1:
        return _of_one(function, format, arguments[0], symbol)
    if function.name == "pow":
        return _of_pow(format, arguments, symbol)
    missing = build.any_of(build.fp_is_nan(argument) for argument in arguments)
    nan = build.fp_is_nan(symbol)
    if function.name == "hypot":
        infinite = build.any_of(build.fp_is_inf(argument) for argument in arguments)
        without = build.and_(build.not_(infinite), missing)
        return [build.implies(infinite, _is(symbol, format.infinity)), build.implies(without, nan)]
    return [build.implies(missing, nan)]


def _is(symbol: Term, bits: int) -> Term:
    return build.eq(symbol, build.const(symbol.sort, bits))


def _of_one(function: TrueFunction, format: Float, x: Term, symbol: Term) -> list[Term]:
    low, high = (nearest(format, end) for end in (function.low, function.high))
    outside = [build.fp_is_nan(x)]
    if low > ~format.infinity:
        outside.append(build.fp_lt(x, constant(format, low)))
    if high < format.infinity:
        outside.append(build.fp_lt(constant(format, high), x))
    return [build.implies(build.any_of(outside), build.fp_is_nan(symbol))]


def _of_pow(format: Float, arguments: tuple[Term, ...], symbol: Term) -> list[Term]:
    x, y = arguments
    one = sf.from_integer(format, 1)
    constant = build.or_(build.fp_is_zero(y), build.eq(x, build.const(format, one)))
    missing = build.and_(build.not_(constant), build.or_(build.fp_is_nan(x), build.fp_is_nan(y)))
    whole = build.eq(build.fp_round(sf.Rounding.RTZ, y), y)  # infinities and NaNs count as whole here
    negative = build.and_(build.fp_lt(x, build.const(format, 0)), build.not_(build.fp_is_inf(x)))
    nowhere = build.or_(missing, build.and_(negative, build.not_(whole)))
    return [build.implies(constant, _is(symbol, one)), build.implies(nowhere, build.fp_is_nan(symbol))]

"""What C's Annex F defines for arguments that are not finite, or lie outside a function's domain."""

from __future__ import annotations

from soid.engine.llvm.symbolic.library.approximated.ordinals import nearest
from soid.engine.llvm.symbolic.library.approximated.true_functions import TrueFunction
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import Float
from soid.formula.term import Term


def rules(function: TrueFunction, format: Float, arguments: tuple[Term, ...], symbol: Term) -> list[Term]:
    """Facts about the symbol of the function's result."""
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
        outside.append(build.fp_lt(x, build.const(format, sf.from_ordinal(format, low))))
    if high < format.infinity:
        outside.append(build.fp_lt(build.const(format, sf.from_ordinal(format, high)), x))
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

"""Signalling NaNs: terms have a single NaN, but the machine has two kinds, and a few functions distinguish them."""

from __future__ import annotations

from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term


def signalling(number: int | Term, format: Float) -> Term:
    """Whether a number is a signalling NaN. Arithmetic never returns one; copies and sign changes preserve one."""
    quiet = 1 << (format.significand - 2)
    if isinstance(number, int):
        return build.TRUE if sf.is_nan(format, number) and not number & quiet else build.FALSE
    if number.op is ops.FP_FROM_BITS:
        (bits,) = number.args
        place = format.significand - 2
        unset = build.eq(build.extract(bits, place, place), build.const(BitVec(1), 0))
        return build.and_(build.fp_is_nan(number), unset)
    if number.op is ops.FP_NEG or number.op is ops.FP_ABS:
        return signalling(number.args[0], format)
    if number.op is ops.ITE:
        condition, then, otherwise = number.args
        return build.ite(condition, signalling(then, format), signalling(otherwise, format))
    return build.FALSE

"""A question that takes long. Processes that tests start import it, so it imports little itself."""

from __future__ import annotations

from soid.formula import build as b
from soid.formula.sorts import BitVec
from soid.formula.term import Term


def hard_question() -> list[Term]:
    """Factors of a product of two 96-bit primes: no solver finds them in minutes."""
    wide = BitVec(192)
    one, half = b.const(wide, 1), b.const(wide, 1 << 96)
    left, right = b.var("left", wide), b.var("right", wide)
    product = 52362318476583742923784675213 * 61432987654321098765432109871
    limits = [b.bvult(one, side) for side in (left, right)] + [b.bvult(side, half) for side in (left, right)]
    return [b.eq(b.bvmul(left, right), b.const(wide, product)), *limits]

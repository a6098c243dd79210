"""The bits of computed floats.

    union { float f; uint32_t u; } w = { x * 2 };        w.u is a Mosaic of the float's bytes, which may travel on
    w.u >> 23 & 255                                      here a number is needed: the bits of x * 2

Every float that is no NaN has one bit pattern. IEEE 754 leaves the pattern of a computed NaN open, so the states in
which the float is a NaN are unexplored where its bits are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soid.engine.llvm.symbolic.memory.memory_object import Byte, join
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.values.extended_floats import FLOAT80, memory_bits
from soid.engine.llvm.symbolic.values.held_values import Fragment, Held, Mosaic, Poisoned, lower
from soid.formula import build
from soid.formula import operators as ops
from soid.formula import softfloat as sf
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

NAN_BITS: Final = "the bits of a computed NaN"
_DEEP: Final = 64  # terms inside each other that are followed


def pattern(x: Term) -> Term:
    """The bits of a float that is no NaN."""
    known: dict[Term, Term] = {}  # a term may contain another one many times

    def bits(x: Term, depth: int) -> Term:
        found = known.get(x)
        if found is None:
            found = known[x] = made(x, depth)
        return found

    def made(x: Term, depth: int) -> Term:
        format = x.sort
        assert isinstance(format, Float)
        word = BitVec(format.width)
        match x.op:
            case ops.FP_FROM_BITS:
                return x.args[0]
            case ops.CONST:
                return build.const(word, x.value)
            case ops.FP_NEG if depth:
                return build.bvxor(bits(x.args[0], depth - 1), build.const(word, format.sign_bit))
            case ops.FP_ABS if depth:
                return build.bvand(bits(x.args[0], depth - 1), build.const(word, format.mask ^ format.sign_bit))
            case ops.ITE if depth:
                condition, then, otherwise = x.args
                return build.ite(condition, bits(then, depth - 1), bits(otherwise, depth - 1))
        return _searched(x, format)

    return bits(x, _DEEP)


def _searched(x: Term, format: Float) -> Term:
    """The sign, then the greatest pattern whose number is not above the magnitude: patterns are ordered as numbers."""
    size, below = build.fp_abs(x), BitVec(format.width - 1)
    plus, minus = build.const(BitVec(1), 0), build.const(BitVec(1), 1)
    found = build.const(below, 0)
    for place in reversed(range(format.width - 1)):
        more = build.bvor(found, build.const(below, 1 << place))
        number = build.fp_from_bits(format, build.concat(plus, more))
        found = build.ite(build.fp_leq(number, size), more, found)
    return build.concat(build.ite(build.fp_is_negative(x), minus, plus), found)


def digits(explorer: Explorer, state: PathState, held: Held) -> Held:
    """A value that a program computes with as a number: bytes of computed floats become numbers."""
    if isinstance(held, Fragment):
        parts: tuple[Byte, ...] = (held,)
    elif isinstance(held, Mosaic):
        parts = held.parts
    else:
        return held
    wholes = dict.fromkeys(part.whole for part in parts if isinstance(part, Fragment))
    floats = [whole for whole in wholes if isinstance(whole, Term)]
    if len(floats) != len(wholes) or any(isinstance(part, Poisoned) for part in parts):
        return held  # a part of an address
    for whole in floats:
        explorer.explore_only(state, build.not_(build.fp_is_nan(whole)), NAN_BITS)
    bits = {whole: memory_bits(pattern(whole)) if whole.sort == FLOAT80 else pattern(whole) for whole in floats}
    if is_whole(parts):
        return lower(bits[floats[0]])
    return join([_byte(bits[part.whole], part.index) if isinstance(part, Fragment) else part for part in parts])  # type: ignore[index]


def is_whole(parts: tuple[Byte, ...]) -> bool:
    """Whether bytes are all bytes of one float, in their order."""
    first = parts[0]
    if not isinstance(first, Fragment) or first.size != len(parts) or not isinstance(first.whole, Term):
        return False
    return all(part == Fragment(first.whole, i, first.size) for i, part in enumerate(parts))


def _byte(bits: Term, index: int) -> int | Term:
    return lower(build.extract(bits, 8 * index + 7, 8 * index))


def compared(explorer: Explorer, state: PathState, predicate: str, a: Held, b: Held) -> Held | None:
    """A comparison of all bits of a float with a number, as one of floats; None where it needs the bits."""
    if predicate in ("eq", "ne") and isinstance(a, Mosaic) and a == b:
        return int(predicate == "eq")  # the same bits, whatever they are
    if not isinstance(a, Mosaic) or not is_whole(a.parts) or not isinstance(b, int):
        return None
    first = a.parts[0]
    assert isinstance(first, Fragment) and isinstance(first.whole, Term) and isinstance(first.whole.sort, Float)
    x, format = first.whole, first.whole.sort
    if predicate in ("eq", "ne") and format != FLOAT80:
        same = build.FALSE
        if sf.is_nan(format, b):
            explorer.explore_only(state, build.not_(build.fp_is_nan(x)), NAN_BITS)
        else:
            same = build.eq(x, build.const(format, b))
        return lower(same if predicate == "eq" else build.not_(same))
    if (predicate, b) in (("slt", 0), ("sgt", (1 << 8 * first.size) - 1)):
        explorer.explore_only(state, build.not_(build.fp_is_nan(x)), NAN_BITS)
        negative = build.fp_is_negative(x)
        return lower(negative if predicate == "slt" else build.not_(negative))
    return None

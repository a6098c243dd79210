"""Bitcasts between vectors and numbers: the same bits in other groups.

bitcast <4 x i8> %v to i32          the first element in the lowest bits
bitcast <8 x i1> %mask to i8
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_types import IntegerType, Type, VectorType
from soid.engine.llvm.symbolic.memory.addresses import typed
from soid.engine.llvm.symbolic.memory.memory_object import byte_of, join
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, as_bits, lift, lower, number
from soid.engine.llvm.symbolic.values.poison import poisoned, stripped
from soid.formula import build
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term


def regrouped(layout: DataLayout, held: Held, source: Type, target: Type) -> Held:
    """A value read as a type of the same width."""
    if not layout.little_endian:
        raise NotModelled(f"bitcast of {source} to {target} on a big-endian machine")
    elements = held if isinstance(held, tuple) else (held,)
    old, new = (kind.element if isinstance(kind, VectorType) else kind for kind in (source, target))
    width, step = layout.bits(old), layout.bits(new)
    if width % 8 or step % 8:
        plain = all(isinstance(stripped(element)[0], int | Term) for element in elements)
        if not plain or not isinstance(old, IntegerType) or not isinstance(new, IntegerType):
            raise NotModelled(f"bitcast of {source} to {target}")
        found = _single_bits(elements, old, new)
    else:
        parts = [byte_of(element, i, width // 8) for element in elements for i in range(width // 8)]
        found = [typed(join(parts[i : i + step // 8]), new) for i in range(0, len(parts), step // 8)]
    return tuple(found) if isinstance(target, VectorType) else found[0]


def _single_bits(elements: Sequence[Held], old: IntegerType, new: IntegerType) -> list[Held]:
    """Bitcasts of masks, bit by bit: a vector of i1 as a number, or a number as a vector of i1."""
    flaws = [flaw for element in elements for flaw in stripped(element)[1]]
    terms = [lift(number(stripped(element)[0]), old) for element in elements]
    bits = [as_bits(term) if isinstance(term.sort, Bool) else term for term in terms]
    whole = lower(reduce(lambda below, above: build.concat(above, below), bits))
    found: list[int | Term] = []
    for i in range(0, old.width * len(bits), new.width):
        if isinstance(whole, int):
            found.append(whole >> i & (1 << new.width) - 1)
        else:
            piece = build.extract(whole, i + new.width - 1, i)
            found.append(lower(build.eq(piece, build.const(BitVec(1), 1)) if new.width == 1 else piece))
    return [poisoned(piece, flaws) for piece in found]

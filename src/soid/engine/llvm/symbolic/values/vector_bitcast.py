"""Bitcasts between vectors and numbers: the same bits in other groups.

bitcast <4 x i8> %v to i32          the first element in the lowest bits
bitcast <8 x i1> %mask to i8
"""

from __future__ import annotations

from collections.abc import Sequence

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_types import IntegerType, Type, VectorType
from soid.engine.llvm.symbolic.memory.addresses import typed
from soid.engine.llvm.symbolic.memory.memory_object import Byte, byte_of, join
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, bits_of, lift, lower
from soid.engine.llvm.symbolic.values.poison import poisoned, stripped
from soid.formula import build
from soid.formula.sorts import BitVec


def regrouped(layout: DataLayout, held: Held, source: Type, target: Type) -> Held:
    """A value read as a type of the same width."""
    if not layout.little_endian:
        raise NotModelled(f"bitcast of {source} to {target} on a big-endian machine")
    elements = held if isinstance(held, tuple) else (held,)
    sizes = [layout.bits(kind.element if isinstance(kind, VectorType) else kind) for kind in (source, target)]
    if any(size % 8 for size in sizes):
        found = _single_bits(elements, source, target, sizes)
    else:
        parts = [byte for element in elements for byte in _bytes(element, sizes[0] // 8)]
        step = sizes[1] // 8
        inner = target.element if isinstance(target, VectorType) else target
        found = [typed(join(parts[i : i + step]), inner) for i in range(0, len(parts), step)]
    return tuple(found) if isinstance(target, VectorType) else found[0]


def _bytes(element: Held, size: int) -> list[Byte]:
    return [byte_of(element, i, size) for i in range(size)]


def _single_bits(elements: Sequence[Held], source: Type, target: Type, sizes: list[int]) -> list[Held]:
    """Bitcasts of masks, bit by bit: a vector of i1 as a number, or a number as a vector of i1."""
    flaws = [flaw for element in elements for flaw in stripped(element)[1]]
    values = [stripped(element)[0] for element in elements]
    inner = source.element if isinstance(source, VectorType) else source
    if any(isinstance(value, Partial) for value in values) or not isinstance(inner, IntegerType):
        raise NotModelled(f"bitcast of {source} to {target}")
    whole = None
    for value in values:
        if not isinstance(value, int) and not hasattr(value, "sort"):
            raise NotModelled(f"bitcast of {source} to {target}")
        bits = bits_of(lift(value, inner))  # type: ignore[arg-type]
        assert bits is not None
        whole = bits if whole is None else build.concat(bits, whole)
    assert whole is not None
    wide, step = sizes[0] * len(values), sizes[1]
    kind = target.element if isinstance(target, VectorType) else target
    if not isinstance(kind, IntegerType):
        raise NotModelled(f"bitcast of {source} to {target}")
    assert isinstance(whole.sort, BitVec) and whole.sort.width == wide
    number = lower(whole)
    pieces = [
        number >> i if isinstance(number, int) else build.extract(number, i + step - 1, i) for i in range(0, wide, step)
    ]
    return [poisoned(_as(piece, step, kind), flaws) for piece in pieces]


def _as(piece: object, width: int, kind: IntegerType) -> Held:
    if isinstance(piece, int):
        return piece & (1 << width) - 1
    if width == 1:
        return lower(build.eq(piece, build.const(BitVec(1), 1)))  # type: ignore[arg-type]
    return lower(piece)  # type: ignore[arg-type]

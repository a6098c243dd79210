"""Which IR parameters carry a C parameter.

The ABI may pass a struct in pieces, `struct { double x; float y; }` as a double and a float, or as a pointer to a
copy. The function's first block stores the pieces back into memory. Reading them there is exact on every target, and
needs no copy of the ABI's rules:

    store double %p.coerce0, ptr %4     ->  ParameterPiece(index=0, offset=0, by_address=False)
    store float %p.coerce1, ptr %5      ->  ParameterPiece(index=1, offset=8, by_address=False)
"""

from __future__ import annotations

from typing import final

from msgspec import Struct

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.instructions import Call, Cast, Gep, Store
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import ArrayType, StructType, Type
from soid.engine.llvm.ir.operands import ConstInt, GlobalRef, Register, Value
from soid.errors import ProgramError


@final
class ParameterPiece(Struct, frozen=True):
    """Part of a C parameter."""

    index: int  # which IR parameter
    offset: int  # in bytes, in the C value
    by_address: bool  # the IR parameter is a pointer to the whole value


def pieces_of(function: Function, address: Value, layout: DataLayout) -> tuple[ParameterPiece, ...]:
    """The pieces that the function's first block stores at an address, in the order of their offsets."""
    if not isinstance(address, Register):
        return ()
    if address.slot < len(function.params):
        return (ParameterPiece(address.slot, 0, by_address=True),)
    gathered = _gathered(function, layout)
    return tuple(sorted(gathered.get(address.slot, ()), key=lambda piece: (piece.offset, piece.index)))


def _gathered(function: Function, layout: DataLayout) -> dict[int, list[ParameterPiece]]:
    """Pieces by the slot of the memory that they are stored to."""
    origin = {param.register.slot: index for index, param in enumerate(function.params)}
    places: dict[int, tuple[int, int]] = {}  # slot of an address -> slot of the memory, offset in it
    found: dict[int, list[ParameterPiece]] = {}
    for instruction in function.blocks[0].instructions if function.blocks else ():
        match instruction:
            case Cast(result, _, Register(slot=source)) if source in origin:
                origin[result.slot] = origin[source]  # a bool is passed as i1 and stored as i8
            case Gep(result, type_, Register(slot=base), indices):
                offset = constant_offset(type_, indices, layout)
                if offset is not None:
                    memory, start = places.get(base, (base, 0))
                    places[result.slot] = (memory, start + offset)
            case Store(Register(slot=source), Register(slot=target)) if source in origin:
                memory, offset = places.get(target, (target, 0))
                found.setdefault(memory, []).append(ParameterPiece(origin[source], offset, by_address=False))
            case Call(callee=GlobalRef(name), arguments=arguments) if name.startswith("llvm.memcpy."):
                _copy(arguments[0].value, arguments[1].value, places, found)
            case _:
                pass
    return found


def _copy(to: Value, source: Value, places: dict[int, tuple[int, int]], found: dict[int, list[ParameterPiece]]) -> None:
    """Follow a memcpy: a struct of odd size is stored elsewhere first and then copied."""
    if isinstance(to, Register) and isinstance(source, Register):
        memory, offset = places.get(to.slot, (to.slot, 0))
        origin, start = places.get(source.slot, (source.slot, 0))
        moved = [ParameterPiece(p.index, p.offset - start + offset, p.by_address) for p in found.get(origin, ())]
        found.setdefault(memory, []).extend(moved)


def constant_offset(source: Type, indices: tuple[Value, ...], layout: DataLayout) -> int | None:
    """How many bytes a GEP adds, None where an index is not a plain number.

    >>> from soid.engine.llvm.ir.ir_types import DOUBLE, I8, IntegerType
    >>> pair = StructType(None, (I8, DOUBLE), packed=False)
    >>> index = [ConstInt(IntegerType(32), i) for i in (0, 1)]
    >>> constant_offset(pair, (index[0], index[1]), DataLayout.parse(""))
    8
    """
    total, type_ = 0, source
    for position, index in enumerate(indices):
        if not isinstance(index, ConstInt):
            return None
        if position == 0:
            total += index.signed * layout.size(type_)
        elif isinstance(type_, StructType) and type_.elements is not None:
            total += layout.offsets(type_)[index.value]
            type_ = type_.elements[index.value]
        elif isinstance(type_, ArrayType):
            type_ = type_.element
            total += index.signed * layout.size(type_)
        else:
            raise ProgramError(f"LLVM IR: an address goes inside {type_}, which has no parts")
    return total

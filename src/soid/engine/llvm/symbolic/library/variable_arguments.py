"""Functions with a variable number of arguments, as the x86-64 System V convention passes them.

    struct va_list { int gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }

Six integers and eight floats lie in the area of saved registers, the other arguments one after the other on the stack.
The code that the compiler generates for `va_arg` walks through both. Named arguments come first and use up registers.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import PTR, FloatingType, IntegerType, Ptr, Type, VectorType
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.memory.memory_blocks import copy
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind
from soid.engine.llvm.symbolic.memory.offsets import moved
from soid.engine.llvm.symbolic.path_state import PathState, VariableArgument
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, Pointer

_INTEGERS: Final = 6
_FLOATS: Final = 8
_FIRST_FLOAT: Final = 8 * _INTEGERS
_SAVED: Final = _FIRST_FLOAT + 16 * _FLOATS
_LIST: Final = 24
_I32: Final = IntegerType(32)


def _in_integer_register(kind: Type) -> bool:
    return isinstance(kind, Ptr) or (isinstance(kind, IntegerType) and kind.width <= 64)


def _in_float_register(explorer: Explorer, kind: Type) -> bool:
    return isinstance(kind, FloatingType | VectorType) and explorer.module.layout.store_size(kind) <= 8


def _used(explorer: Explorer, function: Function) -> tuple[int, int]:
    """How many integer and float registers hold named arguments."""
    named = [param.type for param in function.params if param.attributes.byval is None]
    integers = sum(_in_integer_register(kind) for kind in named)
    floats = sum(_in_float_register(explorer, kind) for kind in named)
    return min(integers, _INTEGERS), min(floats, _FLOATS)


def _start(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """va_start: write the arguments and the va_list into memory."""
    triple = explorer.module.triple
    if not triple.startswith("x86_64") or "windows" in triple:
        raise NotModelled(f"variable arguments on {triple}")
    integers, floats = _used(explorer, state.frame.function)
    saved = explorer.allocate(state, "saved registers", _SAVED, MemoryKind.STACK)
    size = sum(_size(explorer, argument) for argument in state.frame.varargs)
    overflow = explorer.allocate(state, "arguments on the stack", size, MemoryKind.STACK)
    _put(explorer, state, (integers, floats), saved, overflow)
    at = explorer.addresses.pointer(state, arguments[0])
    parts: list[tuple[int, Held, Type]] = [
        (0, 8 * integers, _I32),
        (4, _FIRST_FLOAT + 16 * floats, _I32),
        (8, overflow, PTR),
        (16, saved, PTR),
    ]
    for offset, held, kind in parts:
        explorer.addresses.store(state, moved(at, offset), held, kind)
    return None


def _size(explorer: Explorer, argument: VariableArgument) -> int:
    """Bytes of an argument on the stack, a multiple of eight."""
    return -(-explorer.module.layout.size(argument.byval or argument.type) // 8) * 8


def _put(explorer: Explorer, state: PathState, used: tuple[int, int], saved: Pointer, overflow: Pointer) -> None:
    """Write each variable argument to a register that is left for its type, else to the stack."""
    (integers, floats), behind = used, 0
    for argument in state.frame.varargs:
        if argument.byval is not None:
            size = explorer.module.layout.size(argument.byval)
            if explorer.module.layout.align(argument.byval) > 8:
                raise NotModelled("a variable argument with an alignment above 8")
            copy(explorer, state, moved(overflow, behind), argument.held, size)
            behind += _size(explorer, argument)
            continue
        if _in_integer_register(argument.type) and integers < _INTEGERS:
            place, integers = moved(saved, 8 * integers), integers + 1
        elif _in_float_register(explorer, argument.type) and floats < _FLOATS:
            place, floats = moved(saved, _FIRST_FLOAT + 16 * floats), floats + 1
        elif _in_integer_register(argument.type) or _in_float_register(explorer, argument.type):
            place, behind = moved(overflow, behind), behind + 8
        else:
            raise NotModelled(f"a variable argument of type {argument.type}")
        explorer.addresses.store(state, place, argument.held, argument.type)


def _copy(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    copy(explorer, state, arguments[0], arguments[1], _LIST)
    return None


VARARGS: Final[dict[str, External]] = {
    f"llvm.va_{name}{suffix}": external
    for name, external in (("start", _start), ("copy", _copy))
    for suffix in ("", ".p0", ".p0.p0")
}

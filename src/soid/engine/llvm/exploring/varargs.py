"""Functions with a variable number of arguments, as the x86-64 System V convention passes them.

    struct va_list { int gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }

The called function finds six integers and eight floats where registers were saved, and the rest behind each other on
the stack; the code that the compiler wrote for `va_arg` walks through both. Arguments with a name come first and use
registers up.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import moved
from soid.engine.llvm.exploring.copying import copy
from soid.engine.llvm.exploring.explorer import Explorer, External
from soid.engine.llvm.exploring.runtime import Held, Pointer, Unsupported, location
from soid.engine.llvm.exploring.state import State, VariableArgument
from soid.engine.llvm.ir import Function
from soid.engine.llvm.types import PTR, IntType, Ptr, Type, VectorType, is_floating
from soid.engine.summary import Location

_INTEGERS: Final = 6
_FLOATS: Final = 8
_FIRST_FLOAT: Final = 8 * _INTEGERS
_SAVED: Final = _FIRST_FLOAT + 16 * _FLOATS
_LIST: Final = 24
_I32: Final = IntType(32)


def _in_integer_register(kind: Type) -> bool:
    return isinstance(kind, Ptr) or (isinstance(kind, IntType) and kind.width <= 64)


def _in_float_register(explorer: Explorer, kind: Type) -> bool:
    return (is_floating(kind) or isinstance(kind, VectorType)) and explorer.module.layout.store_size(kind) <= 8


def _used(explorer: Explorer, function: Function) -> tuple[int, int]:
    """How many integer and float registers hold arguments that have a name."""
    named = [param.type for param in function.params if param.attributes.byval is None]
    integers = sum(_in_integer_register(kind) for kind in named)
    floats = sum(_in_float_register(explorer, kind) for kind in named)
    return min(integers, _INTEGERS), min(floats, _FLOATS)


def _start(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """va_start: arguments into memory, and the list that leads to them."""
    where = location(call.loc)
    triple = explorer.module.triple
    if not triple.startswith("x86_64") or "windows" in triple:
        raise Unsupported(f"variable arguments on {triple}", where)
    integers, floats = _used(explorer, state.frame.function)
    saved = explorer.allocate(state, "saved registers", _SAVED, "stack")
    size = sum(_size(explorer, argument) for argument in state.frame.varargs)
    overflow = explorer.allocate(state, "arguments on the stack", size, "stack")
    _put(explorer, state, (integers, floats), saved, overflow, where)
    at = explorer.addresses.pointer(arguments[0], where)
    parts: list[tuple[int, Held, Type]] = [
        (0, 8 * integers, _I32),
        (4, _FIRST_FLOAT + 16 * floats, _I32),
        (8, overflow, PTR),
        (16, saved, PTR),
    ]
    for offset, held, kind in parts:
        explorer.addresses.store(state, moved(at, offset), held, kind, where)
    return None


def _size(explorer: Explorer, argument: VariableArgument) -> int:
    """Bytes on the stack, where it goes there: in steps of eight."""
    return -(-explorer.module.layout.size(argument.byval or argument.type) // 8) * 8


def _put(
    explorer: Explorer,
    state: State,
    used: tuple[int, int],
    saved: Pointer,
    overflow: Pointer,
    where: Location | None,
) -> None:
    """Each variable argument to where its type and the registers that are left put it."""
    (integers, floats), behind = used, 0
    for argument in state.frame.varargs:
        if argument.byval is not None:
            size = explorer.module.layout.size(argument.byval)
            if explorer.module.layout.align(argument.byval) > 8:
                raise Unsupported("a variable argument with an alignment above 8", where)
            copy(explorer, state, moved(overflow, behind), argument.held, size, where)
            behind += _size(explorer, argument)
            continue
        if _in_integer_register(argument.type) and integers < _INTEGERS:
            place, integers = moved(saved, 8 * integers), integers + 1
        elif _in_float_register(explorer, argument.type) and floats < _FLOATS:
            place, floats = moved(saved, _FIRST_FLOAT + 16 * floats), floats + 1
        elif _in_integer_register(argument.type) or _in_float_register(explorer, argument.type):
            place, behind = moved(overflow, behind), behind + 8
        else:
            raise Unsupported(f"a variable argument of type {argument.type}", where)
        explorer.addresses.store(state, place, argument.held, argument.type, where)


def _copy(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    copy(explorer, state, arguments[0], arguments[1], _LIST, location(call.loc))
    return None


def _end(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return None


VARARGS: Final[dict[str, External]] = {
    f"llvm.va_{name}{suffix}": external
    for name, external in (("start", _start), ("copy", _copy), ("end", _end))
    for suffix in ("", ".p0", ".p0.p0")
}

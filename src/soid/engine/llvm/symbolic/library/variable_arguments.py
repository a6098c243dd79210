"""Functions with a variable number of arguments, as conventions pass them.

    x86_64      struct va_list { int gp_offset, fp_offset; void *overflow_arg_area, *reg_save_area; }
    aarch64     struct va_list { void *stack, *gr_top, *vr_top; int gr_offs, vr_offs; }

The first integers and floats lie in the area of saved registers, the other arguments one after the other on the stack.
The code that the compiler generates for `va_arg` walks through both. Named arguments come first and use up registers.

On 32-bit x86, ARM and RISC-V, and on Windows, a va_list is a pointer to the next argument, and all of them lie one
after the other, each at a multiple of its alignment.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

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

_INTEGERS: Final = {"x86_64": 6, "aarch64": 8}  # registers for integers, eight bytes each
_LISTS: Final = {"x86_64": 24, "aarch64": 32}  # bytes of a va_list
_FLOATS: Final = 8  # registers for floats, sixteen bytes each; they are saved behind the others
_I32: Final = IntegerType(32)
#: where a va_list is a pointer: bytes of a slot, and the greatest alignment of an argument
_PLAIN_LISTS: Final = {"x86": (4, 4), "arm": (4, 8), "riscv32": (4, 8), "riscv64": (8, 16)}
#: the memory of such arguments: its first byte counts as aligned for each of them
_ARGUMENTS: Final = "variable arguments"
_BEHIND: Final = 16  # bytes after the last argument, which aligning its end may reach


def _plain_list(triple: str) -> tuple[int, int] | None:
    """Slot and greatest alignment on a target whose va_list is a pointer; None for any other."""
    name = triple.split("-")[0]
    if name == "x86_64" and "windows" in triple:
        return 8, 8
    if name.startswith(("arm", "thumb")) and name != "arm64":
        name = "arm"
    return _PLAIN_LISTS.get("x86" if re.fullmatch(r"i[3-7]86", name) else name)


def _in_integer_register(kind: Type) -> bool:
    return isinstance(kind, Ptr) or (isinstance(kind, IntegerType) and kind.width <= 64)


def _in_float_register(explorer: Explorer, kind: Type) -> bool:
    return isinstance(kind, FloatingType | VectorType) and explorer.module.layout.store_size(kind) <= 8


def _used(explorer: Explorer, function: Function, machine: str) -> tuple[int, int]:
    """How many integer and float registers hold named arguments; aarch64 has another one for what is returned."""
    named = [
        param.type
        for param in function.params
        if param.attributes.byval is None and (param.attributes.sret is None or machine == "x86_64")
    ]
    integers = sum(_in_integer_register(kind) for kind in named)
    floats = sum(_in_float_register(explorer, kind) for kind in named)
    return min(integers, _INTEGERS[machine]), min(floats, _FLOATS)


def _start(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """va_start: write the arguments and the va_list into memory."""
    triple = explorer.module.triple
    plain = _plain_list(triple)
    if plain is not None:
        _start_plainly(explorer, state, arguments[0], *plain)
        return None
    machine = triple.split("-")[0]
    if machine not in _INTEGERS or "linux" not in triple:
        raise NotModelled(f"variable arguments on {triple}")
    integers, floats = _used(explorer, state.frame.function, machine)
    first_float = 8 * _INTEGERS[machine]
    end = first_float + 16 * _FLOATS
    saved = explorer.allocate(state, "saved registers", end, MemoryKind.STACK)
    size = sum(_size(explorer, argument) for argument in state.frame.varargs)
    overflow = explorer.allocate(state, "arguments on the stack", size, MemoryKind.STACK)
    _put(explorer, state, (integers, floats), first_float, saved, overflow)
    at = explorer.addresses.pointer(state, arguments[0])
    parts: list[tuple[int, Held, Type]]
    if machine == "x86_64":
        parts = [(0, 8 * integers, _I32), (4, first_float + 16 * floats, _I32), (8, overflow, PTR), (16, saved, PTR)]
    else:
        tops = [(0, overflow, PTR), (8, moved(saved, first_float), PTR), (16, moved(saved, end), PTR)]
        left = [8 * integers - first_float, 16 * (floats - _FLOATS)]  # offsets from the tops
        parts = [*tops, *((24 + 4 * i, offset % (1 << 32), _I32) for i, offset in enumerate(left))]
    for offset, held, kind in parts:
        explorer.addresses.store(state, moved(at, offset), held, kind)
    return None


def _size(explorer: Explorer, argument: VariableArgument) -> int:
    """Bytes of an argument on the stack, a multiple of eight."""
    return -(-explorer.module.layout.size(argument.byval or argument.type) // 8) * 8


def _put(
    explorer: Explorer, state: PathState, used: tuple[int, int], first_float: int, saved: Pointer, overflow: Pointer
) -> None:
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
        if _in_integer_register(argument.type) and 8 * integers < first_float:
            place, integers = moved(saved, 8 * integers), integers + 1
        elif _in_float_register(explorer, argument.type) and floats < _FLOATS:
            place, floats = moved(saved, first_float + 16 * floats), floats + 1
        elif _in_integer_register(argument.type) or _in_float_register(explorer, argument.type):
            place, behind = moved(overflow, behind), behind + 8
        else:
            raise NotModelled(f"a variable argument of type {argument.type}")
        explorer.addresses.store(state, place, argument.held, argument.type)


def _start_plainly(explorer: Explorer, state: PathState, held: Held, slot: int, greatest: int) -> None:
    """va_start where a va_list is a pointer."""
    layout = explorer.module.layout
    places: list[int] = []
    end = 0
    for argument in state.frame.varargs:
        kind = argument.byval or argument.type
        alignment = min(max(layout.align(kind), slot), greatest)
        places.append(-(-end // alignment) * alignment)
        end = places[-1] + -(-layout.size(kind) // slot) * slot
    memory = explorer.allocate(state, _ARGUMENTS, end + _BEHIND, MemoryKind.STACK)
    for argument, at in zip(state.frame.varargs, places, strict=True):
        if argument.byval is not None:
            copy(explorer, state, moved(memory, at), argument.held, layout.size(argument.byval))
        else:
            explorer.addresses.store(state, moved(memory, at), argument.held, argument.type)
    explorer.addresses.store(state, explorer.addresses.pointer(state, held), memory, PTR)


def _copy(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    triple = explorer.module.triple
    size = explorer.module.layout.pointer_bytes if _plain_list(triple) else _LISTS.get(triple.split("-")[0])
    if size is None:
        raise NotModelled(f"variable arguments on {triple}")
    copy(explorer, state, arguments[0], arguments[1], size)
    return None


def _align(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """llvm.ptrmask, by which va_arg aligns the address of an argument; other addresses have no known digits."""
    pointer, mask = explorer.addresses.pointer(state, arguments[0]), arguments[1]
    thing = state.memory.objects.get(pointer.object)
    if thing is None or thing.name != _ARGUMENTS or not isinstance(pointer.offset, int) or not isinstance(mask, int):
        raise NotModelled("llvm.ptrmask")
    return replace(pointer, offset=pointer.offset & mask)


VARARGS: Final[dict[str, External]] = {
    **{f"llvm.va_start{suffix}": _start for suffix in ("", ".p0")},
    **{f"llvm.va_copy{suffix}": _copy for suffix in ("", ".p0", ".p0.p0")},
    **{f"llvm.ptrmask.p0.i{width}": _align for width in (32, 64)},
}

"""setjmp and longjmp: a function returns a second time, and the calls that it made since are left.

    if (setjmp(back) == 0) work();       work may call longjmp(back, 3): setjmp returns 3

setjmp leaves an address in the buffer that ends with its function, and the path keeps what the function held then. C
leaves open what a local variable of that function holds after longjmp if it changed since and is not volatile: code may
have kept it in a register. So such a variable is unknown, and a path that uses it is unexplored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import PTR
from soid.engine.llvm.ir.operands import Register, Value
from soid.engine.llvm.symbolic.instructions.external_calls import unknown_of
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState, ReturnPoint, StackFrame
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.paths.state_merge import register_kinds
from soid.engine.llvm.symbolic.values.held_values import Held, Pointer, lower, unknown
from soid.engine.summary import Failed
from soid.formula import build

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

LEFT: Final = "longjmp into a function that has returned"
CHANGED: Final = "a local variable that changed between setjmp and longjmp and is not volatile"


def _setjmp(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    mark = explorer.allocate(state, "where setjmp returns", 0, MemoryKind.STACK)
    explorer.addresses.store(state, arguments[0], mark, PTR)
    things = {number: state.memory.objects[number] for number in frame.stack}
    for thing in things.values():
        thing.owner = None  # a later write copies it, so that it stays as it is now
    here = (frame.block, frame.at, frame.came_from)
    state.return_points[mark.object] = ReturnPoint(*here, tuple(frame.registers), things, one.result)
    explorer.set(frame, one.result, 0)


def _longjmp(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    held = explorer.sound(state, explorer.addresses.load(state, arguments[0], PTR))
    mark = explorer.addresses.pointer(state, held).object
    point = state.return_points.get(mark)
    if point is None:
        raise NotModelled("longjmp to a place that no setjmp of this call has set")
    if not state.memory.objects[mark].alive:
        raise PathEnd(Failed(LEFT, state.where))
    (value,) = explorer.numbers(state, arguments[1:])
    if not isinstance(value, int):
        zero = build.eq(value, build.const(value.sort, 0))
        value = lower(build.ite(zero, build.const(value.sort, 1), value))
    if explorer.lazy:  # the optimiser has taken such variables out of memory, and nothing says which they were
        explorer.relies_on[Ledger.OPEN_LOCALS.of()] = None
    explorer.spend(state)
    while mark not in state.frame.stack:
        waits = state.frame.function.blocks[state.frame.block].instructions[state.frame.at]
        if isinstance(waits, ir.Invoke):
            raise NotModelled("longjmp past the destructors of C++ objects")
        explorer.drop_frame(state)
    _return_again(explorer, state, point)
    if point.result is not None:
        state.frame.registers[point.result.slot] = value or 1


def _return_again(explorer: Explorer, state: PathState, point: ReturnPoint) -> None:
    frame = state.frame
    kinds = register_kinds(frame.function)
    frame.block, frame.at, frame.came_from = point.block, point.at + 1, point.came_from
    kept = [_address(frame, slot) for slot in _volatile(frame.function)]
    for number in frame.stack:
        if number not in kept:
            _forget_changes(state, number, point.locals.get(number))
    for slot, (then, now) in enumerate(zip(point.registers, frame.registers, strict=True)):
        if then is None or then == now:
            frame.registers[slot] = then
        else:  # an earlier round of a loop has set it, and a later one again
            frame.registers[slot] = unknown_of(explorer, kinds[slot])


def _forget_changes(state: PathState, number: int, then: MemoryObject | None) -> None:
    """Make what a local variable holds unknown, where it is not what it was when setjmp was called."""
    now = state.memory.objects[number]
    if now is then:
        return
    before, after = (then.cells or {}) if then is not None else {}, now.cells or {}
    changed = {start: size for start, (size, held) in before.items() if after.get(start) != (size, held)}
    changed |= {start: size for start, (size, held) in after.items() if before.get(start) != (size, held)}
    if then is None or now.data is not then.data or now.zeroed != then.zeroed:
        changed = {at: min(8, now.size - at) for at in range(0, now.size, 8)}
    written = state.memory.to_write(number)
    for start, size in changed.items():
        written.write(start, size, unknown(8 * size, CHANGED))


def _address(frame: StackFrame, slot: int) -> int | None:
    held = frame.registers[slot]
    return held.object if isinstance(held, Pointer) else None


def _volatile(function: Function) -> Iterator[int]:
    """The slots of local variables that are accessed as volatile everywhere in their function."""
    base: dict[int, int] = {}  # a register that is an address in a variable -> the variable's
    plain: set[int] = set()
    volatile: set[int] = set()
    for one in (one for block in function.blocks for one in block.instructions):
        match one:
            case ir.Alloca(result):
                base[result.slot] = result.slot
            case ir.Gep(result=result, base=Register(slot=slot)) if slot in base:
                base[result.slot] = base[slot]
            case ir.Load(pointer=pointer) | ir.Store(pointer=pointer):
                variable = base.get(_slot(pointer), -1)
                (volatile if one.volatile else plain).add(variable)
    return iter(sorted(volatile - plain - {-1}))


def _slot(pointer: Value) -> int:
    return pointer.slot if isinstance(pointer, Register) else -1


#: they change where the program continues
JUMPS: Final = {
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"), _setjmp),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"), _longjmp),
}

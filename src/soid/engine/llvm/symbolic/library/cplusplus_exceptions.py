"""C++ exceptions, as the Itanium C++ ABI defines them.

    throw Crash{3};      __cxa_allocate_exception, the constructor, __cxa_throw
    catch (Crash &c)     landingpad ... catch ptr @_ZTI5Crash, __cxa_begin_catch ... __cxa_end_catch

A throw first searches the call stack for a frame that catches the exception. If there is none, the program fails, with
the type of the exception and the place of the `throw`. Else the frames above it are left one by one, and their cleanup
code runs. The selector by which a landing pad distinguishes its clauses is the number of the type in `Hierarchy`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import PTR
from soid.engine.llvm.ir.operands import ConstNull, GlobalRef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.library.class_hierarchy import ANYTHING
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame, Thrown
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, Pointer, location
from soid.engine.summary import Failed

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

TERMINATED: Final = "std::terminate"


def throws(kind: str) -> str:
    """The name of the failure of an exception that no frame catches.

    >>> throws("_ZTISt13runtime_error")
    'throws std::runtime_error'
    """
    return f"throws {demangled(kind).removeprefix('typeinfo for ')}"


# --- throwing ---------------------------------------------------------------------------------------------------


def _throw(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    # the type is a value, not a constant: an optimiser may join several throws
    thing, kind, destructor = arguments
    name = explorer.constants.name_of(kind) if isinstance(kind, Pointer) else None
    if name is None or not isinstance(thing, Pointer) or not isinstance(destructor, Pointer):
        raise NotModelled("a throw of what is not known")
    destroys = explorer.constants.name_of(destructor) if destructor.object else None
    state.exceptions[thing.object] = thrown = Thrown(name, thing, destroys, explorer.place(state))
    unwind(explorer, state, thrown)


def _rethrow(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    if not state.caught:
        raise PathEnd(Failed(TERMINATED, state.where))
    thrown = state.exceptions[state.caught[-1]]
    # negative: the ends of these handlers do not release it
    thrown = replace(thrown, adjusted=None, handlers=-thrown.handlers)
    state.exceptions[thrown.object.object] = thrown
    unwind(explorer, state, thrown)


def unwind(explorer: Explorer, state: PathState, thrown: Thrown) -> None:
    """Search for a frame that catches an exception, then continue at the first landing pad on the way there."""
    for frame in reversed(state.frames):
        pad = _pad(frame)
        if pad is None and "nounwind" in frame.function.attributes:
            raise PathEnd(Failed(TERMINATED, thrown.where))
        if pad is not None and _clause(explorer, pad, thrown) is not None:
            _leave(explorer, state, thrown)
            return
    raise PathEnd(Failed(throws(thrown.type), thrown.where))


def _pad(frame: StackFrame) -> ir.LandingPad | None:
    """The landing pad of the call that a frame waits for."""
    one = frame.function.blocks[frame.block].instructions[frame.at]
    if not isinstance(one, ir.Invoke):
        return None
    first = frame.function.blocks[one.unwind].instructions
    pad = next((each for each in first if not isinstance(each, ir.Phi)), None)
    if not isinstance(pad, ir.LandingPad):
        raise NotModelled("an exception that arrives elsewhere than at a landing pad", location(one.loc))
    return pad


def _clause(explorer: Explorer, pad: ir.LandingPad, thrown: Thrown) -> tuple[str, Pointer] | None:
    """The type by which a landing pad catches an exception, and the address of the part that it gets."""
    if pad.filters:
        raise NotModelled("an exception specification", location(pad.loc))
    for each in pad.catches:
        wanted = ANYTHING if isinstance(each, ConstNull) else each.name if isinstance(each, GlobalRef) else None
        if wanted is None:
            raise NotModelled("a catch of what is not known", location(pad.loc))
        at = explorer.hierarchy.offset(thrown.type, wanted)
        if at is not None:
            return wanted, Pointer(thrown.object.object, at)
    return None


def _leave(explorer: Explorer, state: PathState, thrown: Thrown) -> None:
    """Leave frames until one has cleanup code or catches the exception, and continue there."""
    while True:
        frame = state.frames[-1]
        pad = _pad(frame)
        clause = _clause(explorer, pad, thrown) if pad is not None else None
        if pad is not None and (clause is not None or pad.cleanup):
            break
        explorer.drop_frame(state)
    number, thing = 0, thrown.object.object
    if clause is not None:
        number = explorer.hierarchy.number(clause[0])
        state.exceptions[thing] = replace(state.exceptions[thing], adjusted=clause[1])
    invoke = frame.function.blocks[frame.block].instructions[frame.at]
    assert isinstance(invoke, ir.Invoke)
    state.landing = (thrown.object, number)
    frame.jump(invoke.unwind)


def landing_pad(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.LandingPad) -> None:
    if state.landing is None:
        raise NotModelled("a landing pad without an exception")
    held, state.landing = state.landing, None
    explorer.set(frame, one.result, held)


def resume(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Resume) -> None:
    held = explorer.value(frame, one.value)
    thing = held[0] if isinstance(held, tuple) else held
    if not isinstance(thing, Pointer) or thing.object not in state.exceptions:
        raise NotModelled("resuming what was not thrown")
    explorer.drop_frame(state)
    if not state.frames:
        raise NotModelled("resuming an exception that no function catches", location(one.loc))
    _leave(explorer, state, state.exceptions[thing.object])


# --- catching ---------------------------------------------------------------------------------------------------


def _begin_catch(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    thrown = _known(state, arguments[0])
    number = thrown.object.object
    state.exceptions[number] = replace(thrown, handlers=abs(thrown.handlers) + 1)
    if state.caught[-1:] != [number]:
        state.caught.append(number)
    explorer.set(frame, one.result, _part(explorer, state, thrown))


def _part(explorer: Explorer, state: PathState, thrown: Thrown) -> Held:
    """The argument of a handler: the address of the caught part; a thrown pointer itself."""
    part = thrown.adjusted or thrown.object
    if explorer.hierarchy.is_pointer(thrown.type):
        return explorer.addresses.load(state, part, PTR)
    return part


def _exception_ptr(
    explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]
) -> None:
    explorer.set(frame, one.result, _part(explorer, state, _known(state, arguments[0])))


def _end_catch(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call, arguments: list[Held]) -> None:
    """End a handler; the last one releases the exception, unless it was thrown again."""
    if not state.caught:
        raise NotModelled("the end of a handler that never began")
    number = state.caught[-1]
    thrown = state.exceptions[number]
    under_way = thrown.handlers < 0
    left = thrown.handlers + (1 if under_way else -1)
    state.exceptions[number] = replace(thrown, handlers=left)
    if left == 0:
        state.caught.pop()
    if left or under_way:
        frame.at += 1
        return
    function = explorer.module.functions.get(thrown.destructor or "")
    if function is None or not function.defined:
        state.memory.to_write(number).alive = False
        frame.at += 1
        return
    explorer.enter(state, function, [thrown.object], None)


def _known(state: PathState, held: Held) -> Thrown:
    thrown = state.exceptions.get(held.object) if isinstance(held, Pointer) else None
    if thrown is None:
        raise NotModelled("an exception that comes from elsewhere")
    return thrown


def allocate_exception(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    size = arguments[0]
    if not isinstance(size, int):
        raise NotModelled("an exception of unknown size")
    return state.memory.add(MemoryObject("exception", size, MemoryKind.HEAP))


def free_exception(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    if isinstance(arguments[0], Pointer) and arguments[0] != NULL:
        state.memory.to_write(arguments[0].object).alive = False
    return None


def type_number(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    kind = call.arguments[0].value
    if isinstance(kind, ConstNull):
        return explorer.hierarchy.number(ANYTHING)
    if not isinstance(kind, GlobalRef):
        raise NotModelled("the number of a type that is not known")
    return explorer.hierarchy.number(kind.name)


Unwinding = Callable[["Explorer", PathState, StackFrame, ir.Call, list[Held]], None]

#: functions that change control flow themselves
UNWINDING: Final[dict[str, Unwinding]] = {
    "__cxa_throw": _throw,
    "__cxa_rethrow": _rethrow,
    "__cxa_begin_catch": _begin_catch,
    "__cxa_end_catch": _end_catch,
    "__cxa_get_exception_ptr": _exception_ptr,
}

"""Exceptions, as the Itanium C++ ABI has them.

    throw Crash{3};      __cxa_allocate_exception, the constructor, __cxa_throw
    catch (Crash &c)     landingpad ... catch ptr @_ZTI5Crash, __cxa_begin_catch ... __cxa_end_catch

Whoever throws looks first for somebody who catches; where nobody does the program fails, with the type of what was
thrown and the place of the `throw`. Otherwise the functions in between are left one after the other, and what they
want to clean up on the way is done. The number by which a landing pad tells its clauses apart is the type's own here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.branching import Infeasible
from soid.engine.llvm.exploring.inheritance import ANYTHING
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import NULL, Held, PathEnd, Pointer, Unsupported, location
from soid.engine.llvm.exploring.state import Frame, State, Thrown
from soid.engine.llvm.names import demangled
from soid.engine.llvm.types import PTR
from soid.engine.llvm.values import ConstNull, GlobalRef
from soid.engine.summary import Failed

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

TERMINATED: Final = "std::terminate"


def throws(kind: str) -> str:
    """What a failure is called that is an exception which nobody catches.

    >>> throws("_ZTISt13runtime_error")
    'throws std::runtime_error'
    """
    return f"throws {demangled(kind).removeprefix('typeinfo for ')}"


# --- throwing ---------------------------------------------------------------------------------------------------


def _throw(explorer: Explorer, state: State, frame: Frame, one: ir.Call, arguments: list[Held]) -> None:
    where = location(one.loc) or explorer.place(state)
    # an optimiser may join several throws: which types they are of is known when the program runs
    thing, kind, destructor = arguments
    name = explorer.constants.name_of(kind) if isinstance(kind, Pointer) else None
    if name is None or not isinstance(thing, Pointer) or not isinstance(destructor, Pointer):
        raise Unsupported("a throw of what is not known", where)
    thrown = Thrown(name, thing, explorer.constants.name_of(destructor) if destructor.object else None, where)
    state.exceptions[thing.object] = thrown
    unwind(explorer, state, thrown)


def _rethrow(explorer: Explorer, state: State, frame: Frame, one: ir.Call, arguments: list[Held]) -> None:
    if not state.caught:
        raise PathEnd(Failed(TERMINATED, location(one.loc)))
    thrown = state.exceptions[state.caught[-1]]
    thrown = replace(thrown, adjusted=None, handlers=-thrown.handlers)  # whose ends will not do away with it
    state.exceptions[thrown.object.object] = thrown
    unwind(explorer, state, thrown)


def unwind(explorer: Explorer, state: State, thrown: Thrown) -> None:
    """Look for who catches an exception, then go to the first landing pad on the way there."""
    if _catcher(explorer, state, thrown) is None:
        raise PathEnd(Failed(throws(thrown.type), thrown.where))
    _leave(explorer, state, thrown)


def _catcher(explorer: Explorer, state: State, thrown: Thrown) -> int | None:
    """The number of the frame that catches it."""
    for number in range(len(state.frames) - 1, -1, -1):
        pad = _pad(state.frames[number])
        if pad is not None and _clause(explorer, pad, thrown) is not None:
            return number
        if pad is None and "nounwind" in state.frames[number].function.attributes:
            raise PathEnd(Failed(TERMINATED, thrown.where))
    return None


def _pad(frame: Frame) -> ir.LandingPad | None:
    """The landing pad of the call that a frame is in."""
    one = frame.function.blocks[frame.block].instructions[frame.at]
    if not isinstance(one, ir.Invoke):
        return None
    first = frame.function.blocks[one.unwind].instructions
    pad = next((each for each in first if not isinstance(each, ir.Phi)), None)
    if not isinstance(pad, ir.LandingPad):
        raise Unsupported("an exception that arrives elsewhere than at a landing pad", location(one.loc))
    return pad


def _clause(explorer: Explorer, pad: ir.LandingPad, thrown: Thrown) -> tuple[str, Pointer] | None:
    """The type by which a landing pad catches an exception, and the part of it that it gets."""
    if pad.filters:
        raise Unsupported("an exception specification", location(pad.loc))
    for each in pad.catches:
        wanted = ANYTHING if isinstance(each, ConstNull) else each.name if isinstance(each, GlobalRef) else None
        if wanted is None:
            raise Unsupported("a catch of what is not known", location(pad.loc))
        at = explorer.hierarchy.offset(thrown.type, wanted)
        if at is not None:
            return wanted, Pointer(thrown.object.object, at)
    return None


def _leave(explorer: Explorer, state: State, thrown: Thrown) -> None:
    """Leave functions until one wants to clean up, or catches the exception."""
    while True:
        frame = state.frames[-1]
        pad = _pad(frame)
        clause = _clause(explorer, pad, thrown) if pad is not None else None
        if pad is not None and (clause is not None or pad.cleanup):
            _arrive(explorer, state, frame, thrown, clause)
            return
        explorer.drop_frame(state)


def _arrive(explorer: Explorer, state: State, frame: Frame, thrown: Thrown, clause: tuple[str, Pointer] | None) -> None:
    number = 0
    if clause is not None:
        number = explorer.hierarchy.number(clause[0])
        state.exceptions[thrown.object.object] = replace(state.exceptions[thrown.object.object], adjusted=clause[1])
    invoke = frame.function.blocks[frame.block].instructions[frame.at]
    assert isinstance(invoke, ir.Invoke)
    state.landing = (thrown.object, number)
    frame.came_from, frame.block, frame.at = frame.block, invoke.unwind, 0


def landing_pad(explorer: Explorer, state: State, frame: Frame, one: ir.LandingPad) -> None:
    if state.landing is None:
        raise Unsupported("a landing pad without an exception", location(one.loc))
    held, state.landing = state.landing, None
    explorer.set(frame, one.result, held)


def resume(explorer: Explorer, state: State, frame: Frame, one: ir.Resume) -> None:
    held = explorer.value(frame, one.value)
    thing = held[0] if isinstance(held, tuple) else held
    if not isinstance(thing, Pointer) or thing.object not in state.exceptions:
        raise Unsupported("resuming what was not thrown", location(one.loc))
    explorer.drop_frame(state)
    if not state.frames:
        raise Infeasible  # whoever throws knows that somebody catches
    _leave(explorer, state, state.exceptions[thing.object])


# --- catching ---------------------------------------------------------------------------------------------------


def _begin_catch(explorer: Explorer, state: State, frame: Frame, one: ir.Call, arguments: list[Held]) -> None:
    thrown = _known(state, arguments[0], one)
    number = thrown.object.object
    state.exceptions[number] = replace(thrown, handlers=abs(thrown.handlers) + 1)
    if state.caught[-1:] != [number]:
        state.caught.append(number)
    explorer.set(frame, one.result, _part(explorer, state, thrown, one))


def _part(explorer: Explorer, state: State, thrown: Thrown, one: ir.Call) -> Held:
    """What a handler gets: the address of the caught part; of a pointer, the pointer itself."""
    part = thrown.adjusted or thrown.object
    if explorer.hierarchy.is_pointer(thrown.type):
        return explorer.addresses.load(state, part, PTR, location(one.loc))
    return part


def _exception_ptr(explorer: Explorer, state: State, frame: Frame, one: ir.Call, arguments: list[Held]) -> None:
    explorer.set(frame, one.result, _part(explorer, state, _known(state, arguments[0], one), one))


def _end_catch(explorer: Explorer, state: State, frame: Frame, one: ir.Call, arguments: list[Held]) -> None:
    """The end of a handler; the last one does away with the exception, unless it was thrown again."""
    if not state.caught:
        raise Unsupported("the end of a handler that never began", location(one.loc))
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


def _known(state: State, held: Held, one: ir.Call) -> Thrown:
    thrown = state.exceptions.get(held.object) if isinstance(held, Pointer) else None
    if thrown is None:
        raise Unsupported("an exception that comes from elsewhere", location(one.loc))
    return thrown


def allocate_exception(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    size = arguments[0]
    if not isinstance(size, int):
        raise Unsupported("an exception of unknown size", location(call.loc))
    return state.memory.add(Object("exception", size, "heap"))


def free_exception(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    if isinstance(arguments[0], Pointer) and arguments[0] != NULL:
        state.memory.to_write(arguments[0].object).alive = False
    return None


def type_number(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    kind = call.arguments[0].value
    if isinstance(kind, ConstNull):
        return explorer.hierarchy.number(ANYTHING)
    if not isinstance(kind, GlobalRef):
        raise Unsupported("the number of a type that is not known", location(call.loc))
    return explorer.hierarchy.number(kind.name)


Unwinding = Callable[["Explorer", State, Frame, ir.Call, list[Held]], None]

#: functions that say themselves where a path goes on
UNWINDING: Final[dict[str, Unwinding]] = {
    "__cxa_throw": _throw,
    "__cxa_rethrow": _rethrow,
    "__cxa_begin_catch": _begin_catch,
    "__cxa_end_catch": _end_catch,
    "__cxa_get_exception_ptr": _exception_ptr,
}

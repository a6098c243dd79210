"""Instructions that say where a path goes on: calls and returns, branches, and what ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import promises
from soid.engine.llvm.exploring.branching import Infeasible
from soid.engine.llvm.exploring.calling import call_outside
from soid.engine.llvm.exploring.computing import refuse_fast
from soid.engine.llvm.exploring.copying import copy
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import UNSET_BRANCH, Held, PathEnd, Unsupported, location
from soid.engine.llvm.exploring.state import Frame, State, VariableArgument
from soid.engine.llvm.exploring.unwinding import UNWINDING
from soid.engine.llvm.ir import Function
from soid.engine.llvm.values import GlobalRef, InlineAsm, Register, Value
from soid.engine.summary import Failed, Location, Unexplored
from soid.formula import build
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer

UNREACHABLE = "the program went where its author promised it never goes"


def phi(explorer: Explorer, state: State, frame: Frame, one: ir.Phi) -> None:
    """All phis of a block read what was there before it: they are set together."""
    block = frame.function.blocks[frame.block]
    new: list[tuple[Register, Held]] = []
    for each in block.instructions[frame.at :]:
        if not isinstance(each, ir.Phi):
            break
        source = next(value for value, came_from in each.incoming if came_from == frame.came_from)
        new.append((each.result, explorer.value(frame, source)))
    for register, held in new:
        frame.registers[register.slot] = held
    frame.at += len(new)


# --- calls ------------------------------------------------------------------------------------------------------


def invoke(explorer: Explorer, state: State, frame: Frame, one: ir.Invoke) -> None:
    """A call that may throw; where it goes on is known when it returns or throws."""
    block, at = frame.block, frame.at
    call(explorer, state, frame, one.call)
    if frame.block == block and frame.at == at + 1:  # it has been done with at once
        frame.came_from, frame.block, frame.at = block, one.normal, 0


def call(explorer: Explorer, state: State, frame: Frame, one: ir.Call) -> None:
    where = location(one.loc)
    if isinstance(one.callee, InlineAsm):
        raise Unsupported("inline assembly", where)
    refuse_fast("a call", one.flags, where)
    name = _callee(explorer, state, frame, one.callee, where)
    arguments = [explorer.value(frame, argument.value) for argument in one.arguments]
    if explorer.lazy:
        arguments = _promised(explorer, state, one, arguments, where)
    function = explorer.module.functions.get(name)
    if function is not None and function.defined:
        _enter(explorer, state, one, function, arguments, where)
        return
    if name in UNWINDING:
        UNWINDING[name](explorer, state, frame, one, [explorer.sound(state, argument) for argument in arguments])
        return
    held = call_outside(explorer, state, one, name, arguments)
    if explorer.lazy and one.result is not None and held is not None:
        held = returned(explorer, state, one, held)
    explorer.set(frame, one.result, held if held is not None else 0)


def _promised(
    explorer: Explorer, state: State, one: ir.Call, arguments: list[Held], where: Location | None
) -> list[Held]:
    """The arguments, held to what the call promises of them."""
    kept = []
    for argument, held in zip(one.arguments, arguments, strict=True):
        promise = promises.promise_of(argument.attributes)
        kind = argument.value.type
        kept.append(held if promise is None else promises.kept(explorer, state, promise, kind, held, where))
    return kept


def returned(explorer: Explorer, state: State, one: ir.Call, held: Held) -> Held:
    """What a call gives, held to what the call promises of it."""
    assert one.result is not None
    for promise in (promises.promise_of(one.returns), one.promise):
        if promise is not None:
            held = promises.kept(explorer, state, promise, one.result.type, held, location(one.loc))
    return held


def _callee(explorer: Explorer, state: State, frame: Frame, callee: Value, where: Location | None) -> str:
    if isinstance(callee, GlobalRef) and callee.name in explorer.module.functions:
        return callee.name
    pointer = explorer.addresses.pointer(explorer.sound(state, explorer.value(frame, callee)), where)
    if pointer.object == 0:
        raise PathEnd(Failed("call through a null pointer", where))
    thing = state.memory.objects[pointer.object]
    if thing.kind != "function" or pointer.offset != 0:
        raise Unsupported("a call to what is no function", where)
    return thing.name


def _enter(
    explorer: Explorer, state: State, one: ir.Call, function: Function, arguments: list[Held], where: Location | None
) -> None:
    if not explorer.constants.calls_rightly(one, function):
        raise Unsupported(f"{function.name} called as a function of another type", where)
    if len(state.frames) >= explorer.limits.depth:
        raise PathEnd(Unexplored(f"more than {explorer.limits.depth} calls deep", where))
    passed, copies = _by_value(explorer, state, one, arguments, where)
    explorer.spend(state)
    named = len(function.params)
    explorer.enter(state, function, passed[:named], one.result)
    state.frame.stack.extend(copies)
    if function.varargs:
        state.frame.varargs = tuple(
            VariableArgument(held, argument.value.type, argument.attributes.byval)
            for held, argument in zip(passed[named:], one.arguments[named:], strict=True)
        )


def _by_value(
    explorer: Explorer, state: State, one: ir.Call, arguments: list[Held], where: Location | None
) -> tuple[list[Held], list[int]]:
    """The arguments, those that are copies of structs being copied here; and the copies, which end with the call."""
    passed: list[Held] = []
    copies: list[int] = []
    for argument, held in zip(one.arguments, arguments, strict=True):
        kind = argument.attributes.byval
        if kind is None:
            passed.append(held)
            continue
        size = explorer.module.layout.size(kind)
        target = state.memory.add(Object("copy", size, "stack"))
        copy(explorer, state, target, held, size, where)
        passed.append(target)
        copies.append(target.object)
    return passed, copies


def ret(explorer: Explorer, state: State, frame: Frame, one: ir.Ret) -> None:
    held = explorer.value(frame, one.value) if one.value is not None else None
    promise = promises.promise_of(frame.function.returns) if explorer.lazy and held is not None else None
    if promise is not None and held is not None and one.value is not None:
        held = promises.kept(explorer, state, promise, one.value.type, held, location(one.loc))
    explorer.leave(state, held)


# --- branches ---------------------------------------------------------------------------------------------------


def br(explorer: Explorer, state: State, frame: Frame, one: ir.Br) -> None:
    explorer.end_round(state, frame)
    _jump(frame, one.target)


def _jump(frame: Frame, target: int) -> None:
    """Go on at a block."""
    frame.came_from, frame.block, frame.at = frame.block, target, 0


def cond_br(explorer: Explorer, state: State, frame: Frame, one: ir.CondBr) -> None:
    held = explorer.value(frame, one.condition)
    if type(held) is int:
        explorer.end_round(state, frame)
        _jump(frame, one.then if held else one.otherwise)
        return
    condition = explorer.settled(explorer.sound(state, held), UNSET_BRANCH, location(one.loc))
    explorer.end_round(state, frame)
    if isinstance(condition, int):
        _jump(frame, one.then if condition else one.otherwise)
        return
    yes, no = explorer.brancher.split(state, condition)
    if yes is not None and no is not None:
        explorer.part(yes, no)
        _wait(explorer, no, one.otherwise)
    if yes is not None:
        _jump(yes.frame, one.then)
    elif no is not None:
        _jump(no.frame, one.otherwise)
    else:
        raise Infeasible


def _wait(explorer: Explorer, state: State, target: int) -> None:
    """Put a path that goes on at a block to the waiting ones."""
    _jump(state.frame, target)
    explorer.waiting.append(state)


def switch(explorer: Explorer, state: State, frame: Frame, one: ir.Switch) -> None:
    held = explorer.sound(state, explorer.value(frame, one.value))
    value = explorer.settled(held, UNSET_BRANCH, location(one.loc))
    explorer.end_round(state, frame)
    if isinstance(value, int):
        _jump(frame, dict(one.cases).get(value, one.default))
        return
    targets: dict[int, list[Term]] = {}
    for case, target in one.cases:
        targets.setdefault(target, []).append(build.eq(value, build.const(value.sort, case)))
    _part(explorer, state, [(build.any_of(cases), target) for target, cases in targets.items()], one.default)


def _part(explorer: Explorer, state: State, sides: list[tuple[Term, int]], default: int) -> None:
    """Paths for each side that is possible, and for what none of them covers."""
    parted: list[tuple[State, int]] = []
    rest: State | None = state
    for condition, target in sides:
        if rest is None:
            break
        here, rest = explorer.brancher.split(rest, condition)
        if here is not None:
            parted.append((here, target))
    if rest is not None:
        parted.append((rest, default))
    if len(parted) == 1 and parted[0][0] is state:
        _jump(state.frame, parted[0][1])
        return
    explorer.part(*(each for each, _ in parted))
    for each, target in reversed(parted):
        _wait(explorer, each, target)
    raise Infeasible


# --- ends -------------------------------------------------------------------------------------------------------


def unreachable(explorer: Explorer, state: State, frame: Frame, one: ir.Unreachable) -> None:
    raise PathEnd(Failed(UNREACHABLE, location(one.loc) or explorer.place(state)))


def unsupported(explorer: Explorer, state: State, frame: Frame, one: Any) -> None:
    raise Unsupported(getattr(one, "name", type(one).__name__.lower()), location(one.loc))

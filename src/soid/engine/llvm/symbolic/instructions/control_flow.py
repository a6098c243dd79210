"""Control flow: phis, calls and returns, branches, and instructions that end a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from soid.assumptions import Ledger
from soid.engine.llvm.compiler.c_library import plain_name
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.operands import GlobalRef, InlineAsm, Register, Value
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.instructions.computations import refuse_fast
from soid.engine.llvm.symbolic.instructions.external_calls import call_outside
from soid.engine.llvm.symbolic.instructions.memory_access import take_stack
from soid.engine.llvm.symbolic.library.cplusplus_exceptions import UNWINDING
from soid.engine.llvm.symbolic.library.non_local_jumps import JUMPS
from soid.engine.llvm.symbolic.library.shared_counts import SHARED_COUNTS
from soid.engine.llvm.symbolic.memory.memory_blocks import copy
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState, StackFrame, VariableArgument
from soid.engine.llvm.symbolic.paths.float_choices import is_about_sums
from soid.engine.llvm.symbolic.paths.path_end import Infeasible, NotModelled, PathEnd
from soid.engine.llvm.symbolic.values import value_promises as promises
from soid.engine.llvm.symbolic.values.held_values import UNSET_BRANCH, Held, Pointer
from soid.engine.summary import Failed, Unexplored
from soid.formula import build
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

#: functions that change where the program continues
_REDIRECTING = {**UNWINDING, **SHARED_COUNTS, **JUMPS}
UNREACHABLE = "the program went where its author promised it never goes"


def phi(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Phi) -> None:
    """Run all phis of a block at once: each reads the values from before the block."""
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


def invoke(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Invoke) -> None:
    """A call that may throw: it continues at one block when it returns, at another when it throws."""
    block, at = frame.block, frame.at
    call(explorer, state, frame, one.call)
    if frame.block == block and frame.at == at + 1:  # the call is complete: it entered no function
        frame.jump(one.normal)


def call(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Call) -> None:
    if isinstance(one.callee, InlineAsm):
        raise NotModelled(f"inline assembly: {' '.join(one.callee.assembly.split()) or one.callee.constraints}")
    refuse_fast("a call", one.flags)
    name = _callee(explorer, state, frame, one.callee)
    arguments = [explorer.value(frame, argument.value) for argument in one.arguments]
    if explorer.lazy:
        arguments = [
            promises.kept(explorer, state, promises.promise_of(argument.attributes), argument.value.type, held)
            for argument, held in zip(one.arguments, arguments, strict=True)
        ]
    function = explorer.module.functions.get(name)
    if function is not None and function.defined:
        _enter(explorer, state, one, function, arguments)
        return
    if name in _REDIRECTING:
        _REDIRECTING[name](explorer, state, frame, one, [explorer.sound(state, argument) for argument in arguments])
        return
    held = call_outside(explorer, state, one, name, arguments)
    if explorer.lazy and one.result is not None and held is not None:
        for promise in (promises.promise_of(one.returns), one.promise):
            held = promises.kept(explorer, state, promise, one.result.type, held)
    explorer.set(frame, one.result, held if held is not None else 0)


def _callee(explorer: Explorer, state: PathState, frame: StackFrame, callee: Value) -> str:
    if isinstance(callee, GlobalRef) and (callee.name in explorer.module.functions or callee.name.startswith("llvm.")):
        return callee.name
    pointer = explorer.addresses.pointer(state, explorer.sound(state, explorer.value(frame, callee)))
    if pointer.object == 0:
        raise PathEnd(Failed("call through a null pointer", state.where))
    thing = state.memory.objects.get(pointer.object)
    if thing is None or thing.kind is not MemoryKind.FUNCTION or pointer.offset != 0:
        raise NotModelled("a call to what is no function")
    return thing.name


def _enter(explorer: Explorer, state: PathState, one: ir.Call, function: Function, arguments: list[Held]) -> None:
    if not explorer.constants.calls_rightly(one, function):
        raise NotModelled(f"{function.name} called as a function of another type")
    if len(state.frames) >= explorer.limits.depth:
        raise PathEnd(Unexplored(f"more than {explorer.limits.depth} calls deep", state.where))
    _note_sharing(explorer, function, arguments)
    if explorer.lazy:
        for number, param in enumerate(function.params):
            promise = promises.promise_of(param.attributes)
            arguments[number] = promises.kept(explorer, state, promise, param.type, arguments[number])
    passed, copies = _by_value(explorer, state, one, arguments)
    if function.name in explorer.constants.library:
        explorer.relies_on[Ledger.OWN_LIBRARY.of(plain_name(function.name))] = None
    elif not explorer.constants.is_own(function.name):
        explorer.spend(state)
    named = len(function.params)
    explorer.enter(state, function, passed[:named], one.result)
    state.frame.stack.extend(copies)
    take_stack(explorer, state, sum(state.memory.objects[copied].size for copied in copies))
    if function.varargs:
        state.frame.varargs = tuple(
            VariableArgument(held, argument.value.type, argument.attributes.byval)
            for held, argument in zip(passed[named:], one.arguments[named:], strict=True)
        )


def _note_sharing(explorer: Explorer, function: Function, arguments: list[Held]) -> None:
    """Note pointers into one object of which a parameter says, by `restrict`, that they reach different memory."""
    for param, held in zip(function.params, arguments, strict=False):
        if "noalias" in param.attributes and param.attributes.sret is None and isinstance(held, Pointer):
            others = [each for each in arguments if isinstance(each, Pointer) and each.object == held.object]
            if held.object and len(others) > 1:
                name = demangled(function.name)
                explorer.relies_on[Ledger.RESTRICT.of(name)] = None


def _by_value(
    explorer: Explorer, state: PathState, one: ir.Call, arguments: list[Held]
) -> tuple[list[Held], list[int]]:
    """The arguments, with structs passed by value copied; and the copies, which end with the call."""
    passed: list[Held] = []
    copies: list[int] = []
    for argument, held in zip(one.arguments, arguments, strict=True):
        kind = argument.attributes.byval
        if kind is None:
            passed.append(held)
            continue
        size = explorer.module.layout.size(kind)
        target = state.memory.add(MemoryObject("copy", size, MemoryKind.STACK))
        copy(explorer, state, target, held, size)
        passed.append(target)
        copies.append(target.object)
    return passed, copies


def ret(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Ret) -> None:
    held = explorer.value(frame, one.value) if one.value is not None else None
    if explorer.lazy and held is not None and one.value is not None:
        for promise in (promises.promise_of(frame.function.returns), *_awaited(state)):
            held = promises.kept(explorer, state, promise, one.value.type, held)
    explorer.leave(state, held)


def _awaited(state: PathState) -> tuple[ir.Promise | None, ...]:
    """What the call that the running function answers promises of its result."""
    if len(state.frames) < 2:
        return ()
    caller = state.frames[-2]
    last = caller.function.blocks[caller.block].instructions[caller.at]
    call = last.call if isinstance(last, ir.Invoke) else last
    return (promises.promise_of(call.returns), call.promise) if isinstance(call, ir.Call) else ()


# --- branches ---------------------------------------------------------------------------------------------------


def br(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Br) -> None:
    explorer.end_round(state, frame)
    frame.jump(one.target)


def cond_br(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.CondBr) -> None:
    held = explorer.value(frame, one.condition)
    condition = held if type(held) is int else explorer.settled(state, explorer.sound(state, held), UNSET_BRANCH)
    explorer.end_round(state, frame)
    if isinstance(condition, int):
        frame.jump(one.then if condition else one.otherwise)
    elif explorer.choices and is_about_sums(condition) and explorer.worklist.chooses_a_float(frame):
        _choose(explorer, state, condition, one)
    else:
        _fork(explorer, state, [(condition, one.then)], one.otherwise)


def switch(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Switch) -> None:
    held = explorer.sound(state, explorer.value(frame, one.value))
    value = explorer.settled(state, held, UNSET_BRANCH)
    explorer.end_round(state, frame)
    if isinstance(value, int):
        frame.jump(dict(one.cases).get(value, one.default))
        return
    targets: dict[int, list[Term]] = {}
    for case, target in one.cases:
        targets.setdefault(target, []).append(build.eq(value, build.const(value.sort, case)))
    _fork(explorer, state, [(build.any_of(cases), target) for target, cases in targets.items()], one.default)


def indirect_br(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.IndirectBr) -> None:
    address = explorer.addresses.pointer(state, explorer.sound(state, explorer.value(frame, one.address)))
    block = explorer.constants.block_at(frame.function, address)
    if block is None or block not in one.targets:
        raise NotModelled("a computed goto to what is no label of its function")
    explorer.end_round(state, frame)
    frame.jump(block)


def _choose(explorer: Explorer, state: PathState, condition: Term, one: ir.CondBr) -> None:
    """Run both sides, which meet again, without asking whether they are possible."""
    met, broken = explorer.brancher.unasked(state, condition)
    if met is not None and broken is not None:
        explorer.worklist.forked(met, broken, merging=True)
        broken.frame.jump(one.otherwise)
        explorer.worklist.push(broken)
    state.frame.jump(one.otherwise if met is None else one.then)


def _fork(explorer: Explorer, state: PathState, sides: list[tuple[Term, int]], default: int) -> None:
    """Fork a path for each feasible side, and for the states that no side covers."""
    forked: list[tuple[PathState, int]] = []
    rest: PathState | None = state
    for condition, target in sides:
        if rest is None:
            break
        here, rest = explorer.brancher.split(rest, condition)
        if here is not None:
            forked.append((here, target))
    if rest is not None:
        forked.append((rest, default))
    if not forked:
        raise Infeasible
    if len(forked) > 1:
        explorer.worklist.forked(*(each for each, _ in forked))
    for each, target in reversed(forked[1:]):
        each.frame.jump(target)
        explorer.worklist.push(each)
    first, target = forked[0]
    assert first is state  # `split` forks the rest off: the first feasible side keeps the path itself
    state.frame.jump(target)


# --- ends -------------------------------------------------------------------------------------------------------


def unreachable(explorer: Explorer, state: PathState, frame: StackFrame, one: ir.Unreachable) -> None:
    raise PathEnd(Failed(UNREACHABLE, explorer.place(state)))


def unsupported(explorer: Explorer, state: PathState, frame: StackFrame, one: Any) -> None:
    raise NotModelled(getattr(one, "name", type(one).__name__.lower()))

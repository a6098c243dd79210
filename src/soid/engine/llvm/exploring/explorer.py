"""The explorer: runs a function over every state of a precondition, path by path.

A path runs until it returns, fails, leaves its window, meets something that is not modelled, or the budget ends; in
each case it becomes a `Path` with the condition that its states satisfy, and none is dropped. Paths are taken up in
the order last found first, which is deterministic and keeps few of them waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring import arithmetic, shadows
from soid.engine.llvm.exploring.addresses import UNSET_ADDRESS, Addresses, distance
from soid.engine.llvm.exploring.approximated.registry import Approximations
from soid.engine.llvm.exploring.branching import Brancher, Infeasible
from soid.engine.llvm.exploring.constants import Constants
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import (
    Address,
    Held,
    Partial,
    PathEnd,
    Pointer,
    Unsupported,
    lift,
    lower,
    number,
    unset,
)
from soid.engine.llvm.exploring.state import Frame, Model, State
from soid.engine.llvm.instructions import FAST_MATH
from soid.engine.llvm.ir import Function
from soid.engine.llvm.types import IntType, Ptr, Type, is_floating
from soid.engine.llvm.values import GlobalRef, InlineAsm, Register, Value
from soid.engine.protocol import Exploration, Progress
from soid.engine.summary import Decided, Ending, Failed, Location, OutputValue, Path, Undecided, Unexplored
from soid.formula import build
from soid.formula.checking import Impossible, Possible
from soid.formula.term import Term

UNSET_BRANCH: Final = "an uninitialised value decides a branch"
UNSET_USE: Final = "an uninitialised value is computed with where it must be set"
INEXACT: Final = "difference of pointers that is no whole number of elements"
UNREACHABLE: Final = "the program went where its author promised it never goes"

External = Callable[["Explorer", State, ir.Call, list[Held]], Held | None]


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """What an exploration may cost, besides its deadline."""

    paths: int = 100_000
    window: int | None = None  # loop iterations and calls that the program has for its decision; None: no window


@final
class Explorer:
    """One exploration of one function."""

    def __init__(
        self,
        constants: Constants,
        exploration: Exploration,
        externals: Mapping[str, External],
        finish: Callable[[State, Held | None], Mapping[str, OutputValue]],
        limits: Limits,
    ) -> None:
        self.module = module = constants.module
        self.exploration = exploration
        self.externals = externals
        self.finish = finish
        self.limits = limits
        self.paths: list[Path] = []
        self.waiting: list[State] = []
        self.executed = 0  # instructions
        self.approximations = Approximations(module.triple, exploration.precondition)
        self.brancher = Brancher(
            exploration.precondition,
            self.approximations.checker(exploration.check),
            self.waiting.append,
            self.record,
            self.approximations.by_symbol,
        )
        self.addresses = Addresses(module.layout, self.brancher)
        self.constants = constants

    # --- the loop ---------------------------------------------------------------------------------------------

    def initial(self) -> State | None:
        """A state with the program's globals in memory; None if no input satisfies the precondition."""
        answer = self.exploration.check([self.exploration.precondition])
        if isinstance(answer, Impossible):
            return None
        model = Model(answer.model, self.approximations.by_symbol) if isinstance(answer, Possible) else None
        return State(self.constants.memory(), [], [], model)

    def run(self, state: State, entry: Function, arguments: Sequence[Held]) -> list[Path]:
        """Every path of the entry, starting from a state with its inputs in memory."""
        self.enter(state, entry, list(arguments), None)
        self.waiting.append(state)
        while self.waiting:
            reason = self._out_of_budget()
            if reason:
                self._give_up(reason)
                break
            self._follow(self.waiting.pop())
            self._report()
        return self.paths

    def _report(self) -> None:
        self.exploration.progress(Progress(len(self.paths), len(self.waiting), self.brancher.checks))

    def _out_of_budget(self) -> str:
        if self.exploration.cancel.cancelled:
            return "cancelled"
        if self.exploration.deadline.is_over:
            return "the time budget ended"
        if len(self.paths) >= self.limits.paths:
            return f"more than {self.limits.paths} paths"
        return ""

    def _give_up(self, reason: str) -> None:
        for state in self.waiting:
            self.record(state, Unexplored(reason))
        self.waiting.clear()

    def _follow(self, state: State) -> None:
        """Run a path to its end; what parts from it on the way is put to the waiting ones."""
        try:
            while True:
                self._step(state)
        except PathEnd as end:
            self.record(state, end.ending)
        except Unsupported as unsupported:
            self.record(state, Unexplored(f"not supported: {unsupported.what}", unsupported.where or self.place(state)))
        except Infeasible:
            pass  # every state of the path went elsewhere, and that has been recorded

    def record(self, state: State, ending: Ending, outputs: Mapping[str, OutputValue] | None = None) -> None:
        """A path's end."""
        condition = build.all_of(state.condition)
        self.paths.append(Path(str(len(self.paths) + 1), condition, ending, outputs or {}))

    def place(self, state: State) -> Location | None:
        """Where in the source a path is."""
        for frame in reversed(state.frames):
            block = frame.function.blocks[frame.block]
            where = location(block.instructions[min(frame.at, len(block.instructions) - 1)].loc)
            if where is not None:
                return where
        return None

    def _step(self, state: State) -> None:
        frame = state.frames[-1]
        instruction = frame.function.blocks[frame.block].instructions[frame.at]
        self.executed += 1
        if self.executed & 0x3FF == 0:
            reason = self._out_of_budget()
            if reason:
                raise PathEnd(Unexplored(reason, self.place(state)))
        _HANDLERS[type(instruction)](self, state, frame, instruction)

    # --- operands ---------------------------------------------------------------------------------------------

    def value(self, frame: Frame, operand: Value) -> Held:
        if type(operand) is Register:
            held = frame.registers[operand.slot]
            assert held is not None, f"%{operand.name} is read before it is set"
            return held
        return self.constants.value(operand)

    def whole_number(self, frame: Frame, operand: Value, where: Location | None) -> int | Term:
        """An operand that must be a number with all its bits set."""
        return self.settled(self.value(frame, operand), UNSET_USE, where)

    def settled(self, held: Held, what: str, where: Location | None) -> int | Term:
        """A number that is looked at: if some of its bits were never set, the program fails here."""
        if isinstance(held, Partial):
            if held.exact:
                raise PathEnd(Failed(what, where))
            raise PathEnd(Unexplored(f"perhaps {what}", where))
        if isinstance(held, Address | Pointer):
            raise Unsupported("computing with the number of an address", where)
        return number(held)

    def set(self, frame: Frame, register: Register | None, held: Held) -> None:
        if register is not None:
            frame.registers[register.slot] = held
        frame.at += 1

    # --- calls ------------------------------------------------------------------------------------------------

    def enter(self, state: State, function: Function, arguments: list[Held], result: Register | None) -> None:
        """Begin a call."""
        registers: list[Held | None] = [None] * function.slots
        named = len(function.params)
        registers[:named] = arguments[:named]
        state.frames.append(Frame(function, registers, result))

    def spend(self, state: State, where: Location | None) -> None:
        """Count a loop iteration or a call against the window."""
        state.effort += 1
        if self.limits.window is not None and state.effort > self.limits.window:
            raise PathEnd(Undecided(f"not within its window of {self.limits.window}"))

    def leave(self, state: State, held: Held | None) -> None:
        """Return from a call; from the entry, the program has decided."""
        frame = state.frames.pop()
        for thing in frame.stack:
            state.memory.to_write(thing).alive = False
        if not state.frames:
            outputs = self.finish(state, held)
            self.record(state, Decided(), outputs)
            raise Infeasible
        caller = state.frames[-1]
        if frame.result is not None:
            assert held is not None
            caller.registers[frame.result.slot] = held
        caller.at += 1

    def allocate(self, state: State, name: str, size: int, kind: str, *, zeroed: bool = False) -> Pointer:
        """New memory; on the stack it ends with the call."""
        pointer = state.memory.add(Object(name, size, kind, zeroed=zeroed))
        if kind == "stack":
            state.frames[-1].stack.append(pointer.object)
        return pointer


def location(loc: ir.Location | None) -> Location | None:
    return Location(loc.file, loc.line) if loc is not None and loc.line else None


# --- instructions -----------------------------------------------------------------------------------------------


def _binary(explorer: Explorer, state: State, frame: Frame, one: ir.BinaryOp) -> None:
    where = location(one.loc)
    kind = one.result.type
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if is_floating(kind):
        if one.flags & FAST_MATH:
            raise Unsupported(f"{one.op} with {' '.join(sorted(one.flags))}", where)
        explorer.set(frame, one.result, _float_binary(explorer, one, a, b, where))
        return
    if not isinstance(kind, IntType):
        raise Unsupported(f"{one.op} of {kind}", where)
    if isinstance(a, Address) or isinstance(b, Address):
        explorer.set(frame, one.result, _address_arithmetic(one, a, b, where))
        return
    if one.op in ("sdiv", "udiv", "srem", "urem"):
        a, b = explorer.settled(a, UNSET_USE, where), explorer.settled(b, UNSET_USE, where)
    x, y = shadows.parts(a, kind.width)[0], shadows.parts(b, kind.width)[0]
    partial = isinstance(a, Partial) or isinstance(b, Partial)
    if not partial or one.op in ("shl", "lshr", "ashr"):
        for holds, what in arithmetic.obligations(one.op, x, y, kind, one.flags & {"nsw", "nuw"}):
            explorer.brancher.require(state, holds, what, where)
    if "disjoint" in one.flags:
        raise Unsupported(f"{one.op} with disjoint", where)
    if "exact" in one.flags:
        explorer.brancher.require(state, arithmetic.divides(one.op, x, y, kind), INEXACT, where)
    result = arithmetic.integer(one.op, x, y, kind)
    explorer.set(frame, one.result, shadows.binary(one.op, a, b, result, kind.width) if partial else result)


def _float_binary(explorer: Explorer, one: ir.BinaryOp, a: Held, b: Held, where: Location | None) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return unset(explorer.module.layout.bits(one.result.type))
    return arithmetic.floating(one.op, number(a), number(b), one.result.type)


def _address_arithmetic(one: ir.BinaryOp, a: Held, b: Held, where: Location | None) -> Held:
    """Differences of addresses in one object, and addresses moved by a number: all that C can rely on."""
    if one.op == "sub" and isinstance(a, Address) and isinstance(b, Address):
        if a.pointer.object != b.pointer.object:
            raise PathEnd(Failed("difference of pointers into different objects", where))
        return lower(build.bvsub(distance(a.pointer.offset), distance(b.pointer.offset)))
    raise Unsupported(f"{one.op} with the number of an address", where)


def _fneg(explorer: Explorer, state: State, frame: Frame, one: ir.FNeg) -> None:
    held = explorer.value(frame, one.value)
    if isinstance(held, Partial):
        explorer.set(frame, one.result, held)
    else:
        explorer.set(frame, one.result, arithmetic.negate(number(held), one.result.type))


def _icmp(explorer: Explorer, state: State, frame: Frame, one: ir.ICmp) -> None:
    where = location(one.loc)
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    kind = one.left.type
    if isinstance(kind, Ptr) or isinstance(a, Address) or isinstance(b, Address):
        explorer.set(frame, one.result, _compare_pointers(explorer, one.predicate, a, b, where))
        return
    if not isinstance(kind, IntType) or one.flags:
        raise Unsupported(f"icmp of {kind} {' '.join(sorted(one.flags))}".rstrip(), where)
    x, y = shadows.parts(a, kind.width)[0], shadows.parts(b, kind.width)[0]
    result: Held = arithmetic.compare(one.predicate, x, y, kind)
    if isinstance(a, Partial) or isinstance(b, Partial):
        assert isinstance(result, int | Term)
        result = shadows.compared(one.predicate, a, b, result, kind.width)
    explorer.set(frame, one.result, result)


def _compare_pointers(explorer: Explorer, predicate: str, a: Held, b: Held, where: Location | None) -> Held:
    if isinstance(a, Partial) or isinstance(b, Partial):
        return Partial(0, 1)
    x, y = _as_pointer(a, where), _as_pointer(b, where)
    if x.object == y.object:
        return arithmetic.compare(predicate, lower(distance(x.offset)), lower(distance(y.offset)), IntType(64))
    if predicate in ("eq", "ne"):
        return int(predicate == "ne")
    raise PathEnd(Failed("order of pointers into different objects", where))


def _as_pointer(held: Held, where: Location | None) -> Pointer:
    if isinstance(held, Pointer):
        return held
    if isinstance(held, Address):
        return held.pointer
    if isinstance(held, int):
        return Pointer(0, held)
    raise Unsupported("comparing an address with a number", where)


def _fcmp(explorer: Explorer, state: State, frame: Frame, one: ir.FCmp) -> None:
    if one.flags & FAST_MATH:
        raise Unsupported(f"fcmp with {' '.join(sorted(one.flags))}", location(one.loc))
    a, b = explorer.value(frame, one.left), explorer.value(frame, one.right)
    if isinstance(a, Partial) or isinstance(b, Partial):
        explorer.set(frame, one.result, Partial(0, 1))
        return
    explorer.set(frame, one.result, arithmetic.compare_floats(one.predicate, number(a), number(b), one.left.type))


def _cast(explorer: Explorer, state: State, frame: Frame, one: ir.Cast) -> None:
    where = location(one.loc)
    held = explorer.value(frame, one.value)
    source, target = one.value.type, one.result.type
    if one.op in ("ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast") or isinstance(held, Pointer | Address):
        explorer.set(frame, one.result, _cast_address(one, held, where))
        return
    if isinstance(held, Partial) and one.op in ("trunc", "zext", "sext"):
        assert isinstance(source, IntType)
        assert isinstance(target, IntType)
        result = arithmetic.cast(one.op, held.value, source, target)
        explorer.set(frame, one.result, shadows.converted(one.op, held, result, source.width, target.width))
        return
    if isinstance(held, Partial):
        explorer.set(frame, one.result, unset(explorer.module.layout.bits(target)))
        return
    value = number(held)
    for holds, what in arithmetic.cast_obligations(one.op, value, source, target, one.flags):
        explorer.brancher.require(state, holds, what, where)
    explorer.set(frame, one.result, arithmetic.cast(one.op, value, source, target))


def _cast_address(one: ir.Cast, held: Held, where: Location | None) -> Held:
    if isinstance(held, Partial):
        return held
    if one.op in ("ptrtoint", "ptrtoaddr") and isinstance(held, Pointer) and one.result.type == IntType(64):
        return held.offset if held.object == 0 and isinstance(held.offset, int) else Address(held)
    if one.op == "inttoptr":
        if isinstance(held, Address):
            return held.pointer
        if isinstance(held, int):
            return Pointer(0, held)
    raise Unsupported(f"{one.op} to {one.result.type}", where)


def _freeze(explorer: Explorer, state: State, frame: Frame, one: ir.Freeze) -> None:
    held = explorer.value(frame, one.value)
    if isinstance(held, Partial):
        raise Unsupported("freezing an uninitialised value", location(one.loc))
    explorer.set(frame, one.result, held)


def _alloca(explorer: Explorer, state: State, frame: Frame, one: ir.Alloca) -> None:
    count = explorer.whole_number(frame, one.count, location(one.loc))
    if isinstance(count, Term):
        count = int(explorer.brancher.choose(state, count))
    size = explorer.module.layout.size(one.allocated) * count
    explorer.set(frame, one.result, explorer.allocate(state, one.result.name, size, "stack"))


def _load(explorer: Explorer, state: State, frame: Frame, one: ir.Load) -> None:
    held = explorer.addresses.load(state, explorer.value(frame, one.pointer), one.result.type, location(one.loc))
    explorer.set(frame, one.result, held)


def _store(explorer: Explorer, state: State, frame: Frame, one: ir.Store) -> None:
    target, held = explorer.value(frame, one.pointer), explorer.value(frame, one.value)
    explorer.addresses.store(state, target, held, one.value.type, location(one.loc))
    frame.at += 1


def _gep(explorer: Explorer, state: State, frame: Frame, one: ir.Gep) -> None:
    where = location(one.loc)
    base = explorer.addresses.pointer(explorer.value(frame, one.base), where)
    indices: list[tuple[int | Term, Type]] = []
    for operand in one.indices:
        indices.append((explorer.settled(explorer.value(frame, operand), UNSET_ADDRESS, where), operand.type))
    explorer.set(frame, one.result, explorer.addresses.element(state, base, one.source, indices, where))


def _phi(explorer: Explorer, state: State, frame: Frame, one: ir.Phi) -> None:
    """All phis of a block read what was there before it: they are set together."""
    block = frame.function.blocks[frame.block]
    new: list[tuple[Register, Held]] = []
    for phi in block.instructions[frame.at :]:
        if not isinstance(phi, ir.Phi):
            break
        source = next(value for value, came_from in phi.incoming if came_from == frame.came_from)
        new.append((phi.result, explorer.value(frame, source)))
    for register, held in new:
        frame.registers[register.slot] = held
    frame.at += len(new)


def _select(explorer: Explorer, state: State, frame: Frame, one: ir.Select) -> None:
    where = location(one.loc)
    condition = explorer.settled(explorer.value(frame, one.condition), UNSET_BRANCH, where)
    then, otherwise = explorer.value(frame, one.then), explorer.value(frame, one.otherwise)
    if isinstance(condition, int):
        explorer.set(frame, one.result, then if condition else otherwise)
    elif isinstance(then, int | Term) and isinstance(otherwise, int | Term):
        kind = one.result.type
        explorer.set(frame, one.result, lower(build.ite(condition, lift(then, kind), lift(otherwise, kind))))
    else:
        chosen = explorer.brancher.choose(state, condition)
        explorer.set(frame, one.result, then if chosen else otherwise)


def _extract_value(explorer: Explorer, state: State, frame: Frame, one: ir.ExtractValue) -> None:
    held = explorer.value(frame, one.aggregate)
    for index in one.indices:
        assert isinstance(held, tuple)
        held = held[index]
    explorer.set(frame, one.result, held)


def _insert_value(explorer: Explorer, state: State, frame: Frame, one: ir.InsertValue) -> None:
    def inserted(held: Held, indices: tuple[int, ...]) -> Held:
        if not indices:
            return explorer.value(frame, one.value)
        assert isinstance(held, tuple)
        first, *rest = indices
        return (*held[:first], inserted(held[first], tuple(rest)), *held[first + 1 :])

    explorer.set(frame, one.result, inserted(explorer.value(frame, one.aggregate), one.indices))


def _extract_element(explorer: Explorer, state: State, frame: Frame, one: ir.ExtractElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    if not isinstance(held, tuple) or not isinstance(index, int) or index >= len(held):
        raise Unsupported("an element of a vector", location(one.loc))
    explorer.set(frame, one.result, held[index])


def _insert_element(explorer: Explorer, state: State, frame: Frame, one: ir.InsertElement) -> None:
    held, index = explorer.value(frame, one.vector), explorer.value(frame, one.index)
    if not isinstance(held, tuple) or not isinstance(index, int) or index >= len(held):
        raise Unsupported("an element of a vector", location(one.loc))
    explorer.set(frame, one.result, (*held[:index], explorer.value(frame, one.value), *held[index + 1 :]))


def _call(explorer: Explorer, state: State, frame: Frame, one: ir.Call) -> None:
    where = location(one.loc)
    if isinstance(one.callee, InlineAsm):
        raise Unsupported("inline assembly", where)
    if one.flags & FAST_MATH:
        raise Unsupported(f"a call with {' '.join(sorted(one.flags))}", where)
    name = _callee(explorer, state, frame, one.callee, where)
    arguments = [explorer.value(frame, argument.value) for argument in one.arguments]
    external = explorer.externals.get(name)
    function = explorer.module.functions.get(name)
    if external is not None and (function is None or not function.defined):
        held = external(explorer, state, one, arguments)
        if state.frames and state.frames[-1] is frame:
            explorer.set(frame, one.result, held if held is not None else 0)
        return
    if function is None or not function.defined:
        raise Unsupported(name, where)
    explorer.spend(state, where)
    if function.varargs:
        _enter_varargs(explorer, state, one, function, arguments)
        return
    if len(arguments) != len(function.params):
        raise Unsupported(f"{name} called with {len(arguments)} arguments, not {len(function.params)}", where)
    explorer.enter(state, function, _by_value(explorer, state, one, arguments, where), one.result)


def _callee(explorer: Explorer, state: State, frame: Frame, callee: Value, where: Location | None) -> str:
    if isinstance(callee, GlobalRef) and callee.name in explorer.module.functions:
        return callee.name
    pointer = explorer.addresses.pointer(explorer.value(frame, callee), where)
    if pointer.object == 0:
        raise PathEnd(Failed("call through a null pointer", where))
    thing = state.memory.objects[pointer.object]
    if thing.kind != "function" or pointer.offset != 0:
        raise Unsupported("a call to what is no function", where)
    return thing.name


def _by_value(
    explorer: Explorer, state: State, one: ir.Call, arguments: list[Held], where: Location | None
) -> list[Held]:
    """Arguments that are copies of structs get their copy here."""
    passed: list[Held] = []
    for argument, held in zip(one.arguments, arguments, strict=True):
        kind = argument.attributes.byval
        if kind is None:
            passed.append(held)
            continue
        source = explorer.addresses.pointer(held, where)
        copy = state.memory.add(Object("copy", explorer.module.layout.size(kind), "stack"))
        explorer.externals["memcpy"](explorer, state, one, [copy, source, explorer.module.layout.size(kind)])
        passed.append(copy)
    return passed


def _enter_varargs(explorer: Explorer, state: State, one: ir.Call, function: Function, arguments: list[Held]) -> None:
    named = len(function.params)
    kinds = [argument.value.type for argument in one.arguments]
    explorer.enter(state, function, arguments[:named], one.result)
    state.frame.varargs = tuple(zip(arguments[named:], kinds[named:], strict=True))


def _ret(explorer: Explorer, state: State, frame: Frame, one: ir.Ret) -> None:
    explorer.leave(state, explorer.value(frame, one.value) if one.value is not None else None)


def _br(explorer: Explorer, state: State, frame: Frame, one: ir.Br) -> None:
    jump(explorer, state, frame, one.target)


def jump(explorer: Explorer, state: State, frame: Frame, target: int) -> None:
    """Go on at a block. Going back is an iteration of a loop: the compiler lays blocks out in the source's order."""
    if target <= frame.block:
        explorer.spend(state, None)
    frame.came_from, frame.block, frame.at = frame.block, target, 0


def _cond_br(explorer: Explorer, state: State, frame: Frame, one: ir.CondBr) -> None:
    condition = explorer.settled(explorer.value(frame, one.condition), UNSET_BRANCH, location(one.loc))
    if isinstance(condition, int):
        jump(explorer, state, frame, one.then if condition else one.otherwise)
        return
    _fork(explorer, state, condition, one.then, one.otherwise)


def _fork(explorer: Explorer, state: State, condition: Term, then: int, otherwise: int) -> None:
    """Both sides of a branch, as far as they are possible; the path goes on along the first."""
    yes, no = explorer.brancher.split(state, condition)
    if yes is not None and no is not None:
        explorer.waiting.append(no)
        _jump_or_end(explorer, no, otherwise)
    if yes is not None:
        jump(explorer, yes, yes.frame, then)
    elif no is not None:
        jump(explorer, no, no.frame, otherwise)
    else:
        raise Infeasible


def _jump_or_end(explorer: Explorer, state: State, target: int) -> None:
    """The side that waits may leave its window at once."""
    try:
        jump(explorer, state, state.frame, target)
    except PathEnd as end:
        explorer.waiting.remove(state)
        explorer.record(state, end.ending)


def _switch(explorer: Explorer, state: State, frame: Frame, one: ir.Switch) -> None:
    value = explorer.settled(explorer.value(frame, one.value), UNSET_BRANCH, location(one.loc))
    if isinstance(value, int):
        jump(explorer, state, frame, dict(one.cases).get(value, one.default))
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
        jump(explorer, state, state.frame, parted[0][1])
        return
    for each, target in reversed(parted):
        explorer.waiting.append(each)
        _jump_or_end(explorer, each, target)
    raise Infeasible


def _unreachable(explorer: Explorer, state: State, frame: Frame, one: ir.Unreachable) -> None:
    raise PathEnd(Failed(UNREACHABLE, location(one.loc) or explorer.place(state)))


def _unsupported(explorer: Explorer, state: State, frame: Frame, one: Any) -> None:
    raise Unsupported(getattr(one, "name", type(one).__name__), location(one.loc))


_HANDLERS: Final[dict[type, Callable[[Explorer, State, Frame, Any], None]]] = {
    ir.BinaryOp: _binary,
    ir.FNeg: _fneg,
    ir.ICmp: _icmp,
    ir.FCmp: _fcmp,
    ir.Cast: _cast,
    ir.Freeze: _freeze,
    ir.Alloca: _alloca,
    ir.Load: _load,
    ir.Store: _store,
    ir.Gep: _gep,
    ir.Phi: _phi,
    ir.Select: _select,
    ir.ExtractValue: _extract_value,
    ir.InsertValue: _insert_value,
    ir.ExtractElement: _extract_element,
    ir.InsertElement: _insert_element,
    ir.ShuffleVector: _unsupported,
    ir.VaArg: _unsupported,
    ir.Call: _call,
    ir.Ret: _ret,
    ir.Br: _br,
    ir.CondBr: _cond_br,
    ir.Switch: _switch,
    ir.Unreachable: _unreachable,
    ir.Unsupported: _unsupported,
}

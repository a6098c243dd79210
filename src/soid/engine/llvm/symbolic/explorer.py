"""The explorer: runs a function over every state of a precondition, path by path.

A path runs until it returns, fails, leaves its window, meets something that is not modelled, or the budget ends. In
each case it becomes a `Path` whose condition says which states take it, and none is dropped. Where a program has too
many paths to follow each, those that meet again merge (`paths/state_merge.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.assumptions import Assumption, Ledger
from soid.budget import held_memory
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.operands import Register, Value
from soid.engine.llvm.ir.symbol_names import in_library
from soid.engine.llvm.symbolic.instructions.dispatch import HANDLERS, Handler
from soid.engine.llvm.symbolic.library.approximated.approximations import Approximations
from soid.engine.llvm.symbolic.library.class_hierarchy import Hierarchy
from soid.engine.llvm.symbolic.memory.addresses import Addresses
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace, MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import Model, PathState, StackFrame
from soid.engine.llvm.symbolic.paths.brancher import Brancher
from soid.engine.llvm.symbolic.paths.path_end import FoldedAway, Infeasible, NotModelled, PathEnd
from soid.engine.llvm.symbolic.paths.worklist import Worklist
from soid.engine.llvm.symbolic.program_constants import Constants
from soid.engine.llvm.symbolic.values.float_bits import digits
from soid.engine.llvm.symbolic.values.held_values import (
    FOLDED,
    UNSET_USE,
    Flaw,
    Held,
    Partial,
    Pointer,
    Poisoned,
    number,
    unset_use,
)
from soid.engine.llvm.symbolic.values.poison import WithoutValue, hopeless, poisoned, stripped
from soid.engine.llvm.symbolic.values.values_before import ValuesBefore
from soid.engine.protocol import Exploration, ExplorationProgress
from soid.engine.refinement import RefiningChecker
from soid.engine.summary import Decided, Ending, Failed, Location, OutputValue, Path, Undecided, Unexplored
from soid.formula import build
from soid.formula.checker import Impossible, Possible
from soid.formula.term import Term

_INSTRUCTIONS_PER_BUDGET_CHECK = 1024
_MANY_ROUNDS = 1_000  # of loops and calls: a path that needs more may never end
_ROUNDS = 8  # how often a branch is asked about again after a spurious model; the oracle itself allows more rounds

External = Callable[["Explorer", PathState, ir.Call, list[Held]], Held | None]


@final
class ExplorationLimits(Struct, frozen=True):
    """What an exploration may cost, besides its deadline."""

    window: int | None = None  # loop rounds and calls that the program has for its decision; None: no window
    depth: int = 10_000  # calls inside each other
    stack: int = 8 << 20  # bytes of local variables that live at once


@final
class Hooks(Struct, frozen=True):
    """What the caller of an exploration does at points of a path."""

    outputs: Callable[[Explorer, PathState, Held | None], Mapping[str, OutputValue]]  # the entry has returned a value
    next_arguments: Callable[[Explorer, PathState], list[Held]] = lambda *_: []  # the entry is called once more
    returning: Callable[[PathState, StackFrame, Held | None], None] = lambda *_: None  # a function is about to return
    ended: Callable[[PathState], None] = lambda _: None  # a path has ended
    handlers: Mapping[type, Handler] = field(default_factory=lambda: HANDLERS)  # what runs each kind of instruction


class TooManyPaths(Exception):
    """An exploration has more paths than are to be followed one by one."""


@final
class Explorer:
    """One exploration of one function."""

    def __init__(
        self,
        constants: Constants,
        exploration: Exploration,
        externals: Mapping[str, External],
        hooks: Hooks,
        limits: ExplorationLimits,
        *,
        most: int | None = None,
        merging: bool = False,
        choices: bool = False,
    ) -> None:
        """More than `most` paths raise TooManyPaths; with `merging`, paths that meet again go on as one.

        With `choices` those do in any case that only chose a float by a condition about sums of products.
        """
        self.module = module = constants.module
        self.exploration = exploration
        self.externals = externals
        self.hooks = hooks
        self.limits = limits
        self.window = limits.window if exploration.window is None else exploration.window
        self.paths: list[Path] = []
        self.settled_by: Counter[str] = Counter()  # sides of branches settled without the checker, by mechanism
        self.worklist = Worklist(self.settled_by, merging=merging, windowed=self.window is not None)
        self.executed = 0  # instructions
        self._next_check = _INSTRUCTIONS_PER_BUDGET_CHECK  # of the budget, after so many of them
        self._most = most
        self.choices = choices
        self._started = time.monotonic()
        self.stack_left = limits.stack  # bytes, on the path that used most
        self.entered: set[str] = set()  # the functions that some path calls
        self.relies_on: dict[Assumption, None] = {}  # assumptions made on the way, in order
        if self.window is not None:
            self.relies_on[Ledger.WINDOW.of(self.window)] = None
        self.approximations = Approximations(module.triple, exploration.precondition)
        self.before = ValuesBefore()
        self.brancher = Brancher(
            exploration.precondition,
            exploration.reach(exploration.precondition),
            RefiningChecker(self.approximations.by_symbol, _ROUNDS).checker(exploration.check),
            self.worklist.push,
            self.record,
            self.approximations.by_symbol,
            exploration.mechanisms,
            self.settled_by,
            self.before,
        )
        self.addresses = Addresses(module.layout, self.brancher, constants.registers)
        self.constants = constants
        self.hierarchy = Hierarchy(module)
        self.lazy = constants.lazy  # an operation without a value gives poison; the program fails where it uses it
        self.remembered: list[tuple[AddressSpace, dict[str, int]]] = []  # memory and inputs that were read
        self._left_at: Location | None = None  # where a function last returned
        self._flaws: list[Flaw] | None = None  # of the operation that is computed now, where it may give poison

    # --- the loop ---------------------------------------------------------------------------------------------

    def initial(self) -> PathState | None:
        """A state with the program's globals in memory; None if no input satisfies the precondition."""
        wanted = self.exploration.precondition
        answer = Possible({}) if wanted is build.TRUE else self.exploration.check([wanted])
        if isinstance(answer, Impossible):
            return None
        model = Model(answer.model, self.approximations.by_symbol) if isinstance(answer, Possible) else None
        state = PathState(self.constants.memory(), [], [], model, stack_left=self.limits.stack)
        state.bounds.learn(wanted)
        return state

    def run(self, state: PathState, entry: Function, arguments: Sequence[Held]) -> list[Path]:
        """Every path of the entry, starting from a state with its inputs in memory."""
        self.enter(state, entry, list(arguments), None)
        worklist = self.worklist
        worklist.push(state)
        while not worklist.is_empty:
            spent = self._out_of_budget()
            if spent is not None:
                for left in worklist.clear():
                    self.record(left, self._spent_on(left, spent))
                break
            following = worklist.pop()
            if following is None:
                continue
            self._follow(following)
            self._report()
            if self._most is not None and len(self.paths) + len(worklist.waiting) > self._most:
                raise TooManyPaths
        return self.paths

    def _report(self) -> None:
        taken = time.monotonic() - self._started
        share = self.brancher.seconds / taken if taken else 0.0
        waiting = len(self.worklist.waiting)
        self.exploration.progress(ExplorationProgress(len(self.paths), waiting, self.brancher.checks, share))

    def _out_of_budget(self) -> Unexplored | None:
        if self.exploration.cancel.cancelled:
            return Unexplored("cancelled", out_of_time=True)
        if self.exploration.deadline.is_over:
            return Unexplored("the time budget ended", out_of_time=True)
        if len(self.paths) >= self.exploration.paths:
            return Unexplored(f"more than {self.exploration.paths} paths")
        if held_memory() > self.exploration.memory:
            return Unexplored(f"the memory budget of {self.exploration.memory >> 20} MiB ended")
        return None

    def end_if_spent(self, state: PathState) -> None:
        """End the path if the budget has ended."""
        spent = self._out_of_budget()
        if spent is not None:
            raise PathEnd(replace(self._spent_on(state, spent), where=self.place(state)))

    def _spent_on(self, state: PathState, spent: Unexplored) -> Unexplored:
        """How a path ends for which the time has run out: one that went round and round may need a window."""
        if not spent.out_of_time or self.window is not None or state.effort < _MANY_ROUNDS:
            return spent
        rounds = f"after {state.effort:,} rounds of loops and calls; a window ends such paths as undecided"
        return replace(spent, reason=f"{spent.reason} {rounds}", where=self.place(state))

    def _follow(self, state: PathState) -> None:
        """Run a path to its end or to its next merge point; paths that fork from it go to the worklist."""
        try:
            self._run(state)
        except PathEnd as end:
            self.record(state, end.ending)
        except FoldedAway:
            self.record(state, Failed(FOLDED, self.place(state)))
        except NotModelled as unknown:
            self.record(state, Unexplored(f"not supported: {unknown.what}", unknown.where or self.place(state)))
        except Infeasible:
            pass  # no state is left on the path

    def _run(self, state: PathState) -> None:
        """Run instructions until the entry has returned for the last time, or the path waits at a merge point."""
        handlers, constants, worklist = self.hooks.handlers, self.constants, self.worklist
        # concrete steps know neither poison nor other handlers
        concrete = handlers is HANDLERS and not self.lazy
        while state.frames and not (state.merge_points and worklist.holds_back(state)):
            frame = state.frames[-1]
            at = frame.at
            if concrete:
                steps = constants.steps(frame.function, frame.block)
                while (step := steps[at]) is not None and step(state, frame):
                    at += 1
                self.executed += at - frame.at
                frame.at = at
            instruction = frame.function.blocks[frame.block].instructions[at]
            self.executed += 1
            if self.executed >= self._next_check:
                self._next_check = self.executed + _INSTRUCTIONS_PER_BUDGET_CHECK
                self.end_if_spent(state)
            handlers[type(instruction)](self, state, frame, instruction)

    def record(self, state: PathState, ending: Ending, outputs: Mapping[str, OutputValue] | None = None) -> None:
        """Add a path that ends here to the result."""
        if isinstance(ending, Failed) and ending.where is None:  # it fails in soid's own library, which has no lines
            ending = replace(ending, where=self.place(state))
        if isinstance(ending, Failed) and self._called_back(state):
            ending = Unexplored(
                f"{ending.kind} while elements are compared: C leaves open which ones are", ending.where
            )
        if isinstance(ending, Failed | Unexplored) and ending.where is not None and in_library(ending.where.file):
            ending = replace(ending, where=self.place(state, own=True) or ending.where)
        self.stack_left = min(self.stack_left, state.stack_left)
        condition = build.all_of(state.condition)
        name = str(len(self.paths) + 1)
        self.hooks.ended(state)
        self.paths.append(Path(name, condition, ending, outputs or {}, tuple(state.earlier)))

    def _called_back(self, state: PathState) -> bool:
        """Whether a function of the program runs that soid's own library has called: one that compares for qsort."""
        if not self.constants.library or not state.frames:
            return False
        *below, last = (self.constants.is_own(frame.function.name) for frame in state.frames)
        return any(below) and not last

    def place(self, state: PathState, *, own: bool = False) -> Location | None:
        """Where in the source a path is; `own`: where the program's own code called the C++ library in which it is."""
        places = (frame.where for frame in reversed(state.frames))
        return next((one for one in places if one is not None and not (own and in_library(one.file))), None)

    # --- operands ---------------------------------------------------------------------------------------------

    def value(self, frame: StackFrame, operand: Value) -> Held:
        if type(operand) is Register:
            held = frame.registers[operand.slot]
            assert held is not None, f"%{operand.name} is read before it is set"
            return held
        return self.constants.known(operand)

    def computed(self, operands: Sequence[Held], compute: Callable[..., Held]) -> Held:
        """The result of an operation: poison where an operand is poison, or where the operation has no value."""
        if not self.lazy:
            return compute(*operands)
        split = [stripped(operand) for operand in operands]
        flaws = [flaw for _, found in split for flaw in found]
        always = hopeless(flaws)
        if always is not None:
            return Poisoned(0, (always,))
        outer, self._flaws = self._flaws, flaws
        try:
            held = compute(*(value for value, _ in split))
        except WithoutValue as without:
            return Poisoned(0, (without.flaw,))
        finally:
            self._flaws = outer
        return poisoned(held, flaws)

    def oblige(self, state: PathState, holds: bool | Term, what: str) -> None:
        """Require what an operation needs to have a value: where it does not hold, the program fails or gets poison."""
        if self._flaws is None:
            self.brancher.require(state, holds, what)
        elif holds is False:
            raise WithoutValue(Flaw(build.TRUE, what, state.where))
        elif isinstance(holds, Term):
            self._flaws.append(Flaw(build.not_(holds), what, state.where))

    def explore_only(self, state: PathState, holds: Term, what: str) -> None:
        """Go on only where a condition holds; the states where it does not hold are recorded as unexplored."""
        self.brancher.continue_where(state, holds, Unexplored(f"not supported: {what}", state.where))

    def sound(self, state: PathState, held: Held) -> Held:
        """A value that the program uses: where it is poison, the program fails."""
        if isinstance(held, tuple):
            return tuple(self.sound(state, part) for part in held)
        if not isinstance(held, Poisoned):
            return held
        for flaw in held.flaws:
            if flaw.holds not in state.ruled_out:
                # the optimiser drops the place of what it computes early; the place of the use stands in for it
                where = flaw.where or self.place(state) or self._left_at
                self.brancher.require(state, build.not_(flaw.holds), flaw.what, where)
                state.ruled_out.add(flaw.holds)
        return held.value

    def settled(self, state: PathState, held: Held, what: str = UNSET_USE) -> int | Term:
        """A number that the program uses: if some of its bits were never set, the program fails here."""
        held = digits(self, state, held)
        if isinstance(held, Partial):
            raise unset_use(held, what, state.where)
        return number(held)

    def numbers(self, state: PathState, operands: Iterable[Held]) -> list[int | Term]:
        return [self.settled(state, operand) for operand in operands]

    def set(self, frame: StackFrame, register: Register | None, held: Held) -> None:
        if register is not None:
            frame.registers[register.slot] = held
        frame.at += 1

    # --- calls ------------------------------------------------------------------------------------------------

    def enter(self, state: PathState, function: Function, arguments: list[Held], result: Register | None) -> None:
        self.entered.add(function.name)
        registers: list[Held | None] = [None] * function.slots
        named = len(function.params)
        registers[:named] = arguments[:named]
        state.frames.append(StackFrame(function, registers, result))

    def spend(self, state: PathState) -> None:
        """Count a loop iteration or a call against the window."""
        state.effort += 1
        if self.window is not None and state.effort > self.window:
            raise PathEnd(Undecided(window=self.window))

    def end_round(self, state: PathState, frame: StackFrame) -> None:
        """Count a round of a loop if the block that a path is about to leave ends one."""
        if frame.block in self.constants.round_ends(frame.function) and not self.constants.is_own(frame.function.name):
            self.spend(state)

    def leave(self, state: PathState, held: Held | None) -> None:
        """Return from a call. Where the entry returns, the program has decided."""
        self.hooks.returning(state, state.frames[-1], held)
        if self.lazy:
            self._left_at = self.place(state)
        frame = self.drop_frame(state)
        if not state.frames:
            self._end_step(state, frame.function, self.hooks.outputs(self, state, held))
            return
        caller = state.frames[-1]
        if frame.result is not None:
            assert held is not None
            caller.registers[frame.result.slot] = held
        last = caller.function.blocks[caller.block].instructions[caller.at]
        if isinstance(last, ir.Invoke):
            caller.jump(last.normal)
        else:
            caller.at += 1

    def drop_frame(self, state: PathState) -> StackFrame:
        """Leave a function, by returning or because of an exception: its local variables end."""
        self.stack_left = min(self.stack_left, state.stack_left)
        frame = state.frames.pop()
        state.stack_left += frame.taken
        for thing in frame.stack:
            state.memory.to_write(thing).alive = False
        return frame

    def _end_step(self, state: PathState, entry: Function, outputs: Mapping[str, OutputValue]) -> None:
        """End the path after its last step, and leave it without frames; before that, call the entry again."""
        if len(state.earlier) + 1 == self.exploration.steps:
            self.record(state, Decided(), outputs)
        else:
            state.begin_step(outputs)
            self.constants.forget_library_state(state.memory)
            self.enter(state, entry, self.hooks.next_arguments(self, state), None)

    def allocate(self, state: PathState, name: str, size: int, kind: MemoryKind, *, zeroed: bool = False) -> Pointer:
        """Allocate memory; on the stack it ends with the call."""
        pointer = state.memory.add(MemoryObject(name, size, kind, zeroed=zeroed))
        if kind is MemoryKind.STACK:
            state.frames[-1].stack.append(pointer.object)
        return pointer

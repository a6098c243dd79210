"""The explorer: runs a function over every state of a precondition, path by path.

A path runs until it returns, fails, leaves its window, meets something that is not modelled, or the budget ends; in
each case it becomes a `Path` with the condition that its states satisfy, and none is dropped. Paths are taken up in
the order last found first, which is deterministic and keeps few of them waiting.

Where a program has too many paths to follow each, those that meet again go on as one (`merging.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.budget import held_memory
from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import Addresses
from soid.engine.llvm.exploring.approximated.registry import Approximations
from soid.engine.llvm.exploring.arithmetic import truth
from soid.engine.llvm.exploring.branching import Brancher, Infeasible
from soid.engine.llvm.exploring.constants import Constants
from soid.engine.llvm.exploring.handlers import HANDLERS, Handler
from soid.engine.llvm.exploring.inheritance import Hierarchy
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.merging import Join, Meeting
from soid.engine.llvm.exploring.poison import WithoutValue, hopeless, poisoned, stripped
from soid.engine.llvm.exploring.runtime import (
    FOLDED,
    UNSET_USE,
    Address,
    Flaw,
    FoldedAway,
    Held,
    Partial,
    PathEnd,
    Pointer,
    Poisoned,
    Unsupported,
    location,
    number,
)
from soid.engine.llvm.exploring.state import Frame, Model, State
from soid.engine.llvm.ir import Function
from soid.engine.llvm.names import in_library
from soid.engine.llvm.values import Register, Value
from soid.engine.protocol import Exploration, ExplorationProgress
from soid.engine.summary import Decided, Ending, Failed, Location, OutputValue, Path, Undecided, Unexplored
from soid.formula import build
from soid.formula.checker import Impossible, Possible
from soid.formula.term import Term

__all__ = ["UNSET_USE", "Explorer", "External", "Limits", "location"]

_BETWEEN_LOOKS = 1024

External = Callable[["Explorer", State, ir.Call, list[Held]], Held | None]


@final
class Limits(Struct, frozen=True):
    """What an exploration may cost, besides its deadline."""

    window: int | None = None  # loop iterations and calls that the program has for its decision; None: no window
    depth: int = 10_000  # calls inside each other


class TooManyPaths(Exception):
    """More than are worth following one by one."""


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
        *,
        most: int | None = None,
        merging: bool = False,
    ) -> None:
        """Of more than `most` paths, TooManyPaths is raised; with `merging`, paths that meet again go on as one."""
        self.module = module = constants.module
        self.exploration = exploration
        self.externals = externals
        self.finish = finish
        self.returning: Callable[[State, Frame, Held | None], None] = lambda state, frame, held: None
        self.again: Callable[[State], list[Held]] = lambda state: []
        self.handlers: Mapping[type, Handler] = HANDLERS
        self.limits = limits
        self.window = limits.window if exploration.window is None else exploration.window
        self.paths: list[Path] = []
        self.waiting: list[State] = []
        self.executed = 0  # instructions
        self._next_look = _BETWEEN_LOOKS  # at the budget, after so many of them
        self._most, self._merging = most, merging
        self._joins: list[Join] = []  # to which paths are on their way, those that are met first last
        self._meeting: dict[str, Meeting] = {}  # by function
        self._started = time.monotonic()
        self.relies_on: dict[str, None] = {}  # what was assumed on the way, in order
        if self.window is not None:
            self.relies_on[f"for each decision it has a window of {self.window} rounds of loops and calls"] = None
        self.approximations = Approximations(module.triple, exploration.precondition)
        self.brancher = Brancher(
            exploration.precondition,
            self.approximations.checker(exploration.check),
            self.waiting.append,
            self.record,
            self.approximations.by_symbol,
            exploration.mechanisms,
        )
        self.addresses = Addresses(module.layout, self.brancher)
        self.constants = constants
        self.hierarchy = Hierarchy(module)
        self.lazy = constants.lazy  # an operation without a value gives poison; it fails where that is looked at
        self._left_at: Location | None = None  # where a function last returned
        self._flaws: list[Flaw] | None = None  # of the operation under way, where it may give poison

    # --- the loop ---------------------------------------------------------------------------------------------

    def initial(self) -> State | None:
        """A state with the program's globals in memory; None if no input satisfies the precondition."""
        answer = self.exploration.check([self.exploration.precondition])
        if isinstance(answer, Impossible):
            return None
        model = Model(answer.model, self.approximations.by_symbol) if isinstance(answer, Possible) else None
        state = State(self.constants.memory(), [], [], model)
        state.bounds.learn(self.exploration.precondition)
        return state

    def run(self, state: State, entry: Function, arguments: Sequence[Held]) -> list[Path]:
        """Every path of the entry, starting from a state with its inputs in memory."""
        self.enter(state, entry, list(arguments), None)
        self.waiting.append(state)
        while self.waiting or self._joins:
            spent = self._out_of_budget()
            if spent is not None:
                self._give_up(spent)
                break
            if self._joins and not any(self._joins[-1] in one.joins for one in reversed(self.waiting)):
                self._meet(self._joins.pop())
                continue
            self._follow(self.waiting.pop())
            self._report()
            if self._most is not None and len(self.paths) + len(self.waiting) > self._most:
                raise TooManyPaths
        return self.paths

    def part(self, *states: State) -> None:
        """Paths part here; where they meet again they may go on as one."""
        if not self._merging:
            return
        frame = states[0].frame
        meeting = self._meeting.get(frame.function.name)
        if meeting is None:
            meeting = self._meeting[frame.function.name] = Meeting(frame.function)
        join = meeting.join(len(states[0].frames), frame.block)
        if join is not None:
            self._joins.append(join)
            for state in states:
                state.joins = (*state.joins, join)

    def _meet(self, join: Join) -> None:
        """All that will come are there."""
        came = len(join.arrived)
        merged = join.merged(windowed=self.window is not None)
        self.brancher.settled_by["merging"] += came - len(merged)
        self.waiting.extend(reversed(merged))

    def _has_arrived(self, state: State) -> bool:
        """Whether a path is where it may meet others; there it waits. One that has left the function meets nobody."""
        while state.joins:
            join = state.joins[-1]
            if len(state.frames) >= join.depth:
                if not join.takes(state):
                    return False
                state.joins = state.joins[:-1]
                join.arrived.append(state)
                return True
            state.joins = state.joins[:-1]
        return False

    def _report(self) -> None:
        taken = time.monotonic() - self._started
        share = self.brancher.seconds / taken if taken else 0.0
        self.exploration.progress(ExplorationProgress(len(self.paths), len(self.waiting), self.brancher.checks, share))

    def _out_of_budget(self) -> Unexplored | None:
        if self.exploration.cancel.cancelled:
            return Unexplored("cancelled")
        if self.exploration.deadline.is_over:
            return Unexplored("the time budget ended", out_of_time=True)
        if len(self.paths) >= self.exploration.paths:
            return Unexplored(f"more than {self.exploration.paths} paths")
        if held_memory() > self.exploration.memory:
            return Unexplored(f"the memory budget of {self.exploration.memory >> 20} MiB ended")
        return None

    def _give_up(self, spent: Unexplored) -> None:
        for state in (*self.waiting, *(state for join in self._joins for state in join.arrived)):
            self.record(state, spent)
        self.waiting.clear()
        self._joins.clear()

    def _follow(self, state: State) -> None:
        """Run a path to its end; what parts from it on the way is put to the waiting ones."""
        try:
            handlers, constants = self.handlers, self.constants
            # what poison or a recorder may have a say in is for the handlers alone
            prepared = handlers is HANDLERS and not self.lazy
            while not (state.joins and self._has_arrived(state)):
                frame = state.frames[-1]
                at = frame.at
                if prepared:
                    steps = constants.steps(frame.function, frame.block)
                    while (step := steps[at]) is not None and step(state, frame):
                        at += 1
                    self.executed += at - frame.at
                    frame.at = at
                instruction = frame.function.blocks[frame.block].instructions[at]
                self.executed += 1
                if self.executed >= self._next_look:
                    self._next_look = self.executed + _BETWEEN_LOOKS
                    self._look_at_the_budget(state)
                handlers[type(instruction)](self, state, frame, instruction)
        except PathEnd as end:
            self.record(state, end.ending)
        except FoldedAway:
            self.record(state, Failed(FOLDED, self.place(state)))
        except Unsupported as unsupported:
            self.record(state, Unexplored(f"not supported: {unsupported.what}", unsupported.where or self.place(state)))
        except Infeasible:
            pass  # every state of the path went elsewhere, and that has been recorded

    def record(self, state: State, ending: Ending, outputs: Mapping[str, OutputValue] | None = None) -> None:
        """A path's end."""
        if isinstance(ending, Failed | Unexplored) and ending.where is not None and in_library(ending.where.file):
            ending = replace(ending, where=self._called_from(state) or ending.where)
        condition = build.all_of(state.condition)
        name = str(len(self.paths) + 1)
        self.paths.append(Path(name, condition, ending, outputs or {}, tuple(state.earlier)))

    def _called_from(self, state: State) -> Location | None:
        """Where the program called the library in which a path is."""
        for frame in reversed(state.frames):
            where = location(frame.function.blocks[frame.block].instructions[frame.at].loc)
            if where is not None and not in_library(where.file):
                return where
        return None

    def place(self, state: State) -> Location | None:
        """Where in the source a path is."""
        for frame in reversed(state.frames):
            block = frame.function.blocks[frame.block]
            where = location(block.instructions[min(frame.at, len(block.instructions) - 1)].loc)
            if where is not None:
                return where
        return None

    def _look_at_the_budget(self, state: State) -> None:
        spent = self._out_of_budget()
        if spent is not None:
            raise PathEnd(replace(spent, where=self.place(state)))

    # --- operands ---------------------------------------------------------------------------------------------

    def value(self, frame: Frame, operand: Value) -> Held:
        if type(operand) is Register:
            held = frame.registers[operand.slot]
            assert held is not None, f"%{operand.name} is read before it is set"
            return held
        return self.constants.known(operand)

    def computed(self, operands: Sequence[Held], compute: Callable[..., Held]) -> Held:
        """What an operation gives: poison where an operand is, or where it has no value itself."""
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

    def oblige(self, state: State, holds: bool | Term, what: str, where: Location | None) -> None:
        """What must hold for an operation to have a value: the program fails where it does not, or gets poison."""
        if self._flaws is None:
            self.brancher.require(state, holds, what, where)
        elif holds is False:
            raise WithoutValue(Flaw(build.TRUE, what, where))
        elif isinstance(holds, Term):
            self._flaws.append(Flaw(build.not_(holds), what, where))

    def explore_only(self, state: State, holds: Term, what: str, where: Location | None) -> None:
        """Go on only where a condition holds; the states where it does not are left unexplored."""
        if holds is build.TRUE:
            return
        if holds is build.FALSE:
            raise Unsupported(what, where)
        met, rest = self.brancher.split(state, holds)
        if met is None and rest is None:
            raise Infeasible
        if met is None:
            raise Unsupported(what, where)
        if rest is not None:
            self.record(rest, Unexplored(f"not supported: {what}", where))

    def sound(self, state: State, held: Held) -> Held:
        """A value that is looked at: where it is poison, the program fails."""
        if isinstance(held, tuple):
            return tuple(self.sound(state, part) for part in held)
        if not isinstance(held, Poisoned):
            return held
        for flaw in held.flaws:
            if flaw.holds not in state.ruled_out:
                # what was computed ahead of its place in the source has none: then it is where it is looked at
                where = flaw.where or self.place(state) or self._left_at
                self.brancher.require(state, truth(build.not_(flaw.holds)), flaw.what, where)
                state.ruled_out.add(flaw.holds)
        return held.value

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

    def spend(self, state: State) -> None:
        """Count a loop iteration or a call against the window."""
        state.effort += 1
        if self.window is not None and state.effort > self.window:
            raise PathEnd(Undecided(window=self.window))

    def end_round(self, state: State, frame: Frame) -> None:
        """Count a round of a loop, if the block that a path is about to leave ends one."""
        if frame.block in self.constants.round_ends(frame.function):
            self.spend(state)

    def leave(self, state: State, held: Held | None) -> None:
        """Return from a call; from the entry, the program has decided."""
        self.returning(state, state.frames[-1], held)
        if self.lazy:
            self._left_at = self.place(state)
        frame = self.drop_frame(state)
        if not state.frames:
            self._decided(state, frame.function, self.finish(state, held))
            return
        caller = state.frames[-1]
        if frame.result is not None:
            assert held is not None
            caller.registers[frame.result.slot] = held
        last = caller.function.blocks[caller.block].instructions[caller.at]
        if isinstance(last, ir.Invoke):
            caller.came_from, caller.block, caller.at = caller.block, last.normal, 0
        else:
            caller.at += 1

    def drop_frame(self, state: State) -> Frame:
        """Leave a function, by returning or because of an exception: its local variables are no more."""
        frame = state.frames.pop()
        for thing in frame.stack:
            state.memory.to_write(thing).alive = False
        return frame

    def _decided(self, state: State, entry: Function, outputs: Mapping[str, OutputValue]) -> None:
        """The end of a step: of the path, if it is the last; else the entry is called again."""
        if len(state.earlier) + 1 == self.exploration.steps:
            self.record(state, Decided(), outputs)
            raise Infeasible
        state.begin_step(outputs)
        self.enter(state, entry, self.again(state), None)

    def allocate(self, state: State, name: str, size: int, kind: str, *, zeroed: bool = False) -> Pointer:
        """New memory; on the stack it ends with the call."""
        pointer = state.memory.add(Object(name, size, kind, zeroed=zeroed))
        if kind == "stack":
            state.frames[-1].stack.append(pointer.object)
        return pointer

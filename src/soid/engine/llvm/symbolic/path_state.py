"""The state of one path while it is explored: memory, call stack, path condition, and a model that takes the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.engine.llvm.ir.ir_module import Function
from soid.engine.llvm.ir.ir_types import Type
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.symbolic.memory.memory_object import AddressSpace, MemoryObject
from soid.engine.llvm.symbolic.values.held_values import Held, Pointer, location
from soid.engine.summary import Approximation, Location, OutputValue
from soid.formula.bounds import Bounds
from soid.formula.operators import CONST, VAR
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.paths.state_merge import MergePoint


@final
class Model:
    """Values of the free inputs that take a path; it caches the values of terms under them."""

    __slots__ = ("_approximations", "_known", "_values")

    def __init__(self, values: Mapping[Term, Any], approximations: Mapping[Term, Approximation]) -> None:
        self._values = values
        self._approximations = approximations  # by symbol; the library gives a symbol's value
        self._known: dict[Term, Any] = {}

    def value(self, root: Term) -> Any:
        """The value of a term. An input that no condition mentions may have any value; here it has 0."""
        known = self._known
        stack = [root]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            approximation = self._approximations.get(term) if term.op is VAR else None
            args = term.args if approximation is None else approximation.arguments
            waiting = [arg for arg in args if arg not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            values = tuple(known[arg] for arg in args)
            if approximation is not None:
                known[term] = approximation.enclosure.value(values)
            elif term.op is VAR:
                known[term] = self._values.get(term, 0)
            elif term.op is CONST:
                known[term] = term.params[0]
            else:
                known[term] = term.op.fold(tuple(arg.sort for arg in args), term.params, values)
        return known[root]


@final
class VariableArgument(Struct, frozen=True):
    """An argument passed for the dots of `f(int count, ...)`."""

    held: Held
    type: Type
    byval: Type | None  # the type of a struct that is passed in memory; `held` is then its address


@final
class Thrown(Struct, frozen=True):
    """An exception that is being thrown, or that a handler has caught and not yet released."""

    type: str  # symbol of its type info
    object: Pointer
    destructor: str | None
    where: Location | None  # of the throw
    handlers: int = 0  # how many handlers hold it; negative: one of them has thrown it again
    adjusted: Pointer | None = None  # the part of it that was caught


@final
class ReturnPoint(Struct, frozen=True, eq=False):
    """A call of setjmp, to which longjmp returns, and what its function held then."""

    block: int
    at: int  # the call in its block
    came_from: int  # the block before
    registers: tuple[Held | None, ...]
    locals: Mapping[int, MemoryObject]  # objects that end with the function, as they were
    result: Register | None


@final
class StackFrame(Struct, eq=False):
    """A call that has not returned."""

    function: Function
    registers: list[Held | None]
    result: Register | None  # the caller's register for the returned value
    block: int = 0
    came_from: int = -1  # the block before, for phis
    at: int = 0  # next instruction in the block
    stack: list[int] = field(default_factory=list)  # objects that end with the call
    taken: int = 0  # bytes of the stack that they take
    resized: int = 0  # bytes of these that variable-length arrays take
    varargs: tuple[VariableArgument, ...] = ()

    @property
    def where(self) -> Location | None:
        """Where in the source its current instruction is."""
        instructions = self.function.blocks[self.block].instructions
        return location(instructions[min(self.at, len(instructions) - 1)].loc)

    def jump(self, target: int) -> None:
        """Continue at a block."""
        self.came_from, self.block, self.at = self.block, target, 0

    def copy(self) -> StackFrame:
        return replace(self, registers=list(self.registers), stack=list(self.stack))


@final
class PathState(Struct, eq=False):
    """One path that is not finished."""

    memory: AddressSpace
    frames: list[StackFrame]
    condition: list[Term]  # the path condition, one conjunct for each branch taken
    model: Model | None  # an input that takes this path; None: the checker did not settle whether there is one
    effort: int = 0  # loop rounds and calls in this step so far, which the window counts
    seen: dict[str, Held] = field(default_factory=dict)  # internal values that the question mentions, by name
    inputs_read: dict[str, int] = field(default_factory=dict)  # calls so far of each function that reads a logged input
    earlier: list[Mapping[str, OutputValue]] = field(default_factory=list)  # outputs of each finished step
    bounds: Bounds = field(default_factory=Bounds)  # what the path condition says of terms compared with constants
    exceptions: dict[int, Thrown] = field(default_factory=dict)  # by object
    caught: list[int] = field(default_factory=list)  # objects of exceptions whose handlers run; the innermost is last
    return_points: dict[int, ReturnPoint] = field(default_factory=dict)  # of setjmp, by the object that marks each
    landing: tuple[Held, Held] | None = None  # the values of the landing pad that runs next
    ruled_out: set[Term] = field(default_factory=set)  # flaws of values that the path has used: none of them holds here
    stack_left: int = 0  # bytes of the stack that local variables have not taken
    inside: int | None = None  # the last state on its way that was recorded inside the program
    merge_points: tuple[MergePoint, ...] = ()  # where it may meet paths that it forked from; the next one comes last

    def begin_step(self, outputs: Mapping[str, OutputValue]) -> None:
        """Begin the next step; memory stays as it is."""
        self.earlier.append(outputs)
        self.effort = 0
        self.seen = {}
        self.inputs_read = {}
        self.merge_points = ()

    def fork(self) -> PathState:
        return replace(
            self,
            memory=self.memory.fork(),
            frames=[frame.copy() for frame in self.frames],
            condition=list(self.condition),
            seen=dict(self.seen),
            inputs_read=dict(self.inputs_read),
            earlier=list(self.earlier),
            bounds=self.bounds.copy(),
            exceptions=dict(self.exceptions),
            caught=list(self.caught),
            return_points=dict(self.return_points),
            ruled_out=set(self.ruled_out),
        )

    @property
    def frame(self) -> StackFrame:
        return self.frames[-1]

    @property
    def where(self) -> Location | None:
        """Where in the source the instruction is that runs now; None where no function runs."""
        return self.frames[-1].where if self.frames else None

"""The state of one path while it is explored, and the model that it carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from msgspec import Struct, field

from soid.engine.llvm.exploring.memory import Memory
from soid.engine.llvm.exploring.runtime import Held, Pointer
from soid.engine.llvm.ir import Function
from soid.engine.llvm.types import Type
from soid.engine.llvm.values import Register
from soid.engine.summary import Approximation, Location, OutputValue
from soid.formula.bounds import Bounds
from soid.formula.operators import CONST, VAR
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.merging import Join


@final
class Model:
    """Values of the freed inputs that take a path; what terms are under them is remembered."""

    __slots__ = ("_approximations", "_known", "_values")

    def __init__(self, values: Mapping[Term, Any], approximations: Mapping[Term, Approximation]) -> None:
        self._values = values
        self._approximations = approximations  # by symbol; a symbol's value is what the library returns
        self._known: dict[Term, Any] = {}

    def value(self, root: Term) -> Any:
        """What a term is. An input that no condition mentions may have any value; it has 0 here."""
        known = self._known
        stack = [root]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            if term.op is CONST:
                known[term] = term.params[0]
            elif term.op is VAR:
                one = self._approximations.get(term)
                waiting = [arg for arg in one.arguments if arg not in known] if one is not None else []
                if waiting:
                    stack.extend(waiting)
                    continue
                known[term] = (
                    one.enclosure.value(tuple(known[arg] for arg in one.arguments))
                    if one is not None
                    else self._values.get(term, 0)
                )
            else:
                waiting = [arg for arg in term.args if arg not in known]
                if waiting:
                    stack.extend(waiting)
                    continue
                args = term.args
                known[term] = term.op.fold(tuple(a.sort for a in args), term.params, tuple(known[a] for a in args))
            stack.pop()
        return known[root]


@final
class VariableArgument(Struct, frozen=True):
    """An argument that stands for the dots in `f(int count, ...)`."""

    held: Held
    type: Type
    byval: Type | None  # of the struct that `held` is the address of, where it is a struct that is passed in memory


@final
class Thrown(Struct, frozen=True):
    """An exception under way, or caught and not yet done with."""

    type: str  # symbol of its type info
    object: Pointer
    destructor: str | None
    where: Location | None  # of the throw
    handlers: int = 0  # how many catch it just now; less than none: so many that one of them has thrown again
    adjusted: Pointer | None = None  # the part of it that was caught


@final
class Frame(Struct, eq=False):
    """A call under way."""

    function: Function
    registers: list[Held | None]
    result: Register | None  # of the caller: where the returned value goes
    block: int = 0
    came_from: int = -1  # the block before, for phis
    at: int = 0  # next instruction in the block
    stack: list[int] = field(default_factory=list)  # objects that end with the call
    varargs: tuple[VariableArgument, ...] = ()

    def copy(self) -> Frame:
        return Frame(
            self.function,
            list(self.registers),
            self.result,
            self.block,
            self.came_from,
            self.at,
            list(self.stack),
            self.varargs,
        )


@final
class State(Struct, eq=False):
    """One path that is not finished."""

    memory: Memory
    frames: list[Frame]
    condition: list[Term]  # what the path has taken for granted so far
    model: Model | None  # an input that takes this path; None: whether there is one was not settled
    effort: int = 0  # rounds of loops and calls in this step so far: what the window counts
    seen: dict[str, Held] = field(default_factory=dict)  # internal values that a question speaks of, by name
    inputs_read: dict[str, int] = field(default_factory=dict)  # calls so far of each function that reads a logged input
    earlier: list[Mapping[str, OutputValue]] = field(default_factory=list)  # what each step so far gave
    bounds: Bounds = field(default_factory=Bounds)  # what the condition says of terms compared with constants
    exceptions: dict[int, Thrown] = field(default_factory=dict)  # by object
    caught: list[int] = field(default_factory=list)  # objects of the exceptions whose handlers run, the innermost last
    landing: tuple[Held, Held] | None = None  # what the landing pad gets that comes next
    ruled_out: set[Term] = field(
        default_factory=set
    )  # flaws of values that have been looked at: none of them holds here
    joins: tuple[Join, ...] = ()  # where it may meet those it has parted from, the next one last

    def begin_step(self, outputs: Mapping[str, OutputValue]) -> None:
        """Go on to the next step; memory stays."""
        self.earlier.append(outputs)
        self.effort = 0
        self.seen = {}
        self.inputs_read = {}
        self.joins = ()

    def fork(self) -> State:
        return State(
            self.memory.fork(),
            [frame.copy() for frame in self.frames],
            list(self.condition),
            self.model,
            self.effort,
            dict(self.seen),
            dict(self.inputs_read),
            list(self.earlier),
            self.bounds.copy(),
            dict(self.exceptions),
            list(self.caught),
            self.landing,
            set(self.ruled_out),
            self.joins,
        )

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

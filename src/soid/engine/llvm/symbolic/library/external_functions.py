"""All functions with a model: intrinsics, the C library's memory and string functions, assertions, output.

Each model does what the library does on this machine. A call of a function without a model ends the path as not
supported, by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final, final

from msgspec import Struct

from soid.assumptions import Assumption, Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import VOID
from soid.engine.llvm.ir.operands import Register
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.boundary import as_read, put
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.instructions.memory_access import release_stack
from soid.engine.llvm.symbolic.library.cplusplus_runtime import CPLUSPLUS, gives
from soid.engine.llvm.symbolic.library.heap import HEAP
from soid.engine.llvm.symbolic.library.integer_intrinsics import INTRINSICS
from soid.engine.llvm.symbolic.library.library_requests import REQUESTS
from soid.engine.llvm.symbolic.library.mathematics import mathematics
from soid.engine.llvm.symbolic.library.output_functions import OUTPUT
from soid.engine.llvm.symbolic.library.string_functions import STRINGS
from soid.engine.llvm.symbolic.library.variable_arguments import VARARGS
from soid.engine.llvm.symbolic.memory.memory_blocks import memcmp, memcpy, memmove, memset
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, UNSET_BRANCH, Held, Pointer, unknown
from soid.engine.llvm.variables.variable_layout import VariablePlace
from soid.engine.summary import Failed
from soid.formula.term import Term
from soid.program.interface import Variable

#: promises of llvm.assume about addresses that cannot change a decision; answers list them among what they rely on
_UNSEEN_PROMISES: Final = frozenset(
    {"align", "dereferenceable", "dereferenceable_or_null", "separate_storage", "cold", "ignore"}
)
BROKEN_PROMISE: Final = "what the compiler was told to take for granted does not hold"


def _fails(what: str, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    raise PathEnd(Failed(what, state.where))


def _assume(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """llvm.assume: a program that breaks the assumption fails."""
    for bundle in call.bundles:
        name = bundle.split('"')[1]
        if name not in _UNSEEN_PROMISES:
            raise NotModelled(f"an assumption about {name}")
    told = explorer.settled(state, arguments[0], UNSET_BRANCH)
    explorer.brancher.require(state, told if isinstance(told, Term) else bool(told), BROKEN_PROMISE)
    return None


def _lifetime(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held], *, begins: bool) -> None:
    """The begin or end of a local variable's lifetime; at its begin no bit of it is set."""
    held = arguments[-1]
    if isinstance(held, Pointer) and held.offset == 0 and held.object:
        thing = state.memory.to_write(held.object)
        if thing.kind is MemoryKind.STACK:
            thing.alive, thing.cells, thing.data, thing.zeroed = begins, {}, None, False


def _is_constant(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Whether the compiler knows a value: without optimisation, whether the operand is a constant."""
    if not explorer.lazy:
        return int(not isinstance(call.arguments[0].value, Register))
    raise NotModelled("llvm.is.constant")  # it depends on passes that are still to run


_MEMORY: Final[dict[str, External]] = {
    "memcpy": memcpy,
    "memmove": memmove,
    "memset": memset,
    "memcmp": memcmp,
    "bcmp": memcmp,
    **{f"llvm.memcpy.p0.p0.i{width}": memcpy for width in (16, 32, 64)},
    **{f"llvm.memcpy.inline.p0.p0.i{width}": memcpy for width in (16, 32, 64)},
    **{f"llvm.memmove.p0.p0.i{width}": memmove for width in (16, 32, 64)},
    **{f"llvm.memset.p0.i{width}": memset for width in (16, 32, 64)},
    **{f"llvm.memset.inline.p0.i{width}": memset for width in (16, 32, 64)},
}

_ENDS: Final[dict[str, External]] = {
    "abort": partial(_fails, "abort"),
    **{name: partial(_fails, "exit") for name in ("exit", "_exit", "_Exit", "quick_exit")},
    "__assert_fail": partial(_fails, "failed assertion"),
    "llvm.trap": partial(_fails, "trap"),
    "llvm.ubsantrap": partial(_fails, "trap"),
}

_WITHOUT_EFFECT: Final = (
    *("llvm.dbg.declare", "llvm.dbg.value", "llvm.dbg.label", "llvm.dbg.assign", "llvm.debugtrap", "llvm.donothing"),
    *("llvm.prefetch.p0", "llvm.invariant.end.p0"),
    *("llvm.experimental.noalias.scope.decl", "llvm.va_end", "llvm.va_end.p0", "llvm.va_end.p0.p0"),
)
#: hints to the optimiser, which return their first argument
_SAME: Final = (
    *(f"llvm.expect.i{width}" for width in (1, 8, 16, 32, 64)),
    *(f"llvm.expect.with.probability.i{width}" for width in (1, 8, 16, 32, 64)),
    *("llvm.launder.invariant.group.p0", "llvm.strip.invariant.group.p0", "llvm.threadlocal.address.p0"),
)

EXTERNALS: Final[dict[str, External]] = {
    **_MEMORY,
    **STRINGS,
    **HEAP,
    **CPLUSPLUS,
    **VARARGS,
    **INTRINSICS,
    **_ENDS,
    **OUTPUT,
    **REQUESTS,
    **dict.fromkeys(_WITHOUT_EFFECT, gives(None)),
    **dict.fromkeys(_SAME, lambda explorer, state, call, arguments: arguments[0]),
    "llvm.assume": _assume,
    **{f"llvm.is.constant.i{width}": _is_constant for width in (1, 8, 16, 32, 64)},
    "llvm.lifetime.start.p0": partial(_lifetime, begins=True),
    "llvm.lifetime.end.p0": partial(_lifetime, begins=False),
    "llvm.invariant.start.p0": gives(NULL),
    "llvm.stacksave.p0": gives(NULL),
    "llvm.stacksave": gives(NULL),
    "llvm.stackrestore.p0": release_stack,
    "llvm.stackrestore": release_stack,
}


@final
class DescribedFunction(Struct, frozen=True):
    """A function that the program does not define, as the manifest describes it.

    It returns logged inputs (a sensor, a clock, a random number), and a call beyond the last one ends the path as not
    supported. Or it is ignored: it has no variables, and what it returns is not known.
    """

    function: str
    variables: tuple[Variable, ...]  # one for each call, in the order of the calls; of a struct all its parts
    repeats: bool  # what it gives at its first call, it gives at every call
    fills: tuple[int, ...] = ()  # the parameters through which it may write; what it writes is not logged
    parts: tuple[VariablePlace, ...] = ()  # where the parts of a struct lie that it returns; none: a plain number
    size: int = 0  # bytes of that struct

    @property
    def calls(self) -> int:
        """How many calls are logged."""
        return len(self.variables) // max(1, len(self.parts))

    @property
    def relies_on(self) -> Assumption:
        if not self.variables:
            return Ledger.IGNORED_CALLS.of(demangled(self.function))
        name = self.variables[0].path.partition("[")[0].partition(".")[0]
        calls = "every call" if self.repeats else "each call in turn"
        else_ = "but what its arguments point to" if self.fills else "else"
        return Ledger.LOGGED_CALLS.of(calls, demangled(self.function), name, else_)

    def give(self, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
        """The model of the function; in each step its calls start with the first variable."""
        explorer.relies_on[self.relies_on] = None
        for parameter in self.fills:
            _forget(state, arguments[parameter])
        if not self.variables:
            return None if call.result is None else unknown(explorer.module.layout.bits(call.result.type))
        number = 0
        if not self.repeats:
            number = state.inputs_read.get(self.function, 0)
            state.inputs_read[self.function] = number + 1
        if number >= self.calls:
            raise NotModelled(f"more calls of {self.function} than logged")
        if self.parts:
            return self._struct(explorer, state, call, arguments, number)
        variable = self.variables[number]
        return as_read(variable, explorer.exploration.perceived(variable, state.earlier))

    def _struct(
        self,
        explorer: Explorer,
        state: PathState,
        call: ir.Call,
        arguments: list[Held],
        number: int,
    ) -> Held | None:
        """A struct from the log: in the registers that return it, or where the caller wants it."""
        kind = call.type.returns
        room = max(self.size, explorer.module.layout.store_size(kind) if kind != VOID else 0)
        made = state.memory.add(MemoryObject(f"what {self.function} returns", room, MemoryKind.GIVEN))
        first = number * len(self.parts)
        for place, variable in zip(self.parts, self.variables[first:], strict=False):
            here = explorer.exploration.perceived(variable, state.earlier)
            put(state.memory.to_write(made.object), place, variable, here)
        if kind != VOID:
            return explorer.addresses.load(state, made, kind)
        memcpy(explorer, state, call, [arguments[0], made, self.size, 0])
        return None


def before_entry(described: Iterable[DescribedFunction]) -> dict[str, External]:
    """The models of functions that may be called before the entry: all but those that give logged inputs."""
    ignored = {each.function: each.give for each in described if not each.variables}
    return {**EXTERNALS, **mathematics(), **ignored}


def _forget(state: PathState, held: Held) -> None:
    """Make the content of an object unknown: a function may have written to it."""
    thing = state.memory.objects.get(held.object) if isinstance(held, Pointer) else None
    if isinstance(held, Pointer) and thing is not None and thing.kind.has_content and thing.writable:
        written = state.memory.to_write(held.object)
        for at in range(0, thing.size, 8):
            size = min(8, thing.size - at)
            written.write(at, size, unknown(8 * size))

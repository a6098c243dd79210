"""Calls of functions that the program does not define: models by name; intrinsics on vectors run element by element."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import FunctionType, StructType, Type, VectorType
from soid.engine.llvm.ir.operands import Undef
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.symbolic.instructions.computations import promise_finite
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import Held, Partial, unknown

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer, External

_VECTOR: Final = re.compile(r"\.v\d+(?=[if]\d+)")
#: intrinsics that have an effect; all others only compute
_ACTING: Final = (
    *("llvm.mem", "llvm.va_", "llvm.lifetime.", "llvm.stack", "llvm.assume", "llvm.trap", "llvm.ubsantrap"),
    *("llvm.dbg.", "llvm.prefetch", "llvm.invariant.", "llvm.experimental.noalias", "llvm.eh."),
)
#: functions that read something outside of the program: a clock, chance, the process; and a name for it in a log
_READING: Final = {
    "time": "now",
    "clock": "ticks",
    "getpid": "process",
    **dict.fromkeys(("rand", "random", "lrand48", "mrand48", "drand48", "arc4random"), "drawn"),
}
#: the same for functions whose result is no number
_READING_MORE: Final = frozenset({"getenv", "secure_getenv", "gettimeofday", "clock_gettime", "timespec_get"})


def _refused(name: str) -> str:
    """A function without a model, and what can be done about it where that is known."""
    if name in _READING:
        return f'{name}, which a log can give: [inputs_from] {name} = "{_READING[name]}"'
    if name in _READING_MORE:
        return f"{name}, which no log can give: add a file that defines it to [program] sources"
    return demangled(name)


def call_outside(explorer: Explorer, state: PathState, one: ir.Call, name: str, arguments: list[Held]) -> Held | None:
    """The result of a function that the program does not define, by its model."""
    external = explorer.externals.get(name)
    if external is not None:
        return _called(explorer, state, one, name, external, arguments)
    scalar = _VECTOR.sub(".", name) if name.startswith("llvm.") else name
    external = explorer.externals.get(scalar)
    if external is None or scalar == name:
        raise NotModelled(_refused(name))
    count = next((len(argument) for argument in arguments if isinstance(argument, tuple)), 0)
    inner, found = _for_one(one), []
    for i in range(count):
        row = [argument[i] if isinstance(argument, tuple) else argument for argument in arguments]
        held = _called(explorer, state, inner, scalar, external, row)
        found.append(0 if held is None else held)
    if isinstance(one.type.returns, StructType):  # checked arithmetic: all results, then all overflow bits
        return tuple(zip(*(row for row in found if isinstance(row, tuple)), strict=True))
    return tuple(found)


def _called(
    explorer: Explorer, state: PathState, one: ir.Call, name: str, external: External, arguments: list[Held]
) -> Held | None:
    """Run a model. If an intrinsic only computes, poison gives poison, and unset bits give an unknown result."""
    if not explorer.lazy or not name.startswith("llvm.") or name.startswith(_ACTING):
        if one.flags:
            raise NotModelled(f"{name} with {' '.join(sorted(one.flags))}")
        return external(explorer, state, one, [explorer.sound(state, argument) for argument in arguments])

    def compute(*values: Held) -> Held:
        if any(isinstance(value, Partial) for value in values) and one.result is not None:
            return unknown_of(explorer, one.result.type)
        held = external(explorer, state, one, list(values))
        result = 0 if held is None else held
        promise_finite(explorer, state, one.flags, one.type.returns, *values, result)
        return result

    return explorer.computed(arguments, compute)


def unknown_of(explorer: Explorer, kind: Type) -> Held:
    """A value of a type of which nothing is known."""
    if isinstance(kind, StructType):
        return tuple(unknown_of(explorer, part) for part in kind.elements or ())
    return unknown(explorer.module.layout.bits(kind))


def _for_one(call: ir.Call) -> ir.Call:
    """The call for a single element of its vectors."""
    arguments = tuple(replace(each, value=Undef(_element(each.value.type))) for each in call.arguments)
    returns = _element(call.type.returns)
    kind = FunctionType(returns, tuple(each.value.type for each in arguments), varargs=False)
    result = replace(call.result, type=returns) if call.result is not None else None
    return replace(call, arguments=arguments, type=kind, result=result)


def _element(kind: Type) -> Type:
    if isinstance(kind, StructType):
        return StructType(None, tuple(map(_element, kind.elements or ())), kind.packed)
    return kind.element if isinstance(kind, VectorType) else kind

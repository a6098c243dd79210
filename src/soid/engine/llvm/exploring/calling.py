"""Calls of what a program does not define: by name, intrinsics on vectors element by element."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.computing import promise_finite
from soid.engine.llvm.exploring.runtime import Held, Partial, Unsupported, location
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.names import demangled
from soid.engine.llvm.types import FunctionType, StructType, Type, VectorType
from soid.engine.llvm.values import Undef

if TYPE_CHECKING:
    from soid.engine.llvm.exploring.explorer import Explorer, External

_VECTOR: Final = re.compile(r"\.v\d+(?=[if]\d+)")
#: intrinsics that do something; all others only compute
_ACTING: Final = (
    *("llvm.mem", "llvm.va_", "llvm.lifetime.", "llvm.stack", "llvm.assume", "llvm.trap", "llvm.ubsantrap"),
    *("llvm.dbg.", "llvm.prefetch", "llvm.invariant.", "llvm.experimental.noalias", "llvm.eh."),
)


def call_outside(explorer: Explorer, state: State, one: ir.Call, name: str, arguments: list[Held]) -> Held | None:
    """What a function that nobody defines gives, as far as it has a model."""
    external = explorer.externals.get(name)
    if external is not None:
        return _called(explorer, state, one, name, external, arguments)
    scalar = _VECTOR.sub(".", name) if name.startswith("llvm.") else name
    external = explorer.externals.get(scalar)
    if external is None or scalar == name:
        raise Unsupported(demangled(name), location(one.loc))
    count = next((len(argument) for argument in arguments if isinstance(argument, tuple)), 0)
    inner, found = _for_one(one), []
    for i in range(count):
        row = [argument[i] if isinstance(argument, tuple) else argument for argument in arguments]
        held = _called(explorer, state, inner, scalar, external, row)
        found.append(0 if held is None else held)
    if isinstance(one.type.returns, StructType):  # checked arithmetic: all results, then whether each was cut off
        return tuple(zip(*(row for row in found if isinstance(row, tuple)), strict=True))
    return tuple(found)


def _called(
    explorer: Explorer, state: State, one: ir.Call, name: str, external: External, arguments: list[Held]
) -> Held | None:
    if explorer.lazy and name.startswith("llvm.") and not name.startswith(_ACTING):
        return _computed(explorer, state, one, external, arguments)
    if one.flags:
        raise Unsupported(f"{name} with {' '.join(sorted(one.flags))}", location(one.loc))
    return external(explorer, state, one, [explorer.sound(state, argument) for argument in arguments])


def _computed(explorer: Explorer, state: State, one: ir.Call, external: External, arguments: list[Held]) -> Held | None:
    """An intrinsic that only computes: of poison it makes poison, of what was never set something nobody knows."""

    def compute(*values: Held) -> Held:
        if any(isinstance(value, Partial) for value in values) and one.result is not None:
            return _unknown(explorer, one.result.type)
        held = external(explorer, state, one, list(values))
        result = 0 if held is None else held
        promise_finite(explorer, state, one.flags, one.type.returns, location(one.loc), *values, result)
        return result

    return explorer.computed(arguments, compute)


def _unknown(explorer: Explorer, kind: Type) -> Held:
    if isinstance(kind, StructType):
        return tuple(_unknown(explorer, part) for part in kind.elements or ())
    return Partial(0, (1 << explorer.module.layout.bits(kind)) - 1, exact=False)


def _for_one(call: ir.Call) -> ir.Call:
    """The call as it would be for one element."""
    arguments = tuple(replace(each, value=Undef(_element(each.value.type))) for each in call.arguments)
    returns = _element(call.type.returns)
    kind = FunctionType(returns, tuple(each.value.type for each in arguments), varargs=False)
    result = replace(call.result, type=returns) if call.result is not None else None
    return replace(call, arguments=arguments, type=kind, result=result)


def _element(kind: Type) -> Type:
    if isinstance(kind, StructType):
        return StructType(None, tuple(map(_element, kind.elements or ())), kind.packed)
    return kind.element if isinstance(kind, VectorType) else kind

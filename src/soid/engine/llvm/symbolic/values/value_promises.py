"""Promises that optimised IR makes about values: flags of address arithmetic, metadata, attributes.

load i8, ptr %p, !range !{i8 0, i8 2}, !noundef      a bool: poison where it is neither 0 nor 1
getelementptr inbounds i32, ptr %p, i64 %i           poison where it leaves the object
call @f(i32 noundef %x)                              a failure where x is poison or was never set
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from soid.engine.llvm.ir.instructions import Attributes, Promise
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.memory.addresses import BOUNDS
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind
from soid.engine.llvm.symbolic.memory.offsets import WORD, Route, between, distance, shifted
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import (
    FIXED,
    UNSET_USE,
    Held,
    Offset,
    Partial,
    Pointer,
    SymbolicIndex,
    unset_use,
)
from soid.engine.llvm.symbolic.values.number_arithmetic import truth, within
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

OUT_OF_RANGE: Final = "number outside of the range that the compiler was promised"
NULL_VALUE: Final = "null pointer where the compiler was promised none"
BACKWARDS: Final = "address before its base where the compiler was promised none"
WRAPS: Final = "address arithmetic that wraps around"
_FAR: Final = 1 << 60
_RANGE: Final = re.compile(r"range ?\(i\d+ (-?\d+), ?(-?\d+)\)")


@lru_cache(maxsize=4096)
def promise_of(attributes: Attributes) -> Promise | None:
    """The promise that attributes of an argument or a result make; None if they make none."""
    ranges = tuple(
        (int(found[1]), int(found[2])) for flag in attributes.flags if (found := _RANGE.fullmatch(flag)) is not None
    )
    promise = Promise("noundef" in attributes, "nonnull" in attributes, ranges)
    return promise if promise != Promise() else None


def kept(explorer: Explorer, state: PathState, promise: Promise | None, kind: Type, held: Held) -> Held:
    """A value held to a promise: poison where it breaks it; a failure where it must be set and is not."""
    if promise is None:
        return held
    if not isinstance(held, tuple) and ((promise.ranges and isinstance(kind, IntegerType)) or promise.nonnull):
        held = explorer.computed((held,), lambda value: _checked(explorer, state, promise, kind, value))
    return _set(explorer, state, held) if promise.noundef else held


def _checked(explorer: Explorer, state: PathState, promise: Promise, kind: Type, value: Held) -> Held:
    if promise.ranges and isinstance(kind, IntegerType) and isinstance(value, int | Term):
        explorer.oblige(state, within(value, kind, promise.ranges), OUT_OF_RANGE)
    if promise.nonnull and isinstance(value, Pointer) and value.object == 0 and value.offset == 0:
        explorer.oblige(state, False, NULL_VALUE)
    return value


def _set(explorer: Explorer, state: PathState, held: Held) -> Held:
    """A value that must be set: poison and unset bits are failures."""
    held = explorer.sound(state, held)
    for part in held if isinstance(held, tuple) else (held,):
        if isinstance(part, Partial):
            raise unset_use(part, UNSET_USE, state.where)
    return held


# --- address arithmetic -----------------------------------------------------------------------------------------


def moved(
    explorer: Explorer, state: PathState, base: Pointer, route: Route, indices: list[int | Term], flags: frozenset[str]
) -> Pointer:
    """An address moved along a route and held to the instruction's flags."""
    offset = shifted(base.offset, route.constant)
    unsigned: list[bool | Term] = [route.constant >= 0]
    for value, step in zip(indices, route.steps, strict=True):
        if isinstance(value, int):
            by = signed(value, step.width) * step.size
            offset = shifted(offset, by)
            unsigned.append(by >= 0)
            continue
        if step.width == 1 or step.width > 64:
            raise NotModelled(f"an index of type i{step.width}")
        wide = build.sign_extend(value, 64 - step.width) if step.width < 64 else value
        offset = shifted(offset, 0, SymbolicIndex(wide, step.size))
        unsigned.append(truth(build.bvsle(build.const(WORD, 0), wide)))
        limit = _FAR // max(1, step.size)
        if step.size > 1 or step.width >= 64:
            near = between(wide, -limit, limit)
            if flags & {"inbounds", "nusw"}:
                explorer.oblige(state, truth(near), BOUNDS)
            else:
                explorer.explore_only(state, near, WRAPS)
    if "nuw" in flags:
        for each in unsigned:
            explorer.oblige(state, each, BACKWARDS)
    if "inbounds" in flags:
        thing = state.memory.objects.get(base.object)
        if thing is None or thing.kind is not MemoryKind.OPEN:  # else more may lie there; an access is looked at
            explorer.oblige(state, _inside(state, base.object, offset), BOUNDS)
    return Pointer(base.object, offset)


def _inside(state: PathState, number: int, offset: int | Offset) -> bool | Term:
    """Whether an offset lies in an object or just past its end; object 0 has size 0."""
    thing = state.memory.objects.get(number)
    if number == FIXED or (thing is not None and not thing.kind.has_content):
        return True  # its size is not known; an access through the address is refused
    size = 0 if thing is None else thing.size
    if isinstance(offset, int):
        return 0 <= offset <= size
    return truth(build.bvule(distance(offset), build.const(WORD, size)))

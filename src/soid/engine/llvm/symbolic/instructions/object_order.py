"""Which of two objects lies first in memory: not known, but the same each time.

    if (a < end of b && b < end of a) overlap...      one of the two is false, since objects do not overlap

An optimiser writes such tests before a loop that it vectorises. A comparison of addresses in two objects gives an
`ObjectOrder`; those of the same two objects can be combined, and a path that needs to know one is unexplored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soid.engine.llvm.symbolic.memory.memory_object import MemoryObject
from soid.engine.llvm.symbolic.memory.offsets import between, distance
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import NO_ORDER, Held, ObjectOrder, Offset, Pointer
from soid.formula import build
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

_SWAPPED: Final = {"ugt": "ult", "uge": "ule"}


def order(explorer: Explorer, state: PathState, predicate: str, x: Pointer, y: Pointer) -> ObjectOrder:
    """Whether one address is below another one, of a different object; `predicate` is an unsigned order.

    If the first object lies first, x <= y, and they are equal only where x is its end and y the other's start.
    """
    if predicate in _SWAPPED:
        predicate, x, y = _SWAPPED[predicate], y, x
    things = [state.memory.objects.get(pointer.object) for pointer in (x, y)]
    sizes = [_size(thing) for thing in things]
    if predicate not in ("ult", "ule"):
        raise NotModelled(NO_ORDER)
    for pointer, size in zip((x, y), sizes, strict=True):
        explorer.explore_only(state, within(pointer.offset, 0, size), NO_ORDER)
    # where one ends and the other begins, their addresses may be equal
    end, start = ((x, sizes[0]), (y, 0)) if predicate == "ult" else ((y, sizes[1]), (x, 0))
    touching = build.and_(*(within(pointer.offset, at, at) for pointer, at in (end, start)))
    explorer.explore_only(state, build.not_(touching), NO_ORDER)
    return ObjectOrder(x.object, y.object)


def _size(thing: MemoryObject | None) -> int:
    if thing is None or not thing.alive or not thing.kind.has_content or thing.size == 0:
        raise NotModelled(NO_ORDER)
    return thing.size


def within(offset: int | Offset, least: int, most: int) -> Term:
    """Whether an offset lies in a range; what is known of its indices often tells."""
    if isinstance(offset, int):
        return build.TRUE if least <= offset <= most else build.FALSE
    counts = [(each.scale, each.count) for each in offset.indices]
    reach = [scale * (count - 1) for scale, count in counts if count is not None]
    low = offset.constant + sum(min(0, each) for each in reach)
    high = offset.constant + sum(max(0, each) for each in reach)
    if len(reach) == len(counts) and least <= low and high <= most:
        return build.TRUE
    return between(distance(offset), least, most)


def combined(op: str, a: Held, b: Held) -> Held | None:
    """`and`, `or` and `xor` of single bits of which one is an order; None where none of them is."""
    if not isinstance(a, ObjectOrder):
        a, b = b, a
    if not isinstance(a, ObjectOrder):
        return None
    opposite = ObjectOrder(a.second, a.first)
    if isinstance(b, int):
        if op == "xor":
            return opposite if b else a
        return a if b == int(op == "and") else b
    if b == a and op != "xor":
        return a
    if b in (a, opposite):
        return int(op == "or" or (op == "xor" and b == opposite))
    raise NotModelled(NO_ORDER)

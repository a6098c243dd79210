"""What soid's own C library asks of the engine: the functions that its code declares and nothing defines.

soid_fails("atoi of a number that is no int");        what C leaves undefined: the program fails
soid_not_explored("%p in a format");                  what C leaves open: the path ends as not explored
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import I8
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.library.output_functions import read_string
from soid.engine.llvm.symbolic.memory.memory_blocks import OVERLAP, length, stretch, writable
from soid.engine.llvm.symbolic.memory.offsets import moved
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, Pointer, lift, lower, unknown
from soid.engine.summary import Failed
from soid.formula import build
from soid.formula.term import Term


def _text(explorer: Explorer, state: PathState, held: Held) -> str:
    """A string literal of the library."""
    assert isinstance(held, Pointer) and isinstance(held.offset, int)
    thing = state.memory.objects[held.object]
    content = bytes(byte for i in range(held.offset, thing.size) if isinstance(byte := thing.read(i, 1), int))
    return content.partition(b"\0")[0].decode()


def _fails(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    raise PathEnd(Failed(_text(explorer, state, arguments[0]), explorer.place(state)))


def _not_explored(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    raise NotModelled(_text(explorer, state, arguments[0]))


def _forget(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    size = length(explorer, state, arguments[1])
    if size == 0:
        return None
    number, at = stretch(explorer, state, arguments[0], size)
    writable(state, number).write(at, size, unknown(8 * size))
    return None


def _is_known(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    value = explorer.settled(state, arguments[0])
    return int(not isinstance(value, Term) or value.is_const)  # a computed NaN is a constant


def _need_room(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    size = length(explorer, state, arguments[1])
    if size == 0:
        return None
    pointer = explorer.addresses.pointer(state, arguments[0])
    thing = explorer.addresses.target(state, pointer)
    if not isinstance(pointer.offset, int) or not 0 <= pointer.offset <= thing.size - size:
        raise NotModelled(_text(explorer, state, arguments[2]))
    return None


def _need_set(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    explorer.settled(state, arguments[0])
    return None


def _need_known(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    value = explorer.settled(state, arguments[0])
    if isinstance(value, Term) and not value.is_const:
        raise NotModelled(_text(explorer, state, arguments[1]))
    return None


def _need_apart(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    sizes = [length(explorer, state, arguments[i]) for i in (1, 3)]
    if 0 in sizes:
        return None
    (one, start), (other, at) = (
        stretch(explorer, state, arguments[i], size) for i, size in zip((0, 2), sizes, strict=True)
    )
    if one == other and start < at + sizes[1] and at < start + sizes[0]:
        if arguments[4] != NULL:
            raise NotModelled(_text(explorer, state, arguments[4]))
        raise PathEnd(Failed(OVERLAP, explorer.place(state)))
    return None


def _need_string(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    read_string(explorer, state, arguments[0])
    return None


def _remember(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Keep memory as it is now; gives the number under which it is kept."""
    explorer.remembered.append((state.memory.fork(), dict(state.inputs_read)))
    return len(explorer.remembered) - 1


def _need_unchanged(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Go on only if no object has changed since, but the caller's own and one more."""
    number, but = explorer.settled(state, arguments[0]), arguments[1]
    if isinstance(number, Term):
        raise NotModelled("functions called back by paths that have merged")
    memory, inputs_read = explorer.remembered[number]
    apart = {*state.frame.stack, but.object if isinstance(but, Pointer) else 0}
    changed = [
        thing.name
        for key, thing in memory.objects.items()
        if key not in apart and thing.alive and state.memory.objects.get(key) is not thing
    ]
    if changed or state.inputs_read != inputs_read:
        raise NotModelled("a comparison function that changes something: C leaves open how often it is called")
    return None


def _same(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Whether two blocks hold the same, byte by byte; bytes that cannot be compared are the same only as they are."""
    equal: list[Term] = []
    for i in range(length(explorer, state, arguments[2])):
        one, other = (
            explorer.addresses.load(state, moved(explorer.addresses.pointer(state, argument), i), I8)
            for argument in arguments[:2]
        )
        if isinstance(one, int | Term) and isinstance(other, int | Term):
            equal.append(build.eq(lift(one, I8), lift(other, I8)))
        elif one != other:
            return 0
    return lower(build.and_(*equal)) if equal else 1


REQUESTS: Final[dict[str, External]] = {
    "soid_fails": _fails,
    "soid_not_explored": _not_explored,
    "soid_forget": _forget,
    "soid_need_number": _need_known,
    "soid_is_known": _is_known,
    "soid_need_room": _need_room,
    "soid_need_set": _need_set,
    "soid_need_apart": _need_apart,
    "soid_need_string": _need_string,
    "soid_remember": _remember,
    "soid_need_unchanged": _need_unchanged,
    "soid_same": _same,
}

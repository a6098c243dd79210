"""What programs call that they do not define: intrinsics, the C library's memory and string functions, assertions.

Each model does what the library does on this machine; what has no model here ends the path as not supported, by name.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.addresses import BOUNDS, READ_ONLY, shifted
from soid.engine.llvm.exploring.explorer import UNSET_USE, Explorer, External, location
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import NULL, Held, PathEnd, Pointer, Unsupported, lift, lower
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.types import I8, IntType
from soid.engine.summary import Failed, Location
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.formula.term import Term

_I32: Final = IntType(32)
_LONGEST_STRING: Final = 65_536


def _length(explorer: Explorer, state: State, held: Held, where: Location | None) -> int:
    """A length that is needed as a number; paths with its other values come later."""
    value = explorer.settled(held, UNSET_USE, where)
    return int(explorer.brancher.choose(state, value)) if isinstance(value, Term) else value


def _stretch(explorer: Explorer, state: State, held: Held, size: int, where: Location | None) -> tuple[Pointer, int]:
    """The place of a stretch of memory that is wholly inside its object."""
    pointer = explorer.addresses.pointer(held, where)
    thing = explorer.addresses.target(state, pointer, where)
    offset = pointer.offset
    if not isinstance(offset, int):
        from soid.engine.llvm.exploring.addresses import distance

        chosen = int(explorer.brancher.choose(state, distance(offset)))
        offset = chosen - (1 << 64) if chosen >> 63 else chosen
    if not 0 <= offset <= thing.size - size:
        raise PathEnd(Failed(BOUNDS, where))
    return Pointer(pointer.object, offset), offset


def _memcpy(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = _length(explorer, state, arguments[2], where)
    if size == 0:
        return arguments[0]
    source, start = _stretch(explorer, state, arguments[1], size, where)
    target, at = _stretch(explorer, state, arguments[0], size, where)
    pieces = state.memory.objects[source.object].pieces(start, size)
    thing = _writable(state, target, where)
    for offset, length, value in pieces:
        thing.write(at + offset, length, value)
    return arguments[0]


def _writable(state: State, target: Pointer, where: Location | None) -> Object:
    if not state.memory.objects[target.object].writable:
        raise PathEnd(Failed(READ_ONLY, where))
    return state.memory.to_write(target.object)


def _memset(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = _length(explorer, state, arguments[2], where)
    if size == 0:
        return arguments[0]
    target, at = _stretch(explorer, state, arguments[0], size, where)
    fill = arguments[1]
    if isinstance(fill, Term) and fill.sort != BitVec(8):
        fill = lower(build.extract(fill, 7, 0))
    elif isinstance(fill, int):
        fill &= 0xFF
    thing = _writable(state, target, where)
    for i in range(size):
        thing.write(at + i, 1, fill)
    return arguments[0]


def _memcmp(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = _length(explorer, state, arguments[2], where)
    return _compare_bytes(explorer, state, arguments, size, where, stop_at_zero=False)


def _compare_bytes(
    explorer: Explorer, state: State, arguments: list[Held], size: int, where: Location | None, *, stop_at_zero: bool
) -> Held:
    """The difference of the first bytes that differ, from the last byte back to the first."""
    pairs: list[tuple[int | Term, int | Term]] = []
    for i in range(size):
        a, b = (_byte(explorer, state, argument, i, where) for argument in arguments[:2])
        pairs.append((a, b))
        if stop_at_zero and isinstance(a, int) and isinstance(b, int) and (a != b or a == 0):
            break
    result = build.const(BitVec(32), 0)
    for a, b in reversed(pairs):
        x, y = lift(a, I8), lift(b, I8)
        differ = build.bvsub(build.zero_extend(x, 24), build.zero_extend(y, 24))
        same = build.eq(x, y)
        if stop_at_zero:
            ends = build.eq(x, build.const(BitVec(8), 0))
            result = build.ite(same, build.ite(ends, build.const(BitVec(32), 0), result), differ)
        else:
            result = build.ite(same, result, differ)
    return lower(_sign_only(result))


def _sign_only(term: Term) -> Term:
    """C promises the sign of a comparison and nothing else: -1, 0 or 1 stand for it."""
    zero = build.const(term.sort, 0)
    below = build.ite(build.bvslt(term, zero), build.const(term.sort, -1), build.const(term.sort, 1))
    return build.ite(build.eq(term, zero), zero, below)


def _byte(explorer: Explorer, state: State, held: Held, index: int, where: Location | None) -> int | Term:
    pointer = explorer.addresses.pointer(held, where)
    at = Pointer(pointer.object, shifted(pointer.offset, index))
    return explorer.settled(explorer.addresses.load(state, at, I8, where), UNSET_USE, where)


def _strlen(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    for length in range(_LONGEST_STRING):
        byte = _byte(explorer, state, arguments[0], length, where)
        if isinstance(byte, Term):
            ends = explorer.brancher.choose(state, build.eq(byte, build.const(BitVec(8), 0)))
            if ends:
                return length
        elif byte == 0:
            return length
    raise Unsupported("a string of more than 65536 bytes", where)


def _strcmp(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    lengths = [int(_strlen(explorer, state, call, [argument])) for argument in arguments[:2]]  # type: ignore[arg-type]
    return _compare_bytes(explorer, state, arguments, min(lengths) + 1, where, stop_at_zero=True)


def _strncmp(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    most = _length(explorer, state, arguments[2], where)
    found = most
    for argument in arguments[:2]:
        for i in range(found):
            byte = _byte(explorer, state, argument, i, where)
            if isinstance(byte, Term):
                byte = 0 if explorer.brancher.choose(state, build.eq(byte, build.const(BitVec(8), 0))) else 1
            if byte == 0:
                found = i + 1
                break
    return _compare_bytes(explorer, state, arguments, found, where, stop_at_zero=True)


# --- the heap ---------------------------------------------------------------------------------------------------


def _malloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    size = _length(explorer, state, arguments[0], location(call.loc))
    return state.memory.add(Object("malloc", size, "heap"))


def _calloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    count, size = (_length(explorer, state, argument, where) for argument in arguments[:2])
    return state.memory.add(Object("calloc", count * size, "heap", zeroed=True))


def _free(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    where = location(call.loc)
    pointer = explorer.addresses.pointer(arguments[0], where)
    if pointer == NULL:
        return None
    thing = state.memory.objects.get(pointer.object)
    if thing is None or thing.kind != "heap" or pointer.offset != 0:
        raise PathEnd(Failed("free of what was not allocated", where))
    if not thing.alive:
        raise PathEnd(Failed("double free", where))
    state.memory.to_write(pointer.object).alive = False
    return None


def _realloc(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    where = location(call.loc)
    size = _length(explorer, state, arguments[1], where)
    new = state.memory.add(Object("realloc", size, "heap"))
    old = explorer.addresses.pointer(arguments[0], where)
    if old != NULL:
        kept = min(size, explorer.addresses.target(state, old, where).size)
        _memcpy(explorer, state, call, [new, old, kept])
        _free(explorer, state, call, [old])
    return new


# --- ends and nothings ------------------------------------------------------------------------------------------


def _fails(what: str) -> External:
    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
        raise PathEnd(Failed(what, location(call.loc)))

    return external


def _nothing(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Has no effect on any decision; what it returns is nobody's business."""
    return 0


def _expect(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return arguments[0]


def _stacksave(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return NULL


EXTERNALS: Final[dict[str, External]] = {
    "memcpy": _memcpy,
    "memmove": _memcpy,  # pieces are read before any is written
    "memset": _memset,
    "memcmp": _memcmp,
    "bcmp": _memcmp,
    "strlen": _strlen,
    "strcmp": _strcmp,
    "strncmp": _strncmp,
    "malloc": _malloc,
    "calloc": _calloc,
    "realloc": _realloc,
    "free": _free,
    "abort": _fails("abort"),
    "exit": _fails("exit"),
    "_exit": _fails("exit"),
    "__assert_fail": _fails("failed assertion"),
    "llvm.trap": _fails("trap"),
    "llvm.ubsantrap": _fails("trap"),
    "llvm.debugtrap": _nothing,
    "printf": _nothing,
    "fprintf": _nothing,
    "puts": _nothing,
    "putchar": _nothing,
    "fputs": _nothing,
    "fputc": _nothing,
    "putc": _nothing,
    "fflush": _nothing,
    "perror": _nothing,
    "llvm.dbg.declare": _nothing,
    "llvm.dbg.value": _nothing,
    "llvm.dbg.label": _nothing,
    "llvm.lifetime.start.p0": _nothing,
    "llvm.lifetime.end.p0": _nothing,
    "llvm.stacksave.p0": _stacksave,
    "llvm.stacksave": _stacksave,
    "llvm.stackrestore.p0": _nothing,
    "llvm.stackrestore": _nothing,
    "llvm.va_end": _nothing,
    "llvm.va_end.p0": _nothing,
    "llvm.memcpy.p0.p0.i64": _memcpy,
    "llvm.memcpy.p0.p0.i32": _memcpy,
    "llvm.memmove.p0.p0.i64": _memcpy,
    "llvm.memset.p0.i64": _memset,
    "llvm.memset.p0.i32": _memset,
    "llvm.expect.i64": _expect,
    "llvm.expect.i1": _expect,
}

"""The C library's functions on strings.

A byte that depends on inputs forks the path only where it decides how far a function reads: there is one path for each
possible length.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import I8
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.memory.memory_blocks import byte_at, copy, difference, inside, length, stretch, writable
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, lift, lower
from soid.formula import build
from soid.formula.term import Term

_LONGEST: Final = 65_536


def _is(explorer: Explorer, state: PathState, byte: int | Term, wanted: int | Term) -> bool:
    """Whether a byte equals another on this path; if both are feasible, the path forks."""
    if isinstance(byte, int) and isinstance(wanted, int):
        return byte == wanted
    return explorer.brancher.holds(state, build.eq(lift(byte, I8), lift(wanted, I8)))


def _size(explorer: Explorer, state: PathState, held: Held, most: int = _LONGEST + 1) -> int:
    """The number of bytes before the first zero, at most `most`."""
    for i in range(min(most, _LONGEST)):
        if _is(explorer, state, byte_at(explorer, state, held, i), 0):
            return i
    if most > _LONGEST:
        raise NotModelled(f"a string of more than {_LONGEST} bytes")
    return most


def _most(explorer: Explorer, state: PathState, arguments: list[Held], limit: int | None) -> int:
    """How many bytes a function may read: what the argument at this place says, else as many as there are."""
    return _LONGEST + 1 if limit is None else length(explorer, state, arguments[limit])


def _strlen(limit: int | None, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    return _size(explorer, state, arguments[0], _most(explorer, state, arguments, limit))


def _strcmp(limit: int | None, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """Compare byte by byte while the bytes are equal and not zero; later bytes are never read."""
    most = _most(explorer, state, arguments, limit)
    for i in range(min(most, _LONGEST)):
        a, b = (byte_at(explorer, state, argument, i) for argument in arguments[:2])
        x, y = lift(a, I8), lift(b, I8)
        goes_on = build.and_(build.eq(x, y), build.not_(build.eq(x, build.const(x.sort, 0))))
        if not explorer.brancher.holds(state, goes_on):
            return lower(difference(explorer, state, call, a, b))
    if most > _LONGEST:
        raise NotModelled(f"a string of more than {_LONGEST} bytes")
    return 0


def _stpcpy(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    size = _size(explorer, state, arguments[1])
    copy(explorer, state, arguments[0], arguments[1], size + 1, may_overlap=False)
    return inside(explorer, state, arguments[0], size)


def _strcpy(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    _stpcpy(explorer, state, call, arguments)
    return arguments[0]


def _strncpy(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """strncpy: it pads with zeros; if the string is too long, it writes no zero."""
    most = length(explorer, state, arguments[2])
    if most == 0:
        return arguments[0]
    size = _size(explorer, state, arguments[1], most)
    number, at = stretch(explorer, state, arguments[0], most)
    copy(explorer, state, arguments[0], arguments[1], size, may_overlap=False)
    thing = writable(state, number)
    for i in range(size, most):
        thing.write(at + i, 1, 0)
    return arguments[0]


def _strcat(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    end = _size(explorer, state, arguments[0])
    size = _size(explorer, state, arguments[1])
    behind = inside(explorer, state, arguments[0], end)
    copy(explorer, state, behind, arguments[1], size + 1, may_overlap=False)
    return arguments[0]


def _strncat(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    end = _size(explorer, state, arguments[0])
    size = _size(explorer, state, arguments[1], length(explorer, state, arguments[2]))
    behind = inside(explorer, state, arguments[0], end)
    number, at = stretch(explorer, state, behind, size + 1)
    copy(explorer, state, behind, arguments[1], size, may_overlap=False)
    writable(state, number).write(at + size, 1, 0)
    return arguments[0]


# --- looking for something --------------------------------------------------------------------------------------


def _letter(explorer: Explorer, state: PathState, held: Held) -> int | Term:
    """A character, which C passes as an int, as a byte."""
    value = explorer.settled(state, held)
    return value & 0xFF if isinstance(value, int) else lower(build.extract(value, 7, 0))


def _strchr(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """strchr: the zero at the end counts as part of the string."""
    wanted = _letter(explorer, state, arguments[1])
    for i in range(_LONGEST):
        byte = byte_at(explorer, state, arguments[0], i)
        if _is(explorer, state, byte, wanted):
            return inside(explorer, state, arguments[0], i)
        if _is(explorer, state, byte, 0):
            return NULL
    raise NotModelled(f"a string of more than {_LONGEST} bytes")


def _strrchr(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    wanted = _letter(explorer, state, arguments[1])
    size = _size(explorer, state, arguments[0])
    for i in range(size, -1, -1):
        if _is(explorer, state, byte_at(explorer, state, arguments[0], i), wanted):
            return inside(explorer, state, arguments[0], i)
    return NULL


def _memchr(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    wanted = _letter(explorer, state, arguments[1])
    for i in range(length(explorer, state, arguments[2])):
        if _is(explorer, state, byte_at(explorer, state, arguments[0], i), wanted):
            return inside(explorer, state, arguments[0], i)
    return NULL


def _strstr(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    size, wanted = (_size(explorer, state, argument) for argument in arguments[:2])
    sought = [byte_at(explorer, state, arguments[1], i) for i in range(wanted)]
    for start in range(size - wanted + 1):
        found = [byte_at(explorer, state, arguments[0], start + i) for i in range(wanted)]
        if all(_is(explorer, state, a, b) for a, b in zip(found, sought, strict=True)):
            return inside(explorer, state, arguments[0], start)
    return NULL


STRINGS: Final[dict[str, External]] = {
    "strlen": partial(_strlen, None),
    "strnlen": partial(_strlen, 1),
    "strcmp": partial(_strcmp, None),
    "strncmp": partial(_strcmp, 2),
    "strcpy": _strcpy,
    "stpcpy": _stpcpy,
    "strncpy": _strncpy,
    "strcat": _strcat,
    "strncat": _strncat,
    "strchr": _strchr,
    "strrchr": _strrchr,
    "memchr": _memchr,
    "strstr": _strstr,
}

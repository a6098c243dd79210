"""The C library's functions that print. What they print decides nothing; what they read must be there.

A format must be a string that is known. Each argument must be set, and a string must end inside of its memory. The
number of characters that a call returns is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import I8
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.memory.addresses import outside
from soid.engine.llvm.symbolic.memory.memory_blocks import byte_at
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, Held, lift, unknown
from soid.engine.summary import Failed
from soid.formula import build
from soid.formula.term import Term

TOO_FEW: Final = "fewer arguments than the format asks for"
_CONVERSION: Final = re.compile(r"%[-+ #0']*(\*|\d+)?(?:\.(\*|-?\d*))?(?:hh|h|ll|l|q|L|j|z|Z|t)?(.)", re.DOTALL)


def _result(explorer: Explorer, call: ir.Call) -> Held | None:
    return None if call.result is None else unknown(explorer.module.layout.bits(call.result.type))


def _printf(
    explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held], *, format_at: int
) -> Held | None:
    given = iter(arguments[format_at + 1 :])

    def next_argument() -> Held:
        found = next(given, None)
        if found is None:
            raise PathEnd(Failed(TOO_FEW, state.where))
        return found

    for width, precision, kind in _conversions(_text(explorer, state, arguments[format_at])):
        most = int(precision or 0) if precision not in (None, "*") else None
        for size in (width, precision):
            if size == "*":
                explorer.settled(state, next_argument())
        if kind == "s" and precision == "*":
            raise NotModelled("a string of a computed length in a format")
        if kind == "s":
            read_string(explorer, state, next_argument(), most)
        elif kind == "p":
            next_argument()
        elif kind in "diouxXcfFeEgGaA":
            explorer.settled(state, next_argument())
        elif kind != "%":
            raise NotModelled(f"%{kind} in a format")
    return _result(explorer, call)


def _conversions(text: str) -> Iterator[tuple[str | None, str | None, str]]:
    """Width, precision and kind of each conversion in a format."""
    return ((found[1], found[2], found[3]) for found in _CONVERSION.finditer(text))


def _text(explorer: Explorer, state: PathState, held: Held) -> str:
    """A string of which every byte is known."""
    found: list[str] = []
    while True:
        byte = byte_at(explorer, state, held, len(found))
        if isinstance(byte, Term):
            raise NotModelled("a format that depends on inputs")
        if byte == 0:
            return "".join(found)
        found.append(chr(byte))


def read_string(explorer: Explorer, state: PathState, held: Held, most: int | None = None) -> None:
    """Read a string up to its end, or `most` bytes of it; a string without an end leaves its memory."""
    pointer = explorer.addresses.pointer(state, held)
    thing = explorer.addresses.target(state, pointer)
    if not isinstance(pointer.offset, int):
        raise NotModelled("printing a string at an offset that depends on inputs")
    ends: list[Term] = []
    room = max(0, thing.size - pointer.offset)
    for index in range(room if most is None else min(room, most)):
        byte = byte_at(explorer, state, held, index)
        ends.append(build.eq(lift(byte, I8), build.const(lift(byte, I8).sort, 0)))
        if ends[-1] is build.TRUE:
            return
    if most is None or most > room:
        explorer.brancher.continue_where(state, build.or_(*ends), outside(state, thing))


def _puts(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    read_string(explorer, state, arguments[0])
    return _result(explorer, call)


def _perror(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    return None if arguments[0] == NULL else _puts(explorer, state, call, arguments)


def _putchar(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    explorer.settled(state, arguments[0])
    return _result(explorer, call)


def _flush(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    return _result(explorer, call)


OUTPUT: Final[dict[str, External]] = {
    "printf": partial(_printf, format_at=0),
    "fprintf": partial(_printf, format_at=1),
    **dict.fromkeys(("puts", "fputs"), _puts),
    **dict.fromkeys(("putchar", "fputc", "putc"), _putchar),
    "fflush": _flush,
    "perror": _perror,
}

"""What programs call that they do not define: intrinsics, the C library's memory and string functions, assertions.

Each model does what the library does on this machine; what has no model here ends the path as not supported, by name.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.copying import memcmp, memcpy, memmove, memset
from soid.engine.llvm.exploring.explorer import Explorer, External, location
from soid.engine.llvm.exploring.heap import HEAP
from soid.engine.llvm.exploring.intrinsics import INTRINSICS
from soid.engine.llvm.exploring.runtime import NULL, Held, Partial, PathEnd
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.exploring.strings import STRINGS
from soid.engine.llvm.exploring.varargs import VARARGS
from soid.engine.summary import Failed


def _fails(what: str) -> External:
    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
        raise PathEnd(Failed(what, location(call.loc)))

    return external


def _nothing(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Has no effect on any decision."""
    return None


def _output(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Has no effect on any decision; how many bytes were written, or whether that failed, nobody knows."""
    if call.result is None:
        return None
    return Partial(0, (1 << explorer.module.layout.bits(call.result.type)) - 1, exact=False)


def _first(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Gives back what it is given: a hint to the optimiser."""
    return arguments[0]


def _stacksave(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return NULL


_MEMORY: Final[dict[str, External]] = {
    "memcpy": memcpy,
    "memmove": memmove,
    "memset": memset,
    "memcmp": memcmp,
    "bcmp": memcmp,
    **{f"llvm.memcpy.p0.p0.i{width}": memcpy for width in (32, 64)},
    **{f"llvm.memcpy.inline.p0.p0.i{width}": memcpy for width in (32, 64)},
    **{f"llvm.memmove.p0.p0.i{width}": memmove for width in (32, 64)},
    **{f"llvm.memset.p0.i{width}": memset for width in (32, 64)},
    **{f"llvm.memset.inline.p0.i{width}": memset for width in (32, 64)},
}

_ENDS: Final[dict[str, External]] = {
    "abort": _fails("abort"),
    **{name: _fails("exit") for name in ("exit", "_exit", "_Exit", "quick_exit")},
    "__assert_fail": _fails("failed assertion"),
    "llvm.trap": _fails("trap"),
    "llvm.ubsantrap": _fails("trap"),
}

_OUTPUT: Final = ("printf", "fprintf", "puts", "putchar", "fputs", "fputc", "putc", "fflush", "perror", "vprintf")
_WITHOUT_EFFECT: Final = (
    "llvm.debugtrap",
    "llvm.dbg.declare",
    "llvm.dbg.value",
    "llvm.dbg.label",
    "llvm.dbg.assign",
    "llvm.lifetime.start.p0",
    "llvm.lifetime.end.p0",
    "llvm.stackrestore.p0",
    "llvm.stackrestore",
    "llvm.prefetch.p0",
)

EXTERNALS: Final[dict[str, External]] = {
    **_MEMORY,
    **STRINGS,
    **HEAP,
    **VARARGS,
    **INTRINSICS,
    **_ENDS,
    **dict.fromkeys(_OUTPUT, _output),
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
    **{f"llvm.expect.i{width}": _first for width in (1, 8, 16, 32, 64)},
    "llvm.stacksave.p0": _stacksave,
    "llvm.stacksave": _stacksave,
}

"""What programs call that they do not define: intrinsics, the C library's memory and string functions, assertions.

Each model does what the library does on this machine; what has no model here ends the path as not supported, by name.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.copying import memcmp, memcpy, memmove, memset
from soid.engine.llvm.exploring.cplusplus import CPLUSPLUS
from soid.engine.llvm.exploring.explorer import Explorer, External, location
from soid.engine.llvm.exploring.heap import HEAP
from soid.engine.llvm.exploring.intrinsics import INTRINSICS
from soid.engine.llvm.exploring.runtime import NULL, UNSET_BRANCH, Held, Partial, PathEnd, Pointer, Unsupported
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.exploring.strings import STRINGS
from soid.engine.llvm.exploring.varargs import VARARGS
from soid.engine.llvm.values import Register
from soid.engine.summary import Failed
from soid.formula.term import Term

#: what an assumption may say of an address that no decision shows; answers list it among what they rely on
_UNSEEN_PROMISES: Final = frozenset(
    {"align", "dereferenceable", "dereferenceable_or_null", "separate_storage", "cold", "ignore"}
)
BROKEN_PROMISE: Final = "what the compiler was told to take for granted does not hold"


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


def _assume(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """What a compiler was told to take for granted: a program that does otherwise fails."""
    where = location(call.loc)
    for bundle in call.bundles:
        name = bundle.split('"')[1]
        if name not in _UNSEEN_PROMISES:
            raise Unsupported(f"an assumption about {name}", where)
    told = explorer.settled(arguments[0], UNSET_BRANCH, where)
    explorer.brancher.require(state, told if isinstance(told, Term) else bool(told), BROKEN_PROMISE, where)
    return None


def _lifetime(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held], *, begins: bool) -> None:
    """The stretch in which a local variable is there; at its beginning nothing of it is set."""
    held = arguments[-1]
    if isinstance(held, Pointer) and held.offset == 0 and held.object:
        thing = state.memory.to_write(held.object)
        if thing.kind == "stack":
            thing.alive, thing.cells, thing.data, thing.zeroed = begins, {}, None, False


def _first(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Gives back what it is given: a hint to the optimiser."""
    return arguments[0]


def _is_constant(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Whether the compiler knew a value: without optimisation, whether it stands there as a number."""
    if not explorer.lazy:
        return int(not isinstance(call.arguments[0].value, Register))
    raise Unsupported("llvm.is.constant", location(call.loc))  # it depends on what is still to be done to the code


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
    "llvm.stackrestore.p0",
    "llvm.stackrestore",
    "llvm.prefetch.p0",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.end.p0",
)
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
    **dict.fromkeys(_OUTPUT, _output),
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
    **dict.fromkeys(_SAME, _first),
    "llvm.assume": _assume,
    **{f"llvm.is.constant.i{width}": _is_constant for width in (1, 8, 16, 32, 64)},
    "llvm.lifetime.start.p0": partial(_lifetime, begins=True),
    "llvm.lifetime.end.p0": partial(_lifetime, begins=False),
    "llvm.invariant.start.p0": _stacksave,
    "llvm.stacksave.p0": _stacksave,
    "llvm.stacksave": _stacksave,
}

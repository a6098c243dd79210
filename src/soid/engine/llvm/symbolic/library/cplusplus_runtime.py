"""The C++ runtime: operator new and delete, functions of the ABI, constructors of standard exceptions.

Code from the standard library's headers is part of the program and explored like it. Functions that only the library's
binary contains are refused by name, except constructors and destructors of exceptions: a program can throw and catch
such an object, and is refused where it reads the object's content.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import I8
from soid.engine.llvm.symbolic.explorer import Explorer, External
from soid.engine.llvm.symbolic.library.cplusplus_exceptions import (
    TERMINATED,
    allocate_exception,
    free_exception,
    type_number,
)
from soid.engine.llvm.symbolic.library.heap import HEAP
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.held_values import NULL, UNSET_BRANCH, Held, Pointer
from soid.engine.summary import Failed


def _fails(what: str, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    raise PathEnd(Failed(what, explorer.place(state)))


def gives(held: Held | None) -> External:
    """A function that does nothing and always returns the same."""
    return lambda explorer, state, call, arguments: held


def _guard_acquire(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held:
    """Whether a function's static variable is still to be initialised: its guard's first byte is 0."""
    done = explorer.settled(state, explorer.addresses.load(state, arguments[0], I8), UNSET_BRANCH)
    if not isinstance(done, int):
        raise NotModelled("a static variable that may or may not have been initialised")
    if done == 0:
        _never_made(explorer, state, arguments[0])
    return int(done == 0)


def _never_made(explorer: Explorer, state: PathState, guard: Held) -> None:
    """Refuse a variable that is not all zeros: it was initialised before, though its guard, which no log has, is 0."""
    name = explorer.constants.name_of(guard) if isinstance(guard, Pointer) else None
    guarded = explorer.constants.addresses.get(f"_Z{name.removeprefix(_GUARD)}") if name else None
    if name is None or guarded is None:
        raise NotModelled("the guard of a static variable that is not known")
    if any(value not in (0, NULL) for _, value in (state.memory.objects[guarded.object].cells or {}).values()):
        raise NotModelled("initialising a static variable that has a value already")
    explorer.relies_on[Ledger.FIRST_CALL.of(state.where)] = None


def _guard_release(explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]) -> Held | None:
    explorer.addresses.store(state, arguments[0], 1, I8)
    return None


def _constructed(
    name: str, words: int, explorer: Explorer, state: PathState, call: ir.Call, arguments: list[Held]
) -> Held | None:
    """The constructor of a standard exception; its content, virtual functions included, is opaque."""
    hidden = state.memory.add(MemoryObject(f"an exception of the type {name}", 0, MemoryKind.OPAQUE))
    target = explorer.addresses.pointer(state, arguments[0])
    if not isinstance(target.offset, int):
        raise NotModelled(f"a {name} at an unknown place")
    thing = explorer.addresses.target(state, target)
    for at in range(target.offset, target.offset + 8 * words, 8):
        if at + 8 <= thing.size:
            state.memory.to_write(target.object).write(at, 8, Pointer(hidden.object, 0))
    return None


_GUARD: Final = "_ZGV"
_ALIGNED: Final = "St11align_val_t"
_STRING: Final = "NSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE"
_WITH_TEXT: Final = (
    *("logic_error", "runtime_error", "domain_error", "invalid_argument", "length_error", "out_of_range"),
    *("range_error", "overflow_error", "underflow_error"),
)
_EXCEPTIONS: Final = (
    *_WITH_TEXT,
    *("exception", "bad_alloc", "bad_cast", "bad_exception"),
    *("bad_optional_access", "bad_variant_access", "bad_array_new_length", "bad_typeid"),
)


def _of_exceptions() -> dict[str, External]:
    found: dict[str, External] = {}
    for name in _EXCEPTIONS:
        made = partial(_constructed, f"std::{name}", 2 if name in _WITH_TEXT else 1)
        symbol = f"_ZNSt{len(name)}{name}"
        for kind in ("C1", "C2"):
            for arguments in ("Ev", "EPKc", "ERKS_", "EOS_", f"ERK{_STRING}"):
                found[f"{symbol}{kind}{arguments}"] = made
        for kind in ("D0", "D1", "D2"):
            found[f"{symbol}{kind}Ev"] = gives(None)
    return found


CPLUSPLUS: Final[dict[str, External]] = {
    **{f"_Zn{kind}m{how}": HEAP["malloc"] for kind in "wa" for how in ("", _ALIGNED, "RKSt9nothrow_t")},
    **{f"_Zd{kind}Pv{how}": HEAP["free"] for kind in "la" for how in ("", "m", _ALIGNED, f"m{_ALIGNED}")},
    "__cxa_allocate_exception": allocate_exception,
    "__cxa_free_exception": free_exception,
    "llvm.eh.typeid.for.p0": type_number,
    "llvm.eh.typeid.for": type_number,
    "__cxa_atexit": gives(0),  # for the end of the program, which no exploration reaches
    "__cxa_guard_acquire": _guard_acquire,
    "__cxa_guard_release": _guard_release,
    "__cxa_pure_virtual": partial(_fails, "call of a pure virtual function"),
    "__cxa_bad_cast": partial(_fails, "throws std::bad_cast"),
    "_ZSt9terminatev": partial(_fails, TERMINATED),
    "__cxa_call_unexpected": partial(_fails, TERMINATED),
    **_of_exceptions(),
}

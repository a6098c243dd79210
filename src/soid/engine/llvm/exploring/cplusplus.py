"""What C++ programs call and do not define: operator new and delete, the ABI's own functions, standard exceptions.

What the standard library's headers compile into a program is explored like the program itself. What only its binary has
is refused by name, but for the constructors and destructors of its exceptions: an object made by one can be thrown and
caught, and is refused where somebody looks into it.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.exploring.explorer import Explorer, External, location
from soid.engine.llvm.exploring.heap import HEAP
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import NULL, UNSET_BRANCH, Held, PathEnd, Pointer, Unsupported
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.exploring.unwinding import TERMINATED, allocate_exception, free_exception, type_number
from soid.engine.llvm.types import I8
from soid.engine.summary import Failed, Location


def _fails(what: str) -> External:
    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
        raise PathEnd(Failed(what, location(call.loc) or explorer.place(state)))

    return external


def _new(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return HEAP["malloc"](explorer, state, call, arguments[:1])


def _delete(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return HEAP["free"](explorer, state, call, arguments[:1])


def _zero(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    """Registering something for the program's end, which never comes here."""
    return 0


_GUARD: Final = "_ZGV"


def _guard_acquire(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held:
    """Whether a static variable of a function has still to be initialised: the guard's first byte says so."""
    where = location(call.loc)
    done = explorer.settled(explorer.addresses.load(state, arguments[0], I8, where), UNSET_BRANCH, where)
    if not isinstance(done, int):
        raise Unsupported("a static variable that may or may not have been initialised", where)
    if done == 0:
        _never_made(explorer, state, arguments[0], where)
    return int(done == 0)


def _never_made(explorer: Explorer, state: State, guard: Held, where: Location | None) -> None:
    """Guards are in no log. A variable that is no longer all zeros was made before, whatever its guard says here."""
    name = explorer.constants.name_of(guard) if isinstance(guard, Pointer) else None
    guarded = explorer.constants.addresses.get(f"_Z{name.removeprefix(_GUARD)}") if name else None
    if name is None or guarded is None:
        raise Unsupported("the guard of a static variable that is not known", where)
    if any(value not in (0, NULL) for _, value in (state.memory.objects[guarded.object].cells or {}).values()):
        raise Unsupported("initialising a static variable that has a value already", where)
    explorer.relies_on[f"the static variable at {where} is initialised in this call: none before has done so"] = None


def _guard_release(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    explorer.addresses.store(state, arguments[0], 1, I8, location(call.loc))
    return None


def _nothing(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
    return None


def _constructed(name: str, words: int) -> External:
    """The constructor of a standard exception: its content, its virtual functions among it, is nobody's business."""

    def external(explorer: Explorer, state: State, call: ir.Call, arguments: list[Held]) -> Held | None:
        where = location(call.loc)
        hidden = state.memory.add(Object(f"an exception of the type {name}", 0, "opaque"))
        target = explorer.addresses.pointer(arguments[0], where)
        if not isinstance(target.offset, int):
            raise Unsupported(f"a {name} at an unknown place", where)
        thing = explorer.addresses.target(state, target, where)
        for at in range(target.offset, target.offset + 8 * words, 8):
            if at + 8 <= thing.size:
                state.memory.to_write(target.object).write(at, 8, Pointer(hidden.object, 0))
        return None

    return external


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
        made = _constructed(f"std::{name}", 2 if name in _WITH_TEXT else 1)
        symbol = f"_ZNSt{len(name)}{name}"
        for kind in ("C1", "C2"):
            for arguments in ("Ev", "EPKc", "ERKS_", "EOS_"):
                found[f"{symbol}{kind}{arguments}"] = made
            text = "ERKNSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE"
            found[f"{symbol}{kind}{text}"] = made
        for kind in ("D0", "D1", "D2"):
            found[f"{symbol}{kind}Ev"] = _nothing
    return found


CPLUSPLUS: Final[dict[str, External]] = {
    **dict.fromkeys(("_Znwm", "_Znam"), _new),
    **dict.fromkeys((f"_Z{kind}{how}" for kind in ("dl", "da") for how in ("Pv", "Pvm")), _delete),
    **dict.fromkeys((f"_Zn{kind}mSt11align_val_t" for kind in "wa"), _new),
    **dict.fromkeys((f"_Z{kind}{how}St11align_val_t" for kind in ("dl", "da") for how in ("Pv", "Pvm")), _delete),
    **dict.fromkeys((f"_Zn{kind}mRKSt9nothrow_t" for kind in "wa"), _new),
    "__cxa_allocate_exception": allocate_exception,
    "__cxa_free_exception": free_exception,
    "llvm.eh.typeid.for.p0": type_number,
    "llvm.eh.typeid.for": type_number,
    "__cxa_atexit": _zero,
    "__cxa_guard_acquire": _guard_acquire,
    "__cxa_guard_release": _guard_release,
    "__cxa_pure_virtual": _fails("call of a pure virtual function"),
    "__cxa_bad_cast": _fails("throws std::bad_cast"),
    "_ZSt9terminatev": _fails(TERMINATED),
    "__cxa_call_unexpected": _fails(TERMINATED),
    **_of_exceptions(),
}

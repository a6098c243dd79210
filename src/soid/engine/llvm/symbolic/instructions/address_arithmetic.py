"""Arithmetic on addresses as integers: differences, moved addresses, comparisons, and casts to and from pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from soid.assumptions import Ledger
from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import IntegerType, Type
from soid.engine.llvm.symbolic.instructions.object_order import order, within
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind
from soid.engine.llvm.symbolic.memory.offsets import distance, shifted
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import (
    FIXED,
    AddressNumber,
    Held,
    ObjectDistance,
    Partial,
    Pointer,
    SymbolicIndex,
    address_number,
    fixed_address,
    lower,
    spoiled,
)
from soid.engine.llvm.symbolic.values.number_arithmetic import compare
from soid.formula import build
from soid.formula.operators import signed
from soid.formula.term import Term

if TYPE_CHECKING:
    from soid.engine.llvm.symbolic.explorer import Explorer

FAR_APART: Final = "difference of pointers into different objects"
TOUCHING: Final = "comparing the end of one object with another object, which may begin there"
FAR_OUTSIDE: Final = "comparing an address far outside of its object"
_I64: Final = IntegerType(64)
_NEAR: Final = 1 << 32  # bytes; 2**64 minus the distance of two objects is always greater
_PAGE: Final = 4096  # bytes
_NUMBERS: Final = (0, FIXED)  # "objects" of addresses whose digits are known
_LITERALS: Final = ".str"  # how clang calls string literals


def address_arithmetic(explorer: Explorer, state: PathState, one: ir.BinaryOp, a: Held, b: Held) -> Held:
    """The difference of addresses in one object, or an address moved by a number: C defines nothing more."""
    width = explorer.module.layout.address.width
    if one.op == "sub" and isinstance(a, AddressNumber) and isinstance(b, AddressNumber):
        if a.pointer.object != b.pointer.object:
            explorer.addresses.touched |= {a.pointer.object, b.pointer.object}
            return _distance(state, a.pointer, b.pointer)
        difference = build.bvsub(distance(a.pointer.offset), distance(b.pointer.offset))
        return lower(build.extract(difference, width - 1, 0))
    if one.op == "add" and isinstance(b, AddressNumber):
        a, b = b, a
    if one.op in ("add", "sub") and isinstance(a, AddressNumber) and isinstance(b, int | Term):
        sign, pointer = -1 if one.op == "sub" else 1, a.pointer
        wide = build.sign_extend(b, 64 - width) if isinstance(b, Term) else b
        by, index = (0, SymbolicIndex(wide, sign)) if isinstance(wide, Term) else (sign * signed(wide, width), None)
        return AddressNumber(Pointer(pointer.object, shifted(pointer.offset, by, index)))
    raise NotModelled(f"{one.op} with the number of an address")


def _distance(state: PathState, a: Pointer, b: Pointer) -> ObjectDistance:
    """The distance of addresses in two objects, which do not overlap. Compilers compute it before a vectorised loop."""
    sizes = []
    for pointer in (a, b):
        thing = state.memory.objects.get(pointer.object)
        known = thing is not None and thing.alive and thing.kind.has_content
        if thing is None or not known or not isinstance(pointer.offset, int) or not 0 <= pointer.offset <= thing.size:
            raise NotModelled(FAR_APART)
        sizes.append(thing.size)
    assert isinstance(a.offset, int) and isinstance(b.offset, int)
    return ObjectDistance(sizes[1] - b.offset + a.offset, sizes[0] - a.offset + b.offset)


def compare_distance(predicate: str, distance: ObjectDistance, limit: Held) -> Held:
    """Compare a distance as an unsigned number with a small one: a negative distance is a very large number."""
    if isinstance(limit, int) and 0 < limit <= distance.least and limit < _NEAR and distance.least_back > 0:
        if predicate in ("ult", "uge"):
            return int(predicate == "uge")
        if predicate in ("ule", "ugt") and limit < distance.least:
            return int(predicate == "ugt")
    raise NotModelled(FAR_APART)


def compare_pointers(explorer: Explorer, state: PathState, one: ir.ICmp, a: Held, b: Held) -> Held:
    """Compare addresses. What C leaves open, such as the order of two objects, is unexplored, never decided."""
    if isinstance(a, Partial) or isinstance(b, Partial):
        return spoiled(1, a, b)
    x, y = _as_pointer(a), _as_pointer(b)
    same, is_order = x.object == y.object, one.predicate not in ("eq", "ne")
    digits = x.object in _NUMBERS, y.object in _NUMBERS
    _note_outside(explorer, state, *(each for each in (a, b) if isinstance(each, Pointer)))
    if all(digits) or (same and not is_order):
        return compare(one.predicate, lower(distance(x.offset)), lower(distance(y.offset)), _I64)
    for pointer in (x, y):
        if pointer.object not in _NUMBERS:
            # an address near its object is a positive number, far from the ends of the address space
            lowest, highest = _lowest(explorer), _near(explorer)
            explorer.explore_only(state, within(pointer.offset, -lowest, highest), FAR_OUTSIDE)
            if within(pointer.offset, 0, _size(state, pointer)) is not build.TRUE:
                explorer.relies_on[Ledger.ADDRESSES.of(lowest, highest)] = None
    if same:
        predicate = one.predicate.replace("u", "s", 1)
        return compare(predicate, lower(distance(x.offset)), lower(distance(y.offset)), _I64)
    explorer.addresses.touched |= {pointer.object for pointer in (x, y)}
    if any(digits):
        return _compare_with_number(explorer, one.predicate, x, y)
    if is_order:
        return order(explorer, state, one.predicate, x, y)
    things = [state.memory.objects[pointer.object] for pointer in (x, y)]
    if all(thing.kind is MemoryKind.GLOBAL and thing.name.startswith(_LITERALS) for thing in things):
        raise NotModelled("comparing the addresses of string literals, which may share one place")
    if any(thing.kind is MemoryKind.LABEL for thing in things):
        raise NotModelled("comparing the addresses of labels, which may share one place")
    for pointer in (x, y):
        _require_own_address(explorer, state, pointer)
    return int(one.predicate == "ne")


def _note_outside(explorer: Explorer, state: PathState, *pointers: Pointer) -> None:
    """Note the use of an address where C lets none be computed: beyond the end of its array, or before it."""
    for pointer in pointers:
        thing = state.memory.objects.get(pointer.object)
        if thing is not None and thing.kind.has_content and thing.kind is not MemoryKind.OPEN:
            inside, outside = within(pointer.offset, 0, thing.size), Ledger.OUTSIDE.of()
            if outside not in explorer.relies_on and explorer.brancher.possible(state, build.not_(inside))[0]:
                explorer.relies_on[outside] = None


def _lowest(explorer: Explorer) -> int:
    """No object lies below this address: the first page is kept free, but on a machine without an operating system."""
    return _PAGE if "linux" in explorer.module.triple else 1


def _near(explorer: Explorer) -> int:
    """The distance from an object within which addresses do not wrap around."""
    return 1 << min(32, explorer.module.layout.address.width - 2)


def _compare_with_number(explorer: Explorer, predicate: str, x: Pointer, y: Pointer) -> int:
    """Compare the address of an object with a number: every address is greater than those below the lowest."""
    number = y.offset if y.object in _NUMBERS else x.offset
    lowest = _lowest(explorer)
    if not isinstance(number, int) or not 0 <= number < lowest:
        raise NotModelled("comparing an address with a number")
    if number:
        explorer.relies_on[Ledger.ADDRESSES.of(lowest, _near(explorer))] = None
    if predicate in ("eq", "ne"):
        return int(predicate == "ne")
    return int((predicate[1] == "g") == (y.object in _NUMBERS))


def _require_own_address(explorer: Explorer, state: PathState, pointer: Pointer) -> None:
    """Continue only where no other object can have an address: at the end of one, another may begin."""
    thing = state.memory.objects[pointer.object]
    if not thing.alive:
        raise NotModelled(f"comparing the address of {thing.name}, which is gone: another may lie there")
    explorer.explore_only(state, within(pointer.offset, 0, max(1, _size(state, pointer)) - 1), TOUCHING)


def _size(state: PathState, pointer: Pointer) -> int:
    """The bytes of the object that an address points into, as far as they are known."""
    thing = state.memory.objects[pointer.object]
    return thing.size if thing.kind.has_content else 0


def _as_pointer(held: Held) -> Pointer:
    if isinstance(held, Pointer):
        return held
    if isinstance(held, AddressNumber):
        return held.pointer
    if isinstance(held, int):
        return fixed_address(held)
    raise NotModelled("comparing an address with a number")


def cast_address(explorer: Explorer, state: PathState, one: ir.Cast, held: Held, target: Type) -> Held:
    if isinstance(held, Partial):
        return held
    if one.op in ("ptrtoint", "ptrtoaddr") and isinstance(held, Pointer) and target == explorer.module.layout.address:
        _note_outside(explorer, state, held)
        return address_number(held)
    if one.op == "inttoptr" and isinstance(held, AddressNumber | int):
        return _as_pointer(held)
    raise NotModelled(f"{one.op} to {target}")

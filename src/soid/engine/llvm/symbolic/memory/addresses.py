"""Addresses: address arithmetic, and loads and stores through pointers.

A load at an offset that depends on inputs is one term: a table look-up if all elements are plain numbers, else a chain
of if-then-else terms over the candidate elements. The candidates follow from how the program computed the address.
That the offset is one of them is an obligation, never an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.compiler.c_library import CHARACTER_TABLES, NO_CHARACTER
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_types import (
    ArrayType,
    FloatingType,
    IntegerType,
    Ptr,
    StructType,
    Type,
    VectorType,
    is_scalar_number,
)
from soid.engine.llvm.symbolic.memory.memory_object import MemoryKind, MemoryObject, join
from soid.engine.llvm.symbolic.memory.offsets import WORD, Route, between, distance, moved, shifted, stepped, total
from soid.engine.llvm.symbolic.path_state import PathState
from soid.engine.llvm.symbolic.paths.brancher import Brancher
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.extended_floats import from_memory, is_extended, to_memory
from soid.engine.llvm.symbolic.values.held_values import (
    FIXED,
    NULL,
    AddressNumber,
    Held,
    Mosaic,
    Partial,
    Pointer,
    Poisoned,
    address_number,
    as_bits,
    fixed_address,
    lift,
    lower,
    read_as,
    sort_of,
    unset_use,
)
from soid.engine.summary import Failed, Unexplored
from soid.formula import build
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import signed
from soid.formula.sorts import Bool
from soid.formula.term import Term

BOUNDS: Final = "out-of-bounds access"
NULL_ACCESS: Final = "null dereference"
FREED: Final = "use after free"
RETURNED: Final = "use of a local variable after its function returned"
READ_ONLY: Final = "write to constant memory"
UNSET_ADDRESS: Final = "an uninitialised value is used as an address"

_MOST_ELEMENTS: Final = 4096  # of an array that is accessed at a symbolic index and is no table of plain numbers
_MOST_CANDIDATES: Final = 1 << 19  # offsets that one access looks at
_FAR: Final = 1 << 62


def outside(state: PathState, thing: MemoryObject) -> Failed | Unexplored:
    """How a path ends that leaves an object: where nothing says how large it is, more may lie there."""
    if thing.kind is MemoryKind.OPEN:
        return Unexplored(
            f"the program goes beyond the one element that {thing.name} is taken to point to; "
            f'say how many there are: [lengths] "{thing.name}" = N',
            state.where,
        )
    if thing.kind is MemoryKind.REGISTER:
        return Unexplored(f"not supported: an access that goes beyond the register {thing.name}", state.where)
    return Failed(NO_CHARACTER if thing.name in CHARACTER_TABLES else BOUNDS, state.where)


@final
class FunctionChoice(Struct, frozen=True):
    """A function pointer that is an input."""

    symbol: Term
    targets: tuple[Pointer, ...]  # by number, from 1 on


@final
class Addresses:
    """Reads and writes through pointers, with their obligations."""

    def __init__(self, layout: DataLayout, brancher: Brancher, registers: Mapping[int, Pointer]) -> None:
        self.layout = layout
        self.brancher = brancher
        self.touched: set[int] = set()  # objects that the program accessed, or whose place it compared
        self.registers = registers  # of a device, by their addresses
        self.choices: dict[int, FunctionChoice] = {}  # function pointers that are inputs, by numbers below FIXED
        self._tables: dict[tuple[int, int, int, int, int, Type], ConstantTable] = {}  # of constant memory

    # --- computing --------------------------------------------------------------------------------------------

    def element(self, state: PathState, base: Pointer, route: Route, indices: list[int | Term]) -> Pointer:
        """getelementptr along a route, with the values of its indices."""
        offset = shifted(base.offset, route.constant) if route.constant else base.offset
        past_end = base.past_end and route.stays
        for value, step in zip(indices, route.steps, strict=True):
            at_end = step.count is not None and self._inside(state, value, step.width, step.count)
            past_end |= at_end
            offset = stepped(offset, value, step, inside=not at_end)
        if base.object == 0:
            self.brancher.require(state, build.eq(distance(offset), build.const(WORD, 0)), NULL_ACCESS)
            return base
        return Pointer(base.object, offset, past_end)

    def _inside(self, state: PathState, index: int | Term, width: int, count: int) -> bool:
        """Require an index to be inside its array or just past the end; gives whether it is just past the end."""
        if isinstance(index, int):
            number = signed(index, width)
            self.brancher.require(state, 0 <= number <= count, BOUNDS)
            return number == count
        if width < 64 and count >> (width - 1):
            # The type is too narrow for an index past the end, but the index may be negative.
            self.brancher.require(state, build.bvsle(build.const(index.sort, 0), index), BOUNDS)
            return False
        end = build.const(index.sort, count)
        self.brancher.require(state, build.bvule(index, end), BOUNDS)
        return self.brancher.holds(state, build.eq(index, end))

    # --- using ------------------------------------------------------------------------------------------------

    def pointer(self, state: PathState, value: Held) -> Pointer:
        if isinstance(value, Pointer):
            return value
        if isinstance(value, Partial):
            raise unset_use(value, UNSET_ADDRESS, state.where)
        if isinstance(value, AddressNumber):
            return value.pointer
        raise NotModelled("a number used as an address")

    def target(self, state: PathState, pointer: Pointer) -> MemoryObject:
        """The object that a program accesses through an address."""
        if pointer.object == 0:
            raise PathEnd(Failed(NULL_ACCESS, state.where))
        if pointer.object == FIXED:
            digits = f" {pointer.offset:#x}" if isinstance(pointer.offset, int) else ""
            raise NotModelled(f"what lies at the fixed address{digits}; [registers] can say it")
        if pointer.past_end:
            raise PathEnd(Failed(BOUNDS, state.where))
        thing = state.memory.objects[pointer.object]
        if not thing.alive:
            raise PathEnd(Failed(FREED if thing.kind is MemoryKind.HEAP else RETURNED, state.where))
        if thing.kind is MemoryKind.OPAQUE:
            raise NotModelled(f"what {thing.name} points to")
        if not thing.kind.has_content:
            raise NotModelled(f"the content of {thing.name}")
        if not thing.direct:
            thing.direct = True
            self.touched.add(pointer.object)
        return thing

    def _located(self, state: PathState, value: Held) -> Pointer:
        """Where an access goes: a fixed address inside a register is that register's."""
        pointer = self.pointer(state, value)
        if pointer.object != FIXED or not isinstance(pointer.offset, int):
            return pointer
        for address, register in self.registers.items():
            inside = pointer.offset - address
            if 0 <= inside < state.memory.objects[register.object].size:
                return Pointer(register.object, inside)
        return pointer

    def choice(self, symbol: Term, targets: tuple[Pointer, ...]) -> Pointer:
        """A function pointer of which only the input's symbol is known: number 0 is null, 1 the first target."""
        made = FunctionChoice(symbol, targets)
        known = next((number for number, other in self.choices.items() if other == made), None)
        number = FIXED - 1 - len(self.choices) if known is None else known
        self.choices[number] = made
        return Pointer(number, 0)

    def _chosen(self, state: PathState, held: Held) -> Held:
        """A loaded value; for a function pointer that is an input, there is a path for each function."""
        pointer = held.pointer if isinstance(held, AddressNumber) else held
        if not isinstance(pointer, Pointer) or pointer.object >= FIXED:
            return held
        choice = self.choices[pointer.object]
        number = self.brancher.choose(state, choice.symbol)
        if number > len(choice.targets):
            raise NotModelled("a function pointer that is none of the program's functions")
        chosen = choice.targets[number - 1] if number else NULL
        return chosen if held is pointer else address_number(chosen)

    def load(self, state: PathState, value: Held, kind: Type) -> Held:
        return self._chosen(state, self.held_at(state, value, kind))

    def held_at(self, state: PathState, value: Held, kind: Type) -> Held:
        """What a load would give; a function pointer that is an input stays open."""
        pointer = self._located(state, value)
        if isinstance(kind, ArrayType | VectorType | StructType):
            return tuple(self.load(state, moved(pointer, at), part) for at, part in self._parts(kind))
        thing = self.target(state, pointer)
        size = self.layout.store_size(kind)
        places = self._places(state, pointer, thing, size)
        if isinstance(places, int):
            return typed(thing.read(places, size), kind)
        return self._one_of(state, thing, places, size, kind)

    def _parts(self, kind: ArrayType | VectorType | StructType) -> list[tuple[int, Type]]:
        """Offset and type of each part of an aggregate."""
        if isinstance(kind, StructType):
            return list(zip(self.layout.offsets(kind), kind.elements or (), strict=True))
        size = self.layout.size(kind.element)
        if isinstance(kind, VectorType) and (kind.scalable or self.layout.bits(kind.element) != 8 * size):
            raise NotModelled(f"a {kind} in memory")
        return [(i * size, kind.element) for i in range(kind.count)]

    def store(self, state: PathState, target: Held, value: Held, kind: Type) -> None:
        pointer = self._located(state, target)
        if isinstance(kind, ArrayType | VectorType | StructType):
            if not isinstance(value, tuple):
                raise NotModelled(f"a {kind} that is no aggregate")
            for (at, part), element in zip(self._parts(kind), value, strict=True):
                self.store(state, moved(pointer, at), element, part)
            return
        thing = self.target(state, pointer)
        if not thing.writable:
            raise PathEnd(Failed(READ_ONLY, state.where))
        size = self.layout.store_size(kind)
        places = self._places(state, pointer, thing, size)
        if isinstance(places, int):
            state.memory.to_write(pointer.object).write(places, size, stored(value, kind, size))
        else:
            self._store_at_one_of(state, pointer, places, size, stored(value, kind, size), kind)

    # --- offsets that depend on inputs ------------------------------------------------------------------------

    def _places(self, state: PathState, pointer: Pointer, thing: MemoryObject, size: int) -> int | CandidateOffsets:
        """The offset of an access, or its candidates; requires that it stays inside the object."""
        offset = pointer.offset
        if isinstance(offset, int):
            if not 0 <= offset <= thing.size - size:
                raise PathEnd(outside(state, thing))
            return offset
        step = math.gcd(*(index.scale for index in offset.indices))
        number = total(offset.indices, step)
        # If every index is known to lie inside its array, the ranges of the indices bound the candidates.
        reach = [(index.count - 1) * index.scale for index in offset.indices if index.count is not None]
        known = len(reach) == len(offset.indices)
        least = max(-(offset.constant // step), sum(min(0, r) for r in reach) // step if known else -_FAR)
        most = min(
            (thing.size - size - offset.constant) // step, sum(max(0, r) for r in reach) // step if known else _FAR
        )
        if least > most:
            raise PathEnd(outside(state, thing))
        if not known and len(offset.indices) > 1:
            for index in offset.indices:
                # No product may overflow 64 bits: an index that large is out of bounds by itself.
                limit = _FAR // (abs(index.scale) * len(offset.indices))
                self.brancher.continue_where(state, between(index.term, -limit, limit), outside(state, thing))
        self.brancher.continue_where(state, between(number, least, most), outside(state, thing))
        return CandidateOffsets(number, step, offset.constant, least, most)

    def _one_of(self, state: PathState, thing: MemoryObject, places: CandidateOffsets, size: int, kind: Type) -> Held:
        """Load from one of several candidates."""
        part = _part(thing, places, size, kind)
        if part is not None:
            return part if isinstance(part, int) else self._look_up(places, part)
        key = (id(thing), places.constant, places.step, places.least, places.most, kind)
        table = self._tables.get(key)
        if table is not None:
            return self._look_up(places, table)
        found = _read_all(thing, places, size, kind)
        if found is not None and len({value for _, _, value in found}) == 1:
            return found[0][2]
        if found is not None and not isinstance(kind, Ptr):
            rows = [value for _, _, value in found if isinstance(value, int)]
            if len(rows) == len(found):
                sort = sort_of(kind)
                if isinstance(sort, Bool):
                    raise NotModelled("an array of single bits")
                table = ConstantTable.of(sort, rows)
                if not thing.writable:
                    self._tables[key] = table
                return self._look_up(places, table)
            if len(found) <= _MOST_ELEMENTS:
                return self._chain(places, found, kind)
        number = self.brancher.choose(state, places.number)
        return typed(thing.read(places.at(signed(number, 64)), size), kind)

    def _look_up(self, places: CandidateOffsets, table: ConstantTable) -> Held:
        width = max(1, (places.most - places.least).bit_length())
        from_first = build.bvsub(places.number, build.const(WORD, places.least))
        return lower(build.lookup(table, build.extract(from_first, width - 1, 0)))

    def _chain(self, places: CandidateOffsets, found: list[tuple[int, int, int | Term]], kind: Type) -> Held:
        result = lift(found[0][2], kind)
        for number, _, value in found[1:]:
            here = build.eq(places.number, build.const(WORD, number))
            result = build.ite(here, lift(value, kind), result)
        return lower(result)

    def _store_at_one_of(
        self, state: PathState, pointer: Pointer, places: CandidateOffsets, size: int, value: Held, kind: Type
    ) -> None:
        """Store to one of several candidates: as an if-then-else term at each, else with one path for each."""
        plain = isinstance(value, int | Term) and places.step >= size and not isinstance(kind, Ptr)
        plain = plain and not is_extended(kind)  # its number in memory is not the one in a register
        thing = state.memory.objects[pointer.object]
        old = _read_all(thing, places, size, kind, whole=True) if plain else None
        if old is None or len(old) > _MOST_ELEMENTS or not isinstance(value, int | Term):
            number = self.brancher.choose(state, places.number)
            state.memory.to_write(pointer.object).write(places.at(signed(number, 64)), size, value)
            return
        writable = state.memory.to_write(pointer.object)
        for number, at, held in old:
            here = build.eq(places.number, build.const(WORD, number))
            writable.write(at, size, lower(build.ite(here, lift(value, kind), lift(held, kind))))


def _part(thing: MemoryObject, places: CandidateOffsets, size: int, kind: Type) -> ConstantTable | int | None:
    """The candidates as a part of the initial data of an array; None if the array was written or has no such data."""
    data = thing.data
    if thing.cells or data is None or data.size != size or places.step % size or places.constant % size:
        return None
    if not is_scalar_number(kind):
        return None
    sort = sort_of(kind)
    if isinstance(sort, Bool):
        return None
    first, last = (places.at(number) // size for number in (places.least, places.most))
    return data.part(range(first, last + 1, places.step // size), sort)


def _read_all(
    thing: MemoryObject, places: CandidateOffsets, size: int, kind: Type, *, whole: bool = False
) -> list[tuple[int, int, int | Term]] | None:
    """Number, offset and value of all candidates; None if one holds no plain number, or splits a stored value.

    None too if there are very many: most of them may not be possible, and looking at each would take too long.
    """
    if places.most - places.least >= _MOST_CANDIDATES:
        return None
    found: list[tuple[int, int, int | Term]] = []
    for number in range(places.least, places.most + 1):
        at = places.at(number)
        if whole and thing.cuts(at, size):
            return None
        try:
            value = typed(thing.read(at, size), kind)
        except NotModelled:
            return None  # possibly no state accesses this candidate
        if not isinstance(value, int | Term):
            return None
        found.append((number, at, value))
    return found


@final
class CandidateOffsets(Struct, frozen=True):
    """The offsets that an access may have: constant + number * step, for least <= number <= most."""

    number: Term
    step: int
    constant: int
    least: int
    most: int

    def at(self, number: int) -> int:
        return self.constant + number * self.step


def typed(value: Held, kind: Type) -> Held:
    """A stored value read as a type."""
    if isinstance(value, Poisoned):
        return Poisoned(typed(value.value, kind), value.flaws)
    if isinstance(kind, Ptr):
        if isinstance(value, int):
            return fixed_address(value)
        return value.pointer if isinstance(value, AddressNumber) else value
    if isinstance(value, Pointer):
        return address_number(value)
    if isinstance(value, int) and is_extended(kind):
        return from_memory(value)
    if isinstance(value, int | Term):
        return read_as(value, kind)
    if isinstance(value, Mosaic) and isinstance(kind, FloatingType):
        whole = join(list(value.parts))
        return typed(whole, kind) if isinstance(whole, int | Term) else value
    if isinstance(value, Partial):
        sort_of(kind)  # a type without a sort is refused by name even if the value is unset
        inner = typed(value.value, kind)
        if not isinstance(inner, int | Term):
            raise NotModelled("the bits of a float of which only some were set")
        return replace(value, value=inner)
    return value


def stored(value: Held, kind: Type, size: int) -> Held:
    """A value as memory holds it: an i1 fills its byte."""
    if isinstance(value, Poisoned):
        return Poisoned(stored(value.value, kind, size), value.flaws)
    if isinstance(value, int) and is_extended(kind):
        return to_memory(value)
    if isinstance(value, Partial) and (is_extended(kind) or (isinstance(kind, IntegerType) and kind.width == 1)):
        inner = stored(value.value, kind, size)
        assert isinstance(inner, int | Term)
        return replace(value, value=inner)
    if isinstance(value, Term) and isinstance(value.sort, Bool):
        return lower(as_bits(value, 8 * size))
    return value

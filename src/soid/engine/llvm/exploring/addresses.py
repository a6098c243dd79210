"""Addresses: computing them, and reading and writing through them.

A read at an offset that depends on inputs is one term: a look-up where all elements are plain numbers, otherwise a
chain of conditions over the elements it can mean. Which offsets those are follows from how the address was computed,
and that it means one of them at all is an obligation, never an assumption.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.exploring.arithmetic import truth
from soid.engine.llvm.exploring.branching import Brancher
from soid.engine.llvm.exploring.memory import Object
from soid.engine.llvm.exploring.runtime import (
    Address,
    Held,
    Index,
    Offset,
    Partial,
    PathEnd,
    Pointer,
    Poisoned,
    Unsupported,
    lift,
    lower,
    read_as,
    sort_of,
)
from soid.engine.llvm.exploring.state import State
from soid.engine.llvm.layout import DataLayout
from soid.engine.llvm.types import ArrayType, IntType, Ptr, StructType, Type, VectorType, is_scalar_number
from soid.engine.llvm.values import ConstInt, Value
from soid.engine.summary import Failed, Location, Unexplored
from soid.formula import build
from soid.formula.constant_table import ConstantTable
from soid.formula.operators import signed
from soid.formula.sorts import BitVec, Bool
from soid.formula.term import Term

BOUNDS: Final = "out-of-bounds access"
NULL_ACCESS: Final = "null dereference"
FREED: Final = "use after free"
RETURNED: Final = "use of a local variable after its function returned"
READ_ONLY: Final = "write to constant memory"
UNSET_ADDRESS: Final = "an uninitialised value is used as an address"

_WORD: Final = BitVec(64)
_MOST_ELEMENTS: Final = 4096  # of an array whose symbolic element is no plain number
_FAR: Final = 1 << 62


def shifted(offset: int | Offset, constant: int, index: Index | None = None) -> int | Offset:
    """An offset plus a constant, plus an index."""
    if index is None or index.scale == 0:
        if isinstance(offset, int):
            return offset + constant
        return replace(offset, constant=offset.constant + constant)
    old = (offset, ()) if isinstance(offset, int) else (offset.constant, offset.indices)
    return Offset(old[0] + constant, (*old[1], index))


def distance(offset: int | Offset) -> Term:
    """An offset as a 64-bit number."""
    if isinstance(offset, int):
        return build.const(_WORD, offset)
    return build.bvadd(build.const(_WORD, offset.constant), _sum(offset.indices, 1))


def _sum(indices: Sequence[Index], step: int) -> Term:
    """What indices come to, counted in so many bytes."""
    total = build.const(_WORD, 0)
    for index in indices:
        total = build.bvadd(total, build.bvmul(index.term, build.const(_WORD, index.scale // step)))
    return total


def moved(pointer: Pointer, by: int) -> Pointer:
    """The place some bytes farther on in what an address means."""
    return Pointer(pointer.object, shifted(pointer.offset, by), pointer.past_end)


@final
class Step(Struct, frozen=True):
    """Going on by an index that is not known before the program runs."""

    index: int  # which one of the instruction's
    width: int  # bits of its type
    size: int  # bytes that it counts
    count: int | None  # elements of the array that it goes into, where that has a known length


@final
class Route(Struct, frozen=True):
    """What a getelementptr does: the first index counts whole sources, each next one goes inside."""

    constant: int  # bytes by indices that are constants
    steps: tuple[Step, ...]
    stays: bool  # the first index is 0: what lay past an end still does


def route_of(layout: DataLayout, source: Type, indices: Sequence[Value]) -> Route:
    """The route of an instruction.

    Arrays of length 0 and 1 at the end of a struct are C's way of saying that more follows: they have no end here.
    """
    constant, steps, kind = 0, [], source
    for number, index in enumerate(indices):
        count = None
        if number and isinstance(kind, StructType):
            if kind.elements is None or not isinstance(index, ConstInt):
                raise Unsupported(f"an address inside of {kind}")
            constant += layout.offsets(kind)[index.value]
            kind = kind.elements[index.value]
            continue
        if number:
            if not isinstance(kind, ArrayType | VectorType):
                raise Unsupported(f"an address inside of {kind}")
            count = kind.count if kind.count > 1 else None
            kind = kind.element
        if isinstance(index, ConstInt) and (count is None or index.value < count):
            constant += index.signed * layout.size(kind)
        elif isinstance(index.type, IntType):
            steps.append(Step(number, index.type.width, layout.size(kind), count))
        else:
            raise Unsupported(f"an index of type {index.type}")
    stays = isinstance(indices[0], ConstInt) and indices[0].value == 0
    return Route(constant, tuple(steps), stays)


def _stepped(offset: int | Offset, index: int | Term, step: Step, *, inside: bool) -> int | Offset:
    if isinstance(index, int):
        return shifted(offset, signed(index, step.width) * step.size)
    wide = build.sign_extend(index, 64 - step.width) if step.width < 64 else index
    return shifted(offset, 0, Index(wide, step.size, step.count if inside else None))


@final
class Addresses:
    """Reads and writes through pointers, with their obligations."""

    def __init__(self, layout: DataLayout, brancher: Brancher) -> None:
        self.layout = layout
        self.brancher = brancher
        self._tables: dict[
            tuple[int, int, int, int, int, Type], ConstantTable
        ] = {}  # parts of constants, by object and places

    # --- computing --------------------------------------------------------------------------------------------

    def element(
        self, state: State, base: Pointer, route: Route, indices: list[int | Term], where: Location | None
    ) -> Pointer:
        """getelementptr along a route, with the indices that it asks for."""
        offset = shifted(base.offset, route.constant) if route.constant else base.offset
        past_end = base.past_end and route.stays
        for value, step in zip(indices, route.steps, strict=True):
            at_end = step.count is not None and self._inside(state, value, step.width, step.count, where)
            past_end |= at_end
            offset = _stepped(offset, value, step, inside=not at_end)
        return Pointer(base.object, offset, past_end)

    def _inside(self, state: State, index: int | Term, width: int, count: int, where: Location | None) -> bool:
        """Whether an index into an array of known length is the place just past its end; farther out is a failure."""
        if isinstance(index, int):
            number = signed(index, width)
            self.brancher.require(state, 0 <= number <= count, BOUNDS, where)
            return number == count
        if width < 64 and count >> (width - 1):
            # The type is too narrow to go past the end, not to go before the beginning.
            least = build.bvsle(build.const(index.sort, 0), index)
            self.brancher.require(state, truth(least), BOUNDS, where)
            return False
        end = build.const(index.sort, count)
        self.brancher.require(state, truth(build.bvule(index, end)), BOUNDS, where)
        return self.brancher.holds(state, build.eq(index, end))

    # --- using ------------------------------------------------------------------------------------------------

    def pointer(self, value: Held, where: Location | None) -> Pointer:
        """A value that is used as an address."""
        if isinstance(value, Pointer):
            return value
        if isinstance(value, Partial):
            if value.exact:
                raise PathEnd(Failed(UNSET_ADDRESS, where))
            raise PathEnd(Unexplored(f"perhaps {UNSET_ADDRESS}", where))
        if isinstance(value, Address):
            return value.pointer
        raise Unsupported("a number used as an address", where)

    def target(self, state: State, pointer: Pointer, where: Location | None) -> Object:
        """The object that an address lies in, if one may use it."""
        if pointer.object == 0:
            raise PathEnd(Failed(NULL_ACCESS, where))
        if pointer.past_end:
            raise PathEnd(Failed(BOUNDS, where))
        thing = state.memory.objects[pointer.object]
        if not thing.alive:
            raise PathEnd(Failed(FREED if thing.kind == "heap" else RETURNED, where))
        if thing.kind == "opaque":
            raise Unsupported(f"what {thing.name} points to", where)
        if thing.kind in ("function", "unmodelled"):
            raise Unsupported(f"the content of {thing.name}", where)
        return thing

    def load(self, state: State, value: Held, kind: Type, where: Location | None) -> Held:
        """What a program reads of a type at an address."""
        if isinstance(kind, ArrayType | VectorType | StructType):
            return self._load_parts(state, value, kind, where)
        pointer = self.pointer(value, where)
        thing = self.target(state, pointer, where)
        size = self.layout.store_size(kind)
        places = self._places(state, pointer, thing, size, where)
        if isinstance(places, int):
            return typed(thing.read(places, size), kind)
        return self._one_of(state, thing, places, size, kind)

    def _load_parts(
        self, state: State, value: Held, kind: ArrayType | VectorType | StructType, where: Location | None
    ) -> Held:
        pointer = self.pointer(value, where)
        return tuple(self.load(state, moved(pointer, at), part, where) for at, part in self.parts(kind))

    def parts(self, kind: ArrayType | VectorType | StructType) -> list[tuple[int, Type]]:
        """Offset and type of each part of an aggregate."""
        if isinstance(kind, StructType):
            return list(zip(self.layout.offsets(kind), kind.elements or (), strict=True))
        size = self.layout.size(kind.element)
        if isinstance(kind, VectorType) and (kind.scalable or self.layout.bits(kind.element) != 8 * size):
            raise Unsupported(f"a {kind} in memory")
        return [(i * size, kind.element) for i in range(kind.count)]

    def store(self, state: State, target: Held, value: Held, kind: Type, where: Location | None) -> None:
        """Write a value of a type at an address."""
        pointer = self.pointer(target, where)
        if isinstance(kind, ArrayType | VectorType | StructType):
            if not isinstance(value, tuple):
                raise Unsupported(f"a {kind} that is no aggregate", where)
            for (at, part), element in zip(self.parts(kind), value, strict=True):
                self.store(state, moved(pointer, at), element, part, where)
            return
        thing = self.target(state, pointer, where)
        if not thing.writable:
            raise PathEnd(Failed(READ_ONLY, where))
        size = self.layout.store_size(kind)
        places = self._places(state, pointer, thing, size, where)
        if isinstance(places, int):
            state.memory.to_write(pointer.object).write(places, size, stored(value, kind, size))
        else:
            self._store_at_one_of(state, pointer, thing, places, size, stored(value, kind, size), kind)

    # --- offsets that depend on inputs ------------------------------------------------------------------------

    def _places(self, state: State, pointer: Pointer, thing: Object, size: int, where: Location | None) -> int | Places:
        """Where an access goes: one place, or which ones it may be; that it stays inside is required."""
        offset = pointer.offset
        if isinstance(offset, int):
            if not 0 <= offset <= thing.size - size:
                raise PathEnd(Failed(BOUNDS, where))
            return offset
        step = math.gcd(*(index.scale for index in offset.indices))
        number = _sum(offset.indices, step)
        # Where every index is known to lie inside of its array, so does the access: no other place comes into question.
        reach = [(index.count - 1) * index.scale for index in offset.indices if index.count is not None]
        known = len(reach) == len(offset.indices)
        least = max(-(offset.constant // step), sum(min(0, r) for r in reach) // step if known else -_FAR)
        most = min(
            (thing.size - size - offset.constant) // step, sum(max(0, r) for r in reach) // step if known else _FAR
        )
        if least > most:
            raise PathEnd(Failed(BOUNDS, where))
        if not known and len(offset.indices) > 1:
            for index in offset.indices:
                # No product may leave 64 bits: an index that far out is out of bounds by itself.
                limit = _FAR // (abs(index.scale) * len(offset.indices))
                self.brancher.require(state, _between(index.term, -limit, limit), BOUNDS, where)
        self.brancher.require(state, _between(number, least, most), BOUNDS, where)
        return Places(number, step, offset.constant, least, most)

    def _one_of(self, state: State, thing: Object, places: Places, size: int, kind: Type) -> Held:
        """The value at one of several places."""
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
                table = _table(rows, kind)
                if not thing.writable:
                    self._tables[key] = table
                return self._look_up(places, table)
            if len(found) <= _MOST_ELEMENTS:
                return self._chain(places, found, kind)
        number = self.brancher.choose(state, places.number)
        return typed(thing.read(places.at(signed(number, 64)), size), kind)

    def _look_up(self, places: Places, table: ConstantTable) -> Held:
        width = max(1, (places.most - places.least).bit_length())
        from_first = build.bvsub(places.number, build.const(_WORD, places.least))
        return lower(build.lookup(table, build.extract(from_first, width - 1, 0)))

    def _chain(self, places: Places, found: list[tuple[int, int, int | Term]], kind: Type) -> Held:
        result = lift(found[0][2], kind)
        for number, _, value in found[1:]:
            here = build.eq(places.number, build.const(_WORD, number))
            result = build.ite(here, lift(value, kind), result)
        return lower(result)

    def _store_at_one_of(
        self, state: State, pointer: Pointer, thing: Object, places: Places, size: int, value: Held, kind: Type
    ) -> None:
        """At each place the value or what was there; a path for each place where that cannot be said."""
        plain = isinstance(value, int | Term) and places.step >= size and not isinstance(kind, Ptr)
        old = _read_all(thing, places, size, kind, whole=True) if plain else None
        if old is None or len(old) > _MOST_ELEMENTS or not isinstance(value, int | Term):
            number = self.brancher.choose(state, places.number)
            state.memory.to_write(pointer.object).write(places.at(signed(number, 64)), size, value)
            return
        writable = state.memory.to_write(pointer.object)
        for number, at, held in old:
            here = build.eq(places.number, build.const(_WORD, number))
            writable.write(at, size, lower(build.ite(here, lift(value, kind), lift(held, kind))))


def _part(thing: Object, places: Places, size: int, kind: Type) -> ConstantTable | int | None:
    """All places of an array of plain numbers in which nothing was written; None where it is not that."""
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


def _table(rows: list[int], kind: Type) -> ConstantTable:
    sort = sort_of(kind)
    if isinstance(sort, Bool):
        raise Unsupported("an array of single bits")
    return ConstantTable.of(sort, rows)


def _read_all(
    thing: Object, places: Places, size: int, kind: Type, *, whole: bool = False
) -> list[tuple[int, int, int | Term]] | None:
    """Number, offset and value of all places; None if one holds no plain number, or cuts across what was written."""
    found: list[tuple[int, int, int | Term]] = []
    for number, at in places.all():
        if whole and thing.cuts(at, size):
            return None
        try:
            value = typed(thing.read(at, size), kind)
        except Unsupported:
            return None  # it may be a place that no state means
        if not isinstance(value, int | Term):
            return None
        found.append((number, at, value))
    return found


@final
class Places:
    """The places that an access may mean: constant + number * step, least <= number <= most."""

    __slots__ = ("constant", "least", "most", "number", "step")

    def __init__(self, number: Term, step: int, constant: int, least: int, most: int) -> None:
        self.number, self.step, self.constant, self.least, self.most = number, step, constant, least, most

    def at(self, number: int) -> int:
        return self.constant + number * self.step

    def all(self) -> list[tuple[int, int]]:
        return [(number, self.at(number)) for number in range(self.least, self.most + 1)]


def _between(number: Term, least: int, most: int) -> bool | Term:
    return truth(
        build.and_(build.bvsle(build.const(_WORD, least), number), build.bvsle(number, build.const(_WORD, most)))
    )


def typed(value: Held, kind: Type) -> Held:
    """What was written, as the type that it is read as."""
    if isinstance(value, Poisoned):
        return Poisoned(typed(value.value, kind), value.flaws)
    if isinstance(kind, Ptr):
        if isinstance(value, int):
            return Pointer(0, value)
        return value.pointer if isinstance(value, Address) else value
    if isinstance(value, Pointer):
        return Address(value) if value.object else value.offset if isinstance(value.offset, int) else Address(value)
    if isinstance(value, int | Term):
        found = read_as(value, kind)
        if found is None:
            raise Unsupported("the bits of a computed float")
        return found
    if isinstance(value, Partial):
        sort_of(kind)  # what has no sort, such as a long double, is refused by name even if it was never set
        inner = read_as(value.value, kind)
        if inner is None:
            raise Unsupported("the bits of a computed float")
        return Partial(inner, value.unset, value.exact, value.copied)
    return value


def stored(value: Held, kind: Type, size: int) -> Held:
    """A value as it is kept in memory: a single bit fills its byte."""
    if isinstance(value, Poisoned):
        return Poisoned(stored(value.value, kind, size), value.flaws)
    if isinstance(value, Partial) and isinstance(kind, IntType) and kind.width == 1:
        return Partial(stored(value.value, kind, size), value.unset, value.exact, value.copied)  # type: ignore[arg-type]
    if isinstance(value, Term) and isinstance(value.sort, Bool):
        return lower(build.ite(value, build.const(BitVec(8 * size), 1), build.const(BitVec(8 * size), 0)))
    return value

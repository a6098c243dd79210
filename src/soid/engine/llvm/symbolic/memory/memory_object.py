"""Memory objects, and the address space of a path, which holds them copy-on-write.

An object keeps values as the program stored them, so that a float stays a float and a pointer a pointer. Only a load
that overlaps stored values in part splits them into bytes. The address spaces of forked paths share objects until one
of them writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.llvm.symbolic.paths.path_end import NotModelled
from soid.engine.llvm.symbolic.values.held_values import (
    AddressNumber,
    Fragment,
    Held,
    Mosaic,
    Partial,
    Pointer,
    Poisoned,
    address_number,
    bits_of,
    lower,
)
from soid.engine.llvm.symbolic.values.poison import poisoned, stripped
from soid.formula import build
from soid.formula.constant_table import ConstantTable
from soid.formula.sorts import BitVec, Float, Sort
from soid.formula.term import Term

Byte = int | Term | Partial | Fragment | Poisoned


@final
@dataclass(frozen=True, slots=True)
class Data:
    """The initial content of an array of plain numbers, such as a learned table."""

    values: tuple[int, ...]  # bits of each element
    size: int  # bytes of each element
    _parts: dict[tuple[range, Sort], ConstantTable | int] = field(default_factory=dict, compare=False, repr=False)

    def part(self, elements: range, sort: BitVec | Float) -> ConstantTable | int:
        """Some of the elements as a table, or as one number if all are equal; each table is made once a program."""
        found = self._parts.get((elements, sort))
        if found is None:
            rows = self.values[elements.start : elements.stop : elements.step]
            found = rows[0] if rows.count(rows[0]) == len(rows) else ConstantTable.of(sort, rows)
            self._parts[elements, sort] = found
        return found


class MemoryKind(Enum):
    """What an object is, and whether the engine models its content."""

    GLOBAL = "global", True
    STACK = "stack", True  # a local variable; it ends with its function
    HEAP = "heap", True  # it ends when the program frees it
    GIVEN = "given", True  # memory that the caller passes to the entry
    OPEN = "open", True  # the same behind a pointer of which nothing says how many elements lie there
    REGISTER = "register", True  # of a device, at a fixed address
    FUNCTION = "function", False
    LABEL = "label", False  # a block of a function, C's `&&label`
    OPAQUE = "opaque", False  # behind a pointer of which only the address is known
    UNMODELLED = "unmodelled", False  # a global whose definition or first value the engine does not have

    def __init__(self, word: str, has_content: bool) -> None:
        self.has_content = has_content  # a plain attribute: it is read at every load and store
        self.is_given = word in ("given", "open", "register")  # the caller's: what it held before the call is unknown


@final
class MemoryObject(Struct, eq=False):
    """A variable, a heap block, a string: bytes that one address range holds."""

    name: str  # for messages: the variable, or where it was allocated
    size: int  # bytes
    kind: MemoryKind
    writable: bool = True
    alive: bool = True
    direct: bool = True  # concrete steps may access it; False: the first access through an address is to be noted
    zeroed: bool = False  # bytes that were never written read 0 instead of unset
    data: Data | None = None  # the initial content, where no cell covers it
    cells: dict[int, tuple[int, Held]] | None = None  # stored values with their sizes, by start; no two overlap
    owner: object = None  # the address space that may write here; any other copies the object first
    widest: int = 0  # no cell has more bytes

    def copy(self, owner: object) -> MemoryObject:
        return replace(self, cells=dict(self.cells) if self.cells else {}, owner=owner)

    # --- reading ----------------------------------------------------------------------------------------------

    def read(self, start: int, size: int) -> Held:
        """The value of `size` bytes at an offset inside the object."""
        cells = self.cells
        cell = cells.get(start) if cells else None
        if cell is not None and cell[0] == size:
            return cell[1]
        overlapping = list(self._cells_in(start, size))
        if not overlapping:
            return self._first(start, size)
        whole = _cut(overlapping[0], start, size) if len(overlapping) == 1 else _tiled(overlapping, start, size)
        return join([self._byte(start + i) for i in range(size)]) if whole is None else whole

    def stored(self, start: int, size: int) -> Held | None:
        """The value that was last stored at exactly this offset and size, if no later store has split it."""
        cell = self.cells.get(start) if self.cells else None
        return cell[1] if cell is not None and cell[0] == size else None

    def cuts(self, start: int, size: int) -> bool:
        """Whether a range covers a stored value only in part."""
        return any(at < start or at + length > start + size for at, length, _ in self._cells_in(start, size))

    def is_untouched(self, start: int, size: int) -> bool:
        """Whether the program never stored anything in a range."""
        return not any(True for _ in self._cells_in(start, size))

    def _cells_in(self, start: int, size: int) -> Iterator[tuple[int, int, Held]]:
        """Cells that overlap a range."""
        cells = self.cells
        if not cells:
            return
        for at in range(start - self.widest + 1, start + size):
            cell = cells.get(at)
            if cell is not None and at + cell[0] > start:
                yield at, cell[0], cell[1]

    def _first(self, start: int, size: int) -> int | Partial:
        """The content before the first store."""
        data = self.data
        if data is None:
            # the content of memory that the caller passes is unknown, and possibly set
            return 0 if self.zeroed else Partial(0, (1 << 8 * size) - 1, exact=not self.kind.is_given)
        if size == data.size and start % size == 0:
            return data.values[start // size]
        value = 0
        for i in range(size):
            element, inside = divmod(start + i, data.size)
            value |= (data.values[element] >> 8 * inside & 0xFF) << 8 * i
        return value

    def _byte(self, at: int) -> Byte:
        for start, size, value in self._cells_in(at, 1):
            return byte_of(value, at - start, size)
        return self._first(at, 1)

    # --- writing ----------------------------------------------------------------------------------------------

    def write(self, start: int, size: int, value: Held) -> None:
        """Store a value; it splits values that it covers in part into bytes."""
        self.widest = max(self.widest, size)
        if not self.cells:
            self.cells = {start: (size, value)}
            return
        cell = self.cells.get(start)
        if cell is None or cell[0] != size:
            for at, length, old in list(self._cells_in(start, size)):
                del self.cells[at]
                for i in range(length):
                    if not start <= at + i < start + size:
                        self.cells[at + i] = (1, byte_of(old, i, length))
        self.cells[start] = (size, value)

    def fill(self, byte: int) -> None:
        """Store the same byte everywhere."""
        self.cells = {}
        self.zeroed = True
        self.data = Data((byte,) * self.size, 1) if byte else None

    def pieces(self, start: int, size: int) -> Iterator[tuple[int, int, Held]]:
        """The values in a range, as a copy stores them: whole where they lie inside it.

        Unset values are marked as copied, because a program may copy a struct before all of it is set.
        """
        at, end = start, start + size
        while at < end:
            cell = self.cells.get(at) if self.cells else None
            if cell is not None and at + cell[0] <= end:
                length, value = cell
            else:
                length = self._step(at, end)
                value = self.read(at, length)
                if isinstance(value, Partial):
                    value = replace(value, copied=True)
            yield at - start, length, value
            at += length

    def _step(self, at: int, end: int) -> int:
        """How many bytes of the initial content one load can read."""
        wish = self.data.size if self.data and at % self.data.size == 0 else 1 if self.data else 8
        return wish if at + wish <= end and self.is_untouched(at, wish) else 1


def _cut(cell: tuple[int, int, Held], start: int, size: int) -> int | Term | None:
    """A range that lies inside one number; None where it does not, or where the number's bits are not known."""
    at, length, value = cell
    below = 8 * (start - at)
    if below < 0 or start + size > at + length:
        return None
    if type(value) is int:
        return value >> below & (1 << 8 * size) - 1
    bits = _bits(value, length)
    return None if bits is None else lower(build.extract(bits, below + 8 * size - 1, below))


def _tiled(cells: list[tuple[int, int, Held]], start: int, size: int) -> int | Term | None:
    """The number that adjacent numbers form if they fill a range; None where they do not."""
    numbers: list[tuple[int, int | Term]] = []
    end = start
    for at, length, value in cells:
        number = value if type(value) is int else _bits(value, length)
        if at != end or number is None:
            return None
        numbers.append((length, number))
        end = at + length
    return _concat(numbers) if end == start + size else None


def _bits(value: Held, size: int) -> Term | None:
    """The bits of a term of `size` bytes; None where they are not known."""
    bits = bits_of(value) if isinstance(value, Term) else None
    return bits if bits is not None and bits.sort == BitVec(8 * size) else None


def byte_of(value: Held, index: int, size: int) -> Byte:
    """One byte of a value."""
    if isinstance(value, int):
        return value >> 8 * index & 0xFF
    if size == 1 and isinstance(value, Term | Fragment):
        return value
    if isinstance(value, Poisoned):
        return Poisoned(byte_of(value.value, index, size), value.flaws)
    if isinstance(value, Partial):
        inner = byte_of(value.value, index, size)
        mask = value.unset >> 8 * index & 0xFF
        if not isinstance(inner, int | Term):
            raise NotModelled("taking apart a float of which only some bits were set")
        return replace(value, value=inner, unset=mask) if mask else inner
    if isinstance(value, Term):
        bits = _bits(value, size)
        return Fragment(value, index, size) if bits is None else lower(build.extract(bits, 8 * index + 7, 8 * index))
    if isinstance(value, Pointer | AddressNumber):
        number = address_number(value) if isinstance(value, Pointer) else value  # null and fixed addresses have digits
        return number >> 8 * index & 0xFF if isinstance(number, int) else Fragment(value, index, size)
    if isinstance(value, Mosaic):
        return value.parts[index]
    raise NotModelled("taking apart a value that is not a number")


def join(parts: list[Byte]) -> Held:
    """The value that bytes form, the lowest byte first."""
    if any(isinstance(part, Poisoned) for part in parts):
        split = [stripped(part) for part in parts]
        return poisoned(join([part for part, _ in split]), [flaw for _, flaws in split for flaw in flaws])  # type: ignore[misc]
    first = parts[0]
    if isinstance(first, Fragment) and first.size == len(parts):
        if all(part == Fragment(first.whole, i, first.size) for i, part in enumerate(parts)):
            return first.whole
    if len(parts) == 1:
        return first
    if any(isinstance(part, Fragment) for part in parts):
        return Mosaic(tuple(parts))
    mask, exact, why = 0, True, ""
    numbers: list[tuple[int, int | Term]] = []
    for i, part in enumerate(parts):
        if isinstance(part, Partial):
            mask |= part.unset << 8 * i
            exact, why = exact and part.exact, why or part.why
            part = part.value
        if isinstance(part, int | Term):
            numbers.append((1, part))
    value = _concat(numbers)
    return Partial(value, mask, exact, why=why) if mask else value


def _concat(numbers: list[tuple[int, int | Term]]) -> int | Term:
    """The number that numbers of given sizes form, the lowest first."""
    if all(type(number) is int for _, number in numbers):
        value = below = 0
        for size, number in numbers:
            assert isinstance(number, int)
            value |= number << below
            below += 8 * size
        return value
    terms = [number if isinstance(number, Term) else build.const(BitVec(8 * size), number) for size, number in numbers]
    whole = terms[0]
    for term in terms[1:]:
        whole = build.concat(term, whole)
    return lower(whole)


@final
class AddressSpace:
    """All objects of one path, by number."""

    __slots__ = ("_next", "objects")

    def __init__(self) -> None:
        self.objects: dict[int, MemoryObject] = {}
        self._next = 1

    def fork(self) -> AddressSpace:
        """An address space with the same content; from now on both copy an object before they write to it."""
        other = AddressSpace()
        other.objects, other._next = dict(self.objects), self._next
        for thing in self.objects.values():
            thing.owner = None
        return other

    def add(self, thing: MemoryObject) -> Pointer:
        thing.owner = self
        number = self._next
        self._next += 1
        self.objects[number] = thing
        return Pointer(number, 0)

    def reserve(self, other: AddressSpace) -> None:
        """Do not use numbers for new objects that another address space has used."""
        self._next = max(self._next, other._next)

    def to_write(self, number: int) -> MemoryObject:
        """The object for writing: a copy unless this address space owns it."""
        thing = self.objects[number]
        if thing.owner is not self:
            thing = self.objects[number] = thing.copy(self)
        return thing

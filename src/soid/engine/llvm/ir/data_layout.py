"""Sizes, alignments and struct offsets, from a module's datalayout string.

>>> layout = DataLayout.parse("e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128")
>>> pair = StructType(None, (IntegerType(8), FloatingType("double", 64)), packed=False)
>>> layout.size(pair), layout.align(pair), layout.offsets(pair)
(16, 8, (0, 8))

The rules are LLVM's (`llvm/lib/IR/DataLayout.cpp`); they are tested against LLVM's own answers and the compiler's
`sizeof` and `offsetof`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from soid.engine.llvm.ir.ir_types import (
    ArrayType,
    FloatingType,
    FunctionType,
    IntegerType,
    OtherType,
    Ptr,
    StructType,
    Type,
    VectorType,
)
from soid.errors import ProgramError

# Defaults (LLVM language reference, "Data Layout"); widths and alignments in bits.
_INT_DEFAULTS = {1: 8, 8: 8, 16: 16, 32: 32, 64: 32}
_FLOAT_DEFAULTS = {16: 16, 32: 32, 64: 64, 128: 128}
_VECTOR_DEFAULTS = {64: 64, 128: 128}
_POINTER_DEFAULTS = {0: (64, 64)}

#: how many sizes of types are cached
_REMEMBERED: Final = 10_000


@final
@dataclass(frozen=True, slots=True)
class DataLayout:
    """How values lie in memory. Sizes and offsets are in bytes unless a name says bits."""

    text: str  # the datalayout string as the compiler wrote it
    little_endian: bool
    int_align: dict[int, int]  # width -> alignment, both in bits, widths ascending
    float_align: dict[int, int]  # likewise
    vector_align: dict[int, int]  # likewise
    pointers: dict[int, tuple[int, int]]  # address space -> width and alignment in bits
    aggregate_align: int  # the least alignment of structs, in bits
    _offsets: dict[StructType, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)
    # by identity, which costs less than comparing types; the value holds the type, so that its identity stays unique
    _sizes: dict[int, tuple[Type, int]] = field(default_factory=dict, repr=False, compare=False)
    _store_sizes: dict[int, tuple[Type, int]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def parse(text: str) -> DataLayout:
        """Read the string of `target datalayout = "..."`; an empty one gives LLVM's defaults."""
        ints, floats, vectors = dict(_INT_DEFAULTS), dict(_FLOAT_DEFAULTS), dict(_VECTOR_DEFAULTS)
        pointers, little, aggregate = dict(_POINTER_DEFAULTS), True, 0
        tables = {"i": ints, "f": floats, "v": vectors}
        for spec in filter(None, text.split("-")):
            kind, numbers = spec[0], spec[1:].split(":")
            try:
                if spec in ("e", "E"):
                    little = spec == "e"
                elif kind in tables:
                    tables[kind][int(numbers[0])] = int(numbers[1])
                elif kind == "a":
                    aggregate = int(numbers[1])
                elif kind == "p":
                    pointers[int(numbers[0] or 0)] = (int(numbers[1]), int(numbers[2]))
            except (ValueError, IndexError):
                raise ProgramError(f"the data layout has no meaning at {spec!r}: {text!r}") from None
        return DataLayout(text, little, dict(sorted(ints.items())), floats, vectors, pointers, aggregate)

    @property
    def address(self) -> IntegerType:
        """The integer type that is as wide as a pointer."""
        return IntegerType(self.pointers[0][0])

    @property
    def pointer_bytes(self) -> int:
        return self.pointers[0][0] // 8

    def bits(self, type_: Type) -> int:
        """The number of bits in a value of the type, without padding at the end.

        >>> DataLayout.parse("").bits(IntegerType(1))
        1
        """
        match type_:
            case IntegerType(width):
                return width
            case Ptr(space):
                return self.pointers.get(space, self.pointers[0])[0]
            case ArrayType(count, element):
                return count * self.size(element) * 8
            case VectorType(count, element, False):
                return count * self.bits(element)
            case StructType():
                return self._struct_size(type_) * 8
            case FloatingType(bits=bits):
                return bits
            case VectorType() | FunctionType() | OtherType():
                raise ProgramError(f"a value of type {type_} has no size")

    def store_size(self, type_: Type) -> int:
        """How many bytes a store of the type writes: 10 for x86_fp80, whose size in an array is 16."""
        known = self._store_sizes.get(id(type_))
        if known is None:
            if len(self._store_sizes) >= _REMEMBERED:  # otherwise types that are made for one use would accumulate
                self._store_sizes.clear()
            known = self._store_sizes[id(type_)] = type_, (self.bits(type_) + 7) // 8
        return known[1]

    def size(self, type_: Type) -> int:
        """The distance of two array elements of the type, C's `sizeof`."""
        known = self._sizes.get(id(type_))
        if known is None:
            if len(self._sizes) >= _REMEMBERED:
                self._sizes.clear()
            known = self._sizes[id(type_)] = type_, _round_up(self.store_size(type_), self.align(type_))
        return known[1]

    def align(self, type_: Type) -> int:
        """The ABI alignment of the type."""
        match type_:
            case IntegerType(width):  # that of the next wider width that has one, else of the widest
                wider = [align for known, align in self.int_align.items() if known >= width]
                return (wider or list(self.int_align.values())[-1:])[0] // 8
            case Ptr(space):
                return self.pointers.get(space, self.pointers[0])[1] // 8
            case ArrayType(_, element):
                return self.align(element)
            case VectorType():
                bits = self.bits(type_)
                return self.vector_align[bits] // 8 if bits in self.vector_align else _power_of_two((bits + 7) // 8)
            case StructType(elements=elements, packed=packed):
                if packed:
                    return max(1, self.aggregate_align // 8)
                return max([1, self.aggregate_align // 8, *map(self.align, elements or ())])
            case FloatingType(bits=bits):
                return self.float_align[bits] // 8 if bits in self.float_align else _power_of_two(bits // 8)
            case FunctionType() | OtherType():
                raise ProgramError(f"a value of type {type_} has no alignment")

    def offsets(self, struct: StructType) -> tuple[int, ...]:
        """Where each element of a struct begins."""
        known = self._offsets.get(struct)
        if known is None:
            known = self._offsets[struct] = self._layout(struct)
        return known

    def _layout(self, struct: StructType) -> tuple[int, ...]:
        offset, found = 0, []
        for element in self._elements(struct):
            if not struct.packed:
                offset = _round_up(offset, self.align(element))
            found.append(offset)
            offset += self.size(element)
        return tuple(found)

    def _struct_size(self, struct: StructType) -> int:
        offsets = self.offsets(struct)
        end = offsets[-1] + self.size(self._elements(struct)[-1]) if offsets else 0
        return _round_up(end, self.align(struct))

    def _elements(self, struct: StructType) -> tuple[Type, ...]:
        if struct.elements is None:
            raise ProgramError(f"%{struct.name} is declared and never defined, so it has no size")
        return struct.elements


def _round_up(value: int, align: int) -> int:
    return -(-value // align) * align


def _power_of_two(value: int) -> int:
    """The least power of two not below the value.

    >>> _power_of_two(12)
    16
    """
    return 1 << max(value - 1, 0).bit_length()

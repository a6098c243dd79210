"""Constants as memory images: bytes, and the addresses among them, each a global's name and an offset."""

from __future__ import annotations

from typing import assert_never, final

from msgspec import Struct

from soid.engine.llvm.debug.parameter_pieces import constant_offset
from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.ir_types import ArrayType, StructType, Type, VectorType
from soid.engine.llvm.ir.operands import (
    BlockAddress,
    ConstAggregate,
    Constant,
    ConstBinary,
    ConstCast,
    ConstData,
    ConstFloat,
    ConstGep,
    ConstInt,
    ConstNull,
    ConstZero,
    GlobalRef,
    Poison,
    Undef,
    UnsupportedConstant,
)
from soid.errors import ProgramError


@final
class ImageAddress(Struct, frozen=True):
    """An address inside a memory image."""

    offset: int  # in the image
    name: str  # of the global or function that it points to
    addend: int  # bytes from the start of that


@final
class ConstantImage(Struct, frozen=True):
    """A constant in the memory of a little-endian machine."""

    data: bytes  # zero where an address lies, and where nothing is set: undef, poison and padding
    addresses: tuple[ImageAddress, ...]


def memory_image(constant: Constant, layout: DataLayout) -> ConstantImage:
    image = _ImageBuilder(bytearray(layout.size(constant.type)), [], layout)
    image.draw(constant, 0)
    return ConstantImage(bytes(image.data), tuple(image.addresses))


def address_of(constant: Constant, layout: DataLayout) -> tuple[str, int] | None:
    """The global and the offset of a constant address; None for null and for plain numbers.

    >>> address_of(GlobalRef("table"), DataLayout.parse(""))
    ('table', 0)
    """
    if isinstance(constant, GlobalRef):
        return constant.name, 0
    if isinstance(constant, ConstGep):
        base = address_of(constant.base, layout)
        offset = constant_offset(constant.source, constant.indices, layout)
        return None if base is None or offset is None else (base[0], base[1] + offset)
    if isinstance(constant, ConstCast) and constant.op in ("bitcast", "addrspacecast", "inttoptr", "ptrtoint"):
        same_size = layout.bits(constant.type) == layout.bits(constant.value.type)
        return address_of(constant.value, layout) if same_size else None
    return None


@final
class _ImageBuilder(Struct, frozen=True):
    """An image under construction."""

    data: bytearray
    addresses: list[ImageAddress]
    layout: DataLayout

    def draw(self, constant: Constant, at: int) -> None:
        match constant:
            case ConstInt(type_, value) | ConstFloat(type_, value):
                self._number(type_, value, at)
            case ConstNull(type_) | ConstZero(type_):
                self._number(type_, 0, at)
            case Undef() | Poison() | BlockAddress():
                pass  # a block lies in no memory that a program reads
            case ConstData(type_, values):
                self._data(type_, values, at)
            case ConstAggregate(type_, elements):
                self._aggregate(type_, elements, at)
            case GlobalRef() | ConstGep() | ConstCast() | ConstBinary() | UnsupportedConstant():
                self._address(constant, at)
            case _:
                assert_never(constant)

    def _number(self, type_: Type, value: int, at: int) -> None:
        size = self.layout.store_size(type_)
        self.data[at : at + size] = value.to_bytes(size, "little")

    def _data(self, type_: ArrayType | VectorType, values: tuple[int, ...], at: int) -> None:
        if isinstance(type_, ArrayType):
            step = self.layout.size(type_.element)
            for index, value in enumerate(values):
                self._number(type_.element, value, at + index * step)
            return
        # a vector is one number, its first element in the lowest bits
        width = self.layout.bits(type_.element)
        self._number(type_, sum(value << index * width for index, value in enumerate(values)), at)

    def _aggregate(self, type_: Type, elements: tuple[Constant, ...], at: int) -> None:
        if isinstance(type_, StructType):
            offsets = self.layout.offsets(type_)
        elif isinstance(type_, ArrayType):
            step = self.layout.size(type_.element)
            offsets = tuple(range(0, step * type_.count, step))
        else:
            raise ProgramError(f"a constant of type {type_} with parts that are no numbers is not supported")
        for offset, element in zip(offsets, elements, strict=True):
            self.draw(element, at + offset)

    def _address(self, constant: Constant, at: int) -> None:
        target = address_of(constant, self.layout)
        if target is not None:
            self.addresses.append(ImageAddress(at, *target))
            return
        number = _plain_address(constant, self.layout)
        if number is None:
            raise ProgramError(f"the constant {constant} is not supported as an initial value")
        self._number(constant.type, number, at)


def _plain_address(constant: Constant, layout: DataLayout) -> int | None:
    """The number of an address that a program casts from an integer: `(int *)16`."""
    mask = (1 << layout.bits(constant.type)) - 1
    match constant:
        case ConstInt(_, value):
            return value
        case ConstNull():
            return 0
        case ConstCast(op="inttoptr" | "ptrtoint" | "bitcast" | "trunc", value=inner):
            number = _plain_address(inner, layout)
            return None if number is None else number & mask
        case ConstGep(source, base, indices):
            number, offset = _plain_address(base, layout), constant_offset(source, indices, layout)
            return None if number is None or offset is None else (number + offset) & mask
        case _:
            return None

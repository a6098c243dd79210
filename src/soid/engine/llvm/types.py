"""The types of LLVM IR, as the C front end uses them.

Pointers are opaque: `Ptr` says nothing about what it points to; loads, stores and GEPs carry the accessed type.

>>> str(ArrayType(3, IntType(32)))
'[3 x i32]'
>>> str(StructType("struct.pair", (IntType(8), DoubleType()), packed=False))
'%struct.pair'
>>> StructType(None, (IntType(8), PTR), packed=True).body()
'<{ i8, ptr }>'
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from msgspec import Struct


@final
class IntType(Struct, frozen=True):
    """Integers of a width; signedness belongs to the operations."""

    width: int  # number of bits, 1 to 2**23

    def __str__(self) -> str:
        return f"i{self.width}"


@final
class HalfType(Struct, frozen=True):
    """IEEE binary16, C's _Float16."""

    def __str__(self) -> str:
        return "half"


@final
class BFloatType(Struct, frozen=True):
    """Brain float: eight exponent bits, seven fraction bits; C's __bf16."""

    def __str__(self) -> str:
        return "bfloat"


@final
class FloatType(Struct, frozen=True):
    """IEEE binary32."""

    def __str__(self) -> str:
        return "float"


@final
class DoubleType(Struct, frozen=True):
    """IEEE binary64."""

    def __str__(self) -> str:
        return "double"


@final
class X86Fp80(Struct, frozen=True):
    """The x87's 80-bit extended format, C's long double on x86."""

    def __str__(self) -> str:
        return "x86_fp80"


@final
class Fp128(Struct, frozen=True):
    """IEEE binary128."""

    def __str__(self) -> str:
        return "fp128"


@final
class PpcFp128(Struct, frozen=True):
    """A pair of doubles, PowerPC's long double."""

    def __str__(self) -> str:
        return "ppc_fp128"


@final
class Ptr(Struct, frozen=True):
    """An opaque pointer."""

    addrspace: int = 0  # 0 is the ordinary one

    def __str__(self) -> str:
        return f"ptr addrspace({self.addrspace})" if self.addrspace else "ptr"


@final
class ArrayType(Struct, frozen=True):
    """A number of elements, one after the other."""

    count: int  # 0 for C's flexible array members
    element: Type

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@final
class VectorType(Struct, frozen=True):
    """A SIMD vector: packed to the bit in memory, unlike an array."""

    count: int
    element: Type
    scalable: bool = False  # a multiple of `count` known only at run time

    def __str__(self) -> str:
        return f"<{'vscale x ' if self.scalable else ''}{self.count} x {self.element}>"


@final
class StructType(Struct, frozen=True):
    """A struct: named (`%struct.world`) or literal (`{ i32, ptr }`)."""

    name: str | None  # without the percent sign; None for a literal struct
    elements: tuple[Type, ...] | None  # None for an opaque struct, declared and never defined
    packed: bool  # no padding between elements, alignment 1

    def __str__(self) -> str:
        return self.body() if self.name is None else f"%{self.name}"

    def body(self) -> str:
        """The elements, written out even for a named struct."""
        if self.elements is None:
            return "opaque"
        inner = f"{{ {', '.join(map(str, self.elements))} }}" if self.elements else "{}"
        return f"<{inner}>" if self.packed else inner


@final
class FunctionType(Struct, frozen=True):
    """What a function takes and returns."""

    returns: Type
    params: tuple[Type, ...]
    varargs: bool

    def __str__(self) -> str:
        params = [*map(str, self.params), *(["..."] if self.varargs else [])]
        return f"{self.returns} ({', '.join(params)})"


@final
class Void(Struct, frozen=True):
    """No value."""

    def __str__(self) -> str:
        return "void"


@final
class Label(Struct, frozen=True):
    """A basic block, as an operand."""

    def __str__(self) -> str:
        return "label"


@final
class Metadata(Struct, frozen=True):
    """Metadata, as an argument of a debugging intrinsic."""

    def __str__(self) -> str:
        return "metadata"


@final
class OtherType(Struct, frozen=True):
    """A type that C code on the usual targets does not use: `token`, `x86_amx`, `target("...")`."""

    text: str  # as LLVM writes it

    def __str__(self) -> str:
        return self.text


FloatingType: TypeAlias = HalfType | BFloatType | FloatType | DoubleType | X86Fp80 | Fp128 | PpcFp128

Type: TypeAlias = (
    IntType
    | FloatingType
    | Ptr
    | ArrayType
    | VectorType
    | StructType
    | FunctionType
    | Void
    | Label
    | Metadata
    | OtherType
)

PTR: Final = Ptr()
VOID: Final = Void()
METADATA: Final = Metadata()
I1: Final = IntType(1)
I8: Final = IntType(8)

#: width in bits of each floating type
FLOAT_BITS: Final[dict[type[FloatingType], int]] = {
    HalfType: 16,
    BFloatType: 16,
    FloatType: 32,
    DoubleType: 64,
    X86Fp80: 80,
    Fp128: 128,
    PpcFp128: 128,
}


def is_floating(type_: Type) -> bool:
    """Whether values of the type are floating-point numbers.

    >>> is_floating(DoubleType()), is_floating(PTR)
    (True, False)
    """
    return type(type_) in FLOAT_BITS


def is_scalar_number(type_: Type) -> bool:
    """Whether values of the type are single integers or floating-point numbers."""
    return type(type_) is IntType or type(type_) in FLOAT_BITS

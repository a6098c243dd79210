"""The types of LLVM IR, as the C front end uses them.

Pointers are opaque: `Ptr` says nothing about what it points to; loads, stores and GEPs carry the accessed type.

>>> str(ArrayType(3, IntegerType(32)))
'[3 x i32]'
>>> str(StructType("struct.pair", (IntegerType(8), DOUBLE), packed=False))
'%struct.pair'
>>> StructType(None, (IntegerType(8), PTR), packed=True).body()
'<{ i8, ptr }>'
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from msgspec import Struct


@final
class IntegerType(Struct, frozen=True):
    """Integers of a width; signedness belongs to the operations."""

    width: int  # number of bits, 1 to 2**23

    def __str__(self) -> str:
        return f"i{self.width}"


@final
class FloatingType(Struct, frozen=True):
    """Floating-point numbers of a format."""

    name: str  # as LLVM writes it
    bits: int

    def __str__(self) -> str:
        return self.name


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
class OtherType(Struct, frozen=True):
    """A type that has no values in memory (`void`, `label`, `metadata`), or that C does not use (`token`)."""

    text: str  # as LLVM writes it

    def __str__(self) -> str:
        return self.text


Type: TypeAlias = IntegerType | FloatingType | Ptr | ArrayType | VectorType | StructType | FunctionType | OtherType

PTR: Final = Ptr()
VOID: Final = OtherType("void")
LABEL: Final = OtherType("label")
METADATA: Final = OtherType("metadata")
I1: Final = IntegerType(1)
I8: Final = IntegerType(8)
HALF: Final = FloatingType("half", 16)  # IEEE binary16, C's _Float16
BFLOAT: Final = FloatingType("bfloat", 16)  # eight exponent bits, seven fraction bits; C's __bf16
FLOAT: Final = FloatingType("float", 32)  # IEEE binary32
DOUBLE: Final = FloatingType("double", 64)  # IEEE binary64
X86_FP80: Final = FloatingType("x86_fp80", 80)  # the x87's extended format, C's long double on x86
FP128: Final = FloatingType("fp128", 128)  # IEEE binary128
PPC_FP128: Final = FloatingType("ppc_fp128", 128)  # a pair of doubles, PowerPC's long double
FLOATING: Final = (HALF, BFLOAT, FLOAT, DOUBLE, X86_FP80, FP128, PPC_FP128)


def is_scalar_number(type_: Type) -> bool:
    """Whether values of the type are single integers or floating-point numbers."""
    return isinstance(type_, IntegerType | FloatingType)

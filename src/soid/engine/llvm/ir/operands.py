"""The operands of instructions: registers, constants, inline assembly, metadata.

Numbers in constants are bit patterns, never Python floats: `ConstInt(IntegerType(8), 255)` is i8 -1, and
`ConstFloat(FLOAT, 0x3FC00000)` is 1.5f. Every operand has a `type`.

>>> str(ConstInt(IntegerType(8), 255)), ConstInt(IntegerType(8), 255).signed
('i8 -1', -1)
>>> data = ConstData(ArrayType(3, IntegerType(8)), (104, 105, 0))
>>> bytes(data.values), data.element(1)
(b'hi\\x00', ConstInt(type=IntegerType(width=8), value=105))
"""

from __future__ import annotations

from typing import Literal, TypeAlias, final

from msgspec import Struct

from soid.engine.llvm.ir.ir_types import (
    METADATA,
    PTR,
    ArrayType,
    FloatingType,
    IntegerType,
    OtherType,
    Ptr,
    StructType,
    Type,
    VectorType,
)

CastOp: TypeAlias = Literal[
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
    "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast",
]  # fmt: skip
BinaryOpcode: TypeAlias = Literal[
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
    "fadd", "fsub", "fmul", "fdiv", "frem",
]  # fmt: skip


@final
class Register(Struct, frozen=True):
    """A parameter, or the result of an instruction."""

    slot: int  # its index in a stack frame: 0 <= slot < Function.slots, parameters first
    type: Type
    name: str  # without the percent sign; a number where the source gave none

    def __str__(self) -> str:
        return f"{self.type} %{self.name}"


@final
class ConstInt(Struct, frozen=True):
    """An integer."""

    type: IntegerType
    value: int  # 0 <= value < 2**width

    @property
    def signed(self) -> int:
        """The value read in two's complement."""
        return self.value - (1 << self.type.width) if self.value >> (self.type.width - 1) else self.value

    def __str__(self) -> str:
        if self.type.width == 1:
            return f"i1 {'true' if self.value else 'false'}"
        return f"{self.type} {self.signed}"


@final
class ConstFloat(Struct, frozen=True):
    """A floating-point number."""

    type: FloatingType
    bits: int  # the format's bit pattern; NaN payloads are kept

    def __str__(self) -> str:
        return f"{self.type} 0x{self.bits:X}"


@final
class ConstNull(Struct, frozen=True):
    """The null pointer."""

    type: Ptr

    def __str__(self) -> str:
        return f"{self.type} null"


@final
class ConstZero(Struct, frozen=True):
    """All zero, of an array, struct or vector type: `zeroinitializer`."""

    type: Type

    def __str__(self) -> str:
        return f"{self.type} zeroinitializer"


@final
class Undef(Struct, frozen=True):
    """A value that was never set; each use may see another one."""

    type: Type

    def __str__(self) -> str:
        return f"{self.type} undef"


@final
class Poison(Struct, frozen=True):
    """The result of an operation without a value."""

    type: Type

    def __str__(self) -> str:
        return f"{self.type} poison"


@final
class ConstData(Struct, frozen=True):
    """An array (or vector) of plain numbers, such as a string or a learned table."""

    type: ArrayType | VectorType
    values: tuple[int, ...]  # the bit pattern of each element

    def element(self, index: int) -> ConstInt | ConstFloat:
        """One element as a constant of its own."""
        kind = self.type.element
        if isinstance(kind, IntegerType):
            return ConstInt(kind, self.values[index])
        return ConstFloat(kind, self.values[index])  # type: ignore[arg-type]  # only numbers are kept as data

    def __str__(self) -> str:
        return f"{self.type} [{', '.join(str(self.element(i)) for i in range(len(self.values)))}]"


@final
class ConstAggregate(Struct, frozen=True):
    """An array, struct or vector, element by element."""

    type: ArrayType | StructType | VectorType
    elements: tuple[Constant, ...]

    def __str__(self) -> str:
        return f"{self.type} {{ {', '.join(map(str, self.elements))} }}"


@final
class GlobalRef(Struct, frozen=True):
    """The address of a global variable or a function."""

    name: str  # without the at sign; a key of Module.globals, .functions or .aliases
    type: Ptr = PTR

    def __str__(self) -> str:
        return f"{self.type} @{self.name}"


@final
class ConstGep(Struct, frozen=True):
    """An address computed from constants; see `Gep` for what the indices mean."""

    source: Type
    base: Constant
    indices: tuple[Constant, ...]
    flags: frozenset[str]  # among inbounds, nusw, nuw
    type: Type

    def __str__(self) -> str:
        return f"{self.type} getelementptr ({self.source}, {', '.join(map(str, (self.base, *self.indices)))})"


@final
class ConstCast(Struct, frozen=True):
    """A conversion of a constant, such as the number of an address."""

    op: CastOp
    value: Constant
    type: Type

    def __str__(self) -> str:
        return f"{self.type} {self.op} ({self.value})"


@final
class ConstBinary(Struct, frozen=True):
    """Arithmetic on constants of which one is an address, such as the difference of two labels."""

    op: BinaryOpcode
    left: Constant
    right: Constant
    flags: frozenset[str]
    type: Type

    def __str__(self) -> str:
        return f"{self.type} {self.op} ({self.left}, {self.right})"


@final
class BlockAddress(Struct, frozen=True):
    """The address of a block, C's `&&label`; an `IndirectBr` of the same function takes it."""

    function: str  # without the at sign
    label: str  # of the block
    type: Type

    def __str__(self) -> str:
        return f"{self.type} blockaddress(@{self.function}, %{self.label})"


@final
class UnsupportedConstant(Struct, frozen=True):
    """A constant known by name only: `dso_local_equivalent` and the like."""

    name: str  # the keyword
    text: str  # as LLVM writes it
    type: Type

    def __str__(self) -> str:
        return f"{self.type} {self.text}"


@final
class InlineAsm(Struct, frozen=True):
    """Inline assembly as a callee."""

    assembly: str
    constraints: str
    type: Ptr = PTR

    def __str__(self) -> str:
        return f'asm "{self.assembly}", "{self.constraints}"'


@final
class MetadataValue(Struct, frozen=True):
    """Metadata as an argument of an intrinsic."""

    text: str  # as LLVM writes it
    type: OtherType = METADATA

    def __str__(self) -> str:
        return f"metadata {self.text}"


_Plain: TypeAlias = ConstInt | ConstFloat | ConstNull | ConstZero | Undef | Poison | ConstData | ConstAggregate
_Computed: TypeAlias = ConstGep | ConstCast | ConstBinary
Constant: TypeAlias = _Plain | GlobalRef | BlockAddress | _Computed | UnsupportedConstant
Value: TypeAlias = Register | Constant | InlineAsm | MetadataValue

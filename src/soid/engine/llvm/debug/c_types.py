"""C types, as the debug info describes them.

Sizes and offsets are in bytes unless a name says bits. Of `const` and `volatile` only the const of a pointer's target
is kept.

>>> INT = CBase("int", "signed", 4)
>>> str(CArray(INT, (2, 3), 24)), str(CTypedef("speed_t", INT))
('int[2][3]', 'speed_t')
>>> strip(CTypedef("speed_t", INT)) is INT
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, final

from msgspec import Struct

Encoding: TypeAlias = Literal["bool", "signed", "unsigned", "signed char", "unsigned char", "float", "complex", "other"]


@final
class CBase(Struct, frozen=True):
    """A built-in number type: int, float, _Bool, char."""

    name: str
    encoding: Encoding
    size: int

    @property
    def signed(self) -> bool:
        return self.encoding in ("signed", "signed char")

    def __str__(self) -> str:
        return self.name


@final
class CVoid(Struct, frozen=True):
    """No value; behind a pointer, any type."""

    size: int = 0

    def __str__(self) -> str:
        return "void"


@final
@dataclass(frozen=True, slots=True)
class CPointer:
    """A pointer. Its target is resolved on demand, because a struct can point to its own type."""

    key: int  # metadata number of the target; 0 for void
    size: int
    const: bool  # whether the target may not be written through it
    resolve: Callable[[], CType] = field(repr=False, compare=False)
    reference: bool = False  # a C++ reference

    @property
    def target(self) -> CType:
        return self.resolve()

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.target} {'&' if self.reference else '*'}"


@final
class CArray(Struct, frozen=True):
    """An array, all dimensions at once; also GNU vectors."""

    element: CType
    dims: tuple[int | None, ...]  # None for a flexible member or a variable length
    size: int | None  # None where a dimension is unknown

    def __str__(self) -> str:
        return str(self.element) + "".join("[]" if dim is None else f"[{dim}]" for dim in self.dims)


@final
class CField(Struct, frozen=True):
    """A member of a struct or a union."""

    name: str  # empty for an anonymous struct or union: its members count as the outer one's
    type: CType
    bit_offset: int  # from the beginning of the struct
    bit_size: int | None = None  # of a bit-field


class _Record(Struct, frozen=True):
    name: str  # its tag; empty where it has none
    fields: tuple[CField, ...]
    size: int
    complete: bool  # False where only `struct s;` is known
    key: int  # metadata number: two structs of one name in two files are two


@final
class CStruct(_Record, frozen=True):
    """A struct."""

    def __str__(self) -> str:
        return f"struct {self.name or '(anonymous)'}"


@final
class CUnion(_Record, frozen=True):
    """A union: every field at offset 0."""

    def __str__(self) -> str:
        return f"union {self.name or '(anonymous)'}"


@final
class CEnum(Struct, frozen=True):
    """An enum with its labels."""

    name: str
    underlying: CType  # the integer type that holds it
    enumerators: tuple[tuple[str, int], ...]  # in the order of the source
    size: int

    def __str__(self) -> str:
        return f"enum {self.name or '(anonymous)'}"


@final
class CTypedef(Struct, frozen=True):
    """A second name for a type."""

    name: str
    target: CType

    @property
    def size(self) -> int | None:
        return self.target.size

    def __str__(self) -> str:
        return self.name


@final
class CFunction(Struct, frozen=True):
    """What a function takes and returns."""

    returns: CType
    params: tuple[CType, ...]
    varargs: bool
    size: int = 0

    def __str__(self) -> str:
        params = [*map(str, self.params), *(["..."] if self.varargs else [])]
        return f"{self.returns} ({', '.join(params) or 'void'})"


@final
class CUnknown(Struct, frozen=True):
    """A type of another language than C."""

    text: str
    size: int

    def __str__(self) -> str:
        return self.text


CType: TypeAlias = CBase | CVoid | CPointer | CArray | CStruct | CUnion | CEnum | CTypedef | CFunction | CUnknown


def strip(type_: CType) -> CType:
    """The type behind all typedefs."""
    while isinstance(type_, CTypedef):
        type_ = type_.target
    return type_

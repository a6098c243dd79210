"""Where the variables of a C program lie: the memory that an entry function is given, taken apart into scalars.

    void decide(const struct world *world, struct plan *plan, int *speed)      static int count;

    world.agents[1].pos_x   16 bytes into what `world` points to, a float
    plan.move               0 bytes into what `plan` points to, a _Bool
    *speed                  what `speed` points to, an int
    count                   the global of that name

Memory comes in regions: one behind each pointer, one for each global, one for a parameter or result passed by value.
Different regions are taken to be different memory and no pointer is taken to be null; answers say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, assert_never, final

from msgspec import Struct, field

from soid.engine.llvm.ctype import (
    CArray,
    CBase,
    CEnum,
    CField,
    CFunction,
    CPointer,
    CStruct,
    CType,
    CTypedef,
    CUnion,
    CUnknown,
    CVoid,
    strip,
)
from soid.engine.llvm.debuginfo import CFunctionInfo, CGlobal, DebugInfo
from soid.engine.llvm.ir import Module
from soid.engine.llvm.names import demangled
from soid.errors import ProgramError
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType

RETURN: Final = "return"
#: what the standard libraries call the C array inside a std::array, of which no programmer speaks
_ELEMENTS: Final = ("__elems_", "_M_elems")


@final
class Region(Struct, frozen=True):
    """A stretch of memory that the program is given, or that it leaves its result in."""

    name: str  # as a C programmer would call what it holds: world, *speed, count, return
    type: CType  # of one element
    count: int  # how many elements lie one after the other
    parameter: int | None = None  # number of the C parameter that it is, or that points to it
    by_value: bool = False  # the parameter itself, not what it points to
    variable: str | None = None  # IR name of the global that it is
    pointed_from: tuple[int, int] | None = None  # number of another region, and where in it the pointer lies

    @property
    def size(self) -> int:
        return self.type.size * self.count if self.type.size else 0


@final
class Place(Struct, frozen=True):
    """Where one scalar lies."""

    path: str
    type: VariableType
    region: int  # its number
    offset: int  # bytes
    size: int  # bytes that hold it; for a bit-field those that its bits touch
    bits: tuple[int, int] | None = None  # of a bit-field: the first bit, counted from `offset`, and how many


@final
class Places(Struct):
    """All regions and scalars of an entry function."""

    regions: list[Region] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    opaque: list[tuple[int, int, str]] = field(default_factory=list)  # pointers to what is not known: region, offset
    pointers: list[str] = field(default_factory=list)  # paths of all pointers whose target is known
    kept: list[str] = field(default_factory=list)  # paths of pointers in globals: they stay as the program starts them
    refused: list[str] = field(default_factory=list)  # paths of numbers whose type is not supported

    def by_path(self) -> dict[str, Place]:
        return {place.path: place for place in self.places}


def find_places(
    module: Module,
    info: DebugInfo,
    entry: str,
    lengths: Mapping[str, int],
    variables: Mapping[str, CGlobal] | None = None,
    described: CFunctionInfo | None = None,
) -> Places:
    """The memory of an entry function. `lengths` says how many elements lie behind a pointer, by its path.

    `variables` are the globals by their names in the module, where those are not as `info` has them, and `described`
    is the entry, where `info` has nothing on it.
    """
    function = described or info.function(entry)
    finder = _Finder(lengths)
    for number, parameter in enumerate(function.params):
        finder.parameter(number, parameter.name or f"parameter{number + 1}", parameter.type)
    for name, variable in (info.globals if variables is None else variables).items():
        if not module.globals[name].constant:
            path = variable.path
            finder.region(Region(path, variable.type, 1, variable=name), path)
    returned = strip(function.returns)
    if not isinstance(returned, CVoid):
        finder.region(Region(RETURN, returned, 1), RETURN)
    return finder.found


@final
class _Finder:
    """Takes types apart, region by region."""

    def __init__(self, lengths: Mapping[str, int]) -> None:
        self.lengths = lengths
        self.found = Places()
        self._structs: list[int] = []  # keys of the structs that are being taken apart: a list's nodes end here

    def parameter(self, number: int, name: str, kind: CType) -> None:
        target = strip(kind)
        if isinstance(target, CPointer):
            self._behind(target, name, name, parameter=number)
        else:
            self.region(Region(name, kind, 1, parameter=number, by_value=True), name)

    def region(self, region: Region, path: str) -> None:
        """Add a region and all that lies in it."""
        number = len(self.found.regions)
        self.found.regions.append(region)
        many = region.count > 1
        for i in range(region.count):
            start = i * (region.type.size or 0)
            self._take(number, region.type, f"{path}[{i}]" if many else path, start)

    def _behind(
        self,
        pointer: CPointer,
        path: str,
        name: str,
        *,
        parameter: int | None = None,
        pointed_from: tuple[int, int] | None = None,
    ) -> None:
        """What a pointer points to: a struct's members carry its path, a scalar is written `*path`."""
        target = pointer.resolve()
        kind = strip(target)
        count = self.lengths.get(path, 1)
        unknown = isinstance(kind, CVoid | CFunction | CUnknown) or (isinstance(kind, CStruct) and not kind.complete)
        if unknown or (isinstance(kind, CStruct) and kind.key in self._structs):
            if pointed_from is not None:
                self.found.opaque.append((*pointed_from, path))
            else:
                self.found.regions.append(Region(path, CVoid(), 1, parameter=parameter))
            return
        self.found.pointers.append(path)
        named = isinstance(kind, CStruct | CArray) or count > 1 or pointer.reference
        below = path if named else f"*{path}"
        self.region(Region(name, target, count, parameter=parameter, pointed_from=pointed_from), below)

    def _pointer(self, region: int, kind: CPointer, path: str, offset: int) -> None:
        """A pointer in a region. One in a global starts as the program says, unless memory behind it is declared."""
        if self.found.regions[region].variable is not None and path not in self.lengths:
            self.found.kept.append(path)
        else:
            self._behind(kind, path, path, pointed_from=(region, offset))

    def _take(self, region: int, kind: CType, path: str, offset: int) -> None:
        match kind:
            case CTypedef():
                self._take(region, strip(kind), path, offset)
            case CBase() | CEnum():
                self._scalar(region, kind, path, offset)
            case CStruct():
                self._members(region, kind, path, offset)
            case CUnion():
                self._raw(region, path, offset, kind.size)
            case CArray():
                self._elements(region, kind, path, offset)
            case CPointer():
                self._pointer(region, kind, path, offset)
            case CVoid() | CFunction() | CUnknown():
                # in a variable of the program's own it is what the program has put there
                if self.found.regions[region].variable is not None:
                    self.found.kept.append(path)
                elif kind.size:
                    self.found.opaque.append((region, offset, path))
            case _:
                assert_never(kind)

    def _scalar(self, region: int, kind: CBase | CEnum, path: str, offset: int) -> None:
        try:
            found = variable_type(kind, path)
        except ProgramError:
            self.found.refused.append(path)  # the program may have a long double; only using it is not supported
            return
        self.found.places.append(Place(path, found, region, offset, kind.size))

    def _members(self, region: int, struct: CStruct, path: str, offset: int) -> None:
        self._structs.append(struct.key)
        for member in struct.fields:
            # the members of an anonymous struct, and of a base class, count as the outer one's
            hidden = not member.name or (struct.name.startswith("std::array<") and member.name in _ELEMENTS)
            below = path if hidden else f"{path}.{member.name}"
            if member.bit_size is not None:
                self._bit_field(region, member, below, offset)
            else:
                self._take(region, member.type, below, offset + member.bit_offset // 8)
        self._structs.pop()

    def _bit_field(self, region: int, member: CField, path: str, offset: int) -> None:
        if not member.name or not member.bit_size:
            return
        start, first = offset + member.bit_offset // 8, member.bit_offset % 8
        kind = _narrowed(variable_type(strip(member.type), path), member.bit_size)
        size = (first + member.bit_size + 7) // 8
        self.found.places.append(Place(path, kind, region, start, size, (first, member.bit_size)))

    def _elements(self, region: int, array: CArray, path: str, offset: int) -> None:
        size = array.element.size or 0
        for i, index in enumerate(_indices(array, path)):
            self._take(region, array.element, path + index, offset + i * size)

    def _raw(self, region: int, path: str, offset: int, size: int) -> None:
        """A union has no one reading: it is shown, and varied, as the bytes it is made of."""
        for i in range(size):
            self.found.places.append(Place(f"{path}.bytes[{i}]", IntType(8, signed=False), region, offset + i, 1))


def _indices(array: CArray, path: str) -> Iterator[str]:
    """`[0][0]`, `[0][1]` ... in the order of memory; a flexible member has none."""
    if any(count is None for count in array.dims):
        return
    total = 1
    for count in array.dims:
        total *= count or 0
    for flat in range(total):
        rest, parts = flat, []
        for count in reversed(array.dims):
            assert count is not None
            rest, index = divmod(rest, count)
            parts.append(f"[{index}]")
        yield "".join(reversed(parts))


def variable_type(kind: CType, path: str) -> VariableType:
    """The type of a scalar; what is no plain number is refused by name."""
    match kind:
        case CBase(_, "bool", _):
            return BoolType()
        case CBase(_, "signed" | "unsigned" | "signed char" | "unsigned char", size):
            return IntType(8 * size, kind.signed)
        case CBase(name, "float", size):
            formats = {2: FLOAT16, 4: FLOAT32, 8: FLOAT64}
            if size in formats and name != "__bf16":
                return FloatType(formats[size])
        case CEnum(name, underlying, enumerators, size):
            inner = strip(underlying)
            is_signed = isinstance(inner, CBase) and inner.signed
            return EnumType(name, 8 * size, is_signed, enumerators)
        case _:
            pass
    raise ProgramError(
        f"{path} is a {kind}, which is not supported",
        "Plain integers, floats of 16, 32 and 64 bits, bools and enums are.",
    )


def _narrowed(kind: VariableType, width: int) -> VariableType:
    """The type of a bit-field."""
    match kind:
        case BoolType():
            return kind
        case IntType(_, signed):
            return IntType(width, signed)
        case EnumType(name, _, signed, labels):
            return EnumType(name, width, signed, labels)
        case FloatType():
            raise AssertionError("a bit-field is no float")
        case _:
            assert_never(kind)


def entry_function(module: Module, info: DebugInfo, name: str) -> tuple[str, CFunctionInfo]:
    """The entry by the name that the source gives it: its IR name and what is known of it."""
    found = [key for key in info.named(name) if key in module.functions and module.functions[key].defined]
    if len(found) != 1:
        defined = defined_functions(module)
        cause = f"there are {len(found)} functions {name}" if found else f"there is no function {name}"
        cause = cause if name else "no entry was named: the function that decides"
        raise ProgramError(cause, f"The program defines: {', '.join(defined) or 'none'}.")
    return found[0], info.function(found[0])


def defined_functions(module: Module) -> list[str]:
    """The functions that may be an entry, by the names that the source gives them."""
    return sorted(demangled(f.name) for f in module.functions.values() if f.defined and f.linkage != "linkonce_odr")

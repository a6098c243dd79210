"""The variable layout: the memory that an entry function accesses, divided into scalars.

    void decide(const struct world *world, struct plan *plan, int *speed)      static int count;

    world.agents[1].pos_x   16 bytes into what `world` points to, a float
    plan.move               0 bytes into what `plan` points to, a _Bool
    plan.speed, plan.gear   two members of a union: two places of the same bytes
    *speed                  what `speed` points to, an int
    count                   the global of that name

Memory consists of regions: one behind each pointer, one for each global, one for each parameter or result passed by
value. Regions are assumed not to overlap, and no pointer is assumed to be null; answers say so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Final, assert_never, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.allowance import paced
from soid.engine.llvm.debug.c_types import (
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
from soid.engine.llvm.debug.debug_info import CFunctionInfo, CGlobal, DebugInfo
from soid.engine.llvm.ir.ir_module import Function, Module
from soid.engine.llvm.ir.symbol_names import demangled
from soid.engine.llvm.variables.function_choices import FunctionChoices, choice_type
from soid.errors import ProgramError
from soid.formula.sorts import FLOAT16, FLOAT32, FLOAT64
from soid.program.interface import covers
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType

RETURN: Final = "return"
FINDING: Final = "finding the program's variables"  # what ends when its time is over
#: of one program: more take longer to list than anyone asks about them
MOST_SCALARS: Final = 1_000_000
_BYTE: Final = IntType(8, signed=False)
#: the C array inside a std::array in the standard libraries; paths leave its name out
_ELEMENTS: Final = ("__elems_", "_M_elems")


@final
class MemoryRegion(Struct, frozen=True):
    """A range of memory that the caller passes, a global, or the returned value."""

    name: str  # as a C programmer writes it: world, *speed, count, return
    type: CType  # of one element
    count: int  # of elements
    parameter: int | None = None  # the number of the C parameter that it is, or that points to it
    by_value: bool = False  # it is the parameter itself, not its target
    variable: str | None = None  # the IR name, if it is a global
    extern: bool = False  # it is a global that no source defines: what it holds is given, like a caller's memory
    address: int | None = None  # where it lies, if it is a register of a device
    pointed_from: tuple[int, int] | None = None  # the region and the offset of the pointer to it
    measured: bool = True  # False: it lies behind a pointer, and the manifest does not say how many elements there are

    @property
    def is_passed(self) -> bool:
        """Whether the caller passes it: it is no global and no register."""
        return self.variable is None and self.address is None

    @property
    def size(self) -> int:
        return self.type.size * self.count if self.type.size else 0


@final
class UnionMember(Struct, frozen=True):
    """The outermost union around a scalar, and which of its members the scalar belongs to."""

    offset: int  # of the union in its region
    member: int | None  # its number; None: no member, but a byte of the union


@final
class VariablePlace(Struct, frozen=True):
    """The place of one scalar."""

    path: str
    type: VariableType
    region: int  # its number
    offset: int  # bytes
    size: int  # bytes; of a bit-field, those that contain its bits
    bits: tuple[int, int] | None = None  # of a bit-field: its first bit, counted from `offset`, and its width
    union: UnionMember | None = None  # where it lies in a union
    functions: tuple[str, ...] = ()  # of a function pointer: the IR names of what it may point to, from number 1 on

    @property
    def extent(self) -> tuple[int, int]:
        """Its first bit, counted from `offset`, and the number of its bits."""
        return self.bits or (0, 8 * self.size)

    @property
    def mask(self) -> int:
        """Its bits among those of its region."""
        first, count = self.extent
        return ((1 << count) - 1) << 8 * self.offset + first


@final
class VariableLayout(Struct):
    """All regions and scalars of an entry function."""

    regions: list[MemoryRegion] = field(default_factory=list)
    places: list[VariablePlace] = field(default_factory=list)
    opaque: list[tuple[int, int, str]] = field(default_factory=list)  # pointers to unknown types: region, offset, path
    pointers: list[str] = field(default_factory=list)  # paths of all pointers with a known target
    kept: list[str] = field(default_factory=list)  # paths of pointers in globals, which keep their initial values
    # numbers of types that no variable has, such as long double: path -> region, offset and bytes
    refused: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def by_path(self) -> dict[str, VariablePlace]:
        return {place.path: place for place in self.places}


def find_places(
    module: Module,
    info: DebugInfo,
    entry: str,
    lengths: Mapping[str, int],
    variables: Mapping[str, CGlobal] | None = None,
    described: CFunctionInfo | None = None,
    choices: FunctionChoices | None = None,
) -> VariableLayout:
    """The layout of an entry function. `lengths` has the number of elements behind pointers, by path.

    `variables` are the globals by their names in the module, if those differ from `info`; `described` is the entry, if
    `info` does not have it. With `choices`, function pointers are variables.
    """
    function = described or info.function(entry)
    finder = _Finder(lengths, choices)
    for number, parameter in enumerate(function.params):
        finder.parameter(number, parameter.name or f"parameter{number + 1}", parameter.type)
    for name, variable in (info.globals if variables is None else variables).items():
        extern = module.globals[name].initializer is None
        if extern or not module.globals[name].constant:
            region = MemoryRegion(variable.path, variable.type, 1, variable=name, extern=extern)
            finder.region(region, variable.path)
    returned = strip(function.type.returns)
    if not isinstance(returned, CVoid):
        finder.region(MemoryRegion(RETURN, returned, 1), RETURN)
    return finder.found


def parts_of(kind: CStruct, path: str) -> list[VariablePlace]:
    """The scalars of a struct; ProgramError if it has more than scalars."""
    finder = _Finder({})
    finder.region(MemoryRegion(path, kind, 1), path)
    found = finder.found
    if found.opaque or found.refused or len(found.regions) > 1 or not found.places:
        raise ProgramError(f"{kind} has parts that are no plain numbers", "Numbers can be given from the log.")
    return found.places


@final
class _Finder:
    """Divides types into scalars, region by region."""

    def __init__(self, lengths: Mapping[str, int], choices: FunctionChoices | None = None) -> None:
        self.lengths = lengths
        self.choices = choices
        self.found = VariableLayout()
        self._structs: list[int] = []  # keys of the structs around the current part: recursive types stop here
        self._union: UnionMember | None = None  # the union around the current part
        self._scalars = 0  # of all regions so far
        self._starts: dict[tuple[int, str], int] = {}  # by region and path: where what has this path begins

    def parameter(self, number: int, name: str, kind: CType) -> None:
        target = strip(kind)
        if isinstance(target, CPointer) and not self._functions(target):
            self._behind(target, name, parameter=number)
        else:
            self.region(MemoryRegion(name, kind, 1, parameter=number, by_value=True), name)

    def region(self, region: MemoryRegion, path: str) -> None:
        number = len(self.found.regions)
        self._refuse_many(region)
        self.found.regions.append(region)
        for i in range(region.count):
            below = f"{path}[{i}]" if region.count > 1 else path
            self._take(number, region.type, below, i * (region.type.size or 0))

    def _refuse_many(self, region: MemoryRegion) -> None:
        """Refuse a program with more scalars than a question can be about, before they are listed."""
        own = region.count * scalars(region.type)
        self._scalars += own
        if self._scalars > MOST_SCALARS:
            raise ProgramError(
                f"the program has more than {MOST_SCALARS:,} variables: {region.name} alone has {own:,} elements",
                'Make it smaller, such as by a macro of the program\'s: [program] defines = ["SIZE=1000"]; '
                "or const, if the program never writes it.",
            )

    def _behind(
        self, pointer: CPointer, path: str, parameter: int | None = None, pointed_from: tuple[int, int] | None = None
    ) -> None:
        """Add the target of a pointer: the members of a struct continue its path, a scalar is `*path`."""
        target = pointer.resolve()
        kind = strip(target)
        length = self._length(path)
        count = length or 1
        unknown = isinstance(kind, CVoid | CFunction | CUnknown)
        if unknown or (isinstance(kind, CStruct | CUnion) and (not kind.complete or kind.key in self._structs)):
            if pointed_from is not None:
                self.found.opaque.append((*pointed_from, path))
            else:
                self.found.regions.append(MemoryRegion(path, CVoid(), 1, parameter=parameter))
            return
        self.found.pointers.append(path)
        named = isinstance(kind, CStruct | CUnion | CArray) or count > 1 or pointer.reference
        below = path if named else f"*{path}"
        measured = length is not None
        self.region(MemoryRegion(path, target, count, parameter, pointed_from=pointed_from, measured=measured), below)

    def _length(self, path: str) -> int | None:
        """How many elements the manifest says lie behind a pointer; a star in it stands for every index."""
        exact = self.lengths.get(path)
        return exact or next((length for pattern, length in self.lengths.items() if covers(pattern, path)), None)

    def _pointer(self, region: int, kind: CPointer, path: str, offset: int) -> None:
        """Add a pointer. A pointer in a global keeps its initial value, unless the manifest gives it a length."""
        functions = self._functions(kind)
        if functions and self._starts_with(region, offset, functions):
            chosen = choice_type(functions, kind.size)
            self.found.places.append(VariablePlace(path, chosen, region, offset, kind.size, functions=functions))
        elif self._is_own(region) and self._length(path) is None:
            self.found.kept.append(path)
        else:
            self._behind(kind, path, pointed_from=(region, offset))

    def _functions(self, kind: CPointer) -> tuple[str, ...]:
        """What a function pointer may point to; nothing for any other pointer."""
        return () if self.choices is None else self.choices.of(strip(kind.resolve()))

    def _starts_with(self, region: int, offset: int, functions: tuple[str, ...]) -> bool:
        """Whether a function pointer starts with null or one of the functions, if it has a value at the start."""
        variable = self.found.regions[region].variable
        if variable is None or self.choices is None or not self._is_own(region):
            return True
        return self.choices.start(variable, offset, functions) is not None

    def _is_own(self, region: int) -> bool:
        """Whether a region is a global that the program defines."""
        return self.found.regions[region].variable is not None and not self.found.regions[region].extern

    def _take(self, region: int, kind: CType, path: str, offset: int) -> None:
        self._starts.setdefault((region, path), offset)
        match kind:
            case CTypedef():
                self._take(region, strip(kind), path, offset)
            case CBase() | CEnum():
                self._scalar(region, kind, path, offset)
            case CStruct():
                self._members(region, kind, path, offset)
            case CUnion():
                self._members(region, kind, path, offset)
            case CPointer() | CVoid() | CFunction() | CUnknown() if self._union is not None:
                pass  # in a union there are its bytes, because what it points to depends on them
            case CArray():
                self._elements(region, kind, path, offset)
            case CPointer():
                self._pointer(region, kind, path, offset)
            case CVoid() | CFunction() | CUnknown():
                # in a global it keeps its initial value
                if self._is_own(region):
                    self.found.kept.append(path)
                elif kind.size:
                    self.found.opaque.append((region, offset, path))
            case _:
                assert_never(kind)

    def _scalar(self, region: int, kind: CBase | CEnum, path: str, offset: int) -> None:
        try:
            found = variable_type(kind, path)
        except ProgramError:
            self.found.refused[path] = region, offset, kind.size
            return
        self.found.places.append(VariablePlace(path, found, region, offset, kind.size, union=self._union))

    def _members(self, region: int, record: CStruct | CUnion, path: str, offset: int) -> None:
        outermost = isinstance(record, CUnion) and self._union is None
        first = len(self.found.places)
        self._structs.append(record.key)
        for number, member in enumerate(record.fields):
            if outermost:
                self._union = UnionMember(offset, number)
            # members of an anonymous struct and of a base class belong to the outer one
            hidden = not member.name or (record.name.startswith("std::array<") and member.name in _ELEMENTS)
            below = path if hidden else f"{path}.{member.name}"
            if member.bit_size is not None:
                self._bit_field(region, member, below, offset)
            else:
                self._take(region, member.type, below, offset + member.bit_offset // 8)
        self._structs.pop()
        if outermost:
            self._union = None
            self._bytes(region, record.size, path, offset, self.found.places[first:])

    def _bytes(self, region: int, size: int, path: str, offset: int, members: list[VariablePlace]) -> None:
        """Add the bytes of a union, for what no scalar of it covers."""
        taken = any(place.path.startswith(f"{path}.bytes") for place in members)
        name, start = f"{path}.raw_bytes" if taken else f"{path}.bytes", offset - self._starts[region, path]
        self.found.places += [
            VariablePlace(f"{name}[{start + i}]", _BYTE, region, offset + i, 1, union=UnionMember(offset, None))
            for i in range(size)
        ]

    def _bit_field(self, region: int, member: CField, path: str, offset: int) -> None:
        if not member.name or not member.bit_size:
            return
        start, first = offset + member.bit_offset // 8, member.bit_offset % 8
        kind = variable_type(strip(member.type), path)
        assert not isinstance(kind, FloatType), "a bit-field is no float"
        if not isinstance(kind, BoolType):
            kind = replace(kind, width=member.bit_size)
        size = (first + member.bit_size + 7) // 8
        bits = (first, member.bit_size)
        self.found.places.append(VariablePlace(path, kind, region, start, size, bits, self._union))

    def _elements(self, region: int, array: CArray, path: str, offset: int) -> None:
        """Add the elements in the order of memory; a flexible member has none."""
        size = array.element.size or 0
        counts = [range(count or 0) for count in array.dims]
        for i, indices in enumerate(paced(itertools.product(*counts), FINDING)):
            self._take(region, array.element, path + "".join(f"[{index}]" for index in indices), offset + i * size)


def scalars(kind: CType) -> int:
    """How many scalars a type has; a pointer counts as one."""
    match kind:
        case CTypedef():
            return scalars(strip(kind))
        case CArray():
            return scalars(kind.element) * math.prod(count or 0 for count in kind.dims)
        case CStruct() | CUnion():
            own = kind.size or 0 if isinstance(kind, CUnion) else 0  # the bytes of a union are scalars too
            return own + sum(scalars(member.type) for member in kind.fields)
        case _:
            return 1


def variable_type(kind: CType, path: str) -> VariableType:
    """The type of a scalar; ProgramError for types that are not supported."""
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
            return EnumType(name, 8 * size, isinstance(inner, CBase) and inner.signed, enumerators)
        case _:
            pass
    raise ProgramError(
        f"{path} is a {kind}, which is not supported",
        "Plain integers, floats of 16, 32 and 64 bits, bools and enums are.",
    )


def entry_function(module: Module, info: DebugInfo, name: str) -> tuple[str, CFunctionInfo]:
    """The entry by its name in the source: its IR name and its debug info."""
    found = [key for key in info.named(name) if key in module.functions and module.functions[key].defined]
    if len(found) != 1:
        defined = defined_functions(module)
        cause = f"there are {len(found)} functions {name}" if found else f"there is no function {name}"
        cause = cause if name else "no entry was named: the function that decides"
        raise ProgramError(cause, f"The program defines: {', '.join(defined) or 'none'}.")
    return found[0], info.function(found[0])


def defined_functions(module: Module) -> list[str]:
    """The functions that may be an entry, by their names in the source."""
    return sorted(demangled(function.name) for function in module.functions.values() if may_be_entry(function))


def may_be_entry(function: Function) -> bool:
    """Whether it is the program's own; what headers define stands in every file that includes them."""
    return function.defined and function.linkage != "linkonce_odr"

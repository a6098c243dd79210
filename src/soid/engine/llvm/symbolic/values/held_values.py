"""What a register or a memory cell holds while a program is explored.

    int             a concrete number of any type, as its bits; floats too (`extended_floats` tells of long double)
    Term            a number that depends on free inputs: Bool for i1, BitVec for other integers, Float for floats
    Pointer         an address inside an object; its offset may depend on inputs
    AddressNumber   an address as an integer (`ptrtoint`): it can be subtracted and compared, its digits are unknown
    ObjectDistance  the distance of two objects: it shows that they do not overlap
    ObjectOrder     a single bit: which of two objects lies first
    Partial         a number of which some bits were never set
    Fragment        one byte of a value without known bits (a pointer, a computed float)
    Mosaic          a number made of bytes of which some are fragments: two floats that travel as one i64
    Poisoned        a value that is LLVM's poison where one of its flaws holds; in optimised and ready-made IR only
    tuple           a struct, array or vector in a register

Concrete operations run on Python integers. The engine makes a term only where an operand depends on a free input.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from msgspec import Struct

from soid.engine.llvm.ir import instructions as ir
from soid.engine.llvm.ir.ir_types import DOUBLE, FLOAT, FP128, HALF, X86_FP80, IntegerType, Type
from soid.engine.llvm.symbolic.paths.path_end import NotModelled, PathEnd
from soid.engine.llvm.symbolic.values.extended_floats import FLOAT80
from soid.engine.summary import Failed, Location, Unexplored
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, FLOAT128, BitVec, Bool, Float, Sort
from soid.formula.term import Term

UNSET_BRANCH: Final = "an uninitialised value decides a branch"
UNSET_USE: Final = "an uninitialised value is computed with where it must be set"
NO_ORDER: Final = "the order of addresses of different objects"
FOLDED: Final = "undefined operation in a constant expression"


@final
class SymbolicIndex(Struct, frozen=True):
    """A part of an offset that depends on inputs: so many elements of one size."""

    term: Term  # signed, 64 bits
    scale: int  # bytes of an element; not 0
    count: int | None = None  # the index is known to be at least 0 and below this


@final
class Offset(Struct, frozen=True):
    """An offset in bytes that depends on inputs: constant + sum of index * scale."""

    constant: int
    indices: tuple[SymbolicIndex, ...]


@final
class Pointer(Struct, frozen=True):
    """An address: an object and an offset from its start."""

    object: int  # 0: no object, that is null; FIXED: a number cast to a pointer, which `offset` is
    offset: int | Offset = 0
    past_end: bool = False  # it is the end of an array inside the object: a program may compute it and must not use it


NULL: Final = Pointer(0, 0)
FIXED: Final = -1


@final
class AddressNumber(Struct, frozen=True):
    """An address as an integer."""

    pointer: Pointer


def fixed_address(number: int) -> Pointer:
    """The address that has a number: null, or one that the program's author knows, such as a device's register."""
    return Pointer(FIXED, number) if number else NULL


def address_number(pointer: Pointer) -> int | AddressNumber:
    """An address as an integer."""
    if pointer.object in (0, FIXED) and isinstance(pointer.offset, int):
        return pointer.offset % (1 << 64)
    return AddressNumber(pointer)


@final
class ObjectDistance(Struct, frozen=True):
    """The distance of two addresses in different objects: unknown, but with a lower bound in each direction."""

    least: int  # bytes from the second address to the first, if the first is the greater one
    least_back: int  # bytes from the first address to the second, if the second is the greater one


@final
class ObjectOrder(Struct, frozen=True):
    """A single bit: whether one object lies before another one in memory, which nothing says."""

    first: int
    second: int  # not the same object


@final
class Partial(Struct, frozen=True):
    """A number of which some bits were never set."""

    value: int | Term  # the unset bits may have any value here
    unset: int  # mask of the bits that were never set; never 0
    exact: bool = True  # False: `unset` may contain bits that the program has set
    copied: bool = False  # it is part of a larger copied block; the program has not used it by itself
    why: str = ""  # what it is that is not known, if it is set and nothing says to what


@final
class Fragment(Struct, frozen=True):
    """One byte of a value without known bits."""

    whole: Pointer | AddressNumber | Term
    index: int  # which byte of it
    size: int  # how many bytes the whole has


@final
class Mosaic(Struct, frozen=True):
    """A number made of bytes that are not all known as numbers; it can be copied, not computed with."""

    parts: tuple[int | Term | Partial | Fragment | Poisoned, ...]  # the lowest first


@final
class Flaw(Struct, frozen=True):
    """The reason why an operation has no value, and for which inputs."""

    holds: Term  # for the inputs for which it has none
    what: str  # the name of the failure
    where: Location | None  # of the operation


@final
class Poisoned(Struct, frozen=True):
    """A value that is poison where a flaw holds. A program may compute with it and store it; using it is a failure."""

    value: Held  # the value where no flaw holds
    flaws: tuple[Flaw, ...]  # never empty


Scalar: TypeAlias = int | Term | Pointer | AddressNumber | ObjectDistance | ObjectOrder | Partial | Mosaic | Poisoned
Held: TypeAlias = Scalar | Fragment | tuple["Held", ...]

FORMATS: Final[dict[Type, Float]] = {
    HALF: FLOAT16, FLOAT: FLOAT32, DOUBLE: FLOAT64, X86_FP80: FLOAT80, FP128: FLOAT128
}  # fmt: skip


def format_of(kind: Type) -> Float:
    found = FORMATS.get(kind)
    if found is None:
        raise NotModelled(f"numbers of type {kind}")
    return found


def sort_of(kind: Type) -> Sort:
    """The sort of the terms of a type."""
    if type(kind) is IntegerType:
        return BOOL if kind.width == 1 else BitVec(kind.width)
    return format_of(kind)


def lift(value: int | Term, kind: Type) -> Term:
    """A number as a term."""
    return value if isinstance(value, Term) else build.const(sort_of(kind), value)


def lower(term: Term) -> int | Term:
    """A constant term as a plain number. A computed NaN stays a term, because its bits depend on the machine."""
    if term.op is not ops.CONST or (isinstance(term.sort, Float) and term.value == term.sort.nan):
        return term
    return int(term.params[0])


def plain(format: Float, bits: int) -> int | Term:
    """The result of a computation with concrete floats."""
    return build.const(format, bits) if bits == format.nan else bits


def as_bits(truth: Term, width: int = 1) -> Term:
    """A Bool term as a bit-vector that is 1 or 0."""
    return build.ite(truth, build.const(BitVec(width), 1), build.const(BitVec(width), 0))


def bits_of(term: Term) -> Term | None:
    """The bits of a term as a bit-vector; None for a computed float, whose bits are not known."""
    sort = term.sort
    if isinstance(sort, BitVec):
        return term
    if isinstance(sort, Bool):
        return as_bits(term)
    if term.op is ops.FP_FROM_BITS:
        return term.args[0]
    return None


def read_as(value: int | Term, kind: Type) -> int | Term | Mosaic:
    """A number read as another type of the same width; the bits of a computed float stay its bytes."""
    if isinstance(value, int):
        return value
    sort = sort_of(kind)
    if value.sort == sort:
        return value
    bits = None if value.sort == FLOAT80 else bits_of(value)
    if bits is None and isinstance(sort, BitVec) and isinstance(value.sort, Float):
        size = sort.width // 8
        return Mosaic(tuple(Fragment(value, i, size) for i in range(size)))
    if bits is None:
        raise NotModelled("the bits of a computed float")
    if sort == FLOAT80:
        raise NotModelled("a long double made of bits that depend on inputs")
    if isinstance(sort, Float):
        return lower(build.fp_from_bits(sort, bits))
    if isinstance(sort, Bool):
        return lower(build.eq(build.extract(bits, 0, 0), build.const(BitVec(1), 1)))
    return lower(bits)


def unset(bits: int) -> Partial:
    """A number of which no bit was ever set."""
    return Partial(0, (1 << bits) - 1)


def unknown(bits: int, why: str = "") -> Partial:
    """A number of which no bit is known, and which may be set."""
    return Partial(0, (1 << bits) - 1, exact=False, why=why)


def spoiled(bits: int, *operands: Held) -> Partial:
    """The result of an operation on operands of which one has unset bits: no bit of it is known."""
    unsure = [each for each in operands if isinstance(each, Partial)]
    why = next((each.why for each in unsure if each.why), "")
    return Partial(0, (1 << bits) - 1, all(each.exact for each in unsure), why=why)


def unset_use(held: Partial, what: str, where: Location | None) -> PathEnd:
    """The end of a path that uses unset bits: a failure, unless the program may have set them."""
    if held.why:
        return PathEnd(Unexplored(f"not supported: {held.why}", where))
    return PathEnd(Failed(what, where) if held.exact else Unexplored(f"perhaps {what}", where))


def number(value: Held) -> int | Term:
    """A value as a number; NotModelled for any other."""
    if isinstance(value, int | Term):
        return value
    raise NotModelled(_NO_NUMBERS.get(type(value), "computing with what is no number"))


_NO_NUMBERS: Final[dict[type, str]] = {
    AddressNumber: "computing with the number of an address",
    ObjectDistance: "computing with the distance of pointers into different objects",
    ObjectOrder: NO_ORDER,
    Pointer: "computing with the number of an address",
    Fragment: "computing with a byte of a pointer or of a computed float",
    Mosaic: "computing with the bits of a pointer or of a computed float",
    tuple: "computing with a whole vector",
}


def location(position: ir.SourcePosition | None) -> Location | None:
    """The file and line of a position; None for code that the compiler made up."""
    return position.location if position is not None and position.location.line else None

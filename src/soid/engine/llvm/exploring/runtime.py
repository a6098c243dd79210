"""What a register or a memory cell holds while a program is explored.

    int       a concrete number of any type, as its bits; floats too
    Term      a number that depends on freed inputs: Bool for i1, BitVec for other integers, Float for floats
    Pointer   an address inside an object; its offset may depend on inputs
    Address   the number of an address (`ptrtoint`): good for differences and comparisons, its digits are nobody's
    Apart     the distance of two objects: good for telling that they do not overlap
    Partial   a number some of whose bits were never set
    Fragment  one byte of a value whose bits are not known as numbers (a pointer, a computed float)
    Mosaic    a number made of bytes some of which are fragments: two floats that travel as one i64
    Poisoned  a value that is LLVM's poison where one of its flaws holds; only in optimised and ready-made IR
    tuple     a struct, array or vector held in a register

Concrete operations therefore run as plain Python integers, and a term is made only where an input is free.
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from msgspec import Struct

from soid.engine.llvm import instructions as ir
from soid.engine.llvm.types import DoubleType, FloatType, HalfType, IntType, Type
from soid.engine.summary import Ending, Location
from soid.formula import build
from soid.formula import operators as ops
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec, Bool, Float, Sort
from soid.formula.term import Term

UNSET_BRANCH: Final = "an uninitialised value decides a branch"
UNSET_USE: Final = "an uninitialised value is computed with where it must be set"
FOLDED: Final = "undefined operation in a constant expression"


@final
class Index(Struct, frozen=True):
    """Part of an offset that depends on inputs: a number of elements."""

    term: Term  # signed, 64 bits
    scale: int  # bytes of an element; not 0
    count: int | None = None  # it is known to lie from 0 to below this


@final
class Offset(Struct, frozen=True):
    """A distance in bytes that depends on inputs: constant + sum of index * scale."""

    constant: int
    indices: tuple[Index, ...]


@final
class Pointer(Struct, frozen=True):
    """An address: an object and a distance from its start."""

    object: int  # 0 is nothing at all: null, or a number made into a pointer
    offset: int | Offset = 0
    past_end: bool = False  # of an array that lies inside an object: C lets it be computed, not used


NULL: Final = Pointer(0, 0)


@final
class Address(Struct, frozen=True):
    """The number of an address."""

    pointer: Pointer


@final
class Apart(Struct, frozen=True):
    """The distance of two addresses in different objects: nobody knows it, only how small it cannot be."""

    least: int  # bytes from the second address up to the first, if the first lies behind the second
    least_back: int  # bytes from the first up to the second, if it is the other way round


@final
class Partial(Struct, frozen=True):
    """A number some of whose bits were never set."""

    value: int | Term  # with anything in those bits
    unset: int  # mask of the bits that were never set; never 0
    exact: bool = True  # False: bits may be called unset here that a closer look would find to be set
    copied: bool = False  # came along in the copy of something larger; nobody used it by itself


@final
class Fragment(Struct, frozen=True):
    """One byte of a whole."""

    whole: Pointer | Address | Term
    index: int  # which byte of it
    size: int  # how many bytes the whole has


@final
class Mosaic(Struct, frozen=True):
    """A number put together from bytes that are not all known as numbers: good for being moved around."""

    parts: tuple[int | Term | Partial | Fragment | Poisoned, ...]  # the lowest first


@final
class Flaw(Struct, frozen=True):
    """Why, and for which inputs, an operation has no value."""

    holds: Term  # where it has none
    what: str  # as a failure is called
    where: Location | None  # of the operation


@final
class Poisoned(Struct, frozen=True):
    """A value that is poison where a flaw holds: it may be computed with and stored, and must not be looked at."""

    value: Held  # elsewhere; anything where a flaw holds
    flaws: tuple[Flaw, ...]  # never empty


Scalar: TypeAlias = int | Term | Pointer | Address | Apart | Partial | Mosaic | Poisoned
Held: TypeAlias = Scalar | Fragment | tuple["Held", ...]

FORMATS: Final[dict[type, Float]] = {HalfType: FLOAT16, FloatType: FLOAT32, DoubleType: FLOAT64}


class PathEnd(Exception):
    """The path ends here."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(str(ending))
        self.ending = ending


class FoldedAway(Exception):
    """The compiler itself computed an operation that has no value, and left poison in its place."""


class Unsupported(Exception):
    """Something that is not modelled: the path's states count as unexplored."""

    def __init__(self, what: str, where: Location | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where


def sort_of(kind: Type) -> Sort:
    """The sort of the terms of a type."""
    if type(kind) is IntType:
        return BOOL if kind.width == 1 else BitVec(kind.width)
    found = FORMATS.get(type(kind))
    if found is None:
        raise Unsupported(f"numbers of type {kind}")
    return found


def lift(value: int | Term, kind: Type) -> Term:
    """A number as a term."""
    return value if isinstance(value, Term) else build.const(sort_of(kind), value)


def lower(term: Term) -> int | Term:
    """A term as a plain number, if it is constant. A computed NaN stays a term: its bits are the machine's secret."""
    if term.op is not ops.CONST or (isinstance(term.sort, Float) and term.value == term.sort.nan):
        return term
    return int(term.params[0])


def plain(format: Float, bits: int) -> int | Term:
    """The result of a computation with concrete floats."""
    return build.const(format, bits) if bits == format.nan else bits


def bits_of(term: Term) -> Term | None:
    """The bits of a term as a bit-vector, if they are known: those of a computed float are not."""
    sort = term.sort
    if isinstance(sort, BitVec):
        return term
    if isinstance(sort, Bool):
        return build.ite(term, build.const(BitVec(1), 1), build.const(BitVec(1), 0))
    if term.op is ops.FP_FROM_BITS:
        return term.args[0]
    return None


def read_as(value: int | Term, kind: Type) -> int | Term | None:
    """A number of the same width, read as another type; None if its bits are not known."""
    if isinstance(value, int):
        return value
    sort = sort_of(kind)
    if value.sort == sort:
        return value
    bits = bits_of(value)
    if bits is None:
        return None
    if isinstance(sort, Float):
        return lower(build.fp_from_bits(sort, bits))
    if isinstance(sort, Bool):
        assert isinstance(bits.sort, BitVec)
        return lower(build.eq(build.extract(bits, 0, 0), build.const(BitVec(1), 1)))
    return lower(bits)


def unset(bits: int) -> Partial:
    """A number of which nothing was ever set."""
    return Partial(0, (1 << bits) - 1)


def spoiled(bits: int, *operands: Held) -> Partial:
    """What is computed from operands of which one was never set, or perhaps never set: no bit of it is known."""
    return Partial(0, (1 << bits) - 1, all(each.exact for each in operands if isinstance(each, Partial)))


def number(value: Held) -> int | Term:
    """A value that must be a number by now."""
    if isinstance(value, int | Term):
        return value
    raise Unsupported(_NO_NUMBERS.get(type(value), "computing with what is no number"))


_NO_NUMBERS: Final[dict[type, str]] = {
    Address: "computing with the number of an address",
    Apart: "computing with the distance of pointers into different objects",
    Pointer: "computing with the number of an address",
    Fragment: "computing with a byte of a pointer or of a computed float",
    Mosaic: "computing with the bits of a pointer or of a computed float",
    tuple: "computing with a whole vector",
}


def location(loc: ir.Location | None) -> Location | None:
    """A place in the source as endings name it."""
    if loc is None or not loc.line:
        return None
    place = loc.place
    if place is None:
        place = Location(loc.file, loc.line)
        object.__setattr__(loc, "place", place)
    return place

"""The instructions, a closed union of frozen records.

What they share:

    result    the Register that the instruction sets; None where it sets none
    flags     the keywords that follow the opcode and change its meaning: `nsw nuw exact disjoint nneg samesign
              inbounds nusw`, and the fast-math ones `fast nnan ninf nsz arcp contract afn reassoc`
    loc       its position in the source; None for code that the compiler made up
    targets   blocks are named by their index in `Function.blocks`

Every block ends in exactly one `Terminator`. An instruction that the reader knows by name only becomes an
`UnsupportedInstruction` with its text, so that the explorer refuses only the paths that reach it.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, final

from msgspec import Struct

from soid.engine.llvm.ir.ir_types import FunctionType, Type
from soid.engine.llvm.ir.operands import BinaryOpcode, CastOp, Constant, Register, Value
from soid.engine.summary import Location

IntPredicate: TypeAlias = Literal["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]
FloatPredicate: TypeAlias = Literal[
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"
]

#: flags that let a compiler change floating-point results; exact IEEE semantics refuses all of them
FAST_MATH: Final = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})


@final
class SourcePosition(Struct, frozen=True):
    """A place in the source, to the column."""

    location: Location  # the file as the compiler or an #include names it; line 0 for code that the compiler made up
    column: int  # from 1; 0 where unknown

    def __str__(self) -> str:
        return f"{self.location}:{self.column}" if self.column else str(self.location)


@final
class Attributes(Struct, frozen=True):
    """What is promised about a parameter, an argument, a return value or a function."""

    flags: frozenset[str] = frozenset()  # noundef, signext, noreturn, dereferenceable(8), memory(none) ...
    byval: Type | None = None  # the pointer stands for a copy of a value of this type
    sret: Type | None = None  # the pointer is where the function leaves its result of this type
    align: int | None = None  # bytes
    strings: tuple[tuple[str, str], ...] = ()  # "frame-pointer"="all" and the like

    def __contains__(self, flag: str) -> bool:
        return flag in self.flags

    def __str__(self) -> str:
        parts = sorted(self.flags)
        parts += [f"{name}({type_})" for name, type_ in (("byval", self.byval), ("sret", self.sret)) if type_]
        return " ".join([*parts, *([f"align {self.align}"] if self.align is not None else [])])


NO_ATTRIBUTES: Final = Attributes()


@final
class BinaryOp(Struct, frozen=True):
    """Arithmetic on two values of one type (a vector's elements each on its own)."""

    result: Register
    op: BinaryOpcode
    left: Value
    right: Value
    flags: frozenset[str]  # nsw, nuw: poison on overflow; exact: poison on a remainder; disjoint; fast-math
    loc: SourcePosition | None


@final
class FNeg(Struct, frozen=True):
    """Flips the sign bit, of NaN too."""

    result: Register
    value: Value
    flags: frozenset[str]
    loc: SourcePosition | None


@final
class ICmp(Struct, frozen=True):
    """Compares integers or pointers; the result is i1."""

    result: Register
    predicate: IntPredicate
    left: Value
    right: Value
    flags: frozenset[str]  # samesign: poison where the signs differ
    loc: SourcePosition | None


@final
class FCmp(Struct, frozen=True):
    """Compares floats; o* is false and u* is true where one is NaN."""

    result: Register
    predicate: FloatPredicate
    left: Value
    right: Value
    flags: frozenset[str]
    loc: SourcePosition | None


@final
class Cast(Struct, frozen=True):
    """Converts to `result.type`."""

    result: Register
    op: CastOp
    value: Value
    flags: frozenset[str]  # nneg, nuw, nsw
    loc: SourcePosition | None


@final
class Freeze(Struct, frozen=True):
    """An arbitrary but fixed value instead of undef or poison, else the value itself."""

    result: Register
    value: Value
    loc: SourcePosition | None


@final
class Alloca(Struct, frozen=True):
    """Stack memory that lives until the function returns; the result is its address."""

    result: Register
    allocated: Type  # of one element
    count: Value  # how many elements; not a constant for variable-length arrays
    align: int  # bytes
    loc: SourcePosition | None


@final
class Promise(Struct, frozen=True):
    """A promise to the optimiser about a value."""

    noundef: bool = False  # it is set and not poison
    nonnull: bool = False  # else it is poison
    ranges: tuple[tuple[int, int], ...] = ()  # half-open; outside of all of them it is poison


@final
class Load(Struct, frozen=True):
    """Reads a value of `result.type`."""

    result: Register
    pointer: Value
    align: int  # bytes; what the compiler promises about the address
    volatile: bool
    loc: SourcePosition | None
    promise: Promise | None = None


@final
class Store(Struct, frozen=True):
    """Writes a value."""

    value: Value
    pointer: Value
    align: int  # bytes
    volatile: bool
    loc: SourcePosition | None
    result: None = None


@final
class Fence(Struct, frozen=True):
    """Orders accesses of threads: a fence, or the order of the atomic access whose parts follow."""

    weak: bool  # the parts are those of a compare-and-exchange that may fail without a reason
    loc: SourcePosition | None
    result: None = None


@final
class Gep(Struct, frozen=True):
    """Address arithmetic: the first index counts whole `source`s, each later one selects a part."""

    result: Register
    source: Type  # what the base is taken to point to
    base: Value
    indices: tuple[Value, ...]  # signed; a struct is indexed by constants only
    flags: frozenset[str]  # inbounds: poison outside the object; nusw, nuw: poison on overflow
    loc: SourcePosition | None


@final
class Phi(Struct, frozen=True):
    """The value that belongs to the block from which control came; always first in its block."""

    result: Register
    incoming: tuple[tuple[Value, int], ...]  # value, block index
    flags: frozenset[str]
    loc: SourcePosition | None


@final
class Select(Struct, frozen=True):
    """`condition ? then : otherwise`; the condition may be a vector of i1."""

    result: Register
    condition: Value
    then: Value
    otherwise: Value
    flags: frozenset[str]
    loc: SourcePosition | None


@final
class ExtractValue(Struct, frozen=True):
    """One part of a struct or array held in a register."""

    result: Register
    aggregate: Value
    indices: tuple[int, ...]
    loc: SourcePosition | None


@final
class InsertValue(Struct, frozen=True):
    """A struct or array with one part replaced."""

    result: Register
    aggregate: Value
    value: Value
    indices: tuple[int, ...]
    loc: SourcePosition | None


@final
class ExtractElement(Struct, frozen=True):
    """One element of a vector."""

    result: Register
    vector: Value
    index: Value
    loc: SourcePosition | None


@final
class InsertElement(Struct, frozen=True):
    """A vector with one element replaced."""

    result: Register
    vector: Value
    value: Value
    index: Value
    loc: SourcePosition | None


@final
class ShuffleVector(Struct, frozen=True):
    """Elements of two vectors, one after the other, picked by a constant mask."""

    result: Register
    left: Value
    right: Value
    mask: Constant  # i32 elements; poison for "any"
    loc: SourcePosition | None


@final
class VaArg(Struct, frozen=True):
    """The next variable argument of type `result.type`, where the target leaves this to LLVM."""

    result: Register
    list: Value  # address of the va_list
    loc: SourcePosition | None


@final
class Argument(Struct, frozen=True):
    """An argument of a call."""

    value: Value
    attributes: Attributes


@final
class Call(Struct, frozen=True):
    """Calls a function, an intrinsic (`@llvm.*`), a function pointer or inline assembly."""

    result: Register | None
    callee: Value  # GlobalRef for a direct call, InlineAsm, else an address
    arguments: tuple[Argument, ...]
    type: FunctionType  # as the call site sees it; for `int f()` called with arguments this is not the callee's own
    attributes: Attributes  # of the function at this call: noreturn, nounwind ...
    returns: Attributes  # of the returned value: signext, zeroext, noundef ...
    flags: frozenset[str]  # fast-math
    convention: str  # "ccc" unless the program says otherwise
    tail: str  # "", "tail", "musttail", "notail"
    bundles: tuple[str, ...]  # operand bundles as LLVM writes them
    loc: SourcePosition | None
    promise: Promise | None = None  # by metadata, of what is returned; `returns` has more


@final
class Invoke(Struct, frozen=True):
    """A call that ends its block: it continues at one block if it returns, at another if it throws."""

    result: Register | None
    call: Call
    normal: int
    unwind: int
    loc: SourcePosition | None


@final
class LandingPad(Struct, frozen=True):
    """Receives an exception: sets its address and the number of the clause that catches it."""

    result: Register
    cleanup: bool  # it runs even if no clause catches the exception
    catches: tuple[Constant, ...]  # type infos in their order; null catches everything
    filters: bool  # it has clauses of the old exception specifications
    loc: SourcePosition | None


@final
class Resume(Struct, frozen=True):
    """Continues to throw an exception in the calling function."""

    value: Value
    loc: SourcePosition | None
    result: None = None


@final
class Ret(Struct, frozen=True):
    """Returns from the function."""

    value: Value | None
    loc: SourcePosition | None
    result: None = None


@final
class Br(Struct, frozen=True):
    """Continues at a block."""

    target: int
    loc: SourcePosition | None
    result: None = None


@final
class CondBr(Struct, frozen=True):
    """Continues at one of two blocks."""

    condition: Value  # i1
    then: int
    otherwise: int
    loc: SourcePosition | None
    result: None = None


@final
class Switch(Struct, frozen=True):
    """Continues at the block of the equal case, else at the default."""

    value: Value
    default: int
    cases: tuple[tuple[int, int], ...]  # bit pattern of the case, block index; no value twice
    loc: SourcePosition | None
    result: None = None


@final
class IndirectBr(Struct, frozen=True):
    """Continues at the block whose address it is given, C's `goto *p`."""

    address: Value
    targets: tuple[int, ...]  # all blocks that it may be
    loc: SourcePosition | None
    result: None = None


@final
class Unreachable(Struct, frozen=True):
    """Undefined behaviour if control gets here; follows calls that do not return."""

    loc: SourcePosition | None
    result: None = None


@final
class UnsupportedInstruction(Struct, frozen=True):
    """An instruction known by name only: Windows' exceptions, gotos out of assembly, rare atomics."""

    result: Register | None
    name: str  # the opcode
    text: str  # the whole instruction as LLVM writes it
    terminator: bool  # whether it ends its block
    loc: SourcePosition | None


_Computation: TypeAlias = BinaryOp | FNeg | ICmp | FCmp | Cast | Freeze | Phi | Select
_Part: TypeAlias = ExtractValue | InsertValue | ExtractElement | InsertElement | ShuffleVector
_Memory: TypeAlias = Alloca | Load | Store | Fence | Gep | VaArg
Terminator: TypeAlias = Ret | Br | CondBr | Switch | IndirectBr | Unreachable | Invoke | Resume
Instruction: TypeAlias = _Computation | _Part | _Memory | Call | LandingPad | Terminator | UnsupportedInstruction


def is_terminator(instruction: Instruction) -> bool:
    """Whether the instruction ends its block."""
    if isinstance(instruction, UnsupportedInstruction):
        return instruction.terminator
    return isinstance(instruction, Terminator)


def successors(instruction: Instruction) -> tuple[int, ...]:
    """The blocks at which a terminator can continue, each once.

    >>> from soid.engine.llvm.ir.ir_types import I1
    >>> successors(CondBr(Register(0, I1, "c"), 1, 2, None))
    (1, 2)
    """
    match instruction:
        case Br(target):
            return (target,)
        case CondBr(_, then, otherwise):
            return tuple(dict.fromkeys((then, otherwise)))
        case Switch(_, default, cases):
            return tuple(dict.fromkeys((*(block for _, block in cases), default)))
        case IndirectBr(_, targets):
            return tuple(dict.fromkeys(targets))
        case Invoke(normal=normal, unwind=unwind):
            return (normal, unwind)
        case _:
            return ()

"""A program as LLVM IR, read once and never changed: `Module` -> `Function` -> `BasicBlock` -> `Instruction`.

`debug/` reads C's names and types from `Module.metadata`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct

from soid.engine.llvm.ir.data_layout import DataLayout
from soid.engine.llvm.ir.instructions import Attributes, Instruction, SourcePosition
from soid.engine.llvm.ir.ir_types import FunctionType, StructType, Type
from soid.engine.llvm.ir.metadata import MetadataTable
from soid.engine.llvm.ir.operands import Constant, Register, Value
from soid.errors import ProgramError


@final
class Param(Struct, frozen=True):
    """A parameter of a function."""

    register: Register  # slot i for parameter i
    attributes: Attributes  # byval, sret, signext, noundef ...

    @property
    def type(self) -> Type:
        return self.register.type


@final
class BasicBlock(Struct, frozen=True):
    """Instructions that run in sequence; the last one is a terminator."""

    index: int  # its place in Function.blocks
    label: str  # without the percent sign
    instructions: tuple[Instruction, ...]

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]


@final
class Declare(Struct, frozen=True):
    """The memory of a variable of the source, from here to the function's end."""

    address: Value  # a Register (an alloca, or a byval parameter), or Poison where the compiler dropped it
    variable: int  # metadata number of its DILocalVariable
    expression: tuple[str, ...]  # operations on the address, mostly none; ("DW_OP_deref",) for one more indirection


@final
class Function(Struct, frozen=True):
    """A function, defined (with blocks) or only declared (without)."""

    name: str  # without the at sign
    type: FunctionType
    params: tuple[Param, ...]
    blocks: tuple[BasicBlock, ...]  # blocks[0] is the entry, and nothing branches back to it
    slots: int  # how many registers a frame holds
    attributes: Attributes  # noreturn, nounwind ...
    returns: Attributes  # of the returned value: signext, zeroext ...
    declares: tuple[Declare, ...]  # variables of the source
    handed: tuple[Declare, ...]  # parameters of the source that stay in registers, and which of the function's
    linkage: str  # "external", "internal" (C's static), "linkonce_odr", "available_externally" ...
    convention: str  # "ccc" unless the program says otherwise
    subprogram: int | None  # metadata number of its DISubprogram
    loc: SourcePosition | None  # where the source defines it

    @property
    def defined(self) -> bool:
        return bool(self.blocks)

    @property
    def varargs(self) -> bool:
        return self.type.varargs


@final
class Global(Struct, frozen=True):
    """A global variable, a static local, or a string literal."""

    name: str  # without the at sign
    type: Type  # of what is stored
    initializer: Constant | None  # None where another file defines it
    constant: bool  # never written: C's const at file scope, string literals
    linkage: str  # "external", "internal", "private", "common" ...
    expressions: tuple[int, ...]  # metadata numbers of its DIGlobalVariableExpressions


@final
class Alias(Struct, frozen=True):
    """A second name for a global or a function; an ifunc's target is chosen at load time."""

    name: str
    target: Constant
    ifunc: bool


@final
class Module(Struct, frozen=True):
    """Everything that was compiled and linked together."""

    triple: str  # the target, x86_64-unknown-linux-gnu
    layout: DataLayout
    structs: Mapping[str, StructType]  # named struct types
    globals: Mapping[str, Global]
    functions: Mapping[str, Function]
    aliases: Mapping[str, Alias]
    asm: tuple[str, ...]  # module-level assembly; the explorer refuses a program that has any
    metadata: MetadataTable  # numbered and named metadata
    ident: tuple[str, ...]  # the compilers' own words, "clang version 22.1.8"

    def function(self, name: str) -> Function:
        """A function by its name in the IR; `DebugInfo.named` finds those of static functions renamed by linking."""
        found = self.functions.get(name)
        if found is None:
            defined = sorted(f.name for f in self.functions.values() if f.defined)
            raise ProgramError(f"there is no function {name!r}", f"defined are: {', '.join(defined) or 'none'}")
        return found

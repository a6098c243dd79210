"""The description of a program in C or C++ before it is compiled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, final

from msgspec import Struct, field

from soid.errors import InputError
from soid.program.override import Declaration
from soid.program.program import Detail, Program, ProgramSource
from soid.program.types import VariableType


@final
class GivenParameter(Struct, frozen=True):
    """A parameter of a function that has no debug info, as the manifest describes it."""

    name: str
    type: VariableType | None  # None: as the IR has it, integers signed
    points: bool = False  # it is the address of a value of this type
    count: int = 1  # how many lie there one after the other


@final
class DeviceRegister(Struct, frozen=True):
    """What lies at a fixed address, as the manifest describes it."""

    name: str
    address: int
    type: VariableType

    @property
    def size(self) -> int:
        """Bytes."""
        return -(-self.type.width // 8)


@final
class CSource(ProgramSource, frozen=True):
    """A program in C, which is compiled as it is and explored from one function on."""

    engine: ClassVar[str] = "c"  # the shorter of the engine's two names

    sources: tuple[Path, ...]  # C and C++ files, or LLVM IR; relative to the program's folder, like all paths here
    entry: str  # the function that decides
    include: tuple[Path, ...] = ()  # folders for #include
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE
    flags: tuple[str, ...] = ()  # more for the compiler
    target: str | None = None  # what it is compiled for; None: 64-bit Linux on x86
    clang: str | None = None  # the compiler; None: soid's own, else the machine's
    lengths: Mapping[str, int] = field(default_factory=dict)  # path of a pointer -> how many elements lie behind it
    inputs_from: Mapping[str, str] = field(default_factory=dict)  # external function -> the input that it reads
    registers: tuple[DeviceRegister, ...] = ()  # fixed addresses that are variables
    stubs: tuple[Path, ...] = ()  # C files that define what the program leaves undefined
    ignore: tuple[str, ...] = ()  # external functions that change nothing that the program reads
    extern: tuple[str, ...] = ()  # variables that no source defines, by their names in the source; they are inputs
    setup: str | None = None  # a function that runs once before the entry is first called
    window: int | None = None  # rounds of loops and calls that the program has for each decision; None: no window
    stack: int | None = None  # bytes that local variables may take at once; None: as much as is common
    steps: int = 1  # how often the entry is called, the state fed back, where a question does not say it
    declarations: tuple[Declaration, ...] = ()  # what the manifest says of variables that are found in the program
    parameters: tuple[GivenParameter, ...] = ()  # of an entry without debug info, in their order
    commands: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)  # source -> flags of its own
    confined_to: Path | None = None  # a stranger's program: the folder outside of which nothing is read

    @property
    def files(self) -> tuple[Path, ...]:
        return (*self.sources, *self.stubs)

    @property
    def folders(self) -> tuple[Path, ...]:
        return self.include

    @property
    def details(self) -> tuple[Detail, ...]:
        return (
            Detail("Kind", "a program that is compiled as it is"),
            Detail("Sources", ", ".join(map(str, self.sources))),
            Detail("Stubs for what it does not define", ", ".join(map(str, self.stubs))),
            Detail("Function that decides", self.entry, is_code=True),
            Detail("Variables that no source defines", ", ".join(self.extern)),
            Detail("Registers", ", ".join(f"{each.name} at {each.address:#x}" for each in self.registers)),
            Detail("Function that runs once before", self.setup or "", is_code=True),
            Detail("Defines", ", ".join(self.defines)),
            Detail("Compiler's flags", " ".join(self.flags)),
            Detail("Compiled for", self.target or "64-bit Linux on x86, the default"),
            Detail("Compiler", self.clang or "not named: each answer has the one that compiled it"),
            Detail("Window", "" if self.window is None else f"{self.window} rounds of loops and calls"),
            Detail("Stack", "" if self.stack is None else f"{self.stack} bytes"),
            Detail("Calls of the program", "" if self.steps == 1 else f"{self.steps} for each question"),
        )


def c_source(program: Program) -> CSource:
    """The source of a program, for tools that compile it themselves."""
    source = program.source.alone
    if not isinstance(source, CSource):
        raise InputError(f"{program.name} is no program in C", "Name a project whose engine is llvm.")
    return source

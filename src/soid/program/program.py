"""A Program: what is put on the stand.

The source is data only; the engine named after its kind turns it into paths (`soid.engine`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import final

from msgspec import Struct, field

from soid.program.interface import Interface
from soid.program.override import Declaration
from soid.program.types import VariableType


@final
class SmtLibSource(Struct, frozen=True):
    """Paths of a decision logic written as SMT-LIB, by hand or by a symbolic executor."""

    files: tuple[Path, ...]  # one file a path, or one file whose named assertions are the paths
    names: Mapping[str, str] = field(default_factory=dict)  # variable (a prime: after the call) -> SMT-LIB name
    endings: Mapping[str, str] = field(default_factory=dict)  # path -> how it ends, where it does not decide


@final
class GivenParameter(Struct, frozen=True):
    """A parameter of a function that has no debug info, as the manifest describes it."""

    name: str
    type: VariableType | None  # None: as the IR has it, integers signed
    points: bool = False  # it is the address of that
    count: int = 1  # how many lie there one after the other


@final
class CSource(Struct, frozen=True):
    """A program in C, which is compiled as it is and explored from one function on."""

    sources: tuple[Path, ...]  # C and C++ files, or LLVM IR; relative to the program's folder, like all paths here
    entry: str  # the function that decides
    include: tuple[Path, ...] = ()  # folders for #include
    defines: tuple[str, ...] = ()  # NAME or NAME=VALUE
    flags: tuple[str, ...] = ()  # more for the compiler
    target: str | None = None  # what it is compiled for; None: 64-bit Linux on x86
    clang: str | None = None  # the compiler; None: the one that comes with soid
    lengths: Mapping[str, int] = field(default_factory=dict)  # path of a pointer -> how many elements lie behind it
    inputs_from: Mapping[str, str] = field(default_factory=dict)  # external function -> the input that it reads
    window: int | None = None  # rounds of loops and calls that the program has for each decision; None: no window
    steps: int = 1  # how often the entry is called, the state fed back, where a question does not say it
    declarations: tuple[Declaration, ...] = ()  # what the manifest says of variables that are found in the program
    parameters: tuple[GivenParameter, ...] = ()  # of an entry without debug info, in their order
    commands: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)  # source -> flags of its own


Source = SmtLibSource | CSource


@final
class Program(Struct, frozen=True):
    """A decision program with its interface.

    What C declares is found by compiling it: until `soid.engine.registry.open_program` has done so, the interface of
    a program in C is empty.
    """

    name: str
    interface: Interface
    source: Source
    folder: Path  # where the manifest stands; relative paths start here

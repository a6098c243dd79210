"""What a front end is: the part of an engine that finds, reads and opens its programs.

An engine is a folder with a front end and an `Engine`, and a line in `soid.engine.registry` or an entry point that
names the front end. A front end is loaded for every question about its programs, so it imports the engine itself only
when it opens a program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Protocol, final

from msgspec import Struct

from soid.engine.protocol import Engine
from soid.errors import InputError
from soid.program.interface import Interface
from soid.program.program import Program, ProgramSource
from soid.program.toml_table import TomlTable


@final
class StrangersProject(Struct, frozen=True):
    """A project from an untrusted author, unpacked into a folder of its own."""

    files: Mapping[str, bytes]  # by their paths in the folder
    folder: Path
    whole: str  # what the files together are called in messages, such as "the bundle"

    @property
    def remedy(self) -> str:
        return f"{self.whole[0].upper()}{self.whole[1:]} must hold everything that its program needs."


@final
class DefinedFunction(Struct, frozen=True):
    """A function that a program defines."""

    name: str  # as messages call it; in C++ with its parameters
    callers: frozenset[str] = frozenset()  # the names of those that call it, as far as that is known
    is_local: bool = False  # only its own file can call it

    @property
    def entry(self) -> str:
        """Its name as `entry` in soid.toml has it."""
        return self.name.partition("(")[0]


class Frontend(Protocol):
    """Finds, reads and opens the programs of one engine. It must have `name`, `reads`, `recognises`, `read`, `open`."""

    name: ClassVar[str]  # the value of `engine` in soid.toml
    reads: ClassVar[str]  # which files it reads, in words
    tables: ClassVar[tuple[str, ...]] = ()  # of soid.toml that this engine alone reads
    needed: ClassVar[tuple[str, ...]] = ()  # tables that must be there, besides [program]
    file_keys: ClassVar[tuple[str, ...]] = ()  # keys of [program], or table.key, that name files or folders

    finds_variables: ClassVar[bool] = False  # whether `bare` says more than that a soid.toml is needed
    #: the key of [program] for the one file that is a program; empty: several files make one together
    file_key: ClassVar[str] = ""
    #: a row of a log is a call by itself, and has what was given digit for digit: its answers say that they rely on it
    calls_alone: ClassVar[bool] = False
    made_of_others: ClassVar[bool] = False  # its programs consist of others, whose own front ends look at their files

    def recognises(self, ending: str, head: bytes) -> bool:
        """Whether it can read a file, by the ending of its name and by how it begins."""
        ...

    def read(self, tables: Mapping[str, TomlTable], folder: Path) -> tuple[Interface, ProgramSource]:
        """What [program], [variables] and the engine's own tables say; an interface that is found later is empty."""
        ...

    def open(self, program: Program, *, replayed: bool) -> tuple[Program, Engine]:
        """The program, read and its interface complete, and an engine for it; `replayed`: it will be run as well."""
        ...

    def bare(
        self, files: Sequence[Path], entry: str, include: Sequence[Path] = (), defines: Sequence[str] = ()
    ) -> ProgramSource:
        """A program without a manifest: what `sources`, `entry`, `include` and `defines` of [program] would say."""
        raise InputError(f"a program for the engine {self.name} needs a soid.toml", "Write one, and name its folder.")

    def entries(self, program: Program) -> tuple[list[DefinedFunction], str]:
        """The functions that could be its entry, and what the compiler warns of."""
        return [], ""

    def confined(self, program: Program, folder: Path) -> Program:
        """The program so that what opens and runs it reads nothing outside of the folder but its own parts."""
        return program

    def guarded(self, program: Program, project: StrangersProject) -> Program | str:
        """The program in a form that is safe to open although its author is untrusted; or why there is none.

        Raises BundleError if the program reads files outside of the project's folder.
        """
        return f"the engine {self.name} opens no programs of strangers"

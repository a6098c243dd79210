"""A Program: the decision program under investigation.

Its source is plain data, a record of the engine that turns it into paths (`soid.engine.registry` finds the engine).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, final

from msgspec import Struct

from soid.program.interface import Interface


@final
class Detail(Struct, frozen=True):
    """One line of a report's description of a program."""

    label: str
    text: str  # empty: the report leaves the line out
    is_code: bool = False  # whether the text is a name in the program


class ProgramSource(Struct, frozen=True):
    """The manifest's facts about a program, known before an engine opens it.

    Each engine has a subclass, which overrides what differs for its programs.
    """

    engine: ClassVar[str]  # a name of the engine in soid.toml

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the program, as reports show them."""
        raise NotImplementedError

    def placed(self, folder: Path) -> tuple[Path, ...]:
        """Where these files lie; `folder` is the program's folder."""
        return tuple(folder / file for file in self.files)

    @property
    def beside(self) -> tuple[Path, ...]:
        """Where further files lie that a copy of the project must have."""
        return ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that a copy of the project must have, even if they are empty; relative to the program's folder."""
        return ()

    @property
    def entry(self) -> str:
        """The function that decides; empty if there is none."""
        return ""

    @property
    def steps(self) -> int:
        """How often the program is called, with its state fed back, unless a question says it."""
        return 1

    @property
    def programs(self) -> tuple[str, ...]:
        """The names of the programs that it consists of, that which made the log first; empty if it is one."""
        return ()

    @property
    def alone(self) -> ProgramSource:
        """Of programs in a world: they alone, without it."""
        return self

    @property
    def details(self) -> tuple[Detail, ...]:
        """The lines of a report's description."""
        return (Detail("Kind", f"a program for the engine {self.engine}"),)


@final
class Program(Struct, frozen=True):
    """A decision program with its interface.

    If the engine finds the variables in the program itself, the interface is empty until
    `soid.engine.registry.open_program` opens the program.
    """

    name: str
    interface: Interface
    source: ProgramSource
    folder: Path  # of the manifest; relative paths start here

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows: a line. `repr` stays exact, as hashes of programs are made of it."""
        printer.text(f"Program({self.name!r} in {str(self.folder)!r}: {len(self.interface.variables)} variables)")

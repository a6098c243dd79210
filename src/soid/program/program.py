"""A Program: what is put on the stand.

The source is data only, a record of the engine that turns it into paths (`soid.engine.registry` finds that engine).
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, final

from msgspec import Struct

from soid.program.interface import Interface


@final
class Detail(Struct, frozen=True):
    """One line of what a report says of a program."""

    label: str
    text: str  # empty: the line is left out
    is_code: bool = False  # whether it is a name in the program


class ProgramSource(Struct, frozen=True):
    """What is said of a program before it is opened; each engine has a record of its own for it.

    An engine's record inherits from this one, and overrides what is otherwise for its programs.
    """

    engine: ClassVar[str]  # a name of the engine in soid.toml

    @property
    def files(self) -> tuple[Path, ...]:
        """What the program is read from, as it is shown."""
        raise NotImplementedError

    def placed(self, folder: Path) -> tuple[Path, ...]:
        """The same files, where they lie; `folder` is the program's."""
        return tuple(folder / file for file in self.files)

    @property
    def beside(self) -> tuple[Path, ...]:
        """Further files that belong to those, where they lie: a copy of the project must have them."""
        return ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders that a copy of the project must have, even if they are empty; relative to the program's."""
        return ()

    @property
    def entry(self) -> str:
        """The function that decides; empty where there is none."""
        return ""

    @property
    def steps(self) -> int:
        """How often the program is called, its state fed back, where a question does not say it."""
        return 1

    @property
    def details(self) -> tuple[Detail, ...]:
        """What a report says of it."""
        return (Detail("Kind", f"a program for the engine {self.engine}"),)


@final
class Program(Struct, frozen=True):
    """A decision program with its interface.

    Where an engine finds variables in the program itself, the interface is empty until
    `soid.engine.registry.open_program` has opened it.
    """

    name: str
    interface: Interface
    source: ProgramSource
    folder: Path  # where the manifest stands; relative paths start here

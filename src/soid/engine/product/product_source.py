"""The description of several programs before they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, final

from msgspec import Struct, field

from soid.program.product_interface import NamedInterface
from soid.program.program import Detail, Program, ProgramSource


@final
class NamedProgram(Struct, frozen=True):
    """One of several programs."""

    name: str  # in questions
    program: Program
    names: Mapping[str, str] = field(default_factory=dict)  # its paths of inputs -> what questions and logs call them

    @property
    def named(self) -> NamedInterface:
        """Its interface with its names, once it is open."""
        return NamedInterface(self.name, self.program.interface, self.names)


@final
class ProductSource(ProgramSource, frozen=True):
    """Several programs; the first one made the log."""

    engine: ClassVar[str] = "product"

    members: tuple[NamedProgram, ...]

    @property
    def first(self) -> NamedProgram:
        return self.members[0]

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(file for each in self.members for file in each.program.source.files))

    def placed(self, folder: Path) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(file for each in self.members for file in each.program.source.placed(folder)))

    @property
    def beside(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(file for each in self.members for file in each.program.source.beside))

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(folder for each in self.members for folder in each.program.source.folders))

    @property
    def entry(self) -> str:
        return self.first.program.source.entry

    @property
    def steps(self) -> int:
        return self.first.program.source.steps

    @property
    def programs(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.members)

    @property
    def details(self) -> tuple[Detail, ...]:
        others = ", ".join(each.name for each in self.members[1:])
        told = [Detail("Programs", f"{self.first.name}, which made the log, and in the same scenarios {others}")]
        for each in self.members:
            told += [
                Detail(f"{detail.label} ({each.name})", detail.text, detail.is_code)
                for detail in each.program.source.details
            ]
        return tuple(told)

"""The description of several programs before they are opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final, final

from msgspec import Struct, field

from soid.program.interface import Role
from soid.program.program import Detail, Program, ProgramSource

FAILS: Final = "fails"  # of a program other than the first: whether it fails


@final
class NamedProgram(Struct, frozen=True):
    """One of several programs."""

    name: str  # in questions: its decision `move` is `standard.move`
    program: Program
    names: Mapping[str, str] = field(default_factory=dict)  # its paths of inputs -> what questions and logs call them

    def called(self, path: str) -> str:
        """What questions call one of its inputs."""
        return self.names.get(path, path)

    def output(self, name: str) -> str:
        """What questions call one of its outputs."""
        return f"{self.name}.{name}"

    def named(self, names: Iterable[str]) -> Iterator[str]:
        """Its own names for those of some names that are called after it."""
        prefix = self.output("")
        return (name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def is_asked(self, names: Iterable[str]) -> bool:
        """Whether some of its own names are more than what it perceives."""
        interface = self.program.interface
        return any(
            name == FAILS or (name in interface and interface.variable(name).role is not Role.ENVIRONMENT)
            for name in names
        )


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

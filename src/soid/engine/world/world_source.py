"""The description of programs in a world before they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, final

from msgspec import Struct

from soid.program.program import Detail, Program, ProgramSource
from soid.program.toml_table import TomlTable


@final
class WrittenEvent(Struct, frozen=True):
    """An event as the manifest has it."""

    name: str
    when: str  # a formula
    says: str = ""
    is_harm: bool = False
    entry: TomlTable | None = None  # for messages


@final
class WrittenTolerance(Struct, frozen=True):
    """How far the world may be off the log, one step on, as the manifest has it."""

    general: Fraction | None  # of all numbers; None: of those that are named
    named: Mapping[str, Fraction]  # by variable, as questions call it
    entry: TomlTable | None = None  # for messages


@final
class WorldSource(ProgramSource, frozen=True):
    """Programs, and the program of the world around them."""

    engine: ClassVar[str] = "world"

    programs_source: ProgramSource
    world: Program
    names: Mapping[str, str]  # the world's names -> those of questions
    acts: Mapping[str, str]  # the world's inputs that are decisions -> the decisions
    events: tuple[WrittenEvent, ...] = ()
    tolerance: WrittenTolerance | None = None  # None: none is stated
    logged: tuple[str, ...] = ()  # what goes on as logged, with all below it, though the world could give it

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*self.programs_source.files, *self.world.source.files)))

    def placed(self, folder: Path) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*self.programs_source.placed(folder), *self.world.source.placed(folder))))

    @property
    def beside(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*self.programs_source.beside, *self.world.source.beside)))

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((*self.programs_source.folders, *self.world.source.folders)))

    @property
    def entry(self) -> str:
        return self.programs_source.entry

    @property
    def steps(self) -> int:
        return self.programs_source.steps

    @property
    def programs(self) -> tuple[str, ...]:
        return self.programs_source.programs

    @property
    def alone(self) -> ProgramSource:
        return self.programs_source

    @property
    def details(self) -> tuple[Detail, ...]:
        events = "; ".join(f"{each.name}: {each.says or each.when}" for each in self.events)
        return (
            *self.programs_source.details,
            *(Detail(f"{each.label} (the world)", each.text, each.is_code) for each in self.world.source.details),
            Detail("Events", events),
        )

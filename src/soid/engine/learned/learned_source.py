"""The description of a learned model before its file is read."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal, final

from msgspec import Struct

from soid.program.override import Declaration
from soid.program.program import Detail, ProgramSource


@final
class Threshold(Struct, frozen=True):
    """A decision that an application makes from a number of the model: approve = probability >= 0.37."""

    name: str
    number: str  # an output of the model
    comparison: Literal[">=", ">", "<=", "<"]
    bound: str  # as written, a decimal; compared exactly

    def __str__(self) -> str:
        return f"{self.name} = {self.number} {self.comparison} {self.bound}"


@final
class LearnedSource(ProgramSource, frozen=True):
    """A file that a learning library wrote."""

    engine: ClassVar[str] = "model"

    model: Path  # relative to the manifest's folder
    thresholds: tuple[Threshold, ...] = ()
    unpickle: bool = False  # the file is a pickle, which is opened in the jail
    declarations: tuple[Declaration, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.model,)

    @property
    def details(self) -> tuple[Detail, ...]:
        decided = "; ".join(map(str, self.thresholds))
        return (
            Detail("Kind", "a learned model, read from the file that its library wrote"),
            Detail("Decides", decided),
        )

"""The description of a learned model before its file is read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Literal, final

from msgspec import Struct

from soid.program.override import Declaration
from soid.program.program import Detail, ProgramSource


@final
class OpenBound(Struct, frozen=True):
    """Where the bound of a guessed threshold lies: above one number, and not above another; both are decimals."""

    over: str
    upto: str

    def __str__(self) -> str:
        return f"{self.over} and {self.upto}"


@final
class Threshold(Struct, frozen=True):
    """A decision that an application makes from a number of the model: approve = probability >= 0.37."""

    name: str
    number: str  # an output of the model
    comparison: Literal[">=", ">", "<=", "<"]
    bound: str  # as written, a decimal; compared exactly
    guessed: OpenBound | None = None  # the bound is a guess, and what hangs on where it lies is not known

    def __str__(self) -> str:
        return f"{self.name} = {self.text}"

    @property
    def text(self) -> str:
        """What is compared."""
        return f"{self.number} {self.comparison} {self.bound}"

    @property
    def is_above(self) -> bool:
        """Whether it decides so for great numbers."""
        return self.comparison in (">=", ">")

    def holds(self, value: Fraction) -> bool | None:
        """What is decided from a number; None if that hangs on where a guessed bound lies."""
        if self.guessed is not None:
            if value <= Fraction(self.guessed.over):
                return not self.is_above
            return self.is_above if value >= Fraction(self.guessed.upto) else None
        bound = Fraction(self.bound)
        match self.comparison:
            case ">=":
                return value >= bound
            case ">":
                return value > bound
            case "<=":
                return value <= bound
            case "<":
                return value < bound


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
        decided = "; ".join(f"{one} (guessed)" if one.guessed is not None else str(one) for one in self.thresholds)
        return (
            Detail("Kind", "a learned model, read from the file that its library wrote"),
            Detail("Decides", decided),
        )

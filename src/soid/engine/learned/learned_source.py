"""The description of a learned model before its file is read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Literal, final

from msgspec import Struct

from soid.engine.learned.input_formula import InputFormula
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
    """A decision that an application makes from a number of the model: approve = probability >= 0.37.

    Or a relation between outputs of a network that is asked about: a sum of `terms`, not rounded, and a bound.
    """

    name: str
    number: str  # an output of the model
    comparison: Literal[">=", ">", "<=", "<"]
    bound: str  # as written, a decimal or a fraction; compared exactly
    guessed: OpenBound | None = None  # the bound is a guess, and what hangs on where it lies is not known
    minus: str = ""  # another output of a network, which is subtracted before it is compared; empty: none is
    terms: tuple[tuple[str, float], ...] = ()  # outputs of a network with factors, whose sum is compared, not rounded

    def __str__(self) -> str:
        return f"{self.name} = {self.text}"

    @property
    def text(self) -> str:
        """What is compared."""
        return f"{self.compared} {self.comparison} {self.bound}"

    @property
    def compared(self) -> str:
        """The number that is compared: an output, the difference of two, or a sum."""
        if self.terms:
            return " + ".join(f"{factor!r} * {name}" for name, factor in self.terms)
        return f"{self.number} - {self.minus}" if self.minus else self.number

    @property
    def is_made(self) -> bool:
        """Whether what is compared is made of outputs, and is none of them."""
        return bool(self.minus or self.terms)

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
class OutputChoice(Struct, frozen=True):
    """A decision by the greatest or the least number of a network's output: advisory = argmax of y."""

    name: str
    output: str  # of the graph
    least: bool = False

    def __str__(self) -> str:
        return f"{self.name} = {'argmin' if self.least else 'argmax'} of {self.output}"


@final
class PreparedInput(Struct, frozen=True):
    """Elements of a network's input that an application makes of a variable: x[0] = (altitude - 19791.0) / 60261.0."""

    name: str  # of the input
    first: int
    count: int | None  # None: as many as the formula makes
    formula: InputFormula
    text: str  # as written

    def __str__(self) -> str:
        return f"{self.place} = {self.text}"

    @property
    def place(self) -> str:
        if self.count is None:
            return self.name
        until = "" if self.count == 1 else f":{self.first + self.count}"
        return f"{self.name}[{self.first}{until}]"


@final
class FedBack(Struct, frozen=True):
    """An input of a network that is given an output of the call before."""

    name: str
    output: str

    def __str__(self) -> str:
        return f"{self.name} = {self.output}"


@final
class LearnedSource(ProgramSource, frozen=True):
    """A file that a learning library wrote."""

    engine: ClassVar[str] = "model"

    model: Path  # relative to the manifest's folder
    thresholds: tuple[Threshold, ...] = ()
    unpickle: bool = False  # the file is a pickle, which is opened in the jail
    declarations: tuple[Declaration, ...] = ()
    choices: tuple[OutputChoice, ...] = ()
    prepared: tuple[PreparedInput, ...] = ()
    fed_back: tuple[FedBack, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.model,)

    @property
    def details(self) -> tuple[Detail, ...]:
        thresholds = [f"{one} (guessed)" if one.guessed is not None else str(one) for one in self.thresholds]
        decided = "; ".join([*thresholds, *map(str, self.choices)])
        return (
            Detail("Kind", "a learned model, read from the file that its library wrote"),
            Detail("Is given", "; ".join(map(str, self.prepared))),
            Detail("Keeps", "; ".join(map(str, self.fed_back))),
            Detail("Decides", decided),
        )

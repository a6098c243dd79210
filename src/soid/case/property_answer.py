"""The answer to a property of a network, and what another verifier says of it."""

from __future__ import annotations

from enum import Enum
from typing import Literal, final

from msgspec import Struct

from soid.assumptions import Assumption


class PropertyResult(Enum):
    """In the words of the competition of verifiers."""

    SAT = "sat"  # there is an input, which was run
    UNSAT = "unsat"  # proved: there is none
    UNKNOWN = "unknown"


#: what a second opinion may be
OpinionResult = Literal["sat", "unsat", "unknown", "not asked"]


@final
class SecondOpinion(Struct, frozen=True):
    """What a verifier that computes with real numbers says of a property; it changes no answer of ours."""

    verifier: str  # its name and version
    about: Literal["real numbers"]
    result: OpinionResult
    reason: str  # in words, how it fits with our answer, or why there is no opinion
    agrees: bool | None  # with our answer; None: one of both is open
    inputs: tuple[str, ...]  # of `sat`: the floats next to the point that it found, in the box
    outputs: tuple[str, ...]  # as the runtime gave them for these; empty if it did not run
    satisfied: bool | None  # whether all assertions hold for these floats; None: it did not run
    seconds: float


@final
class PropertyAnswer(Struct, frozen=True):
    """What was found out about a property, as JSON has it too."""

    result: PropertyResult
    reason: str
    cases: int  # that were asked about
    inputs: tuple[str, ...]  # decimals that read back to the same floats; empty unless it is satisfied
    outputs: tuple[str, ...]  # as the runtime gave them; empty if it did not run
    replayed: str  # how the input was run; empty unless it is satisfied
    relies_on: tuple[Assumption, ...]
    seconds: float
    second_opinion: SecondOpinion | None = None  # if one was asked for

    @property
    def counterexample(self) -> str:
        """The input and its outputs as the competition writes them; empty unless the property is satisfied."""
        named = (("X", self.inputs), ("Y", self.outputs))
        lines = [f"({letter}_{place} {value})" for letter, values in named for place, value in enumerate(values)]
        return "(" + "\n".join(lines) + ")" if self.inputs else ""

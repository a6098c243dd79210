"""What a caller needs of whoever decides formulas: can these hold together?

Engines and the settling of witnesses are handed a `Checker` and never see a solver; the oracle makes one from its
solver chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, final

from msgspec import Struct

from soid.formula.term import Term


@final
class Possible(Struct, frozen=True):
    """They can."""

    model: Mapping[Term, bool | int]  # a value for each free variable with which they do


@final
class Impossible(Struct, frozen=True):
    """They cannot: proved."""


@final
class Open(Struct, frozen=True):
    """Nobody knows; never to be read as a no."""

    reason: str  # in words
    out_of_time: bool = False  # more time may settle it
    approximated: bool = False  # what is known of an approximated function does not settle it


Possibility = Possible | Impossible | Open


class Checker(Protocol):
    """Decides whether a conjunction can hold."""

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility: ...

"""The interface of a satisfiability check: can these conditions hold together?

Engines and the settlement of witnesses get a `Checker` and do not know solvers. The oracle makes one from its solver
chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, final

from msgspec import Struct

from soid.formula.term import Term


@final
class Possible(Struct, frozen=True):
    """The conjunction is satisfiable."""

    model: Mapping[Term, bool | int]  # a value for each free variable; together they satisfy it


@final
class Impossible(Struct, frozen=True):
    """The conjunction is proved unsatisfiable."""


@final
class Open(Struct, frozen=True):
    """The check did not decide. This is not the same as `Impossible`."""

    reason: str  # in words
    out_of_time: bool = False  # more time may decide it
    approximated: bool = False  # an approximated function is known too loosely to decide it


Possibility = Possible | Impossible | Open


class Checker(Protocol):
    """Decides whether a conjunction is satisfiable."""

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility: ...

"""What a solver is: a conjunction, some assumptions and a budget in; sat with a model, unsat, or unknown out.

Everything under `solver/` that answers questions is a `Solver`: the three back ends, the processes they can run
in, and the wrappers that `chain.py` puts around them. For its caller a solver has no state: each question stands
alone. Back ends keep what consecutive questions share, which is why callers that grow a conjunction should append
to it, and leave its front as it was.

>>> match Unknown(Reason.TIME, "2.0 s were over"):
...     case Sat(model): answer = "yes"
...     case Unsat(): answer = "no"
...     case Unknown(reason): answer = f"unknown: {reason.value}"
>>> answer
'unknown: time'
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, final

from msgspec import Struct

from soid.budget import UNLIMITED, Budget, Cancellation, Deadline
from soid.formula.term import Term

__all__ = [
    "UNLIMITED",
    "Budget",
    "Cancellation",
    "Deadline",
    "Model",
    "Reason",
    "Result",
    "Sat",
    "Solver",
    "Unknown",
    "Unsat",
]

#: A value for every free variable of the question, as terms hold them: bool for Bool, the bits for BitVec and Float
#: (every NaN folded to the one of its format).
Model = Mapping[Term, bool | int]


@final
class Reason(enum.Enum):
    """Why there is no answer."""

    TIME = "time"  # the budget ran out
    MEMORY = "memory"  # the solver hit its memory limit
    CANCELLED = "cancelled"  # the caller asked to stop
    UNSUPPORTED = "unsupported"  # something in the question that this solver cannot be trusted with
    SOLVER = "solver"  # the solver gave up, or crashed


@final
@dataclass(frozen=True, slots=True)
class Sat:
    """All conjuncts and assumptions can hold together."""

    model: Model  # total on the free variables of the question
    by: str = field(default="", compare=False)  # who settled it: a solver, or the mechanism that spared one


@final
@dataclass(frozen=True, slots=True)
class Unsat:
    """They cannot."""

    core: tuple[Term, ...] = ()  # assumptions that suffice for it, together with the conjuncts; not always the fewest
    by: str = field(default="", compare=False)  # who settled it


@final
class Unknown(Struct, frozen=True, tag="unknown"):
    """Nothing is known; never to be read as a no."""

    reason: Reason
    detail: str = ""  # for a person: which solver, what it said


Result = Sat | Unsat | Unknown


class Solver(Protocol):
    """Answers questions. One thread at a time; any number of them in turn."""

    @property
    def name(self) -> str:
        """For messages and logs: `bitwuzla`, `race(z3, cvc5)`."""
        ...

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        """Whether all conjuncts and assumptions can hold together. They are Bool terms; none at all is sat."""
        ...

    def close(self) -> None:
        """Give back processes and memory. A closed solver may be used again: it starts anew."""
        ...


class SolverLayer:
    """Wraps a solver: a subclass has a `check` that asks the inner one only what it does not settle itself."""

    def __init__(self, inner: Solver) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    def close(self) -> None:
        self._inner.close()

"""The solver protocol: conjuncts and a budget in; sat with a model, unsat, or unknown out.

Everything under `solver/` that answers questions is a `Solver`: the three back ends, the processes they can run in,
and the layers that `chain.py` puts around them. Each question stands alone: it does not depend on earlier ones. But
back ends are incremental, so a caller that extends a conjunction should append to it and leave its front unchanged.

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
    "Conjuncts",
    "Deadline",
    "Model",
    "Reason",
    "Result",
    "Sat",
    "Solver",
    "Unknown",
    "Unsat",
]

Conjuncts = Sequence[Term]

#: A value for every free variable of the question, as in constant terms: bool for Bool, the bits for BitVec and Float
#: (one NaN for each format).
Model = Mapping[Term, bool | int]


@final
class Reason(enum.Enum):
    """Why there is no answer."""

    TIME = "time"  # the budget is over
    MEMORY = "memory"  # the solver hit its memory limit
    CANCELLED = "cancelled"  # the caller asked to stop
    UNSUPPORTED = "unsupported"  # the question has something that this solver does not support
    SOLVER = "solver"  # the solver gave up, or crashed


@final
@dataclass(frozen=True, slots=True)
class Sat:
    """The conjuncts are satisfiable."""

    model: Model  # total on the free variables of the question
    by: str = field(default="", compare=False)  # the solver or the mechanism that settled it


@final
@dataclass(frozen=True, slots=True)
class Unsat:
    """The conjuncts are unsatisfiable."""

    by: str = field(default="", compare=False)


@final
class Unknown(Struct, frozen=True, tag="unknown"):
    """There is no answer; never to be read as unsat."""

    reason: Reason
    detail: str = ""  # for a person: the solver and its message


Result = Sat | Unsat | Unknown


class Solver(Protocol):
    """Answers questions. One thread at a time may use it."""

    @property
    def name(self) -> str:
        """For messages and logs: `bitwuzla`, `race(z3, cvc5)`."""

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        """Whether the conjuncts, all Bool terms, are satisfiable. The empty conjunction is sat."""

    def close(self) -> None:
        """Release processes and memory. A closed solver may be used again: it restarts."""


class SolverLayer:
    """Wraps a solver; each subclass adds a `check`."""

    def __init__(self, inner: Solver) -> None:
        self._inner = inner
        self.name = inner.name

    def close(self) -> None:
        self._inner.close()

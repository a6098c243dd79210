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
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol, final

from soid.formula.term import Term

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


@final
@dataclass(frozen=True, slots=True)
class Unsat:
    """They cannot."""

    core: tuple[Term, ...] = ()  # assumptions that suffice for it, together with the conjuncts; not always the fewest


@final
@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is known; never to be read as a no."""

    reason: Reason
    detail: str = ""  # for a person: which solver, what it said


Result = Sat | Unsat | Unknown


@final
@dataclass(frozen=True, slots=True)
class Budget:
    """What one question may cost. A solver in its own process is killed when it is over."""

    seconds: float | None = None  # of wall-clock time; None: no limit

    def started(self) -> Deadline:
        """The same budget with its clock running."""
        return Deadline(None if self.seconds is None else time.monotonic() + self.seconds)


@final
@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on `time.monotonic`; what several questions in a row have left of one budget."""

    at: float | None  # None: never

    @property
    def seconds_left(self) -> float | None:
        return None if self.at is None else max(0.0, self.at - time.monotonic())

    @property
    def is_over(self) -> bool:
        return self.at is not None and time.monotonic() >= self.at

    def left(self) -> Budget:
        """What is left, as a budget for the next question."""
        return Budget(self.seconds_left)


UNLIMITED: Final = Budget()


@final
class Cancellation:
    """A token that any thread may set, once; who works for its holder polls it, or is called when it is set."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] = {}

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def cancel(self) -> None:
        """Set the token and call everyone who asked to be called, on this thread."""
        with self._lock:
            self._event.set()
            callbacks = list(self._callbacks.values())
        for callback in callbacks:
            callback()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call back when cancelled, at once if it already is, but never after the block."""
        key = id(callback)
        with self._lock:
            self._callbacks[key] = callback
            already = self._event.is_set()
        if already:
            callback()
        try:
            yield
        finally:
            with self._lock:
                del self._callbacks[key]


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

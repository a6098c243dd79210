"""What an engine is: a Program under a precondition in, a PathSummary out.

An engine explores every path that some state of the precondition takes, or says which states it left out. It is
handed a checker for the branches it cannot settle itself and never sees a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, final

from msgspec import Struct

from soid.budget import Cancellation, Deadline
from soid.engine.summary import PathSummary
from soid.engine.trail import Trail
from soid.formula.checker import Checker
from soid.formula.term import Term
from soid.recipe import SOID, Mechanisms


@final
class ExplorationProgress(Struct, frozen=True):
    """How far an exploration has come."""

    paths: int  # finished
    frontier: int  # known and not yet finished
    checks: int  # questions put to the checker
    solving: float = 0.0  # share of the time so far that the checker took


@final
class Exploration(Struct, frozen=True):
    """One exploration: which states, what to look at, and what it may cost."""

    fixed: Mapping[str, int]  # inputs that keep one value, by path: their bits
    precondition: Term  # over the symbols of the other inputs
    check: Checker
    deadline: Deadline
    cancel: Cancellation
    progress: Callable[[ExplorationProgress], None] = lambda _: None
    observed: frozenset[str] = frozenset()  # internal values that the question speaks of, by path
    window: int | None = None  # rounds of loops and calls that the program has for each decision; None: its own
    paths: int = 100_000  # what is found beyond so many is left unexplored
    memory: int = 4 << 30  # bytes that the process may hold; what is open then is left unexplored
    steps: int = 1  # how often the program is called, its state fed back
    environments: tuple[Mapping[str, int], ...] = ()  # of the second step and on: bits by path; else as in the first
    mechanisms: Mechanisms = SOID.mechanisms  # what may settle a branch before the checker is asked

    def inputs_at(self, step: int) -> Mapping[str, int]:
        """The inputs that have one value at a step, the first being 0; of the state that holds for step 0 alone."""
        if step == 0 or not self.environments:
            return self.fixed
        return {**self.fixed, **self.environments[step - 1]}


class Engine(Protocol):
    """Turns one program into paths; what can be done once for the program is done when the engine is made."""

    @property
    def name(self) -> str: ...

    def explore(self, exploration: Exploration) -> PathSummary: ...

    def trail(self, exploration: Exploration) -> Trail | None:
        """The way through the source that one state takes, every input being fixed; None where there is no source."""
        ...

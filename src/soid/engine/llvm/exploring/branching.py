"""Where paths part: which sides of a condition some state takes, and what must hold for the path to go on.

Each path carries a model, so its own side costs nothing; what it knows of the compared values (`bounds`), and what
values can be at all under the precondition (`reach`), often settle the other side; only what is left is put to the
checker, and both sides are where a recipe does without these. A side that nobody can settle is followed all the same,
without a model: the oracle's solvers have the last word on it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import final

from soid.engine.llvm.exploring.runtime import PathEnd
from soid.engine.llvm.exploring.state import Model, State
from soid.engine.summary import Approximation, Ending, Failed, Location, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible, Possibility, Possible
from soid.formula.reach import Reach
from soid.formula.term import Term
from soid.recipe import Mechanisms


class Infeasible(Exception):
    """No state goes on from here; what did not has been recorded."""


@final
class Brancher:
    """Asks which sides are possible; keeps the count of what it asked."""

    def __init__(
        self,
        precondition: Term,
        check: Checker,
        push: Callable[[State], None],
        record: Callable[[State, Ending], None],
        approximations: Mapping[Term, Approximation],
        mechanisms: Mechanisms,
    ) -> None:
        self.precondition = precondition
        self._check = check
        self._push = push
        self._record = record
        self._approximations = approximations  # by symbol; models need them
        self._mechanisms = mechanisms
        self._reach = Reach(precondition)
        self.checks = 0
        self.settled_by: Counter[str] = Counter()  # sides for which nobody was asked, by mechanism
        self.seconds = 0.0  # that the checker took

    def possible(self, state: State, side: Term) -> tuple[bool, Model | None]:
        """Whether some state takes the side, as far as is known, and one that does."""
        if side.is_const:
            return bool(side.value), state.model
        if self._mechanisms.path_models and state.model is not None and state.model.value(side):
            self.settled_by["path_models"] += 1
            return True, state.model
        reach = self._reach.of if self._mechanisms.intervals else None
        if self._mechanisms.bounds and state.bounds.decides(side, reach) is False:
            self.settled_by["bounds"] += 1
            return False, None
        if self._mechanisms.intervals and self._reach.excludes(side):
            self.settled_by["intervals"] += 1
            return False, None
        answer = self._ask([self.precondition, *state.condition, side])
        if isinstance(answer, Impossible):
            return False, None
        return True, Model(answer.model, self._approximations) if isinstance(answer, Possible) else None

    def _ask(self, conjuncts: list[Term]) -> Possibility:
        started = time.monotonic()
        try:
            return self._check(conjuncts)
        finally:
            self.checks += 1
            self.seconds += time.monotonic() - started

    def take(self, state: State, side: Term, model: Model | None) -> None:
        """Go on along a side."""
        if side is not TRUE:
            state.condition.append(side)
            state.bounds.learn(side)
        state.model = model

    def split(self, state: State, condition: Term) -> tuple[State | None, State | None]:
        """The path along the condition and along its opposite; None where no state goes."""
        opposite = build.not_(condition)
        yes, yes_model = self.possible(state, condition)
        no, no_model = self.possible(state, opposite)
        if yes and no:
            other = state.fork()
            self.take(state, condition, yes_model)
            self.take(other, opposite, no_model)
            return state, other
        if yes:
            # The other side is impossible: the condition holds on every state of this path and says nothing new.
            state.model = yes_model
            return state, None
        if no:
            state.model = no_model
            return None, state
        return None, None

    def require(self, state: State, holds: bool | Term, what: str, where: Location | None) -> None:
        """Go on only where an obligation is met; where it is not, the program fails."""
        if holds is True:
            return
        if holds is False:
            raise PathEnd(Failed(what, where))
        assert isinstance(holds, Term)
        met, broken = self.split(state, holds)
        if broken is not None and met is None:
            raise PathEnd(Failed(what, where))
        if broken is not None:
            self._record(broken, Failed(what, where))
        if met is None and broken is None:
            raise Infeasible

    def holds(self, state: State, condition: Term) -> bool:
        """Whether a condition holds on this path; where it may or may not, the other path runs this again later."""
        met, broken = self.split(state, condition)
        if met is None and broken is None:
            raise Infeasible
        if met is not None and broken is not None:
            self._push(broken)
        return met is not None

    def choose(self, state: State, term: Term) -> int:
        """The least value of a number; paths with its other values run the same instruction again later."""
        value = self._least(state, term)
        self.holds(state, build.eq(term, build.const(term.sort, value)))
        return value

    def _least(self, state: State, term: Term) -> int:
        """The least value that a number has on a path, whatever models the solvers come up with."""
        model = self._model(state)
        value, least = int(model.value(term)), 0
        while least < value:
            middle = (least + value - 1) // 2
            below, found = self.possible(state, build.bvule(term, build.const(term.sort, middle)))
            if not below:
                least = middle + 1
            elif found is None:
                break  # nobody knows: any value will do
            else:
                state.model = found
                value = int(found.value(term))
        return value

    def _model(self, state: State) -> Model:
        """An input that takes a path; one that nobody can name ends it."""
        if state.model is None:
            answer = self._ask([self.precondition, *state.condition])
            if isinstance(answer, Impossible):
                raise Infeasible
            if not isinstance(answer, Possible):
                raise PathEnd(Unexplored("the solvers did not settle which values are possible"))
            state.model = Model(answer.model, self._approximations)
        return state.model

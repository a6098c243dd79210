"""The brancher: decides which sides of a condition are feasible on a path, and forks the path if both are.

Each path carries a model, so the side that the model takes costs nothing. The bounds that the path condition gives
(`bounds`) and intervals under the precondition (`reach`) often refute the other side. The checker is asked about the
rest; a recipe can switch each of these mechanisms off. A side that the checker leaves open is followed without a model:
the oracle's solvers decide about it later.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import final

from soid.engine.llvm.symbolic.path_state import Model, PathState
from soid.engine.llvm.symbolic.paths.path_end import Infeasible, PathEnd
from soid.engine.llvm.symbolic.values.values_before import ValuesBefore
from soid.engine.summary import Approximation, Ending, Failed, Location, Unexplored
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Checker, Impossible, Possibility, Possible
from soid.formula.reach import Reach
from soid.formula.term import Term
from soid.recipe import Mechanisms


@final
class Brancher:
    """Decides about sides, and counts what it asked."""

    def __init__(
        self,
        precondition: Term,
        reach: Reach,
        check: Checker,
        push: Callable[[PathState], None],
        record: Callable[[PathState, Ending], None],
        approximations: Mapping[Term, Approximation],
        mechanisms: Mechanisms,
        settled_by: Counter[str],
        before: ValuesBefore,
    ) -> None:
        self.precondition = precondition
        self._check = check
        self._push = push
        self._record = record
        self._approximations = approximations  # by symbol; models need them
        self._mechanisms = mechanisms
        self._before = before  # no condition may depend on them
        self._reach = reach  # under the precondition
        self.checks = 0
        self.settled_by = settled_by  # counts the sides that were settled without the checker, by mechanism
        self.seconds = 0.0  # in the checker

    def possible(self, state: PathState, side: Term) -> tuple[bool, Model | None]:
        """Whether a side is feasible as far as is known, and a model of it if there is one."""
        if side.is_const:
            return bool(side.value), state.model
        if self._mechanisms.path_models and state.model is not None and state.model.value(side):
            self.settled_by["path_models"] += 1
            return True, state.model
        if self._excluded(state, side):
            return False, None
        answer = self._ask([self.precondition, *state.condition, side])
        if isinstance(answer, Impossible):
            return False, None
        return True, Model(answer.model, self._approximations) if isinstance(answer, Possible) else None

    def _excluded(self, state: PathState, side: Term) -> bool:
        """Whether bounds or intervals refute a side."""
        reach = self._reach.of if self._mechanisms.intervals else None
        if self._mechanisms.bounds and state.bounds.decides(side, reach) is False:
            self.settled_by["bounds"] += 1
            return True
        if self._mechanisms.intervals and self._reach.excludes(side):
            self.settled_by["intervals"] += 1
            return True
        return False

    def _ask(self, conjuncts: list[Term]) -> Possibility:
        started = time.monotonic()
        try:
            return self._check(conjuncts)
        finally:
            self.checks += 1
            self.seconds += time.monotonic() - started

    def take(self, state: PathState, side: Term, model: Model | None) -> None:
        """Continue a path along a side."""
        if side is not TRUE:
            state.condition.append(side)
            state.bounds.learn(side)
        state.model = model

    def split(self, state: PathState, condition: Term) -> tuple[PathState | None, PathState | None]:
        """The path along a condition and the path along its negation; None for a side that is not feasible."""
        condition = self._before.without(condition, state.where)
        opposite = build.not_(condition)
        yes, yes_model = self.possible(state, condition)
        no, no_model = self.possible(state, opposite)
        if yes and no:
            other = state.fork()
            self.take(state, condition, yes_model)
            self.take(other, opposite, no_model)
            return state, other
        if yes:
            # The other side is infeasible, so the condition adds nothing to the path condition.
            state.model = yes_model
            return state, None
        if no:
            state.model = no_model
            return None, state
        return None, None

    def unasked(self, state: PathState, condition: Term) -> tuple[PathState | None, PathState | None]:
        """The same; both where intervals refute neither, whether they are feasible or not."""
        condition = self._before.without(condition, state.where)
        opposite, model = build.not_(condition), state.model
        holds = model is not None and model.value(condition)
        if not holds and self._excluded(state, condition):
            return None, state
        if (holds or model is None) and self._excluded(state, opposite):
            return state, None
        other = state.fork()
        self.take(state, condition, model if holds else None)
        self.take(other, opposite, None if holds else model)
        return state, other

    def require(self, state: PathState, holds: bool | Term, what: str, where: Location | None = None) -> None:
        """Continue only where an obligation holds; record a failure where it does not, at `where` or at this place."""
        if holds is not True:
            self.continue_where(state, holds, Failed(what, where or state.where))

    def continue_where(self, state: PathState, holds: bool | Term, otherwise: Ending) -> None:
        """Continue only where a condition holds; where it does not, the path ends as `otherwise` says."""
        if holds is True:
            return
        if holds is False:
            raise PathEnd(otherwise)
        met, broken = self.split(state, holds)
        if met is None:
            raise Infeasible if broken is None else PathEnd(otherwise)
        if broken is not None:
            self._record(broken, otherwise)

    def holds(self, state: PathState, condition: Term) -> bool:
        """Whether a condition holds on this path. If it also may not, another path runs the same instruction later."""
        met, broken = self.split(state, condition)
        if met is None and broken is None:
            raise Infeasible
        if met is not None and broken is not None:
            self._push(broken)
        return met is not None

    def choose(self, state: PathState, term: Term) -> int:
        """The least value of a number; paths with its other values run the same instruction later."""
        term = self._before.without(term, state.where)
        value = self._least(state, term)
        self.holds(state, build.eq(term, build.const(term.sort, value)))
        return value

    def _least(self, state: PathState, term: Term) -> int:
        """The least value that a number has on a path: it does not depend on the models that solvers find."""
        model = self._model(state)
        value, least = int(model.value(term)), 0
        while least < value:
            middle = (least + value - 1) // 2
            below, found = self.possible(state, build.bvule(term, build.const(term.sort, middle)))
            if not below:
                least = middle + 1
            elif found is None:
                break  # the checker left it open: any value will do
            else:
                state.model = found
                value = int(found.value(term))
        return value

    def _model(self, state: PathState) -> Model:
        """A model of a path; the path ends where the checker finds none."""
        if state.model is None:
            answer = self._ask([self.precondition, *state.condition])
            if isinstance(answer, Impossible):
                raise Infeasible
            if not isinstance(answer, Possible):
                raise PathEnd(Unexplored("the solvers did not settle which values are possible"))
            state.model = Model(answer.model, self._approximations)
        return state.model

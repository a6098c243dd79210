"""Incremental solving with one back end: terms are translated once, shared conjuncts stay on the assertion stack.

The stack is a list of layers, each a run of conjuncts asserted together. A new question keeps the layers that its
conjuncts begin with, and asserts the rest as one new layer: many small layers would cost more in preprocessing than
they save. If a layer is shared in part, its shared part and the rest become two layers, so that a conjunction which
grows and shrinks at one place gets a layer boundary there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final, final

from msgspec import Struct

from soid.budget import UNLIMITED, Budget, Cancellation, Deadline
from soid.formula.build import reduced
from soid.formula.passes import free_variables
from soid.formula.term import Term
from soid.solver.native import Native, UnsupportedTerm
from soid.solver.protocol import Conjuncts, Model, Reason, Result, Sat, Unknown, Unsat
from soid.solver.translation import OutOfTime, Translation

#: After this many translated terms the session restarts, so that a long investigation does not fill the memory.
_MEMO_LIMIT: Final = 1_000_000

#: After this many popped layers the remaining ones are asserted on a fresh stack.
_POP_LIMIT: Final = 200


@final
class _Layer(Struct, frozen=True):
    conjuncts: tuple[Term, ...]
    variables: frozenset[Term]


@final
class IncrementalSolver:
    """One back end in this process. Its library may exceed time limits; `SolverProcess` enforces them."""

    def __init__(self, name: str, make: Callable[[], Native], max_depth: int | None) -> None:
        self.name = name
        self._make = make
        self._max_depth = max_depth  # of terms; None: no limit
        self._open: _Open | None = None

    def close(self) -> None:
        self._open = None

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        if cancel is not None and cancel.cancelled:
            return Unknown(Reason.CANCELLED, "before it began")
        deadline = budget.started()
        if self._open is None or self._open.is_full:
            self._open = _Open(self.name, self._make(), self._max_depth)
        try:
            return self._open.check(tuple(conjuncts), deadline, cancel)
        except UnsupportedTerm as error:
            return Unknown(Reason.UNSUPPORTED, f"{self.name}: {error}")
        except OutOfTime:
            return Unknown(Reason.TIME, f"{self.name}: over before the search began")
        except MemoryError:
            self.close()
            return Unknown(Reason.MEMORY, self.name)
        except self._open.native.errors as error:
            self.close()  # its state is not known
            return Unknown(Reason.SOLVER, f"{self.name}: {error}")


@final
class _Open:
    """A native, its terms, and its assertion stack."""

    def __init__(self, name: str, native: Native, max_depth: int | None) -> None:
        self._name = name
        self.native = native
        self._translation = Translation(native, max_depth)
        self._layers: list[_Layer] = []
        self._popped = 0
        self._stale = False  # the last check gave up: restart rather than pop

    @property
    def is_full(self) -> bool:
        return len(self._translation) > _MEMO_LIMIT

    def check(self, conjuncts: tuple[Term, ...], deadline: Deadline, cancel: Cancellation | None) -> Result:
        self._align(conjuncts, deadline)
        if deadline.is_over:
            raise OutOfTime
        answer = self.native.solve(deadline.seconds_left, cancel)
        if answer is True:
            return Sat(self._model(), self._name)
        if answer is False:
            return Unsat(self._name)
        self._stale = True
        return answer

    def _align(self, conjuncts: tuple[Term, ...], deadline: Deadline) -> None:
        """Replace the last question's conjuncts on the stack with this one's."""
        done, kept = 0, 0
        for layer in self._layers:
            if self._stale or conjuncts[done : done + len(layer.conjuncts)] != layer.conjuncts:
                break
            done += len(layer.conjuncts)
            kept += 1
        pieces = [conjuncts[done:]]
        if kept < len(self._layers):
            pairs = zip(self._layers[kept].conjuncts, pieces[0], strict=False)
            shared = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] is pair[1], pairs))
            pieces = [pieces[0][:shared], pieces[0][shared:]]
        self._drop(kept, deadline)
        self._stale = False
        for piece in pieces:
            if piece:
                self._push(piece, deadline)

    def _drop(self, kept: int, deadline: Deadline) -> None:
        """Remove the layers above `kept`."""
        count = len(self._layers) - kept
        if count == 0:
            return
        self._popped += count
        if kept == 0 or self._popped > _POP_LIMIT:
            # Clauses of popped layers stay in the solver and slow it down: after one hard question that was given up
            # and popped, trivial ones took seconds.
            pieces = [layer.conjuncts for layer in self._layers[:kept]]
            self.native.clear()
            self._layers, self._popped = [], 0
            for piece in pieces:
                self._push(piece, deadline)
            return
        for _ in range(count):
            self._layers.pop()
            self.native.pop()

    def _push(self, conjuncts: tuple[Term, ...], deadline: Deadline) -> None:
        # Translate first: after an exception the stack and `_layers` must still agree.
        translated = [self._translation.of(term, deadline) for term in conjuncts]
        layer = _Layer(conjuncts, frozenset(free_variables(conjuncts)))
        self.native.push()
        self._layers.append(layer)
        for formula in translated:
            self.native.add(formula)

    def _model(self) -> Model:
        variables = {variable for layer in self._layers for variable in layer.variables}
        model: dict[Term, bool | int] = {}
        for variable in sorted(variables, key=lambda term: term.uid):
            known = self._translation.get(variable)
            # A variable that only an expanded look-up mentioned without need may have any value.
            value = 0 if known is None else self.native.value(known, variable.sort)
            model[variable] = reduced(variable.sort, value)
        return model

"""A back end as a Solver: translates terms once, keeps on the solver's stack what the next question shares.

The stack is a list of layers, each a run of conjuncts asserted together. A new question keeps the layers that its
conjuncts begin with, and asserts the rest as one new layer: many small layers would cost the solver's preprocessing
more than they save. A layer that is shared in part is asserted anew, its shared part apart, so that a conjunction which
keeps growing and shrinking at one place settles there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from soid.formula import operators as ops
from soid.formula.build import const, fits_integer
from soid.formula.passes import expand_lookups, free_variables
from soid.formula.term import Term
from soid.solver.native import Native, Unsupported
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Model, Reason, Result, Sat, Unknown, Unsat

#: Past this many translated terms a session starts anew, so that a long investigation does not fill the memory.
_MEMO_LIMIT: Final = 1_000_000

#: Past this many layers taken off, what is left is put on a fresh stack.
_POP_LIMIT: Final = 200


@final
@dataclass(frozen=True, slots=True)
class _Layer:
    conjuncts: tuple[Term, ...]
    variables: frozenset[Term]


@final
class Session:
    """One back end in this process. Its limits are as good as its library keeps them: `Process` has hard ones."""

    def __init__(self, name: str, make: Callable[[], Native], max_depth: int | None) -> None:
        self._name = name
        self._make = make
        self._max_depth = max_depth  # the libraries recurse; deeper terms would overflow the C stack
        self.close()

    @property
    def name(self) -> str:
        return self._name

    def close(self) -> None:
        self._native: Native | None = None
        self._known: dict[Term, Any] = {}  # term -> its translation
        self._depth: dict[Term, int] = {}
        self._layers: list[_Layer] = []
        self._popped = 0
        self._stale = False  # given up on: begin anew rather than pop

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        if cancel is not None and cancel.cancelled:
            return Unknown(Reason.CANCELLED, "before it began")
        deadline = budget.started()
        if len(self._known) > _MEMO_LIMIT:
            self.close()
        native = self._native = self._native or self._make()
        try:
            self._align(native, tuple(conjuncts))
            assumed = [self._translate(native, term) for term in assumptions]
            if deadline.is_over:
                return Unknown(Reason.TIME, f"{self._name}: over before the search began")
            answer = native.solve(assumed, deadline.seconds_left, cancel)
            if answer is True:
                return Sat(self._model(native, free_variables(assumptions)))
            if answer is False:
                return Unsat(tuple(assumptions[i] for i in native.core(assumed)))
            self._stale = True
        except Unsupported as error:
            return Unknown(Reason.UNSUPPORTED, f"{self._name}: {error}")
        except MemoryError:
            self.close()
            return Unknown(Reason.MEMORY, self._name)
        except native.errors as error:
            self.close()  # who knows what state it is in
            return Unknown(Reason.SOLVER, f"{self._name}: {error}")
        return answer

    def _align(self, native: Native, conjuncts: tuple[Term, ...]) -> None:
        """Bring the stack from the last question's conjuncts to this one's."""
        done, kept = 0, 0
        for layer in self._layers:
            if self._stale or conjuncts[done : done + len(layer.conjuncts)] != layer.conjuncts:
                break
            done += len(layer.conjuncts)
            kept += 1
        pieces = [conjuncts[done:]]
        if kept < len(self._layers):
            shared = _common(self._layers[kept].conjuncts, pieces[0])
            pieces = [pieces[0][:shared], pieces[0][shared:]]
        self._drop(native, kept)
        self._stale = False
        for piece in pieces:
            if piece:
                self._push(native, piece)

    def _drop(self, native: Native, kept: int) -> None:
        """Take off the layers above `kept`."""
        count = len(self._layers) - kept
        if count == 0:
            return
        self._popped += count
        if kept == 0 or self._popped > _POP_LIMIT:
            # The clauses of what is popped stay in the solver and slow it down: one hard question, given up and
            # popped, made trivial ones take seconds.
            native.clear()
            pieces = [layer.conjuncts for layer in self._layers[:kept]]
            self._layers, self._popped = [], 0
            for piece in pieces:
                self._push(native, piece)
            return
        for _ in range(count):
            self._layers.pop()
            native.pop()

    def _push(self, native: Native, conjuncts: tuple[Term, ...]) -> None:
        translated = [self._translate(native, term) for term in conjuncts]
        layer = _Layer(conjuncts, frozenset(free_variables(conjuncts)))
        native.push()
        self._layers.append(layer)
        for formula in translated:
            native.add(formula)

    def _model(self, native: Native, also: Iterable[Term]) -> Model:
        variables = {*also}.union(*(layer.variables for layer in self._layers))
        model: dict[Term, bool | int] = {}
        for variable in sorted(variables, key=lambda term: term.uid):
            known = self._known.get(variable)
            # A variable that only an expanded look-up mentioned, and did not need, may have any value.
            value = 0 if known is None else native.value(known, variable.sort)
            model[variable] = const(variable.sort, value).params[0]
        return model

    # --- translation ----------------------------------------------------------------------------------------------

    def _translate(self, native: Native, root: Term) -> Any:
        known = self._known
        if root in known:
            return known[root]
        (plain,) = expand_lookups([root])
        stack = [plain]
        while stack:
            term = stack[-1]
            if term in known:
                stack.pop()
                continue
            parts = _parts(term)
            missing = [part for part in parts if part not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._note_depth(term, parts)
            known[term] = _build(native, term, [known[part] for part in parts])
        known[root] = known[plain]
        return known[root]

    def _note_depth(self, term: Term, parts: tuple[Term, ...]) -> None:
        if self._max_depth is None:
            return
        depth = 1 + max((self._depth[part] for part in parts), default=0)
        if depth > self._max_depth:
            raise Unsupported(f"terms nested more than {self._max_depth} deep; a process of its own has the stack")
        self._depth[term] = depth


def _common(a: tuple[Term, ...], b: tuple[Term, ...]) -> int:
    """How many terms both begin with."""
    count = 0
    for one, other in zip(a, b, strict=False):
        if one is not other:
            break
        count += 1
    return count


def _parts(term: Term) -> tuple[Term, ...]:
    """What must be translated before the term: its arguments, and for a conversion to an integer its guard."""
    if term.op is ops.FP_TO_SBV or term.op is ops.FP_TO_UBV:
        mode, width = term.params
        guard = fits_integer(mode, width, term.args[0], signed=term.op is ops.FP_TO_SBV)
        return (*term.args, guard, const(term.sort, 0))
    return term.args


def _build(native: Native, term: Term, parts: list[Any]) -> Any:
    if term.op is ops.CONST:
        return native.constant(term.sort, term.params[0])
    if term.op is ops.VAR:
        return native.variable(term.name, term.sort)
    if len(parts) == len(term.args):
        return native.apply(term, parts)
    # SMT-LIB leaves open what a float that does not fit becomes; here it is 0.
    argument, guard, zero = parts
    return native.choose(guard, native.apply(term, [argument]), zero)

"""Translates soid's terms to a solver's own: each term once in a session, without recursion."""

from __future__ import annotations

from typing import Any, Final, final

from soid.formula import operators as ops
from soid.formula.build import const, fits_integer
from soid.formula.passes import expand_lookups
from soid.formula.sorts import Float
from soid.formula.term import Term
from soid.solver.native import Native, UnsupportedTerm
from soid.solver.protocol import Deadline

_CLOCK_INTERVAL: Final = 1000  # terms between two looks at the clock


class OutOfTime(Exception):
    """The budget ended before the question was translated."""


@final
class Translation:
    """The terms translated so far."""

    def __init__(self, native: Native, max_depth: int | None) -> None:
        self._native = native
        self._max_depth = max_depth
        self._known: dict[Term, Any] = {}
        self._depth: dict[Term, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, term: Term) -> Any:
        """The solver's term; None if it was never translated."""
        return self._known.get(term)

    def of(self, root: Term, deadline: Deadline) -> Any:
        """The solver's term. Raises UnsupportedTerm and OutOfTime; terms translated until then are kept."""
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
            known[term] = self._build(term, [known[part] for part in parts])
            if len(known) % _CLOCK_INTERVAL == 0 and deadline.is_over:
                raise OutOfTime
        known[root] = known[plain]
        return known[root]

    def _note_depth(self, term: Term, parts: tuple[Term, ...]) -> None:
        if self._max_depth is None:
            return
        depth = 1 + max((self._depth[part] for part in parts), default=0)
        if depth > self._max_depth:
            raise UnsupportedTerm(f"terms nested more than {self._max_depth} deep; a process of its own has the stack")
        self._depth[term] = depth

    def _build(self, term: Term, parts: list[Any]) -> Any:
        native = self._native
        if native.formats is not None and isinstance(term.sort, Float) and term.sort not in native.formats:
            raise UnsupportedTerm(f"{term.sort.smtlib}, which it has only as an experiment")
        if term.op is ops.CONST:
            return native.constant(term.sort, term.params[0])
        if term.op is ops.VAR:
            return native.variable(term.name, term.sort)
        if len(parts) == len(term.args):
            return native.apply(term.op, term.params, term.sort, parts)
        # SMT-LIB does not define the conversion of a float that does not fit; here it is 0.
        argument, guard, zero = parts
        number = native.apply(term.op, term.params, term.sort, [argument])
        return native.apply(ops.ITE, (), term.sort, [guard, number, zero])


def _parts(term: Term) -> tuple[Term, ...]:
    """The terms to translate before this one: its arguments, and for a conversion to an integer its guard."""
    if term.op is ops.FP_TO_SBV or term.op is ops.FP_TO_UBV:
        mode, width = term.params
        guard = fits_integer(mode, width, term.args[0], signed=term.op is ops.FP_TO_SBV)
        return (*term.args, guard, const(term.sort, 0))
    return term.args

"""Constraint independence, as in KLEE: conditions that share no variable are solved separately, small groups first.

    x < 3,  y * y > 2,  x > z           ->  y * y > 2      and      x < 3,  x > z

The conjunction is satisfiable if and only if each group is. Along a path most groups stay the same from branch to
branch, so the query cache answers them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from soid.budget import UNLIMITED, Budget, Cancellation
from soid.formula.passes import free_variables
from soid.formula.term import Term
from soid.recipe import MECHANISMS
from soid.solver.protocol import Conjuncts, Result, Sat, Solver, SolverLayer, Unknown, Unsat

_REMEMBERED: Final = 100_000  # terms with known variables


@final
class _Component:
    """Terms that share variables."""

    def __init__(self) -> None:
        self.variables: set[Term] = set()
        self.places: list[int] = []  # of the terms; none: it has become part of another

    def joined(self, other: _Component, of: dict[Term, _Component]) -> _Component:
        """Both as one: the larger, of which the other becomes part."""
        large, small = (self, other) if len(self.variables) >= len(other.variables) else (other, self)
        large.variables |= small.variables
        large.places += small.places
        of.update(dict.fromkeys(small.variables, large))
        small.places = []
        return large


@final
class IndependentSolver(SolverLayer):
    """Splits a question into independent groups and joins their models."""

    def __init__(self, inner: Solver) -> None:
        super().__init__(inner)
        self._variables: dict[Term, frozenset[Term]] = {}

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        groups = self._groups(conjuncts)
        if len(groups) < 2:
            return self._inner.check(conjuncts, budget, cancel)
        deadline = budget.started()
        model: dict[Term, bool | int] = {}
        unknown: Unknown | None = None
        settled_by: list[str] = []
        for group in groups:
            result = self._inner.check(group, deadline.left(), cancel)
            match result:
                case Unsat():
                    return result
                case Unknown():
                    unknown = unknown or result  # another group may still be unsat
                case Sat(found, by):
                    model.update(found)
                    settled_by.append(by)
        return unknown or Sat(model, max(settled_by, key=_effort))

    def _groups(self, terms: Sequence[Term]) -> list[list[Term]]:
        """The connected components of terms that share variables; those with few variables first."""
        whole = list(dict.fromkeys(terms))
        groups: list[_Component] = []
        of: dict[Term, _Component] = {}  # by variable
        for place, term in enumerate(whole):
            mentioned = self._mentioned(term)
            mine = next((of[variable] for variable in mentioned if variable in of), None)
            if mine is None:
                groups.append(mine := _Component())
            mine.places.append(place)
            for variable in mentioned - mine.variables:
                other = of.setdefault(variable, mine)
                if other is mine:
                    mine.variables.add(variable)
                else:
                    mine = mine.joined(other, of)
        groups.sort(key=lambda group: (len(group.variables), min(group.places, default=0)))
        return [[whole[place] for place in sorted(group.places)] for group in groups if group.places]

    def _mentioned(self, term: Term) -> frozenset[Term]:
        known = self._variables.get(term)
        if known is None:
            if len(self._variables) >= _REMEMBERED:
                self._variables.clear()
            known = self._variables[term] = frozenset(free_variables((term,)))
        return known

    def close(self) -> None:
        self._variables.clear()
        super().close()


def _effort(by: str) -> int:
    """The rank of what settled a group: a solver is highest, then the last mechanism. The highest names the result."""
    return MECHANISMS.index(by) if by in MECHANISMS else len(MECHANISMS)

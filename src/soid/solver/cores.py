"""Which assumptions are to blame: an unsat core that a person can read.

Back ends report cores of different quality, some none at all. This one is made by leaving out one assumption after the
other, so nothing in it is superfluous, and it does not depend on which solver answered.
"""

from __future__ import annotations

from collections.abc import Sequence

from soid.formula.term import Term
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Solver, Unsat


def smallest_core(
    solver: Solver,
    conjuncts: Sequence[Term],
    assumptions: Sequence[Term],
    budget: Budget = UNLIMITED,
    cancel: Cancellation | None = None,
) -> tuple[Term, ...] | None:
    """Assumptions that cannot all hold with the conjuncts, none to spare; None if it is not known that they cannot.

    Later assumptions are kept rather than earlier ones. When the budget ends early, some may be to spare after all.
    """
    deadline = budget.started()
    if not isinstance(solver.check(conjuncts, assumptions, deadline.left(), cancel), Unsat):
        return None
    core = list(assumptions)
    for term in assumptions:
        if deadline.is_over:
            break
        fewer = [other for other in core if other is not term]
        if isinstance(solver.check(conjuncts, fewer, deadline.left(), cancel), Unsat):
            core = fewer
    return tuple(core)

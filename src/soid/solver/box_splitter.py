"""Questions over few variables, settled by halving the box that they lie in: what no solver need be asked.

A box says between which values each variable lies. `intervals` shows that a condition holds nowhere in a box, or leaves
it open; then a point of the box is tried, and the box is halved. When the last box is gone nothing satisfies the
question: the boxes that were discarded cover all there was. A point counts only if every condition, evaluated, is true.

    1.0 <= x <= 1.5,  (int)(x / 0.585) == 4               unsat, one box
    1.0 <= x <= 1.5,  x * x > 2.0                         sat, x = 1.5

What needs more boxes than a few, or speaks of more variables, goes to the next solver. `FEW` costs milliseconds and
comes before any solver; `MANY` may take as long as a solver does, and comes when one has not known at once.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.formula.interval_program import Box
from soid.formula.intervals import Values
from soid.formula.term import Term
from soid.solver.box_conditions import HIGH, LOW, MIDDLE, BoxConditions, Size, halves, lay_out
from soid.solver.protocol import UNLIMITED, Budget, Cancellation, Deadline, Result, Sat, Solver, SolverLayer, Unsat
from soid.solver.statistics import Tally

_BY: Final = "boxes"


@final
class Effort(Struct, frozen=True):
    """What is tried before the next solver is asked."""

    evaluations: int  # of terms, over all boxes
    size: Size


FEW: Final = Effort(2_000, Size(variables=3, terms=400))
MANY: Final = Effort(60_000, Size(variables=8, terms=2_000))
_COVER: Final = Effort(20_000, FEW.size)


@final
class BoxSplitter(SolverLayer):
    """Answers what boxes settle, and hands on the rest."""

    def __init__(self, inner: Solver, tally: Tally | None = None, effort: Effort = FEW) -> None:
        super().__init__(inner)
        self._tally = tally or Tally()  # of what it settled
        self._effort = effort

    def check(
        self,
        conjuncts: Sequence[Term],
        assumptions: Sequence[Term] = (),
        budget: Budget = UNLIMITED,
        cancel: Cancellation | None = None,
    ) -> Result:
        began, deadline = time.perf_counter(), budget.started()
        search = _BoxSearch(self._effort.evaluations, deadline, cancel or Cancellation())
        question = None if search.is_over else lay_out([*conjuncts, *assumptions], self._effort.size)
        found = search.run(question) if question is not None else None
        if found is None:
            return self._inner.check(conjuncts, assumptions, deadline.left(), cancel)
        result = Unsat(tuple(assumptions), _BY) if found is _NOTHING else Sat(found, _BY)
        self._tally.add(result, time.perf_counter() - began)
        return result


@final
class Cover(Struct, frozen=True):
    """Boxes that hold all states of some variables, in none of which a question is satisfied."""

    variables: tuple[tuple[Term, str], ...]  # each with the name of its order
    boxes: tuple[Box, ...]


def cover(conjuncts: Sequence[Term], effort: Effort = _COVER) -> Cover | None:
    """The boxes by which conditions are shown to exclude each other; None where that takes more, or they do not."""
    question = lay_out(conjuncts, effort.size)
    search = _BoxSearch(effort.evaluations, UNLIMITED.started(), Cancellation())
    if question is None or search.run(question) is not _NOTHING:
        return None
    variables = tuple((each.term, each.order.name) for each in question.variables)
    return Cover(variables, (*question.outside(), *search.discarded))


_NOTHING: Final[dict[Term, bool | int]] = {}


@final
class _BoxSearch:
    """A search through boxes, until it has come to an end or has taken too much."""

    def __init__(self, evaluations: int, deadline: Deadline, cancel: Cancellation) -> None:
        self._evaluations = evaluations
        self._deadline = deadline
        self._cancel = cancel
        self.discarded: list[Box] = []  # in which nothing satisfies the question

    @property
    def is_over(self) -> bool:
        return self._evaluations < 0 or self._deadline.is_over or self._cancel.cancelled

    def run(self, question: BoxConditions) -> dict[Term, bool | int] | None:
        """A state that satisfies the question, `_NOTHING` if none does, None if that takes more."""
        start = question.start()
        if start is None:
            return _NOTHING
        everything = (1 << len(question.variables)) - 1
        open_boxes: list[tuple[Box, list[Values], int]] = [(start, question.constants.copy(), everything)]
        while open_boxes:
            box, values, changed = open_boxes.pop()
            self._evaluations -= sum(1 for mask in question.masks if mask & changed)
            if self.is_over:
                return None
            if not question.evaluate(box, values, changed):
                self.discarded.append(box)
                continue
            for point in (LOW, HIGH, MIDDLE) if box is start else (MIDDLE,):
                model = question.model_at(box, point)
                if model is not None:
                    return model
            which = question.widest(box, values)
            if which is None:
                self.discarded.append(box)
                continue  # a single point, and it was tried
            open_boxes += [(half, values.copy(), 1 << which) for half in halves(box, which)]
        return _NOTHING

"""Interval branch and bound: settles questions over few variables without a solver.

Interval evaluation discards a box in which a condition is false everywhere. In any other box a point is tried, and the
box is halved. When no box is left the question is unsat: the discarded boxes cover all states. A point is a model only
if every condition evaluates to true there.

    1.0 <= x <= 1.5,  (int)(x / 0.585) == 4               unsat, one box
    1.0 <= x <= 1.5,  x * x > 2.0                         sat, x = 1.5

Questions that need more effort go to the next solver. `FEW` takes milliseconds and comes before any solver; `MANY` may
take as long as a solver, and comes after a solver has failed to answer at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, final

from msgspec import Struct

from soid.budget import UNLIMITED, Budget, Cancellation, Deadline
from soid.formula.interval_program import Box
from soid.formula.intervals import Values
from soid.formula.term import Term
from soid.solver.box_conditions import HIGH, LOW, MIDDLE, BoxConditions, BoxFunction, Size, halves, lay_out
from soid.solver.plain_conditions import lay_out_plainly
from soid.solver.protocol import Conjuncts, Result, Sat, Solver, SolverLayer, Unsat
from soid.solver.statistics import Tally

#: what boxes settle is answered by
BY_BOXES: Final = "boxes"


@final
class Effort(Struct, frozen=True):
    """A limit of the search; beyond it the next solver is asked."""

    evaluations: int  # of terms, over all boxes
    size: Size


FEW: Final = Effort(2_000, Size(variables=3, terms=400))
MANY: Final = Effort(60_000, Size(variables=8, terms=2_000))
_FORMS: Final = 0.25  # of the time that is left is for boxes by affine forms
_COVER: Final = Effort(20_000, FEW.size)
_ENDS: Final = Size(variables=4_096, terms=100_000)


@final
class BoxSplitter(SolverLayer):
    """Answers the questions that boxes settle."""

    def __init__(self, inner: Solver, tally: Tally | None = None, effort: Effort = FEW) -> None:
        super().__init__(inner)
        self._tally = tally or Tally()  # of what it settled
        self._effort = effort

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        began, deadline = time.perf_counter(), budget.started()
        search = _BoxSearch(self._effort.evaluations, deadline, cancel or Cancellation())
        conditions = None if search.is_over else lay_out(conjuncts, self._effort.size)
        found = search.run(conditions) if conditions is not None else None
        if found is None:
            return self._inner.check(conjuncts, deadline.left(), cancel)
        result = Sat(found, BY_BOXES) if found else Unsat(BY_BOXES)
        self._tally.add(result, time.perf_counter() - began)
        return result


@final
class FormSplitter(SolverLayer):
    """Answers questions with many sums of products that boxes by affine forms settle, in a part of the time."""

    def __init__(self, inner: Solver, tally: Tally | None = None) -> None:
        super().__init__(inner)
        self._tally = tally or Tally()  # of what it settled

    def check(self, conjuncts: Conjuncts, budget: Budget = UNLIMITED, cancel: Cancellation | None = None) -> Result:
        began, deadline, cancel = time.perf_counter(), budget.started(), cancel or Cancellation()
        found = _by_forms(conjuncts, (), deadline, cancel)
        if found is None:
            return self._inner.check(conjuncts, deadline.left(), cancel)
        result = Sat(found, BY_BOXES) if found else Unsat(BY_BOXES)
        self._tally.add(result, time.perf_counter() - began)
        return result


def decided_by_boxes(
    conjuncts: Conjuncts,
    functions: Sequence[BoxFunction],
    deadline: Deadline,
    cancel: Cancellation,
    report: Callable[[float], None] = lambda _: None,
) -> Sat | Unsat | None:
    """The answer to conditions that mention results of functions; None if many boxes do not settle it.

    A model has the results that the functions really give. A long search reports which part of its states is settled.
    """
    if any(each.bulk is not None for each in functions):
        from soid.solver.cell_search import search_cells  # numpy takes long to load

        found = search_cells(conjuncts, functions, deadline, cancel, report)
    else:
        found = _searched(conjuncts, functions, deadline, cancel)
        if found is None:
            found = _by_forms(conjuncts, functions, deadline, cancel, report)
    if found is None:
        return None
    return Sat(found, BY_BOXES) if found else Unsat(BY_BOXES)


def _by_forms(
    conjuncts: Conjuncts,
    functions: Sequence[BoxFunction],
    deadline: Deadline,
    cancel: Cancellation,
    report: Callable[[float], None] = lambda _: None,
) -> dict[Term, bool | int] | None:
    """The same by affine forms, in a part of the time that is left."""
    from soid.solver.affine_search import searched  # numpy takes long to load

    left = deadline.seconds_left
    ends = Budget(None if left is None else left * _FORMS).started()
    return searched(conjuncts, functions, ends, cancel, report)


def at_an_end(conjuncts: Conjuncts) -> dict[Term, bool | int] | None:
    """A model at the low ends, the high ends or the middles of what conjuncts leave the variables, if one is there."""
    conditions = lay_out_plainly(conjuncts, _ENDS)
    start = None if conditions is None else conditions.start()
    if conditions is None or start is None:
        return None
    models = (conditions.model_at(start, point) for point in (LOW, HIGH, MIDDLE))
    return next((model for model in models if model is not None), None)


def _searched(
    conjuncts: Conjuncts, functions: Sequence[BoxFunction], deadline: Deadline, cancel: Cancellation
) -> dict[Term, bool | int] | None:
    conditions = lay_out(conjuncts, MANY.size, functions=functions)
    return _BoxSearch(MANY.evaluations, deadline, cancel).run(conditions) if conditions is not None else None


def search_box(
    conditions: BoxConditions,
    box: Box,
    evaluations: int,
    deadline: Deadline,
    cancel: Cancellation,
    discarded: list[Box],
) -> dict[Term, bool | int] | None:
    """A model of the conditions in a box, an empty one if there is none, None if the search ended early.

    The parts of the box that have no model are added to `discarded`.
    """
    search = _BoxSearch(evaluations, deadline, cancel)
    found = search.run(conditions, box)
    discarded += search.discarded
    return found


Range = tuple[int, int]  # ordinals of floats


@final
class Cover(Struct, frozen=True):
    """A proof of unsat: boxes that together hold all states, and have no model."""

    variables: tuple[tuple[Term, str], ...]  # each with the name of its order
    boxes: tuple[Box, ...]
    numbers: tuple[Term, ...] = ()  # symbols of functions that bound many boxes at once, and of what follows from them
    bounds: tuple[tuple[Range | None, ...], ...] = ()  # of each number in each box; None: nothing is said of it


def cover(conjuncts: Sequence[Term], effort: Effort = _COVER) -> Cover | None:
    """Boxes that prove the conjuncts unsatisfiable; None where they are satisfiable, or the effort does not suffice."""
    conditions = lay_out(conjuncts, effort.size)
    search = _BoxSearch(effort.evaluations, UNLIMITED.started(), Cancellation())
    if conditions is None or search.run(conditions) is not _NOTHING:
        return None
    variables = tuple((each.term, each.order.name) for each in conditions.variables)
    return Cover(variables, (*conditions.outside(), *search.discarded))


_NOTHING: Final[dict[Term, bool | int]] = {}


@final
class _BoxSearch:
    """One search; it ends early at its limit of evaluations, at the deadline, or when it is cancelled."""

    def __init__(self, evaluations: int, deadline: Deadline, cancel: Cancellation) -> None:
        self._evaluations = evaluations
        self._deadline = deadline
        self._cancel = cancel
        self.discarded: list[Box] = []  # no state in them satisfies the conditions

    @property
    def is_over(self) -> bool:
        return self._evaluations < 0 or self._deadline.is_over or self._cancel.cancelled

    def run(self, conditions: BoxConditions, within: Box | None = None) -> dict[Term, bool | int] | None:
        """A model of the conditions, `_NOTHING` if there is none, None if the search ended early."""
        start = within or conditions.start()
        if start is None:
            return _NOTHING
        everything = (1 << len(conditions.variables)) - 1
        open_boxes: list[tuple[Box, list[Values], int]] = [(start, conditions.constants.copy(), everything)]
        while open_boxes:
            box, values, changed = open_boxes.pop()
            self._evaluations -= sum(1 for mask in conditions.masks if mask & changed)
            if self.is_over:
                return None
            if not conditions.evaluate(box, values, changed):
                self.discarded.append(box)
                continue
            for point in (LOW, HIGH, MIDDLE) if box is start else (MIDDLE,):
                model = conditions.model_at(box, point)
                if model is not None:
                    return model
            which = conditions.widest(box, values)
            if which is None:  # a single point, which is no model
                self.discarded.append(box)
                continue
            open_boxes += [(half, values.copy(), 1 << which) for half in halves(box, which)]
        return _NOTHING

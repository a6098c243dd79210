"""Branch and bound over boxes by affine forms: proofs about sums of products, such as the layers of a network in C.

A box in which a condition is false everywhere is discarded; the middle of some others is tried; the rest are cut where
the forms of undecided comparisons are steepest. `BoxSplitter` does the same by intervals, one box after the other, and
needs far more boxes where one input goes into a sum in several ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, final

import numpy as np

from soid.budget import Cancellation, Deadline
from soid.formula import operators as ops
from soid.formula.function_arguments import Places, places_of
from soid.formula.interval_program import Box
from soid.formula.passes import flatten_and
from soid.formula.term import Term
from soid.solver.affine_program import AffineLook, AffineProgram
from soid.solver.box_conditions import MIDDLE, BoxConditions, BoxFunction, Size, lay_out
from soid.solver.box_splitter import Cover

_SIZE: Final = Size(variables=64, terms=20_000)
_SUMS: Final = 16  # with fewer products and sums intervals and solvers are as good
_AT_ONCE: Final = 4_000_000  # slopes that are computed at once
_LARGE_GROUP: Final = 128  # boxes
_TRIED: Final = 2  # boxes of a group whose middles are tried: a model is evaluated term by term
_SURE: Final = 1_000  # boxes: after so many their pace tells how many there will be
_EVEN: Final = 0.1  # of the steepest input's gain that every input has: what is steep changes from box to box

Model = dict[Term, bool | int]
_NOTHING: Final[Model] = {}


def searched(
    conjuncts: Sequence[Term],
    functions: Sequence[BoxFunction],
    deadline: Deadline,
    cancel: Cancellation,
    report: Callable[[float], None] = lambda _: None,
    most: int = 200_000,
) -> Model | None:
    """A model of the conjuncts, an empty one if there is none; None if that is not found out, by at most so many boxes.

    It ends at once where it would take more of them, at the pace at which it settles the first box.

    A long search reports which share of the first box is settled.
    """
    conditions = _laid_out(conjuncts, functions)
    return None if conditions is None else _found(conditions, None, deadline, cancel, report, most)


def cover_by_forms(
    conjuncts: Sequence[Term],
    functions: Sequence[BoxFunction],
    shown: Callable[[Mapping[Term, tuple[str, tuple[int, int]]]], bool],
    most: int,
    deadline: Deadline,
    cancel: Cancellation,
) -> Cover | Model | None:
    """Boxes that prove the conjuncts unsatisfiable, and a model where they are not; None if neither is found out.

    `shown`: whether a checker sees of a box that it has no model, from the order and the places of each variable in it.
    """
    conditions = _laid_out(conjuncts, functions)
    if conditions is None:
        return None
    names = [(each.term, each.order.name) for each in conditions.variables]

    def is_shown(box: Box) -> bool:
        return shown({term: (order, side) for (term, order), side in zip(names, box, strict=True)})

    boxes = list(conditions.outside())
    if not all(map(is_shown, boxes)):
        return None

    def leaf(box: Box) -> bool:
        if len(boxes) == most or not is_shown(box):
            return False
        boxes.append(box)
        return True

    found = _found(conditions, leaf, deadline, cancel, lambda _: None, most)
    return found if found is None or found else Cover(tuple(names), tuple(boxes))


def has_sums(conjuncts: Sequence[Term], functions: Sequence[BoxFunction]) -> bool:
    """Whether there are so many sums of products that boxes by affine forms are worth a try."""
    return _laid_out(conjuncts, functions) is not None


def _laid_out(conjuncts: Sequence[Term], functions: Sequence[BoxFunction]) -> BoxConditions | None:
    conditions = lay_out(flatten_and(conjuncts), _SIZE, functions=functions)
    if conditions is None or sum(term.op in _ARITHMETIC for term in conditions.order) < _SUMS:
        return None
    return conditions


def _found(
    conditions: BoxConditions,
    leaf: Callable[[Box], bool] | None,
    deadline: Deadline,
    cancel: Cancellation,
    report: Callable[[float], None],
    most: int,
) -> Model | None:
    start = conditions.start()
    if start is None:
        return _NOTHING
    program = AffineProgram.of(conditions)
    if program is None:
        return None
    low, high = (np.array([ends], np.int64) for ends in zip(*start, strict=True))
    return _AffineSearch(conditions, program, low, high, leaf).run(deadline, cancel, report, most)


_ARITHMETIC: Final = (ops.FP_ADD, ops.FP_SUB, ops.FP_MUL, ops.FP_FMA, ops.FP_DIV)


@final
class _AffineSearch:
    """One search: open boxes, the last ones first, each with its share of the first one."""

    def __init__(
        self,
        conditions: BoxConditions,
        program: AffineProgram,
        low: Places,
        high: Places,
        leaf: Callable[[Box], bool] | None,
    ) -> None:
        self._conditions = conditions
        self._program = program
        self._leaf = leaf  # whether a box without a model is done with; None: each is
        self._low, self._high, self._shares = low, high, np.ones(1)
        self._widths: Any = None  # of the inputs in the first box
        self._settled = 0.0

    def run(self, deadline: Deadline, cancel: Cancellation, report: Callable[[float], None], most: int) -> Model | None:
        terms = max(1, len(self._conditions.order))
        group = max(1, min(_LARGE_GROUP, _AT_ONCE // (terms * self._program.width)))
        looked = 0
        while len(self._low):
            slow = looked >= most or (looked > _SURE and looked > self._settled * most)
            if slow or deadline.is_over or cancel.cancelled:
                return None
            low, high, shares = self._low[-group:], self._high[-group:], self._shares[-group:]
            self._low, self._high, self._shares = self._low[:-group], self._high[:-group], self._shares[:-group]
            looked += len(low)
            found = self._program.evaluate(low, high)
            model, open_ = self._tried(low, high, ~found.impossible)
            if model is not None:
                return model
            if self._leaf is not None:
                for row in np.flatnonzero(~open_).tolist():
                    open_[row] = not self._leaf(_box(low, high, row))
            left = np.flatnonzero(open_)
            self._settled += float(shares[~open_].sum())
            report(self._settled)
            if not self._cut(low, high, shares, found, left):
                return None
        return _NOTHING

    def _tried(self, low: Places, high: Places, open_: Any) -> tuple[Model | None, Any]:
        """A model in the middle of some box, and which boxes are open: a point is none any more."""
        open_, points = open_.copy(), (low == high).all(axis=1)
        for row in [*np.flatnonzero(open_ & points), *np.flatnonzero(open_ & ~points)[:_TRIED]]:
            model = self._conditions.model_at(_box(low, high, row), MIDDLE)
            if model is not None:
                return model, open_
            open_[row] = not points[row]
        return None, open_

    def _cut(self, low: Places, high: Places, shares: Any, found: AffineLook, left: Any) -> bool:
        """Halve boxes; False if one cannot be halved."""
        if not len(left):
            return True
        low, high, shares = low[left], high[left], shares[left]
        which = self._steepest(found, low, high, left)
        if which is None:
            return False
        rows = np.arange(len(left))
        at = self._middles(found, low, high, left, which)
        upper, lower = low.copy(), high.copy()
        upper[rows, which], lower[rows, which] = at, at - 1
        self._low = np.concatenate([self._low, low, upper])
        self._high = np.concatenate([self._high, lower, high])
        self._shares = np.concatenate([self._shares, shares / 2, shares / 2])
        return True

    def _steepest(self, found: AffineLook, low: Places, high: Places, left: Any) -> Any:
        """For each box the variable to cut; None if one has none."""
        gains = found.gains[left]
        gains = gains + _EVEN * gains.max(axis=1, keepdims=True)
        width = np.zeros_like(gains)
        for column, number in enumerate(self._program.variables):
            if number is not None:
                width[:, number] = np.maximum(width[:, number], (found.high - found.low)[left, column])
        if self._widths is None:
            self._widths = width[0].copy()
        with np.errstate(all="ignore"):
            relative = np.nan_to_num(width / self._widths, nan=0.0, posinf=1.0)
        gains = np.where(high > low, gains * relative, 0.0)
        gains[(gains <= 0).all(axis=1)] = np.where(high > low, relative, 0.0)[(gains <= 0).all(axis=1)]
        return None if (gains <= 0).all(axis=1).any() else gains.argmax(axis=1)

    def _middles(self, found: AffineLook, low: Places, high: Places, left: Any, which: Any) -> Any:
        """Where the upper half of each box begins: half of the numbers are below, not half of the floats."""
        middle = low[np.arange(len(low)), which] // 2 + high[np.arange(len(low)), which] // 2 + 1
        for column, number in enumerate(self._program.variables):
            rows = np.flatnonzero(which == number) if number is not None else ()
            if number is None or not len(rows):
                continue
            ends = found.low[left[rows], column], found.high[left[rows], column]
            numbers = ends[0] + (ends[1] - ends[0]) / 2
            places = np.array(places_of(self._conditions.variables[number].order, numbers.tolist()), np.int64)
            middle[rows] = np.where(np.isfinite(numbers), places, middle[rows])
        rows = np.arange(len(low))
        return np.clip(middle, low[rows, which] + 1, high[rows, which])


def _box(low: Places, high: Places, row: Any) -> Box:
    return tuple(zip(low[row].tolist(), high[row].tolist(), strict=True))

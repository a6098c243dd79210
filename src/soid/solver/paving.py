"""A paving: boxes that cover a family. A goal is excluded from the settled ones; the others are open.

The largest open box by measure is cut next. So it is known at any time how much is settled, and when no box is open the
goal is excluded from the whole family.

    family: 0.0 <= x <= 4.0       goal: x * x == 2.0        settled: all but a box around the root, which is being cut
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, final

from msgspec import Struct, field

from soid.formula.checker import Checker
from soid.formula.interval_program import Box
from soid.solver.box_cutter import BoxCutter, CutBox, Cuts, Model
from soid.solver.state_count import NONE, Count

_OPEN: Final = 50_000  # boxes: with more the paving ends


@final
class Paving(Struct):
    """The boxes of a family so far."""

    settled: Count = NONE  # the size of what the goal is excluded from
    model: Model | None = None  # a state that shows the goal
    stuck: list[CutBox] = field(default_factory=list)  # open, but not to be cut further
    _open: list[tuple[int, int, CutBox]] = field(default_factory=list)
    unsettled: Count = NONE  # the size of what is open
    _serial: Iterator[int] = field(default_factory=itertools.count)

    @property
    def is_over(self) -> bool:
        """Whether no box is to be cut any more."""
        return self.model is not None or not self._open or len(self._open) > _OPEN

    @property
    def excluded(self) -> bool:
        """Whether the goal is excluded from the whole family."""
        return self.model is None and not self._open and not self.stuck

    @property
    def open(self) -> list[CutBox]:
        """The open boxes, the largest first."""
        return sorted([*self.stuck, *(piece for _, _, piece in self._open)], key=lambda piece: -piece.size.most)

    @property
    def share(self) -> Fraction:
        """The share of the family that is settled, by measure: exact if `is_exact`, else a lower bound."""
        whole = self.settled.least + self.unsettled.most
        return Fraction(self.settled.least, whole) if whole else Fraction(not self.open)

    @property
    def is_exact(self) -> bool:
        return self.settled.is_exact and self.unsettled.is_exact

    def add(self, piece: CutBox) -> None:
        """Add an open box."""
        self.unsettled = self.unsettled.plus(piece.size)
        if piece.stuck:
            self.stuck.append(piece)
        else:
            heapq.heappush(self._open, (-piece.size.most, next(self._serial), piece))

    def take(self) -> CutBox:
        """Take out the largest box, in order to cut it and `enter` the result."""
        piece = heapq.heappop(self._open)[2]
        self.unsettled = self.unsettled.minus(piece.size)
        return piece

    def take_all(self) -> list[CutBox]:
        """Take out all boxes that are to be cut."""
        return [self.take() for _ in range(len(self._open))]

    def enter(self, cuts: Cuts) -> None:
        """Add the result of cutting a box."""
        self.settled = self.settled.plus(cuts.settled)
        self.model = self.model or cuts.model
        for piece in cuts.open:
            self.add(piece)


def begin(cutter: BoxCutter) -> Paving:
    """The paving in which the whole family is open."""
    paving = Paving()
    whole = cutter.whole()
    if whole is not None:
        paving.add(whole)
    return paving


def reopened(cutter: BoxCutter, boxes: Sequence[tuple[Box, bool]]) -> Paving | None:
    """The paving in which these boxes are open, each stuck or not, and the rest is settled; None if they do not fit."""
    paving, whole = Paving(), cutter.whole()
    if whole is None:
        return paving
    if any(not _inside(box, whole.box) for box, _ in boxes):
        return None
    for box, stuck in boxes:
        paving.add(cutter.piece(box, stuck=stuck))
    paving.settled = whole.size.less(paving.unsettled)
    return paving


def _inside(box: Box, whole: Box) -> bool:
    return len(box) == len(whole) and all(
        first <= low <= high <= last for (low, high), (first, last) in zip(box, whole, strict=True)
    )


def pave(
    paving: Paving,
    cutter: BoxCutter,
    check: Checker,
    is_over: Callable[[], bool],
    report: Callable[[Paving], None] = lambda _: None,
) -> None:
    """Cut boxes until the paving is over or `is_over`; `check` is asked about single boxes."""
    while not paving.is_over and not is_over():
        paving.enter(cutter.cut(paving.take(), check))
        report(paving)

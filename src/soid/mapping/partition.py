"""Cuts a family into boxes, each with a label that is true of all its states.

A box that interval evaluation does not label is cut where a condition on one variable changes: such boundaries are
exact. If only conditions on both variables are undecided, a few states are evaluated; if all have the same label, a
solver is asked whether all states of the box have it. Otherwise the box is halved: along one variable down to single
values, along two (for a boundary that is not parallel to an axis) as far as the resolution goes. The rest is open.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, final

from msgspec import Struct, field

from soid.budget import Budget
from soid.errors import QueryError
from soid.formula.checker import Impossible, Open
from soid.formula.interval_program import Box
from soid.formula.measure import Ruler, ruler_for
from soid.mapping.claims import ClaimKind, Outputs, RegionLabel
from soid.mapping.region_prover import CandidateBox, RegionProver, UndecidedBox
from soid.oracle.inquiry import Inquiry, QuestionProgress
from soid.query.words.shares import rounded_down
from soid.surface import Advice

#: a box with so few states is evaluated state by state
_ENUMERATED: Final = 16
#: a variable with so few values is split into single values before the other is halved
_FEW: Final = 8
#: a solver's limits for one box: seconds, and a share of the remaining time
_GLANCE, _SHARE = 2.0, 0.1
#: after so many boxes in a row that the solver did not settle, it is not asked any more
_HOPELESS: Final = 4
#: boxes between two progress reports
_REPORTED: Final = 64
#: a map with more labels is refused
MOST_LABELS: Final = 48
#: by number of axes: states along each axis that are evaluated early to see whether there are more labels
_TRIED: Final = {1: 64, 2: 9}

NOT_TOLD_APART: Final = "finer than this map shows: a boundary may run through here"
BUDGET_OVER: Final = "left open when the map had as many boxes as it may have"
TIME_OVER: Final = "left open when the time was over"
CALLED_OFF: Final = "left open when the map was called off"

Labelled = tuple[Box, RegionLabel]


@final
class Fineness(Struct, frozen=True):
    """The limits of a map."""

    resolution: int = 256  # parts of the width and height; a boundary along two variables is followed down to one part
    boxes: int = 20_000  # to look at


@final
class Partition(Struct, dict=True):
    """A family while it is cut into boxes."""

    ground: RegionProver
    asking: Inquiry
    fineness: Fineness
    start: Sequence[Box] = ()  # what is to be cut; empty: all states between the axes' ends
    found: list[Labelled] = field(default_factory=list)
    looked_at: int = 0
    _hopeless: int = 0  # boxes in a row that the solver did not settle

    def boxes(self) -> list[Labelled]:
        """All boxes; together they cover what is to be cut."""
        labels = self._sampled_labels()
        self._refuse_many_values(labels)
        order = itertools.count()
        whole = self.ground.whole()
        begun = [self.ground.part(whole, box, whole.claims) for box in self.start] or [whole]
        waiting = [(0.0, next(order), part) for part in begun]
        total = left = sum(self._size(part.box) for part in begun)
        counted = 0
        while waiting:
            reason = self._stopped()
            if reason:
                self.found += [(part.box, RegionLabel(ClaimKind.OPEN, reason)) for *_, part in waiting]
                break
            *_, part = heapq.heappop(waiting)
            self.looked_at += 1
            left -= sum(self._size(box) for box, _ in self.found[counted:])
            labels |= {label for _, label in self.found[counted:]}
            self._refuse_many_values(labels)
            counted = len(self.found)
            if self.looked_at % _REPORTED == 0:
                self.asking.context.progress(QuestionProgress("map", share=rounded_down(Fraction(total - left, total))))
            for smaller in self._look(part):
                extent = max(self._width(smaller.box, number) for number in range(len(smaller.box)))
                heapq.heappush(waiting, (-extent, next(order), smaller))
        return self.found

    def _size(self, box: Box) -> int:
        return math.prod(ruler.size(*ends) for ruler, ends in zip(self._rulers, box, strict=True))

    @cached_property
    def _rulers(self) -> tuple[Ruler, ...]:
        return tuple(ruler_for(axis.variable.order, axis.low, axis.high) for axis in self.ground.axes)

    def _stopped(self) -> str:
        if self.asking.context.cancel.cancelled:
            return CALLED_OFF
        if self.asking.deadline.is_over:
            return TIME_OVER
        return BUDGET_OVER if self.looked_at >= self.fineness.boxes else ""

    def _look(self, part: CandidateBox) -> Iterator[CandidateBox]:
        """Label a box, or give the parts to look at next."""
        judged = self.ground.judged(part)
        if isinstance(judged, RegionLabel):
            self.found.append((part.box, judged))
            return
        if part.states <= _ENUMERATED:
            self.found += [
                (tuple((place, place) for place in places), self.ground.at(places, judged.claims))
                for places in itertools.product(*(range(low, high + 1) for low, high in part.box))
            ]
            return
        if any(judged.cuts):  # cut along the axis with the most changes of conditions, at the middle one of them
            along, cuts = max(enumerate(judged.cuts), key=lambda each: len(each[1]))
            yield from self._split(part, judged, along, cuts[len(cuts) // 2])
            return
        number = self._to_halve(part.box, judged)
        if (number is None or not self.ground.halves_first) and self._settled_by_solver(part, judged):
            return
        if number is None:
            self.found.append((part.box, RegionLabel(ClaimKind.OPEN, NOT_TOLD_APART)))
            return
        yield from self._split(part, judged, number, self._middle(part.box, number))

    def _split(self, part: CandidateBox, judged: UndecidedBox, number: int, last: int) -> Iterator[CandidateBox]:
        low, high = part.box[number]
        for places in ((low, last), (last + 1, high)):
            box = (*part.box[:number], places, *part.box[number + 1 :])
            yield self.ground.part(part, box, judged.claims)

    def _to_halve(self, box: Box, judged: UndecidedBox) -> int | None:
        """The axis along which a box is halved; None if that is below the resolution."""
        wide = [number for number, (low, high) in enumerate(box) if low < high]
        few = [number for number in judged.axes if box[number][1] - box[number][0] < _FEW]
        if few and len(wide) > 1:
            return few[0]
        widest = max(judged.axes, key=lambda number: self._width(box, number))
        if len(wide) == 1:
            return widest
        return widest if self._width(box, widest) * self.fineness.resolution > 1.0 else None

    def _middle(self, box: Box, number: int) -> int:
        """The middle in the picture; below the resolution, the middle in the order of values."""
        low, high = box[number]
        seen = self._width(box, number) * self.fineness.resolution > 1.0
        return self.ground.axes[number].middle(low, high) if seen else (low + high) // 2

    def _width(self, box: Box, number: int) -> float:
        start, end = self.ground.axes[number].span(*box[number])
        return end - start

    def _settled_by_solver(self, part: CandidateBox, judged: UndecidedBox) -> bool:
        """Whether a solver proves that all states of a box have the label of its corners and its middle."""
        if self._hopeless >= _HOPELESS:
            return False
        middle, corners = (
            tuple((low + high) // 2 for low, high in part.box),
            dict.fromkeys(itertools.product(*part.box)),
        )
        label = self.ground.at(middle, judged.claims)
        if label.kind is ClaimKind.OPEN or any(self.ground.at(each, judged.claims) != label for each in corners):
            return False
        left = self.asking.deadline.seconds_left
        budget = Budget(_GLANCE if left is None else min(_GLANCE, _SHARE * left))
        answer = self.asking.check_until(budget.started())(self.ground.otherwise([part.box], label, part.claims))
        if isinstance(answer, Open):
            self._hopeless += 1
        elif isinstance(answer, Impossible):
            self._hopeless = 0
            self.found.append((part.box, label))
        return isinstance(answer, Impossible)

    def _sampled_labels(self) -> set[RegionLabel]:
        """The labels of some states, in order to refuse a map with too many labels early."""
        axes = self.ground.axes
        tried = _TRIED[len(axes)]
        lines = [dict.fromkeys(axis.nearest(n / (tried - 1)) for n in range(tried)) for axis in axes]
        return {self.ground.at(places) for places in itertools.product(*lines)}

    def _refuse_many_values(self, labels: set[RegionLabel]) -> None:
        """Refuse a map with too many labels rather than draw the first of them."""
        by = self.ground.by
        if len(labels) <= MOST_LABELS or not isinstance(by, Outputs):
            return
        decided = [label.values for label in labels if label.kind is ClaimKind.DECIDES]
        if len(decided) > MOST_LABELS:
            name = max(by.names, key=lambda each: len({values[by.names.index(each)] for values in decided}))
            raise QueryError(
                f"{name} takes very many values here: a region for each of them makes no map",
                Advice(
                    command=f'Tell regions apart by a behavior instead: --by "{name} > 0.5".',
                    python=f'Tell regions apart by a behavior instead: by="{name} > 0.5".',
                    page=f"Tell regions apart by a behavior instead: {name} > 0.5.",
                ),
            )


def merged(boxes: Iterable[Box]) -> list[Box]:
    """The same states in fewer boxes, in order, for a calm picture and a short list.

    Boxes that are equal along one axis and touch along the other are joined, along each axis in turn, until nothing
    changes.

    >>> merged([((0, 3), (0, 0)), ((4, 9), (0, 0)), ((0, 9), (1, 1)), ((11, 12), (0, 1))])
    [((0, 9), (0, 1)), ((11, 12), (0, 1))]
    """
    found = sorted(boxes)
    while found:
        before = len(found)
        for number in range(len(found[0])):
            found = _joined(found, number)
        if len(found) == before:
            break
    return sorted(found)


def _joined(boxes: list[Box], number: int) -> list[Box]:
    """Joined along one axis."""
    lines: dict[Box, list[tuple[int, int]]] = defaultdict(list)
    for box in boxes:
        lines[box[:number] + box[number + 1 :]].append(box[number])
    found: list[Box] = []
    for rest, stretches in lines.items():
        stretches.sort()
        low, high = stretches[0]
        for first, last in stretches[1:]:
            if first == high + 1:
                high = last
            else:
                found.append((*rest[:number], (low, high), *rest[number:]))
                low, high = first, last
        found.append((*rest[:number], (low, high), *rest[number:]))
    return found

"""Cutting a family into boxes, each with a label that is true of all its states.

A box of which intervals do not tell what happens is cut where a condition on one variable changes: such boundaries are
exact. Where only conditions on both variables are open, single states are tried, and if all show the same a solver is
asked whether all states of the box do. Otherwise the box is halved: along one variable down to single values, along two
(a boundary that is no straight line along an axis) as far as the resolution goes. What is left then is open.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from typing import Final, final

from msgspec import Struct, field

from soid.budget import Budget
from soid.errors import QueryError
from soid.formula.checker import Impossible, Open
from soid.formula.interval_program import Box
from soid.mapping.claims import ClaimKind, Outputs, RegionLabel
from soid.mapping.region_prover import CandidateBox, RegionProver, UndecidedBox, states_in
from soid.oracle.inquiry import Inquiry

#: states that are looked at one by one
_ENUMERATED: Final = 16
#: values of a variable that are told apart one by one, before the other is halved
_FEW: Final = 8
#: what a solver may take for one box: seconds, and a part of what is left
_GLANCE, _SHARE = 2.0, 0.1
#: in a row; a solver that does not settle so many boxes is not asked about more
_HOPELESS: Final = 4
#: labels of which a map is still one
MOST_LABELS: Final = 48
#: states along an axis that are tried in order to see whether there are more
_TRIED: Final = {1: 64, 2: 9}

NOT_TOLD_APART: Final = "finer than this map shows: a boundary may run through here"
BUDGET_OVER: Final = "left open when the map had as many boxes as it may have"
TIME_OVER: Final = "left open when the time was over"
CALLED_OFF: Final = "left open when the map was called off"

Labelled = tuple[Box, RegionLabel]


@final
class Fineness(Struct, frozen=True):
    """How closely a map looks."""

    resolution: int = 256  # parts of the picture's width and height to which a boundary that is no line is followed
    boxes: int = 20_000  # that are looked at


@final
class Partition(Struct):
    """A family on its way to becoming boxes."""

    ground: RegionProver
    asking: Inquiry
    fineness: Fineness
    report: Callable[[float], None] = lambda _: None  # is told the share of the ground that has a label
    found: list[Labelled] = field(default_factory=list)
    looked_at: int = 0
    _hopeless: int = 0  # boxes that the solver has not settled, since it last settled one

    def boxes(self) -> list[Labelled]:
        """All boxes; together they are the whole ground."""
        labels = self._here_and_there()
        self._refuse_many_values(labels)
        order = itertools.count()
        whole = self.ground.whole()
        waiting = [(0.0, next(order), whole)]
        left, counted = whole.states, 0
        while waiting:
            reason = self._stopped()
            if reason:
                self.found += [(part.box, RegionLabel(ClaimKind.OPEN, reason)) for *_, part in waiting]
                break
            *_, part = heapq.heappop(waiting)
            self.looked_at += 1
            left -= sum(states_in(box) for box, _ in self.found[counted:])
            labels |= {label for _, label in self.found[counted:]}
            self._refuse_many_values(labels)
            counted = len(self.found)
            self.report(1.0 - left / whole.states)
            for smaller in self._look(part):
                heapq.heappush(waiting, (-self._extent(smaller.box), next(order), smaller))
        return self.found

    def _stopped(self) -> str:
        if self.asking.context.cancel.cancelled:
            return CALLED_OFF
        if self.asking.deadline.is_over:
            return TIME_OVER
        return BUDGET_OVER if self.looked_at >= self.fineness.boxes else ""

    def _look(self, part: CandidateBox) -> Iterator[CandidateBox]:
        """Settle a box, or give the parts of it that are to be looked at."""
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
        if any(judged.cuts):
            yield from self._cut(part, judged)
            return
        if self._settled_by_solver(part, judged):
            return
        number = self._to_halve(part.box, judged)
        if number is None:
            self.found.append((part.box, RegionLabel(ClaimKind.OPEN, NOT_TOLD_APART)))
            return
        yield from self._split(part, judged, number, self._middle(part.box, number))

    # --- cutting ----------------------------------------------------------------------------------------------

    def _cut(self, part: CandidateBox, judged: UndecidedBox) -> Iterator[CandidateBox]:
        """At the middle one of the places where conditions change."""
        number = max(range(len(judged.cuts)), key=lambda each: len(judged.cuts[each]))
        cuts = judged.cuts[number]
        yield from self._split(part, judged, number, cuts[len(cuts) // 2])

    def _split(self, part: CandidateBox, judged: UndecidedBox, number: int, last: int) -> Iterator[CandidateBox]:
        low, high = part.box[number]
        for places in ((low, last), (last + 1, high)):
            box = (*part.box[:number], places, *part.box[number + 1 :])
            yield self.ground.part(part, box, judged.claims)

    def _to_halve(self, box: Box, judged: UndecidedBox) -> int | None:
        """The axis along which a box is halved; None if that would be finer than the map shows."""
        wide = [number for number, (low, high) in enumerate(box) if low < high]
        few = [number for number in judged.axes if box[number][1] - box[number][0] < _FEW]
        if few and len(wide) > 1:
            return few[0]
        widest = max(judged.axes, key=lambda number: self._width(box, number))
        if len(wide) == 1:
            return widest
        return widest if self._width(box, widest) * self.fineness.resolution > 1.0 else None

    def _middle(self, box: Box, number: int) -> int:
        """By sight as long as there is something to see, then by the order of values."""
        low, high = box[number]
        seen = self._width(box, number) * self.fineness.resolution > 1.0
        return self.ground.axes[number].middle(low, high) if seen else (low + high) // 2

    def _width(self, box: Box, number: int) -> float:
        start, end = self.ground.axes[number].span(*box[number])
        return end - start

    def _extent(self, box: Box) -> float:
        return max(self._width(box, number) for number in range(len(box)))

    # --- asking -----------------------------------------------------------------------------------------------

    def _settled_by_solver(self, part: CandidateBox, judged: UndecidedBox) -> bool:
        """Whether all states of a box are what its corners and its middle are: proved."""
        if self._hopeless >= _HOPELESS:
            return False
        first, *others = _middle_and_corners(part.box)
        label = self.ground.at(first, judged.claims)
        if label.kind is ClaimKind.OPEN or any(self.ground.at(each, judged.claims) != label for each in others):
            return False
        left = self.asking.deadline.seconds_left
        budget = Budget(_GLANCE if left is None else min(_GLANCE, _SHARE * left))
        answer = self.asking.check_until(budget.started())(self.ground.otherwise(part, label))
        if isinstance(answer, Open):
            self._hopeless += 1
        elif isinstance(answer, Impossible):
            self._hopeless = 0
            self.found.append((part.box, label))
        return isinstance(answer, Impossible)

    # --- too many labels --------------------------------------------------------------------------------------

    def _here_and_there(self) -> set[RegionLabel]:
        """What happens in some states: enough to see early that there is too much to tell apart."""
        axes = self.ground.axes
        tried = _TRIED[len(axes)]
        lines = [dict.fromkeys(axis.nearest(n / (tried - 1)) for n in range(tried)) for axis in axes]
        return {self.ground.at(places) for places in itertools.product(*lines)}

    def _refuse_many_values(self, labels: set[RegionLabel]) -> None:
        """A map of a thousand values is none; better to say so than to draw the first of them."""
        by = self.ground.by
        if len(labels) <= MOST_LABELS or not isinstance(by, Outputs):
            return
        decided = [label.values for label in labels if label.kind is ClaimKind.DECIDES]
        if len(decided) > MOST_LABELS:
            name = max(by.names, key=lambda each: len({values[by.names.index(each)] for values in decided}))
            raise QueryError(
                f"{name} takes very many values here: a region for each of them makes no map",
                f'Tell regions apart by a behavior instead: --by "{name} > 0.5".',
            )


def _middle_and_corners(box: Box) -> Iterator[tuple[int, ...]]:
    yield tuple((low + high) // 2 for low, high in box)
    yield from dict.fromkeys(itertools.product(*box))

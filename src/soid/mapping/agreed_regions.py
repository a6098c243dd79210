"""Regions of a moment at which some inputs are not known: a region has a label if that is so for every value of these.

The map is made for one possible value of each. What it shows is then proved for every value, or a solver finds values
for which it is otherwise. The map for those values cuts the regions: where two maps differ, it depends on the inputs in
which their values differ. This goes on until nothing is left to prove.

    level is anything, ticks is not known (0 to 5)        stop if level + ticks > 6
    ticks = 0:  level 0 to 6 goes, from 7 on it stops     for every value? not at ticks = 5
    ticks = 5:  level 0 and 1 go, from 2 on it stops      0 and 1 go, from 7 on it stops: proved; 2 to 6 depend on ticks
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, assert_never, final

from msgspec import Struct, field

from soid.budget import Budget
from soid.engine.summary import PathSummary
from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.interval_program import Box
from soid.formula.term import Term
from soid.mapping.claims import ClaimKind, RegionLabel
from soid.mapping.partition import Fineness, Labelled, Partition, merged
from soid.mapping.region_prover import RegionProver
from soid.oracle.inquiry import Inquiry
from soid.program.interface import Variable
from soid.query.words import listed
from soid.scenario.family import Family

#: values for which a map is made
_MOST: Final = 64
#: the share of the remaining time that the map for one value of each may take
_ONE_MAP: Final = 0.5
#: a solver's limits for one proof: seconds, and a share of the remaining time
_SECONDS, _SHARE = 10.0, 0.25

Values = Mapping[Variable, int]  # bits of the inputs that are not known


@final
class SurveyedGround(Struct, frozen=True):
    """The states of a map, and the paths that their labels come from."""

    prover: RegionProver
    summary: PathSummary


@final
class Alike(Struct, frozen=True):
    """What is so for all values that were tried."""

    label: RegionLabel
    since: int  # the number of the first values that it was shown for
    doubt: RegionLabel | None = None  # for values before these it was open, with this label

    @property
    def is_open(self) -> bool:
        return self.label.kind is ClaimKind.OPEN

    @property
    def is_sure(self) -> bool:
        """Whether it was shown for all values that were tried."""
        return not self.is_open and self.doubt is None


@final
class AgreedRegions(Struct):
    """The regions of a family while they are compared for value after value."""

    whole: SurveyedGround  # with every value that is possible
    ground_at: Callable[[Mapping[str, int]], SurveyedGround]  # with one value of each input that is not known
    family: Family
    asking: Inquiry
    fineness: Fineness
    looked_at: int = 0
    found: list[Labelled] = field(default_factory=list)  # proved for every value, dependent or open
    _tried: list[Values] = field(default_factory=list)
    _alike: dict[Alike, list[Box]] = field(default_factory=dict)

    def boxes(self) -> list[Labelled]:
        """All boxes; together they cover all states between the axes' ends."""
        axes = self.whole.prover.axes
        begun = RegionLabel(ClaimKind.OPEN, self._unsettled("the time was over"))
        self._alike = {Alike(begun, 0): [tuple((axis.low, axis.high) for axis in axes)]}
        values = self._first()
        while values is not None and len(self._tried) < _MOST:
            self._compare(values)
            values = self._contradicting()
        if values is not None:
            open_label = RegionLabel(ClaimKind.OPEN, self._unsettled(f"it changes at more than {_MOST} of its values"))
            for alike in [each for each in self._alike if each.is_sure]:
                self.found += [(box, open_label) for box in self._alike.pop(alike)]
        for alike, boxes in self._alike.items():
            self.found += [(box, alike.doubt or alike.label) for box in boxes]
        return self.found

    def _unsettled(self, why: str) -> str:
        return f"whether it is so for every value of {listed(v.path for v in self.family.undetermined)}: {why}"

    def _first(self) -> Values | None:
        """Values to begin with: those at hand, if they are possible."""
        fact = [v.equals(self.family.fact[v.path]) for v in self.family.undetermined]
        for further in (fact, []):
            answer = self.asking.check([self.family.possible, *further])
            if isinstance(answer, Possible):
                return self._values(answer.model)
        return None

    def _values(self, model: Mapping[Term, Any]) -> Values:
        return {v: int(model.get(v.symbol, self.family.fact[v.path])) for v in self.family.undetermined}

    # --- one value after the other

    def _compare(self, values: Values) -> None:
        """Cut what was alike so far by the map for further values."""
        number = len(self._tried)
        self._tried.append(values)
        before, self._alike = self._alike, {}
        with self.asking.within(_ONE_MAP):  # else nothing would be left for the proofs
            ground = self.ground_at({variable.path: bits for variable, bits in values.items()})
            self.asking.refine(ground.summary)
            for alike, boxes in sorted(before.items(), key=lambda each: not each[0].is_sure):
                partition = Partition(ground.prover, self.asking, self.fineness, merged(boxes))
                for box, label in partition.boxes():
                    self._sort(box, alike, label, number)
                self.looked_at += partition.looked_at

    def _sort(self, box: Box, alike: Alike, label: RegionLabel, number: int) -> None:
        """What is known of a box that was alike so far, and has this label for the last values."""
        is_open = label.kind is ClaimKind.OPEN
        if alike.is_open and not is_open:
            alike = Alike(label, number, alike.label if number else None)
        elif is_open and not alike.is_open:
            alike = Alike(label, number)
        elif alike.is_open:
            alike = alike if number else Alike(label, number)
        elif alike.label != label:
            here, there = self._tried[alike.since], self._tried[number]
            names = listed(v.path for v in here if here[v] != there[v])
            self.found.append((box, RegionLabel(ClaimKind.DEPENDS, f"depends on {names}")))
            return
        self._alike.setdefault(alike, []).append(box)

    # --- every value

    def _contradicting(self) -> Values | None:
        """Values for which something is otherwise that was alike so far; None: all of it is proved, or stays open."""
        self.asking.refine(self.whole.summary)
        for alike in [each for each in self._alike if each.is_sure]:
            waiting = [merged(self._alike.pop(alike))]
            while waiting:
                boxes = waiting.pop()
                otherwise = [self.family.possible, *self.whole.prover.otherwise(boxes, alike.label)]
                answer = self._check(otherwise)
                match answer:
                    case Impossible():
                        self.found += [(box, alike.label) for box in boxes]
                    case Open() if len(boxes) > 1:
                        waiting += [boxes[: len(boxes) // 2], boxes[len(boxes) // 2 :]]
                    case Open(reason):
                        self.found += [(box, RegionLabel(ClaimKind.OPEN, self._unsettled(reason))) for box in boxes]
                    case Possible(model):
                        self._alike[alike] = [box for group in (boxes, *waiting) for box in group]
                        return self._nearer(otherwise, model)
                    case _:
                        assert_never(answer)
        return None

    def _nearer(self, otherwise: Sequence[Term], model: Mapping[Term, Any]) -> Values:
        """Values for which it is otherwise, that differ from the first ones in as few inputs as possible."""
        kept: list[Term] = []
        for variable, bits in self._tried[0].items():
            same = variable.equals(bits)
            if self._values(model)[variable] != bits:
                answer = self._check([*otherwise, *kept, same])
                if not isinstance(answer, Possible):
                    continue
                model = answer.model
            kept.append(same)
        return self._values(model)

    def _check(self, conjuncts: Sequence[Term]) -> Possibility:
        left = self.asking.deadline.seconds_left
        budget = Budget(_SECONDS if left is None else min(_SECONDS, _SHARE * left))
        return self.asking.check_until(budget.started())(conjuncts)

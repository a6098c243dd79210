"""The label of a box or of a state, from the family's condition and the claims of all paths.

Conditions on one variable are evaluated along its axis once (`stretches`); the places where they change are the exact
cuts at which regions may end. Conditions on both variables, or on an approximated function, are left to halving.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.summary import Approximation, add_results
from soid.errors import InternalError, OverlapError
from soid.formula import build, intervals
from soid.formula import operators as ops
from soid.formula.interval_program import Box
from soid.formula.intervals import ALWAYS, NEVER, Values
from soid.formula.passes import evaluate_all, flatten_and
from soid.formula.sorts import Bool
from soid.formula.term import Term, postorder
from soid.mapping.axes import Axis
from soid.mapping.axis_functions import FunctionSteps
from soid.mapping.box_evaluation import Evaluation, Stretches, stretches
from soid.mapping.claims import OUTSIDE, By, Claim, ClaimKind, Outputs, RegionLabel

#: operators that combine conditions: cuts are where one of the combined conditions changes
_JOINING: Final = (ops.AND, ops.OR, ops.NOT, ops.ITE)


@final
class CandidateBox(Struct, frozen=True):
    """A box without a label yet, and the claims that may hold in it."""

    box: Box
    claims: tuple[Claim, ...]
    evaluation: Evaluation

    @property
    def states(self) -> int:
        return states_in(self.box)


def states_in(box: Box) -> int:
    return math.prod(high - low + 1 for low, high in box)


def shared(box: Box, other: Box | None) -> int:
    """The number of states in both."""
    if other is None:
        return 0
    both = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(box, other, strict=True))
    return states_in(both) if all(low <= high for low, high in both) else 0


@final
class UndecidedBox(Struct, frozen=True):
    """A box that may have states with different labels."""

    claims: tuple[Claim, ...]  # those that may hold in it
    cuts: tuple[Sequence[int], ...]  # for each axis: the places after which some undecided condition changes
    axes: tuple[int, ...]  # numbers of the axes that the other undecided conditions depend on


@final
class RegionProver:
    """Labels boxes and states of one family."""

    def __init__(
        self,
        axes: Sequence[Axis],
        precondition: Term,
        claims: Sequence[Claim],
        by: By,
        approximations: Sequence[Approximation] = (),
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.axes = tuple(axes)
        self.by = by
        self._precondition = precondition
        self._claims = tuple(claims)
        self._approximations = approximations
        self._functions = FunctionSteps(approximations, axes)
        self._masks = _masks(self._roots(self._claims), axes, approximations)
        self._known: dict[Term, Stretches] = {}
        self._hard: list[Term] = []
        for term, mask in self._conditions():
            if mask in (1, 2):
                self._known[term] = stretches(term, mask.bit_length() - 1, axes, stopped=stopped)
            else:
                self._hard.append(term)

    @property
    def halves_first(self) -> bool:
        """Whether a box is halved before a solver is asked: bounds of a function without cells are better in halves."""
        return any(not each.has_cells for each in self._functions.bounded.values())

    def whole(self) -> CandidateBox:
        """The box of all states between the axes' ends."""
        box = tuple((axis.low, axis.high) for axis in self.axes)
        return CandidateBox(box, self._claims, self._evaluation(self._claims))

    def part(self, of: CandidateBox, box: Box, claims: tuple[Claim, ...]) -> CandidateBox:
        """A part of a box, in which only these claims may hold."""
        few = 2 * len(claims) <= len(of.claims)  # a new layout of terms pays only if there are far fewer claims
        return CandidateBox(box, claims, self._evaluation(claims) if few else of.evaluation)

    def judged(self, part: CandidateBox) -> RegionLabel | UndecidedBox:
        """The label of every state of a box, if interval evaluation shows it."""
        value = part.evaluation.over(part.box)
        inside = value(self._precondition)
        if inside == NEVER:
            return OUTSIDE
        possible = tuple(claim for claim in part.claims if value(claim.where) != NEVER)
        if inside == ALWAYS:
            if not possible:
                raise _uncovered(part.box, self.axes)
            label = self._agreed(possible, value)
            if label is not None:
                return label
        return self._undecided(part, possible, value)

    def _agreed(self, possible: Sequence[Claim], value: Callable[[Term], Values]) -> RegionLabel | None:
        """The one label of all claims that may hold. If an explored claim holds everywhere, open claims are ignored."""
        explored = [claim for claim in possible if claim.label is None or claim.label.kind is not ClaimKind.OPEN]
        sure = any(value(claim.where) == ALWAYS for claim in explored)
        labels = {self._said(claim, value) for claim in (explored if sure else possible)}
        return labels.pop() if len(labels) == 1 else None

    def _said(self, claim: Claim, value: Callable[[Term], Values]) -> RegionLabel | None:
        if claim.label is not None:
            return claim.label
        assert isinstance(self.by, Outputs)
        found: list[int | None] = []
        for output in claim.outputs:
            defined = value(output.defined) if output is not None else NEVER
            if defined == NEVER:
                found.append(None)
                continue
            assert output is not None
            one = intervals.single(output.term.sort, value(output.term)) if defined == ALWAYS else None
            if one is None:
                return None
            found.append(one)
        return self.by.label(found)

    def _undecided(
        self, part: CandidateBox, possible: tuple[Claim, ...], value: Callable[[Term], Values]
    ) -> UndecidedBox:
        cuts: list[list[int]] = [[] for _ in self.axes]
        depends = 0
        for each in part.evaluation.known:
            if intervals.single(each.term.sort, value(each.term)) is None:
                inside = each.cuts(*part.box[each.axis])
                cuts[each.axis] += inside
                depends |= 0 if inside else 1 << each.axis
        for term in self._hard:
            if part.evaluation.has(term) and intervals.single(term.sort, value(term)) is None:
                depends |= self._masks[term]
        if not any(cuts):  # a function's cells are many, so they are looked at last
            for symbol, function in self._functions.bounded.items():
                if part.evaluation.has(symbol) and (cut := function.cut(part.box)) is not None:
                    cuts[cut[0]].append(cut[1])
        wide = [number for number, (low, high) in enumerate(part.box) if low < high]
        numbers = [number for number in wide if depends >> number & 1]
        return UndecidedBox(possible, tuple(sorted(set(each)) for each in cuts), tuple(numbers or wide))

    def at(self, places: Sequence[int], claims: Sequence[Claim] | None = None) -> RegionLabel:
        """The label of one state, computed exactly."""
        claims = self._claims if claims is None else claims
        values: dict[Term, Any] = {
            axis.variable.symbol: axis.bits(place) for axis, place in zip(self.axes, places, strict=True)
        }
        add_results(self._approximations, values)
        inside, *wheres = evaluate_all([self._precondition, *(claim.where for claim in claims)], values)
        if not inside:
            return OUTSIDE
        taken = [claim for claim, where in zip(claims, wheres, strict=True) if where]
        labels = {self._said_at(claim, values) for claim in taken}
        explored = [label for label in labels if label.kind is not ClaimKind.OPEN]
        if len(explored) > 1:
            raise _overlap(explored, [axis.text(place) for axis, place in zip(self.axes, places, strict=True)])
        if not labels:
            raise _uncovered([(place, place) for place in places], self.axes)
        return explored[0] if explored else min(labels, key=lambda label: label.text)

    def _said_at(self, claim: Claim, values: Mapping[Term, Any]) -> RegionLabel:
        if claim.label is not None:
            return claim.label
        assert isinstance(self.by, Outputs)
        found: list[int | None] = []
        for output in claim.outputs:
            defined, term = evaluate_all([output.defined, output.term], values) if output is not None else (False, 0)
            found.append(int(term) if defined else None)
        return self.by.label(found)

    # --- for a solver -----------------------------------------------------------------------------------------

    def otherwise(self, boxes: Sequence[Box], label: RegionLabel, claims: Sequence[Claim] | None = None) -> list[Term]:
        """That a state of some boxes does not have a label; if that is unsatisfiable, all their states have the label.

        Only these claims may hold there; None: every claim.
        """
        within = build.any_of(
            build.all_of(axis.variable.between(*places) for axis, places in zip(self.axes, box, strict=True))
            for box in boxes
        )
        if label == OUTSIDE:
            return [within, self._precondition]
        says = build.any_of(claim.says(self.by, label) for claim in (self._claims if claims is None else claims))
        return [within, build.not_(build.and_(self._precondition, says))]

    def _roots(self, claims: Sequence[Claim]) -> list[Term]:
        return [self._precondition, *(term for claim in claims for term in claim.terms)]

    def _evaluation(self, claims: Sequence[Claim]) -> Evaluation:
        return Evaluation(self._roots(claims), self.axes, self._known, self._functions)

    def _conditions(self) -> list[tuple[Term, int]]:
        """The single conditions and outputs, and the axes that each depends on."""
        found: dict[Term, int] = {}
        seen: set[Term] = set()
        stack = self._roots(self._claims)
        roots = set(stack)
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen.add(term)
            mask = self._masks[term]
            if mask and term.op not in _JOINING and (isinstance(term.sort, Bool) or term in roots):
                found[term] = mask
                if mask in (1, 2):
                    continue
            stack.extend(term.args)
        return sorted(found.items(), key=lambda item: item[0].uid)


#: set in the mask of a term that depends on other variables than the axes', such as an approximated function
_APPROXIMATED: Final = 4


def _masks(roots: Sequence[Term], axes: Sequence[Axis], approximations: Sequence[Approximation]) -> dict[Term, int]:
    """The axes that each term depends on, as bits."""
    masks = {axis.variable.symbol: 1 << number for number, axis in enumerate(axes)}

    def joined(own: int, terms: Sequence[Term]) -> int:
        return functools.reduce(operator.or_, (masks[term] for term in terms), own)

    def spread(terms: Sequence[Term]) -> None:
        for term in postorder(terms):
            if term not in masks:
                masks[term] = joined(_APPROXIMATED if term.is_var else 0, term.args)

    for each in approximations:  # in the order in which they were made: arguments depend on earlier ones only
        spread(each.arguments)
        masks[each.symbol] = joined(_APPROXIMATED, each.arguments)
    spread(roots)
    return masks


def narrowed(axes: Sequence[Axis], precondition: Term) -> tuple[Axis, ...] | None:
    """The axes narrowed by the family's conditions on one variable; None if these exclude every scenario."""
    masks = _masks([precondition], axes, ())
    found = list(axes)
    if precondition is build.FALSE:
        return None
    for conjunct in flatten_and([precondition]):
        if masks[conjunct] not in (1, 2):
            continue
        number = masks[conjunct].bit_length() - 1
        along = stretches(conjunct, number, found)
        begins = [found[number].low, *(end + 1 for end in along.ends[:-1])]
        kept = [
            (low, high) for low, high, value in zip(begins, along.ends, along.values, strict=True) if value != NEVER
        ]
        if not kept:
            return None
        found[number] = replace(found[number], low=kept[0][0], high=kept[-1][1])
    return tuple(found)


def _uncovered(box: Sequence[tuple[int, int]], axes: Sequence[Axis]) -> InternalError:
    where = ", ".join(f"{axis.variable.path} = {axis.text(low)}" for axis, (low, _) in zip(axes, box, strict=True))
    return InternalError(f"no path covers a state of the family: {where}", "Please report this with the case at hand.")


def _overlap(labels: Sequence[RegionLabel], values: Sequence[str]) -> OverlapError:
    texts = " and ".join(sorted(label.text for label in labels))
    return OverlapError(
        f"paths overlap and differ at {', '.join(values)}: {texts}",
        "Paths of a deterministic program exclude each other; check how these were made.",
    )

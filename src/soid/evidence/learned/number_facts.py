"""The bounds of a cover as terms: what is known of a learned model's numbers, for a solver that knows no model.

    boxes  x <= 0.5: score from -1.0 to 0.0,  x > 0.5: score from 2.0 to 3.0
    facts  (ite (x > 0.5) 2.0 -1.0) <= score,  score <= (ite (x > 0.5) 3.0 0.0)

The boxes are cut one after the other, as they were when they were found, so that a solver need not find out that they
leave no state out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import final

from msgspec import Struct

from soid.errors import BundleError
from soid.evidence.covers import GivenCover
from soid.formula import build
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term


def facts_of(cover: GivenCover) -> tuple[Term, ...]:
    """Two facts for each number: it is not below its least bound, nor above its greatest, in the box of a state."""
    cuts = _cut(cover, range(len(cover.boxes)))
    found: list[Term] = []
    for place, number in enumerate(cover.numbers):
        assert isinstance(number.sort, Float)
        everything = -1 - number.sort.infinity, number.sort.infinity
        ends = [bounds[place] or everything for bounds in cover.bounds]
        low, high = (_chosen(cuts, _constants(number.sort, [each[end] for each in ends])) for end in (0, 1))
        found += [build.fp_leq(low, number), build.fp_leq(number, high)]
    return tuple(found)


def _constants(sort: Float, places: Sequence[int]) -> Callable[[int], Term]:
    return lambda box: build.const(sort, places[box] if places[box] >= 0 else sort.sign_bit - 1 - places[box])


@final
class _Cut(Struct, frozen=True):
    """Where the space is cut in two."""

    condition: Term
    upper: _Cuts  # where it is true
    lower: _Cuts


_Cuts = _Cut | int  # or the number of a box


def _cut(cover: GivenCover, boxes: Sequence[int]) -> _Cuts:
    """Cut the space where no box is cut, as evenly as possible, until each part is one box."""
    if len(boxes) == 1:
        return boxes[0]
    best: tuple[int, int, int] | None = None
    for side in range(len(cover.variables)):
        lows = sorted(cover.boxes[box][side][0] for box in boxes)
        highs = sorted(cover.boxes[box][side][1] for box in boxes)
        for place in sorted(set(lows))[1:]:
            below, not_above = bisect_left(lows, place), bisect_left(highs, place)
            if below == not_above:  # no box lies on both sides
                best = min(best or (len(boxes), 0, 0), (abs(len(boxes) - 2 * below), side, place))
    if best is None:
        raise BundleError("the boxes of a cover are not cut one after the other")
    _, side, place = best
    upper = [box for box in boxes if cover.boxes[box][side][0] >= place]
    lower = [box for box in boxes if cover.boxes[box][side][0] < place]
    where = _not_before(cover.variables[side], cover.orders[side], place)
    return _Cut(where, _cut(cover, upper), _cut(cover, lower))


def _chosen(cuts: _Cuts, leaf: Callable[[int], Term]) -> Term:
    if isinstance(cuts, int):
        return leaf(cuts)
    return build.ite(cuts.condition, _chosen(cuts.upper, leaf), _chosen(cuts.lower, leaf))


def _not_before(variable: Term, order: str, place: int) -> Term:
    """Where a variable's place is not before one that is not its first."""
    sort = variable.sort
    if not isinstance(sort, BitVec):
        return variable
    value = build.const(sort, place & sort.mask)
    if order == "unsigned":
        return build.bvule(value, variable)
    if order == "signed" or place >= 0:
        return build.bvsle(value, variable)
    half = (sort.mask + 1) // 2
    negative = build.const(sort, half - 1 - place)  # of negative floats, those with fewer bits are nearer to zero
    return build.or_(build.bvsle(build.const(sort, 0), variable), build.bvule(variable, negative))

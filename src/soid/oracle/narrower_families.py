"""Narrower families from the boxes of a paving: a part that is settled, and what lies around all that is open.

open: 31.19 <= speed <= 40.0    a settled part is speed <= 31.1, and speed >= 31.1 has all that is open
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Final

from soid.formula import softfloat as sf
from soid.formula.interval_program import Box
from soid.formula.measure import Ruler
from soid.formula.value_order import ValueOrder
from soid.oracle.settled_share import NarrowedSide
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, parse, show
from soid.scenario.expression_text import path_text
from soid.solver.box_conditions import hull
from soid.solver.box_cutter import BoxCutter
from soid.solver.paving import Paving

_DIGITS: Final = 17  # of a decimal; with so many every float is told
_LOST: Final = Fraction(1, 50)  # of a side, for round numbers at its ends
_MOST: Final = Fraction(9, 10)  # of the family: around more than this nothing is narrower
_SORTED: Final = 2_000  # boxes: of more, one order is tried
_LONG: Final = 15  # digits before the point, or zeros behind it: beyond it numbers are written with an exponent

_Side = tuple[int, int]
_Ends = tuple[str, str]


def settled_part(paving: Paving, cutter: BoxCutter, variables: Sequence[Variable]) -> tuple[NarrowedSide, ...]:
    """A large part of the family without any open box, as conditions with round numbers; empty if there is none."""
    whole, opened = cutter.whole(), [piece.box for piece in paving.open]
    if whole is None or not opened:
        return ()
    peeled = [_peeled(whole.box, order, cutter) for order in _orders(opened)]
    choices = [*peeled, *_gaps(whole.box, opened, cutter)]
    best = max((box for box in choices if box), key=lambda box: _size(box, cutter), default=None)
    if best is None:
        return ()
    sides: list[tuple[_Side, _Ends]] = []
    for at, (variable, side, all_of_it) in enumerate(zip(variables, best, whole.box, strict=False)):
        narrowed = _inside(variable, cutter.variables[at].order, side) if side != all_of_it else (side, ("", ""))
        if narrowed is None or (side != all_of_it and not _can_be_told(variable, at, narrowed[0], whole.box, cutter)):
            return ()
        sides.append(narrowed)
    if cutter.states(tuple(side for side, _ in sides)).least < 2:  # one of its states may be the fact
        return ()
    return _conditions(whole.box, sides, variables)


def open_part(paving: Paving, cutter: BoxCutter, variables: Sequence[Variable]) -> tuple[NarrowedSide, ...]:
    """Conditions around all open boxes, with round numbers; empty if hardly anything lies outside of them."""
    whole, opened = cutter.whole(), [piece.box for piece in paving.open]
    if whole is None or not opened:
        return ()
    around = hull(opened)
    if Fraction(_size(around, cutter), _size(whole.box, cutter) or 1) > _MOST:
        return ()
    sides = [
        (side, _around(variable, cutter.variables[at].order, side, all_of_it))
        if _can_be_told(variable, at, side, whole.box, cutter)
        else (all_of_it, ("", ""))
        for at, (variable, side, all_of_it) in enumerate(zip(variables, around, whole.box, strict=False))
    ]
    return _conditions(whole.box, sides, variables)


def _can_be_told(variable: Variable, number: int, side: _Side, whole: Box, cutter: BoxCutter) -> bool:
    """Whether a question can say that a value lies on a side: between its ends, or of labels which."""
    kind, order = variable.type, cutter.variables[number].order
    if order != variable.order:
        return False
    if isinstance(kind, FloatType):
        return all(sf.is_finite(kind.format, int(order.value_at(at))) for at in side)
    if isinstance(kind, EnumType):
        labels = [place for _, place in _labels(kind, order, side)]
        ends = [side[0] - 1, *labels, side[1] + 1]
        gaps = ((one + 1, other - 1) for one, other in itertools.pairwise(sorted(ends)) if one + 1 < other)
        return bool(labels) and all(cutter.is_outside((*whole[:number], gap, *whole[number + 1 :])) for gap in gaps)
    return True


def _labels(kind: EnumType, order: ValueOrder, side: _Side) -> list[tuple[str, int]]:
    """The labels whose values lie on a side, with their places."""
    mask = (1 << kind.width) - 1
    places = ((label, order.place_of(value & mask)) for label, value in kind.labels)
    return [(label, place) for label, place in places if side[0] <= place <= side[1]]


def _size(box: Box, cutter: BoxCutter) -> int:
    return math.prod(ruler.size(*side) for ruler, side in zip(cutter.rulers, box, strict=True))


def _length(ruler: Ruler, side: _Side) -> int:
    return ruler.size(*side)


def _orders(opened: Sequence[Box]) -> list[Sequence[Box]]:
    """Orders in which boxes are cut off: which one leaves most depends on where they lie."""
    orders = [opened]
    if len(opened) <= _SORTED:
        for at in range(len(opened[0])):
            rising = sorted(opened, key=itemgetter(at))
            orders += [rising, rising[::-1]]
    return orders


def _peeled(whole: Box, opened: Sequence[Box], cutter: BoxCutter) -> Box | None:
    """What is left of the whole if from each open box in turn the side is cut off that loses least."""
    left = whole
    for box in opened:
        if any(high < first or last < low for (low, high), (first, last) in zip(left, box, strict=True)):
            continue
        parts = []
        for at, ((low, high), (first, last)) in enumerate(zip(left, box, strict=True)):
            beside = ((low, first - 1), (last + 1, high))
            parts += [(*left[:at], side, *left[at + 1 :]) for side in beside if side[0] <= side[1]]
        if not parts:
            return None
        left = max(parts, key=lambda part: _size(part, cutter))
    return left


def _gaps(whole: Box, opened: Sequence[Box], cutter: BoxCutter) -> list[Box]:
    """For each variable the largest range in which no box is open, whatever the others are."""
    found = []
    for at, (low, high) in enumerate(whole):
        ruler, free, sides = cutter.rulers[at], low, []
        for first, last in (*sorted({box[at] for box in opened}), (high + 1, high + 1)):
            if free < first:
                sides.append((free, first - 1))
            free = max(free, last + 1)
        if sides:
            largest = max(sides, key=partial(_length, ruler))
            found.append((*whole[:at], largest, *whole[at + 1 :]))
    return found


# --- round numbers --------------------------------------------------------------------------------------------


def _inside(variable: Variable, order: ValueOrder, side: _Side) -> tuple[_Side, _Ends] | None:
    """A side with round ends that lie in it, and their texts; None if it has no value that can be written."""
    kind = variable.type
    if not isinstance(kind, FloatType):
        return side, (_text(variable, order, side[0]), _text(variable, order, side[1]))
    most = kind.format.max_finite
    low, high = max(side[0], order.place_of(most | kind.format.sign_bit)), min(side[1], order.place_of(most))
    if low > high:
        return None
    first, last = (sf.to_fraction(kind.format, int(order.value_at(place))) for place in (low, high))
    room = (last - first) * _LOST
    found = []
    for text, place in ((_round(first, first + room), low), (_round(last, last - room), high)):
        at = order.place_of(parse(kind, text)) if text else place
        found.append((at, text) if text and low <= at <= high else (place, _text(variable, order, place)))
    (begin, begins), (end, ends) = found
    if begin == 0:  # 0.0 <= x holds for -0.0 too, which lies before it
        begin, begins = (-1, begins) if low < 0 else (1, _text(variable, order, 1))
    if end == -1:
        end, ends = (0, ends) if high >= 0 else (-2, _text(variable, order, -2))
    return ((begin, end), (begins, ends)) if begin <= end else None


def _around(variable: Variable, order: ValueOrder, side: _Side, whole: _Side) -> _Ends:
    """The texts of round ends around a side, not beyond the whole."""
    kind, texts = variable.type, [_text(variable, order, place) for place in side]
    if not isinstance(kind, FloatType):
        return texts[0], texts[1]
    first, last = (sf.to_fraction(kind.format, int(order.value_at(place))) for place in side)
    room = (last - first) * _LOST
    for at, text in enumerate((_round(first, first - room), _round(last, last + room))):
        if text and whole[0] <= order.place_of(parse(kind, text)) <= whole[1]:
            texts[at] = text
    return texts[0], texts[1]


def _round(value: Fraction, limit: Fraction) -> str:
    """The shortest decimal from a number to a limit; empty if there is none."""
    low, high = min(value, limit), max(value, limit)
    if low <= 0 <= high:
        return "0.0"
    rounding = ROUND_CEILING if limit > value else ROUND_FLOOR
    number = Decimal(value.numerator) / Decimal(value.denominator)
    for digits in range(1, _DIGITS + 1):
        near = number.quantize(Decimal(1).scaleb(number.adjusted() + 1 - digits), rounding)
        if low <= Fraction(near) <= high:
            return _written(near)
    return ""


def _written(number: Decimal) -> str:
    if abs(number.adjusted()) > _LONG:
        return f"{number.normalize():e}".replace("e+", "e")
    text = f"{number:f}"
    return text if "." in text else f"{text}.0"


def _text(variable: Variable, order: ValueOrder, place: int) -> str:
    text = show(variable.type, int(order.value_at(place)))
    return "0.0" if text == "-0.0" else text  # compared, they are the same


# --- conditions -----------------------------------------------------------------------------------------------


def _conditions(
    whole: Box, sides: Sequence[tuple[_Side, _Ends]], variables: Sequence[Variable]
) -> tuple[NarrowedSide, ...]:
    """Query text for the sides that are narrower than the whole."""
    pairs = zip(variables, sides, whole, strict=True)
    return tuple(_condition(variable, *side, ends) for variable, side, ends in pairs if side[0] != ends)


def _condition(variable: Variable, side: _Side, ends: _Ends, whole: _Side) -> NarrowedSide:
    path, (low, high), kind = path_text(variable.path), ends, variable.type
    if isinstance(kind, EnumType):
        labels = [label for label, _ in _labels(kind, variable.order, side)]
        text = f"{path} == {labels[0]}" if len(labels) == 1 else f"{path} in {{{', '.join(labels)}}}"
    elif isinstance(kind, BoolType) or low == high:
        text = f"{path} == {low}"
    elif isinstance(kind, FloatType) and side[1] == whole[1] >= variable.order.place_of(kind.format.max_finite):
        text = f"{path} >= {low}"  # nothing bounds it above: what else is supposed of it may be left out
    elif isinstance(kind, FloatType) and side[0] == whole[0] <= variable.order.place_of(
        kind.format.max_finite | kind.format.sign_bit
    ):
        text = f"{path} <= {high}"
    else:
        text = f"{low} <= {path} <= {high}"
    return NarrowedSide(variable.path, text, low, high)

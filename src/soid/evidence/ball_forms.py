"""Floats in a box as affine forms, by ball arithmetic: what keeps track of what is subtracted again.

    x from 0 to 1:  (x + 1) - x      as intervals 0 to 2, as a form 1, but for what is rounded

A form is `middle + slopes * s`, plus or minus `error`, where each s lies between -1 and 1 and stands for something that
the box leaves open: an input, or which of two numbers is chosen. Operations are the program's, in the program's order,
and an error is what they round away. Arb's balls hold what the computation here rounds.

This shares no code with the forms by which soid settles questions (`soid.solver.affine_forms`), on purpose: those are
float64 with a margin, many boxes at once, and these are one box, slowly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

from flint import arb
from msgspec import Struct

from soid.formula.sorts import FLOAT32, FLOAT64, Float
from soid.formula.term import Term

BITS: Final = 120  # of precision
_HALF_ULP: Final = {FLOAT32: arb(2) ** -24, FLOAT64: arb(2) ** -53}  # of a number of size 1
_SMALLEST: Final = {FLOAT32: arb(2) ** -149, FLOAT64: arb(2) ** -1074}
_MOST: Final = {FLOAT32: arb(2) ** 127, FLOAT64: arb(2) ** 1023}  # a number that is not below may be infinite


@final
class BallForm(Struct, frozen=True):
    """A finite number in a box; both the form and the range hold."""

    middle: arb
    slopes: Mapping[Term, arb]  # by the term that leaves s open
    error: arb
    low: arb
    high: arb

    @property
    def reach(self) -> arb:
        """How far the form goes from its middle."""
        return sum((abs(slope) for slope in self.slopes.values()), self.error)

    @property
    def size(self) -> arb:
        return abs(self.low).max(abs(self.high))


def has_forms(sort: object) -> bool:
    return sort in _MOST


def open_within(low: float, high: float, what: Term) -> BallForm:
    """Any number from one to another."""
    middle, half = (arb(low) + arb(high)) / 2, (arb(high) - arb(low)) / 2
    return BallForm(middle, {what: half}, arb(0), arb(low), arb(high))


def exactly(number: float) -> BallForm:
    return BallForm(arb(number), {}, arb(0), arb(number), arb(number))


def _least(numbers: Sequence[arb]) -> arb:
    return functools.reduce(arb.min, numbers).lower()


def _most(numbers: Sequence[arb]) -> arb:
    return functools.reduce(arb.max, numbers).upper()


def _tight(form: BallForm) -> BallForm:
    """The form with a range that is no wider than it."""
    reach = form.reach
    low, high = (form.middle - reach).lower(), (form.middle + reach).upper()
    return BallForm(
        form.middle,
        form.slopes,
        form.error,
        form.low.lower().max(low),
        form.high.upper().min(high),
    )


def within(form: BallForm, low: float, high: float) -> BallForm:
    """The form of a number that lies between two as well."""
    return BallForm(form.middle, form.slopes, form.error, form.low.max(arb(low)), form.high.min(arb(high)))


def _rounded(sort: Float, form: BallForm) -> BallForm | None:
    """The nearest float; None where it may be infinite."""
    form = _tight(form)
    off = (_HALF_ULP[sort] * form.size + _SMALLEST[sort]).upper()
    found = BallForm(form.middle, form.slopes, form.error + off, form.low - off, form.high + off)
    return found if found.size < _MOST[sort] else None


def combined(*parts: tuple[arb, BallForm]) -> BallForm:
    """A sum of forms with factors, as real numbers."""
    slopes: dict[Term, arb] = {}
    for factor, form in parts:
        for what, slope in form.slopes.items():
            slopes[what] = slopes[what] + factor * slope if what in slopes else factor * slope
    ends = [[factor * form.low, factor * form.high] for factor, form in parts]
    return BallForm(
        sum((factor * form.middle for factor, form in parts), arb(0)),
        slopes,
        sum((abs(factor) * form.error for factor, form in parts), arb(0)),
        sum((_least(each) for each in ends), arb(0)),
        sum((_most(each) for each in ends), arb(0)),
    )


def _product(one: BallForm, other: BallForm) -> BallForm:
    """The product as a real number: what is not linear in it is an error."""
    linear = combined((one.middle, other), (other.middle, one))
    corners = [a * b for a in (one.low, one.high) for b in (other.low, other.high)]
    return BallForm(
        one.middle * other.middle,
        linear.slopes,
        linear.error + one.reach * other.reach,
        _least(corners),
        _most(corners),
    )


def added(sort: Float, one: BallForm, other: BallForm) -> BallForm | None:
    return _rounded(sort, combined((arb(1), one), (arb(1), other)))


def subtracted(sort: Float, one: BallForm, other: BallForm) -> BallForm | None:
    return _rounded(sort, difference(one, other))


def difference(one: BallForm, other: BallForm) -> BallForm:
    """As a real number."""
    return _tight(combined((arb(1), one), (arb(-1), other)))


def multiplied(sort: Float, one: BallForm, other: BallForm) -> BallForm | None:
    return _rounded(sort, _product(one, other))


def fused(sort: Float, one: BallForm, other: BallForm, third: BallForm) -> BallForm | None:
    return _rounded(sort, combined((arb(1), _product(one, other)), (arb(1), third)))


def divided(sort: Float, one: BallForm, other: BallForm) -> BallForm | None:
    """By what keeps its sign. Between the ends l and h of it 1/y + y/(l h) is from 2/sqrt(l h) to 1/l + 1/h."""
    if not other.low > 0:
        return divided(sort, negated(one), negated(other)) if other.high < 0 else None
    both = other.low * other.high
    least, most = 2 / both.sqrt(), 1 / other.low + 1 / other.high
    turned = combined((-1 / both, other))
    middle, half = (least + most) / 2, ((most - least) / 2).upper()
    low, high = (1 / other.high).lower(), (1 / other.low).upper()
    inverse = BallForm(turned.middle + middle, turned.slopes, turned.error + half.max(arb(0)), low, high)
    return _rounded(sort, _product(one, inverse))


def negated(form: BallForm) -> BallForm:
    return combined((arb(-1), form))


def converted(sort: Float, form: BallForm) -> BallForm | None:
    """To another format."""
    return _rounded(sort, form)


def greater(one: BallForm, other: BallForm, what: Term) -> BallForm:
    """The greater of two numbers: the other one, and max(d, 0) of what the one is above it."""
    lead = difference(one, other)
    if lead.low >= 0:
        return one
    if lead.high <= 0:
        return other
    # of the line through both ends of max(d, 0)
    share = (lead.high / (lead.high - lead.low)).mid().max(arb(0)).min(arb(1))
    most = _most((-share * lead.low, (1 - share) * lead.high))  # of max(d, 0) - share d; its least is 0
    line = combined((share, one), (1 - share, other))
    found = BallForm(
        line.middle + most / 2,
        {**line.slopes, what: most / 2},
        line.error,
        one.low.max(other.low),
        one.high.max(other.high),
    )
    return _tight(found)


def either(one: BallForm, other: BallForm, what: Term) -> BallForm:
    """One of two numbers, whichever: halfway between them, and as much on both sides."""
    half, lead = combined((arb(0.5), one), (arb(0.5), other)), difference(one, other)
    slopes = {**half.slopes, what: lead.size / 2}
    return _tight(BallForm(half.middle, slopes, half.error, one.low.min(other.low), one.high.max(other.high)))


def risen(sort: Float, given: BallForm, function: RisingFunction, units: int, what: Term) -> BallForm | None:
    """A library's result of a function that rises; `units`: how far it may be off, in units in the last place.

    What the true function is above the line through zero that is nowhere steeper than it does not fall: it lies between
    its values at the ends.
    """
    first, last = function.true(given.low), function.true(given.high)
    if not (first.is_finite() and last.is_finite()):
        return None
    off = (2 * units * _HALF_ULP[sort] * abs(first).max(abs(last)) + units * _SMALLEST[sort]).upper()
    slope = _least([function.steepness(end) for end in (first, last)]).max(arb(0))
    least, most = (first - slope * given.low).lower() - off, (last - slope * given.high).upper() + off
    line = combined((slope, given))
    found = BallForm(
        line.middle + (least + most) / 2,
        {**line.slopes, what: (most - least) / 2},
        line.error,
        first.lower() - off,
        last.upper() + off,
    )
    found = _tight(found)
    return found if found.size < _MOST[sort] else None


@final
class RisingFunction(Struct, frozen=True):
    """A true function that rises, and its derivative from its result, which is least at an end of what results are."""

    true: Callable[[arb], arb]
    steepness: Callable[[arb], arb]


RISING: Final = {
    "tanh": RisingFunction(arb.tanh, lambda result: 1 - result * result),
    "exp": RisingFunction(arb.exp, lambda result: result),
    "expm1": RisingFunction(arb.expm1, lambda result: result + 1),
}

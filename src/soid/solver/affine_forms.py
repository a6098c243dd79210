"""Floats as affine forms over many boxes at once: what keeps track of what is subtracted again.

    x from 0 to 1:  (x + 1) - x      by intervals 0 to 2, as a form 1

A form is `middle + slopes * s`, plus or minus `error`. Each s lies between -1 and 1 and stands for one input, from one
end of its range in the box to the other, or for what the form of one choice or one function leaves open (affine
arithmetic). Beside it stands an interval, as in `formula.intervals`; a number lies in both. Where its ends are infinite
nothing is known: it may be NaN.

Each operation is one of the program's, in the program's order, so an error is what that operation rounds away: at most
u times the size of its result, and half of the least number above zero. Forms are computed in float64, which rounds
too: `_OWN` times the sizes of what is computed with covers that many times over, for rows of up to 1,000 slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from soid.formula.sorts import FLOAT32, FLOAT64, Float

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

_OWN: Final = 2.0**-40
_VANISHING: Final = 2.0**-1000  # more than float64 loses by underflow in one operation on forms
_UNIT: Final = {FLOAT32: 2.0**-24, FLOAT64: 2.0**-53}
_LEAST: Final = {FLOAT32: 2.0**-149, FLOAT64: 2.0**-1000}  # half of it is lost where a result is subnormal
_MOST: Final = {FLOAT32: 2.0**127, FLOAT64: 2.0**1000}  # what is not below may be infinite


@final
@dataclass(frozen=True, eq=False)
class AffineForm:
    """A number in many boxes: a row for each."""

    middle: Numbers
    slopes: Numbers  # a column for each s
    error: Numbers
    low: Numbers
    high: Numbers

    @cached_property
    def reach(self) -> Numbers:
        """How far the form goes from its middle."""
        return np.asarray((np.abs(self.slopes).sum(axis=1) + self.error) * (1 + _OWN))

    @cached_property
    def size(self) -> Numbers:
        """The greatest absolute value that the form has, with its own parts."""
        return np.asarray(np.abs(self.middle) + self.reach)

    @property
    def is_known(self) -> Flags:
        return np.asarray(np.isfinite(self.low) & np.isfinite(self.high))


def exactly(number: float, count: int, columns: int) -> AffineForm:
    """A constant."""
    ends, none = np.full(count, number), np.zeros(count)
    return _known(AffineForm(ends, np.zeros((count, columns)), none, ends, ends))


def of_input(low: Numbers, high: Numbers, column: int, columns: int, rounds: float) -> AffineForm:
    """An input from its least to its greatest number; `rounds`: the share of its size by which it may be off."""
    with np.errstate(all="ignore"):
        middle = low + (high - low) / 2
        slopes = np.zeros((len(low), columns))
        slopes[:, column] = np.maximum(high - middle, middle - low)
        size = np.maximum(np.abs(low), np.abs(high))
        off = rounds * size
        return _known(AffineForm(middle, slopes, off + _OWN * size, low - off, high + off))


def unknown(count: int, columns: int) -> AffineForm:
    zeros, ends = np.zeros(count), np.full(count, np.inf)
    return AffineForm(zeros, np.zeros((count, columns)), ends, -ends, ends)


def _known(form: AffineForm, most: float = np.inf) -> AffineForm:
    """The form and its interval, each narrowed by the other; nothing is known where it may be infinite."""
    reach = form.reach
    low = np.maximum(form.low, np.nextafter(form.middle - reach, -np.inf))
    high = np.minimum(form.high, np.nextafter(form.middle + reach, np.inf))
    lost = ~((low > -most) & (high < most) & np.isfinite(form.middle) & np.isfinite(reach))
    if not lost.any():
        return AffineForm(form.middle, form.slopes, form.error, low, high)
    nothing = unknown(len(low), form.slopes.shape[1])
    return selected(lost, nothing, AffineForm(form.middle, form.slopes, form.error, low, high))


def selected(rows: Flags, one: AffineForm, other: AffineForm) -> AffineForm:
    """In some boxes the one form, in all others the other."""
    return AffineForm(
        np.where(rows, one.middle, other.middle),
        np.where(rows[:, None], one.slopes, other.slopes),
        np.where(rows, one.error, other.error),
        np.where(rows, one.low, other.low),
        np.where(rows, one.high, other.high),
    )


def _rounded(sort: Float, form: AffineForm) -> AffineForm:
    """A result that is rounded; the ends of its interval are those of numbers before that."""
    error = form.error + _UNIT[sort] * form.size + _LEAST[sort]
    low, high = (_nearest(sort, each) for each in (form.low, form.high))
    return _known(AffineForm(form.middle, form.slopes, error, low, high), _MOST[sort])


def _nearest(sort: Float, numbers: Numbers) -> Numbers:
    """Of float32: a sum, product or quotient of two that was rounded to float64 first gives the same."""
    return numbers.astype(np.float32).astype(np.float64) if sort == FLOAT32 else numbers


def summed(one: AffineForm, other: AffineForm, sign: float = 1.0) -> AffineForm:
    """The sum, or the difference, as real numbers."""
    low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
    error = one.error + other.error + _OWN * (one.size + other.size) + _VANISHING
    middle, slopes = one.middle + sign * other.middle, one.slopes + sign * other.slopes
    return AffineForm(middle, slopes, error, one.low + low, one.high + high)


def _product(one: AffineForm, other: AffineForm) -> AffineForm:
    """The product as a real number: what is not linear in it is an error."""
    spread = one.reach * other.reach + np.abs(one.middle) * other.error + np.abs(other.middle) * one.error
    ends = np.stack([one.low * other.low, one.low * other.high, one.high * other.low, one.high * other.high])
    return AffineForm(
        one.middle * other.middle,
        one.middle[:, None] * other.slopes + other.middle[:, None] * one.slopes,
        spread + _OWN * one.size * other.size + _VANISHING,
        ends.min(axis=0),
        ends.max(axis=0),
    )


def added(sort: Float, one: AffineForm, other: AffineForm) -> AffineForm:
    return _rounded(sort, _exact(summed(one, other)))


def subtracted(sort: Float, one: AffineForm, other: AffineForm) -> AffineForm:
    return _rounded(sort, _exact(summed(one, other, -1.0)))


def multiplied(sort: Float, one: AffineForm, other: AffineForm) -> AffineForm:
    return _rounded(sort, _exact(_product(one, other)))


def fused(sort: Float, one: AffineForm, other: AffineForm, third: AffineForm) -> AffineForm:
    """one * other + third, rounded once."""
    both = _product(one, other)
    found = summed(_outwards(both), third)
    return _rounded(sort, _exact(_outwards(found)))


def _outwards(form: AffineForm) -> AffineForm:
    low, high = np.nextafter(form.low, -np.inf), np.nextafter(form.high, np.inf)
    return AffineForm(form.middle, form.slopes, form.error, low, high)


def _exact(form: AffineForm) -> AffineForm:
    """Ends that came of infinite numbers are infinite themselves."""
    if not (np.isnan(form.low).any() or np.isnan(form.high).any()):
        return form
    low, high = np.nan_to_num(form.low, nan=-np.inf), np.nan_to_num(form.high, nan=np.inf)
    return AffineForm(form.middle, form.slopes, form.error, low, high)


def divided(sort: Float, one: AffineForm, other: AffineForm) -> AffineForm:
    """By a constant or by what keeps its sign: the reciprocal lies between its chord and a line below."""
    sign = np.where(other.low > 0, 1.0, -1.0)
    least, most = np.where(sign > 0, other.low, -other.high), np.where(sign > 0, other.high, -other.low)
    parted = ~(least > 0)
    least, most = np.where(parted, 1.0, least), np.where(parted | ~np.isfinite(most), 1.0, most)
    slope = -1.0 / (least * most)
    above, below = 1.0 / least + 1.0 / most, 2.0 / np.sqrt(least * most)  # of 1/y - slope * y: at the ends, inside
    room = _OWN * (above + below)
    inverse = AffineForm(
        slope * other.middle * sign + (above + below) / 2,
        (slope * sign)[:, None] * other.slopes,
        np.abs(slope) * other.error + (above - below) / 2 + room + _OWN * np.abs(slope) * other.size + _VANISHING,
        1.0 / most,
        1.0 / least,
    )
    turned = AffineForm(sign * inverse.middle, sign[:, None] * inverse.slopes, inverse.error, inverse.low, inverse.high)
    found = _product(one, _signed(turned, sign))
    ends = np.stack([x / y for x in (one.low, one.high) for y in (other.low, other.high)])
    quotient = AffineForm(found.middle, found.slopes, found.error, ends.min(axis=0), ends.max(axis=0))
    given = np.asarray(parted | ~other.is_known | ~one.is_known)
    return selected(given, unknown(len(sign), one.slopes.shape[1]), _rounded(sort, _exact(quotient)))


def _signed(form: AffineForm, sign: Numbers) -> AffineForm:
    low, high = np.where(sign > 0, form.low, -form.high), np.where(sign > 0, form.high, -form.low)
    return AffineForm(form.middle, form.slopes, form.error, low, high)


def negated(form: AffineForm) -> AffineForm:
    return AffineForm(-form.middle, -form.slopes, form.error, -form.high, -form.low)


def converted(sort: Float, given: Float, form: AffineForm) -> AffineForm:
    """To another format."""
    return form if sort == FLOAT64 and given == FLOAT32 else _rounded(sort, form)


def greater(one: AffineForm, other: AffineForm, column: int) -> AffineForm:
    """The greater of two: the other, and what the one is above it; `column`: whose s tells what that leaves open."""
    with np.errstate(all="ignore"):
        lead = _known(_exact(summed(one, other, -1.0)))
        low, high = lead.low, lead.high
        slope = np.where(low >= 0, 1.0, np.where(high <= 0, 0.0, np.nan_to_num(high / (high - low))))
        slope = np.clip(slope, 0.0, 1.0)
        # of max(d, 0) - slope * d the greatest is at an end, and the least is 0 at d = 0
        most = np.maximum(np.maximum(-slope * low, high - slope * high), 0.0)
        most = np.where((low >= 0) | (high <= 0), 0.0, np.nan_to_num(most, nan=np.inf) * (1 + _OWN))
        slopes = other.slopes + slope[:, None] * lead.slopes
        slopes[:, column] += most / 2
        error = (1.0 - slope) * other.error + slope * one.error
        error += _OWN * (one.size + other.size + most) + _VANISHING
        middle = other.middle + slope * lead.middle + most / 2
        ends = np.maximum(one.low, other.low), np.maximum(one.high, other.high)
        found = _known(_exact(AffineForm(middle, slopes, error, *ends)))
        lost = ~(one.is_known & other.is_known)
        return selected(np.asarray(lost), unknown(len(low), slopes.shape[1]), found)


def either(one: AffineForm, other: AffineForm, column: int) -> AffineForm:
    """One of two, whichever: halfway between them, and as much on both sides."""
    with np.errstate(all="ignore"):
        lead = summed(one, other, -1.0)
        half = np.nan_to_num(lead.size, nan=np.inf) / 2
        slopes = other.slopes + lead.slopes / 2
        slopes[:, column] += half
        error = np.maximum(one.error, other.error) + _OWN * (one.size + other.size) + _VANISHING
        ends = np.minimum(one.low, other.low), np.maximum(one.high, other.high)
        found = _known(_exact(AffineForm(other.middle + lead.middle / 2, slopes, error, *ends)))
        lost = ~(one.is_known & other.is_known)
        return selected(np.asarray(lost), unknown(len(half), slopes.shape[1]), found)


def risen(given: AffineForm, low: Numbers, high: Numbers, slope: Numbers, error: Numbers, column: int) -> AffineForm:
    """A function that rises at least as steeply as `slope`, with results from `low` to `high`, off by an error.

    f(x) - slope * x does not fall either, so it lies between its values at the ends of the range.
    """
    with np.errstate(all="ignore"):
        first, last = low - slope * given.low - error, high - slope * given.high + error
        first, last = np.minimum(first, last), np.maximum(first, last)
        slopes = slope[:, None] * given.slopes
        slopes[:, column] += (last - first) / 2
        off = slope * given.error + _OWN * (np.abs(first) + np.abs(last) + slope * given.size) + _VANISHING
        middle = slope * given.middle + (first + last) / 2
        found = _known(_exact(AffineForm(middle, slopes, off, low, high)))
        return selected(given.is_known, found, unknown(len(low), slopes.shape[1]))


#: a rule for each operator of two floats
BINARY: Final[dict[str, Callable[[Float, AffineForm, AffineForm], AffineForm]]] = {
    "fp.add": added,
    "fp.sub": subtracted,
    "fp.mul": multiplied,
    "fp.div": divided,
}


def is_modelled(sort: Any) -> bool:
    return sort in _UNIT

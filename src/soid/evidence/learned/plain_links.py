"""Links of a learned model over ranges of their arguments: real functions, widened by the errors of computing them.

At a single point an exact link is computed step by step instead, with the C library's own functions, as its library
computes it. This shares no code with `soid.engine.learned.links`, on purpose: one checks the other.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from soid.engine.learned.model import Link
from soid.evidence.learned.plain_sums import DIGITS, GREATEST, OVERFLOWS, TINY, Enclosed, rounding, single
from soid.evidence.learned.plain_trees import NotChecked


def linked(link: Link, given: Sequence[Enclosed]) -> Enclosed:
    """The numbers that a link may be while its arguments lie within bounds."""
    low, high = given[0]
    match link.function:  # one rounded operation, alike in every library
        case "complement":
            step = rounding(link.precision)
            return step(1.0 - high), step(1.0 - low)
        case "single":
            return single(low), single(high)
    if all(low == high for low, high in given):
        computed = _computed(link, [low for low, _ in given])
        if math.isnan(computed):
            raise NotChecked(OVERFLOWS)
        return (computed, computed) if link.exact else _spread(computed, computed, link, 0)
    return _over_range(link, given)


def _over_range(link: Link, given: Sequence[Enclosed]) -> Enclosed:
    low, high = given[0]
    match link.function:
        case "twice" | "half":
            factor = 2.0 if link.function == "twice" else 0.5
            return _spread(low * factor, high * factor, link, 1)
        case "signed_square":
            return _spread(low * abs(low), high * abs(high), link, 1)
        case "sigmoid" | "clipped_sigmoid" | "logistic":
            most = 88.7 if link.function == "clipped_sigmoid" else math.inf
            return _spread(_sigmoid(low, most), _sigmoid(high, most), link, 5)
        case "exp":
            return _spread(_exp(low), _exp(high), link, 3)
        case "softplus":
            return _spread(math.log1p(_exp(low)), math.log1p(_exp(high)), link, 5)
        case "share" | "softmax" | "softmax_in_order":
            return _shared(link, given)
        case _:
            raise NotChecked(f"{link.function} is no link that is evaluated over ranges")


def _shared(link: Link, given: Sequence[Enclosed]) -> Enclosed:
    """The share of one of several numbers: it rises with that one, and falls with the others."""
    low, high = given[0]
    pairs = zip(link.arguments[1:], given[1:], strict=True)
    others = [each for name, each in pairs if name != link.arguments[0]]
    if link.function != "share":
        ends = [
            1.0 / (1.0 + sum(_exp_of_difference(each[1 - end], own) for each in others))
            for end, own in enumerate((low, high))
        ]
        apart = max(each[1] for each in given) - min(each[0] for each in given)
        most = 104 if link.precision == 32 else 745  # beyond it an exponential vanishes
        # the library rounds the difference that it exponentiates, by half a unit in its last place
        return _spread(ends[0], ends[1], link, 2 * len(given) + 6 + math.ceil(min(apart, most) / 2))
    if low < 0 or any(each[0] < 0 for each in others) or not low + sum(each[0] for each in others) > 0:
        raise NotChecked("the share of a number that is not above zero")
    ends = [own / (own + sum(each[1 - end] for each in others)) for end, own in enumerate((low, high))]
    return _spread(ends[0], ends[1], link, len(given) + 2)


def _sigmoid(x: float, most: float) -> float:
    return 1.0 / (1.0 + _exp(min(-x, most)))


def _exp_of_difference(a: float, b: float) -> float:
    """Of the exact difference: what its rounding loses is a factor."""
    difference = a - b
    lost = Fraction(a) - Fraction(b) - Fraction(difference) if math.isfinite(difference) else 0
    return _exp(difference) * (1.0 + float(lost))


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _spread(low: float, high: float, link: Link, ulps: int) -> Enclosed:
    """A range widened by the errors of its computation, here and in the library, as units in the last place."""
    if math.isnan(low) or math.isnan(high):
        raise NotChecked(OVERFLOWS)
    unit = math.ldexp(1.0, 1 - DIGITS[link.precision])
    least = unit if link.function == "logistic" else float(TINY[link.precision])  # small ones are what 1 exceeds
    ulps, slack = (ulps, 0.0) if link.exact else (ulps + link.ulps, link.slack)
    low, high = min(low, GREATEST[link.precision]), max(high, -GREATEST[link.precision])
    below, above = (ulps * max(abs(end) * unit, least) + slack for end in (low, high))
    return low - below, high + above


@cache
def _exponential(precision: int) -> Callable[[float], float]:
    """The C library's own function."""
    library = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    kind = ctypes.c_float if precision == 32 else ctypes.c_double
    function = library.expf if precision == 32 else library.exp
    function.restype, function.argtypes = kind, [kind]
    return lambda x: float(function(x))


def _computed(link: Link, given: Sequence[float]) -> float:
    """What the library computes, step by step, with the C library's functions."""
    step, exp, first = rounding(link.precision), _exponential(link.precision), given[0]
    match link.function:
        case "sigmoid":
            return step(1.0 / step(1.0 + exp(-first)))
        case "clipped_sigmoid":
            return step(1.0 / step(1.0 + exp(step(min(-first, 88.7)))))
        case "exp":
            return exp(first)
        case "twice":
            return step(first * 2.0)
        case "half":
            return first * 0.5
        case "signed_square":
            return step(first * abs(first))
        case "logistic":
            share = single(1.0 / single(1.0 + exp(-abs(first))))
            return single(1.0 - share) if first < 0 else share
        case "softmax" | "softmax_in_order":
            shifted = [exp(step(each - max(given))) for each in given]
            total = 0.0
            for each in shifted[1:]:
                total = step(total + each) if link.function == "softmax_in_order" else total + each
            return step(shifted[0] / step(total))
        case "share":
            total = 0.0
            for each in given[1:]:
                total = step(total + each)
            if not total:
                raise NotChecked("the share of a number that is not above zero")
            return step(first / total)
        case "softplus":
            return math.log1p(_exp(first))
        case _:
            raise NotChecked(f"{link.function} is no link that is evaluated at a point")

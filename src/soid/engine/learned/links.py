"""Links: numbers that follow from sums, and how far their last bits are known.

An exact link has the bits that this machine's C library gives (`expf`, `exp`), as the model's library calls it. Of any
other only an enclosure is known: libraries bring vectorised functions of their own, whose last bits depend on the
processor. Over a range of arguments every link is enclosed from the ends of the range, since it rises in its first
argument and falls in the others; the functions themselves need not be monotone in their last bits, so ends are padded.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import Link

#: by precision: what a vectorised function makes 0, or gives in place of it; and what may become an infinity or not
_LEAST: Final = {32: math.ldexp(1.0, -126), 64: math.ldexp(1.0, -1022)}
_GREATEST: Final = {32: math.ldexp(2**24 - 1, 104), 64: sys.float_info.max}


@cache
def _libm() -> tuple[Callable[[float], float], Callable[[float], float]]:
    library = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
    single: Any = library.expf
    single.restype, single.argtypes = ctypes.c_float, [ctypes.c_float]
    double: Any = library.exp
    double.restype, double.argtypes = ctypes.c_double, [ctypes.c_double]
    return single, double


@cache
def _log1p() -> Callable[[float], float]:
    function: Any = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6").log1p
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    found: Callable[[float], float] = function
    return found


def _rounded(precision: int) -> Callable[[float], float]:
    return to_float32 if precision == 32 else float


def value_of(link: Link, arguments: Sequence[float]) -> float:
    """The link's number; where it is not exact, one of those that it may be."""
    round_to, exp = _rounded(link.precision), _libm()[link.precision == 64]
    first = arguments[0]
    match link.function:
        case "sigmoid":
            return round_to(1.0 / round_to(1.0 + exp(round_to(-first))))
        case "clipped_sigmoid":
            return round_to(1.0 / round_to(1.0 + exp(round_to(min(-first, 88.7)))))
        case "exp":
            return exp(first)
        case "complement":
            return round_to(1.0 - first)
        case "twice":
            return round_to(2.0 * first)
        case "half":
            return first / 2.0
        case "softplus":
            return _log1p()(exp(first))  # of float64 alone
        case "signed_square":
            return round_to(first * abs(first))
        case "share":
            total = 0.0
            for each in arguments[1:]:
                total = round_to(total + each)
            return round_to(first / total) if total else math.nan
        case "softmax":
            greatest = max(arguments)
            total = 0.0
            for each in arguments[1:]:
                total += exp(round_to(each - greatest))
            return round_to(exp(round_to(first - greatest)) / round_to(total))


def spread_of(link: Link, arguments: Sequence[float]) -> tuple[float, float]:
    """Least and greatest of the numbers that the link may be at these arguments."""
    found = value_of(link, arguments)
    return (found, found) if link.exact else _padded(found, found, link)


def over(link: Link, lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    """Bounds of the link while each argument stays within bounds."""
    if link.function == "complement":
        return value_of(link, highs), value_of(link, lows)
    if link.function in ("softmax", "share"):
        first_low, first_high = lows[0], highs[0]
        own = [place for place in range(1, len(lows)) if _is_own(link, place)]
        least = [first_low, *(first_low if place in own else highs[place] for place in range(1, len(lows)))]
        most = [first_high, *(first_high if place in own else lows[place] for place in range(1, len(lows)))]
        low, high = value_of(link, least), value_of(link, most)
    else:
        low, high = value_of(link, lows), value_of(link, highs)
    if lows == highs and link.exact:
        return low, high
    return _padded(low, high, link)


def _is_own(link: Link, place: int) -> bool:
    return link.arguments[place] == link.arguments[0]


def _padded(low: float, high: float, link: Link) -> tuple[float, float]:
    if math.isnan(low) or math.isnan(high):
        return -math.inf, math.inf
    low, high = min(low, _GREATEST[link.precision]), max(high, -_GREATEST[link.precision])
    unit, least = math.ldexp(1.0, -23 if link.precision == 32 else -52), _LEAST[link.precision]
    return low - link.ulps * max(abs(low) * unit, least), high + link.ulps * max(abs(high) * unit, least)

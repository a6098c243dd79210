"""Links: numbers that follow from sums, and how far their last bits are known.

An exact link has the bits that this machine's C library gives (`expf`, `exp`), as the model's library calls it. Of any
other only an enclosure is known: libraries bring vectorised functions of their own, whose last bits depend on the
processor. Over a range of arguments every link is enclosed from the ends of the range, since it rises in its first
argument and falls in the others; the functions themselves need not be monotone in their last bits, so ends are padded.

Of a sigmoid of a sum that is itself known between two ends, the ends are those of the real function, rounded. Rounding
is monotone, so over a range they are what they are at its ends (`rises_to_the_bit`): a search that hangs on the last
bits is settled by that, and need not come down to single floats.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import decimal
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

#: one operation that every library rounds alike, and that is monotone to the bit
_ROUNDED: Final = ("complement", "single")


#: of the real sigmoid: the operations are rounded correctly, and so are monotone
_DIGITS: Final = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
_FAR: Final = 2000.0  # an argument beyond which it is 0 or 1 in every precision


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
        case "logistic":
            return _logistic(first)
        case "single":
            return to_float32(first)
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
        case "softmax" | "softmax_in_order":
            greatest = max(arguments)
            total = 0.0
            for each in arguments[1:]:
                total += exp(round_to(each - greatest))
                if link.function == "softmax_in_order":
                    total = round_to(total)
            return round_to(exp(round_to(first - greatest)) / round_to(total))


def _logistic(x: float) -> float:
    """As onnxruntime has it, in float32: it never has the exponential of a positive number."""
    share = to_float32(1.0 / to_float32(1.0 + _libm()[0](-abs(x))))
    return to_float32(1.0 - share) if x < 0 else share


def spread_of(link: Link, arguments: Sequence[float], *, are_ends: bool = False) -> tuple[float, float]:
    """Least and greatest of the numbers that the link may be at these arguments.

    If they are ends of ranges, the numbers that are meant lie beyond, where the computed function may fall a little.
    """
    found = _real_sigmoid(link, arguments[0]) if are_ends and rises_to_the_bit(link) else value_of(link, arguments)
    if link.function in _ROUNDED or (link.exact and not are_ends):
        return found, found
    return _padded(found, found, link, more=_unsteady(link) if are_ends else 0)


def over(link: Link, lows: Sequence[float], highs: Sequence[float], *, are_ends: bool = False) -> tuple[float, float]:
    """Bounds of the link while each argument stays within bounds; `are_ends` as in `spread_of`."""
    if lows == highs and are_ends:
        return spread_of(link, lows, are_ends=True)
    if link.function == "complement":
        return value_of(link, highs), value_of(link, lows)  # it falls
    if is_shared(link):
        first_low, first_high = lows[0], highs[0]
        own = [place for place in range(1, len(lows)) if _is_own(link, place)]
        least = [first_low, *(first_low if place in own else highs[place] for place in range(1, len(lows)))]
        most = [first_high, *(first_high if place in own else lows[place] for place in range(1, len(lows)))]
        low, high = value_of(link, least), value_of(link, most)
    else:
        low, high = value_of(link, lows), value_of(link, highs)
    if link.function in _ROUNDED or (lows == highs and link.exact):
        return low, high
    return _padded(low, high, link, room=1 if lows == highs else 2, more=_unsteady(link) if lows != highs else 0)


def rises_to_the_bit(link: Link) -> bool:
    """Whether the least and the greatest that it may be, at the end of a range, never fall where the end rises."""
    return link.function in ("sigmoid", "clipped_sigmoid") and not link.slack


def _real_sigmoid(link: Link, argument: float) -> float:
    """The real function, rounded; what a library computes is off by a few last places (`_unsteady`)."""
    if math.isnan(argument):
        return math.nan
    round_to = _rounded(link.precision)
    power = max(-_FAR, min(round_to(-argument), 88.7 if link.function == "clipped_sigmoid" else _FAR))
    below = _DIGITS.add(1, _DIGITS.exp(decimal.Decimal(power)))
    return round_to(float(_DIGITS.divide(1, below)))


def is_shared(link: Link) -> bool:
    """Whether it is one class's share: it rises with the number of this class, and falls with those of the others."""
    return link.function in ("softmax", "softmax_in_order", "share")


def _unsteady(link: Link) -> int:
    """By how many units in the last place the computed function may fall where the true one rises.

    The difference that a softmax exponentiates is rounded, by half a unit in its own last place: it goes up to 104 as a
    float32, and up to 745 as a float64, before the exponential vanishes.
    """
    steep = 0 if link.function == "share" else 128 if link.precision == 32 else 1024
    return 8 + (len(link.arguments) + steep if is_shared(link) else 0)


def _is_own(link: Link, place: int) -> bool:
    return link.arguments[place] == link.arguments[0]


def _padded(low: float, high: float, link: Link, room: int = 1, more: int = 0) -> tuple[float, float]:
    """The range with room at its ends: so many times what the link may be off by, and further last places."""
    if math.isnan(low) or math.isnan(high):
        return -math.inf, math.inf
    low, high = min(low, _GREATEST[link.precision]), max(high, -_GREATEST[link.precision])
    unit, least = math.ldexp(1.0, -23 if link.precision == 32 else -52), _LEAST[link.precision]
    if link.function == "logistic":  # small ones are what 1 exceeds another by, so their last places are those of 1
        least = unit
    ulps = (0 if link.exact else room * link.ulps) + more
    below, above = (ulps * max(abs(end) * unit, least) + room * link.slack for end in (low, high))
    return low - below, high + above

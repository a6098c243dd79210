"""Links: numbers that follow from sums, and how far their last bits are known.

An exact link has the bits that this machine's C library gives (`expf`, `exp`), as the model's library calls it. Of any
other only an enclosure is known: libraries bring vectorised functions of their own, whose last bits depend on the
processor. Over a range of arguments every link is enclosed from the ends of the range, since it rises in its first
argument and falls in the others; the functions themselves need not be monotone in their last bits, so ends are padded.

Of a sigmoid or a softmax of sums that are themselves known between two ends, the ends are those of the real function,
rounded. Rounding is monotone, so over a range they are what they are at its ends (`rises_to_the_bit`): a search that
hangs on the last bits is settled by that, and need not come down to single floats.
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


#: of the real functions: the operations are rounded correctly, and so are monotone
_DIGITS: Final = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
_FAR: Final = decimal.Decimal(2000)  # an argument beyond which it is 0 or 1 in every precision


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
    real = _real(link, arguments) if are_ends and rises_to_the_bit(link) else None
    found = value_of(link, arguments) if real is None else real
    if link.function in _ROUNDED or (link.exact and not are_ends):
        return found, found
    return _padded(found, found, link, more=_unsteady(link) if are_ends else 0)


def over(link: Link, lows: Sequence[float], highs: Sequence[float], *, are_ends: bool = False) -> tuple[float, float]:
    """Bounds of the link while each argument stays within bounds; `are_ends` as in `spread_of`."""
    if lows == highs and are_ends:
        return spread_of(link, lows, are_ends=True)
    if link.function == "complement":
        return value_of(link, highs), value_of(link, lows)  # it falls
    low, high = (value_of(link, each) for each in corners(link, lows, highs))
    if link.function in _ROUNDED or (lows == highs and link.exact):
        return low, high
    return _padded(low, high, link, room=1 if lows == highs else 2, more=_unsteady(link) if lows != highs else 0)


def rises_to_the_bit(link: Link) -> bool:
    """Whether the least and the greatest that it may be, at the end of a range, never fall where the end rises."""
    return link.function in ("sigmoid", "clipped_sigmoid", "softmax", "softmax_in_order") and not link.slack


def _real(link: Link, arguments: Sequence[float]) -> float | None:
    """The real function, rounded; what a library computes is off by some last places (`_unsteady`).

    None where an argument is no finite number: a computed sigmoid is 0 or 1 there, as the real one.
    """
    if not all(map(math.isfinite, arguments)):
        return None
    round_to, first = _rounded(link.precision), decimal.Decimal(arguments[0])
    if is_shared(link):
        others = [each for place, each in enumerate(arguments) if place and not _is_own(link, place)]
        powers = [_DIGITS.subtract(decimal.Decimal(each), first) for each in others]
    else:
        most = 88.7 if link.function == "clipped_sigmoid" else math.inf
        powers = [decimal.Decimal(min(round_to(-arguments[0]), most))]
    total = decimal.Decimal(1)
    for power in powers:
        total = _DIGITS.add(total, _DIGITS.exp(max(-_FAR, min(power, _FAR))))
    return round_to(float(_DIGITS.divide(1, total)))


def corners(link: Link, lows: Sequence[float], highs: Sequence[float]) -> tuple[list[float], list[float]]:
    """The arguments within bounds at which the real function is the least, and those at which it is the greatest."""
    if not is_shared(link):
        return list(lows), list(highs)
    own = [place for place in range(len(lows)) if not place or _is_own(link, place)]
    least = [lows[0] if place in own else high for place, high in enumerate(highs)]
    return least, [highs[0] if place in own else low for place, low in enumerate(lows)]


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

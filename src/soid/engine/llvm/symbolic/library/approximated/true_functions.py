"""The true mathematical functions: rigorous bounds of their values over a box of arguments, and of the library's.

Arb's ball arithmetic computes them. If a function is monotone, the ends of the box give the ends of the result; this is
used of the true function only, never of the library's. The bounds of the library's results are those of the true
function, widened by the library's error.

The errors are the largest known to glibc's own tests, in units in the last place, rounding to nearest: the GNU C
Library manual, "Known Maximum Errors in Math Functions". Its column for x86_64 is made from the file
sysdeps/x86_64/fpu/libm-test-ulps of the library's source (read at commit 6d457ff36a45; a function that is not in the
file has error 0). They are the largest observed errors, not proved bounds. So a proof allows twice the figure and two
units more, and says so in `relies_on`; every result of the library is checked against it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, final

from flint import arb, ctx
from msgspec import Struct

from soid.engine.llvm.symbolic.library.approximated.cell_tree import Box, Span, number
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, Float

if TYPE_CHECKING:
    from soid.formula.cell_function import Numbers

Interval = tuple[float, float]
Bounds = tuple[arb, arb]  # an infinite end means no bound on that side

_BITS: Final = 256  # of precision; beyond 2**200, sin has only its global bounds
_ROOM: Final = 2.0**-40  # for a derivative that is computed in float64
_FAR: Final = 5000.0  # exp of this exceeds every format


@final
class TrueFunction(Struct, frozen=True):
    """One true function of real numbers."""

    name: str  # as C names it for doubles
    arity: int
    errors: tuple[int, int]  # of the library, for doubles and for floats
    enclose: Callable[..., Bounds | None]  # takes one finite interval for each argument; None: no bounds
    low: float = float("-inf")  # the domain of a function of one argument; outside, C returns NaN
    high: float = float("inf")
    marks: tuple[float, ...] = ()  # arguments where its behaviour changes: good ends of cells
    steepness: tuple[float, float, float] | None = None  # a, b, c: its derivative is a + b f + c f^2, with c <= 0

    def over(self, *box: Interval) -> Bounds | None:
        """Bounds over a box inside the domain."""
        with ctx.workprec(_BITS):
            return self.enclose(*box)

    def units(self, format: Float) -> int:
        """The error that a proof allows, in units in the last place."""
        return 2 * self.errors[format == FLOAT32] + 2

    def rise(self, format: Float, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
        """How steep it is at least between two results, and the library's error there; see `Rise`.

        The derivative is concave in the result, so it is least at one of the two.
        """
        import numpy as np  # takes long to load, and most questions do without

        assert self.steepness is not None
        a, b, c = self.steepness
        with np.errstate(all="ignore"):
            least = np.minimum(*(a + b * end + c * end * end for end in (low, high)))
            size = np.maximum(np.abs(low), np.abs(high))
            room = _ROOM * (abs(a) + abs(b) * size + abs(c) * size * size)
            unit = size * 2.0 ** (1 - format.significand) + number(format, 1)
            return np.maximum(least - room, 0.0), np.asarray((_slack(self, format) + 1) * unit)


def _rising(true: Callable[[arb], arb], clamp: float | None = None) -> Callable[[Interval], Bounds]:
    def enclose(x: Interval) -> Bounds:
        low, high = x
        if clamp is not None:
            # beyond the clamp the function still rises: the nearer end remains a bound, the farther one does not
            low = min(low, clamp)
            top = arb.pos_inf() if high > clamp else true(arb(max(high, -clamp)))
            bottom = arb.neg_inf() if low < -clamp else true(arb(low))
            return bottom.lower(), top.upper()
        return true(arb(low)).lower(), true(arb(high)).upper()

    return enclose


def _falling(true: Callable[[arb], arb]) -> Callable[[Interval], Bounds]:
    return lambda x: (true(arb(x[1])).lower(), true(arb(x[0])).upper())


def _positive(enclose: Callable[[Interval], Bounds]) -> Callable[[Interval], Bounds]:
    """Bounds of a function that is positive everywhere."""

    def enclosed(x: Interval) -> Bounds:
        bottom, top = enclose(x)
        return (bottom if bottom > 0 else arb(0)), top

    return enclosed


def _ball(x: Interval) -> arb:
    return arb(x[0]).union(arb(x[1]))


def _wave(true: Callable[[arb], arb]) -> Callable[[Interval], Bounds]:
    def enclose(x: Interval) -> Bounds:
        found = true(_ball(x))
        bottom, top = found.lower(), found.upper()
        return (bottom if bottom > -1 else arb(-1)), (top if top < 1 else arb(1))

    return enclose


def _tan(x: Interval) -> Bounds:
    if _ball(x).cos().contains(0):
        return arb.neg_inf(), arb.pos_inf()
    return arb(x[0]).tan().lower(), arb(x[1]).tan().upper()  # no pole lies between them, so it rises


def _magnitudes(x: Interval) -> Interval:
    low, high = x
    if low <= 0 <= high:
        return 0.0, max(-low, high)
    return min(abs(low), abs(high)), max(abs(low), abs(high))


def _cosh(x: Interval) -> Bounds:
    low, high = _magnitudes(x)
    top = arb.pos_inf() if high > _FAR else arb(high).cosh()
    return arb(min(low, _FAR)).cosh().lower(), top.upper()


def _cube_root(x: arb) -> arb:
    if x == 0:
        return arb(0)
    return x.root(3) if x > 0 else -(-x).root(3)


def _hypot(x: Interval, y: Interval) -> Bounds:
    (a, b), (c, d) = _magnitudes(x), _magnitudes(y)
    return (arb(a) ** 2 + arb(c) ** 2).sqrt().lower(), (arb(b) ** 2 + arb(d) ** 2).sqrt().upper()


def _atan2(y: Interval, x: Interval) -> Bounds:
    """atan2: its extremes are at corners, unless the box contains the origin or crosses the branch cut."""
    if y[0] < 0 < y[1] or (x[0] <= 0 <= x[1] and y[0] <= 0 <= y[1]):
        return -arb.pi().upper(), arb.pi().upper()
    if y[1] < 0:
        bottom, top = _atan2((-y[1], -y[0]), x)
        return -top, -bottom
    if y[0] < 0 or (y[1] == 0 and x[0] < 0):
        return -arb.pi().upper(), arb.pi().upper()  # a zero of either sign is on either side of the branch cut
    corners = [arb.atan2(arb(b), arb(a)) for a in x for b in y]
    return min(c.lower() for c in corners), max(c.upper() for c in corners)


def _power(x: Interval, y: Interval) -> Bounds | None:
    if x[0] > 0:
        exponents = [arb(b) * arb(a).log() for a in x for b in y]  # y * log x: its extremes are at corners
        bottom, top = min(e.lower() for e in exponents), max(e.upper() for e in exponents)
        low = arb(0) if bottom < -_FAR else (bottom if bottom < _FAR else arb(_FAR)).exp().lower()
        high = arb.pos_inf() if top > _FAR else (top if top > -_FAR else arb(-_FAR)).exp().upper()
        return (low if low > 0 else arb(0)), high
    if x[1] < 0 and y[0] == y[1] and y[0].is_integer():
        mirrored = _power((-x[1], -x[0]), y)
        if mirrored is None or y[0] % 2 == 0:
            return mirrored
        return -mirrored[1], -mirrored[0]
    return None


def _exponential(scale: Callable[[], arb]) -> Callable[[Interval], Bounds]:
    return _positive(_rising(lambda x: (x * scale()).exp(), _FAR))


_ONE: Final = (-1.0, 1.0)
_TURNS: Final = tuple(k * 0.7853981633974483 for k in range(-8, 9))
_GROWTH: Final = (-745.0, -100.0, -10.0, -1.0, 1.0, 10.0, 100.0, 709.0)
_SIZES: Final = (-1e6, -1000.0, -10.0, -1.0, 1.0, 10.0, 1000.0, 1e6)

FUNCTIONS: Final[dict[str, TrueFunction]] = {
    one.name: one
    for one in (
        TrueFunction("exp", 1, (1, 1), _exponential(lambda: arb(1)), marks=_GROWTH, steepness=(0.0, 1.0, 0.0)),
        TrueFunction("exp2", 1, (1, 1), _exponential(arb.const_log2), marks=_GROWTH),
        TrueFunction("exp10", 1, (2, 1), _exponential(arb.const_log10), marks=_GROWTH),
        TrueFunction("expm1", 1, (1, 1), _rising(arb.expm1, _FAR), marks=_GROWTH, steepness=(1.0, 1.0, 0.0)),
        TrueFunction("sinh", 1, (2, 2), _rising(arb.sinh, _FAR), marks=_GROWTH),
        TrueFunction("cosh", 1, (2, 2), _cosh, marks=_GROWTH),
        TrueFunction("log", 1, (1, 1), _rising(arb.log), low=0.0, marks=_SIZES),
        TrueFunction("log2", 1, (2, 1), _rising(lambda x: x.log() / arb.const_log2()), low=0.0, marks=_SIZES),
        TrueFunction("log10", 1, (2, 2), _rising(lambda x: x.log() / arb.const_log10()), low=0.0, marks=_SIZES),
        TrueFunction("log1p", 1, (1, 1), _rising(arb.log1p), low=-1.0, marks=_SIZES),
        TrueFunction("asinh", 1, (2, 2), _rising(arb.asinh), marks=_SIZES),
        TrueFunction("acosh", 1, (2, 2), _rising(arb.acosh), low=1.0, marks=_SIZES),
        TrueFunction("atanh", 1, (2, 2), _rising(arb.atanh), *_ONE),
        TrueFunction("tanh", 1, (2, 2), _rising(arb.tanh), marks=_SIZES, steepness=(1.0, 0.0, -1.0)),
        TrueFunction("erf", 1, (1, 1), _rising(arb.erf), marks=_SIZES),
        TrueFunction("erfc", 1, (5, 3), _positive(_falling(arb.erfc)), marks=_SIZES),
        TrueFunction("asin", 1, (1, 1), _rising(arb.asin), *_ONE),
        TrueFunction("acos", 1, (1, 1), _falling(arb.acos), *_ONE),
        TrueFunction("atan", 1, (1, 1), _rising(arb.atan), marks=_SIZES),
        TrueFunction("cbrt", 1, (4, 1), _rising(_cube_root), marks=_SIZES),
        TrueFunction("sin", 1, (1, 1), _wave(arb.sin), marks=_TURNS),
        TrueFunction("cos", 1, (1, 1), _wave(arb.cos), marks=_TURNS),
        TrueFunction("tan", 1, (0, 1), _tan, marks=_TURNS),
        TrueFunction("hypot", 2, (1, 1), _hypot, marks=_SIZES),
        TrueFunction("atan2", 2, (0, 2), _atan2, marks=_ONE),
        TrueFunction("pow", 2, (1, 1), _power, marks=_SIZES),
    )
}


# --- the library's results ---------------------------------------------------------------------------------------


@lru_cache(maxsize=65_536)
def bounds(name: str, format: Float, cell: Box) -> Span | None:
    """Bounds of the results, as ordinals, over a cell of finite arguments in the domain; None if none are known."""
    found = FUNCTIONS[name].over(*((number(format, low), number(format, high)) for low, high in cell))
    if found is None:
        return None
    slack = _slack(FUNCTIONS[name], format)
    with ctx.workprec(2 * _BITS):  # twice the precision of the ends, so that negation does not round them
        low, high = _floor(format, found[0]) - slack, ~_floor(format, -found[1]) + slack
    if found[0] >= 0:
        low = max(low, -1)  # the result has the sign of the true value; a zero may have either sign
    if found[1] <= 0:
        high = min(high, 0)
    return max(low, ~format.infinity), min(high, format.infinity)


def _slack(function: TrueFunction, format: Float) -> int:
    """The error in ordinals: a unit in the last place is one, or two just below a power of two."""
    return 2 * function.units(format) + 2


def _floor(format: Float, end: arb) -> int:
    """The ordinal of the largest float that is at most an exact end; that of -inf where there is no end."""
    greatest, least = number(format, format.max_finite), number(format, 1)
    if not end.is_finite() or end < -greatest:
        return ~format.infinity
    if end > greatest:
        return format.max_finite
    if abs(end) < least:
        return 0 if end >= 0 else ~1
    mantissa, exponent = end.man_exp()
    return sf.ordinal(format, sf.floor_fraction(format, int(mantissa) * Fraction(2) ** int(exponent)))

"""How far the library's results may be from the true ones.

The figures are the largest errors known to glibc's own tests, in units in the last place, rounding to nearest: the GNU
C Library manual, "Known Maximum Errors in Math Functions", whose column for x86_64 is made from the file
sysdeps/x86_64/fpu/libm-test-ulps of the library's source (read at commit 6d457ff36a45; what the file leaves out is 0).
They are the largest errors that anyone has met, not proved bounds. So a proof rests on twice the figure and two units
more, and says so in `relies_on`; and every result that is asked of the library is held to it.
"""

from __future__ import annotations

from typing import Final

from soid.formula.sorts import FLOAT32, Float

_KNOWN: Final[dict[str, tuple[int, int]]] = {
    # double, float
    "acos": (1, 1),
    "acosh": (2, 2),
    "asin": (1, 1),
    "asinh": (2, 2),
    "atan": (1, 1),
    "atan2": (0, 2),
    "atanh": (2, 2),
    "cbrt": (4, 1),
    "cos": (1, 1),
    "cosh": (2, 2),
    "erf": (1, 1),
    "erfc": (5, 3),
    "exp": (1, 1),
    "exp10": (2, 1),
    "exp2": (1, 1),
    "expm1": (1, 1),
    "hypot": (1, 1),
    "log": (1, 1),
    "log10": (2, 2),
    "log1p": (1, 1),
    "log2": (2, 1),
    "pow": (1, 1),
    "sin": (1, 1),
    "sinh": (2, 2),
    "tan": (0, 1),
    "tanh": (2, 2),
}


def is_known(function: str) -> bool:
    """Whether anything is known of a function's errors."""
    return function in _KNOWN


def units(function: str, format: Float) -> int:
    """Units in the last place that a proof allows a result to be off by."""
    return 2 * _KNOWN[function][format == FLOAT32] + 2

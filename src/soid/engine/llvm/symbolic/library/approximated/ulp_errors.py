"""The error of the library's results against the true values.

The figures are the largest errors known to glibc's own tests, in units in the last place, rounding to nearest: the GNU
C Library manual, "Known Maximum Errors in Math Functions". Its column for x86_64 is made from the file
sysdeps/x86_64/fpu/libm-test-ulps of the library's source (read at commit 6d457ff36a45; a function that is not in the
file has error 0). They are the largest observed errors, not proved bounds. So a proof allows twice the figure and two
units more, and says so in `relies_on`; every result of the library is checked against it.
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
    """Whether the error of a function is known."""
    return function in _KNOWN


def units(function: str, format: Float) -> int:
    """The error that a proof allows, in units in the last place."""
    return 2 * _KNOWN[function][format == FLOAT32] + 2

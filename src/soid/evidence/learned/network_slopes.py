"""The slopes of lines below ReLUs as a cover has them: of each layer a text with a digit for each element.

    0      the line of numbers below zero: y = 0, or of a leaky ReLU y = alpha x
    g      that of numbers above zero: y = x
    1..f   lines between the two, by sixteenths

Any of them lies below the function, so a digit that was changed makes no bound wrong: it makes it worse, and then the
bound that the cover has may not be shown any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from soid.errors import BundleError
from soid.evidence.learned.whole_rows import Numbers

_DIGITS: Final = "0123456789abcdefg"
_LAST: Final = len(_DIGITS) - 1
_VALUES: Final = {digit: number / _LAST for number, digit in enumerate(_DIGITS)}


def written(shares: Numbers) -> str:
    return "".join(_DIGITS[int(each)] for each in np.rint(shares * _LAST))


def rounded(shares: Numbers) -> Numbers:
    """What is read of slopes that were written."""
    return np.asarray(np.rint(shares * _LAST) / _LAST)


def read(texts: Sequence[str], sizes: Sequence[int]) -> list[Numbers]:
    """The slopes of each layer; a BundleError if they are not of these layers."""
    fits = len(texts) == len(sizes) and all(map(int.__eq__, map(len, texts), sizes))
    if not fits or not _VALUES.keys() >= {digit for text in texts for digit in text}:
        raise BundleError("a cover has slopes that are none of this network")
    return [np.array([_VALUES[digit] for digit in text]) for text in texts]

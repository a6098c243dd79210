"""The numbers of a CatBoost JSON file, as CatBoost reads them: not always the nearest ones.

Its reader takes the digits for an integer and multiplies or divides by a power of ten. That rounds twice or thrice, so
every tenth number is off by a last place or two, and the model that was saved has other bits than the same model loaded
again. A question about a JSON file is about the model that is loaded from it.

>>> decimal("-0.19117973065021535")
-0.19117973065021537
"""

from __future__ import annotations

import re
from typing import Any, Final

from soid.errors import ProgramError

SAVE_AGAIN: Final = "Save it again: model.save_model('model.json', format='json')."

_NUMBER: Final = re.compile(r"-?([0-9]{1,18})(?:\.([0-9]{1,400}))?(?:[eE]([-+]?[0-9]{1,5}))?")
_POWERS: Final = [float(f"1e{exponent}") for exponent in range(309)]
_WHOLE: Final = (1 << 53) - 1  # beyond this an integer takes no more digits
_DIGITS: Final = 17  # beyond this a number takes no more digits


def decimal(text: str) -> float:
    """A number with a fraction or an exponent."""
    found = _NUMBER.fullmatch(text)
    if not found:
        raise ProgramError(f"The CatBoost model is broken: {text[:40]} is out of range.", SAVE_AGAIN)
    fraction = found[2] or ""
    taken, size = _significand(found[1], fraction)
    size = _scaled(size, int(found[3] or 0) - taken)
    return -size if text[0] == "-" else size


def _significand(whole: str, fraction: str) -> tuple[int, float]:
    """How many digits of the fraction are taken, and the digits as a number: an integer first, then in float64."""
    integer, digits, taken = int(whole), max(len(whole.lstrip("0")) - 1, 0), 0
    for digit in fraction:
        if integer > _WHOLE:
            break
        integer, taken = 10 * integer + int(digit), taken + 1
        digits += integer > 0
    number = float(integer)
    for digit in fraction[taken:]:
        if digits >= _DIGITS:
            break
        number, taken, digits = number * 10.0 + int(digit), taken + 1, digits + 1
    return taken, number


def _scaled(number: float, exponent: int) -> float:
    if exponent < -308:
        number, exponent = number / _POWERS[308], exponent + 308
    if exponent < -308:
        return 0.0
    if exponent > 308 or number * _POWERS[max(exponent, 0)] == float("inf"):
        raise ProgramError("The CatBoost model is broken: it has a number that is too large.", SAVE_AGAIN)
    return number * _POWERS[exponent] if exponent >= 0 else number / _POWERS[-exponent]


def number_of(value: Any, what: str) -> float:
    """A number of the file, which may be written as an integer."""
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, int) and abs(value) >> 63):
        raise ProgramError(f"The CatBoost model is broken: {what} is not a number.", SAVE_AGAIN)
    return float(value)

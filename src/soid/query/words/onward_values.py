"""Where a value has to be for something that is so from a border on: "at 2.5 or less", "above 5.5", "at 116.6 or more".

Of two neighbouring values the one with few digits is told. If neither has few, the border is moved on, to where it is
so all the more: nothing that is told is beyond what is proved.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Final

from soid.formula import softfloat as sf
from soid.program.domain import contains
from soid.program.interface import Variable
from soid.program.types import FloatType, parse, show
from soid.query.words.readable_numbers import with_unit

_FEW: Final = 5  # digits of a number that is told as it is
_LEAST: Final = 4  # digits that are kept of one that has more


def onward(variable: Variable, last: int, first: int, *, exact: bool = False) -> str:
    """Where it is so: at `first` and at all values beyond it, but not at its neighbour `last`."""
    kind, unit = variable.type, variable.unit
    rises = variable.order.place_of(first) > variable.order.place_of(last)
    at, before = show(kind, first), show(kind, last)
    if not exact and isinstance(kind, FloatType) and sf.is_finite(kind.format, first) and _digits(at) > _FEW:
        if sf.is_finite(kind.format, last) and _digits(before) <= _FEW and parse(kind, before) == last:
            return f"{'above' if rises else 'below'} {with_unit(before, unit)}"
        at = _moved_on(variable, first, rises) or at
    return f"at {with_unit(at, unit)} or {'more' if rises else 'less'}"


def _moved_on(variable: Variable, first: int, rises: bool) -> str:
    """A number of few digits in the domain that lies beyond the border; empty if there is none near it."""
    kind = variable.type
    assert isinstance(kind, FloatType)
    value = sf.to_fraction(kind.format, first)
    number = Decimal(value.numerator) / Decimal(value.denominator)
    rounding = ROUND_CEILING if rises else ROUND_FLOOR
    near = number.quantize(Decimal(1).scaleb(number.adjusted() + 1 - _LEAST), rounding)
    beyond = Fraction(near) >= value if rises else Fraction(near) <= value
    text = f"{near.normalize():f}" if near.adjusted() > -_FEW else f"{near.normalize():e}"
    bits = parse(kind, text)
    place, border = variable.order.place_of(bits), variable.order.place_of(first)
    further = place >= border if rises else place <= border
    return text if beyond and further and contains(kind, variable.domain, bits) else ""


def _digits(text: str) -> int:
    return len(Decimal(text).normalize().as_tuple().digits)

"""Units of logged numbers, and the exact conversion from one to another.

>>> from fractions import Fraction
>>> unit_conversion("ft", "m").bounds(Fraction(100))
(Fraction(762, 25), Fraction(762, 25))
>>> low, high = unit_conversion("deg", "rad").bounds(Fraction(180))
>>> low < high, float(low)
(True, 3.141592653589793)

A conversion is a fraction, so it rounds nothing. Only between degrees and radians it is a multiple of pi, which is no
fraction: the result lies between two fractions that differ in the 60th digit.

>>> [unit_told(each) for each in ("kg/m^2", "1/min", "m/s2", "EUR/month")]
['kg/m²', 'per min', 'm/s²', 'EUR/month']
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final, final

from msgspec import Struct

from soid.errors import did_you_mean

_POWER: Final = re.compile(r"(?<=[a-z])\^?([23])(?!\w)")
_RAISED: Final = {"2": "²", "3": "³"}

_PI_LOW: Final = Fraction(314159265358979323846264338327950288419716939937510582097494, 10**59)
_PI_HIGH: Final = _PI_LOW + Fraction(1, 10**59)


@final
class Unit(Struct, frozen=True):
    """A unit as a multiple of the base unit of what it measures: base = (number + zero) * factor * pi**pi_power."""

    measures: str
    factor: Fraction = Fraction(1)
    zero: Fraction = Fraction(0)  # of temperatures, whose zeros differ
    pi_power: int = 0


def _of(measures: str, **factors: Fraction | int) -> dict[str, Unit]:
    return {name: Unit(measures, Fraction(factor)) for name, factor in factors.items()}


_FOOT, _MILE, _SEA_MILE, _POUND = Fraction(3048, 10000), Fraction(1609344, 1000), 1852, Fraction(45359237, 10**8)
_G: Final = Fraction(980665, 10**5)

#: by the name that a manifest writes
UNITS: Final[dict[str, Unit]] = {
    **_of("time", s=1, ms=Fraction(1, 10**3), us=Fraction(1, 10**6), ns=Fraction(1, 10**9), min=60, h=3600, d=86400),
    **_of("length", m=1, mm=Fraction(1, 1000), cm=Fraction(1, 100), dm=Fraction(1, 10), km=1000),
    **_of("length", ft=_FOOT, mi=_MILE, nmi=_SEA_MILE, yd=3 * _FOOT),
    "in": Unit("length", _FOOT / 12),
    **_of("speed", mph=_MILE / 3600, kn=Fraction(_SEA_MILE, 3600)),
    "m/s": Unit("speed"),
    "cm/s": Unit("speed", Fraction(1, 100)),
    "mm/s": Unit("speed", Fraction(1, 1000)),
    "km/h": Unit("speed", Fraction(1000, 3600)),
    "ft/s": Unit("speed", _FOOT),
    "ft/min": Unit("speed", _FOOT / 60),
    "m/s2": Unit("acceleration"),
    "ft/s2": Unit("acceleration", _FOOT),
    **_of("acceleration", g0=_G),
    **_of("angle", turn=1, deg=Fraction(1, 360), grad=Fraction(1, 400)),
    "rad": Unit("angle", Fraction(1, 2), pi_power=-1),
    "mrad": Unit("angle", Fraction(1, 2000), pi_power=-1),
    "deg/s": Unit("turning", Fraction(1, 360)),
    "rad/s": Unit("turning", Fraction(1, 2), pi_power=-1),
    **_of("turning", rpm=Fraction(1, 60)),
    **_of("mass", kg=1, g=Fraction(1, 1000), mg=Fraction(1, 10**6), t=1000, lb=_POUND, oz=_POUND / 16),
    **_of("force", N=1, kN=1000, lbf=_POUND * _G),
    **_of("pressure", Pa=1, hPa=100, mbar=100, kPa=1000, bar=10**5, atm=101325),
    **_of("pressure", mmHg=Fraction(133322387415, 10**9)),
    **_of("pressure", psi=_POUND * _G / (_FOOT / 12) ** 2),
    **_of("voltage", V=1, mV=Fraction(1, 1000), kV=1000),
    **_of("current", A=1, mA=Fraction(1, 1000)),
    **_of("share", permille=Fraction(1, 1000), percent=Fraction(1, 100)),
    "1": Unit("share"),
    **_of("temperature", K=1),
    "degC": Unit("temperature", zero=Fraction(27315, 100)),
    "degF": Unit("temperature", Fraction(5, 9), zero=Fraction(45967, 100)),
}

#: other names of the same
_ALIASES: Final = {
    "second": "s", "seconds": "s", "sec": "s", "milliseconds": "ms", "microseconds": "us", "µs": "us",
    "nanoseconds": "ns", "minutes": "min", "hours": "h", "days": "d", "metre": "m", "metres": "m", "meter": "m",
    "meters": "m", "feet": "ft", "foot": "ft", "inch": "in", "inches": "in", "miles": "mi", "yards": "yd",
    "nautical miles": "nmi", "knots": "kn", "kt": "kn", "kts": "kn", "mps": "m/s", "kph": "km/h", "kmh": "km/h",
    "fps": "ft/s", "m/s^2": "m/s2", "m/s²": "m/s2", "degree": "deg", "degrees": "deg", "°": "deg", "radian": "rad",
    "radians": "rad", "degrees/s": "deg/s", "°/s": "deg/s", "radians/s": "rad/s", "%": "percent", "‰": "permille",
    "°C": "degC", "celsius": "degC", "°F": "degF", "fahrenheit": "degF", "kelvin": "K", "lbs": "lb", "pounds": "lb",
    "epoch s": "s", "epoch ms": "ms", "epoch us": "us", "epoch ns": "ns",
}  # fmt: skip


@final
class UnitConversion(Struct, frozen=True):
    """number -> (number + before) * factor * pi**pi_power - after."""

    factor: Fraction
    before: Fraction
    after: Fraction
    pi_power: int

    def bounds(self, number: Fraction) -> tuple[Fraction, Fraction]:
        """The converted number lies between these; they are the same where the conversion is exact."""
        scaled = (number + self.before) * self.factor
        ends = [scaled * pi**self.pi_power for pi in (_PI_LOW, _PI_HIGH)] if self.pi_power else [scaled]
        return min(ends) - self.after, max(ends) - self.after


def unit(name: str) -> Unit:
    """The unit of a name; ValueError if there is none."""
    known = UNITS.get(_ALIASES.get(name, name))
    if known is None:
        raise ValueError(
            f'there is no unit "{name}". {did_you_mean(name, UNITS, "the units are: " + ", ".join(UNITS))}'
        )
    return known


def unit_told(unit: str) -> str:
    """A unit as people write it, of one as a manifest writes it."""
    raised = _POWER.sub(lambda power: _RAISED[power[1]], unit)
    return f"per {raised[2:]}" if raised.startswith("1/") else raised


def unit_conversion(source: str, target: str) -> UnitConversion:
    """From one unit to another; ValueError unless both measure the same."""
    ours, theirs = unit(target), unit(source)
    if ours.measures != theirs.measures:
        raise ValueError(f"{source} is a {theirs.measures}, and {target} is a {ours.measures}")
    return UnitConversion(theirs.factor / ours.factor, theirs.zero, ours.zero, theirs.pi_power - ours.pi_power)

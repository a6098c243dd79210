"""The tracks of a log's overview: what one variable did over many steps (`soid.scenario.log_overview`).

A number is a Curve: its steps are divided among cells, and each cell has the least and the greatest value of its steps.
A truth value, an enumeration, or a decision among few whole numbers is a BandTrack: a band for each run of steps with
the same value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, TypeAlias, final

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, number, show

_FEW: Final = 12  # a decision among more whole numbers is drawn as a curve
_MEMORY: Final = 1 << 12  # values that a curve caches with their ranks: the values of a log repeat

Sample: TypeAlias = tuple[int, int | None]  # the number of a step, and the bits that were logged there


@final
class Extreme(Struct, frozen=True):
    """The least or the greatest finite value of a curve, and the first step that has it."""

    step: int
    bits: int


@final
class CurveCell(Struct, frozen=True):
    """The steps at one place of a drawing."""

    least: int | None  # bits; None: there is no finite value
    greatest: int | None
    steps: int  # how many steps have a value here
    not_finite: int  # at how many of them it is infinite or a NaN


@final
class Curve(Struct, frozen=True):
    """A number over the steps."""

    name: str  # the variable's path, with a prime for state after the call
    variable: Variable
    cells: tuple[CurveCell, ...]
    least: Extreme | None  # None: there is no finite value
    greatest: Extreme | None
    not_finite: tuple[int, int] | None  # at how many steps it is infinite or a NaN, and the first of them

    def height(self, bits: int) -> float:
        """Where a finite value lies between the least one and the greatest one: from 0 to 1."""
        assert self.least is not None and self.greatest is not None
        low, high, value = (_quantity(self.variable, each) for each in (self.least.bits, self.greatest.bits, bits))
        if low == high:
            return 0.0
        if isinstance(value, float):  # half of each: the difference of two doubles may be infinite
            low, high, value = low / 2, high / 2, value / 2
        return (value - low) / (high - low)


@final
class Band(Struct, frozen=True):
    """Steps in a row that have the same value."""

    first: int
    last: int
    bits: int | None  # None: the value was not logged


@final
class BandTrack(Struct, frozen=True):
    """A variable with few values over the steps. The bands are in order, and together have every step."""

    name: str
    variable: Variable
    bands: tuple[Band, ...]


Track: TypeAlias = Curve | BandTrack


def band_label(track: BandTrack, band: Band) -> str:
    """The value of a band, without what all labels of its enumeration begin with; empty if it was not logged."""
    if band.bits is None:
        return ""
    kind = track.variable.type
    common = _common_prefix([label for label, _ in kind.labels]) if isinstance(kind, EnumType) else ""
    return show(kind, band.bits).removeprefix(common)


def _common_prefix(labels: list[str]) -> str:
    """
    >>> _common_prefix(["MODE_LAND", "MODE_HOLD"]), _common_prefix(["ON", "OFF"]), _common_prefix(["A_ONE"])
    ('MODE_', '', '')
    """
    first, last = min(labels), max(labels)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: first[:same].rfind("_") + 1]


def track(name: str, variable: Variable, samples: Sequence[Sample], cells: int, cell_of: Callable[[int], int]) -> Track:
    """The track of a variable that was logged; `cell_of` divides the steps among the cells of a curve."""
    kind = variable.type
    few = variable.role is Role.DECISION and len({bits for _, bits in samples}) <= _FEW
    if isinstance(kind, BoolType | EnumType) or (isinstance(kind, IntType) and few):
        return BandTrack(name, variable, _bands(samples))
    return _curve(name, variable, samples, cells, cell_of)


def _bands(samples: Sequence[Sample]) -> tuple[Band, ...]:
    found: list[Band] = []
    for bits, run in groupby(samples, key=lambda sample: sample[1]):
        times = [time for time, _ in run]
        found.append(Band(times[0], times[-1], bits))
    return tuple(found)


_Ranked: TypeAlias = tuple[int, int, int]  # the rank of a finite value, its step, its bits


def _curve(
    name: str, variable: Variable, samples: Sequence[Sample], cells: int, cell_of: Callable[[int], int]
) -> Curve:
    kind, place_of = variable.type, variable.order.place_of

    @lru_cache(_MEMORY)
    def rank(bits: int) -> int | None:
        """The place among the finite values."""
        return None if isinstance(kind, FloatType) and not sf.is_finite(kind.format, bits) else place_of(bits)

    finite: list[list[_Ranked]] = [[] for _ in range(cells)]
    others: list[list[int]] = [[] for _ in range(cells)]  # steps
    for time, bits in samples:
        if bits is not None:
            ranked = rank(bits)
            if ranked is None:
                others[cell_of(time)].append(time)
            else:
                finite[cell_of(time)].append((ranked, time, bits))
    ends = [_extremes(values) for values in finite]
    known = [extreme for pair in ends if pair is not None for extreme in pair]
    low, high = _extremes(known) or (None, None)
    odd = [time for times in others for time in times]
    return Curve(
        name,
        variable,
        tuple(_cell(*each) for each in zip(ends, map(len, finite), map(len, others), strict=True)),
        None if low is None else Extreme(*low[1:]),
        None if high is None else Extreme(*high[1:]),
        (len(odd), odd[0]) if odd else None,
    )


def _extremes(values: list[_Ranked]) -> tuple[_Ranked, _Ranked] | None:
    """The least and the greatest, each at its first step."""
    return (min(values), max(values, key=lambda value: (value[0], -value[1]))) if values else None


def _cell(ends: tuple[_Ranked, _Ranked] | None, finite: int, others: int) -> CurveCell:
    low, high = (None, None) if ends is None else (ends[0][2], ends[1][2])
    return CurveCell(low, high, finite + others, others)


def _quantity(variable: Variable, bits: int) -> float:
    """The number that a value is; a float that is wider than a double is rounded to one."""
    kind = variable.type
    if isinstance(kind, FloatType):
        rounded = sf.bits64_to_float(sf.convert(kind.format, FLOAT64, bits))
        return max(-sys.float_info.max, min(rounded, sys.float_info.max))
    assert isinstance(kind, IntType)
    return number(kind, bits)

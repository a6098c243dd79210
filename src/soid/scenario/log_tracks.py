"""The tracks of a log's overview: what one variable did over many steps (`soid.scenario.log_overview`).

A number is a Curve: its steps are divided among cells, and each cell has the least and the greatest value of its steps.
A truth value, an enumeration, or a decision among few whole numbers is a BandTrack: a band for each run of steps with
the same value.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Final, TypeAlias, final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, number, show

_FEW: Final = 12  # a decision among more whole numbers is drawn as a curve
_MEMORY: Final = 1 << 12  # values that a curve caches with their ranks: the values of a log repeat


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
    derived: int = 0  # at how many steps it was not logged, and follows

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
    derived: int = 0  # at how many of its steps it was not logged, and follows
    steps: int = 0  # how many the log has of it


@final
class BandTrack(Struct, frozen=True):
    """A variable with few values over the steps. The bands are in order, and together have every step."""

    name: str
    variable: Variable
    bands: tuple[Band, ...]

    @property
    def derived(self) -> int:
        """At how many steps it was not logged, and follows."""
        return sum(band.derived for band in self.bands)


Track: TypeAlias = Curve | BandTrack


def band_label(track: BandTrack, band: Band) -> str:
    """The value of a band, without what all labels of its enumeration begin with; empty if it was not logged."""
    if band.bits is None:
        return ""
    kind = track.variable.type
    common = _common_prefix([label for label, _ in kind.labels]) if isinstance(kind, EnumType) else ""
    return show(kind, band.bits).removeprefix(common)


def band_values(track: BandTrack) -> list[int]:
    """Its values in an order that gives them colours: labels keep theirs, whatever part of the log is shown."""
    kind = track.variable.type
    labelled = [bits for _, bits in kind.labels] if isinstance(kind, EnumType) else []
    others = {band.bits for band in track.bands if band.bits is not None} - set(labelled)
    return [*dict.fromkeys(labelled), *sorted(others)]


def _common_prefix(labels: list[str]) -> str:
    """
    >>> _common_prefix(["MODE_LAND", "MODE_HOLD"]), _common_prefix(["ON", "OFF"]), _common_prefix(["A_ONE"])
    ('MODE_', '', '')
    """
    first, last = min(labels), max(labels)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[: first[:same].rfind("_") + 1]


@final
class LogStretch(Struct, frozen=True):
    """A part of a log, and how it is divided among the cells of a curve."""

    numbers: Sequence[int]  # of all steps
    borders: tuple[int, ...]  # the places at which the cells begin, and the one after the last cell

    def of(self, values: Sequence[int | None]) -> Sequence[int | None]:
        return values[self.borders[0] : self.borders[-1]]

    def first(self, values: Sequence[int | None], bits: int) -> int:
        """The number of the first step that has these bits."""
        return self.numbers[self.borders[0] + self.of(values).index(bits)]


def track(
    name: str, variable: Variable, values: Sequence[int | None], stretch: LogStretch, derived: Sequence[int] = b""
) -> Track:
    """The track of a variable, from its values at all steps of the log; `derived` marks those that were not logged."""
    kind = variable.type
    few = variable.role is Role.DECISION and len(set(stretch.of(values))) <= _FEW
    if isinstance(kind, BoolType | EnumType) or (isinstance(kind, IntType) and few):
        return BandTrack(name, variable, _bands(values, stretch, derived))
    curve = _curve(name, variable, values, stretch)
    return replace(curve, derived=sum(derived[stretch.borders[0] : stretch.borders[-1]]))


def _bands(values: Sequence[int | None], stretch: LogStretch, derived: Sequence[int]) -> tuple[Band, ...]:
    found: list[Band] = []
    at = stretch.borders[0]
    for bits, run in groupby(stretch.of(values)):
        end = at + sum(1 for _ in run)
        found.append(Band(stretch.numbers[at], stretch.numbers[end - 1], bits, sum(derived[at:end]), end - at))
        at = end
    return tuple(found)


def _curve(name: str, variable: Variable, values: Sequence[int | None], stretch: LogStretch) -> Curve:
    kind, place_of = variable.type, variable.order.place_of

    @lru_cache(_MEMORY)
    def rank(bits: int) -> int | None:
        """The place among the finite values."""
        return None if isinstance(kind, FloatType) and not sf.is_finite(kind.format, bits) else place_of(bits)

    def cell(logged: Sequence[int | None]) -> CurveCell:
        ranked = {bits: rank(bits) for bits in set(logged) if bits is not None}
        finite = {bits: place for bits, place in ranked.items() if place is not None}
        odd = sum(logged.count(bits) for bits in ranked.keys() - finite.keys())
        least, greatest = (end(finite, key=finite.__getitem__, default=None) for end in (min, max))
        return CurveCell(least, greatest, len(logged) - logged.count(None), odd)

    cells = tuple(cell(values[begin:end]) for begin, end in pairwise(stretch.borders))
    known = [end for each in cells for end in (each.least, each.greatest) if end is not None]
    extremes = [end(known, key=place_of, default=None) for end in (min, max)]
    odd = sum(each.not_finite for each in cells)
    first = next(bits for bits in stretch.of(values) if bits is not None and rank(bits) is None) if odd else None
    low, high = (None if bits is None else Extreme(stretch.first(values, bits), bits) for bits in extremes)
    return Curve(name, variable, cells, low, high, None if first is None else (odd, stretch.first(values, first)))


def _quantity(variable: Variable, bits: int) -> float:
    """The number that a value is; a float that is wider than a double is rounded to one."""
    kind = variable.type
    if isinstance(kind, FloatType):
        rounded = sf.bits64_to_float(sf.convert(kind.format, FLOAT64, bits))
        return max(-sys.float_info.max, min(rounded, sys.float_info.max))
    assert isinstance(kind, IntType)
    return number(kind, bits)

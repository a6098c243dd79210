"""The tracks of a log's overview: what one variable did over many steps (`soid.scenario.log_overview`).

A number is a Curve: its steps are divided among cells, and each cell has the least and the greatest value of its steps.
A truth value, an enumeration, or a decision among few whole numbers is a BandTrack: a band for each run of steps with
the same value.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Final, TypeAlias, cast, final, overload

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64
from soid.program.interface import Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, VariableType, number, show

_FEW: Final = 12  # a decision among more whole numbers is drawn as a curve


@final
class CurveExtreme(Struct, frozen=True):
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
    least: CurveExtreme | None  # None: there is no finite value
    greatest: CurveExtreme | None
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
    bands: Sequence[Band]

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


#: the numbers at which the cells of a drawing begin, and the one after the last
CellNumbers: TypeAlias = Sequence[int]


@final
class TrackMaker:
    """The track of a variable while the log is read, part by part, in order."""

    def __init__(self, name: str, variable: Variable, cells: CellNumbers) -> None:
        kind = variable.type
        self.name, self.variable = name, variable
        self.is_logged = False  # anywhere so far
        self._derived = 0  # steps so far
        always = isinstance(kind, BoolType | EnumType)
        self._bands = _Bands() if always or (isinstance(kind, IntType) and variable.role is Role.DECISION) else None
        self._curve = None if always else _CurveMaker(variable, cells)
        self._values: set[int | None] = set()  # of a decision that may be bands, or a curve

    def add(self, numbers: Sequence[int], values: Sequence[int | None], derived: Sequence[int] = b"") -> list[int]:
        """The next steps; `derived` marks what was not logged. Gives the places among them at which a band begins."""
        found = set(values)
        self._derived += sum(derived)
        self.is_logged = self.is_logged or found != {None}
        if self._curve is not None:
            self._curve.add(numbers, values, _known(set(found)))
        if self._bands is None:
            return []
        if self._curve is not None:
            self._values |= found
            if len(self._values) > _FEW:
                self._bands = None
                return []
        return self._bands.add(numbers, values, derived, is_one=len(found) == 1)

    @property
    def track(self) -> Track:
        if self._bands is not None:
            return BandTrack(self.name, self.variable, self._bands)
        assert self._curve is not None
        return replace(self._curve.curve(self.name), derived=self._derived)


@final
class _Bands(Sequence[Band]):
    """Bands in order. A log may have as many as it has steps: they are kept as numbers."""

    def __init__(self) -> None:
        self._first, self._last, self._derived, self._steps = array("q"), array("q"), array("q"), array("q")
        self._bits: list[int | None] = []

    def add(
        self, numbers: Sequence[int], values: Sequence[int | None], derived: Sequence[int], *, is_one: bool
    ) -> list[int]:
        """The next steps; `is_one`: they all have the same value. Gives the places at which a band begins."""
        begun: list[int] = []
        at = 0
        runs = ((bits, sum(1 for _ in run)) for bits, run in groupby(values))
        for bits, count in [(values[0], len(values))] if is_one else runs:
            if not self._bits or self._bits[-1] != bits:
                begun.append(at)
                self._first.append(numbers[at])
                for numbers_of_bands in (self._last, self._derived, self._steps):
                    numbers_of_bands.append(0)
                self._bits.append(bits)
            self._derived[-1] += sum(derived[at : at + count])
            self._steps[-1] += count
            at += count
            self._last[-1] = numbers[at - 1]
        return begun

    def __len__(self) -> int:
        return len(self._bits)

    @overload
    def __getitem__(self, at: int) -> Band: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Band, ...]: ...
    def __getitem__(self, at: int | slice) -> Band | tuple[Band, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        return Band(self._first[at], self._last[at], self._bits[at], self._derived[at], self._steps[at])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bands) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


@final
class _CurveMaker:
    """The cells of a curve, and its extremes so far."""

    def __init__(self, variable: Variable, cells: CellNumbers) -> None:
        self._variable, self._begins = variable, cells
        self._rank = variable.order.place_of
        self._cells = [CurveCell(None, None, 0, 0)] * (len(cells) - 1)
        self._least: CurveExtreme | None = None
        self._greatest: CurveExtreme | None = None
        self._odd: int | None = None  # the first step that has a value which is not finite

    def add(self, numbers: Sequence[int], values: Sequence[int | None], known: set[int]) -> None:
        """The next steps; `known` are their values."""
        cell, begin = bisect_right(self._begins, numbers[0]) - 1, 0
        while begin < len(numbers):
            end = bisect_left(numbers, self._begins[cell + 1], begin)
            if begin < end:
                whole = end - begin == len(numbers)
                inside = values if whole else values[begin:end]
                self._add(cell, numbers, begin, inside, known if whole else _known(set(inside)))
            cell, begin = cell + 1, end

    def _add(
        self, cell: int, numbers: Sequence[int], begin: int, values: Sequence[int | None], distinct: set[int]
    ) -> None:
        logged = len(values) - values.count(None)
        finite, odd = _divided(self._variable.type, distinct)
        low, high = _ends(self._variable.type, finite) if finite else (None, None)
        not_finite = sum(values.count(bits) for bits in odd)
        known = self._cells[cell]
        least, greatest = self._lower(known.least, low), self._higher(known.greatest, high)
        self._cells[cell] = CurveCell(least, greatest, known.steps + logged, known.not_finite + not_finite)

        def step(bits: int) -> int:
            return numbers[begin + values.index(bits)]

        if low is not None and (self._least is None or self._rank(low) < self._rank(self._least.bits)):
            self._least = CurveExtreme(step(low), low)
        if high is not None and (self._greatest is None or self._rank(high) > self._rank(self._greatest.bits)):
            self._greatest = CurveExtreme(step(high), high)
        if odd and self._odd is None:
            self._odd = min(map(step, odd))

    def _lower(self, one: int | None, other: int | None) -> int | None:
        return min((each for each in (one, other) if each is not None), key=self._rank, default=None)

    def _higher(self, one: int | None, other: int | None) -> int | None:
        return max((each for each in (one, other) if each is not None), key=self._rank, default=None)

    def curve(self, name: str) -> Curve:
        odd = None if self._odd is None else (sum(cell.not_finite for cell in self._cells), self._odd)
        return Curve(name, self._variable, tuple(self._cells), self._least, self._greatest, odd)


def _known(values: set[int | None]) -> set[int]:
    values.discard(None)
    return cast("set[int]", values)


def _divided(kind: VariableType, values: set[int]) -> tuple[Collection[int], Collection[int]]:
    """The values that are finite numbers, and those that are not."""
    if not isinstance(kind, FloatType) or not values or max(values) <= kind.format.max_finite:
        return values, ()
    finite = [bits for bits in values if sf.is_finite(kind.format, bits)]
    return finite, [] if len(finite) == len(values) else sorted(values.difference(finite))


def _ends(kind: VariableType, values: Collection[int]) -> tuple[int, int]:
    """The least and the greatest of some finite numbers, given as bits.

    Among numbers without a sign, or without one that is negative, the order of the bits is theirs. Those of negative
    floats are in the opposite order.
    """
    least, greatest = min(values), max(values)
    sign = 1 << (kind.width - 1)
    if greatest < sign or (isinstance(kind, IntType) and not kind.signed):
        return least, greatest
    negative = [bits for bits in values if bits & sign]
    others = [bits for bits in values if not bits & sign]
    low, high = (max, min) if isinstance(kind, FloatType) else (min, max)
    return low(negative), max(others) if others else high(negative)


def _quantity(variable: Variable, bits: int) -> float:
    """The number that a value is; a float that is wider than a double is rounded to one."""
    kind = variable.type
    if isinstance(kind, FloatType):
        rounded = sf.bits64_to_float(sf.convert(kind.format, FLOAT64, bits))
        return max(-sys.float_info.max, min(rounded, sys.float_info.max))
    assert isinstance(kind, IntType)
    return number(kind, bits)

"""Other readings of a log: a column in another unit, a column as rounded, decisions that belong to another step.

Each reading gives a step of the log as it would be if the log had been written so. Reading nothing differently is no
reading: what a reading explains is judged by comparing the program with the log so read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, final, overload

from msgspec import Struct

from soid.formula import softfloat as sf
from soid.program.domain import Range
from soid.program.interface import Interface, Variable
from soid.program.types import FloatType, IntType, number
from soid.program.units import UNITS, UnitConversion
from soid.scenario.trace import Step

#: what a column may be written in, and what the program may take it for
_USUAL: Final = (
    ("ft", "m"), ("m", "ft"), ("cm", "m"), ("m", "cm"), ("deg", "rad"), ("rad", "deg"),
    ("km/h", "m/s"), ("m/s", "km/h"), ("kn", "m/s"), ("m/s", "kn"), ("ms", "s"), ("s", "ms"),
)  # fmt: skip
#: a float with more decimals was not rounded for the log
_MOST_DECIMALS: Final = 6


@final
class ReadSteps(Sequence[Step]):
    """The steps of a log, each read in another way when it is asked for."""

    def __init__(self, steps: Sequence[Step], read: Callable[[int], Step], places: range | None = None) -> None:
        self._steps = steps
        self._read = read
        self._places = range(len(steps)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Step]: ...
    def __getitem__(self, place: int | slice) -> Step | Sequence[Step]:
        if isinstance(place, slice):
            return ReadSteps(self._steps, self._read, self._places[place])
        return self._read(self._places[place])


@final
class NumberColumn(Struct, frozen=True):
    """A logged number: an input, or an output."""

    name: str
    variable: Variable
    decimals: int | None  # that its logged values have; None: they are not decimals

    @property
    def is_measured(self) -> bool:
        """Whether it may have a unit: a whole number that the program gives is a code or a count."""
        return isinstance(self.variable.type, FloatType) or self.variable.is_input

    def fraction(self, bits: int) -> Fraction | None:
        kind = self.variable.type
        if isinstance(kind, FloatType):
            return sf.to_fraction(kind.format, bits) if sf.is_finite(kind.format, bits) else None
        assert isinstance(kind, IntType)
        return Fraction(number(kind, bits))


def number_columns(steps: Sequence[Step], interface: Interface) -> Iterator[NumberColumn]:
    """The logged numbers, with the decimals that they have in some steps."""
    names = dict.fromkeys(
        name for step in steps for name in (*step.inputs, *step.decisions) if name not in step.unlogged
    )
    for name in names:
        variable = interface.variable(name.removesuffix("'"))
        kind = variable.type
        if isinstance(kind, IntType):
            yield NumberColumn(name, variable, 0)
        elif isinstance(kind, FloatType):
            values = {_logged(step, name) for step in steps} - {None}
            found = [_decimals(kind, bits) for bits in values if bits is not None]
            known = [each for each in found if each is not None]
            yield NumberColumn(name, variable, max(known, default=0) if len(known) == len(found) else None)


def _logged(step: Step, name: str) -> int | None:
    if name in step.unlogged:
        return None
    return step.inputs.get(name, step.decisions.get(name))


def _decimals(kind: FloatType, bits: int) -> int | None:
    """The least number of decimals that gives a float; None if that takes too many."""
    if not sf.is_finite(kind.format, bits):
        return 0
    exact = sf.to_fraction(kind.format, bits)
    for decimals in range(_MOST_DECIMALS + 1):
        shown = Fraction(round(exact * 10**decimals), 10**decimals)
        if sf.from_fraction(kind.format, shown, negative=sf.is_negative(kind.format, bits)) == bits:
            return decimals
    return None


def changed(step: Step, column: NumberColumn, value: int, ranged: Range | None) -> Step:
    """A step with another value of a column, or with values that it may stand for."""
    rounded = {name: each for name, each in step.rounded.items() if name != column.name}
    if ranged is not None:
        rounded[column.name] = ranged
    if column.name in step.inputs:
        return dataclasses.replace(step, inputs={**step.inputs, column.name: value}, rounded=rounded)
    return dataclasses.replace(step, decisions={**step.decisions, column.name: value}, rounded=rounded)


def as_rounded(step: Step, column: NumberColumn, decimals: int) -> Step:
    """A step whose column was rounded to some decimals."""
    bits, kind = _logged(step, column.name), column.variable.type
    exact = None if bits is None else column.fraction(bits)
    if bits is None or exact is None or not isinstance(kind, FloatType):
        return step
    return changed(step, column, bits, _around(kind, exact, exact, Fraction(1, 2 * 10**decimals)))


def _around(kind: FloatType, low: Fraction, high: Fraction, half: Fraction) -> Range | None:
    first, last = sf.ceil_fraction(kind.format, low - half), sf.floor_fraction(kind.format, high + half)
    return Range(first, last) if sf.is_finite(kind.format, first) and sf.is_finite(kind.format, last) else None


def conversions(column: NumberColumn) -> Iterator[tuple[str, str]]:
    """The units that a column may be written in, each with the unit that the program takes it for."""
    own = column.variable.unit
    measures = UNITS[own].measures if own in UNITS else None
    for written, meant in _USUAL:
        if measures is None or own in (written, meant):
            yield written, meant


def converted(step: Step, column: NumberColumn, conversion: UnitConversion) -> Step | None:
    """A step with a column converted; None if its type has no such value."""
    bits = _logged(step, column.name)
    exact = None if bits is None else column.fraction(bits)
    if exact is None:
        return step
    low, high = conversion.bounds(exact)
    kind = column.variable.type
    if isinstance(kind, FloatType):
        value = sf.from_fraction(kind.format, low, negative=low < 0)
        if column.decimals is None:
            return changed(step, column, value, None)
        half = abs(conversion.bounds(exact + Fraction(1, 2 * 10**column.decimals))[0] - low)
        return changed(step, column, value, _around(kind, low, high, half))
    assert isinstance(kind, IntType)
    first, last = low.__floor__(), high.__ceil__()
    if first < kind.least or last > kind.greatest:
        return None
    mask = (1 << kind.width) - 1
    ranged = None if first == last else Range(first & mask, last & mask)
    return changed(step, column, round(low) & mask, ranged)


def shifted(steps: Sequence[Step], by: int) -> ReadSteps:
    """The steps with the decisions of another one, `by` steps later."""

    def read(place: int) -> Step:
        step, other = steps[place], place + by
        inputs: Mapping[str, Range] = {name: each for name, each in step.rounded.items() if name in step.inputs}
        if not 0 <= other < len(steps) or steps[other].time != step.time + by:
            return dataclasses.replace(step, decisions={}, rounded=inputs)
        theirs = steps[other]
        ranges = {name: each for name, each in theirs.rounded.items() if name in theirs.decisions}
        return dataclasses.replace(step, decisions=theirs.decisions, rounded={**inputs, **ranges})

    return ReadSteps(steps, read)

"""Other readings of one column of a log: in another unit, or as rounded.

A reading starts from what the log writes, not from what the manifest made of that: a column that the manifest takes for
mV may be in V.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, Self, final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.oracle.log_readings import ReadSteps
from soid.oracle.number_column import NumberColumn, logged
from soid.program.domain import Default, LoggedValue, Range, contains
from soid.program.interface import Variable
from soid.program.trace_table import MappedColumn
from soid.program.types import FloatType, IntType, missing_value
from soid.program.units import UNITS, unit, unit_conversion
from soid.scenario.log_formats import Literal
from soid.scenario.logs.logged_value import LoggedValueReader
from soid.scenario.trace import Step

#: what a column may be written in, and what the program may take it for, where its unit is not known
_USUAL: Final = (
    ("ft", "m"), ("m", "ft"), ("cm", "m"), ("m", "cm"), ("deg", "rad"), ("rad", "deg"),
    ("km/h", "m/s"), ("m/s", "km/h"), ("kn", "m/s"), ("m/s", "kn"), ("ms", "s"), ("s", "ms"),
)  # fmt: skip
#: by so much a value is exaggerated, to see whether a reading in the same direction says anything
_EXAGGERATED: Final = Fraction(1000)


@final
class UnreadableError(ValueError):
    """A reading has no value for what the log writes somewhere."""


@final
class ColumnReading(Struct, frozen=True):
    """A column, read by another line of the manifest."""

    column: NumberColumn
    variable: Variable  # perhaps with another unit
    mapped: MappedColumn
    reader: LoggedValueReader

    @classmethod
    def by(cls, column: NumberColumn, variable: Variable, mapped: MappedColumn) -> Self:
        return cls(column, variable, mapped, LoggedValueReader(mapped.name, variable, mapped))

    def seen(self, places: range) -> ColumnReading:
        """The same with the decimals that the log writes at some places, where the manifest does not say them."""
        column = self.column.seen(places)
        if self.mapped.decimals == column.declared_decimals:
            return self
        return ColumnReading.by(column, self.variable, replace(self.mapped, decimals=column.decimals))

    @property
    def told(self) -> str:
        """What the column is read as."""
        said, mapped, name = self.column.declared_unit, self.mapped, self.column.name
        if self.variable.unit != self.column.variable.unit and self.column.variable.unit:
            return f"{name} taken by the program for {self.variable.unit} instead of {self.column.variable.unit}"
        if mapped.unit is not None and mapped.unit != self.column.written.mapped.unit:
            return f"{name} read as {mapped.unit} instead of {said or self.variable.unit}"
        many = "decimal" if mapped.decimals == 1 else "decimals"
        return f"{name} as rounded to {mapped.decimals} {many}"

    @property
    def remedy(self) -> str:
        """What to write in the manifest."""
        mapped, path, lines = self.mapped, self.variable.path, []
        if self.variable.unit != self.column.variable.unit:
            lines.append(f'[variables] "{path}" = {{ unit = "{self.variable.unit}" }}')
        if mapped.unit is None and not self.column.written.is_mapped:
            return f'[variables] "{path}" = {{ logged = {{ decimals = {mapped.decimals} }} }}'
        parts = [f'column = "{mapped.column}"'] if mapped.column != mapped.name else []
        parts += [f'unit = "{mapped.unit}"'] if mapped.unit is not None else []
        parts += [f"decimals = {mapped.decimals}"] if mapped.decimals is not None else []
        lines.append(f'[trace.columns] "{mapped.name}" = {{ {", ".join(parts)} }}')
        return " and ".join(lines)

    @property
    def is_own_unit(self) -> bool:
        """Whether it says that no number is converted, where the manifest converts them."""
        return self.mapped.unit == self.column.variable.unit != ""

    def of(self, step: Step, place: int) -> Step:
        bits, cell = logged(step, self.column.name), self.column.written.cell(place)
        if bits is None or (cell is None and bits == missing_value(self.variable.type)):
            return step
        value = self._value(cell)
        return changed(step, self.column, value.bits, value.rounded)

    def _value(self, cell: Literal | None) -> LoggedValue:
        if cell is None:
            raise UnreadableError("another column has it here")
        try:
            return self.reader.read(cell)
        except ValueError as error:
            raise UnreadableError(str(error)) from None

    def keeps_domain(self, places: range) -> bool:
        """Whether the values lie in the domain that the manifest gives them."""
        variable = self.column.variable
        cells = {self.column.written.cell(place) for place in places} - {None}
        return isinstance(variable.domain, Default) or all(
            contains(variable.type, variable.domain, self._value(cell).bits) for cell in cells
        )

    @property
    def enlarges(self) -> bool:
        """Whether the numbers become larger than as the manifest reads them."""
        said = self.column.written.mapped
        if said.unit is None:
            return self._size(self.mapped.unit, self.variable) > 1
        return self._size(self.mapped.unit, self.variable) > self._size(said.unit, self.column.variable)

    def _size(self, written: str | None, variable: Variable) -> Fraction:
        """What 1 is in a unit, from 0 on: the zeros of temperatures are left out."""
        conversion = unit_conversion(written or variable.unit, variable.unit)
        return conversion.bounds(Fraction(1))[0] - conversion.bounds(Fraction(0))[0]

    def exaggerated(self, steps: Sequence[Step]) -> ReadSteps:
        """The steps with values that are far larger than so read, if it makes them larger; else far smaller."""
        column, kind, read = self.column, self.variable.type, read_together(steps, [self])
        factor = _EXAGGERATED if self.enlarges else 1 / _EXAGGERATED

        def exaggerate(place: int) -> Step:
            step = read[place]
            bits = logged(step, column.name)
            exact = None if bits is None else column.fraction(bits)
            if exact is None:
                return step
            exact *= factor
            if isinstance(kind, FloatType):
                value = sf.from_fraction(kind.format, exact, negative=exact < 0)
                return changed(step, column, value, None) if sf.is_finite(kind.format, value) else step
            assert isinstance(kind, IntType)
            nearest = min(max(round(exact), kind.least), kind.greatest)
            return changed(step, column, nearest & (1 << kind.width) - 1, None)

        return ReadSteps(steps, exaggerate)


def read_together(steps: Sequence[Step], readings: Sequence[ColumnReading]) -> ReadSteps:
    """The steps with columns read in another way; an UnreadableError where the log has what cannot be read so."""

    def read(place: int) -> Step:
        step = steps[place]
        for each in readings:
            step = each.of(step, place)
        return step

    return ReadSteps(steps, read)


def as_rounded(column: NumberColumn, decimals: int | None = None) -> ColumnReading:
    """The column as rounded to so many decimals, or to those that the log writes."""
    mapped = replace(column.written.mapped, decimals=column.decimals if decimals is None else decimals)
    return ColumnReading.by(column, column.variable, mapped)


def in_other_units(column: NumberColumn) -> Iterator[ColumnReading]:
    """The column in each unit that it may be written in instead of the one that the manifest reads it in."""
    variable = column.variable
    for source, target in _units(column):
        converts = source != target
        decimals = column.declared_decimals
        if decimals is None and converts:
            decimals = column.decimals
        if not converts and not isinstance(variable.type, FloatType):
            decimals = None  # numbers that are not converted are whole
        mapped = replace(column.written.mapped, unit=source, decimals=decimals)
        yield ColumnReading.by(column, replace(variable, unit=target), mapped)


def _units(column: NumberColumn) -> Iterator[tuple[str, str]]:
    """The units that a column may be written in, each with the unit that the program takes it for."""
    own, declared = column.variable.unit, column.declared_unit
    measured = _measured(own)
    if measured is None:
        yield from _USUAL
        return
    known = {unit_conversion(declared, own)}
    for name in (own, *(name for name, each in UNITS.items() if each.measures == measured)):
        conversion = unit_conversion(name, own)
        if conversion not in known:
            known.add(conversion)
            yield name, own
    yield from ((source, target) for source, target in _USUAL if source == declared and target != own)


def _measured(name: str) -> str | None:
    try:
        return unit(name).measures
    except ValueError:
        return None


def changed(step: Step, column: NumberColumn, value: int, ranged: Range | None) -> Step:
    """A step with another value of a column, or with values that it may stand for."""
    rounded = {name: each for name, each in step.rounded.items() if name != column.name}
    if ranged is not None:
        rounded[column.name] = ranged
    if column.name in step.inputs:
        return dataclasses.replace(step, inputs={**step.inputs, column.name: value}, rounded=rounded)
    return dataclasses.replace(step, decisions={**step.decisions, column.name: value}, rounded=rounded)

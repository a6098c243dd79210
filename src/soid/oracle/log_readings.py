"""Other readings of a log: a column in another unit, a column as rounded, decisions that belong to another step.

Each reading gives a step of the log as it would be if the log had been written so. It starts from what the log writes,
not from what the manifest made of that: a column that the manifest takes for mV may be in V. Reading nothing
differently is no reading: what a reading explains is judged by comparing the program with the log so read.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Self, final, overload

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.formula.decimals import number_literal
from soid.program.domain import Default, LoggedValue, Range, contains
from soid.program.interface import Variable
from soid.program.trace_table import MappedColumn
from soid.program.types import FloatType, IntType, number
from soid.program.units import UNITS, unit, unit_conversion
from soid.scenario.log_formats import Literal, StoredFloat
from soid.scenario.logs.logged_value import LoggedValueReader, written
from soid.scenario.logs.written_column import WrittenColumn
from soid.scenario.trace import Step, Trace

#: what a column may be written in, and what the program may take it for, where its unit is not known
_USUAL: Final = (
    ("ft", "m"), ("m", "ft"), ("cm", "m"), ("m", "cm"), ("deg", "rad"), ("rad", "deg"),
    ("km/h", "m/s"), ("m/s", "km/h"), ("kn", "m/s"), ("m/s", "kn"), ("ms", "s"), ("s", "ms"),
)  # fmt: skip
#: a float with more decimals was not rounded for the log
_MOST_DECIMALS: Final = 6
#: by so much a value is exaggerated, to see whether a reading in the same direction says anything
_EXAGGERATED: Final = Fraction(1000)


def follows(step: Step, other: Step, by: int = 1) -> bool:
    """Whether one step of the log is so many calls after another: no call is missing in between."""
    return step.time == other.time + by


def run_begin(steps: Sequence[Step], place: int) -> int:
    """The first of the steps in a row that lead to a place: before it the log begins, or calls are missing."""
    # numbers grow from step to step, so that no call is missing where they grow as the places do
    return bisect.bisect_left(range(place), steps[place].time - place, key=lambda at: steps[at].time - at)


def run_end(steps: Sequence[Step], place: int, most: int) -> int:
    """The place after the last of the steps in a row from a place on, at most so many of them."""
    end = place + 1
    while end < len(steps) and end < place + most and follows(steps[end], steps[end - 1]):
        end += 1
    return end


@final
class UnreadableError(ValueError):
    """A reading has no value for what the log writes somewhere."""


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
    """A logged number, an input or an output: what the log writes, and how the manifest reads that."""

    name: str
    variable: Variable
    written: WrittenColumn
    decimals: int | None  # that the log writes; None: more than a log that is rounded has

    @property
    def is_measured(self) -> bool:
        """Whether it may have a unit: a whole number that the program gives is a code or a count."""
        return isinstance(self.variable.type, FloatType) or self.variable.is_input

    @property
    def declared_decimals(self) -> int | None:
        """To which the manifest says that the log rounds it."""
        mapped = self.written.mapped.decimals
        return self.variable.decimals if mapped is None else mapped

    @property
    def declared_unit(self) -> str:
        """That the manifest reads it in."""
        return self.written.mapped.unit or self.variable.unit

    def fraction(self, bits: int) -> Fraction | None:
        kind = self.variable.type
        if isinstance(kind, FloatType):
            return sf.to_fraction(kind.format, bits) if sf.is_finite(kind.format, bits) else None
        assert isinstance(kind, IntType)
        return Fraction(number(kind, bits))

    def seen(self, places: Iterable[int]) -> NumberColumn:
        """The same with the decimals that the log writes at some places."""
        cells = {self.written.cell(place) for place in places} - {None}
        found = max((_decimals(cell) for cell in cells if cell is not None), default=0)
        return replace(self, decimals=None if found > _MOST_DECIMALS else found)


def number_columns(trace: Trace, places: range) -> list[NumberColumn]:
    """The logged numbers, with the decimals that they have at some places."""
    steps = trace.steps[places.start : places.stop]
    names = dict.fromkeys(
        name for step in steps for name in (*step.inputs, *step.decisions) if name not in step.unlogged
    )
    variables = {name: trace.interface.variable(name.removesuffix("'")) for name in names}
    numbers = {name: v for name, v in variables.items() if isinstance(v.type, FloatType | IntType)}
    columns = _as_values(trace, numbers) if trace.written is None else trace.written(list(numbers))
    return [
        NumberColumn(name, numbers[name], column, None).seen(places)
        for name, column in columns.items()
        if not column.mapped.labels
    ]


def _as_values(trace: Trace, variables: Mapping[str, Variable]) -> dict[str, WrittenColumn]:
    """The columns of a log that was not read from a source: its values are what is written."""
    cells = tuple(tuple(_cell(step, name, v) for name, v in variables.items()) for step in trace.steps)
    return {name: WrittenColumn(MappedColumn(name, name), False, cells, at) for at, name in enumerate(variables)}


def _cell(step: Step, name: str, variable: Variable) -> Literal | None:
    bits, kind = logged(step, name), variable.type
    if bits is None:
        return None
    if isinstance(kind, FloatType):
        return StoredFloat(kind.format, bits)
    assert isinstance(kind, IntType)
    return str(number(kind, bits))


def logged(step: Step, name: str) -> int | None:
    """What a step has for a variable, if that is logged."""
    return None if name in step.unlogged else step.inputs.get(name, step.decisions.get(name))


def _decimals(cell: Literal) -> int:
    found = number_literal(written(cell))
    return 0 if found is None or found.base != 10 else max(0, -found.exponent)


# --- another line of the manifest


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
        if logged(step, self.column.name) is None:
            return step
        value = self._value(self.column.written.cell(place))
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


def as_rounded(column: NumberColumn) -> ColumnReading:
    """The column as rounded to the decimals that the log writes."""
    mapped = replace(column.written.mapped, decimals=column.decimals)
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


# --- another step


def shifted(steps: Sequence[Step], by: int) -> ReadSteps:
    """The steps with the decisions of another one, `by` steps later."""

    def read(place: int) -> Step:
        step, other = steps[place], place + by
        inputs: Mapping[str, Range] = {name: each for name, each in step.rounded.items() if name in step.inputs}
        if not 0 <= other < len(steps) or not follows(steps[other], step, by):
            return dataclasses.replace(step, decisions={}, rounded=inputs)
        theirs = steps[other]
        ranges = {name: each for name, each in theirs.rounded.items() if name in theirs.decisions}
        return dataclasses.replace(step, decisions=theirs.decisions, rounded={**inputs, **ranges})

    return ReadSteps(steps, read)

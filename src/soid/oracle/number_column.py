"""The logged numbers of a log: what it writes for each, and how the manifest reads that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.formula import softfloat as sf
from soid.formula.decimals import number_literal
from soid.program.interface import Variable
from soid.program.trace_table import MappedColumn
from soid.program.types import FloatType, IntType, number
from soid.scenario.log_formats import Literal, StoredFloat
from soid.scenario.logs.logged_value import written
from soid.scenario.logs.written_column import WrittenColumn
from soid.scenario.trace import Step, Trace

#: a float with more decimals was not rounded for the log
_MOST_DECIMALS: Final = 6


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
        found = self.most_decimals(places)
        return replace(self, decimals=None if found > _MOST_DECIMALS else found)

    def most_decimals(self, places: Iterable[int]) -> int:
        """The most decimals that the log writes at some places."""
        cells = {self.written.cell(place) for place in places} - {None}
        return max((_decimals(cell) for cell in cells if cell is not None), default=0)


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

"""The features of a graph: one for each column of its inputs, and what the operators demand of them.

A text is a category; its codes are given out in the order in which operators name the texts. An integer is a category
too if every use of it is a comparison with known ones: then its code is the integer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.column_steps import Column, ColumnStep, Indicator, Table, ToFloat32
from soid.engine.learned.model import ModelFeature, ModelRefused, Written
from soid.engine.learned.readers.onnx.onnx_messages import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    TYPE_NAMES,
    OnnxInput,
)
from soid.engine.learned.readers.onnx.protobuf_wire import broken

_MOST: Final = 100_000
#: the bounds of integers, as far as a float64 has them
_BOUNDS: Final = {
    INT64: (-(2.0**63), 2.0**63 - 1024.0),
    INT32: (-(2.0**31), 2.0**31 - 1.0),
    BOOL: (0.0, 1.0),
}


@final
class PreparedColumns(Struct, frozen=True):
    """A table in the graph whose columns depend on one feature each."""

    kind: int  # the type of its elements
    columns: tuple[Column, ...]
    flat: bool = True  # False: what an encoder has made of a column is not yet beside that of the next one


@final
class ModelTable(Struct, frozen=True):
    """What a model gets: a table, and the features that its columns are made of."""

    kind: int
    columns: tuple[Column, ...]
    features: tuple[ModelFeature, ...]


@final
class InputFeatures:
    """The features as far as they are known while operators are read."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._kinds: list[int] = []
        self._codes: dict[int, dict[str, int]] = {}  # of texts
        self._demanded: dict[int, set[int]] = {}  # codes that no operator rejects, if some reject any

    def added(self, given: OnnxInput, several: bool) -> PreparedColumns:
        """The columns of an input."""
        if given.kind not in (FLOAT, DOUBLE, INT64, INT32, BOOL, STRING):
            told = TYPE_NAMES.get(given.kind, str(given.kind))
            raise ModelRefused(f"The input {given.name} has the type {told}, which is not modelled.")
        if given.shape is None or len(given.shape) != 2 or given.shape[1] is None:
            raise ModelRefused(
                f"The file does not say how many columns the input {given.name} has.",
                "Export the model with inputs of the shape [None, number of columns].",
            )
        count = given.shape[1]
        if count < 1 or count + len(self._names) > _MOST:
            raise broken(f"the input {given.name} has {count} columns")
        first = len(self._names)
        for place in range(count):
            self._names.append(_name(given.name, place, count, several))
            self._kinds.append(given.kind)
        steps: tuple[ColumnStep, ...] = (ToFloat32(),) if given.kind == FLOAT else ()
        return PreparedColumns(given.kind, tuple(Column(first + place, steps) for place in range(count)))

    def codes(self, feature: int, labels: Iterable[str]) -> list[int]:
        """The codes of some texts, which are made where they are new."""
        known = self._codes.setdefault(feature, {})
        return [known.setdefault(label, len(known)) for label in labels]

    def demand(self, feature: int, codes: Iterable[int]) -> None:
        """An operator rejects all others."""
        self._demanded[feature] = self._demanded.get(feature, set(codes)) & set(codes)

    def settled(self, used: Iterable[Column]) -> tuple[tuple[ModelFeature, ...], dict[Column, Column]]:
        """The features, and how columns read them now that all uses are known."""
        by_feature: dict[int, list[Column]] = {}
        for column in used:
            by_feature.setdefault(column.feature, []).append(column)
        features: list[ModelFeature] = []
        changed: dict[Column, Column] = {}
        for number, name in enumerate(self._names):
            columns = by_feature.get(number, [])
            if self._kinds[number] == STRING:
                features.append(self._category(number, name, self._codes.get(number, {})))
            elif _are_codes(columns):
                known = {str(code): code for code in sorted(_compared(columns))}
                features.append(self._category(number, name, known))
                changed |= {column: _of_codes(column) for column in columns}
            else:
                features.append(self._number(number, name))
        return tuple(features), changed

    def _category(self, number: int, name: str, known: dict[str, int]) -> ModelFeature:
        demanded = self._demanded.get(number)
        kept = tuple((label, code) for label, code in known.items() if demanded is None or code in demanded)
        written: Written = "text" if self._kinds[number] == STRING else "number"
        takes_unseen = demanded is None
        return ModelFeature(name, "category", kept, takes_missing=False, takes_unseen=takes_unseen, written=written)

    def _number(self, number: int, name: str) -> ModelFeature:
        kind = self._kinds[number]
        if number in self._demanded:
            raise ModelRefused(
                f"The input {name} is encoded, with others rejected, and a number elsewhere in the file."
            )
        if kind in (FLOAT, DOUBLE):
            return ModelFeature(name)
        least, greatest = _BOUNDS[kind]
        return ModelFeature(
            name, "flag" if kind == BOOL else "integer", least=least, greatest=greatest, takes_missing=False
        )


def _name(given: str, place: int, count: int, several: bool) -> str:
    if several:
        return given if count == 1 else f"{given}_{place}"
    return given if count == 1 else f"f{place}"


def _are_codes(columns: list[Column]) -> bool:
    """Whether all columns of an integer begin by comparing it with known ones, none of them negative."""
    starts = [column.steps[0] if column.steps else None for column in columns]
    return bool(starts) and all(isinstance(step, Indicator | Table) for step in starts) and min(_compared(columns)) >= 0


def _compared(columns: list[Column]) -> set[int]:
    found: set[int] = set()
    for column in columns:
        step = column.steps[0]
        if isinstance(step, Indicator):
            assert step.value is not None
            found.add(int(step.value))
        elif isinstance(step, Table):
            found |= {key for key, _ in step.entries}
    return found


def _of_codes(column: Column) -> Column:
    step = column.steps[0]
    if isinstance(step, Indicator) and step.value is not None:
        return Column(column.feature, (Table(((int(step.value), 1.0),), 0.0), *column.steps[1:]))
    return column

"""Linear sums over boxes of features: the range of each column, and of its product with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.column_steps import Bins, Clip, Column, ColumnArithmetic, Impute, Indicator, Table, ToFloat32
from soid.engine.learned.evaluation import DTYPES
from soid.engine.learned.forest import Boxes, labels_within
from soid.engine.learned.model import LinearSum, ModelFeature

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

_RISING: Final[dict[str, Any]] = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}


@final
class ColumnRange(Struct, frozen=True):
    """The values of a column in each box: from low to high, or missing; low above high: only that."""

    low: Numbers
    high: Numbers
    missing: Flags


@final
class ColumnRanges:
    """Columns over boxes of the features that they are made of."""

    def __init__(self, columns: Sequence[Column], features: Sequence[ModelFeature]) -> None:
        self.columns = columns
        self.used = sorted({column.feature for column in columns})
        self.features = [features[number] for number in self.used]
        at = {number: place for place, number in enumerate(self.used)}
        self.places = [at[column.feature] for column in columns]  # of each column's feature among those that are used

    def of(self, boxes: Boxes) -> list[ColumnRange]:
        return [self._column(column, place, boxes) for column, place in zip(self.columns, self.places, strict=True)]

    def _column(self, column: Column, feature: int, boxes: Boxes) -> ColumnRange:
        found = ColumnRange(boxes.low[:, feature], boxes.high[:, feature], boxes.missing[:, feature])
        for step in column.steps:
            if isinstance(step, Table):
                found = _looked_up(step, self.features[feature], found)
            else:
                found = _prepared(step, found)
        return found


@final
class LinearBounds:
    """The terms of one linear sum over boxes."""

    def __init__(self, one: LinearSum, features: Sequence[ModelFeature]) -> None:
        self.sum = one
        self._columns = ColumnRanges(one.columns, features)
        self.used, self.features = self._columns.used, self._columns.features

    def of(self, boxes: Boxes) -> tuple[Any, Any]:
        """Least and greatest of each term, the intercept first; a row for each box."""
        kind = DTYPES[self.sum.precision]
        least = np.empty((len(boxes), len(self.sum.columns) + 1), kind)
        most = np.empty_like(least)
        least[:, 0] = most[:, 0] = self.sum.intercept
        with np.errstate(over="ignore", invalid="ignore"):
            columns = zip(self._columns.of(boxes), self.sum.weights, strict=True)
            for place, (column, weight) in enumerate(columns, start=1):
                least[:, place], most[:, place] = self._term(column, kind(weight), kind)
        return least, most

    def _term(self, given: ColumnRange, weight: Any, kind: Any) -> tuple[Any, Any]:
        ends = np.stack([given.low.astype(kind) * weight, given.high.astype(kind) * weight])
        numbers = given.low <= given.high
        least, most = np.where(numbers, ends.min(axis=0), 0), np.where(numbers, ends.max(axis=0), 0)
        if self.sum.skips_missing:  # adds nothing
            least = np.where(given.missing, np.minimum(least, 0), least)
            most = np.where(given.missing, np.maximum(most, 0), most)
        else:
            least, most = np.where(given.missing, -np.inf, least), np.where(given.missing, np.inf, most)
        unclear = np.isnan(least) | np.isnan(most)
        return np.where(unclear, -np.inf, least), np.where(unclear, np.inf, most)

    def widths(self, boxes: Boxes) -> Numbers:
        """For each box and feature how much the sum varies with it."""
        least, most = self.of(boxes)
        found = np.zeros((len(boxes), len(self.used)))
        for place, feature in enumerate(self._columns.places, start=1):
            found[:, feature] += (most[:, place] - least[:, place]).astype(np.float64)
        return np.nan_to_num(found, posinf=1e300)


def _prepared(step: Any, given: ColumnRange) -> ColumnRange:
    low, high, missing, numbers = given.low, given.high, given.missing, given.low <= given.high
    match step:
        case Impute(value):
            lowest = np.where(numbers, np.where(missing, np.minimum(low, value), low), value)
            highest = np.where(numbers, np.where(missing, np.maximum(high, value), high), value)
            return ColumnRange(lowest, highest, np.zeros(len(low), bool))
        case ColumnArithmetic(operation, value):
            first, last = _RISING[operation](low, value), _RISING[operation](high, value)
            falls = operation in ("multiply", "divide") and value < 0
            low, high = (last, first) if falls else (first, last)
        case ToFloat32():
            low, high = (end.astype(np.float32).astype(np.float64) for end in (low, high))
        case Clip(least, most):
            low, high = np.clip(low, least, most), np.clip(high, least, most)
        case Bins(edges):
            low, high = (np.searchsorted(np.array(edges), end, side="right").astype(np.float64) for end in (low, high))
        case Indicator(None):
            return ColumnRange(np.where(numbers, 0.0, 1.0), np.where(missing, 1.0, 0.0), np.zeros(len(low), bool))
        case Indicator(float(value)):
            inside = numbers & (low <= value) & (value <= high)
            only = (low == value) & (high == value) & ~missing
            return ColumnRange(only.astype(np.float64), inside.astype(np.float64), np.zeros(len(low), bool))
    return ColumnRange(np.where(numbers, low, np.inf), np.where(numbers, high, -np.inf), missing)


def _looked_up(step: Table, feature: ModelFeature, given: ColumnRange) -> ColumnRange:
    known = dict(step.entries)
    listed = [step.unseen, step.missing, *(known.get(code, step.unseen) for _, code in feature.categories)]
    by_label = np.array(listed, np.float64)
    lows, highs, missing = [], [], []
    for low, high in zip(given.low, given.high, strict=True):
        values = by_label[labels_within(feature, low, high)]
        some = values[~np.isnan(values)]
        lows.append(some.min() if len(some) else np.inf)
        highs.append(some.max() if len(some) else -np.inf)
        missing.append(bool(np.isnan(values).any()))
    return ColumnRange(np.array(lows), np.array(highs), np.array(missing))

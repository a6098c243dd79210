"""SimpleImputer: what is missing becomes a number or a category; columns may be added that say that it was missing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from soid.engine.learned.column_steps import Impute
from soid.engine.learned.readers.skops.prepared_columns import (
    GREATEST64,
    Coded,
    Inputs,
    MissingFlag,
    Numeric,
    Prepared,
    PreparedColumn,
    Untouched,
)
from soid.engine.learned.readers.skops.saved_objects import Saved, as_category
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled


def imputed(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """SimpleImputer."""
    if not _is_nan(saved["missing_values"]):
        raise not_modelled("SimpleImputer with missing_values other than NaN", "Let what is missing be NaN.")
    if prepared.sparse:
        raise not_modelled("SimpleImputer over sparse columns", "Give it dense columns (sparse_output=False).")
    inputs.check(prepared, GREATEST64, missing=True)
    fills = _fills(saved, len(prepared.columns))
    kept = saved["keep_empty_features"].flag()
    columns = [
        _filled(inputs, column, fill)
        for column, fill in zip(prepared.columns, fills, strict=True)
        if kept or fill is not None
    ]
    if saved["add_indicator"].flag():
        columns += _flags(saved["indicator_"], prepared)
    return Prepared(tuple(columns))


def _is_nan(saved: Saved) -> bool:
    found = saved.value()
    return isinstance(found, float) and math.isnan(found)


def _fills(saved: Saved, count: int) -> list[Any]:
    """What takes the place in each column; None: the column was missing in all of the training data."""
    statistics = saved["statistics_"]
    fills = [as_category(each) for each in statistics.labels()]
    if len(fills) != count:
        raise broken(f"{statistics.path} are not those of its columns")
    kind = _dtype(saved)
    if kind.kind in "fiu":
        fills = [each if each is None else as_category(np.array(each).astype(kind).item()) for each in fills]
    return fills


def _dtype(saved: Saved) -> np.dtype[Any]:
    """The kind of number in which it fills."""
    found = saved["_fill_dtype"].dtype()
    if found.kind not in "fiuO":
        raise not_modelled(f"SimpleImputer for {found}", "Fill numbers or texts.")
    return found


def _filled(inputs: Inputs, column: PreparedColumn, fill: Any) -> PreparedColumn:
    if isinstance(column, Untouched):
        return column if column.is_filled or fill is None else Untouched(column.feature, fill)
    if fill is None:
        return column
    if isinstance(fill, bool) or not isinstance(fill, int | float):
        raise not_modelled(f"SimpleImputer that fills a number with {fill!r}", "Fill it with a number.")
    return inputs.stepped(column, Impute(float(fill)))


def _flags(indicator: Saved, prepared: Prepared) -> list[PreparedColumn]:
    found: list[PreparedColumn] = []
    places = indicator["features_"].array()
    if places.ndim != 1 or places.dtype.kind not in "iu":
        raise broken(f"{indicator.path}.features_ is no row of columns")
    for place in places.tolist():
        if not 0 <= place < len(prepared.columns):
            raise broken(f"{indicator.path} is about a column that there is not")
        column = prepared.columns[place]
        if isinstance(column, Coded):
            found.append(Coded(column.feature, {code: float(math.isnan(v)) for code, v in column.values.items()}))
        elif isinstance(column, Untouched | Numeric) and not _was_filled(column):
            found.append(MissingFlag(column.feature))
        else:
            raise not_modelled("SimpleImputer that flags a column which cannot be missing", "Fill the column once.")
    return found


def _was_filled(column: Untouched | Numeric) -> bool:
    if isinstance(column, Untouched):
        return column.is_filled
    return any(isinstance(step, Impute) for step in column.steps)

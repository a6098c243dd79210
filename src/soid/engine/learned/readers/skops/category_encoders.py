"""OneHotEncoder and OrdinalEncoder: from the categories of a feature to numbers.

A category is what the encoder has seen in training. One that is unseen, or missing where training had none missing, is
rejected with an error unless the encoder says what becomes of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from soid.engine.learned.model import MISSING, UNSEEN, Bins, Indicator, Refused
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
from soid.engine.learned.readers.skops.skops_archive import broken

#: a place among the categories; None: unknown
Place = int | None

_MOST_COLUMNS: Final = 1 << 20


def categories_of(saved: Saved, count: int) -> list[list[Any]]:
    """The categories of each column; None among them is what is missing."""
    found = [[as_category(each) for each in column.labels()] for column in saved["categories_"].items()]
    if len(found) != count:
        raise broken(f"{saved.path}.categories_ are not those of its columns")
    return found


def one_hot(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """OneHotEncoder: a column for each category but those that are dropped or grouped."""
    _check_encoder(saved, inputs, prepared)
    rejects = saved["handle_unknown"].text() == "error"
    columns: list[PreparedColumn] = []
    categories = categories_of(saved, len(prepared.columns))
    dropped = _dropped(saved, categories)
    for column, known, without in zip(prepared.columns, categories, dropped, strict=True):
        for place in range(len(known)):
            if place != without:
                columns.append(encoded(inputs, column, known, partial(_is_at, place), rejects=rejects))
        if len(columns) > _MOST_COLUMNS:
            raise broken(f"{saved.path} makes more than {_MOST_COLUMNS} columns")
        if all(each == without for each in range(len(known))):  # no column of it is left, but it is checked
            encoded(inputs, column, known, lambda found: 0.0, rejects=rejects)
    return Prepared(tuple(columns), saved["sparse_output"].flag())


def _is_at(place: int, found: Place) -> float:
    return float(found == place)


def _check_encoder(saved: Saved, inputs: Inputs, prepared: Prepared) -> None:
    if prepared.sparse:
        raise Refused(f"{saved.name} over sparse columns", "scikit-learn rejects this too")
    if saved["_infrequent_enabled"].flag():
        raise Refused(f"{saved.name} that groups infrequent categories", "leave out min_frequency and max_categories")
    if saved["dtype"].name not in ("float64", "float32", "int64", "int32", "float", "int"):
        raise Refused(f"{saved.name} with dtype {saved['dtype'].name}", "use float64")
    inputs.check(prepared, GREATEST64, missing=True)


def _dropped(saved: Saved, categories: list[list[Any]]) -> list[Place]:
    """The category of each column that has no column of its own."""
    dropped = saved.get("drop_idx_")
    if dropped is None:
        return [None] * len(categories)
    found = dropped.labels()
    if len(found) != len(categories):
        raise broken(f"{dropped.path} are not those of its columns")
    for place, known in zip(found, categories, strict=True):
        if place is not None and (not isinstance(place, int) or not 0 <= place < len(known)):
            raise broken(f"{dropped.path} has a category that there is not")
    return found


def ordinal(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """OrdinalEncoder: the place of a category."""
    _check_encoder(saved, inputs, prepared)
    rejects = saved["handle_unknown"].text() == "error"
    unknown = math.nan if rejects else _number_or_nan(saved["unknown_value"])
    missing = _number_or_nan(saved["encoded_missing_value"])
    columns = []
    for column, known in zip(prepared.columns, categories_of(saved, len(prepared.columns)), strict=True):
        columns.append(encoded(inputs, column, known, ordinal_number(known, unknown, missing), rejects=rejects))
    return Prepared(tuple(columns))


def ordinal_number(known: list[Any], unknown: float, missing: float) -> Callable[[Place], float]:
    """The number for the place of a category."""

    def number(place: Place) -> float:
        if place is None:
            return unknown
        return missing if known[place] is None else float(place)

    return number


def _number_or_nan(saved: Saved) -> float:
    found = saved.value()
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise broken(f"{saved.path} is no number")
    return float(found)


def encoded(
    inputs: Inputs, column: PreparedColumn, known: list[Any], number: Callable[[Place], float], *, rejects: bool
) -> PreparedColumn:
    """The column that has a number for each place among the known categories, and for None."""
    places: dict[Any, int] = {value: place for place, value in enumerate(known)}
    if isinstance(column, Untouched):
        return _encoded_feature(inputs, column, known, places, number, rejects)
    if isinstance(column, Coded):
        values = {code: _place(places, value) for code, value in column.values.items()}
        if rejects and values[MISSING] is None:
            inputs.note(column.feature, takes_missing=False)
        if rejects and values[UNSEEN] is None:
            inputs.note(column.feature, takes_unseen=False)
        if rejects and any(place is None for code, place in values.items() if code >= 0):
            raise Refused("an encoder that rejects a category of the encoder before it", "encode once")
        return Coded(column.feature, {code: number(place) for code, place in values.items()})
    return _encoded_number(inputs, column, places, number, rejects)


def _place(places: dict[Any, int], value: float) -> Place:
    return places.get(as_category(value))


def _encoded_feature(
    inputs: Inputs,
    column: Untouched,
    known: list[Any],
    places: dict[Any, int],
    number: Callable[[Place], float],
    rejects: bool,
) -> Coded:
    codes = inputs.codes(column.feature, [value for value in known if value is not None])
    missing = places.get(as_category(column.fill) if column.is_filled else None)
    if rejects:
        inputs.note(column.feature, takes_unseen=False)
        if missing is None:
            inputs.note(column.feature, takes_missing=False)
    values = {code: number(places[value]) for value, code in codes.items()}
    return Coded(column.feature, {**values, MISSING: number(missing), UNSEEN: number(None)})


def _encoded_number(
    inputs: Inputs,
    column: Numeric | MissingFlag,
    places: dict[Any, int],
    number: Callable[[Place], float],
    rejects: bool,
) -> PreparedColumn:
    """A column for one bin; the numbers of bins are all known."""
    ones = [value for value, place in places.items() if number(place) == 1.0]
    bins = column.steps[-1] if column.steps else None
    if not isinstance(bins, Bins) or len(ones) != 1 or sum(number(place) for place in places.values()) != 1.0:
        raise Refused("an encoder behind a preparation of numbers", "encode the column itself, or bins of it")
    if rejects and set(places) != set(range(len(bins.edges) + 1)):
        raise Refused("an encoder that has not seen every bin", "use handle_unknown='ignore'")
    return inputs.stepped(column, Indicator(float(ones[0])))

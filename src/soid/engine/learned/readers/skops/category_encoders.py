"""OneHotEncoder and OrdinalEncoder: from the categories of a feature to numbers.

A category is what the encoder has seen in training. One that is unseen, or missing where training had none missing, is
rejected with an error unless the encoder says what becomes of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct

from soid.engine.learned.column_steps import Bins, Indicator
from soid.engine.learned.model import MISSING, UNSEEN
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
    """OneHotEncoder: a column for each category but those that are dropped."""
    _check_encoder(saved, inputs, prepared)
    rejects = saved["handle_unknown"].text() == "error"
    columns: list[PreparedColumn] = []
    categories = categories_of(saved, len(prepared.columns))
    dropped = _dropped(saved, categories)
    for column, known, without in zip(prepared.columns, categories, dropped, strict=True):
        source = _source(inputs, column, known, rejects=rejects)
        columns += [source.one(place) for place in range(len(known)) if place != without]
        if len(columns) > _MOST_COLUMNS:
            raise broken(f"{saved.path} makes more than {_MOST_COLUMNS} columns")
    return Prepared(tuple(columns), saved["sparse_output"].flag())


def _check_encoder(saved: Saved, inputs: Inputs, prepared: Prepared) -> None:
    if prepared.sparse:
        raise not_modelled(f"{saved.name} over sparse columns", "Scikit-learn rejects this too.")
    if saved["_infrequent_enabled"].flag():
        raise not_modelled(f"{saved.name} that groups infrequent categories", "Leave min_frequency unset.")
    if saved["dtype"].name not in ("float64", "int64", "int32", "float", "int"):
        raise not_modelled(f"{saved.name} with dtype {saved['dtype'].name}", "Use float64.")
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
    categories = categories_of(saved, len(prepared.columns))
    return Prepared(
        tuple(
            placed(inputs, column, known, unknown, missing, rejects=rejects)
            for column, known in zip(prepared.columns, categories, strict=True)
        )
    )


def placed(
    inputs: Inputs, column: PreparedColumn, known: list[Any], unknown: float, missing: float, *, rejects: bool
) -> PreparedColumn:
    """The place of a category among those that are known; a number for the others, and for what is missing."""
    numbers = {place: missing if value is None else float(place) for place, value in enumerate(known)}
    return _source(inputs, column, known, rejects=rejects).numbers(numbers, unknown)


def _number_or_nan(saved: Saved) -> float:
    found = saved.value()
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise broken(f"{saved.path} is no number")
    return float(found)


@final
class _Codes(Struct, frozen=True):
    """A category whose codes are known as places among the categories of an encoder."""

    feature: int
    at: Mapping[Place, Sequence[int]]  # the codes at each place, and those that are unknown

    def one(self, place: int) -> Coded:
        """1 at a place, else 0. Codes that are 0 need not be named, unless what is unseen is at the place."""
        ones = dict.fromkeys(self.at.get(place, ()), 1.0)
        if UNSEEN in ones:
            return self.numbers({place: 1.0}, 0.0)
        return Coded(self.feature, {UNSEEN: 0.0, MISSING: 0.0, **ones})

    def numbers(self, by_place: Mapping[int, float], otherwise: float) -> Coded:
        """A number for each place."""
        values = {
            code: otherwise if place is None else by_place.get(place, otherwise)
            for place, codes in self.at.items()
            for code in codes
        }
        return Coded(self.feature, values)


@final
class _BinNumbers(Struct, frozen=True):
    """The numbers of bins, which are the categories of an encoder."""

    inputs: Inputs
    column: Numeric
    known: Sequence[Any]

    def one(self, place: int) -> PreparedColumn:
        return self.inputs.stepped(self.column, Indicator(float(self.known[place])))

    def numbers(self, by_place: Mapping[int, float], otherwise: float) -> PreparedColumn:
        raise not_modelled("OrdinalEncoder behind bins", "The numbers of bins need no encoder.")


def _source(inputs: Inputs, column: PreparedColumn, known: list[Any], *, rejects: bool) -> _Codes | _BinNumbers:
    places: dict[Any, int] = {value: place for place, value in enumerate(known)}
    if isinstance(column, Untouched):
        codes = inputs.codes(column.feature, [value for value in known if value is not None])
        missing = places.get(as_category(column.fill) if column.is_filled else None)
        found: dict[int, Place] = {code: places[value] for value, code in codes.items()}
        found |= {MISSING: missing, UNSEEN: None}
    elif isinstance(column, Coded):
        found = {code: places.get(as_category(value)) for code, value in column.values.items()}
        if rejects and any(place is None for code, place in found.items() if code >= 0):
            raise not_modelled("an encoder that rejects a category of the encoder before it", "Encode once.")
    else:
        return _bin_numbers(inputs, column, known, rejects)
    if rejects and found[UNSEEN] is None:
        inputs.note(column.feature, takes_unseen=False)
    if rejects and found[MISSING] is None:
        inputs.note(column.feature, takes_missing=False)
    at: dict[Place, list[int]] = {}
    for code, place in found.items():
        at.setdefault(place, []).append(code)
    return _Codes(column.feature, at)


def _bin_numbers(inputs: Inputs, column: Numeric | MissingFlag, known: list[Any], rejects: bool) -> _BinNumbers:
    bins = column.steps[-1] if column.steps else None
    if not isinstance(column, Numeric) or not isinstance(bins, Bins):
        raise not_modelled("an encoder behind a preparation of numbers", "Encode the column itself, or bins of it.")
    if rejects and set(known) != set(range(len(bins.edges) + 1)):
        raise not_modelled("an encoder that has not seen every bin", "Use handle_unknown='ignore'.")
    if not all(isinstance(value, int) for value in known):
        raise broken("an encoder of bins knows something that is no bin")
    return _BinNumbers(inputs, column, known)

"""Columns on their way through the preparations of a pipeline, each made from one feature of the application.

A column begins as a feature of which nothing is known. A scaler makes a number of it, an encoder a category; what comes
after an encoder is a table from categories to numbers. A feature is one or the other: if both are asked for, it is
refused. What a step rejects with an error (infinities, NaN, unseen categories) is noted with the feature.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from soid.engine.learned import cuts
from soid.engine.learned.column_steps import Column, ColumnStep, Impute, Indicator, Table
from soid.engine.learned.evaluation import column_values
from soid.engine.learned.model import MISSING, UNSEEN, ModelFeature, ModelRefused, Written
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled

#: numbers beyond are rejected: they are infinite, or become so as a float32
GREATEST64: Final = sys.float_info.max
GREATEST32: Final = math.nextafter(math.ldexp(2**25 - 1, 103), 0.0)

_NOTHING: Final = object()
_LARGEST_CODE: Final = 1 << 31
_MOST_WORK: Final = 2_000_000


@final
class Untouched(Struct, frozen=True):
    """A feature as the application gives it; what is missing may have become something else."""

    feature: int
    fill: Any = _NOTHING

    @property
    def is_filled(self) -> bool:
        return self.fill is not _NOTHING


@final
class Numeric(Struct, frozen=True):
    """A number made from a number."""

    feature: int
    steps: tuple[ColumnStep, ...] = ()


@final
class Coded(Struct, frozen=True):
    """A number made from a category."""

    feature: int
    values: Mapping[int, float]  # by code, MISSING and UNSEEN among them; a code that is not has the value of UNSEEN


@final
class MissingFlag(Struct, frozen=True):
    """1 if a feature is missing, else 0; then prepared further."""

    feature: int
    steps: tuple[ColumnStep, ...] = ()


PreparedColumn = Untouched | Numeric | Coded | MissingFlag


@final
class Prepared(Struct, frozen=True):
    """The matrix that goes from one step to the next."""

    columns: tuple[PreparedColumn, ...]
    sparse: bool = False  # scalers multiply by the reciprocal then


def through(steps: tuple[ColumnStep, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers after some steps."""
    with np.errstate(all="ignore"):
        return column_values(Column(0, steps), values[:, None], np.zeros((len(values), 1), np.int64))


def _written(values: Sequence[Any]) -> Written:
    kinds = {type(each) for each in values}
    return "text" if kinds == {str} else "number" if kinds == {int} else ""


@final
class Inputs:
    """The features of the application, and what the steps want of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.features = [ModelFeature(name) for name in names]
        self.kinds: list[str] = [""] * len(names)
        self._codes: dict[int, dict[Any, int]] = {}
        self._room = _MOST_WORK

    def spend(self, columns: int) -> None:
        """A step over columns; a file may name the same step again and again."""
        self._room -= 1 + columns
        if self._room < 0:
            raise not_modelled(f"preparations of more than {_MOST_WORK:,} columns in all", "Make the pipeline simpler.")

    def note(self, feature: int, **changes: Any) -> None:
        self.features[feature] = structs.replace(self.features[feature], **changes)

    def bound(self, feature: int, least: float, greatest: float) -> None:
        """Numbers beyond are rejected."""
        known = self.features[feature]
        low = least if known.least is None else max(least, known.least)
        high = greatest if known.greatest is None else min(greatest, known.greatest)
        self.note(feature, least=low, greatest=high)

    def is_kind(self, feature: int, kind: str) -> None:
        if self.kinds[feature] not in ("", kind):
            raise ModelRefused(
                f"column {self.features[feature].name} is used as a number and as a category",
                "Give the model one column for each use.",
            )
        self.kinds[feature] = kind

    def codes(self, feature: int, values: Sequence[Any]) -> dict[Any, int]:
        """The codes of a feature's categories; whole numbers are their own codes."""
        self.is_kind(feature, "category")
        whole = all(
            isinstance(each, int) and not isinstance(each, bool) and 0 <= each < _LARGEST_CODE for each in values
        )
        codes = {value: value if whole else place for place, value in enumerate(values)}
        if self._codes.setdefault(feature, codes) != codes:
            raise ModelRefused(
                f"two encoders know different categories of column {self.features[feature].name}",
                "Encode the column once, or with the same categories.",
            )
        if len(codes) < len(values) or len({str(each) for each in codes}) < len(codes):
            raise broken(f"two categories of column {self.features[feature].name} are the same")
        labels = tuple((str(value), code) for value, code in codes.items())
        self.note(feature, kind="category", categories=labels, written=_written(values))
        return codes

    def category_types(self) -> tuple[tuple[str, str], ...]:
        """What the labels of each category are in the application: texts, flags or numbers."""
        found = []
        for feature, codes in self._codes.items():
            kinds = {type(value).__name__ for value in codes}
            found.append((f"categories of {self.features[feature].name}", " ".join(sorted(kinds))))
        return tuple(found)

    def number(self, column: PreparedColumn) -> Numeric | Coded | MissingFlag:
        """The column as a number."""
        if not isinstance(column, Untouched):
            return column
        self.is_kind(column.feature, "number")
        if not column.is_filled:
            return Numeric(column.feature)
        if isinstance(column.fill, bool) or not isinstance(column.fill, int | float):
            raise ModelRefused(
                f"column {self.features[column.feature].name} is filled with the text {column.fill!r} and not encoded",
                "Encode it with OneHotEncoder or OrdinalEncoder.",
            )
        return Numeric(column.feature, (Impute(float(column.fill)),))

    def stepped(self, column: PreparedColumn, *steps: ColumnStep) -> PreparedColumn:
        """The column after further steps, each of which never falls."""
        known = self.number(column)
        if isinstance(known, Coded):
            after = through(steps, np.array(list(known.values.values()), np.float64))
            return Coded(known.feature, dict(zip(known.values, after.tolist(), strict=True)))
        return structs.replace(known, steps=known.steps + steps)

    def check(self, prepared: Prepared, greatest: float, *, missing: bool) -> None:
        """What a step rejects: numbers beyond, infinities at least, and NaN unless it takes what is missing."""
        for column in prepared.columns:
            if isinstance(column, Untouched):
                self.bound(column.feature, -greatest, greatest)
                if not missing and not column.is_filled:
                    self.note(column.feature, takes_missing=False)
            elif isinstance(column, Numeric):
                self._check_number(column, greatest, missing)
            elif isinstance(column, Coded):
                self._check_codes(column, greatest, missing)

    def _check_number(self, column: Numeric, greatest: float, missing: bool) -> None:
        if not missing and math.isnan(through(column.steps, np.array([math.nan]))[0]):
            self.note(column.feature, takes_missing=False)
        if not any(isinstance(step, Indicator) for step in column.steps):  # which gives 0 or 1
            high = cuts.last_of_each(lambda x: through(column.steps, x) <= greatest, 1)[0]
            low = cuts.last_of_each(lambda x: through(column.steps, x) < -greatest, 1)[0]
            if math.isnan(high):
                raise broken(f"every number of column {self.features[column.feature].name} is rejected")
            self.bound(column.feature, -math.inf if math.isnan(low) else math.nextafter(low, math.inf), float(high))

    def _check_codes(self, column: Coded, greatest: float, missing: bool) -> None:
        name = self.features[column.feature].name
        for code, value in column.values.items():
            if math.isnan(value) and not missing and code == MISSING:
                self.note(column.feature, takes_missing=False)
            elif math.isnan(value) and not missing and code == UNSEEN:
                self.note(column.feature, takes_unseen=False)
            elif abs(value) > greatest or (math.isnan(value) and not missing):
                raise ModelRefused(f"a category of column {name} becomes {value}, which the model rejects", "")

    def finished(self) -> tuple[ModelFeature, ...]:
        """The features, where bounds are for numbers and say nothing about what is beyond every number."""
        found = []
        for feature, kind in zip(self.features, self.kinds, strict=True):
            if kind == "category":
                found.append(structs.replace(feature, least=None, greatest=None))
            else:
                least = None if feature.least == -math.inf else feature.least
                found.append(
                    structs.replace(
                        feature, least=least, greatest=None if feature.greatest == math.inf else feature.greatest
                    )
                )
        return tuple(found)

    def column(self, column: PreparedColumn) -> Column:
        """The column of a linear sum."""
        known = self.number(column)
        if isinstance(known, MissingFlag):
            if self.kinds[known.feature] != "category":
                return Column(known.feature, (Indicator(None), *known.steps))
            known = self.coded_flag(known)
        if isinstance(known, Numeric):
            return Column(known.feature, known.steps)
        entries = tuple((code, value) for code, value in known.values.items() if code >= 0)
        others = (None if math.isnan(value) else value for value in (known.values[UNSEEN], known.values[MISSING]))
        return Column(known.feature, (Table(entries, *others),))

    def coded_flag(self, column: MissingFlag) -> Coded:
        """Whether a category is missing."""
        absent, present = through(column.steps, np.array([0.0, 1.0])).tolist()
        return Coded(column.feature, {UNSEEN: absent, MISSING: present})

    def codes_left(self, column: Coded, sides: Mapping[int, bool]) -> tuple[int, ...]:
        """The codes that go left, if the sides of those are known that have values of their own."""
        if not sides[UNSEEN]:
            return tuple(code for code, goes_left in sides.items() if goes_left and code != MISSING)
        every = (UNSEEN, *self._codes[column.feature].values())
        return tuple(code for code in every if sides.get(code, True))

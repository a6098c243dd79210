"""What a library is given: a model's file, and rows as an application passes them; and what it gives back."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from soid.engine.learned.model import ModelFeature

#: a number, or the code of a category; the label of a category; None: missing
Cell = float | str | None
Row = Sequence[Cell]


class CannotRun(Exception):
    """The library cannot run this model, or this row; the message says why."""


@final
class ModelFile(Struct, frozen=True):
    """A model's file, and what its reader knows of it that the library must be told."""

    library: str
    content: bytes
    features: tuple[ModelFeature, ...]
    classes: tuple[str, ...] = ()  # empty: it gives a number
    outputs: tuple[str, ...] = ()  # names of numbers
    settings: Mapping[str, str] = {}
    beside: Mapping[str, bytes] = {}  # further files, by the names that the model has for them


@final
class Batch(Struct, frozen=True):
    """What a library gives for some rows."""

    labels: list[str] | None
    numbers: dict[str, NDArray[Any]]


class LibraryModel(Protocol):
    """A model in its library."""

    rejects: tuple[type[Exception], ...]  # errors of `predict` with which the library rejects rows

    def predict(self, rows: Sequence[Row]) -> Batch: ...


@contextlib.contextmanager
def without(*packages: str) -> Iterator[None]:
    """Import as if these packages were not installed: a library that finds pandas loads it, which takes seconds."""
    hidden = [name for name in packages if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type] # None is how Python marks such a module
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)


def must_have(features: Sequence[ModelFeature], count: int) -> None:
    """Refuse a model with another number of features than its reader says: the library would reject every row."""
    if len(features) != count:
        raise CannotRun(f"the library counts {count} features, and soid {len(features)}")


def coded(rows: Sequence[Row], features: Sequence[ModelFeature]) -> NDArray[np.float64]:
    """Rows as numbers: categories as their codes, what is missing as NaN."""
    codes = [dict(feature.categories) for feature in features]
    found = np.empty((len(rows), len(features)), np.float64)
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            found[row, column] = _code(cell, codes[column], features[column])
    return found


def _code(cell: Cell, codes: Mapping[str, int], feature: ModelFeature) -> float:
    if cell is None:
        return math.nan
    if not isinstance(cell, str):
        return cell
    if cell not in codes:
        raise CannotRun(f"{feature.name} has no code for the category {cell!r:.80}")
    return float(codes[cell])


def labelled(cell: Cell, feature: ModelFeature) -> str | None:
    """The label of a category; one that training has not seen, if the code is not known."""
    if cell is None or isinstance(cell, str):
        return cell
    if math.isnan(cell):
        return None
    known = {float(code): label for label, code in feature.categories}
    unseen = "unseen"
    while any(unseen == label for label, _ in feature.categories):
        unseen += "_"
    return known.get(cell, unseen)


def by_class(name: str, classes: Sequence[str], columns: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """A number of each class by its name; of two classes that of the second alone."""
    if columns.ndim == 1:
        return {name: columns}
    if len(classes) != columns.shape[1]:
        raise CannotRun(f"the library gives {columns.shape[1]} classes, and the file has {len(classes)}")
    if len(classes) == 2:
        return {name: columns[:, 1]}
    return {f"{name}_{label}": columns[:, index] for index, label in enumerate(classes)}

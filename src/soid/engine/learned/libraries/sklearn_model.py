"""A model in scikit-learn, from a skops file.

skops makes objects of the types that a file names, and asks which of them are trusted beyond scikit-learn's estimators:
here those that hold the trees and losses of models, by name.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, final

import numpy as np
import threadpoolctl

from soid.engine.learned.libraries.model_file import (
    Batch,
    CannotRun,
    Cell,
    ModelFile,
    Row,
    by_class,
    labelled,
    must_have,
    without,
)

try:
    Path("/proc/self/maps").open().close()
except OSError:
    # There it looks for thread pools, and the jail does not show it. A process in the jail has one thread anyway.
    threadpoolctl.ThreadpoolController._find_libraries_with_linux = lambda _: None

with without("pandas", "pyarrow", "polars", "matplotlib", "pytest"):
    import sklearn
    import skops.io
    from sklearn.base import BaseEstimator
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

VERSION: Final[str] = sklearn.__version__

_LOSSES: Final = (
    *("AbsoluteError", "ExponentialLoss", "HalfBinomialLoss", "HalfGammaLoss", "HalfMultinomialLoss"),
    *("HalfPoissonLoss", "HalfSquaredError", "HuberLoss", "PinballLoss"),
)
_LINKS: Final = ("HalfLogitLink", "IdentityLink", "Interval", "LogLink", "LogitLink", "MultinomialLogit")
#: what a file may name beyond the estimators
TRUSTED: Final = frozenset({
    "functools.partial", "numpy.dtype", "sklearn.utils.validation.check_array",  # HistGradientBoosting with categories
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    "builtins.object", "sklearn.compose._column_transformer.make_column_selector",  # columns by their type
    *(f"sklearn._loss.link.{name}" for name in _LINKS),
    *(f"sklearn._loss.loss.{name}" for name in _LOSSES),
    *(f"sklearn._loss._loss.Cy{name}" for name in _LOSSES),
})  # fmt: skip


def written(model: object) -> bytes:
    """A model as a skops file."""
    content: bytes = skops.io.dumps(_estimator(model))
    return content


def _estimator(model: object) -> Any:
    if not isinstance(model, BaseEstimator):
        raise CannotRun(f"it holds a {type(model).__name__}, and no estimator of scikit-learn")
    return model


@final
class SklearnModel:
    """One estimator, or a pipeline."""

    rejects = (ValueError, TypeError)

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        named = skops.io.get_untrusted_types(data=file.content)
        if strange := sorted(set(named) - TRUSTED):
            raise CannotRun(f"its file names types that are not trusted: {', '.join(strange)}")
        self._model = _estimator(skops.io.loads(file.content, trusted=named))
        must_have(file.features, self._model.n_features_in_)
        jobs = [name for name in self._model.get_params() if name.rpartition("__")[2] == "n_jobs"]
        self._model.set_params(**dict.fromkeys(jobs, 1))
        self._encoded = dict(_encoded(self._model, range(len(file.features))))
        self._by_name = any(_selects_by_name(each) for each in _parts(self._model))

    def predict(self, rows: Sequence[Row]) -> Batch:
        data = self._data(rows)
        predicted = self._model.predict(data)
        if not self._file.classes:
            return Batch(None, {"value": predicted})
        classes = [str(each) for each in self._model.classes_]
        numbers: dict[str, Any] = {}
        if hasattr(self._model, "decision_function"):
            numbers |= by_class("score", classes, self._model.decision_function(data))
        if hasattr(self._model, "predict_proba"):
            numbers |= by_class("probability", classes, self._model.predict_proba(data))
        return Batch([str(each) for each in predicted], numbers)

    def _data(self, rows: Sequence[Row]) -> Any:
        features = self._file.features
        cells = [[self._cell(cell, column) for column, cell in enumerate(row)] for row in rows]
        if not self._by_name:
            return np.array(cells, object if any(map(self._is_text, range(len(features)))) else np.float64)
        if importlib.util.find_spec("pandas") is None:
            raise CannotRun("it selects columns by their names, and that needs the package pandas")
        import pandas

        return pandas.DataFrame({
            feature.name: pandas.Series([row[column] for row in cells], dtype=object if self._is_text(column) else None)
            for column, feature in enumerate(features)
        })  # fmt: skip

    def _is_text(self, column: int) -> bool:
        """Whether a column has anything but numbers: by what training has seen, as all of these rows may lack it."""
        known = self._encoded.get(column, ())
        return self._file.features[column].kind == "category" and (not known or len(_numbers(known)) < len(known))

    def _cell(self, cell: Cell, column: int) -> Any:
        feature = self._file.features[column]
        if feature.kind != "category":
            return math.nan if cell is None else cell
        known = self._encoded.get(column, ())
        label = labelled(cell, feature)
        if label is None:
            return None if any(each is None for each in known) else math.nan
        return next((each for each in known if _is_called(each, label)), _of_their_kind(label, known))


def _numbers(known: Sequence[Any]) -> list[Any]:
    return [each for each in known if isinstance(each, int | float | np.number)]


def _is_called(category: Any, label: str) -> bool:
    if str(category) == label:
        return True
    try:
        return not isinstance(category, str) and float(category) == float(label)
    except (TypeError, ValueError):
        return False


def _of_their_kind(label: str, known: Sequence[Any]) -> Any:
    """A category that training has not seen, as the application would write it: a number among numbers."""
    numbers = [each for each in _numbers(known) if not math.isnan(each)]
    if not numbers or any(isinstance(each, str) for each in known):
        return label
    try:
        return float(label)
    except ValueError:
        return max(numbers) + 1


def _encoded(step: Any, columns: Sequence[int]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The categories that an encoder knows, by the column of the row that it is given."""
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            yield from _encoded(inner, columns)
            if not _keeps_columns(inner):
                return
    elif isinstance(step, ColumnTransformer):
        for _, inner, chosen in step.transformers_:
            yield from _encoded(inner, [columns[index] for index in _indices(chosen, step)])
    elif isinstance(getattr(step, "_preprocessor", None), ColumnTransformer):  # HistGradientBoosting has its own
        yield from _encoded(step._preprocessor, columns)
    elif hasattr(step, "categories_"):
        yield from zip(columns, (list(each) for each in step.categories_), strict=True)


def _keeps_columns(step: Any) -> bool:
    if isinstance(step, Pipeline | ColumnTransformer) or hasattr(step, "categories_"):
        return False
    names = getattr(step, "get_feature_names_out", None)
    return names is not None and len(names()) == step.n_features_in_


def _indices(chosen: Any, transformer: ColumnTransformer) -> list[int]:
    """The columns that a part of a ColumnTransformer is given."""
    every = np.arange(transformer.n_features_in_)
    one = [chosen] if isinstance(chosen, str) else chosen
    if not isinstance(one, slice) and any(isinstance(each, str) for each in np.atleast_1d(one)):
        names = [str(name) for name in transformer.feature_names_in_]
        return [names.index(str(each)) for each in one]
    return [int(each) for each in np.atleast_1d(every[one])]


def _parts(step: Any) -> Iterator[Any]:
    yield step
    inner: Mapping[str, Any] = step.get_params(deep=True) if isinstance(step, BaseEstimator) else {}
    yield from (each for each in inner.values() if isinstance(each, BaseEstimator))


def _selects_by_name(step: Any) -> bool:
    if not isinstance(step, ColumnTransformer):
        return False
    chosen = (columns for _, _, columns in step.transformers)
    return any(isinstance(each, str) or callable(columns) for columns in chosen for each in _listed(columns))


def _listed(columns: Any) -> Sequence[Any]:
    return [columns] if isinstance(columns, str | slice | int) or callable(columns) else list(columns)

"""A model in XGBoost, called as `XGBClassifier` and `XGBRegressor` call it, without pandas."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.libraries.model_file import (
    Batch,
    CannotRun,
    ModelFile,
    Row,
    by_class,
    coded,
    must_have,
    without,
)

with without("pandas", "sklearn", "pyarrow", "polars", "dask", "cudf", "cupy"):
    import xgboost

VERSION: Final[str] = xgboost.__version__
_EVEN: Final = 0.5  # above it the second class is chosen


@final
class XgboostModel:
    """One booster. Settings: `iteration_range=0:50` for the first 50 rounds; `input=inplace_predict` for no DMatrix."""

    rejects = (xgboost.core.XGBoostError,)

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._booster = xgboost.Booster({"nthread": 1})
        self._booster.load_model(bytearray(file.content))
        self._booster.set_param({"nthread": 1})
        must_have(file.features, self._booster.num_features())
        self._objective = json.loads(self._booster.save_config())["learner"]["objective"]["name"]
        begin, _, end = file.settings.get("iteration_range", "0:0").partition(":")
        self._rounds = (int(begin), int(end))

    def predict(self, rows: Sequence[Row]) -> Batch:
        margin, found = self._numbers(coded(rows, self._file.features))
        classes = self._file.classes
        if not classes:
            return Batch(None, {"value": found, "score": margin})
        scores = by_class("score", classes, margin)
        if self._objective == "multi:softmax":  # it gives the class, and no probabilities
            return Batch([classes[int(index)] for index in found], scores)
        if found.ndim == 1 and len(classes) != 2:
            raise CannotRun(f"the library gives one number, and the file has {len(classes)} classes")
        chosen = np.argmax(found, axis=1) if found.ndim == 2 else (found > _EVEN).astype(int)
        named = {} if self._objective == "binary:logitraw" else by_class("probability", classes, found)
        return Batch([classes[index] for index in chosen], {**scores, **named})

    def _numbers(self, rows: NDArray[np.float64]) -> tuple[Any, Any]:
        """Sums, and what follows from them; the two ways to predict round the trees of dart otherwise."""
        if self._file.settings.get("input") == "inplace_predict":
            margin, found = (
                self._booster.inplace_predict(
                    rows, predict_type=kind, iteration_range=self._rounds, validate_features=False
                )
                for kind in ("margin", "value")
            )
            return margin, found
        data = xgboost.DMatrix(
            rows,
            missing=math.nan,
            feature_names=self._booster.feature_names,
            feature_types=self._booster.feature_types,
            enable_categorical=True,
            nthread=1,
        )
        margin = self._booster.predict(data, output_margin=True, iteration_range=self._rounds)
        return margin, self._booster.predict(data, iteration_range=self._rounds)

"""A model in LightGBM, called as `LGBMClassifier` and `LGBMRegressor` call it, without pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

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

with without("pandas", "sklearn", "pyarrow", "polars", "dask", "matplotlib", "cffi"):
    import lightgbm

VERSION: Final[str] = lightgbm.__version__


@final
class LightgbmModel:
    """One booster. Settings: `iteration_range=0:50` for the first 50 rounds."""

    rejects = (lightgbm.basic.LightGBMError,)

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._booster = lightgbm.Booster(model_str=file.content.decode(), params={"verbosity": -1})
        must_have(file.features, self._booster.num_feature())
        begin, _, end = file.settings.get("iteration_range", "0:0").partition(":")
        self._start, self._count = int(begin), int(end) - int(begin) or None
        # a random forest gives the sum for a raw score, but goes on with the average, which is the score here
        is_forest = b"\naverage_output\n" in file.content
        self._averaged = (self._count or self._booster.current_iteration()) if is_forest else 1

    def predict(self, rows: Sequence[Row]) -> Batch:
        data = coded(rows, self._file.features)
        rounds: dict[str, Any] = {"start_iteration": self._start, "num_iteration": self._count}
        raw: Any = self._booster.predict(data, raw_score=True, num_threads=1, **rounds)
        margin = raw / self._averaged
        found: Any = self._booster.predict(data, num_threads=1, **rounds)
        classes = self._file.classes
        if not classes:
            return Batch(None, {"value": found, "score": margin})
        if found.ndim == 1 and len(classes) != 2:
            raise CannotRun(f"the library gives one number, and the file has {len(classes)} classes")
        shares = found if found.ndim == 2 else np.vstack((1.0 - found, found)).transpose()
        numbers = {**by_class("score", classes, margin), **by_class("probability", classes, found)}
        return Batch([classes[index] for index in np.argmax(shares, axis=1)], numbers)

"""A model in CatBoost, called as `CatBoostClassifier` and `CatBoostRegressor` call it."""

from __future__ import annotations

import ctypes
import math
import os
import select
import threading
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from soid.engine.learned.libraries.model_file import Batch, ModelFile, Row, by_class, labelled, must_have, without

with without("pyarrow", "matplotlib", "plotly", "graphviz", "ipywidgets", "IPython"):
    import catboost

VERSION: Final[str] = catboost.__version__
_FULL: Final = 0  # a stream's buffer is written when it is full


@final
class CatboostModel:
    """One model."""

    rejects = (catboost.CatBoostError,)

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._model = catboost.CatBoostClassifier() if file.classes else catboost.CatBoostRegressor()
        if file.content.lstrip()[:1] == b"{":
            _load_json(self._model, file.content)
        else:
            self._model.load_model(blob=file.content)
        must_have(file.features, len(self._model.feature_names_))

    def predict(self, rows: Sequence[Row]) -> Batch:
        features = self._file.features
        categories = [index for index, feature in enumerate(features) if feature.kind == "category"]
        data = np.empty((len(rows), len(features)), object if categories else np.float64)
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                data[row, column] = self._cell(cell, column)
        pool = catboost.Pool(data, cat_features=categories or None)
        margin = self._predicted(pool, "RawFormulaVal")
        if not self._file.classes:
            return Batch(None, {"value": self._model.predict(pool, thread_count=1), "score": margin})
        classes = self._file.classes
        scores = by_class("score", classes, margin)
        shares = by_class("probability", classes, self._predicted(pool, "Probability"))
        labels = [str(each) for each in np.ravel(self._predicted(pool, "Class"))]
        return Batch(labels, {**scores, **shares})

    def _cell(self, cell: float | str | None, column: int) -> float | str:
        feature = self._file.features[column]
        if feature.kind != "category":
            assert not isinstance(cell, str)
            return math.nan if cell is None else cell
        label = labelled(cell, feature)
        return math.nan if label is None else label  # the library rejects it

    def _predicted(self, pool: Any, kind: str) -> Any:
        return self._model.predict(pool, prediction_type=kind, thread_count=1)


def _load_json(model: Any, content: bytes) -> None:
    """CatBoost reads JSON from a file only, and the jail has none: so from the end of a pipe.

    It holds Python's global lock until it has read all. So one call of the C library, which begins before, writes all
    and closes the other end: a stream has the content in its buffer, and is closed.
    """
    libc = ctypes.CDLL(None)
    libc.fdopen.restype = ctypes.c_void_p
    reading, writing = os.pipe()
    stream = ctypes.c_void_p(libc.fdopen(writing, b"w"))
    room = ctypes.create_string_buffer(len(content) + 1)  # one more, so that it is never full
    libc.setvbuf(stream, room, _FULL, ctypes.c_size_t(len(room)))
    libc.fwrite(content, ctypes.c_size_t(1), ctypes.c_size_t(len(content)), stream)
    writer = threading.Thread(target=libc.fclose, args=[stream])
    writer.start()
    select.select([reading], [], [])  # the call has begun
    try:
        model.load_model(f"/proc/self/fd/{reading}", format="json")
    finally:
        os.close(reading)
        writer.join()

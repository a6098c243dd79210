"""Models that are trained here, to measure how questions about learned models grow: XGBoost, depth 6, 15 features.

The data is drawn with a fixed seed, so that the same version of XGBoost trains the same model.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any, Final, final

from soid.errors import InputError

FEATURES: Final = tuple(f"x{number}" for number in range(15))

#: the least and the greatest number of each feature that questions suppose; training has seen less
LOW, HIGH = -4.0, 4.0

_ROWS: Final = 4_000
_LOGGED: Final = 200
_SEED: Final = 7

_MANIFEST: Final = """
[program]
name   = "trained"
engine = "model"
model  = "model.json"

[trace]
file     = "log.jsonl"
keyframe = 0

[variables]
"""


def can_train() -> bool:
    return importlib.util.find_spec("xgboost") is not None


@final
class TrainedModel:
    """A project with a model, and the library that runs it."""

    def __init__(self, folder: Path, trees: int) -> None:
        if not can_train():
            raise InputError("models are trained with XGBoost, which is not installed", "pip install 'soid[xgboost]'.")
        import numpy as np
        import xgboost

        luck: Any = np.random.default_rng(_SEED)
        rows = luck.normal(size=(_ROWS, len(FEATURES))).astype(np.float32)
        score = rows @ luck.normal(size=len(FEATURES)) + luck.normal(size=_ROWS)
        score += 1.5 * np.sin(2 * rows[:, 0]) * rows[:, 1] + rows[:, 2] * rows[:, 3]
        # a base score that was learned is misread by Veritas, which takes the probability for a margin
        settings = {"objective": "binary:logistic", "max_depth": 6, "eta": 0.1, "base_score": 0.5, "seed": _SEED}
        data = xgboost.DMatrix(rows, (score > 0).astype(int), feature_names=list(FEATURES), nthread=1)
        self._library = xgboost
        self._model = xgboost.train({**settings, "nthread": 1}, data, trees)
        self.folder = folder
        self.trees = trees
        self.rows: list[list[float]] = rows[:_LOGGED].astype(float).tolist()
        self.margins = self.margin_of(self.rows)
        self._write()

    @property
    def file(self) -> Path:
        return self.folder / "model.json"

    def margin_of(self, rows: list[list[float]]) -> list[float]:
        """What the library itself adds up for rows, which it rounds to float32."""
        import numpy as np

        # one thread: those that wait for more work would spin, and count as time of the question that follows
        data = self._library.DMatrix(np.array(rows).astype(np.float32), feature_names=list(FEATURES), nthread=1)
        return [float(each) for each in self._model.predict(data, output_margin=True)]

    def by_margin(self, share: float) -> int:
        """The logged row of which this share of rows is nearer to the border between the classes."""
        order = sorted(range(_LOGGED), key=lambda row: abs(self.margins[row]))
        return order[int(share * (_LOGGED - 1))]

    def _write(self) -> None:
        self._model.save_model(str(self.file))
        domains = "".join(f"{name} = {{ domain = [{LOW}, {HIGH}] }}\n" for name in FEATURES)
        (self.folder / "soid.toml").write_text(_MANIFEST + domains, encoding="utf-8")
        steps = [
            json.dumps({"step": step, **dict(zip(FEATURES, row, strict=True))}) for step, row in enumerate(self.rows)
        ]
        (self.folder / "log.jsonl").write_text("\n".join(steps) + "\n", encoding="utf-8")

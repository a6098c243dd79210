"""Rows of inputs that tell a model's reader from the library: at thresholds, their neighbours, and odd numbers."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from soid.engine.learned.model import LearnedModel, ModelFeature

_ODD: Final = (
    0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 1e-45, -1e-45, 1e-35, 2.0**-126, 1e30, -1e30, 3.4028234663852886e38,
    3.4028235677973366e38, 1e39, -1e39, 1.7976931348623157e308, math.inf, -math.inf, math.nan,
)  # fmt: skip


def rows_at_thresholds(model: LearnedModel, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Rows that the library takes: each feature at one of its cuts or near it, at an odd number, or anywhere."""
    rng = np.random.default_rng(seed)
    rows = np.empty((count, len(model.features)))
    for column, feature in enumerate(model.features):
        values = _values(model, column, feature)
        anywhere = rng.normal(size=count) * 3.0
        rows[:, column] = rng.choice(values, count)
        if feature.kind == "number":
            rows[:, column] = np.where(rng.random(count) < 0.3, anywhere, rows[:, column])
    return rows


def _values(model: LearnedModel, column: int, feature: ModelFeature) -> np.ndarray[Any, Any]:
    if feature.kind == "category":
        known = [float(code) for _, code in feature.categories]
        known += [max(known, default=0.0) + 7.0] if feature.takes_unseen else []
        return np.array(known + ([math.nan] if feature.takes_missing else []))
    cuts = _cuts(model, column)
    with np.errstate(over="ignore"):
        singles = cuts.astype(np.float32)
    near = [cuts, np.nextafter(cuts, -math.inf), np.nextafter(cuts, math.inf)]
    near += [each.astype(np.float64) for each in (singles, np.nextafter(singles, np.float32(-math.inf)))]
    near += [np.nextafter(singles, np.float32(math.inf)).astype(np.float64)]
    found = np.concatenate([*near, np.array(_ODD)])
    if feature.kind != "number":
        with np.errstate(invalid="ignore"):
            found = np.concatenate(
                [np.floor(found), np.arange(-5.0, 12.0), np.array([feature.least, feature.greatest])]
            )
    keep = np.isnan(found) if feature.takes_missing else np.zeros(len(found), bool)
    least = -math.inf if feature.least is None else feature.least
    greatest = math.inf if feature.greatest is None else feature.greatest
    return found[keep | ((found >= least) & (found <= greatest))]


def _cuts(model: LearnedModel, column: int) -> np.ndarray[Any, Any]:
    found = [np.array([])]
    for trees in model.trees:
        feature, cut = np.frombuffer(trees.feature, "<i4"), np.frombuffer(trees.cut, "<f8")
        found.append(np.unique(cut[(feature == column) & ~np.isnan(cut)]))
    return np.unique(np.concatenate(found))

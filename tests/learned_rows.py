"""Rows for a learned model where mistakes would show: at its thresholds, beside them, and at the ends of floats."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.evaluation import Trees
from soid.engine.learned.model import Feature, LearnedModel

Rows = NDArray[np.float64]

_SPECIAL: Final = (
    0.0, -0.0, 5e-324, -5e-324, 1e-45, -1e-45, 1.1754944e-38, 2.2250738585072014e-308, 1e-35, -1e-35, 1.0, -1.0,
    0.5, 1e30, -1e30, 3.4028234663852886e38, 3.4028235677973362e38, -3.4028235677973362e38, 3.4028235677973366e38,
    1e39, -1e39, 1.7976931348623157e308, math.inf, -math.inf, math.nan,
)  # fmt: skip


def rows_at_thresholds(model: LearnedModel, count: int, seed: int) -> Rows:
    """Random rows; some of them may be rejected by the library, as `accepted` says."""
    random = np.random.default_rng(seed)
    cuts = _cuts(model)
    return np.stack(
        [_column(feature, cuts.get(place, []), count, random) for place, feature in enumerate(model.features)], axis=1
    )


def accepted(model: LearnedModel, rows: Rows) -> NDArray[np.bool_]:
    """Which rows the library takes, by what the model says of its features."""
    found = np.ones(len(rows), bool)
    for place, feature in enumerate(model.features):
        values = rows[:, place]
        missing = np.isnan(values)
        fits = np.ones(len(rows), bool)
        if feature.least is not None:
            fits &= ~(values < feature.least)
        if feature.greatest is not None:
            fits &= ~(values > feature.greatest)
        if feature.kind == "category" and not feature.takes_unseen:
            fits &= np.isin(values, [code for _, code in feature.categories])
        found &= np.where(missing, feature.takes_missing, fits)
    return found


def _cuts(model: LearnedModel) -> dict[int, list[float]]:
    found: dict[int, set[float]] = {}
    for arrays in model.trees:
        trees = Trees(arrays)
        for feature, cut in zip(trees.feature.tolist(), trees.cut.tolist(), strict=True):
            if feature >= 0 and not math.isnan(cut):
                found.setdefault(feature, set()).add(cut)
    return {feature: sorted(cuts) for feature, cuts in found.items()}


def _column(feature: Feature, cuts: list[float], count: int, random: np.random.Generator) -> Rows:
    if feature.kind == "category":
        known = [code for _, code in feature.categories]
        beyond = max(known, default=-1) + 1
        codes = [*known, *known, *known, beyond, beyond + 1, beyond + 40, 10_000, -1, math.nan]
        return random.choice(np.array(codes, float), count)
    plain = random.normal(size=count) * 10.0 ** random.integers(-2, 3, count)
    if cuts:
        chosen = random.choice(np.array(cuts), count)
        kind = random.integers(0, 8, count)
        with np.errstate(over="ignore"):
            single = chosen.astype(np.float32)
            beside = [
                chosen, np.nextafter(chosen, math.inf), np.nextafter(chosen, -math.inf), single,
                np.nextafter(single, np.float32(math.inf)), np.nextafter(single, np.float32(-math.inf)),
            ]  # fmt: skip
        for number, values in enumerate(beside):
            plain = np.where(kind == number, values.astype(np.float64), plain)
    special = random.choice(np.array(_SPECIAL), count)
    return np.where(random.random(count) < 0.02, special, plain)

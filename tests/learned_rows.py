"""Rows that a learned model is most likely to be read wrongly on: at its cuts, beside them, and far outside."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.evaluation import known_codes
from soid.engine.learned.model import UNSEEN, LearnedModel, ModelFeature

Rows = NDArray[np.float64]

_TINY: Final = float(np.float32(1e-35))
_STRANGE: Final = [
    sign * size
    for sign in (1.0, -1.0)
    for size in (
        0.0, 5e-324, 1e-300, 1e-45, 1e-36, 1e-35, _TINY, math.nextafter(_TINY, 1.0), math.nextafter(_TINY, 0.0), 1e-30,
        0.5, 1.0, 3.4028234663852886e38, 3.4028235677973366e38, math.nextafter(3.4028235677973366e38, 0.0), 1e39, 1e300,
        math.inf,
    )
] + [math.nan]  # fmt: skip


def rows_at_thresholds(model: LearnedModel, count: int, seed: int) -> NDArray[np.float64]:
    """Rows of values: NaN, infinities and unseen categories too, whether the library takes them or not."""
    random = np.random.default_rng(seed)
    cuts = _cuts(model)
    columns = [_drawn(each, cuts.get(place, np.empty(0)), count, random) for place, each in enumerate(model.features)]
    return np.stack(columns, axis=1)


def accepted(model: LearnedModel, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows the library takes, as the features' bounds say."""
    taken = np.ones(len(rows), bool)
    for place, feature in enumerate(model.features):
        values, missing = rows[:, place], np.isnan(rows[:, place])
        if not feature.takes_missing:
            taken &= ~missing
        if feature.least is not None:
            taken &= missing | (values >= feature.least)
        if feature.greatest is not None:
            taken &= missing | (values <= feature.greatest)
        if feature.kind == "category" and not feature.takes_unseen:
            taken &= known_codes(feature, values) != UNSEEN
    return taken


def _cuts(model: LearnedModel) -> dict[int, NDArray[np.float64]]:
    """The cuts of each feature."""
    found: dict[int, list[NDArray[np.float64]]] = {}
    for trees in model.trees:
        feature, cut = np.frombuffer(trees.feature, "<i4"), np.frombuffer(trees.cut, "<f8")
        for place in np.unique(feature[feature >= 0]):
            found.setdefault(int(place), []).append(cut[(feature == place) & np.isfinite(cut)])
    return {place: np.unique(np.concatenate(each)) for place, each in found.items()}


def _drawn(
    feature: ModelFeature, cuts: NDArray[np.float64], count: int, random: np.random.Generator
) -> NDArray[np.float64]:
    if feature.kind == "category":
        return _drawn_codes(feature, count, random)
    with np.errstate(over="ignore"):
        single = cuts.astype(np.float32)
        beside = [np.nextafter(single, np.float32(side)).astype(np.float64) for side in (-np.inf, np.inf)]
    near = [cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf), single.astype(np.float64), *beside]
    pool = np.concatenate([*near, np.array(_STRANGE)])
    centre, width = (float(np.median(cuts)), float(np.ptp(cuts)) or 1.0) if len(cuts) else (0.0, 1.0)
    ordinary = random.normal(centre, min(width, 1e6), count)
    strange = random.choice(np.array(_STRANGE), count)
    choice = random.random(count)
    return np.where(choice < 0.5, random.choice(pool, count), np.where(choice < 0.9, ordinary, strange))


def _drawn_codes(feature: ModelFeature, count: int, random: np.random.Generator) -> NDArray[np.float64]:
    codes = np.array([code for _, code in feature.categories] or [0], np.float64)
    others = [codes.max() + 1, codes.max() + 40, 2.0**31, 2.0**32, math.nan]
    if feature.truncates:
        others += [*(codes + 0.5), -0.5, -0.0, -1.0, -7.0, 1e300, math.inf, -math.inf, -(2.0**31), 1e-36]
    return np.where(random.random(count) < 0.7, random.choice(codes, count), random.choice(np.array(others), count))

"""Rows for a learned model where a wrong reading would show: at thresholds, their neighbours, and the odd floats."""

from __future__ import annotations

import math
import random

import numpy as np
from numpy.typing import NDArray

from soid.engine.learned.column_steps import Bins, Clip, ColumnArithmetic, Impute
from soid.engine.learned.evaluation import Trees
from soid.engine.learned.model import LearnedModel, LinearSum, ModelFeature

ODD = (
    0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-45, -1e-45, 1e-38, 1.0, -1.0, 0.1, 1e10, -1e10, 3.4e38, -3.4e38, 1e39, 1e300,
    -1.7e308, math.inf, -math.inf, math.nan,
)  # fmt: skip


def neighbours(number: float) -> list[float]:
    """A number, and the floats beside it in both formats."""
    with np.errstate(all="ignore"):
        single = np.float32(number)
        around = [float(np.nextafter(single, np.float32(end))) for end in (-math.inf, math.inf)]
    middle = [(each + float(single)) / 2 for each in around if math.isfinite(each)]
    double = [math.nextafter(each, end) for each in (number, *middle) for end in (-math.inf, math.inf)]
    return [number, float(single), *around, *middle, *double]


def accepts(feature: ModelFeature, value: float) -> bool:
    """Whether the model's library takes this value without an error, as the feature says."""
    if math.isnan(value):
        return feature.takes_missing
    if feature.kind == "category":
        return feature.takes_unseen or value in {code for _, code in feature.categories}
    return (feature.least is None or value >= feature.least) and (feature.greatest is None or value <= feature.greatest)


def values_of(model: LearnedModel, feature: int) -> list[float]:
    """Values of one feature that are worth trying, rejected ones among them."""
    about = model.features[feature]
    if about.kind == "category":
        codes = [code for _, code in about.categories]
        return [*map(float, codes), math.nan, float(max(codes, default=0) + 1)]
    found = {repr(each): each for each in ODD}
    for number in _constants(model, feature):
        found |= {repr(each): each for each in neighbours(number)}
    for end in (about.least, about.greatest):
        if end is not None:
            found |= {repr(each): each for each in (end, math.nextafter(end, math.inf), math.nextafter(end, -math.inf))}
    return list(found.values())


def _constants(model: LearnedModel, feature: int) -> list[float]:
    found: list[float] = []
    for arrays in model.trees:
        trees = Trees(arrays)
        cuts = trees.cut[(trees.feature == feature) & (trees.code_set < 0)]
        found += [cut for cut in np.unique(cuts).tolist() if math.isfinite(cut)]
    for one in model.sums:
        for column in one.columns if isinstance(one, LinearSum) else ():
            for step in column.steps if column.feature == feature else ():
                match step:
                    case Impute(value) | ColumnArithmetic(_, value):
                        found.append(value)
                    case Clip(low, high):
                        found += [low, high]
                    case Bins(edges):
                        found += edges
    return found


def rows_at_thresholds(model: LearnedModel, count: int, seed: int) -> NDArray[np.float64]:
    """Rows that the library accepts: each value at a threshold or near it, odd, or anywhere."""
    chance = random.Random(seed)
    rows = np.empty((count, len(model.features)))
    for place, feature in enumerate(model.features):
        values = [value for value in values_of(model, place) if accepts(feature, value)]
        finite = [abs(value) for value in values if math.isfinite(value) and abs(value) < 1e6] or [1.0]
        for row in range(count):
            if feature.kind == "category" or chance.random() < 0.7:
                rows[row, place] = chance.choice(values)
            else:
                rows[row, place] = chance.gauss(0.0, 1.0) * chance.choice(finite)
    return rows

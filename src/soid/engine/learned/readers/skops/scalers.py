"""Scalers and bins: what StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler and KBinsDiscretizer do to columns.

All of them compute in float64, number by number, so the steps of a column say it to the bit.
"""

from __future__ import annotations

import numpy as np

from soid.engine.learned.column_steps import Bins, Clip, ColumnArithmetic, ColumnStep, Indicator
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.skops.prepared_columns import GREATEST64, Inputs, Numeric, Prepared, PreparedColumn
from soid.engine.learned.readers.skops.saved_objects import Floats, Saved
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled


def standard(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """StandardScaler: (x - mean) / scale."""
    centre = saved["mean_"] if saved["with_mean"].flag() else None
    scale = saved["scale_"] if saved["with_std"].flag() else None
    return _centred(inputs, prepared, centre, scale)


def robust(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """RobustScaler: (x - centre) / scale."""
    centre = saved["center_"] if saved["with_centering"].flag() else None
    scale = saved["scale_"] if saved["with_scaling"].flag() else None
    return _centred(inputs, prepared, centre, scale)


def largest(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """MaxAbsScaler: x / scale, and perhaps clipped."""
    scaled = _centred(inputs, prepared, None, saved["scale_"])
    clip = saved.get("clip")
    if clip is None or not clip.flag():
        return scaled
    return _stepped(inputs, scaled, [[Clip(-1.0, 1.0)]] * len(scaled.columns))


def _centred(inputs: Inputs, prepared: Prepared, centre: Saved | None, scale: Saved | None) -> Prepared:
    inputs.check(prepared, GREATEST64, missing=True)
    count = len(prepared.columns)
    steps: list[list[ColumnStep]] = [[] for _ in prepared.columns]
    if centre is not None:
        if prepared.sparse:
            raise not_modelled("a scaler that centres sparse columns", "Scikit-learn rejects this too.")
        for place, value in enumerate(centre.floats(count).tolist()):
            steps[place].append(ColumnArithmetic("subtract", value))
    if scale is not None:
        for place, value in enumerate(_factors(scale, count).tolist()):
            steps[place].append(
                ColumnArithmetic("multiply", 1.0 / value) if prepared.sparse else ColumnArithmetic("divide", value)
            )
    return _stepped(inputs, prepared, steps)


def _factors(saved: Saved, count: int) -> Floats:
    found = saved.floats(count)
    if not (found > 0).all() or not np.isfinite(1.0 / found).all():
        raise ModelRefused(f"{saved.path} has a factor that is not above 0", "Scikit-learn fits none.")
    return found


def _stepped(inputs: Inputs, prepared: Prepared, steps: list[list[ColumnStep]]) -> Prepared:
    columns = (inputs.stepped(column, *each) for column, each in zip(prepared.columns, steps, strict=True))
    return Prepared(tuple(columns), prepared.sparse)


def between(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """MinMaxScaler: x * scale + min, and perhaps clipped."""
    inputs.check(prepared, GREATEST64, missing=True)
    if prepared.sparse:
        raise not_modelled("MinMaxScaler over sparse columns", "Scikit-learn rejects this too.")
    count = len(prepared.columns)
    scale, least = _factors(saved["scale_"], count).tolist(), saved["min_"].floats(count).tolist()
    ends = [each.number() for each in saved["feature_range"].items()]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise broken(f"{saved.path}.feature_range is no range")
    clip: list[ColumnStep] = [Clip(ends[0], ends[1])] if saved["clip"].flag() else []
    steps = zip(scale, least, strict=True)
    return _stepped(
        inputs,
        prepared,
        [[ColumnArithmetic("multiply", factor), ColumnArithmetic("add", low), *clip] for factor, low in steps],
    )


def bins(saved: Saved, inputs: Inputs, prepared: Prepared) -> Prepared:
    """KBinsDiscretizer: the number of a bin, or a column for each bin."""
    inputs.check(prepared, GREATEST64, missing=False)
    if prepared.sparse:
        raise not_modelled("KBinsDiscretizer over sparse columns", "Scikit-learn rejects this too.")
    if (kind := saved.get("dtype")) is not None and kind.name != "float64":
        raise not_modelled(f"KBinsDiscretizer with dtype {kind.name}", "Leave dtype at its default.")
    edges, encoding = saved["bin_edges_"].items(), saved["encode"].text()
    if len(edges) != len(prepared.columns):
        raise broken(f"{saved.path}.bin_edges_ are not those of its columns")
    columns: list[PreparedColumn] = []
    for column, each in zip(prepared.columns, edges, strict=True):
        inner = each.floats(-1)[1:-1]
        if (np.diff(inner) < 0).any():
            raise broken(f"{each.path} does not rise")
        binned = inputs.stepped(column, Bins(tuple(inner.tolist())))
        if encoding == "ordinal":
            columns.append(binned)
        elif not isinstance(binned, Numeric):
            raise not_modelled("KBinsDiscretizer over a column that was encoded", "Bin numbers only.")
        else:
            columns += [inputs.stepped(binned, Indicator(float(bin))) for bin in range(len(inner) + 1)]
    if encoding not in ("onehot", "onehot-dense", "ordinal"):
        raise not_modelled(f"KBinsDiscretizer with encode={encoding!r}", "Use onehot, onehot-dense or ordinal.")
    return Prepared(tuple(columns), encoding == "onehot")

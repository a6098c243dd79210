"""What an XGBoost model adds up: leaves of trees, or weighted features.

All in float32. A sum of trees starts from its base score and adds the trees in their order; the sum of a linear model
starts from its bias and base score and adds the features in their order, without those that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.column_steps import Column, ToFloat32
from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import LinearSum, ModelRefused, TreeArrays, TreeSum
from soid.engine.learned.readers.xgboost_document import CategoryLabels, XgboostForest, broken, whole
from soid.engine.learned.readers.xgboost_trees import TreeReader, leaf_columns, single
from soid.engine.learned.readers.xgboost_use import XgboostUse
from soid.engine.learned.trees_builder import TreesBuilder

_GREATEST32: Final = 3.4028234663852886e38


@final
class XgboostSums(Struct, frozen=True):
    """The sums, and what their making has shown of the features."""

    sums: tuple[TreeSum | LinearSum, ...]
    trees: tuple[TreeArrays, ...] = ()
    numeric: frozenset[int] = frozenset()  # features that are compared with thresholds
    greatest_code: Mapping[int, int] = {}  # features that are tested as categories, and the greatest one tested
    labels: tuple[CategoryLabels, ...] = ()
    iterations: str = ""  # which are used, as XGBoost's iteration_range


def tree_sums(
    forest: XgboostForest,
    weights: list[float] | None,
    names: tuple[str, ...],
    starts: list[float],
    features: int,
    use: XgboostUse,
) -> XgboostSums:
    """The sums of trees; `weights` are those of dart."""
    end, iterations = _used(forest, len(starts), use)
    columns = leaf_columns(forest.trees[0]) if forest.trees else 1
    if columns > 1 and (weights is not None or columns != len(starts)):
        raise ModelRefused("Leaves of several values are modelled in gbtree only, with one value for each output.")
    if columns > 1 and forest.trees[0].leaf_weights is None:
        raise ModelRefused("Leaves of several values are read from files of XGBoost 3.2 and later only.")
    if weights is not None and len(weights) != len(forest.trees):
        raise broken(f"{len(forest.trees)} trees have {len(weights)} weights")
    reader = TreeReader(features, columns)
    builders = [TreesBuilder(columns) for _ in (starts if columns == 1 else starts[:1])]
    room = [_GREATEST32 - abs(start) for start in starts]
    for number in range(end):
        group = forest.tree_info[number]
        if not 0 <= group < len(builders):
            raise broken(f"a tree adds to output {group} of {len(builders)}")
        weighted = _weighted(None if weights is None else weights[number], starts[group], use)
        room[group] -= reader.add(forest.trees[number], builders[group], weighted)
    if min(room) <= 0:
        raise ModelRefused("The leaves are so large that their sum may overflow float32.")
    return XgboostSums(
        sums=tuple(
            TreeSum(name, *((number, 0) if columns == 1 else (0, number)), precision=32, start=start)
            for number, (name, start) in enumerate(zip(names, starts, strict=True))
        ),
        trees=tuple(builder.done() for builder in builders),
        numeric=frozenset(reader.numeric),
        greatest_code=reader.greatest_code,
        labels=tuple(forest.cats.enc) if forest.cats else (),
        iterations=iterations,
    )


def _used(forest: XgboostForest, outputs: int, use: XgboostUse) -> tuple[int, str]:
    """How many trees a prediction uses; and which iterations they are."""
    count = len(forest.trees)
    if whole(forest.gbtree_model_param.num_trees, "num_trees") != count or len(forest.tree_info) != count:
        raise broken(f"it has {count} trees, but speaks of another number")
    places = forest.iteration_indptr
    if places is None:
        step = outputs * max(1, whole(forest.gbtree_model_param.num_parallel_tree, "num_parallel_tree"))
        places = [*range(0, count, step), count]
    if not places or places[0] != 0 or places[-1] != count or places != sorted(places):
        raise broken("its iterations do not fit its trees")
    end = len(places) - 1 if use.iterations is None else use.iterations
    if end >= len(places):
        raise broken(f"its best iteration is number {end}, but it has {len(places) - 1}")
    return places[end], f"0:{end}"


def _weighted(weight: float | None, start: float, use: XgboostUse) -> Callable[[float], float]:
    """What a leaf adds to the sum."""
    if weight is None:
        return lambda value: value
    factor = single(weight, "a weight")
    if use.in_place:
        return lambda value: to_float32(to_float32(to_float32(start + value) - start) * factor)
    return lambda value: to_float32(value * factor)


def linear_sums(given: list[float], names: tuple[str, ...], starts: list[float], features: int) -> XgboostSums:
    """The sums of a linear model: a row of weights for each feature, then the biases.

    XGBoost takes the first output's base score for all of them.
    """
    outputs = len(starts)
    weights = [single(weight, "a weight") for weight in given]
    if len(weights) != outputs * (features + 1):
        raise broken(f"{features} features and {outputs} outputs have {len(weights)} weights")
    columns = tuple(Column(feature, (ToFloat32(),)) for feature in range(features))
    return XgboostSums(
        tuple(
            LinearSum(
                name,
                columns,
                tuple(weights[number : outputs * features : outputs]),
                to_float32(weights[outputs * features + number] + starts[0]),
                precision=32,
                any_order=False,
                skips_missing=True,
            )
            for number, name in enumerate(names)
        )
    )

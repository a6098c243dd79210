"""DummyClassifier and DummyRegressor: the same for every row."""

from __future__ import annotations

from soid.engine.learned.model import TreeSum
from soid.engine.learned.readers.skops.fitted_model import (
    FittedModel,
    by_probabilities,
    classes_of,
    one_output,
    outputs_of,
)
from soid.engine.learned.readers.skops.prepared_columns import Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import not_modelled
from soid.engine.learned.trees_builder import TreesBuilder


def classification(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """DummyClassifier that does not draw lots: the shares of classes in training, or all for the largest."""
    one_output(saved)
    classes, strategy = classes_of(saved), saved["strategy"].text()
    if strategy not in ("prior", "most_frequent"):
        raise not_modelled(f"DummyClassifier with strategy={strategy!r}", "Use prior or most_frequent.")
    shares = saved["class_prior_"].floats(len(classes)).tolist()
    if strategy == "most_frequent":
        largest = shares.index(max(shares))
        shares = [float(place == largest) for place in range(len(classes))]
    builder = TreesBuilder(len(classes))
    builder.root()
    builder.leaf(shares)
    sums = tuple(TreeSum(f"probability_{each}", 0, k, start=-0.0) for k, each in enumerate(classes))
    label, outputs = by_probabilities(classes)
    return FittedModel("the same for every row (DummyClassifier)", (builder.done(),), sums, (), label, outputs)


def regression(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """DummyRegressor."""
    builder = TreesBuilder()
    builder.root()
    builder.leaf(saved["constant_"].floats(1, 1)[0].tolist())
    sums = (TreeSum("value", 0, start=-0.0),)
    return FittedModel(
        "the same for every row (DummyRegressor)", (builder.done(),), sums, outputs=outputs_of(["value"])
    )

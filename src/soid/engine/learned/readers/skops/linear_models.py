"""Linear models: a dot product that a BLAS library adds up in an order of its own, then the intercept."""

from __future__ import annotations

from typing import Final

import numpy as np

from soid.engine.learned.model import LinearSum
from soid.engine.learned.readers.skops.fitted_model import (
    FittedModel,
    by_scores,
    classes_of,
    outputs_of,
    score_names,
    scored_links,
)
from soid.engine.learned.readers.skops.prepared_columns import GREATEST64, Inputs, Prepared
from soid.engine.learned.readers.skops.saved_objects import Floats, Saved, finite
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled


def regression(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """LinearRegression, Ridge, Lasso, ElasticNet, SGDRegressor."""
    inputs.check(prepared, GREATEST64, missing=False)
    weights, intercepts = _weights(saved, len(prepared.columns))
    if len(weights) != 1:
        raise not_modelled(f"{saved.name} with several outputs", "soid asks about models with one output.")
    sums = _sums(inputs, prepared, ("value",), weights, intercepts)
    return FittedModel(f"a linear regression ({saved.name})", sums=sums, outputs=outputs_of(["value"]))


def classification(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """LogisticRegression, and those that give scores only: SGDClassifier, LinearSVC, Perceptron, RidgeClassifier."""
    classes = classes_of(saved)
    inputs.check(prepared, GREATEST64, missing=False)
    weights, intercepts = _weights(saved, len(prepared.columns))
    names = score_names(classes)
    if len(weights) != len(names):
        raise broken(f"{saved.path}.coef_ has not a row for each score")
    sums = _sums(inputs, prepared, names, weights, intercepts)
    links = scored_links(classes) if _gives_probabilities(saved, classes) else ()
    outputs = outputs_of([*names, *(link.name for link in links)])
    return FittedModel(f"a linear classifier ({saved.name})", (), sums, links, by_scores(classes), outputs)


_ONE_AGAINST_REST: Final = "probabilities of more than two classes, each against the rest"


def _gives_probabilities(saved: Saved, classes: tuple[str, ...]) -> bool:
    if saved.name in ("LogisticRegression", "LogisticRegressionCV"):
        _check_multinomial(saved, classes)
        return True
    if saved.name == "SGDClassifier":
        loss = saved["loss"].text()
        if loss == "modified_huber":
            raise not_modelled("SGDClassifier with loss='modified_huber'", "Use loss='log_loss'.")
        if loss == "log_loss" and len(classes) > 2:
            raise not_modelled(f"SGDClassifier with {_ONE_AGAINST_REST}", "Use LogisticRegression.")
        return loss == "log_loss"
    return False


def _check_multinomial(saved: Saved, classes: tuple[str, ...]) -> None:
    """Before 1.8 the probabilities could be those of each class against the rest, or of a softmax for two."""
    way = saved.get("multi_class")
    said = "auto" if way is None else way.text()
    apart = said == "ovr" or (said in ("auto", "deprecated") and saved["solver"].text() == "liblinear")
    if (len(classes) > 2 and apart) or (len(classes) == 2 and said == "multinomial"):
        raise not_modelled(f"{saved.name} with multi_class={said!r} and {len(classes)} classes", "Leave it out.")


def _weights(saved: Saved, columns: int) -> tuple[Floats, Floats]:
    """A row of weights for each score, and the intercepts."""
    found = saved["coef_"]
    if found.loader != "NdArrayNode":
        raise not_modelled(f"{saved.name} with sparse weights", "Call densify() before it is dumped.")
    weights = np.atleast_2d(found.floats(*([-1] * found.array().ndim)))
    if weights.ndim != 2 or weights.shape[1] != columns:
        raise broken(f"{found.path} has the shape {weights.shape}")
    intercept = saved["intercept_"]
    if intercept.loader == "JsonNode" or intercept.array().ndim == 0:
        return weights, np.full(len(weights), intercept.number())
    return weights, np.broadcast_to(finite(intercept.floats(-1), intercept.path), (len(weights),))


def _sums(
    inputs: Inputs, prepared: Prepared, names: tuple[str, ...], weights: Floats, intercepts: Floats
) -> tuple[LinearSum, ...]:
    columns = tuple(inputs.column(each) for each in prepared.columns)
    return tuple(
        LinearSum(name, columns, tuple(row), intercept)
        for name, row, intercept in zip(names, weights.tolist(), intercepts.tolist(), strict=True)
    )

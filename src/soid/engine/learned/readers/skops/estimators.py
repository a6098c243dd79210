"""From a saved estimator, perhaps at the end of a pipeline, to a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.skops import (
    adaptive_boosted,
    constant_models,
    gradient_boosted,
    histogram_boosted,
    linear_models,
    sklearn_trees,
    threshold_choices,
)
from soid.engine.learned.readers.skops.fitted_model import FittedModel
from soid.engine.learned.readers.skops.pipeline_steps import (
    is_of_sklearn,
    is_passthrough,
    is_preparation,
    prepared_by,
    steps_of,
)
from soid.engine.learned.readers.skops.prepared_columns import Inputs, Prepared, Untouched
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import broken, not_modelled

Estimator = Callable[[Saved, Inputs, Prepared], FittedModel]

_DEEPEST: Final = 20
_MOST_FEATURES: Final = 1 << 20
_EARLIEST: Final = (1, 5)
_COMPARED: Final = (1, 9)

_ESTIMATORS: Final[dict[str, Estimator]] = {
    "DecisionTreeClassifier": sklearn_trees.tree,
    "DecisionTreeRegressor": sklearn_trees.tree,
    "ExtraTreeClassifier": sklearn_trees.tree,
    "ExtraTreeRegressor": sklearn_trees.tree,
    "RandomForestClassifier": sklearn_trees.forest,
    "RandomForestRegressor": sklearn_trees.forest,
    "ExtraTreesClassifier": sklearn_trees.forest,
    "ExtraTreesRegressor": sklearn_trees.forest,
    "GradientBoostingClassifier": gradient_boosted.boosted,
    "GradientBoostingRegressor": gradient_boosted.boosted,
    "HistGradientBoostingClassifier": histogram_boosted.boosted,
    "HistGradientBoostingRegressor": histogram_boosted.boosted,
    "AdaBoostClassifier": adaptive_boosted.boosted,
    "DummyClassifier": constant_models.classification,
    "DummyRegressor": constant_models.regression,
    "LogisticRegression": linear_models.classification,
    "SGDClassifier": linear_models.classification,
    "LinearSVC": linear_models.classification,
    "Perceptron": linear_models.classification,
    "RidgeClassifier": linear_models.classification,
    "LinearRegression": linear_models.regression,
    "Ridge": linear_models.regression,
    "Lasso": linear_models.regression,
    "ElasticNet": linear_models.regression,
    "SGDRegressor": linear_models.regression,
}


def model_of(saved: Saved) -> LearnedModel:
    """The model that a saved estimator is."""
    if not is_of_sklearn(saved):
        raise _unmodelled(saved)
    version = sklearn_trees.version_of(saved)
    if version < _EARLIEST or version[0] > _COMPARED[0]:
        raise not_modelled(
            f"a model of scikit-learn {saved['_sklearn_version'].text()}",
            "soid knows those from 1.5 on, before 2: load it with one of them, and dump it again.",
        )
    names, named = _names(saved)
    inputs = Inputs(names)
    fitted = _fitted(saved, inputs, Prepared(tuple(Untouched(place) for place in range(len(names)))))
    remarks = fitted.remarks
    if version != _COMPARED:
        remarks += (f"soid's reading was compared with scikit-learn 1.9, and the file is of {version[0]}.{version[1]}",)
    return LearnedModel(
        library="sklearn",
        version=saved["_sklearn_version"].text(),
        family=fitted.family,
        features=inputs.finished(),
        trees=fitted.trees,
        sums=fitted.sums,
        links=fitted.links,
        label=fitted.label,
        outputs=fitted.outputs,
        settings=(("input", "names" if named else "positions"), *inputs.category_types()),
        remarks=remarks,
    )


def _fitted(saved: Saved, inputs: Inputs, prepared: Prepared) -> FittedModel:
    """The model at the end of pipelines, or within a choice of a threshold."""
    choices = []
    for _ in range(_DEEPEST):
        if not is_of_sklearn(saved):
            break
        if saved.name in threshold_choices.NAMES:
            choices.append(saved)
            saved = saved["estimator_"]
        elif saved.name == "Pipeline":
            *before, saved = steps_of(saved)
            for step in before:
                prepared = prepared_by(step, inputs, prepared)
            if is_passthrough(saved):
                raise not_modelled("a pipeline that ends without a model", "Dump the pipeline with its model.")
        else:
            break
    if not is_of_sklearn(saved) or saved.name not in _ESTIMATORS:
        raise _unmodelled(saved)
    count = saved["n_features_in_"].integer()
    if count != len(prepared.columns):
        raise broken(f"{saved.path} has {count} columns, and is given {len(prepared.columns)}")
    fitted = _ESTIMATORS[saved.name](saved, inputs, prepared)
    for choice in reversed(choices):
        fitted = threshold_choices.chosen_by(choice, fitted)
    return fitted


def _unmodelled(saved: Saved) -> ModelRefused:
    return ModelRefused(
        f"{saved.module}.{saved.name} is not modelled", f"soid knows {', '.join(_ESTIMATORS)}, and pipelines."
    )


def _names(saved: Saved) -> tuple[list[str], bool]:
    """The names of the application's columns, and whether the file has them."""
    for _ in range(_DEEPEST):
        names, count = saved.get("feature_names_in_"), saved.get("n_features_in_")
        if names is not None:
            found = names.labels()
            if not all(isinstance(each, str) for each in found) or len(set(found)) < len(found):
                raise broken(f"{names.path} are no names")
            return found, True
        if count is not None:
            number = count.integer()
            if not 0 < number <= _MOST_FEATURES:
                raise broken(f"{count.path} is {number}")
            return [f"f{place}" for place in range(number)], False
        if saved.name in threshold_choices.NAMES:
            saved = saved["estimator_"]
            continue
        if saved.name != "Pipeline":
            break
        saved = next((step for step in steps_of(saved) if not is_passthrough(step)), saved)
    if saved.name not in _ESTIMATORS and not is_preparation(saved):
        raise _unmodelled(saved)
    raise broken("it does not say how many columns it has; it may not have been fitted")

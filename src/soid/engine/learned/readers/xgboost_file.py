"""XGBoost's model files, JSON and UBJSON: gbtree, dart and gblinear.

XGBoost computes in float32. There are two ways to predict, which do not agree in everything:

    Booster.predict           a DMatrix; rejects what is infinite as a float32; all iterations
    XGBClassifier.predict     inplace_predict; takes infinities; up to the best iteration if training stopped early;
    (XGBRegressor, ...)       dart takes its start into each tree and out again, which rounds; gblinear uses a DMatrix

A file that one of scikit-learn's wrappers has saved says so, and is read as the wrapper predicts.
"""

from __future__ import annotations

from typing import Final

from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.xgboost_document import (
    DartBooster,
    LinearBooster,
    TreeBooster,
    XgboostLearner,
    XgboostRecords,
    broken,
    document_of,
    recognises,
    version_text,
    whole,
)
from soid.engine.learned.readers.xgboost_features import feature_count, features_of
from soid.engine.learned.readers.xgboost_objectives import XgboostObjective, named, objective_of, start_of
from soid.engine.learned.readers.xgboost_sums import XgboostSums, linear_sums, tree_sums
from soid.engine.learned.readers.xgboost_trees import single
from soid.engine.learned.readers.xgboost_use import XgboostUse, use_of

__all__ = ["read", "recognises"]

_MOST_OUTPUTS: Final = 1000

#: the newest version that this reading was compared with
_COMPARED: Final = (3, 2)

_FAMILIES: Final = {
    TreeBooster: "gradient-boosted trees (gbtree)",
    DartBooster: "gradient-boosted trees with dropout (dart)",
    LinearBooster: "boosted linear model (gblinear)",
}


def read(content: bytes) -> LearnedModel:
    """The model in a file that XGBoost has written."""
    document = document_of(content)
    learner = document.learner
    objective = objective_of(learner.objective.name)
    _check_trained(learner)
    use = use_of(learner)
    outputs = _outputs(learner, objective)
    numbers = named(objective, outputs, use.classes, use.estimator)
    starts = [start_of(objective, score) for score in _base_scores(learner, outputs)]
    sums = _sums(learner, numbers.sums, starts, use)
    features = features_of(learner, sums, takes_infinite=use.in_place)
    if any(each.kind == "category" for each in features.features):
        _check_categories(document)
    return LearnedModel(
        library="xgboost",
        version=version_text(document),
        family=_FAMILIES[type(learner.gradient_booster)],
        features=features.features,
        trees=sums.trees,
        sums=sums.sums,
        links=numbers.links,
        label=numbers.label,
        outputs=numbers.outputs,
        settings=_settings(learner, use, sums),
        remarks=(*_remarks(document, use), *features.remarks),
    )


def _outputs(learner: XgboostLearner, objective: XgboostObjective) -> int:
    parameters = learner.learner_model_param
    classes = whole(parameters.num_class, "num_class")
    targets = max(1, whole(parameters.num_target, "num_target"))
    if classes > 1 and targets > 1:
        raise ModelRefused("A model of several targets that have several classes each is not modelled.")
    if max(classes, targets) > _MOST_OUTPUTS:
        raise ModelRefused(f"The model has {max(classes, targets)} outputs.", f"At most {_MOST_OUTPUTS} are read.")
    if objective.kind == "classes" and classes < 2:
        raise broken(f"its objective chooses a class, but it has {classes}")
    return max(classes, targets)


def _base_scores(learner: XgboostLearner, outputs: int) -> list[float]:
    """One for each output; from 3.1 on a file has a list of them."""
    text = learner.learner_model_param.base_score
    parts = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    if len(parts) not in (1, outputs):
        raise broken(f"{outputs} outputs have {len(parts)} base scores")
    try:
        scores = [single(float(part), "a base score") for part in parts]
    except ValueError:
        raise broken(f"its base score is {text[:40]!r}") from None
    return scores * (outputs // len(scores))


def _sums(learner: XgboostLearner, names: tuple[str, ...], starts: list[float], use: XgboostUse) -> XgboostSums:
    booster, features = learner.gradient_booster, feature_count(learner)
    match booster:
        case LinearBooster(model):
            if learner.objective.name == "multi:softmax":
                raise ModelRefused("multi:softmax with gblinear is not modelled.", "Train it with multi:softprob.")
            return linear_sums(model.weights, names, starts, features)
        case DartBooster(gbtree, weights):
            return tree_sums(gbtree.model, weights, names, starts, features, use)
        case TreeBooster(forest):
            return tree_sums(forest, None, names, starts, features, use)


def _settings(learner: XgboostLearner, use: XgboostUse, sums: XgboostSums) -> tuple[tuple[str, str], ...]:
    return (
        ("objective", learner.objective.name),
        ("estimator", use.estimator or "Booster"),
        ("input", "inplace_predict" if use.in_place else "DMatrix"),
        *([("iteration_range", sums.iterations)] if sums.iterations else []),
    )


def _check_trained(learner: XgboostLearner) -> None:
    """Refuse a model whose base score was to be estimated in the first round, if it had none."""
    match learner.gradient_booster:
        case LinearBooster(model):
            rounds = len(model.weights)
        case DartBooster(TreeBooster(forest)) | TreeBooster(forest):
            rounds = len(forest.trees)
    if not rounds and learner.learner_model_param.boost_from_average != "0":
        raise ModelRefused("The XGBoost model was saved before its first round of boosting.", "Train it first.")


def _check_categories(document: XgboostRecords) -> None:
    if isinstance(document.learner.gradient_booster, LinearBooster):
        raise ModelRefused("gblinear with categories is not modelled.")
    if document.version[:2] < (1, 7):
        raise ModelRefused(
            f"Categories in a file of XGBoost {version_text(document)} are not modelled.",
            "Load the model in XGBoost 2 or 3, and save it again.",
        )


def _remarks(document: XgboostRecords, use: XgboostUse) -> tuple[str, ...]:
    found = list(use.remarks)
    if document.version[:2] > _COMPARED:
        found.append(f"The file is of XGBoost {version_text(document)}, which soid was not compared with.")
    if document.learner.objective.name == "binary:logitraw":
        found.append("XGBClassifier compares what the model gives with 0.5, although it is no probability here.")
    if document.learner.objective.name == "multi:softprob" and document.learner.learner_model_param.num_class == "2":
        found.append("XGBClassifier.predict gives two flags here; the label is that of the greater probability.")
    return tuple(found)

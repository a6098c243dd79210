"""How an application predicts with an XGBoost file: by which class of the library, and up to which iteration."""

from __future__ import annotations

import json
import math
from typing import Any, Final, Literal, final

from msgspec import Struct

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.xgboost_document import DartBooster, LinearBooster, XgboostLearner, broken, whole

Estimator = Literal["classifier", "regressor", "ranker"]

_ESTIMATORS: Final[dict[str, Estimator]] = {
    "classifier": "classifier", "regressor": "regressor", "ranker": "ranker",
    "XGBClassifier": "classifier", "XGBRegressor": "regressor", "XGBRanker": "ranker",
    "XGBRFClassifier": "classifier", "XGBRFRegressor": "regressor",
}  # fmt: skip

_ALL: Final = (
    "Training stopped early, with iteration {} as the best. Booster.predict uses all iterations nevertheless, and "
    "that is what is read; scikit-learn's wrappers would stop there."
)
_BEST: Final = (
    "Training stopped early, with iteration {} as the best. scikit-learn's wrapper, which has saved the file, stops "
    "there, and that is what is read; Booster.predict would use all iterations."
)
_DART: Final = (
    "{} computes as is read here; {}, given the same file, would round the trees of dart otherwise in their last bits."
)


@final
class XgboostUse(Struct, frozen=True):
    """How predictions are made."""

    estimator: Estimator | None = None  # of scikit-learn's wrapper; None: Booster.predict
    in_place: bool = False  # by inplace_predict; otherwise through a DMatrix
    iterations: int | None = None  # how many are used; None: all
    classes: tuple[str, ...] = ()  # labels of classes, where the file has them: up to version 1.5
    remarks: tuple[str, ...] = ()


def use_of(learner: XgboostLearner) -> XgboostUse:
    """As the wrapper predicts that has saved the file, otherwise as Booster does."""
    best = learner.attributes.get("best_iteration")
    end = None if best is None else whole(best, "best_iteration") + 1
    wrapper = learner.attributes.get("scikit_learn")
    dart = isinstance(learner.gradient_booster, DartBooster)
    ways = ("Booster.predict", "scikit-learn's wrapper")
    if wrapper is None:
        said = [_ALL.format(end)] * (end is not None) + [_DART.format(*ways)] * dart
        return XgboostUse(remarks=tuple(said))
    fields = _wrapper_fields(wrapper)
    linear = isinstance(learner.gradient_booster, LinearBooster)
    estimator = _ESTIMATORS.get(str(fields.get("_estimator_type", fields.get("type"))))
    if estimator is None:
        raise ModelRefused("The file is of a wrapper for scikit-learn that is not known.", "Save it by get_booster().")
    said = [_BEST.format(end)] * (end is not None and not linear) + [_DART.format(*ways[::-1])] * dart
    return XgboostUse(estimator, not linear, None if linear else end, _classes(fields), tuple(said))


def _wrapper_fields(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise broken("what it says of scikit-learn's wrapper is not JSON")
    missing = fields.get("missing")
    if missing is not None and not (isinstance(missing, float) and math.isnan(missing)):
        raise ModelRefused(f"A number that stands for a missing one ({str(missing)[:20]}) is not modelled.")
    return fields


def _classes(fields: dict[str, Any]) -> tuple[str, ...]:
    encoder = fields.get("_le")
    classes = encoder.get("classes_") if isinstance(encoder, dict) else None
    if not isinstance(classes, list) or any(not isinstance(each, str | int | float) for each in classes):
        return ()
    return tuple(str(each) for each in classes)

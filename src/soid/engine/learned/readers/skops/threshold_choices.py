"""FixedThresholdClassifier and TunedThresholdClassifierCV: another classifier, whose label hangs on a threshold."""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from soid.engine.learned.model import Above, ClassRule
from soid.engine.learned.readers.skops.fitted_model import FittedModel
from soid.engine.learned.readers.skops.saved_objects import Saved
from soid.engine.learned.readers.skops.skops_archive import not_modelled

NAMES: Final = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")

_OUTPUTS: Final = {"predict_proba": "probability", "decision_function": "score"}
_USUAL: Final = {"probability": 0.5, "score": 0.0}


def chosen_by(saved: Saved, fitted: FittedModel) -> FittedModel:
    """The same model with the label of the threshold: the second class if its number is at least that."""
    if fitted.label is None or len(fitted.label.classes) != 2:
        raise not_modelled(f"{saved.name} over more than two classes", "Scikit-learn rejects this too.")
    if not _is_second(saved, fitted.label):
        raise not_modelled(f"{saved.name} with a pos_label that is not the second class", "Leave pos_label out.")
    method, numbers = saved["response_method"].text(), {each.name: each.number for each in fitted.outputs}
    asked = [_OUTPUTS[method]] if method in _OUTPUTS else ["probability", "score"]
    output = next((name for name in asked if name in numbers), None)
    if output is None:
        raise not_modelled(f"{saved.name} with response_method={method!r}", "Use predict_proba.")
    rule = Above(numbers[output], _threshold(saved, output), inclusive=True)
    return structs.replace(fitted, label=ClassRule(fitted.label.classes, rule))


def _is_second(saved: Saved, label: ClassRule) -> bool:
    wanted = saved.get("pos_label")
    return wanted is None or str(wanted.value()) == label.classes[1]


def _threshold(saved: Saved, output: str) -> float:
    found = saved["best_threshold_"] if saved.name == NAMES[1] else saved["threshold"]
    value: Any = found.value()
    return _USUAL[output] if value == "auto" else found.number()

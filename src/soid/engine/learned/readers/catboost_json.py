"""CatBoost's JSON: what `model.save_model(path, format="json")` writes.

The raw score is the sum of the trees' leaves in float64, in their order, beginning with 0; then it is scaled and the
bias is added. A class is chosen by scores alone. A sigmoid is computed with the C library; a softmax and an exponential
with a table of CatBoost's own, whose error grows with the argument.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.engine.learned.model import (
    Above,
    ClassRule,
    Greatest,
    LearnedModel,
    Link,
    LinkFunction,
    ModelRefused,
    NamedNumber,
    TreeSum,
)
from soid.engine.learned.readers.catboost_features import features_of
from soid.engine.learned.readers.catboost_numbers import SAVE_AGAIN, decimal, number_of
from soid.engine.learned.readers.catboost_trees import (
    SplitTest,
    add_nested,
    add_symmetric,
    broken,
    items,
    member,
    text_of,
)
from soid.engine.learned.trees_builder import TreesBuilder

#: what follows from the scores, by loss; of all other losses: nothing
_FUNCTIONS: Final[dict[str, LinkFunction]] = {
    "Logloss": "sigmoid", "CrossEntropy": "sigmoid", "Focal": "sigmoid",
    "MultiClass": "softmax", "MultiClassOneVsAll": "sigmoid", "Poisson": "exp", "Tweedie": "exp",
}  # fmt: skip
_SEVERAL: Final = ("MultiClass", "MultiClassOneVsAll")
_REFUSED: Final = ("RMSEWithUncertainty", "MultiLogloss", "MultiCrossEntropy")
_JSON: Final = re.compile(rb'\s*\{\s*"(?:ctr_data|features_info|model_info|oblivious_trees)"\s*:\s*(?:\{|\[|null)')
_BINARY: Final = b"CBM1"
_MOST_COLUMNS: Final = 10_000
#: how far CatBoost's exponential is off, with room: 360 units were measured at the ends of its range; a softmax has two
_ULPS: Final = {"sigmoid": 8, "exp": 1024, "softmax": 2048}

_DECIMALS_REMARK: Final = (
    "CatBoost reads the decimals of a JSON file with errors in their last places, and they are read in the same way "
    "here: the model that was saved, and a .cbm file of it, give scores that differ in their last bits"
)
_LAST_DIGITS: Final = (
    "CatBoost reads the decimals of a JSON file with errors in their last places, so a model that was not loaded from "
    "this file, as the one in memory or a .cbm file, gives other last digits"
)


@final
class _ScoreUse(Struct, frozen=True):
    """What the scores are for."""

    loss: str
    classes: tuple[str, ...]  # empty: it gives numbers
    bound: float  # the second of two classes is chosen if the score is above
    scale: float
    biases: tuple[float, ...]


def recognises(head: bytes) -> bool:
    """Whether a file that begins like this is CatBoost's JSON, or its binary format, which is refused by name."""
    return head.startswith(_BINARY) or _JSON.match(head) is not None


def read(content: bytes) -> LearnedModel:
    """The model in a file."""
    if content.startswith(_BINARY):
        raise ModelRefused("CatBoost's binary format (.cbm) is not read.", f"Load the model in CatBoost. {SAVE_AGAIN}")
    try:
        document = json.loads(content, parse_float=decimal, parse_constant=_constant, object_pairs_hook=_record)
    except (ValueError, RecursionError) as error:
        broken(f"it is not JSON ({str(error)[:80]})")
    features, tests, remarks = features_of(member(document, "features_info"))
    use = _use_of(document)
    columns = len(use.biases)
    trees = TreesBuilder(columns)
    _add_trees(trees, document, tests, columns)
    endings = _endings(use)
    function = _FUNCTIONS.get(use.loss)
    scores = [("value" if function is None else "score") + ending for ending in endings]
    links = _links(use, function, scores, endings)
    return LearnedModel(
        "catboost",
        _version(document),
        f"gradient-boosted trees ({use.loss})",
        features,
        (trees.done(),),
        tuple(TreeSum(name, 0, column, finish=_finish(use, column)) for column, name in enumerate(scores)),
        links,
        _label_of(use, scores),
        tuple(NamedNumber(name, name) for name in [*scores, *(link.name for link in links)]),
        (("loss_function", use.loss),),
        (_DECIMALS_REMARK, *remarks),
        _LAST_DIGITS,
    )


def _constant(name: str) -> NoReturn:
    broken(f"it has {name} for a number")


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        broken("a key occurs twice")
    return found


def _add_trees(trees: TreesBuilder, document: dict[str, Any], tests: list[SplitTest], columns: int) -> None:
    symmetric = "oblivious_trees" in document
    if symmetric and "trees" in document:
        broken("it has both symmetric and other trees")
    listed = items(member(document, "oblivious_trees" if symmetric else "trees"), "the list of trees")
    if not listed:
        broken("it has no trees")
    for tree in listed:
        (add_symmetric if symmetric else add_nested)(trees, tree, tests, columns)


def _version(document: dict[str, Any]) -> str:
    found = re.search(r"CatBoost release ([0-9.]{1,20}[0-9])", str(document["model_info"].get("catboost_version_info")))
    return found[1] if found else ""


def _use_of(document: dict[str, Any]) -> _ScoreUse:
    info = member(document, "model_info")
    loss = _loss_of(info)
    if loss in _REFUSED:
        raise ModelRefused(f"The CatBoost model has the loss function {loss}, which is not modelled.")
    parts = items(member(document, "scale_and_bias"), "scale_and_bias")
    if len(parts) != 2:
        broken("scale_and_bias has not two parts")
    scale = number_of(parts[0], "the scale")
    biases = tuple(number_of(bias, "a bias") for bias in items(parts[1], "the bias"))
    if not 1 <= len(biases) <= _MOST_COLUMNS or (loss in _FUNCTIONS and (len(biases) > 1) != (loss in _SEVERAL)):
        broken(f"{len(biases)} scores do not fit the loss function {loss}")
    if scale <= 0:
        raise ModelRefused(
            "The CatBoost model scales its score by a number that is not above 0, which is not modelled."
        )
    return _ScoreUse(loss, _classes_of(info, loss, len(biases)), _bound_of(info), scale, biases)


def _loss_of(info: Any) -> str:
    """The loss function: among the parameters; of a sum of models, on its own."""
    if not isinstance(info, dict):
        broken("model_info is not a record")
    found = info["params"] if "params" in info else {"loss_function": _parsed(info.get("loss_function"))}
    loss = member(member(found, "loss_function"), "type")
    if not isinstance(loss, str) or not re.fullmatch(r"\w{1,60}", loss):
        broken("the loss function is not a name")
    return loss


def _parsed(text: Any) -> Any:
    """JSON within JSON."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        broken("a part of model_info is not JSON")


def _classes_of(info: dict[str, Any], loss: str, columns: int) -> tuple[str, ...]:
    if loss not in _FUNCTIONS or _FUNCTIONS[loss] == "exp":
        return ()
    count = columns if loss in _SEVERAL else 2
    found = _parsed(info.get("class_params", {"class_to_label": list(range(count))}))
    labels, names = member(found, "class_to_label"), found.get("class_names") or []
    if found.get("classes_count", 0) not in (0, count) or (names and labels != list(range(count))):
        raise ModelRefused("The CatBoost model has classes that it has no scores for, which are not modelled.")
    real = found.get("class_label_type") == "Float"
    classes = [_class_name(each, real) for each in items(names or labels, "the list of classes")]
    if len(classes) != count or len(set(classes)) != count:
        broken(f"it has not {count} different classes")
    return tuple(classes)


def _class_name(value: Any, real: bool) -> str:
    if real:
        return str(number_of(value, "a class"))
    return str(value) if isinstance(value, int | float) else text_of(value, "a class")


def _bound_of(info: dict[str, Any]) -> float:
    """The score at which the probability is the threshold, which is a half if nothing else is said."""
    text = info.get("binclass_probability_threshold", "0.5")
    if not isinstance(text, str) or not re.fullmatch(r"0?\.[0-9]{1,20}", text) or not 0 < float(text) < 1:
        broken("binclass_probability_threshold is not between 0 and 1")
    return -math.log(1 / float(text) - 1)


def _endings(use: _ScoreUse) -> list[str]:
    """What tells the numbers of several scores apart."""
    if len(use.biases) == 1:
        return [""]
    return [f"_{each}" for each in use.classes or range(len(use.biases))]


def _finish(use: _ScoreUse, column: int) -> tuple[tuple[Any, float], ...]:
    scale, bias = use.scale, use.biases[column]
    return (("multiply", scale),) * (scale != 1) + (("add", bias),) * (bias != 0)


def _links(use: _ScoreUse, function: LinkFunction | None, scores: list[str], endings: list[str]) -> tuple[Link, ...]:
    if function is None:
        return ()
    name = "value" if function == "exp" else "probability"
    return tuple(
        Link(
            name + ending,
            function,
            (score, *scores) if function == "softmax" else (score,),
            exact=function == "sigmoid",
            ulps=_ULPS[function],
        )
        for ending, score in zip(endings, scores, strict=True)
    )


def _label_of(use: _ScoreUse, scores: list[str]) -> ClassRule | None:
    if not use.classes:
        return None
    if len(scores) == 1:
        return ClassRule(use.classes, Above(scores[0], use.bound))
    return ClassRule(use.classes, Greatest(tuple(scores)))

"""LightGBM's text model: what `booster.save_model(path)` writes.

The raw score of a class is the sum of its trees' leaves in float64, in their order, beginning with 0. What follows
from it is computed with the C library's functions, one row at a time: its bits are known. Learning rates, the weights
of DART and the average that boosting starts from are in the leaves already.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from msgspec import Struct

from soid.engine.learned.model import (
    Above,
    ClassRule,
    Greatest,
    LearnedModel,
    Link,
    LinkFunction,
    ModelFeature,
    ModelRefused,
    NamedNumber,
    TreeArrays,
    TreeSum,
)
from soid.engine.learned.readers.lightgbm_features import features_of
from soid.engine.learned.readers.lightgbm_trees import FeatureUse, add_tree, broken, key_values
from soid.engine.learned.trees_builder import TreesBuilder

_DECIMAL: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,15}))?(?:e([-+]?[0-9]{1,2}))?")
_MOST_FEATURES: Final = 1 << 20

#: what turns a raw score into what `predict` gives, by objective; None: nothing
_FUNCTIONS: Final[dict[str, LinkFunction | None]] = {
    "regression": None, "regression_l1": None, "huber": None, "fair": None, "quantile": None, "mape": None,
    "lambdarank": None, "rank_xendcg": None, "custom": None,
    "poisson": "exp", "gamma": "exp", "tweedie": "exp",
    "binary": "sigmoid", "cross_entropy": "sigmoid", "cross_entropy_lambda": "softplus",
    "multiclass": "softmax", "multiclassova": "sigmoid",
}  # fmt: skip
_VERSIONS: Final = ("v2", "v3", "v4")  # of the format; trees have had the same meaning in all of them
_WITH_SQRT: Final = ("regression", "regression_l1", "fair", "quantile", "mape")


@final
class _TextHeader(Struct, frozen=True):
    """What stands before the trees."""

    classes: int
    names: tuple[str, ...]
    infos: tuple[str, ...]
    objective: str
    options: dict[str, str]  # of the objective
    averaged: bool
    sizes: tuple[int, ...]  # bytes of each tree


def recognises(head: bytes) -> bool:
    """Whether a file that begins like this is LightGBM's text."""
    return re.match(rb"tree\r?\nversion=", head) is not None


def read(content: bytes) -> LearnedModel:
    """The model in a file."""
    start = content.find(b"\nTree=") + 1
    if not start:
        broken("it has no trees")
    header = _header_of(_text(content[:start]))
    blocks, tail = _split(content[start:], header)
    use = FeatureUse()
    builders = [TreesBuilder() for _ in range(header.classes)]
    for number, block in enumerate(blocks):
        add_tree(builders[number % header.classes], _text(block), len(header.names), use)
    features, remarks = features_of(header.names, header.infos, use, tail)
    rounds = len(blocks) // header.classes
    return _model(header, features, tuple(each.done() for each in builders), rounds, remarks)


def _text(part: bytes) -> str:
    try:
        return part.decode("utf-8")
    except UnicodeDecodeError:
        broken("it is not text")


def _header_of(text: str) -> _TextHeader:
    rows = key_values(text, "the file's head")
    if rows.get("version") not in _VERSIONS:
        said = rows.get("version", "")[:20]
        raise ModelRefused(
            f"LightGBM's text has the format {said!r}, which is not modelled: {', '.join(_VERSIONS)} are.",
            "Save the model with a release up to LightGBM 4.",
        )
    names, infos = rows.get("feature_names", "").split(" "), rows.get("feature_infos", "").split(" ")
    classes, last = _count(rows, "num_tree_per_iteration"), _count(rows, "max_feature_idx")
    if last >= _MOST_FEATURES or not len(names) == len(infos) == last + 1 or len(set(names) - {""}) != len(names):
        broken("its feature_names and feature_infos do not fit max_feature_idx, or a name is empty or occurs twice")
    if not 1 <= classes <= _count(rows, "num_class"):
        broken("num_tree_per_iteration is out of range")
    words = rows.get("objective", "custom").split(" ")
    if words[0] not in _FUNCTIONS:
        raise ModelRefused(f"The LightGBM model has the objective {words[0]}, which is not modelled.")
    if not re.fullmatch(r"[0-9]+(?: [0-9]+)*", rows.get("tree_sizes", "")):
        broken("tree_sizes is missing, or is not a row of numbers")
    sizes = tuple(int(size[:15]) for size in rows["tree_sizes"].split(" "))
    options = {key: value for key, _, value in (word.partition(":") for word in words[1:])}
    return _TextHeader(classes, tuple(names), tuple(infos), words[0], options, "average_output" in rows, sizes)


def _count(rows: dict[str, str], key: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", rows.get(key, "")):
        broken(f"{key} is missing, or is no number")
    return int(rows[key])


def _split(content: bytes, header: _TextHeader) -> tuple[list[bytes], bytes]:
    """The part of each tree, and what comes after the trees; the library goes by the sizes too."""
    blocks, at = [], 0
    for size in header.sizes:
        blocks.append(content[at : at + size])
        at += size
        if not blocks[-1].startswith(b"Tree="):
            broken("a tree is not where tree_sizes says it is")
    if not content.startswith(b"end of trees", at) or len(blocks) % header.classes:
        broken("the trees do not end where tree_sizes says they end")
    return blocks, content[at:]


def _model(
    header: _TextHeader,
    features: tuple[ModelFeature, ...],
    trees: tuple[TreeArrays, ...],
    rounds: int,
    remarks: Sequence[str],
) -> LearnedModel:
    function = _FUNCTIONS[header.objective]
    if function is None and header.objective in _WITH_SQRT and "sqrt" in header.options:
        function = "signed_square"
    several = header.objective in ("multiclass", "multiclassova")
    if (header.classes > 1) != several and header.objective != "custom":
        broken(f"{header.classes} trees a round do not fit the objective {header.objective}")
    endings = [f"_{number}" for number in range(header.classes)] if header.classes > 1 else [""]
    scores = [("value" if function is None else "score") + ending for ending in endings]
    sums = [
        TreeSum(name, number, finish=(("divide", float(rounds)),) if header.averaged else ())
        for number, name in enumerate(scores)
    ]
    arguments, scaled = _scaled(header, sums)
    result = "probability" if function in ("sigmoid", "softmax") else "value"
    links = [
        Link(result + ending, function, (each, *arguments) if function == "softmax" else (each,), exact=True)
        for ending, each in zip(endings, arguments, strict=True)
        if function
    ]
    if header.averaged:
        remarks = [*remarks, "the score is an average over trees; predict(raw_score=True) gives the sum"]
    if header.objective == "custom":
        remarks = [*remarks, "the objective is the trainer's own and is not in the file: the value is the raw score"]
    return LearnedModel(
        "lightgbm",
        "",
        f"{'random forest' if header.averaged else 'gradient-boosted trees'} ({header.objective})",
        features,
        trees,
        (*sums, *scaled),
        tuple(links),
        _label_of(header, [link.name for link in links]),
        tuple(NamedNumber(name, name) for name in [*scores, *(link.name for link in links)]),
        (("objective", " ".join([header.objective, *(f"{k}:{v}" if v else k for k, v in header.options.items())])),),
        tuple(remarks),
    )


def _scaled(header: _TextHeader, sums: list[TreeSum]) -> tuple[list[str], list[TreeSum]]:
    """The names of what the links take, and further sums if that is not the score itself, but a multiple of it."""
    factor = _factor(header)
    if factor == 1.0:
        return [each.name for each in sums], []
    scaled = [TreeSum(f"scaled_{each.name}", each.trees, finish=(*each.finish, ("multiply", factor))) for each in sums]
    return [each.name for each in scaled], scaled


def _factor(header: _TextHeader) -> float:
    """The objective's sigmoid, as the library reads it: whole part and fraction apart, each step rounded."""
    if header.objective not in ("binary", "multiclassova"):
        return 1.0
    found = _DECIMAL.fullmatch(header.options.get("sigmoid", ""))
    if not found:
        broken("the objective's sigmoid is missing, or is no number")
    whole, fraction, exponent = found[1], found[2] or "", int(found[3] or 0)
    factor = int(whole) + int(fraction or 0) / 10.0 ** len(fraction)
    factor = factor * 10.0**exponent if exponent >= 0 else factor / 10.0**-exponent
    if factor <= 0 or abs(exponent) > 22:
        broken("the objective's sigmoid is out of range")
    return factor


def _label_of(header: _TextHeader, probabilities: list[str]) -> ClassRule | None:
    """As `LGBMClassifier.predict` chooses: the most probable class, the first of equals."""
    if header.objective == "binary":
        return ClassRule(("0", "1"), Above("probability", 0.5))
    if header.classes > 1 and probabilities:
        return ClassRule(tuple(map(str, range(header.classes))), Greatest(tuple(probabilities)))
    return None

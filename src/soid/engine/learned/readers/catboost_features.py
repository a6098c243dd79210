"""The features of a CatBoost JSON file, and the tests on them, numbered as trees refer to them.

Tests are numbered in the file's order: the borders of each number, then the values of each category. A category is
given by the hash of its text; with a pool at hand, CatBoost writes the texts of hashes too.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import ModelFeature, ModelRefused, Written
from soid.engine.learned.readers.catboost_hash import category_code
from soid.engine.learned.readers.catboost_numbers import number_of
from soid.engine.learned.readers.catboost_trees import (
    NOT_MODELLED,
    SplitTest,
    broken,
    items,
    member,
    refuse,
    text_of,
    whole,
)

_KNOWN: Final = ("float_features", "categorical_features", "cat_features_hash")
_MISSING: Final = ("AsIs", "AsFalse", "AsTrue")
_UNSEEN_REMARK: Final = "categories that no test asks for are all treated alike: they count as unseen"
_LABELS_REMARK: Final = (
    "the file has only hashes of some categories, shown as #hash; it has their texts if it is saved with a pool: "
    "model.save_model('model.json', format='json', pool=pool)"
)


def features_of(infos: Any) -> tuple[tuple[ModelFeature, ...], list[SplitTest], list[str]]:
    """The features in the order of a row, the tests in the order of their numbers, and remarks."""
    _refuse_others(infos)
    texts = _texts_of(infos.get("cat_features_hash", []))
    features: dict[int, ModelFeature] = {}
    tests: list[SplitTest] = []
    for each in items(infos.get("float_features", []), "float_features"):
        place = _place(each, features)
        features[place] = ModelFeature(_name(each, place))
        tests += _number_tests(each, place)
    for each in items(infos.get("categorical_features", []), "categorical_features"):
        place = _place(each, features)
        codes = [whole(value, "a value") & 0xFFFFFFFF for value in items(each.get("values", []), "values")]
        labels = tuple((texts.get(code, f"#{code}"), code) for code in dict.fromkeys(codes))
        written: Written = "text" if all(code in texts for code in codes) else ""
        features[place] = ModelFeature(_name(each, place), "category", labels, takes_missing=False, written=written)
        tests += [SplitTest(place, code=code) for code in codes]
    found = tuple(features[place] for place in sorted(features))
    if len(features) != max(features, default=-1) + 1 or len({each.name for each in found}) != len(found):
        broken("a place of a row has no feature, or a name occurs twice")
    return found, tests, _remarks(found, texts)


def _refuse_others(infos: Any) -> None:
    if not isinstance(infos, dict):
        broken("features_info is not a record")
    for key, value in infos.items():
        if key == "ctrs" and value:
            refuse("OnlineCtr")
        if key not in _KNOWN and value:
            raise ModelRefused(f"The CatBoost model has {key[:40]}, which are not modelled.", NOT_MODELLED)


def _texts_of(listed: Any) -> dict[int, str]:
    """The texts of hashes; of several with one hash the first, as no test tells them apart."""
    found: dict[int, str] = {}
    for each in items(listed, "cat_features_hash"):
        code, text = whole(member(each, "hash"), "a hash"), text_of(member(each, "value"), "a category")
        if category_code(text) != code & 0xFFFFFFFF:
            broken("cat_features_hash has a hash that is not the one of its text")
        found.setdefault(code & 0xFFFFFFFF, text)
    return found


def _place(info: Any, features: dict[int, ModelFeature]) -> int:
    place = whole(member(info, "flat_feature_index"), "flat_feature_index")
    if place < 0 or place in features:
        broken("flat_feature_index is out of range, or occurs twice")
    return place


def _name(info: Any, place: int) -> str:
    return text_of(info.get("feature_id") or info.get("feature_name") or f"f{place}", "the name of a feature")


def _number_tests(info: Any, place: int) -> list[SplitTest]:
    treatment, has_missing = info.get("nan_value_treatment", "AsIs"), info.get("has_nans", False)
    if treatment not in _MISSING or not isinstance(has_missing, bool):
        broken("nan_value_treatment or has_nans is unknown")
    borders = [to_float32(number_of(border, "a border")) for border in items(member(info, "borders"), "borders")]
    rising = all(one < other for one, other in pairwise(borders))
    if not rising or not all(map(math.isfinite, borders)):
        broken("borders do not rise, or are too large")
    missing_true = has_missing and treatment == "AsTrue"
    return [SplitTest(place, border, missing_true=missing_true) for border in borders]


def _remarks(features: tuple[ModelFeature, ...], texts: dict[int, str]) -> list[str]:
    codes = [code for feature in features for _, code in feature.categories]
    categorical = any(feature.kind == "category" for feature in features)
    unknown = any(code not in texts for code in codes)
    return [_UNSEEN_REMARK] * categorical + [_LABELS_REMARK] * unknown

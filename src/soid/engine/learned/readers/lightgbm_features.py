"""The features of LightGBM's text model: ranges and categories that training has seen, and labels from pandas.

A category is a code. If the training table was one of pandas, a code is a place in a list of labels, and the file ends
with these lists: one for each column that had categories, without the names of these columns.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from msgspec.structs import replace

from soid.engine.learned.model import ModelFeature, Written
from soid.engine.learned.readers.lightgbm_trees import FeatureUse, broken

_RANGE: Final = re.compile(r"\[([-+0-9.einf]+):([-+0-9.einf]+)\]")
_CODES: Final = re.compile(r"-?[0-9]{1,10}(?::-?[0-9]{1,10})*")
_DECLARED: Final = re.compile(rb"\n\[categorical_feature: ([0-9,]*)\]\n")
_NOT_LABELLED: Final = (
    "the file has labels of categories (pandas_categorical), but not which feature they belong to: categories are "
    "shown as the codes that pandas gives them"
)


def features_of(
    names: tuple[str, ...], infos: tuple[str, ...], use: FeatureUse, tail: bytes
) -> tuple[tuple[ModelFeature, ...], tuple[str, ...]]:
    """The features, and remarks; `tail` is what comes after the trees."""
    found = _DECLARED.search(tail)
    declared = {int(place[:9]) for place in found[1].decode().split(",") if place} if found else set()
    features = []
    for place, (name, info) in enumerate(zip(names, infos, strict=True)):
        listed = {int(code) for code in info.split(":")} if _CODES.fullmatch(info) else set()
        if listed or place in use.seen or (place in declared and info == "none"):
            if place in use.numbers:
                broken(f"{name} is tested both as a number and as a category")
            known = {code for code in listed | use.seen.get(place, set()) if 0 <= code < 1 << 31}
            categories = tuple((str(code), code) for code in sorted(known))
            features.append(ModelFeature(name, "category", categories, truncates=True, written="number"))
        else:
            features.append(ModelFeature(name, seen=_seen(info)))
    return _labelled(tuple(features), _pandas_categories(tail))


def _seen(info: str) -> tuple[float, float] | None:
    if info == "none":
        return None
    found = _RANGE.fullmatch(info)
    try:
        low, high = (float(found[1]), float(found[2])) if found else (math.nan, math.nan)
    except ValueError:
        low = high = math.nan
    if not low <= high:
        broken(f"feature_infos has {info[:60]}, which is no range")
    return (low, high) if math.isfinite(high - low) else None  # training had infinities


def _pandas_categories(tail: bytes) -> list[list[Any]]:
    """The categories of the columns of a pandas table that had some, column by column."""
    _, found, line = tail.rpartition(b"\npandas_categorical:")
    try:
        listed = json.loads(line) if found else None
    except (ValueError, RecursionError):
        broken("pandas_categorical is not JSON")
    if not listed:
        return []
    if not isinstance(listed, list) or not all(isinstance(each, list) for each in listed):
        broken("pandas_categorical is not a list of lists")
    return listed


def _labelled(
    features: tuple[ModelFeature, ...], listed: list[list[Any]]
) -> tuple[tuple[ModelFeature, ...], tuple[str, ...]]:
    """Codes of categories are places in the lists of labels, if it is plain which list is whose."""
    chosen = [place for place, feature in enumerate(features) if feature.kind == "category"]
    if not listed:
        return features, ()
    if len(chosen) != len(listed) or not all(
        _fits(features[place], labels) for place, labels in zip(chosen, listed, strict=True)
    ):
        return tuple(replace(each, written="") for each in features), (_NOT_LABELLED,)
    labelled = list(features)
    for place, labels in zip(chosen, listed, strict=True):
        categories = tuple((_label(each), code) for code, each in enumerate(labels))
        labelled[place] = replace(features[place], categories=categories, written=_written(labels))
    names = ", ".join(features[place].name for place in chosen)
    return tuple(labelled), (
        f"labels of categories were given to {names} in this order: the file does not say which labels are whose",
    )


def _fits(feature: ModelFeature, labels: list[Any]) -> bool:
    if any(isinstance(each, list | dict) for each in labels):
        return False
    texts = {_label(each) for each in labels}
    whole = not any("\ud800" <= character <= "\udfff" for text in texts for character in text)
    return whole and len(texts) == len(labels) and all(code < len(labels) for _, code in feature.categories)


def _written(labels: list[Any]) -> Written:
    kinds = {type(each) for each in labels}
    return "text" if kinds == {str} else "number" if kinds == {int} else ""


def _label(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

"""The features of an XGBoost model: names, kinds, categories with their labels, and what a prediction rejects."""

from __future__ import annotations

from collections.abc import Sized
from itertools import pairwise
from typing import Final, Literal, final

from msgspec import Struct

from soid.engine.learned.cuts import at_most_as_float32
from soid.engine.learned.model import ModelFeature, ModelRefused
from soid.engine.learned.readers.xgboost_document import CategoryLabels, XgboostLearner, broken, whole
from soid.engine.learned.readers.xgboost_sums import XgboostSums

_MOST_FEATURES: Final = 100_000
_MOST_CATEGORIES: Final = 200_000

#: the greatest number that is not infinite as a float32
_LARGEST: Final = at_most_as_float32(3.4028234663852886e38)

_KINDS: Final[dict[str, Literal["number", "integer", "flag", "category"]]] = {
    "q": "number", "float": "number", "int": "integer", "i": "flag", "c": "category",
}  # fmt: skip

_CUT: Final = (
    "{}: XGBoost cuts labels of categories in the wrong places if they have letters outside of ASCII, also when it "
    "predicts from a table of labels; the categories are known by their codes here."
)
_UNSEEN: Final = (
    "{}: a label that training has not seen is not modelled. XGBoost 3.2 takes it for the next one in the order of "
    "bytes, and rejects it only if there is none."
)


@final
class FeatureList(Struct, frozen=True):
    """The features, and what is strange about them."""

    features: tuple[ModelFeature, ...]
    remarks: tuple[str, ...]


def feature_count(learner: XgboostLearner) -> int:
    count = whole(learner.learner_model_param.num_feature, "num_feature")
    if count > _MOST_FEATURES:
        raise ModelRefused(f"The model has {count} features.", f"At most {_MOST_FEATURES} are read.")
    return count


def features_of(learner: XgboostLearner, sums: XgboostSums, *, takes_infinite: bool) -> FeatureList:
    """The features; of those that the file gives no type, the sums have shown what they are."""
    count, names, types = feature_count(learner), learner.feature_names, learner.feature_types
    lists: list[tuple[str, Sized]] = [("names", names), ("types", types), ("lists of categories", sums.labels)]
    for what, given in lists:
        if len(given) not in (0, count):
            raise broken(f"{count} features have {len(given)} {what}")
    names = names or [f"f{number}" for number in range(count)]
    if len(set(names)) != count or any(not _is_text(name) for name in names):
        raise broken("the names of its features are not texts that differ from each other")
    features: list[ModelFeature] = []
    remarked: dict[str, list[str]] = {}  # by the remark, the features that it is about
    room = _MOST_CATEGORIES
    for number, name in enumerate(names):
        kind = _kind(types[number] if types else "", name, number in sums.greatest_code, number in sums.numeric)
        if kind == "category":
            labels = sums.labels[number] if sums.labels else None
            feature, said = _category(name, labels, sums.greatest_code.get(number), room)
            room -= len(feature.categories)
            if said:
                remarked.setdefault(said, []).append(name)
        elif takes_infinite:
            feature = ModelFeature(name, kind)
        else:
            feature = ModelFeature(name, kind, least=-_LARGEST, greatest=_LARGEST)
        features.append(feature)
    remarks = tuple(said.format(", ".join(about)) for said, about in remarked.items())
    return FeatureList(tuple(features), remarks)


def _is_text(name: str) -> bool:
    """No half of a pair of surrogates, which JSON can write."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _kind(
    given: str, name: str, tested_as_category: bool, tested_as_number: bool
) -> Literal["number", "integer", "flag", "category"]:
    if not given:
        kind = _KINDS["c" if tested_as_category else "q"]
    elif given in _KINDS:
        kind = _KINDS[given]
    else:
        raise broken(f"feature {name!r} has the type {given[:20]!r}")
    if tested_as_number if kind == "category" else tested_as_category:
        raise broken(f"feature {name!r} is tested both as a number and as a category")
    return kind


def _category(name: str, labels: CategoryLabels | None, greatest: int | None, room: int) -> tuple[ModelFeature, str]:
    """A category by its labels, and a remark; without labels by its codes, up to the greatest that a tree tests."""
    known = _label_count(labels)
    if not known:
        known = 0 if greatest is None else greatest + 1
        return ModelFeature(name, "category", _codes(known, room)), ""
    if greatest is not None and greatest >= known:
        raise broken(f"a tree tests category {greatest} of feature {name!r}, which has {known}")
    texts = _texts(labels) if labels else None
    if texts is None:
        return ModelFeature(name, "category", _codes(known, room)), _CUT
    if len(set(texts)) != known:
        raise broken(f"two categories of feature {name!r} have the same label")
    if known > room:
        raise _too_many()
    categories = tuple((text, code) for code, text in enumerate(texts))
    return ModelFeature(name, "category", categories, takes_unseen=False, knows_unseen=False), _UNSEEN


def _codes(count: int, room: int) -> tuple[tuple[str, int], ...]:
    if count > room:
        raise _too_many()
    return tuple((str(code), code) for code in range(count))


def _too_many() -> ModelRefused:
    return ModelRefused("The model has too many categories.", f"At most {_MOST_CATEGORIES} are read, of all features.")


def _label_count(labels: CategoryLabels | None) -> int:
    if labels is None:
        return 0
    return len(labels.values) if labels.offsets is None else max(0, len(labels.offsets) - 1)


def _texts(labels: CategoryLabels) -> list[str] | None:
    """The labels; None if they are not ASCII, since then XGBoost counts letters where it should count bytes."""
    if any(not isinstance(value, int) for value in labels.values):
        raise broken("a category's label is neither text nor a whole number")
    if labels.offsets is None:
        return [str(value) for value in labels.values]
    content, places = [int(value) for value in labels.values], labels.offsets
    if places[0] != 0 or places[-1] > len(content) or any(a > b for a, b in pairwise(places)):
        raise broken("the labels of categories are out of range")
    if any(not 0 <= value < 128 for value in content):
        return None
    text = bytes(content).decode("ascii")
    return [text[begin:end] for begin, end in pairwise(places)]

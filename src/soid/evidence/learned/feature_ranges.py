"""The features of a model in a box of a cover: what each argument of a sum may be there."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from soid.engine.learned.model import ModelFeature
from soid.evidence.cover_spans import Sides, spans_of
from soid.evidence.covers import GivenCover
from soid.evidence.learned.plain_trees import FeatureBox, FeatureRange, NotChecked, categories
from soid.formula import operators as ops
from soid.formula.sorts import BitVec, Float
from soid.formula.term import Term, postorder


def float_of(width: int, bits: int) -> float:
    """The number that bits are."""
    found: float = struct.unpack(
        *(("<f", bits.to_bytes(4, "little")) if width == 32 else ("<d", bits.to_bytes(8, "little")))
    )[0]
    return found


def float_at(width: int, place: int) -> float:
    """The number at a place in the order of floats."""
    return float_of(width, place if place >= 0 else (1 << width - 1) - 1 - place)


def place_of(width: int, number: float) -> int:
    """The place of a number, which is rounded to nearest."""
    bits: int = struct.unpack(
        *(("<i", struct.pack("<f", number)) if width == 32 else ("<q", struct.pack("<d", number)))
    )[0]
    return bits if bits >= 0 else -1 - (bits + (1 << width - 1))


def feature_box(
    cover: GivenCover, row: int, arguments: Sequence[Term], used: Sequence[int], features: Sequence[ModelFeature]
) -> FeatureBox:
    """The ranges of the features that a sum uses, in one of the boxes."""
    return features_within(cover.sides(cover.boxes[row]), arguments, used, features)


def features_within(
    sides: Sides, arguments: Sequence[Term], used: Sequence[int], features: Sequence[ModelFeature]
) -> FeatureBox:
    """The same from the sides of a box."""
    if len(arguments) != len(used):
        raise NotChecked("a sum has other arguments than the features that it uses")
    return {
        number: feature_range(features[number], argument, sides)
        for number, argument in zip(used, arguments, strict=True)
    }


def feature_range(feature: ModelFeature, argument: Term, sides: Sides) -> FeatureRange:
    """What a feature may be, whose value is a term over the variables of a box."""
    if isinstance(argument.sort, BitVec):
        return _category(feature, argument, sides)
    read = argument.args[0] if argument.op is ops.FP_TO_FP else argument  # a float32 is the same number as a float64
    if read.op is ops.FP_FROM_BITS and read.args[0] in sides and isinstance(read.sort, Float):
        order, (low, high) = sides[read.args[0]]
        if order == "float":
            return _floats(read.sort, low, high)
    if argument.is_const:
        number = float_of(64, argument.value)
        return FeatureRange(missing=True) if math.isnan(number) else FeatureRange(number, number)
    span = spans_of(postorder([argument]), sides, {})[argument]
    if span.is_no_number:
        return FeatureRange(missing=True)
    return FeatureRange(float_at(64, span.low), float_at(64, span.high), span.nan)


def _floats(sort: Float, low: int, high: int) -> FeatureRange:
    """The floats between two places; those beyond the infinities are missing."""
    first, last = -1 - sort.infinity, sort.infinity
    missing = low < first or high > last
    if high < first or low > last:
        return FeatureRange(missing=True)
    return FeatureRange(float_at(sort.width, max(low, first)), float_at(sort.width, min(high, last)), missing)


def _category(feature: ModelFeature, argument: Term, sides: Sides) -> FeatureRange:
    if not argument.is_const and argument not in sides:
        raise NotChecked("a category is no variable")
    order, (low, high) = ("unsigned", (argument.value,) * 2) if argument.is_const else sides[argument]
    if order == "signed":
        return categories(feature, low, high)
    assert isinstance(argument.sort, BitVec)
    size = argument.sort.mask + 1
    found = FeatureRange()
    if low < size // 2:
        found = found.hull(categories(feature, low, min(high, size // 2 - 1)))
    if high >= size // 2:
        found = found.hull(categories(feature, max(low, size // 2) - size, high - size))
    return found

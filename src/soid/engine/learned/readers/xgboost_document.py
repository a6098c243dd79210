"""What XGBoost writes into a file, in JSON or in UBJSON: the fields that a prediction depends on.

Parameters are texts in the file ("num_class": "3"); arrays are parallel over the nodes of a tree. Fields that only some
versions have are optional here. From 1.5 on all versions give the same bits for the same file, and as 3.2 does.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, final

import msgspec
from msgspec import Struct

from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers import ubjson
from soid.errors import ProgramError

_REMEDY: Final = "Save it again with save_model('model.json')."
_UBJSON_LENGTHS: Final = b"iUIlL"
_LONGEST: Final = 300  # letters of a message, which may have a part of the file in it

#: before, sums ended with what they start from now, or dart rounded otherwise
_OLDEST: Final = (1, 5)
_UNKNOWN: Final = (4, 0)


@final
class TreeParameters(Struct, frozen=True):
    """Sizes of a tree."""

    num_nodes: str
    size_leaf_vector: str = "0"


@final
class XgboostTree(Struct, frozen=True):
    """One tree. A node without a left child (-1) is a leaf, and its condition is its value."""

    left_children: list[int]
    right_children: list[int]
    split_indices: list[int]
    split_conditions: list[float]
    default_left: list[int | bool]
    tree_param: TreeParameters
    split_type: list[int] = []  # 1: the node tests a category
    categories_nodes: list[int] = []  # the nodes that do, and which part of `categories` goes to the right
    categories_segments: list[int] = []
    categories_sizes: list[int] = []
    categories: list[int] = []
    leaf_weights: list[float] | None = None  # of vector leaves: the rows; a leaf's right child is the index of its row


@final
class CategoryLabels(Struct, frozen=True):
    """The labels of one feature's categories: numbers, or texts as one row of bytes and where each begins."""

    values: list[int | float]
    offsets: list[int] | None = None


@final
class CategoryContainer(Struct, frozen=True):
    """The labels of all features; those of a number are empty."""

    enc: list[CategoryLabels] = []


@final
class ForestParameters(Struct, frozen=True):
    """Sizes of a forest."""

    num_trees: str
    num_parallel_tree: str = "1"


@final
class XgboostForest(Struct, frozen=True):
    """All trees, and which output each adds to."""

    gbtree_model_param: ForestParameters
    tree_info: list[int]
    trees: list[XgboostTree]
    iteration_indptr: list[int] | None = None  # the first tree of each iteration, from 2.0 on
    cats: CategoryContainer | None = None  # from 3.1 on


@final
class TreeBooster(Struct, frozen=True, tag_field="name", tag="gbtree"):
    """Boosted trees."""

    model: XgboostForest


@final
class DartBooster(Struct, frozen=True, tag_field="name", tag="dart"):
    """Boosted trees, each with a weight."""

    gbtree: TreeBooster
    weight_drop: list[float]


@final
class LinearWeights(Struct, frozen=True):
    """What features are multiplied with."""

    weights: list[float]  # a row of outputs for each feature, then the row of biases


@final
class LinearBooster(Struct, frozen=True, tag_field="name", tag="gblinear"):
    """A linear model."""

    model: LinearWeights


@final
class LearnerParameters(Struct, frozen=True):
    """Sizes of the model, and where its predictions start."""

    base_score: str
    num_feature: str
    num_class: str = "0"
    num_target: str = "1"
    boost_from_average: str = "0"  # 1: the base score is estimated in the first round


@final
class ObjectiveName(Struct, frozen=True):
    """What it was trained for; its own parameters do not matter for predictions."""

    name: str


@final
class XgboostLearner(Struct, frozen=True):
    """The model without the version."""

    gradient_booster: TreeBooster | DartBooster | LinearBooster
    learner_model_param: LearnerParameters
    objective: ObjectiveName
    attributes: dict[str, str] = {}
    feature_names: list[str] = []
    feature_types: list[str] = []


@final
class XgboostRecords(Struct, frozen=True):
    """The whole file."""

    learner: XgboostLearner
    version: tuple[int, int, int]


#: other JSON files may have fields of these names too: logs of learners, lists of nodes
_LEARNER: Final = re.compile(
    rb'"learner"\s*:\s*\{\s*(?:\}|"(?:attributes|feature_names|feature_types|gradient_booster|learner_\w+|objective)")'
)
_DUMP: Final = re.compile(rb'\[\s*\{\s*"nodeid"\s*:\s*\d+\s*,\s*"(?:depth|leaf|split)"')


def broken(what: str) -> ProgramError:
    """The error about a file that is not as XGBoost writes it."""
    shown = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."
    return ProgramError(f"This is no proper XGBoost model: {shown}.", _REMEDY)


def recognises(head: bytes) -> bool:
    """By a file's first bytes; also what XGBoost writes that is no model to be read, so that it is refused by name."""
    start = head.lstrip()
    if start.startswith(b"{"):
        return b"learner" in head and (start[1:2] in _UBJSON_LENGTHS or _LEARNER.search(head) is not None)
    return start.startswith((b"binf", b"bs64")) or _DUMP.match(start) is not None


def document_of(content: bytes) -> XgboostRecords:
    """The file's fields, each of its right type."""
    start = content[:4096].lstrip()
    if start.startswith((b"binf", b"bs64")):
        raise ModelRefused(
            "XGBoost's old binary format is not read.", f"Load the model in XGBoost 2 or older. {_REMEDY}"
        )
    if start.startswith(b"["):
        raise ModelRefused("This is a dump of XGBoost's trees, which lacks what predictions start from.", _REMEDY)
    values = ubjson.decoded(content) if content[1:2] in _UBJSON_LENGTHS else _from_json(content)
    try:
        document = msgspec.convert(values, XgboostRecords)
    except (msgspec.ValidationError, OverflowError, UnicodeError) as problem:
        raise broken(str(problem)) from None
    if not _OLDEST <= document.version[:2] < _UNKNOWN:
        raise ModelRefused(
            f"A file of XGBoost {version_text(document)} is not read: which bits it gives is known for 1.5 to 3.",
            f"Load the model in XGBoost 2 or 3. {_REMEDY}",
        )
    return document


def version_text(document: XgboostRecords) -> str:
    return ".".join(map(str, document.version))


def _from_json(content: bytes) -> object:
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as problem:
        raise broken(str(problem)) from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def whole(text: str, name: str, *, least: int = 0, most: int = 2**31 - 1) -> int:
    """A parameter that is a whole number."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most):
        raise broken(f"{name} is {text[:40]!r}")
    return int(text)

"""One tree of LightGBM's text model: rows of numbers, the nodes in the order in which they were split.

A test looks at a number after absolute values up to float32(1e-35) have become 0: so does the library, for every
missing type. What it does with NaN depends on the type: None takes it for 0; Zero sends it, and 0 too, to the default
side; NaN sends NaN alone there. A category is cut to an integer, and goes left if its bit is set.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, NoReturn, final

from msgspec import Struct

from soid.engine.learned.cuts import to_float32
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.trees_builder import TreesBuilder
from soid.errors import ProgramError

SAVE_AGAIN: Final = "Save it again: booster.save_model('model.txt')."

_ZERO: Final = to_float32(1e-35)
_BELOW_ZERO: Final = math.nextafter(-_ZERO, -math.inf)  # the greatest number that is not taken for 0, but is below it
_NUMBERS: Final = re.compile(r"[-+0-9.eE ]*")
_INTEGERS: Final = re.compile(r"[-0-9 ]*")
_THRESHOLDS: Final = re.compile(r"(?:[-+0-9.eE ]++|inf)*+")
_ENDLESS: Final = "inf"  # the end of a feature's last bin: all numbers are on one side, what is missing on the other
_CATEGORICAL, _DEFAULT_LEFT, _MISSING_TYPES = 1, 2, ("None", "Zero", "NaN")
_MOST_CODES: Final = 1 << 22  # in all sets of one model: far more than any that was trained


@final
class FeatureUse:
    """How many codes of categories the sets of a model have so far; and how its features are tested."""

    def __init__(self) -> None:
        self.seen: dict[int, set[int]] = {}  # codes of each feature that is tested as a category
        self.numbers: set[int] = set()  # features that are tested as numbers
        self._count = 0

    def add(self, feature: int, codes: set[int]) -> None:
        self._count += len(codes)
        if self._count > _MOST_CODES:
            raise ModelRefused(
                "The LightGBM model has more than 4 million categories in its tests.", "Use fewer categories."
            )
        self.seen.setdefault(feature, set()).update(codes)


@final
class _TextTree(Struct, frozen=True):
    """The rows of one tree."""

    where: str
    feature: list[int]
    threshold: list[float]
    decision: list[int]
    left: list[int]
    right: list[int]
    leaves: list[float]
    boundaries: list[int]  # of `words`, for each set
    words: list[int]


def add_tree(trees: TreesBuilder, block: str, features: int, use: FeatureUse) -> None:
    """Adds a tree, given by its part of the file."""
    tree = _tree_of(block, features)
    trees.root()
    tests = [_tests_of(trees, tree, node, use) for node in range(len(tree.feature))]
    leaves = [trees.leaf([value]) for value in tree.leaves]
    for node, chain in enumerate(tests):
        left, right = (
            tests[side][0][0] if side >= 0 else leaves[~side] for side in (tree.left[node], tree.right[node])
        )
        following = [test for test, _ in chain[1:]] + [right]
        for (test, to_left), otherwise in zip(chain, following, strict=True):
            trees.children(test, left if to_left else right, otherwise)


def _tests_of(trees: TreesBuilder, tree: _TextTree, node: int, use: FeatureUse) -> list[tuple[int, bool]]:
    """The tests of a node, the next if the one before it fails; and whether one leads to the left if it holds."""
    feature, decision = tree.feature[node], tree.decision[node]
    if decision & _CATEGORICAL:
        chosen = _codes_of(tree, node)
        use.add(feature, chosen)
        return [(trees.code_test(feature, chosen, missing_left=False), True)]
    use.numbers.add(feature)
    missing = _MISSING_TYPES[decision >> 2]
    missing_left = tree.threshold[node] >= 0 if missing == "None" else bool(decision & _DEFAULT_LEFT)
    return [
        (trees.number_test(feature, cut, missing_left=to_left == missing_left), to_left)
        for cut, to_left in _cuts_of(tree.threshold[node], missing_left if missing == "Zero" else None)
    ]


def _cuts_of(threshold: float, zero_left: bool | None) -> list[tuple[float, bool]]:
    """Up to which number a test holds, and whether it leads to the left; `zero_left`: where 0 is sent as missing."""
    if -_ZERO <= threshold <= _ZERO:
        return [(_ZERO if (threshold >= 0 if zero_left is None else zero_left) else _BELOW_ZERO, True)]
    if zero_left is None or zero_left == (threshold >= 0):
        return [(threshold, True)]
    if zero_left:
        return [(threshold, True), (_BELOW_ZERO, False), (_ZERO, True)]
    return [(_BELOW_ZERO, True), (_ZERO, False), (threshold, True)]


def _codes_of(tree: _TextTree, node: int) -> set[int]:
    """The categories that go left."""
    threshold = tree.threshold[node]
    if not 0 <= threshold < len(tree.boundaries) - 1:
        broken(f"{tree.where} has no set of categories for its node {node}")
    number = int(threshold)
    first, last = tree.boundaries[number], tree.boundaries[number + 1]
    if not 0 <= first <= last <= len(tree.words):
        broken(f"cat_boundaries of {tree.where} are out of range")
    found: set[int] = set()
    for place, word in enumerate(tree.words[first:last]):
        if not 0 <= word < 1 << 32:
            broken(f"cat_threshold of {tree.where} is out of range")
        if word:
            found.update(32 * place + bit for bit in range(32) if word >> bit & 1)
    return found


def _tree_of(block: str, features: int) -> _TextTree:
    rows = key_values(block, "a tree")
    where = f"tree {rows['Tree']}"
    if rows.get("is_linear", "0") != "0":
        raise ModelRefused(
            f"The LightGBM model has linear trees ({where}), which are not modelled.",
            "Train it with linear_tree=false.",
        )
    leaves, sets = _one_integer(rows, "num_leaves", where), _one_integer(rows, "num_cat", where)
    if leaves < 1 or leaves > len(block) or not 0 <= sets < leaves:
        broken(f"{where} cannot have {leaves} leaves and {sets} sets of categories")
    tree = _TextTree(
        where,
        _integers(rows, "split_feature", leaves - 1, where),
        _numbers(rows, "threshold", leaves - 1, where, _THRESHOLDS),
        _integers(rows, "decision_type", leaves - 1, where),
        _integers(rows, "left_child", leaves - 1, where),
        _integers(rows, "right_child", leaves - 1, where),
        _numbers(rows, "leaf_value", leaves, where, _NUMBERS),
        _integers(rows, "cat_boundaries", sets + 1, where) if sets else [],
        _integers(rows, "cat_threshold", None, where) if sets else [],
    )
    _check(tree, features)
    return tree


def _check(tree: _TextTree, features: int) -> None:
    """That it is a tree, each child after its parent, and that the library reads every decision as it is meant."""
    if not all(0 <= feature < features for feature in tree.feature):
        broken(f"split_feature of {tree.where} names a feature that does not exist")
    if not all(0 <= decision < 12 and (not decision & _CATEGORICAL or tree.boundaries) for decision in tree.decision):
        broken(f"decision_type of {tree.where} is out of range")
    nodes = len(tree.feature)
    children = sorted(tree.left + tree.right)
    after = all(side < 0 or side > node for sides in (tree.left, tree.right) for node, side in enumerate(sides))
    if not after or children != [*range(-nodes - 1, 0), *range(1, nodes)][: 2 * nodes]:
        broken(f"the children of {tree.where} are not those of a tree")


def key_values(text: str, where: str) -> dict[str, str]:
    """Lines of the form key=value; a key alone has an empty value."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if line:
            key, _, value = line.partition("=")
            if key in found:
                broken(f"{key} occurs twice in {where}")
            found[key] = value
    return found


def _row(rows: Mapping[str, str], key: str, where: str, form: re.Pattern[str]) -> list[str]:
    if key not in rows:
        broken(f"{where} has no {key}")
    if not form.fullmatch(rows[key]):
        broken(f"{key} of {where} is not a row of numbers")
    return rows[key].split()


def _integers(rows: Mapping[str, str], key: str, count: int | None, where: str) -> list[int]:
    return [int(number) for number in _numbers(rows, key, count, where, _INTEGERS)]


def _numbers(rows: Mapping[str, str], key: str, count: int | None, where: str, form: re.Pattern[str]) -> list[float]:
    words = _row(rows, key, where, form) if count != 0 else []  # a tree of one leaf may leave rows out
    if count is not None and len(words) != count:
        broken(f"{key} of {where} has {len(words)} numbers, not {count}")
    try:
        found = [float(word) for word in words]
    except ValueError:
        broken(f"{key} of {where} is not a row of numbers")
    if not all(math.isfinite(number) or word == _ENDLESS for word, number in zip(words, found, strict=True)):
        broken(f"{key} of {where} has a number that is too large")
    return found


def _one_integer(rows: Mapping[str, str], key: str, where: str) -> int:
    return _integers(rows, key, 1, where)[0]


def broken(what: str) -> NoReturn:
    """The file is not what the library writes."""
    raise ProgramError(f"The LightGBM model is broken: {what}.", SAVE_AGAIN)

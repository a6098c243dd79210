"""The trees of a CatBoost JSON file, and the tests that they share.

A number is rounded to float32 and is true if it is above a border; a category is true if it is one value. Where nothing
else is said for a feature, NaN is false. A symmetric tree asks the same test on all nodes of a level; the answers, the
first one the lowest bit, are the index of its leaf.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, final

from msgspec import Struct

from soid.engine.learned.cuts import at_most_as_float32, to_float32
from soid.engine.learned.model import ModelRefused
from soid.engine.learned.readers.catboost_numbers import SAVE_AGAIN, number_of
from soid.engine.learned.trees_builder import TreesBuilder
from soid.errors import ProgramError

_MOST_DEPTH: Final = 16  # as the library allows
_KINDS: Final = {
    "OnlineCtr": "target statistics of categories (CTR features)",
    "EstimatedFeature": "features of texts or embeddings",
}
NOT_MODELLED: Final = "Use numbers, and categories with one_hot_max_size at least the number of categories of each."


@final
class SplitTest(Struct, frozen=True):
    """A test that trees refer to by its number."""

    feature: int  # its place in a row
    border: float | None = None  # of a number; None: of a category
    code: int = 0
    missing_true: bool = False


def add_symmetric(trees: TreesBuilder, tree: Any, tests: list[SplitTest], columns: int) -> None:
    """Adds a tree whose levels have one test each."""
    splits = [_test_of(split, tests) for split in items(member(tree, "splits"), "splits")]
    values = items(member(tree, "leaf_values"), "leaf_values")
    if len(splits) > _MOST_DEPTH or len(values) != columns << len(splits):
        broken(f"a tree with {len(splits)} splits has {len(values)} leaf values")
    numbers = [number_of(value, "a leaf's value") for value in values]
    splits.reverse()
    trees.root()
    levels = [[_add_test(trees, split) for _ in range(1 << depth)] for depth, split in enumerate(splits)]
    levels.append([trees.leaf(numbers[at : at + columns]) for at in range(0, len(numbers), columns)])
    for split, upper, lower in zip(splits, levels[:-1], levels[1:], strict=True):
        for place, node in enumerate(upper):
            _connect(trees, split, node, lower[2 * place], lower[2 * place + 1])


def add_nested(trees: TreesBuilder, tree: Any, tests: list[SplitTest], columns: int) -> None:
    """Adds a tree of any shape."""
    trees.root()
    open_nodes: list[tuple[Any, int, int]] = [(tree, -1, 0)]  # a node, whose child it is, and which of the two
    splits: list[tuple[int, SplitTest]] = []
    sides: list[list[int]] = []
    while open_nodes:
        node, parent, side = open_nodes.pop()
        if isinstance(node, dict) and "split" in node:
            split = _test_of(node["split"], tests)
            index = _add_test(trees, split)
            open_nodes += [(member(node, "right"), len(splits), 1), (member(node, "left"), len(splits), 0)]
            splits.append((index, split))
            sides.append([-1, -1])
        else:
            value = member(node, "value")
            numbers = [number_of(each, "a leaf's value") for each in (value if isinstance(value, list) else [value])]
            if len(numbers) != columns:
                broken(f"a leaf has {len(numbers)} values")
            index = trees.leaf(numbers)
        if parent >= 0:
            sides[parent][side] = index
    for (index, split), (false, true) in zip(splits, sides, strict=True):
        _connect(trees, split, index, false, true)


def _add_test(trees: TreesBuilder, split: SplitTest) -> int:
    if split.border is None:
        return trees.code_test(split.feature, [split.code], missing_left=False)
    return trees.number_test(split.feature, at_most_as_float32(split.border), missing_left=not split.missing_true)


def _connect(trees: TreesBuilder, split: SplitTest, node: int, false: int, true: int) -> None:
    """A number is false on the left, a category true."""
    trees.children(node, *((true, false) if split.border is None else (false, true)))


def _test_of(split: Any, tests: list[SplitTest]) -> SplitTest:
    """The test that a split means; what it says itself must agree with it, as the library goes by its number alone."""
    kind = member(split, "split_type")
    if kind not in ("FloatFeature", "OneHotFeature"):
        refuse(kind)
    number = whole(member(split, "split_index"), "split_index")
    if not 0 <= number < len(tests):
        broken("split_index is out of range")
    found = tests[number]
    if kind == "OneHotFeature":
        said: Any = whole(member(split, "value"), "value") & 0xFFFFFFFF
        agrees = found.border is None and found.code == said
    else:
        agrees = found.border == to_float32(number_of(member(split, "border"), "border"))
    if not agrees:
        broken("a split does not agree with features_info")
    return found


def member(record: Any, key: str) -> Any:
    """A field of a record."""
    if not isinstance(record, dict) or key not in record:
        broken(f"{key} is missing")
    return record[key]


def items(value: Any, what: str) -> list[Any]:
    """A list; CatBoost writes null for an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        broken(f"{what} is not a list")
    return value


def whole(value: Any, what: str) -> int:
    """An integer."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 53:
        broken(f"{what} is not an integer")
    return value


def text_of(value: Any, what: str) -> str:
    """A text, without halves of characters."""
    if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
        broken(f"{what} is not a text")
    return value


def refuse(kind: Any) -> NoReturn:
    """A kind of split that is not modelled."""
    name = _KINDS.get(str(kind), f"splits of the type {str(kind)[:40]}")
    raise ModelRefused(f"The CatBoost model has {name}, which are not modelled.", NOT_MODELLED)


def broken(what: str) -> NoReturn:
    """The file is not what the library writes."""
    raise ProgramError(f"The CatBoost model is broken: {what}.", SAVE_AGAIN)

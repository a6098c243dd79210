"""Broken and hostile files of XGBoost: a model, or an error that says what is wrong; never anything else."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest

from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.readers.xgboost_file import read
from soid.errors import ProgramError
from tests.learned_rows import rows_at_thresholds
from tests.xgboost_models import as_ubjson, saved

NAMES = ["category sets", "labels of categories", "dart", "linear", "vector leaves", "classifier stopped early"]

STRANGE: list[Any] = [
    None, True, 0, -1, 1, 2, 7, 2**31 - 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e-46, 3.5e38, 1e308, float("inf"),
    float("-inf"), float("nan"), "", "0", "1", "3", "-1", "1000000000", "1e400", "[5E-1]", "nan", "\ud800", "x" * 5000,
    [], [0], [[]], {}, {"name": "gbtree"}, "gbtree", "dart", "gblinear", "multi:softprob", [1.5] * 3,
]  # fmt: skip


def mutated(document: Any, random: Random) -> None:
    """Changes one place of a document, chosen by going down at random."""
    while document:
        keys = list(document) if isinstance(document, dict) else range(len(document))
        key = random.choice(list(keys))
        inner = document[key]
        if isinstance(inner, dict | list) and inner and random.random() < 0.9:
            document = inner
            continue
        match random.randrange(5):
            case 0:
                del document[key]
            case 1 if isinstance(inner, list):
                document[key] = inner * 2
            case 2 if isinstance(inner, int | float):
                document[key] = -inner if random.random() < 0.5 else inner + 1
            case 3 if isinstance(inner, list):
                document[key] = inner[: len(inner) // 2]
            case _:
                document[key] = deepcopy(random.choice(STRANGE))
        return


def mutated_bytes(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content))
    match random.randrange(5):
        case 0:
            return content[:place]
        case 1:
            return content[:place] + bytes([random.randrange(256)]) + content[place + 1 :]
        case 2:
            return content[:place] + content[place + random.randrange(1, 9) :]
        case 3:
            return content[:place] + random.randbytes(random.randrange(1, 9)) + content[place:]
        case _:
            other = random.randrange(len(content))
            return content[:place] + content[other : other + 30] + content[place:]


def attempt(content: bytes) -> bool:
    """Whether it was read; what is read can be evaluated."""
    problem: ProgramError | None = None
    try:
        model = read(content)
    except ProgramError as raised:
        problem = raised
    if problem is not None:
        assert 0 < len(problem.cause) < 1_000
        return False
    rows = rows_at_thresholds(model, 5, seed=1) if model.features else np.zeros((5, 0))
    ModelEvaluation(model).of(rows)
    return True


def try_many(count: int, seed: int) -> None:
    random = Random(seed)
    files = [saved(name) for name in NAMES]
    binary = [as_ubjson(content) for content in files]
    read_well = 0
    for _ in range(count):
        chosen = random.randrange(len(files))
        kind = random.randrange(4)
        if kind == 0:
            content = mutated_bytes(files[chosen], random)
        elif kind == 1:
            content = mutated_bytes(binary[chosen], random)
        else:
            document = json.loads(files[chosen])
            for _ in range(random.randrange(1, 4)):
                mutated(document, random)
            content = json.dumps(document).encode()
        read_well += attempt(content)
    assert 0 < read_well < count


def test_mutated_files() -> None:
    try_many(300, seed=1)


@pytest.mark.fuzz
def test_ten_thousand_mutated_files() -> None:
    try_many(10_000, seed=2)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"{}",
        b"\xff\xfe{",
        b'{"learner":' * 100_000,
        b'{"learner":' + b"[" * 1_000_000,
        b'{"learner":{},"learner":{}}',
        b'{"learner":{},"version":[3,2,0]}',
        b'{"learner":' + b"9" * 5_000 + b"}",
        b"{L" + bytes(7) + b"\x07learner" + b"{" * 10_000,
    ],
)
def test_what_is_no_model(content: bytes) -> None:
    assert not attempt(content)


def test_claims_cost_nothing() -> None:
    """A billion trees, nodes or classes that the file does not hold; one list of categories for all nodes."""
    document = json.loads(saved("category sets"))
    learner = document["learner"]
    model, parameters = learner["gradient_booster"]["model"], learner["learner_model_param"]
    tree = model["trees"][0]
    for place, change in (
        (model["gbtree_model_param"], {"num_trees": "1000000000"}),
        (model["gbtree_model_param"], {"num_parallel_tree": "1000000000"}),
        (tree["tree_param"], {"num_nodes": "1000000000"}),
        (tree["tree_param"], {"size_leaf_vector": "1000000000"}),
        (parameters, {"num_class": "1000000000"}),
        (parameters, {"num_feature": "1000000000"}),
        (tree, {"categories": [2**24 - 1] * len(tree["categories"])}),
        (tree, {"categories_segments": [0] * len(tree["categories_segments"]),
                "categories_sizes": [len(tree["categories"])] * len(tree["categories_sizes"]), "categories": [1]}),
    ):  # fmt: skip
        before = {key: place[key] for key in change}
        place.update(change)
        read_well = attempt(json.dumps(document).encode())
        assert read_well == ("num_parallel_tree" in change), change
        place.update(before)
    assert attempt(json.dumps(document).encode())

"""Verdicts about learned models against the library itself, run on a row of every cell that a family has."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xgboost

from soid import Project
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings

FEATURES = ("a", "b", "c", "kind")
KINDS = ("red", "green", "blue")


@dataclass(frozen=True)
class Model:
    """A small booster, its project, and rows that stand for all cells of its features."""

    booster: Any
    folder: Path
    facts: np.ndarray
    values: tuple[tuple[float, ...], ...]  # for each feature: each threshold and the number before it, ends, NaN


def trained(folder: Path, seed: int) -> Model:
    random_ = np.random.default_rng(seed)
    rows = random_.integers(-3, 4, size=(300, 4)).astype(float)
    rows[:, 3] = random_.integers(0, len(KINDS), size=300)
    rows[random_.random(300) < 0.1, 0] = math.nan
    wanted = np.nan_to_num(rows[:, 0]) * rows[:, 1] + rows[:, 2] * (rows[:, 3] == 1) + random_.normal(size=300) > 0.5
    types = ["q", "q", "q", "c"]
    data = xgboost.DMatrix(rows, wanted, feature_names=list(FEATURES), feature_types=types, enable_categorical=True)
    settings = {"max_depth": 3, "objective": "binary:logistic", "eta": 0.7, "seed": seed, "nthread": 1}
    booster = xgboost.train(settings, data, 6)
    folder.mkdir(parents=True)
    booster.save_model(folder / "model.json")
    (folder / "soid.toml").write_text(
        '[program]\nengine = "model"\nmodel = "model.json"\n[decisions]\napprove = "probability >= 0.37"\n'
        "[variables]\n" + "".join(f"{name} = {{ domain = [-5.0, 5.0] }}\n" for name in "abc") + untested_codes(folder)
    )
    return Model(booster, folder, rows[:5], tuple(cells(folder / "model.json", number) for number in range(4)))


def untested_codes(folder: Path) -> str:
    """What the manifest says of codes beyond those that some tree asks for: the file does not know them."""
    trees = json.loads((folder / "model.json").read_text())["learner"]["gradient_booster"]["model"]["trees"]
    greatest = max((code for tree in trees for code in tree["categories"]), default=-1)
    other = ", ".join(f'"{code}" = "OTHER"' for code in range(greatest + 1, len(KINDS)))
    return f'[trace.columns]\nkind = {{ column = "kind", labels = {{ {other} }} }}\n' if other else ""


def cells(file: Path, feature: int) -> tuple[float, ...]:
    """Numbers of every cell of a feature, from the file itself."""
    if feature == 3:
        return (*map(float, range(len(KINDS))), 9.0)  # and one that training has not seen
    trees = json.loads(file.read_text())["learner"]["gradient_booster"]["model"]["trees"]
    cuts = {
        tree["split_conditions"][node]
        for tree in trees
        for node, left in enumerate(tree["left_children"])
        if left >= 0 and tree["split_indices"][node] == feature
    }
    found = {-5.0, 5.0}
    for cut in map(np.float32, cuts):
        found |= {float(cut), float(np.nextafter(cut, np.float32(-np.inf)))}
    return tuple(sorted(each for each in found if abs(each) <= 5.0))


def predicted(model: Model, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    types = ["q", "q", "q", "c"]
    data = xgboost.DMatrix(rows, feature_names=list(FEATURES), feature_types=types, enable_categorical=True)
    probability = model.booster.predict(data)
    return probability, probability > np.float32(0.5)


def families(model: Model, fact: np.ndarray, chosen: random.Random) -> Iterator[tuple[str, np.ndarray]]:
    """Suppositions, and rows of every cell of what they leave, without the fact."""
    for count in (1, 2, 3):
        names = chosen.sample(range(4), count)
        words: list[str] = []
        sides: list[tuple[float, ...]] = [(float(value),) for value in fact]
        for number in names:
            name, values = FEATURES[number], list(model.values[number])
            if number < 3 and chosen.random() < 0.4:
                bound = chosen.choice(values)
                words.append(f"{name} >= {bound!r}")
                values = [each for each in values if each >= bound]
            else:
                words.append(f"{name} is anything")
            sides[number] = tuple(values)
        rows = np.array(list(itertools.product(*sides)))
        same = ((rows == fact) | (np.isnan(rows) & np.isnan(fact))).all(axis=1)
        # a cell of which the fact is the only row that was drawn has others where a number varies
        neighbours = rows[same].copy()
        numeric = [number for number in names if number < 3 and not math.isnan(fact[number])]
        if len(neighbours) and numeric:
            number = numeric[0]
            inward = 0.0 if fact[number] != 0.0 else 1.0
            neighbours[:, number] = np.nextafter(fact[number], inward)
            rows = np.concatenate([rows[~same], neighbours])
        else:
            rows = rows[~same]
        yield " and ".join(words), rows


def write_log(model: Model, fact: np.ndarray, text: dict[str, Any]) -> Path:
    log = model.folder / "log.jsonl"
    inputs = {name: ("nan" if math.isnan(x) else float(x)) for name, x in zip(FEATURES[:3], fact[:3], strict=True)}
    log.write_text(json.dumps({**inputs, **text}) + "\n")
    return log


@pytest.mark.parametrize("seed", range(3))
def test_verdicts_are_those_of_the_library(seed: int, tmp_path: Path) -> None:
    compared(tmp_path, seed, facts=1)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100, 140))
def test_verdicts_of_more_models(seed: int, tmp_path: Path) -> None:
    compared(tmp_path, seed, facts=5)


def compared(folder: Path, seed: int, facts: int) -> None:
    model, chosen = trained(folder / "model", seed), random.Random(seed)
    asked = definite = 0
    for fact in model.facts[:facts]:
        probability, label = predicted(model, fact[None])
        project = opened(model, fact, float(probability[0]), bool(label[0]))
        for words, rows in families(model, fact, chosen):
            if not len(rows):
                continue
            probabilities, labels = predicted(model, rows)
            bound = float(chosen.choice(list(probabilities)))
            for behavior, truth in (
                ("decision is class_1", labels),
                ("approve", probabilities.astype(float) >= 0.37),
                (f"probability >= {bound!r}", probabilities.astype(float) >= bound),
            ):
                for kind, expected in (("would", truth.all()), ("might", truth.any())):
                    answer = project.ask(f"{kind} {behavior} if {words}")
                    asked += 1
                    definite += answer.verdict.is_definite
                    if answer.verdict.is_definite:
                        assert (answer.verdict is Verdict.YES) == bool(expected), (kind, behavior, words, fact)
    assert definite == asked, (definite, asked)


def opened(model: Model, fact: np.ndarray, probability: float, label: bool) -> Project:
    decided = {"kind": int(fact[3]), "decision": f"class_{int(label)}", "probability": probability}
    return Project.open(model.folder, trace=write_log(model, fact, decided), settings=Settings(replay="off"))

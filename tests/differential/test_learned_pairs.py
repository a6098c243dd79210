"""Questions about pairs put to learned models, and what the library gives for every pair of a small population."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pytest
import skops.io
import xgboost
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from soid import Project
from soid.oracle.answer import Answer, Verdict
from soid.oracle.inquiry import Settings

NAMES = ("a", "b", "c")
NUMBERS = range(-2, 3)
BOUND = 0.4
EVERY = np.array(list(itertools.product(NUMBERS, repeat=len(NAMES))), float)

Predict = Callable[[np.ndarray], np.ndarray]

#: relations of two numbers, as questions write them of an outcome and of a change
OUTCOMES: dict[str, Callable[[Any, Any], bool]] = {
    "be the same": lambda one, other: one == other,
    "differ": lambda one, other: one != other,
    "rise": lambda one, other: other > one,
    "not fall": lambda one, other: not other < one,
}
CHANGES: dict[str, Callable[[int, int], bool]] = {
    "differs": lambda one, other: one != other,
    "rises": lambda one, other: other > one,
    "falls": lambda one, other: other < one,
    "differs by at most 1": lambda one, other: abs(other - one) <= 1,
}


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    luck = np.random.default_rng(seed)
    rows = luck.integers(-2, 3, size=(250, len(NAMES))).astype(float)
    return rows, (rows[:, 0] * rows[:, 1] + rows[:, 2] + luck.normal(size=250) > 0.3).astype(int)


def of_xgboost(folder: Path, seed: int) -> tuple[str, Predict]:
    data = xgboost.DMatrix(*drawn(seed), feature_names=list(NAMES))
    settings = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.7, "seed": seed, "nthread": 1}
    booster = xgboost.train(settings, data, 6)
    booster.save_model(folder / "model.json")
    return "model.json", lambda rows: booster.predict(xgboost.DMatrix(rows, feature_names=list(NAMES)))


def of_lightgbm(folder: Path, seed: int) -> tuple[str, Predict]:
    settings = {"objective": "binary", "num_leaves": 6, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1}
    rows, wanted = drawn(seed)
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, wanted, feature_name=list(NAMES)), 6)
    booster.save_model(folder / "model.txt")
    return "model.txt", lambda rows: np.asarray(booster.predict(rows))


def of_catboost(folder: Path, seed: int) -> tuple[str, Predict]:
    model = catboost.CatBoostClassifier(
        iterations=6, depth=3, learning_rate=0.5, verbose=0, thread_count=1, allow_writing_files=False
    )
    rows, wanted = drawn(seed)
    model.fit(catboost.Pool(rows, wanted, feature_names=list(NAMES)))
    model.save_model(str(folder / "model.json"), format="json")
    return "model.json", lambda rows: model.predict_proba(rows)[:, 1]


def of_sklearn(made: Callable[[], Any]) -> Callable[[Path, int], tuple[str, Predict]]:
    def trained(folder: Path, seed: int) -> tuple[str, Predict]:
        rows, wanted = drawn(seed)
        model = made().fit(rows, wanted)
        skops.io.dump(model, folder / "model.skops")
        return "model.skops", lambda given: model.predict_proba(given)[:, 1]

    return trained


FAMILIES: dict[str, Callable[[Path, int], tuple[str, Predict]]] = {
    "xgboost": of_xgboost,
    "lightgbm": of_lightgbm,
    "catboost": of_catboost,
    "boosting": of_sklearn(lambda: GradientBoostingClassifier(n_estimators=6, max_depth=3, random_state=0)),
    "forest": of_sklearn(lambda: RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0, n_jobs=1)),
}


def opened(folder: Path, family: str, seed: int) -> tuple[Project, np.ndarray, np.ndarray]:
    """A project whose features are whole numbers, the row of its moment, and the probability of every row."""
    folder.mkdir(parents=True)
    file, predict = FAMILIES[family](folder, seed)
    fact = random.Random(seed).choice(EVERY)
    (folder / "log.jsonl").write_text(json.dumps(dict(zip(names(family), map(int, fact), strict=True))) + "\n")
    variables = "".join(f'{name} = {{ type = "int64", domain = [-2, 2] }}\n' for name in names(family))
    (folder / "soid.toml").write_text(
        f'[program]\nengine = "model"\nmodel = "{file}"\n[decisions]\napprove = "probability >= {BOUND}"\n'
        f'[trace]\nfile = "log.jsonl"\n[variables]\n{variables}'
    )
    return Project.open(folder, settings=Settings(replay="off")), fact, predict(EVERY)


def names(family: str) -> tuple[str, ...]:
    return ("f0", "f1", "f2") if family in ("boosting", "forest") else NAMES


def pairs(changes: dict[int, str], least: tuple[int, int], fact: np.ndarray) -> list[tuple[int, int]]:
    """The rows that differ as it is said and in nothing else, of a population, without the fact."""
    number, bound = least
    return [
        (one, other)
        for (one, x), (other, y) in itertools.product(enumerate(EVERY), enumerate(EVERY))
        if all(CHANGES[changes[at]](x[at], y[at]) if at in changes else x[at] == y[at] for at in range(len(NAMES)))
        if x[number] >= bound and y[number] >= bound
        if not (x == y).all() or not (x == fact).all()
    ]


def shown(answer: Answer, called: tuple[str, ...]) -> tuple[int, int]:
    """The rows of the pair that an answer shows."""
    assert answer.witness is not None
    inputs = answer.witness.inputs
    rows: list[list[float]] = EVERY.tolist()

    def row(life: str) -> int:
        values = [float(signed(inputs.get(f"{life}{name}", inputs[name]))) for name in called]
        return rows.index(values)

    return row(""), row("other.")


def signed(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits


def compared(folder: Path, family: str, seed: int, questions: int) -> int:
    """Ask, and compare; gives the number of definite verdicts."""
    project, fact, probability = opened(folder, family, seed)
    luck, called, definite = random.Random(f"{family} {seed}"), names(family), 0
    inputs = {variable.path for variable in project.program.interface.inputs}
    used = [number for number, name in enumerate(called) if name in inputs]
    for _ in range(questions):
        named = luck.sample(used, luck.choice((1, 1, 2)))
        changes = {number: luck.choice(list(CHANGES)) for number in named}
        output, outcome = luck.choice(("approve", "probability")), luck.choice(list(OUTCOMES))
        least = luck.choice(used), luck.choice((-2, -1, 1, 2))
        changed = " and ".join(f"{called[number]} {way}" for number, way in changes.items())
        text = f"{output} {outcome} if {changed}, for every case with {called[least[0]]} >= {least[1]}"
        found = probability >= BOUND if output == "approve" else probability
        family_of = pairs(changes, least, fact)
        occurs = {pair: bool(OUTCOMES[outcome](*found[list(pair)])) for pair in family_of}
        for verb, decided in (("would", all), ("might", any)):
            answer = project.ask(f"{verb} {text}")
            if not answer.verdict.is_definite:
                assert answer.verdict is (Verdict.UNKNOWN if occurs else Verdict.VACUOUS), text
                assert not occurs or family == "forest", "only there the last bits depend on the order of a sum"
                continue
            definite += 1
            assert (answer.verdict is Verdict.YES) == decided(occurs.values()), (verb, text)
            pair = shown(answer, called)
            assert occurs[pair] is (answer.verdict is Verdict.YES), (verb, text, pair)
    return definite


@pytest.mark.parametrize("family", ["xgboost", "forest"])
def test_verdicts_are_those_of_all_pairs(family: str, tmp_path: Path) -> None:
    assert compared(tmp_path / "model", family, 1, 4) >= 6


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("family", FAMILIES)
def test_verdicts_of_more_models(family: str, seed: int, tmp_path: Path) -> None:
    compared(tmp_path / "model", family, seed, 12)

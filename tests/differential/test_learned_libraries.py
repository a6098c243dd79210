"""Verdicts about models of every library, held to the library: proofs to many rows, scenarios to a replay in it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from soid import Project
from soid.engine.learned.kept_models import read_model
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings
from tests.learned_rows import rows_at_thresholds

Rows = NDArray[np.float64]
FEATURES = ("income", "debt", "age", "years")
DOMAIN = 4.0
QUESTIONS = (
    "{kind} decision is {first} if income is anything",
    "{kind} decision is {first} if income is anything and debt >= 0.25",
    "{kind} decision is {second} if age is anything and years is anything and debt is anything",
    "{kind} decision is not {first} if income <= age and income is anything and age is anything",
)


@dataclass(frozen=True)
class Trained:
    """A model's file, and what its library says of rows."""

    file: Path
    labels: Callable[[Rows], list[str]]


def data(seed: int = 0, classes: int = 2) -> tuple[Rows, NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(400, len(FEATURES)))
    score = rows[:, 0] - rows[:, 1] + 0.5 * rows[:, 2] * rows[:, 3] + 0.3 * random.normal(size=400)
    return rows, np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])).astype(np.int64)


def xgboost_classes(folder: Path) -> Trained:
    import xgboost

    rows, wanted = data(1, 3)
    matrix = xgboost.DMatrix(rows, wanted, feature_names=list(FEATURES))
    booster = xgboost.train({"objective": "multi:softprob", "num_class": 3, "max_depth": 3, "nthread": 1}, matrix, 8)
    booster.save_model(folder / "model.ubj")

    def labels(given: Rows) -> list[str]:
        found = booster.predict(xgboost.DMatrix(given, feature_names=list(FEATURES)))
        return [str(each) for each in np.argmax(found, axis=1)]

    return Trained(folder / "model.ubj", labels)


def lightgbm_binary(folder: Path) -> Trained:
    import lightgbm

    rows, wanted = data(2)
    settings = {"objective": "binary", "num_leaves": 7, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(rows, wanted, feature_name=list(FEATURES)), 15)
    booster.save_model(folder / "model.txt")
    return Trained(folder / "model.txt", lambda given: [str(int(each > 0.5)) for each in booster.predict(given)])


def catboost_binary(folder: Path) -> Trained:
    import catboost

    rows, wanted = data(3)
    model = catboost.CatBoostClassifier(
        iterations=20, depth=3, verbose=False, thread_count=1, allow_writing_files=False
    )
    model.fit(catboost.Pool(rows, wanted, feature_names=list(FEATURES)))
    model.save_model(str(folder / "model.json"), format="json")
    again = catboost.CatBoostClassifier()
    again.load_model(str(folder / "model.json"), format="json")
    return Trained(folder / "model.json", lambda given: [str(each) for each in again.predict(given).ravel()])


def sklearn_model(make: Callable[[], Any], classes: int = 2) -> Callable[[Path], Trained]:
    def trained(folder: Path) -> Trained:
        import skops.io

        rows, wanted = data(4, classes)
        model = make().fit(rows, wanted)
        skops.io.dump(model, folder / "model.skops")
        return Trained(folder / "model.skops", lambda given: [str(each) for each in model.predict(given)])

    return trained


def forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(12, max_depth=4, random_state=0, n_jobs=2)


def boosted() -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=10, random_state=0)


def scored() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression())


MODELS: dict[str, Callable[[Path], Trained]] = {
    "xgboost, three classes": xgboost_classes,
    "lightgbm": lightgbm_binary,
    "catboost": catboost_binary,
    "random forest over threads": sklearn_model(forest, 3),
    "gradient boosting": sklearn_model(boosted),
    "scaled logistic regression": sklearn_model(scored),
}


@pytest.mark.parametrize("name", ["lightgbm"])
def test_proofs_hold_for_rows_and_scenarios_replay(name: str, tmp_path: Path) -> None:
    compared(name, tmp_path, QUESTIONS[1:3])


@pytest.mark.soak
@pytest.mark.parametrize("name", MODELS)
def test_proofs_of_every_library_hold_for_rows(name: str, tmp_path: Path) -> None:
    compared(name, tmp_path, QUESTIONS)


def compared(name: str, tmp_path: Path, questions: tuple[str, ...]) -> None:
    trained = MODELS[name](tmp_path)
    model = read_model(trained.file).model
    paths = dict(zip([each.name for each in model.features], FEATURES, strict=True))
    assert len(paths) == len(FEATURES)
    fact = data(5)[0][7]
    label = trained.labels(fact[None])[0]
    project = opened(tmp_path, trained, list(paths), fact, label)
    first = label_of(label)
    second = label_of(str((int(label) + 1) % len(model.label.classes if model.label else ())))
    names = dict(zip(FEATURES, paths, strict=True))
    definite = 0
    for question in questions:
        for kind in ("would", "might"):
            words = question.format(kind=kind, first=first, second=second)
            for ours, theirs in names.items():
                words = words.replace(ours, theirs.replace("-", "_"))
            answer = project.ask(words)
            assert answer.verdict in (Verdict.YES, Verdict.NO), (words, answer.why)
            definite += 1
            assert answer.witness is not None and "by running the model in" in answer.witness.replayed, words
            check_rows(answer, trained, model, fact, question, kind, (label, second.removeprefix("class_")))
    assert definite == 2 * len(questions)


def test_questions_about_a_number_that_is_known_between_two_ends(tmp_path: Path) -> None:
    trained = MODELS["scaled logistic regression"](tmp_path)
    names = [each.name for each in read_model(trained.file).model.features]
    opened(tmp_path, trained, names, np.zeros(4), trained.labels(np.zeros((1, 4)))[0])
    project = Project.open(tmp_path, settings=Settings(replay="off"))
    asked = {
        "did probability > 0.001": Verdict.YES,
        "did probability < 0.001": Verdict.NO,
        f"would probability > 0.0001 if {names[0]} in {{0..1}}": Verdict.YES,
        f"might probability > 0.6 if {names[0]} is anything": Verdict.YES,
        f"might probability > 0.9999 if {names[0]} in {{0..1}}": Verdict.NO,
        f"might probability == 0.25 if {names[0]} is anything": Verdict.UNKNOWN,
    }
    assert {question: project.ask(question).verdict for question in asked} == asked
    assert "the order in which sklearn adds" in str(project.ask(list(asked)[-1]).why)


def label_of(text: str) -> str:
    return f"class_{text}"


def opened(folder: Path, trained: Trained, names: list[str], fact: Rows, label: str) -> Project:
    logged = {name: float(value) for name, value in zip(names, fact, strict=True)}
    (folder / "log.jsonl").write_text(json.dumps({**logged, "decision": label}) + "\n")
    domains = "".join(f'"{name.replace("-", "_")}" = {{ domain = [-{DOMAIN}, {DOMAIN}] }}\n' for name in names)
    program = f'[program]\nengine = "model"\nmodel = "{trained.file.name}"\n'
    (folder / "soid.toml").write_text(f'{program}[trace]\nfile = "log.jsonl"\n[variables]\n{domains}')
    return Project.open(folder, settings=Settings(seconds=60.0))


def check_rows(
    answer: Any, trained: Trained, model: Any, fact: Rows, question: str, kind: str, labels: tuple[str, str]
) -> None:
    """A proof over a family must hold for each of many rows of it."""
    proved = (kind == "would") == (answer.verdict is Verdict.YES)
    if not proved:
        return
    free = [f"{name} is anything" in question or f"{name} >=" in question for name in FEATURES]
    freed = [number for number, is_free in enumerate(free) if is_free]
    drawn = rows_at_thresholds(model, 3_000, seed=6)
    rows = np.tile(fact, (len(drawn), 1))
    rows[:, freed] = drawn[:, freed]
    keep = (np.abs(rows[:, freed]) <= DOMAIN).all(axis=1) & ~np.isnan(rows).any(axis=1) & (rows != fact).any(axis=1)
    if "debt >= 0.25" in question:
        keep &= rows[:, 1] >= 0.25
    if "income <= age" in question:
        keep &= rows[:, 0] <= rows[:, 2]
    rows = rows[keep]
    assert len(rows) > 100
    found = trained.labels(rows)
    wanted = labels[1] if "{second}" in question else labels[0]
    truth = [(each != wanted) if "is not" in question else (each == wanted) for each in found]
    assert all(truth) if kind == "would" else not any(truth), (question, kind)
    assert not math.isnan(float(rows.sum()))

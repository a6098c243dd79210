"""Bundles that the tests take apart, made once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.case import Case
from soid.case.custody.ed25519 import signing_key
from soid.evidence.bundle import bundle
from soid.examples import folder

OVEN = (
    "did action == CANCEL",
    "would action == CANCEL if error == true and closed is anything and heat is anything",
    "would action in {CANCEL, CLOSE} if error == true and closed is anything and heat is anything",
    "might action == OPEN if error == true and closed is anything",
)


def bundled(place: Path, project: Path, questions: tuple[str, ...] | None = None, key: Path | None = None) -> bytes:
    """The bundle of a case in which these questions were asked; by default those of the manifest."""
    file = place / "test.case"
    with Case.create(file, project, title="A case", who="ada") as case:
        manifest = case.project_at().manifest
        assert manifest is not None
        for question in manifest.questions if questions is None else questions:
            case.ask(question)
    made = bundle(file, key=None if key is None else signing_key(key))
    assert made.refused == ()
    return made.data


def made_once(name: str, places: pytest.TempPathFactory, make: Callable[[], bytes]) -> bytes:
    """Make a file once; the other test processes reuse it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return make()
    shared = places.getbasetemp().parent / f"{name}-{run}.zip"
    if not shared.exists():
        draft = places.mktemp(name) / "draft"
        draft.write_bytes(make())
        draft.replace(shared)
    return shared.read_bytes()


@pytest.fixture(scope="session")
def oven(tmp_path_factory) -> bytes:
    """A program of SMT-LIB paths, with a fact of every kind."""
    place = tmp_path_factory.mktemp("oven")
    return made_once("oven", tmp_path_factory, lambda: bundled(place, folder("microwave"), OVEN))


@pytest.fixture(scope="session")
def patient(tmp_path_factory) -> bytes:
    """A program in C of several files."""
    place = tmp_path_factory.mktemp("patient")
    return made_once("patient", tmp_path_factory, lambda: bundled(place, folder("diabetes")))


LENDER = (
    "would decision == class_1 if 52.5 <= income <= 60 and town is anything",
    "might decision == class_0 if income is anything",
)


def lender_project(place: Path) -> Path:
    """A small booster over two numbers and a category, with a log of one row."""
    import numpy as np
    import xgboost

    drawn = np.random.default_rng(4)
    rows = drawn.normal(size=(400, 3)) * [20.0, 10.0, 0.0] + [50.0, 40.0, 0.0]
    rows[:, 2] = drawn.integers(0, 3, 400)
    wanted = rows[:, 0] + 5.0 * (rows[:, 2] == 1) + drawn.normal(size=400) > 48.0
    names, kinds = ["income", "age", "town"], ["q", "q", "c"]
    data = xgboost.DMatrix(rows, wanted, feature_names=names, feature_types=kinds, enable_categorical=True)
    booster = xgboost.train({"max_depth": 3, "objective": "binary:logistic", "nthread": 1}, data, 8)
    place.mkdir(parents=True)
    booster.save_model(place / "model.json")
    (place / "soid.toml").write_text(
        '[program]\nname = "lender"\nengine = "model"\nmodel = "model.json"\n[trace]\nfile = "log.csv"\n'
    )
    (place / "log.csv").write_text("step,income,age,town\n0,55.5,38.25,1\n")
    return place


@pytest.fixture(scope="session")
def lender(tmp_path_factory) -> bytes:
    """A learned model: a proof, and a scenario."""
    place = tmp_path_factory.mktemp("lender")
    return made_once("lender", tmp_path_factory, lambda: bundled(place, lender_project(place / "lender"), LENDER))

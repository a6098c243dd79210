"""What an application gives to a model: missing values, categories that training has not seen, whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
import xgboost
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from soid.assumptions import Ledger
from soid.case.project import Project
from soid.engine.replay import ReplayMode
from soid.errors import InputError, TraceError
from soid.formula import softfloat as sf
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Settings

DRAW = np.random.default_rng(3)
ROWS = np.column_stack([DRAW.integers(500, 6000, 400), DRAW.integers(18, 80, 400)]).astype(float)
GRANTED = (ROWS[:, 0] > 2400).astype(int)


@pytest.fixture(scope="module")
def logistic() -> Any:
    return skops.io.dumps(LogisticRegression(max_iter=1000).fit(ROWS, GRANTED))


def opened(
    folder: Path, model: str, log: Sequence[str], variables: str = "", replay: ReplayMode = "confined"
) -> Project:
    (folder / "log.csv").write_text("\n".join(log) + "\n")
    (folder / "soid.toml").write_text(
        f'[program]\nengine = "model"\nmodel = "{model}"\n[trace]\nfile = "log.csv"\nempty = "missing"\nkeyframe = 0\n'
        f"[variables]\n{variables}\n"
    )
    return Project.open(folder, settings=Settings(replay=replay))


def whole_numbers_in_xgboost(folder: Path) -> Any:
    """A model whose file calls its features integers, and which has seen missing ones."""
    rows = ROWS.copy()
    rows[::5, 0] = np.nan
    data = xgboost.DMatrix(rows, GRANTED, feature_names=["income", "age"], feature_types=["int", "int"], nthread=1)
    model = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "nthread": 1}, data, 10)
    model.save_model(folder / "model.json")
    return model


def test_a_missing_whole_number_is_missing_or_refused(tmp_path: Path) -> None:
    """It was taken for not logged: what was proved for every income was otherwise for none."""
    model = whole_numbers_in_xgboost(tmp_path)
    log = ["income,age", "3000,40", ",40"]
    with pytest.raises(TraceError, match=r"income is empty.*int64 is never that") as refused:
        opened(tmp_path, "model.json", log)
    assert 'income = { type = "float64" }' in refused.value.remedy
    project = opened(tmp_path, "model.json", log, 'income = { type = "float64" }')
    given = xgboost.DMatrix(np.array([[3000.0, 40.0], [np.nan, 40.0]]), feature_names=["income", "age"], nthread=1)
    for step, share in enumerate(model.predict(given)):
        answer = project.at(step).ask("did decision == class_1")
        assert answer.verdict is (Verdict.YES if share > 0.5 else Verdict.NO)
        assert not answer.supplied.assumed
    assert project.at(0).ask("might decision == class_1 if income is missing").verdict is Verdict.YES


def test_a_library_that_rejects_a_missing_number_fails(logistic: Any, tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(logistic)
    project = opened(tmp_path, "model.skops", ["f0,f1", "3000,40", ",40"])
    assert project.at(0).ask("did fails").verdict is Verdict.NO
    answer = project.at(1).ask("did fails")
    assert answer.verdict is Verdict.YES and not answer.supplied.assumed
    assert answer.witness is not None and "sklearn" in answer.witness.replayed
    assert project.at(0).ask("might fails if f0 is missing").verdict is Verdict.YES


def test_a_library_may_reject_what_no_number_depends_on(tmp_path: Path) -> None:
    """The encoder rejects an unseen category, whether or not a tree asks for it."""
    columns = ColumnTransformer([("k", OneHotEncoder(handle_unknown="error"), [1])], remainder="passthrough")
    tree = make_pipeline(columns, DecisionTreeClassifier(max_depth=1, random_state=0))
    table = np.array([[income, "uvw"[number % 3]] for number, income in enumerate(ROWS[:, 0])], object)
    skops.io.dump(tree.fit(table, GRANTED), tmp_path / "model.skops")
    project = opened(tmp_path, "model.skops", ["f0,f1", "3000,u", "3000,"], replay="off")
    assert project.at(0).ask("did fails").verdict is Verdict.NO
    assert project.at(0).ask("would decision == class_1 if f1 is anything").verdict is Verdict.YES
    assert project.at(1).ask("did fails").verdict is Verdict.YES
    assert project.at(0).ask("might fails if f1 is missing").verdict is Verdict.YES
    with pytest.raises(ValueError, match="unknown categories"):
        tree.predict(np.array([[3000.0, "zzz"]], object))


def test_an_application_may_have_whole_numbers_only(logistic: Any, tmp_path: Path) -> None:
    (tmp_path / "model.skops").write_bytes(logistic)
    log, question = ["f0,f1", "3000,40"], "might decision == class_0 if f0 is anything"
    anything, whole = (
        opened(tmp_path, "model.skops", log, f"f0 = {{ {said} }}", "off").at(0).ask(question)
        for said in ("domain = [0.0, 6000.0]", 'type = "int32", domain = [0, 6000]')
    )
    assert Ledger.STATED_TYPE.value in {each.id for each in whole.relies_on} - {each.id for each in anything.relies_on}
    (said,) = (str(each) for each in whole.relies_on if each.id == Ledger.STATED_TYPE.value)
    assert "f0 is int32" in said
    # the sentence is what makes it true: between the two whole numbers there are others that decide otherwise
    assert anything.witness is not None and whole.witness is not None
    first = sf.bits64_to_float(anything.witness.nearest["f0"])
    assert whole.witness.inputs["f0"] == int(first) < first
    with pytest.raises(InputError, match="in the program it is float64"):
        opened(tmp_path, "model.skops", log, 'f0 = { type = "float32" }')

"""`soid init` in a folder with a learned model: what it proposes, what it tries, and what it takes for no model."""

from __future__ import annotations

import importlib.util
import json
import math
import pickle
import shutil
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from soid.case.project import Project
from soid.cli import main
from soid.examples import folder
from soid.oracle.answer import Answer

LENDING = folder("lending")


@pytest.fixture
def lending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example's model and log, without its soid.toml. XGBoost takes seconds to start, and is not needed here."""
    installed = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xgboost" else installed(name))
    for name in ("lending.json", "applications.csv"):
        shutil.copy(LENDING / name, tmp_path)
    return tmp_path


def init(folder: Path, *words: str, status: int = 0) -> dict[str, Any]:
    """The manifest. Without a terminal and without --yes, there is nothing that had to be asked."""
    assert main(["init", str(folder), "--json", *words]) == status
    return tomllib.loads((folder / "soid.toml").read_text())


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_model_its_log_and_the_threshold_of_its_application(
    lending: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest, found = init(lending), told(capsys)
    assert manifest["program"] == {"name": lending.name, "engine": "model", "model": "lending.json"}
    table = pd.read_csv(lending / "applications.csv")
    over, upto = (
        Fraction(str(end)) for end in (table.probability[~table.approve].max(), table.probability[table.approve].min())
    )
    (told_of,), decides = found["guesses"], manifest["decisions"]["approve"]
    least, most = decides.removeprefix("probability >= 0.5 guessed between ").split(" and ")
    assert 0 <= Fraction(least) - over < 1e-7 and 0 <= upto - Fraction(most) < 1e-7
    assert (found["agreeing"], found["entry"], "columns" in manifest["trace"]) == (found["rows"], "", False)
    assert f"guessed between {least} and {most}: all {found['rows']} rows that have it fit every bound" in told_of
    assert "# GUESSED: all" in (lending / "soid.toml").read_text()
    asked = [each["question"] for each in found["questions"]]
    assert len(asked) == 3 and not any("steps" in each for each in asked)
    assert {each["verdict"] for each in found["questions"]} <= {"yes", "no"}


def test_a_column_that_no_threshold_gives_is_not_proposed(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rows = (lending / "applications.csv").read_text().splitlines()
    rows[0] = rows[0].replace(",true", ",false")  # its probability is the greatest but few
    (lending / "applications.csv").write_text("\n".join([first, *rows]) + "\n")
    manifest = init(lending)
    assert "decisions" not in manifest and manifest["trace"]["ignore"] == ["approve"]
    assert any("approve has two values, and no threshold" in each for each in told(capsys)["warnings"])


def test_labels_that_the_file_does_not_have(lending: Path) -> None:
    table = pd.read_csv(lending / "applications.csv")
    table["decision"] = np.where(table.pop("approve"), "granted", "denied")
    table.round({"probability": 3}).to_csv(lending / "applications.csv", index=False)
    manifest = init(lending)
    assert manifest["trace"]["columns"]["probability"] == {"column": "probability", "decimals": 3}
    assert manifest["variables"]["decision"]["labels"] == ["denied", "granted"]


def test_columns_whose_names_mislead(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The probability is called a score, and the class an outcome: running the model tells."""
    table = pd.read_csv(lending / "applications.csv").rename(columns={"probability": "score"})
    table["outcome"] = np.where(table.pop("approve"), "granted", "denied")
    table["sex"] = ["m", "f"] * 3
    table.to_csv(lending / "applications.csv", index=False)
    manifest = init(lending)
    assert manifest["trace"]["columns"] == {"decision": "outcome", "probability": "score"}
    assert manifest["variables"]["decision"]["labels"] == ["denied", "granted"]
    assert manifest["trace"]["ignore"] == ["sex"] and told(capsys)["agreeing"] == 6


def test_features_that_have_numbers_for_names(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xgb = pytest.importorskip("xgboost")
    rows = np.random.default_rng(3).integers(0, 100, (80, 2)).astype(float)
    model = xgb.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1).fit(rows, rows.sum(axis=1) > 110)
    model.save_model(lending / "lending.json")
    table = pd.DataFrame(rows, columns=["age", "dose"]).assign(sick=model.predict(rows))
    table.to_csv(lending / "applications.csv", index=False)
    manifest = init(lending, "--yes")
    assert manifest["trace"]["columns"] == {"f0": "age", "f1": "dose"} and len(told(capsys)["guesses"]) == 3
    assert manifest["decisions"]["sick"].startswith("probability >= 0.5 guessed between ")


def test_columns_that_are_called_as_the_features_are_no_guess(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where questions cannot call them so, and one of them is not used."""
    xgb = pytest.importorskip("xgboost")
    names = ["größe", "a b", "grüße", "a.b", "year", "a  b"]
    rows = pd.DataFrame(np.random.default_rng(3).integers(0, 100, (80, 6)).astype(float), columns=names)
    rows["a  b"] = 1.0  # it can part no rows
    chosen = rows["größe"] + 2 * rows["a b"] - rows["grüße"] - 3 * rows["a.b"] + rows["year"] > 0
    model = xgb.XGBClassifier(n_estimators=20, max_depth=3, n_jobs=1).fit(rows, chosen)
    model.save_model(tmp_path / "model.json")
    table = rows[names[::-1]].assign(probability=model.predict_proba(rows)[:, 1])
    table.to_csv(tmp_path / "log.csv", index=False)
    manifest, found = init(tmp_path), told(capsys)
    columns = manifest["trace"]["columns"]
    assert sorted(columns.values()) == ["a b", "a.b"] and "ignore" not in manifest["trace"]
    assert (found["agreeing"], found["compared"], found["guesses"], found["ignored"]) == (80, 80, [], [])
    assert found["missing"] == [] and all(each["sure"] for each in found["columns"])


def test_what_is_answered_holds_for_the_bound_that_the_application_has(
    lending: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log leaves it open; what hangs on it is unknown, until somebody writes it."""
    xgb = pytest.importorskip("xgboost")
    doses = pd.DataFrame({"dose": np.arange(100.0)})
    model = xgb.XGBClassifier(n_estimators=60, max_depth=2, learning_rate=0.05, base_score=0.5, n_jobs=1)
    model.fit(doses, np.random.default_rng(5).random(100) < doses.dose / 100)
    model.save_model(lending / "lending.json")
    risk = model.predict_proba(doses)[:, 1]
    table = doses.assign(sick=risk >= 0.37)[(risk < 0.3) | (risk > 0.45)]
    table.to_csv(lending / "applications.csv", index=False)
    manifest = init(lending)
    assert "guessed between 0.2" in manifest["decisions"]["sick"] and told(capsys)["agreeing"] == len(table)

    def answers() -> list[Answer]:
        project = Project.open(lending)
        return [project.ask(f"would sick if dose == {dose}.25") for dose in range(100)]

    found = answers()
    assert all("guessed-threshold" in [each.id for each in answer.relies_on] for answer in found)
    verdicts = [answer.verdict.value for answer in found]
    truth = ["yes" if each >= 0.37 else "no" for each in model.predict_proba(doses + 0.25)[:, 1]]
    assert all(each in (real, "unknown") for each, real in zip(verdicts, truth, strict=True))
    assert "the bound of sick is guessed" in found[verdicts.index("unknown")].reason and {*verdicts} >= {"yes", "no"}
    text = (lending / "soid.toml").read_text()
    (lending / "soid.toml").write_text(text.replace(manifest["decisions"]["sick"], "probability >= 0.37"))
    found = answers()
    assert [answer.verdict.value for answer in found] == truth
    assert not any("guessed-threshold" in [each.id for each in answer.relies_on] for answer in found)


@pytest.mark.parametrize("bound", [0.5, 0.37])
def test_a_column_that_is_spelt_as_the_classes_may_be_decided_by_the_application(
    bound: float, lending: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is the model's class, if the model chooses so at every row; else it has a threshold."""
    xgb = pytest.importorskip("xgboost")
    rows = pd.DataFrame(np.random.default_rng(3).integers(0, 100, (80, 2)).astype(float), columns=["age", "dose"])
    model = xgb.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1).fit(rows, rows.sum(axis=1) > 110)
    model.save_model(lending / "lending.json")
    risk = model.predict_proba(rows)[:, 1]
    table = rows.assign(predicted=(risk >= bound).astype(int), probability=risk)
    table.to_csv(lending / "applications.csv", index=False)
    manifest, found = init(lending), told(capsys)
    assert (found["agreeing"], found["compared"], len(found["guesses"])) == (80, 80, int(bound != 0.5))
    if bound == 0.5:
        assert manifest["trace"]["columns"]["decision"] == "predicted" and "decisions" not in manifest
    else:
        assert manifest["decisions"]["predicted"].startswith("probability >= 0.")
        assert "columns" not in manifest["trace"] and "ignore" not in manifest["trace"]


def test_what_an_empty_cell_means_is_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xgb = pytest.importorskip("xgboost")
    draw = np.random.default_rng(3)
    rows = pd.DataFrame(draw.integers(0, 100, (80, 2)).astype(float), columns=["age", "dose"])
    rows.loc[::2, "dose"] = math.nan  # beside each number, one that is missing
    sick = (rows["dose"].fillna(90) + rows["age"] > 110).astype(int)
    model = xgb.XGBClassifier(n_estimators=8, max_depth=2, n_jobs=1).fit(rows, sick)
    model.save_model(tmp_path / "model.ubj")
    rows["p"] = model.predict_proba(rows)[:, 1]
    rows.to_csv(tmp_path / "ward.csv", index=False)
    manifest, found = init(tmp_path), told(capsys)
    assert manifest["trace"]["empty"] == "missing" and manifest["trace"]["columns"] == {"probability": "p"}
    assert found["agreeing"] == 80 and "told that it is missing" in found["guesses"][0]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("digits", [None, 3])
def test_a_column_that_has_the_number_of_a_model_under_another_name(
    missing: bool, digits: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xgb = pytest.importorskip("xgboost")
    draw = np.random.default_rng(3)
    rows = pd.DataFrame(draw.normal(size=(300, 3)), columns=["a", "b", "c"])
    if missing:
        rows.loc[::3, "b"] = math.nan
    rows["c"] = 1.0  # it can part no rows
    model = xgb.XGBRegressor(n_estimators=20, max_depth=3, n_jobs=1).fit(rows, rows.a * 2 + rows.b.fillna(3))
    model.save_model(tmp_path / "model.json")
    out = model.predict(rows) if digits is None else np.round(model.predict(rows).astype(float), digits)
    rows.assign(price=draw.normal(size=300), out=out).head(25).to_csv(tmp_path / "log.csv", index=False)
    manifest, found = init(tmp_path), told(capsys)
    mapped = manifest["trace"]["columns"]["value"]
    assert mapped == ("out" if digits is None else {"column": "out", "decimals": digits})
    assert (found["ignored"], found["unused"], found["agreeing"], found["compared"]) == (["price"], ["c"], 25, 25)
    assert all("25 of 25" in each for each in found["guesses"]) and len(found["guesses"]) == 1 + missing
    assert not any(len(word) > 4 for each in found["questions"] for word in each["question"].split() if "." in word)


def test_a_column_of_classes_that_have_numbers_for_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xgb = pytest.importorskip("xgboost")
    rows = pd.DataFrame(np.random.default_rng(3).normal(size=(90, 2)), columns=["a", "b"])
    model = xgb.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1).fit(rows, np.digitize(rows.a, [-0.5, 0.5]))
    model.save_model(tmp_path / "model.json")
    rows.assign(outcome=model.predict(rows), level=[0, 1, 2] * 30).to_csv(tmp_path / "log.csv", index=False)
    manifest, found = init(tmp_path), told(capsys)
    assert manifest["trace"]["columns"] == {"decision": "outcome"} and found["ignored"] == ["level"]
    assert (found["agreeing"], found["compared"]) == (90, 90)


def test_the_types_that_an_application_has_are_read_off_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole numbers where the file says any number; a number that may be missing where the file says a whole one."""
    import xgboost

    installed = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xgboost" else installed(name))
    draw = np.random.default_rng(1)
    rows = np.column_stack([draw.integers(0, 5000, 300), draw.integers(18, 80, 300), draw.normal(size=300)])
    rows[::4, 1] = math.nan
    names, kinds = ["income", "age", "ratio"], ["float", "int", "float"]
    label = (rows[:, 0] + 500 * rows[:, 2] + 20 * np.nan_to_num(rows[:, 1]) > 2500).astype(int)
    data = xgboost.DMatrix(rows, label, feature_names=names, feature_types=kinds, nthread=1)
    model = xgboost.train({"objective": "binary:logistic", "max_depth": 3, "nthread": 1}, data, 8)
    model.save_model(tmp_path / "model.json")
    table = pd.DataFrame(rows[:40], columns=names).astype({"income": int})
    table["age"] = ["" if math.isnan(age) else str(int(age)) for age in table.age]
    table.assign(probability=model.predict(data)[:40]).to_csv(tmp_path / "log.csv", index=False)
    manifest, found = init(tmp_path, "--yes"), told(capsys)
    stated = {path: said.get("type") for path, said in manifest["variables"].items()}
    assert stated == {"income": "int64", "age": "float64", "ratio": None}
    assert manifest["trace"]["empty"] == "missing"
    assert (found["agreeing"], found["rows"]) == (40, 40)


def test_several_models_and_sources_beside_them(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(LENDING / "lending.json", lending / "older.json")
    (lending / "oven.c").write_text("int decide(int speed, int gap) { return speed > gap; }")
    assert main(["init", str(lending)]) == 10
    words = " ".join(capsys.readouterr().err.split())
    assert "several programs may be the one that decides" in words and "older.json" in words and "oven" not in words
    assert init(lending, "--source", str(lending / "older.json"))["program"]["model"] == "older.json"
    (lending / "soid.toml").unlink()
    (lending / "older.json").write_text('{"learner": {"attributes": ')
    told(capsys)
    assert init(lending)["program"]["model"] == "lending.json"
    assert any("not taken for the program: older.json" in each for each in told(capsys)["warnings"])


def test_a_file_in_the_place_of_its_folder(lending: Path) -> None:
    assert main(["init", str(lending / "lending.json"), "--json"]) == 0 and (lending / "soid.toml").exists()


def test_a_pickle_alone_and_a_model_without_a_log(lending: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (lending / "lending.json").rename(lending / "kept")
    (lending / "model.pkl").write_bytes(pickle.dumps({"weights": [1.0, 2.0]}))
    assert main(["init", str(lending)]) == 12
    assert "skops.io.dump" in (said := " ".join(capsys.readouterr().err.split())) and "soid init --unpickle" in said
    (lending / "model.pkl").unlink()
    (lending / "kept").rename(lending / "lending.json")
    (lending / "applications.csv").unlink()
    assert main(["init", str(lending)]) == 15
    line = "income,debt,amount,employed,late_payments,housing,postcode"
    assert f"as its first line: {line}" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "other", ['{"learner": "anna", ', '{"learner": {"age": 3}, ', '{"model_info": 1, '], ids=["text", "record", "key"]
)
def test_a_log_in_json_is_no_model(other: str, lending: Path) -> None:
    rows = pd.read_csv(lending / "applications.csv").to_dict("records")
    (lending / "applications.csv").unlink()
    (lending / "log.json").write_text("\n".join(other + json.dumps(row)[1:] for row in rows))
    assert init(lending)["trace"]["file"] == "log.json"

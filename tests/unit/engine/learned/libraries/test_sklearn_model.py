"""Rows reach scikit-learn's pipelines as an application would pass them, with the types of categories in training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas
import pytest
import skops.io
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from soid.engine.learned.libraries.model_file import CannotRun, ModelFile, Row
from soid.engine.learned.libraries.sklearn_model import SklearnModel, written
from soid.engine.learned.model import ModelFeature
from tests.unit.engine.learned.small_models import NUMBERS, data

FLOOR = ModelFeature("floor", "category", (("1", 0), ("2", 1), ("3", 2)))
NAMED = (ModelFeature("a"), ModelFeature("colour", "category", (("blue", 0), ("red", 1))), FLOOR)


def table() -> Any:
    rows, _ = data()
    colours = np.array(["blue", "red"], object)[(rows[:, 1] > 0).astype(int)]
    return pandas.DataFrame({"a": rows[:, 0], "colour": colours, "floor": rows[:, 2].astype(int) + 1})


def model_in(estimator: Any, features: tuple[ModelFeature, ...], *classes: str) -> SklearnModel:
    return SklearnModel(ModelFile("sklearn", skops.io.dumps(estimator), features, classes))


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(4, n_jobs=2, random_state=1),
        GradientBoostingClassifier(n_estimators=3),
        AdaBoostClassifier(n_estimators=3),
        make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
        make_pipeline(MinMaxScaler(), KBinsDiscretizer(3, strategy="uniform"), LogisticRegression()),
    ],
    ids=lambda each: str(each).partition("(")[0] + str(each)[-25:],
)
def test_numbers(estimator: Any) -> None:
    rows, classes = data()
    for labels in (classes, np.array(["x", "y", "z"])[np.arange(len(rows)) % 3]):
        estimator.fit(rows, labels)
        names = [str(each) for each in estimator.classes_]
        found = model_in(estimator, NUMBERS, *names).predict(rows[:7].tolist())
        shares = estimator.predict_proba(rows[:7])
        assert found.labels == [str(each) for each in estimator.predict(rows[:7])]
        expected = {"probability": shares[:, 1]} if len(names) == 2 else {
            f"probability_{name}": shares[:, index] for index, name in enumerate(names)
        }  # fmt: skip
        assert all(np.array_equal(found.numbers[name], column) for name, column in expected.items())
        assert ("score" in found.numbers) == (hasattr(estimator, "decision_function") and len(names) == 2)


def test_a_regression() -> None:
    rows, _ = data()
    estimator = LinearRegression().fit(rows, rows[:, 0] * 2)
    found = model_in(estimator, NUMBERS).predict(rows[:5].tolist())
    assert found.labels is None and np.array_equal(found.numbers["value"], estimator.predict(rows[:5]))


ROWS: list[Row] = [[0.5, "red", "2"], [math.nan, "mauve", "7"], [-2.0, None, 2.0], [1.0, 0.0, "1"]]


def columns(*chosen: Any) -> ColumnTransformer:
    numbers, texts, floors = chosen
    return ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        ("texts", OneHotEncoder(handle_unknown="ignore"), texts),
        ("floors", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), floors),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ((["a"], ["colour"], ["floor"]), True),
        ((["a"], make_column_selector(dtype_include=object), ["floor"]), True),
        (([0], [1], [2]), False),
        ((slice(0, 1), [False, True, False], [-1]), False),
    ],
    ids=["names", "selector", "indices", "slices and masks"],
)
def test_columns_by_name_and_by_place(chosen: Any, named: bool) -> None:
    """By name they take a table, else an array; categories are given as they were in training: floors as numbers."""
    _, classes = data()
    given = table() if named else table().to_numpy(object)
    estimator = make_pipeline(columns(*chosen), LogisticRegression()).fit(given, classes)
    asked = pandas.DataFrame({
        "a": [0.5, math.nan, -2.0, 1.0], "colour": ["red", "mauve", math.nan, "blue"], "floor": [2, 7, 3, 1],
    })  # fmt: skip
    expected = estimator.predict_proba(asked if named else asked.to_numpy(object))[:, 1]
    found = model_in(estimator, NAMED, "0", "1").predict(ROWS)
    assert np.array_equal(found.numbers["probability"], expected)
    # alone, a row without any text in it: the array is still one of texts
    alone = asked.iloc[2:3] if named else asked.to_numpy(object)[2:3]
    (found_alone,) = model_in(estimator, NAMED, "0", "1").predict(ROWS[2:3]).numbers["probability"]
    assert found_alone == estimator.predict_proba(alone)[0, 1]


def test_without_pandas_a_pipeline_by_name_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    _, classes = data()
    estimator = make_pipeline(columns(["a"], ["colour"], ["floor"]), LogisticRegression()).fit(table(), classes)
    model = model_in(estimator, NAMED, "0", "1")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CannotRun, match="needs the package pandas"):
        model.predict(ROWS)


class Stranger(LinearRegression):  # type: ignore[misc]
    """An estimator that is not scikit-learn's own."""


def test_strange_types_and_other_features_are_not_loaded() -> None:
    rows, _ = data()
    with pytest.raises(CannotRun, match=r"names types that are not trusted: .*Stranger"):
        model_in(Stranger().fit(rows, rows[:, 0]), NUMBERS)
    with pytest.raises(CannotRun, match="the library counts 3 features, and soid 2"):
        model_in(LinearRegression().fit(rows, rows[:, 0]), NUMBERS[:2])
    with pytest.raises(CannotRun, match="it holds a list"):
        model_in([1, 2], NUMBERS)
    with pytest.raises(CannotRun, match="it holds a dict"):
        written({})

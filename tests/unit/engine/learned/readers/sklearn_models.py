"""Small models of scikit-learn, trained here, and what scikit-learn itself says about rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd
import skops.io
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

from soid.engine.learned.model import LearnedModel

Make = Callable[[], tuple[Any, Any, Any]]  # an estimator, inputs and targets

COUNT: Final = 300
CHANCE: Final = np.random.default_rng(7)
MATRIX: Final = np.round(CHANCE.normal(size=(COUNT, 4)) * [1.0, 10.0, 1e-3, 1e5], 4)
MATRIX[CHANCE.random(MATRIX.shape) < 0.1] = 0.0
GAPS: Final = np.where(CHANCE.random(MATRIX.shape) < 0.1, np.nan, MATRIX)
NUMBER: Final = MATRIX[:, 0] + MATRIX[:, 1] / 10 + CHANCE.normal(size=COUNT)
TWO: Final = np.where(NUMBER > 0.3, "yes", "no")
THREE: Final = np.digitize(NUMBER, [-0.7, 0.8])
FLAG: Final = NUMBER > 0
FRAME: Final = pd.DataFrame(
    {
        "age": GAPS[:, 0],
        "income": MATRIX[:, 3],
        "job": CHANCE.choice(np.array(["clerk", "driver", "none", "nurse"], object), COUNT),
        "region": CHANCE.choice([1, 2, 5], COUNT),
        "note": CHANCE.choice(np.array(["a", "b"], object), COUNT),
        "rate": MATRIX[:, 2],
    }
)
GAPPED: Final = FRAME.assign(job=FRAME.job.where(CHANCE.random(COUNT) > 0.1, np.nan))


def table(**options: Any) -> ColumnTransformer:
    """The columns of FRAME, each prepared in the usual way."""
    return ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()),
                ["age", "rate"],
            ),
            ("scaled", MinMaxScaler(clip=True), ["income"]),
            ("jobs", OneHotEncoder(handle_unknown="ignore"), ["job"]),
            ("regions", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["region"]),
        ],
        **options,
    )


def scorecard(encode: str) -> ColumnTransformer:
    """Points for each bin."""
    return ColumnTransformer(
        [
            ("bins", KBinsDiscretizer(4, encode=encode, quantile_method="averaged_inverted_cdf"), ["income", "rate"]),
            ("jobs", OneHotEncoder(drop="first", sparse_output=False), ["job", "region"]),
        ]
    )


def sparse_scaled() -> ColumnTransformer:
    """Sparse columns, which scalers multiply by a reciprocal."""
    return ColumnTransformer(
        [("jobs", OneHotEncoder(), ["job", "note"]), ("age", "passthrough", ["income"])], sparse_threshold=1.0
    )


def filled_jobs() -> ColumnTransformer:
    """Categories that are missing become one of the others, or one of their own."""
    return ColumnTransformer(
        [
            (
                "most",
                make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
                ["job"],
            ),
            ("note", OrdinalEncoder(), ["note"]),
            ("age", SimpleImputer(strategy="constant", fill_value=-1.0), ["age"]),
        ],
        remainder="passthrough",
    )


TREES: Final[dict[str, Make]] = {
    "DecisionTreeClassifier": lambda: (DecisionTreeClassifier(max_depth=5, random_state=0), MATRIX, TWO),
    "DecisionTreeClassifier, gaps": lambda: (DecisionTreeClassifier(max_depth=6, random_state=0), GAPS, THREE),
    "DecisionTreeRegressor": lambda: (DecisionTreeRegressor(max_depth=6, random_state=0), MATRIX, NUMBER),
    "ExtraTreeClassifier": lambda: (ExtraTreeClassifier(max_depth=5, random_state=0), GAPS, FLAG),
    "ExtraTreeRegressor": lambda: (ExtraTreeRegressor(max_depth=5, random_state=0), MATRIX, NUMBER),
    "RandomForestClassifier": lambda: (RandomForestClassifier(12, max_depth=5, random_state=0), GAPS, TWO),
    "RandomForestClassifier, 3": lambda: (RandomForestClassifier(7, random_state=0), MATRIX, THREE),
    "RandomForestRegressor": lambda: (RandomForestRegressor(9, max_depth=5, random_state=0), MATRIX, NUMBER),
    "ExtraTreesClassifier": lambda: (ExtraTreesClassifier(9, max_depth=5, random_state=0), MATRIX, FLAG),
    "ExtraTreesRegressor": lambda: (ExtraTreesRegressor(9, max_depth=5, random_state=0), MATRIX, NUMBER),
    "GradientBoostingClassifier": lambda: (GradientBoostingClassifier(n_estimators=15, random_state=0), MATRIX, TWO),
    "GradientBoostingClassifier, 3": lambda: (
        GradientBoostingClassifier(n_estimators=6, random_state=0),
        MATRIX,
        THREE,
    ),
    "GradientBoostingClassifier, exponential": lambda: (
        GradientBoostingClassifier(n_estimators=6, loss="exponential", random_state=0),
        MATRIX,
        FLAG,
    ),
    "GradientBoostingClassifier, zero": lambda: (
        GradientBoostingClassifier(n_estimators=6, init="zero", random_state=0),
        MATRIX,
        FLAG,
    ),
    "GradientBoostingRegressor": lambda: (GradientBoostingRegressor(n_estimators=12, random_state=0), MATRIX, NUMBER),
    "GradientBoostingRegressor, huber": lambda: (
        GradientBoostingRegressor(n_estimators=9, loss="huber", random_state=0),
        MATRIX,
        NUMBER,
    ),
    "HistGradientBoostingClassifier": lambda: (HistGradientBoostingClassifier(max_iter=12), GAPS, TWO),
    "HistGradientBoostingClassifier, 3": lambda: (HistGradientBoostingClassifier(max_iter=5), GAPS, THREE),
    "HistGradientBoostingClassifier, categories": lambda: (
        HistGradientBoostingClassifier(max_iter=15, categorical_features=["job", "region", "note"], min_samples_leaf=5),
        GAPPED,
        TWO,
    ),
    "HistGradientBoostingRegressor": lambda: (HistGradientBoostingRegressor(max_iter=12), GAPS, NUMBER),
    "HistGradientBoostingRegressor, poisson": lambda: (
        HistGradientBoostingRegressor(max_iter=9, loss="poisson"),
        GAPS,
        np.exp(NUMBER / 5),
    ),
    "AdaBoostClassifier": lambda: (AdaBoostClassifier(n_estimators=12, random_state=0), MATRIX, TWO),
    "AdaBoostClassifier, 4": lambda: (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=9, random_state=0),
        MATRIX,
        np.digitize(NUMBER, [-0.7, 0.0, 0.8]),
    ),
    "DummyClassifier": lambda: (DummyClassifier(), MATRIX, TWO),
    "DummyClassifier, most frequent": lambda: (DummyClassifier(strategy="most_frequent"), MATRIX, THREE),
    "DummyRegressor": lambda: (DummyRegressor(), MATRIX, NUMBER),
    "FixedThresholdClassifier": lambda: (
        FixedThresholdClassifier(RandomForestClassifier(5, max_depth=3, random_state=0), threshold=0.4),
        MATRIX,
        TWO,
    ),
    "TunedThresholdClassifierCV": lambda: (
        TunedThresholdClassifierCV(
            make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=5, random_state=0)), random_state=0
        ),
        MATRIX,
        FLAG,
    ),
    "one-hot bins + tree": lambda: (
        make_pipeline(
            SimpleImputer(),
            KBinsDiscretizer(5, encode="onehot-dense", quantile_method="averaged_inverted_cdf"),
            DecisionTreeRegressor(max_depth=8, random_state=0),
        ),
        GAPS,
        NUMBER,
    ),
    "scalers + tree": lambda: (
        make_pipeline(
            StandardScaler(),
            MinMaxScaler((-1, 3), clip=True),
            RobustScaler(),
            MaxAbsScaler(),
            DecisionTreeClassifier(max_depth=7, random_state=0),
        ),
        GAPS,
        TWO,
    ),
    "imputer + forest": lambda: (
        make_pipeline(SimpleImputer(add_indicator=True), RandomForestClassifier(6, max_depth=6, random_state=0)),
        GAPS,
        TWO,
    ),
    "bins + tree": lambda: (
        make_pipeline(
            KBinsDiscretizer(5, encode="ordinal", quantile_method="averaged_inverted_cdf"),
            DecisionTreeRegressor(max_depth=5, random_state=0),
        ),
        MATRIX,
        NUMBER,
    ),
    "table + forest": lambda: (
        make_pipeline(table(), RandomForestClassifier(9, max_depth=6, random_state=0)),
        FRAME,
        TWO,
    ),
    "table + boosting": lambda: (
        make_pipeline(table(remainder="drop"), GradientBoostingClassifier(n_estimators=9, random_state=0)),
        GAPPED,
        TWO,
    ),
    "table + histogram boosting": lambda: (
        make_pipeline(table(sparse_threshold=0), HistGradientBoostingClassifier(max_iter=9, min_samples_leaf=5)),
        GAPPED,
        THREE,
    ),
    "sparse + tree": lambda: (
        make_pipeline(
            sparse_scaled(), StandardScaler(with_mean=False), DecisionTreeClassifier(max_depth=6, random_state=0)
        ),
        FRAME,
        TWO,
    ),
    "filled + tree": lambda: (
        make_pipeline(filled_jobs(), DecisionTreeClassifier(max_depth=7, random_state=0)),
        GAPPED,
        TWO,
    ),
}

LINEAR: Final[dict[str, Make]] = {
    "LogisticRegression": lambda: (make_pipeline(StandardScaler(), LogisticRegression()), MATRIX, TWO),
    "LogisticRegression, 3": lambda: (make_pipeline(StandardScaler(), LogisticRegression()), MATRIX, THREE),
    "LinearRegression": lambda: (LinearRegression(), MATRIX, NUMBER),
    "Ridge": lambda: (Ridge(), MATRIX, NUMBER),
    "Lasso": lambda: (Lasso(alpha=0.01), MATRIX, NUMBER),
    "ElasticNet": lambda: (ElasticNet(alpha=0.01), MATRIX, NUMBER),
    "SGDRegressor": lambda: (make_pipeline(RobustScaler(), SGDRegressor(random_state=0)), MATRIX, NUMBER),
    "SGDClassifier": lambda: (make_pipeline(StandardScaler(), SGDClassifier(random_state=0)), MATRIX, THREE),
    "SGDClassifier, log": lambda: (
        make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=0)),
        MATRIX,
        FLAG,
    ),
    "LinearSVC": lambda: (make_pipeline(StandardScaler(), LinearSVC(random_state=0)), MATRIX, TWO),
    "Perceptron": lambda: (make_pipeline(StandardScaler(), Perceptron(random_state=0)), MATRIX, TWO),
    "RidgeClassifier": lambda: (RidgeClassifier(), MATRIX, THREE),
    "table + LogisticRegression": lambda: (make_pipeline(table(), LogisticRegression()), FRAME, TWO),
    "scorecard": lambda: (make_pipeline(scorecard("onehot"), LogisticRegression()), FRAME, TWO),
    "scorecard, ordinal": lambda: (make_pipeline(scorecard("ordinal"), LogisticRegression()), FRAME, THREE),
    "sparse + LogisticRegression": lambda: (
        make_pipeline(sparse_scaled(), MaxAbsScaler(), LogisticRegression()),
        FRAME,
        TWO,
    ),
}


@cache
def trained(make: Make) -> tuple[Any, bytes]:
    """A fitted model, and its file."""
    model, inputs, targets = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(inputs, targets)
    return model, skops.io.dumps(model)


def application_input(model: LearnedModel, rows: NDArray[np.float64]) -> Any:
    """The rows as the application would give them."""
    settings = dict(model.settings)
    if settings["input"] == "positions":
        return rows
    columns = {}
    for place, feature in enumerate(model.features):
        values: Any = rows[:, place]
        if feature.kind == "category":
            values = _labels(settings[f"categories of {feature.name}"], dict(_by_code(feature.categories)), values)
        columns[feature.name] = values
    return pd.DataFrame(columns)


def _by_code(categories: tuple[tuple[str, int], ...]) -> list[tuple[int, str]]:
    return [(code, label) for label, code in categories]


def _labels(kind: str, labels: dict[int, str], codes: NDArray[np.float64]) -> Any:
    if kind == "int":
        return np.array([math.nan if math.isnan(code) else float(labels.get(int(code), code)) for code in codes])
    return np.array([math.nan if math.isnan(code) else labels.get(int(code), "unseen") for code in codes], object)


def library_numbers(model: Any, read: LearnedModel, inputs: Any) -> dict[str, NDArray[np.float64]]:
    """What scikit-learn says, by the names of outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = [output.name for output in read.outputs]
        found: dict[str, Any] = {}
        if "value" in names:
            found["value"] = model.predict(inputs)
        if any(name.startswith("score") for name in names) and hasattr(model, "decision_function"):
            found |= _by_class("score", model.decision_function(inputs), read)
        if any(name.startswith("probability") for name in names):
            found |= _by_class("probability", model.predict_proba(inputs), read)
    return {name: np.asarray(each, np.float64) for name, each in found.items()}


def _by_class(what: str, numbers: Any, read: LearnedModel) -> dict[str, Any]:
    assert read.label is not None
    if numbers.ndim == 1:
        return {what: numbers}
    if len(read.label.classes) == 2:
        return {what: numbers[:, 1]}
    return {f"{what}_{each}": numbers[:, place] for place, each in enumerate(read.label.classes)}


def library_labels(model: Any, inputs: Any) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [str(each) for each in model.predict(inputs).tolist()]

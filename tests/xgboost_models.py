"""Small models of every kind that XGBoost trains, and what XGBoost itself predicts with them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

import numpy as np
import pandas as pd
import xgboost as xgb
from numpy.typing import NDArray

from soid.engine.learned.model import LearnedModel

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

# Threads that wait for each other on a busy machine make small work take seconds.
xgb.set_config(nthread=1)

LABELS: Final = ["rent", "own", "other", "none", "a shed", "9"]


@cache
def _data() -> tuple[Floats, NDArray[np.int64]]:
    random = np.random.default_rng(7)
    rows = random.normal(size=(400, 5))
    rows[:, 3] = random.integers(0, 6, 400)
    rows[:, 4] = random.integers(0, 2, 400)
    score = rows[:, 0] + rows[:, 1] * rows[:, 2] + (rows[:, 3] % 2) * rows[:, 4]
    rows[random.random(rows.shape) < 0.05] = math.nan
    return rows, np.digitize(score, [-0.5, 0.8]).astype(np.int64)


def table() -> pd.DataFrame:
    """The same rows with labels of categories, whole numbers and flags."""
    rows, _ = _data()
    codes = np.where(np.isnan(rows[:, 3]), -1, rows[:, 3]).astype(int)
    return pd.DataFrame(
        {
            "income": rows[:, 0],
            "age": np.nan_to_num(rows[:, 1] * 10).astype(int),
            "member": np.nan_to_num(rows[:, 4]).astype(bool),
            "home": pd.Categorical.from_codes(codes.tolist(), LABELS),
            "region": pd.Categorical.from_codes(codes.tolist(), [40, 10, 20, -3, 7, 99]),
        }
    )


def _booster(objective: str, rounds: int = 15, **parameters: Any) -> xgb.Booster:
    rows, classes = _data()
    labels: Any = classes.astype(float)
    if objective.startswith("binary") or objective in ("reg:logistic", "survival:cox", "rank:map"):
        labels = (classes > 0).astype(float)
    if objective in ("reg:gamma", "survival:aft", "survival:cox"):
        labels = labels + 0.5
    matrix = xgb.DMatrix(rows, labels, feature_types=parameters.pop("types", None), enable_categorical=True)
    if objective.startswith("rank"):
        matrix.set_group([200, 200])
    if objective == "survival:aft":
        matrix.set_float_info("label_lower_bound", labels)
        matrix.set_float_info("label_upper_bound", labels + 1)
    if objective.startswith("multi"):
        parameters["num_class"] = 3
    return xgb.train({"objective": objective, "max_depth": 4, "verbosity": 0, "seed": 1, **parameters}, matrix, rounds)


def _steeper(name: str, factor: int) -> bytes:
    """The same model with greater leaves, for sums that exponentials cannot take any more."""
    document = json.loads(saved(name))
    for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
        for node, child in enumerate(tree["left_children"]):
            if child == -1:
                tree["split_conditions"][node] *= factor
    return json.dumps(document).encode()


def _saved(model: Any) -> bytes:
    """As save_model writes it: a wrapper says in its file that it is one."""
    if isinstance(model, bytes):
        return model
    if isinstance(model, xgb.Booster):
        return bytes(model.save_raw("json"))
    booster = model.get_booster()
    booster.set_attr(scikit_learn=json.dumps({"_estimator_type": model._get_type()}))
    return bytes(booster.save_raw("json"))


def _classifier(kind: Any = xgb.XGBClassifier, *, two: bool = True, **parameters: Any) -> Any:
    rows, classes = _data()
    settings = {"n_estimators": 15, "max_depth": 4, "random_state": 1, **parameters}
    return kind(**settings).fit(rows, (classes > 0).astype(int) if two else classes)


def _stopped() -> Any:
    rows, classes = _data()
    shuffled = np.random.default_rng(3).permutation(classes > 0).astype(int)
    model = xgb.XGBClassifier(n_estimators=12, max_depth=3, early_stopping_rounds=5, eval_metric="logloss")
    return model.fit(rows, (classes > 0).astype(int), eval_set=[(rows, shuffled)], verbose=False)


def _regressor(labels: Floats, **parameters: Any) -> Any:
    return xgb.XGBRegressor(n_estimators=8, max_depth=3, **parameters).fit(_data()[0], labels)


def _two_targets() -> Floats:
    rows = np.nan_to_num(_data()[0])
    return np.stack([rows[:, 0] + rows[:, 1], rows[:, 2] * rows[:, 3]], axis=1)


def _several_labels() -> Any:
    rows, classes = _data()
    labels = np.stack([classes > 0, classes > 1], axis=1).astype(int)
    return xgb.XGBClassifier(n_estimators=8, max_depth=3).fit(rows, labels)


def _labelled() -> Any:
    model = xgb.XGBClassifier(n_estimators=15, max_depth=4, enable_categorical=True, max_cat_to_onehot=1)
    return model.fit(table(), (_data()[1] > 0).astype(int))


_CODES: Final = ["q", "float", "int", "c", "i"]

#: by what is special about them
MODELS: Final[dict[str, Callable[[], Any]]] = {
    "booster": lambda: _booster("binary:logistic", 60, max_depth=6),
    "classifier": _classifier,
    "classifier stopped early": _stopped,
    "booster stopped early": lambda: _stopped().get_booster(),
    "far base score": lambda: _booster("binary:logistic", base_score=1e-9),
    "steep": lambda: _steeper("booster", 20),
    "leaf-wise, pruned": lambda: _booster("binary:logistic", grow_policy="lossguide", max_leaves=9, gamma=0.3),
    "exact, pruned": lambda: _booster("binary:logistic", tree_method="exact", gamma=0.3),
    "softprob": lambda: _classifier(two=False),
    "softprob, booster": lambda: _booster("multi:softprob", 40, eta=0.9),
    "softprob, steep": lambda: _steeper("softprob", 60),
    "softmax": lambda: _classifier(two=False, objective="multi:softmax"),
    "softmax, booster": lambda: _booster("multi:softmax"),
    "forest": lambda: _classifier(xgb.XGBRFClassifier),
    "boosted forests": lambda: _booster("multi:softprob", 4, num_parallel_tree=3, subsample=0.5),
    "dart": lambda: _booster("binary:logistic", booster="dart", rate_drop=0.5, base_score=0.3),
    "dart, classifier": lambda: _classifier(booster="dart", rate_drop=0.5, base_score=0.3),
    "dart, softprob": lambda: _classifier(two=False, booster="dart", rate_drop=0.5),
    "linear": lambda: _booster("binary:logistic", booster="gblinear", max_depth=None, updater="coord_descent"),
    "linear, softprob": lambda: _booster("multi:softprob", booster="gblinear", max_depth=None, updater="coord_descent"),
    "linear, classifier": lambda: _classifier(booster="gblinear", max_depth=None, updater="coord_descent"),
    "linear, poisson": lambda: _booster("count:poisson", booster="gblinear", max_depth=None, updater="coord_descent"),
    "category sets": lambda: _booster("binary:logistic", types=_CODES, max_cat_to_onehot=1),
    "single categories": lambda: _booster("binary:logistic", types=_CODES, max_cat_to_onehot=99),
    "labels of categories": _labelled,
    "logitraw": lambda: _classifier(objective="binary:logitraw"),
    "hinge": lambda: _classifier(objective="binary:hinge"),
    "classifier of reg:logistic": lambda: _classifier(objective="reg:logistic"),
    "regressor of binary:logistic": lambda: _regressor((_data()[1] > 0).astype(float), objective="binary:logistic"),
    "two targets": lambda: _regressor(_two_targets()),
    "vector leaves": lambda: _regressor(_two_targets(), multi_strategy="multi_output_tree"),
    "several labels": _several_labels,
    "quantiles": lambda: _booster("reg:quantileerror", quantile_alpha=[0.1, 0.9]),
    "poisson, steep": lambda: _steeper("count:poisson", 150),
    **{
        objective: partial(_booster, objective)
        for objective in (
            "reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:squaredlogerror", "reg:logistic",
            "reg:gamma", "reg:tweedie", "count:poisson", "survival:aft", "survival:cox", "rank:pairwise", "rank:ndcg",
            "rank:map",
        )
    },
}  # fmt: skip


@cache
def saved(name: str) -> bytes:
    """The model's JSON file."""
    return _saved(MODELS[name]())


def as_ubjson(content: bytes) -> bytes:
    return bytes(xgb.Booster(model_file=bytearray(content)).save_raw("ubj"))


class Predictor:
    """XGBoost itself, used as the model's settings say."""

    def __init__(self, content: bytes, model: LearnedModel) -> None:
        self._model = model
        self._settings = dict(model.settings)
        kinds = {"classifier": xgb.XGBClassifier, "regressor": xgb.XGBRegressor, "ranker": xgb.XGBRanker}
        self._wrapper: Any = None
        self._booster = xgb.Booster(model_file=bytearray(content))
        if self._settings["estimator"] != "Booster":
            self._wrapper = kinds[self._settings["estimator"]]()
            self._wrapper.load_model(bytearray(content))

    def sums(self, rows: Any) -> Singles:
        return self._predicted(rows, output_margin=True)

    def values(self, rows: Any) -> Singles:
        """What follows from the sums, a column for each link."""
        if self._wrapper is not None and self._settings["estimator"] == "classifier":
            found = np.asarray(self._wrapper.predict_proba(rows))
            return found[:, 1:] if len(self._model.links) == 1 else found
        return self._predicted(rows)

    def labels(self, rows: Any) -> NDArray[np.int64]:
        """By the wrapper's predict; by its rule if there is none."""
        if self._wrapper is not None:
            return np.asarray(self._wrapper.predict(rows)).astype(np.int64)
        found = self._predicted(rows)
        if self._settings["objective"] == "multi:softmax":
            return found[:, 0].astype(np.int64)
        return np.argmax(found, axis=1) if found.shape[1] > 1 else (found[:, 0] > 0.5).astype(np.int64)

    def _predicted(self, rows: Any, **options: Any) -> Singles:
        if self._wrapper is None:
            found = self._booster.predict(xgb.DMatrix(rows), **options)
        else:
            found = xgb.XGBModel.predict(self._wrapper, rows, **options)
        return np.asarray(found, np.float32).reshape(len(rows), -1)

"""A scenario as a test without soid: it runs in each library, and fails if anything else is on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.learned.learned_engine import open_model
from soid.engine.learned.learned_source import LearnedSource, Threshold
from soid.engine.learned.python_witness import TEST
from soid.engine.protocol import Exploration, RecordedRun
from soid.formula.build import TRUE
from soid.formula.checker import Impossible
from soid.program.interface import Variable
from soid.program.types import EnumType, parse
from tests.e2e.test_numbers_between import made_project
from tests.unit.engine.learned.small_models import data

NUMBERS: Final = {"a": "0.25", "b": "-1.0"}
COLOURS: Final = ["blue", "green", "red"]


def xgboost_classes(file: Path) -> None:
    import xgboost

    rows, wanted = data()
    kinds = ["q", "q", "c"]
    told = xgboost.DMatrix(
        rows, wanted + (rows[:, 1] > 0), feature_names=["a", "b", "c"], feature_types=kinds, enable_categorical=True
    )
    xgboost.train({"objective": "multi:softprob", "num_class": 3, "nthread": 1}, told, 3).save_model(file)


def xgboost_number(file: Path) -> None:
    import xgboost

    rows, wanted = data()
    told = xgboost.DMatrix(rows[:, :2], wanted, feature_names=["a", "b"])
    xgboost.train({"objective": "count:poisson", "nthread": 1}, told, 3).save_model(file)


def xgboost_stopped(file: Path) -> None:
    """Training ended after the best iteration, up to which the wrapper for scikit-learn predicts."""
    import xgboost

    rows, wanted = data()
    model = xgboost.XGBClassifier(n_estimators=40, early_stopping_rounds=2, n_jobs=1)
    model.fit(rows[:60], wanted[:60], eval_set=[(rows[60:], 1 - wanted[60:])], verbose=False)
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    model.save_model(file)


def lightgbm_classes(file: Path) -> None:
    import lightgbm

    rows, wanted = data()
    told = lightgbm.Dataset(rows, wanted, feature_name=["a", "b", "c"], categorical_feature=[2])
    settings = {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5}
    lightgbm.train(settings, told, 3).save_model(file)


def catboost_classes(file: Path) -> None:
    import catboost

    rows, wanted = data()
    cells = [[a, b, COLOURS[int(colour)]] for a, b, colour in rows]
    model = catboost.CatBoostClassifier(iterations=3, depth=2, verbose=0, thread_count=1, allow_writing_files=False)
    model.fit(catboost.Pool(cells, wanted + (rows[:, 1] > 0), cat_features=[2], feature_names=["a", "b", "c"]))
    model.save_model(str(file), format="json")


def sklearn_pipeline(file: Path) -> None:
    import skops.io
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    rows, wanted = data()
    cells = np.array([[a, b, COLOURS[int(colour)]] for a, b, colour in rows], object)
    parts = ColumnTransformer([("numbers", StandardScaler(), [0, 1]), ("colours", OneHotEncoder(), [2])])
    skops.io.dump(make_pipeline(parts, LogisticRegression()).fit(cells, wanted), file)


def onnx_line(file: Path) -> None:
    made = made_project(file.parent / "line") / "model.onnx"
    made.replace(file)


MODELS: Final[Mapping[str, Callable[[Path], None]]] = {
    "classes.json": xgboost_classes,
    "number.json": xgboost_number,
    "stopped.json": xgboost_stopped,
    "model.txt": lightgbm_classes,
    "catboost.json": catboost_classes,
    "model.skops": sklearn_pipeline,
    "model.onnx": onnx_line,
}


def told(name: str, place: Path) -> str:
    """The test of a run of the engine."""
    MODELS[name](place / name)
    thresholds = (Threshold("approve", "probability", ">=", "0.37"),) if name in ("model.txt", "model.skops") else ()
    interface, engine = open_model(LearnedSource(Path(name), thresholds=thresholds), place)
    bits = {variable.path: parse(variable.type, _value(variable)) for variable in interface.inputs}
    exploration = Exploration(bits, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    run = engine.explore(exploration).run({})
    outputs = {name: int(value) for name, value in run.outputs.items()}
    recorded = RecordedRun(3, ("a run",), interface, bits, (outputs,), run.between, (), PurePosixPath("."))
    return engine.retold(recorded)[TEST].decode()


def _value(variable: Variable) -> str:
    labels = variable.type.labels if isinstance(variable.type, EnumType) else ()
    return labels[1][0] if labels else NUMBERS.get(variable.path, "1.5")


def another(told: Any) -> Any:
    """Something else than what is on record."""
    if isinstance(told, bool):
        return not told
    if isinstance(told, tuple):
        return tuple(map(another, told))
    return (float.fromhex(told) + 1.0).hex() if told.startswith(("0x", "-0x")) else f"not {told}"


@pytest.mark.parametrize("name", MODELS)
def test_a_scenario_runs_in_its_library_without_soid(name, tmp_path):
    text = told(name, tmp_path)
    assert "soid" not in text
    namespace: dict[str, Any] = {"__file__": str(tmp_path / TEST)}
    exec(compile(text, TEST, "exec"), namespace)
    check, (recorded,) = namespace["test_the_library_gives_what_is_on_record"], namespace["RECORDED"]
    check()
    assert recorded
    for output, given in tuple(recorded.items()):
        namespace["RECORDED"][0] = {**recorded, output: another(given)}
        with pytest.raises(AssertionError):
            check()

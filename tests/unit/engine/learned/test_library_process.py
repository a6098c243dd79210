"""A model runs in its real library, in the jail, and gives the bits that the library gives here."""

from __future__ import annotations

import importlib.util
import math
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from soid.allowance import allowed
from soid.budget import Cancellation
from soid.engine.learned import library_process
from soid.engine.learned.library_process import LibraryLimits, LibraryRun, Prediction
from soid.engine.learned.model import LearnedModel, ModelFeature
from soid.engine.replay import NotAvailable
from soid.errors import CalledOff
from soid.jail.launcher import Layers, layers
from tests.unit.engine.learned.small_models import MIXED, NUMBERS, ROWS, coded, data, model_of

pytestmark = pytest.mark.skipif(not layers().locks_files, reason="this machine cannot lock files")
PATIENT = LibraryLimits(start=250.0, seconds=250.0)  # on a busy machine too


@contextmanager
def running(
    model: LearnedModel, content: bytes, limits: LibraryLimits = PATIENT, *, unconfined: bool = False
) -> Iterator[LibraryRun]:
    run = LibraryRun(model, content, limits=limits, unconfined=unconfined)
    try:
        yield run
    finally:
        run.close()


def answered(run: LibraryRun, rows: Sequence[Sequence[float | str | None]]) -> list[Prediction]:
    found = run.predict(rows)
    assert not isinstance(found, NotAvailable), found.reason
    return found


def same_bits(found: list[Prediction], name: str, expected: Any) -> None:
    given = np.array([each.numbers[name] for each in found])
    assert given.view(np.int64).tolist() == np.asarray(expected, np.float64).view(np.int64).tolist()


@pytest.fixture(scope="module")
def boosted() -> Any:
    import xgboost

    rows, classes = data()
    given = {"feature_names": [each.name for each in MIXED], "feature_types": ["q", "q", "c"]}
    return xgboost.train(
        {"objective": "binary:logistic", "max_depth": 3, "nthread": 1},
        xgboost.DMatrix(rows, classes, enable_categorical=True, **given),
        4,
    )


def test_xgboost(boosted: Any) -> None:
    import xgboost

    matrix = xgboost.DMatrix(
        coded(ROWS), enable_categorical=True, feature_names=boosted.feature_names, feature_types=boosted.feature_types
    )
    model = model_of("xgboost", MIXED, "no", "yes", version="2.1.4")
    with running(model, bytes(boosted.save_raw("ubj"))) as run:
        found = answered(run, ROWS)
        same_bits(found, "score", boosted.predict(matrix, output_margin=True))
        same_bits(found, "probability", boosted.predict(matrix))
        assert [each.label for each in found] == ["yes" if p > 0.5 else "no" for p in boosted.predict(matrix)]
        assert [answered(run, [row])[0] for row in ROWS] == found  # the same process, row by row
        # by code, also one that training has not seen; an infinity is rejected, and the row beside it is not
        codes = answered(run, [[0.25, -1.0, 2.0], [0.25, -1.0, 77.0], [math.inf, 0.0, 1.0]])
        assert codes[0] == found[0] and not codes[1].rejected
        assert codes[2].rejected.startswith("XGBoostError: Check failed: valid: Input data contains `inf`")
        assert codes[2].numbers == {} and codes[2].label is None
        assert run.predict([[0.25, -1.0, "mauve"]]) == NotAvailable("colour has no code for the category 'mauve'")
        assert run.how == f"by running the model in xgboost {xgboost.__version__}"
        assert run.version_difference == f"the file was written by xgboost 2.1.4, and {xgboost.__version__} runs it"


def test_xgboost_of_some_rounds_and_of_several_classes() -> None:
    import xgboost

    rows, _ = data()
    matrix = xgboost.DMatrix(rows, np.arange(len(rows)) % 3)
    booster = xgboost.train({"objective": "multi:softprob", "num_class": 3, "nthread": 1}, matrix, 3)
    model = model_of("xgboost", NUMBERS, "a", "b", "c", settings=(("iteration_range", "0:2"),))
    with running(model, bytes(booster.save_raw("json"))) as run:
        found = answered(run, rows[:5].tolist())
    shares = booster.predict(xgboost.DMatrix(rows[:5]), iteration_range=(0, 2))
    margins = booster.predict(xgboost.DMatrix(rows[:5]), iteration_range=(0, 2), output_margin=True)
    for index, name in enumerate("abc"):
        same_bits(found, f"probability_{name}", shares[:, index])
        same_bits(found, f"score_{name}", margins[:, index])
    assert [each.label for each in found] == ["abc"[index] for index in np.argmax(shares, axis=1)]


@pytest.mark.parametrize("more", [{"early_stopping_rounds": 2}, {"booster": "dart", "rate_drop": 0.5}])
def test_a_file_of_the_wrapper_is_run_as_the_wrapper_runs_it(more: dict[str, Any]) -> None:
    """Up to the best iteration; and the trees of dart are not added as a Booster adds them."""
    import xgboost

    from soid.engine.learned.readers import xgboost_file

    rows, classes = data()
    wrapper = xgboost.XGBClassifier(n_estimators=12, learning_rate=1.0, max_depth=3, n_jobs=1, **more)
    wrapper.fit(rows, classes, eval_set=[(rows[:40], 1 - classes[:40])], verbose=False)
    booster = wrapper.get_booster()
    booster.set_attr(scikit_learn='{"_estimator_type": "classifier"}')  # as its save_model does
    content = bytes(booster.save_raw("json"))
    with running(xgboost_file.read(content), content) as run:
        found = answered(run, rows[:40].tolist())
    same_bits(found, "probability", wrapper.predict_proba(rows[:40])[:, 1])
    same_bits(found, "score", wrapper.predict(rows[:40], output_margin=True))


def test_the_score_of_a_forest_is_its_average() -> None:
    import lightgbm

    rows, classes = data()
    forest = {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.7, "verbosity": -1}
    booster = lightgbm.train(forest, lightgbm.Dataset(rows, classes), 5)
    with running(model_of("lightgbm", NUMBERS, "no", "yes"), booster.model_to_string().encode()) as run:
        found = answered(run, rows[:20].tolist())
    same_bits(found, "score", np.asarray(booster.predict(rows[:20], raw_score=True)) / 5)
    same_bits(found, "probability", booster.predict(rows[:20]))


def test_lightgbm() -> None:
    import lightgbm

    rows, classes = data()
    dataset = lightgbm.Dataset(rows, classes, categorical_feature=[2], params={"verbosity": -1})
    booster = lightgbm.train({"objective": "binary", "verbosity": -1, "num_threads": 1}, dataset, 4)
    model = model_of("lightgbm", MIXED, "0", "1", version="v4")
    with running(model, booster.model_to_string().encode()) as run:
        found = answered(run, [*ROWS, [math.inf, -math.inf, None]])
        assert run.version_difference == ""
    given = coded([*ROWS, [math.inf, -math.inf, None]])
    same_bits(found, "score", booster.predict(given, raw_score=True))
    same_bits(found, "probability", booster.predict(given))
    assert [each.label for each in found] == [str(int(p > 0.5)) for p in booster.predict(given)]


@pytest.mark.slow
def test_catboost(tmp_path: Path) -> None:
    import catboost

    rows, classes = data()
    names = ["blue", "green", "red"]
    given = [[*row[:2], names[int(row[2])]] for row in rows.tolist()]
    model = catboost.CatBoostClassifier(
        iterations=4, depth=2, one_hot_max_size=10, cat_features=[2], verbose=0, allow_writing_files=False
    ).fit(given, ["yes" if each else "no" for each in classes])
    pool = catboost.Pool(given, cat_features=[2])
    model.save_model(str(tmp_path / "model"), format="json", pool=pool)
    # its reader of JSON does not round to the nearest float, so a model that is read is another one
    model = catboost.CatBoostClassifier().load_model(str(tmp_path / "model"), format="json")
    content = (tmp_path / "model").read_bytes() + b" " * 200_000  # more than a pipe takes
    asked: list[list[float | str | None]] = [*ROWS, [math.inf, 0.0, "mauve"], [0.0, 0.0, 2.0]]
    with running(model_of("catboost", MIXED, "no", "yes"), content) as run:
        found = answered(run, asked)
        (rejected,) = answered(run, [[0.0, 0.0, None]])
    expected = catboost.Pool(np.array([*asked[:-1], [0.0, 0.0, "red"]], object), cat_features=[2])
    same_bits(found, "score", model.predict(expected, prediction_type="RawFormulaVal"))
    same_bits(found, "probability", model.predict(expected, prediction_type="Probability")[:, 1])
    assert [each.label for each in found] == model.predict(expected).tolist()
    assert rejected.rejected.startswith("CatBoostError: Invalid type for cat_feature")


def test_a_regression_has_a_value() -> None:
    import xgboost

    rows, _ = data()
    matrix = xgboost.DMatrix(rows, np.abs(rows[:, 0]))
    booster = xgboost.train({"objective": "count:poisson", "nthread": 1}, matrix, 3)
    with running(model_of("xgboost", NUMBERS), bytes(booster.save_raw("json"))) as run:
        found = answered(run, rows.tolist())
    same_bits(found, "value", booster.predict(matrix))
    same_bits(found, "score", booster.predict(matrix, output_margin=True))
    assert {each.label for each in found} == {None}


@pytest.mark.slow
def test_sklearn_as_a_skops_file() -> None:
    import skops.io
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, classes = data()
    model = HistGradientBoostingClassifier(max_iter=3, categorical_features=[2]).fit(rows, classes)
    colour = ModelFeature("colour", "category", (("0.0", 0), ("1.0", 1), ("2.0", 2)))
    asked: list[list[float | str | None]] = [[0.2, -1.0, "2.0"], [math.nan, math.inf, 1.0], [0.0, 0.0, None]]
    with running(model_of("sklearn", (*MIXED[:2], colour), "0", "1"), skops.io.dumps(model)) as run:
        found = answered(run, [*asked, [0.0, 0.0, "55"]])
    given = np.array([[0.2, -1.0, 2.0], [math.nan, math.inf, 1.0], [0.0, 0.0, math.nan], [0.0, 0.0, 55.0]])
    same_bits(found, "score", model.decision_function(given))
    same_bits(found, "probability", model.predict_proba(given)[:, 1])
    assert [each.label for each in found] == [str(each) for each in model.predict(given)]


def test_onnx() -> None:
    import onnxruntime
    from onnx import TensorProto, helper

    tree = helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["label", "shares"], domain="ai.onnx.ml",
        nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0], nodes_values=[0.1, 0.0, 0.0],
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
        class_treeids=[0, 0, 0, 0], class_nodeids=[1, 1, 2, 2], class_ids=[0, 1, 0, 1],
        class_weights=[-0.9, 0.9, 0.3, -0.3], classlabels_strings=["no", "yes"], post_transform="NONE",
    )  # fmt: skip
    graph = helper.make_graph(
        [tree], "one", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])],
        [helper.make_tensor_value_info("label", TensorProto.STRING, [None]),
         helper.make_tensor_value_info("shares", TensorProto.FLOAT, [None, 2])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 3)]
    content = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    rows = [[0.1, 0.0, 0.0], [math.nextafter(0.1, 1), 0.0, 0.0], [0.10000002, 1e39, 0.0], [math.nan, 0.0, 0.0]]
    with running(model_of("onnxruntime", NUMBERS, "no", "yes"), content) as run:
        found = answered(run, rows)
    with np.errstate(over="ignore"):
        labels, shares = onnxruntime.InferenceSession(content).run(None, {"x": np.array(rows).astype(np.float32)})
    same_bits(found, "probability", shares[:, 1])
    assert [each.label for each in found] == labels.tolist() and {"no", "yes"} <= set(labels)


# --- what goes wrong ----------------------------------------------------------------------------------------------


def test_a_process_that_dies_is_replaced(boosted: Any) -> None:
    with running(model_of("xgboost", MIXED, "0", "1"), bytes(boosted.save_raw("json"))) as run:
        found = answered(run, ROWS)
        pid = next(pid for pid in _children() if "library_worker" in _command(pid))
        os.kill(pid, signal.SIGKILL)
        assert run.predict(ROWS) in (found, NotAvailable("the process of xgboost ended: SIGKILL"))
        assert answered(run, ROWS) == found


def _children() -> list[int]:
    """The processes that any of our threads has started."""
    files = Path("/proc/self/task").glob("*/children")
    return [int(word) for file in files for word in file.read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")


def test_a_file_that_the_library_does_not_load_is_asked_about_once(boosted: Any) -> None:
    model = model_of("xgboost", (*MIXED, ModelFeature("d")), "0", "1")
    with running(model, bytes(boosted.save_raw("json"))) as run:
        found = run.predict([[*row, 0.0] for row in ROWS])
        expected = "xgboost does not load it: the library counts 3 features, and soid 4"
        assert found == NotAvailable(expected) and run.predict([[*ROWS[0], 0.0]]) is found
    with running(model_of("xgboost", MIXED, "0", "1"), b"{}") as run:
        found = run.predict(ROWS)
        assert isinstance(found, NotAvailable) and found.reason.startswith("xgboost does not load it: XGBoostError: ")
        assert run.predict(ROWS) is found


def test_no_library_no_jail_no_time(boosted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    content, model = bytes(boosted.save_raw("json")), model_of("xgboost", MIXED, "0", "1")
    with running(model, content, limits=LibraryLimits(start=0.01)) as run:
        assert run.predict(ROWS) == NotAvailable("xgboost was still running after 0.01 seconds")
    with running(model, content, limits=LibraryLimits(start=250.0, memory=100 << 20)) as run:
        found = run.predict(ROWS)
        assert isinstance(found, NotAvailable) and "xgboost" in found.reason
    with allowed(cancel=_cancelled()), running(model, content) as run, pytest.raises(CalledOff):
        run.predict(ROWS)
    monkeypatch.setattr(library_process, "layers", lambda: Layers(filter=True, landlock=0, world=False))
    with running(model, content) as run:
        assert run.predict(ROWS) == NotAvailable("this machine cannot confine it, and it may not run unconfined")
    with running(model, content, unconfined=True) as run:
        assert len(answered(run, ROWS)) == len(ROWS)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with running(model, content) as run:
        assert run.predict(ROWS) == NotAvailable("xgboost is not installed: pip install 'soid[xgboost]'")
    with running(model_of("onnxruntime", NUMBERS), content) as run:
        assert run.predict(ROWS) == NotAvailable("onnxruntime is not installed: pip install 'soid[onnx]'")


def _cancelled() -> Cancellation:
    cancel = Cancellation()
    cancel.cancel()
    return cancel

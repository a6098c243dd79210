"""XGBoost's files: every number and label has the bits that XGBoost gives, on rows at and beside all thresholds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xgboost as xgb

from soid.engine.learned import links
from soid.engine.learned.evaluation import Evaluated, ModelEvaluation
from soid.engine.learned.model import LearnedModel, ModelRefused
from soid.engine.learned.readers.xgboost_file import read, recognises
from soid.errors import ProgramError
from tests.learned_rows import Rows, accepted, rows_at_thresholds
from tests.xgboost_models import LABELS, MODELS, Predictor, as_ubjson, saved, table

COUNT = 5_000


def same_bits(found: Any, expected: Any) -> int:
    """How many numbers have the same bits; all NaNs count as one number."""
    one, other = np.asarray(found, np.float32), np.asarray(expected, np.float32)
    return int(((one.view(np.int32) == other.view(np.int32)) | (np.isnan(one) & np.isnan(other))).sum())


def columns(found: Evaluated, names: list[str]) -> Rows:
    return np.stack([found.numbers[name] for name in names], axis=1)


def assert_same(name: str, content: bytes, model: LearnedModel, rows: Rows) -> None:
    predictor, found = Predictor(content, model), ModelEvaluation(model).of(rows)
    sums = columns(found, [each.name for each in model.sums])
    assert same_bits(sums, predictor.sums(rows)) == sums.size, name
    assert model.label is None or (found.labels == predictor.labels(rows)).all(), name
    if not model.links:
        return
    if model.links[0].exact:
        linked = columns(found, [each.name for each in model.links])
        assert same_bits(linked, predictor.values(rows)) == linked.size, name
    elif dict(model.settings)["objective"] != "multi:softmax" or dict(model.settings)["estimator"] == "classifier":
        assert_enclosed(model, found, predictor.values(rows))


def assert_enclosed(model: LearnedModel, found: Evaluated, expected: Any) -> None:
    for column, link in enumerate(model.links):
        arguments = columns(found, list(link.arguments)).tolist()
        bounds = np.array([links.spread_of(link, row) for row in arguments])
        assert (bounds[:, 0] <= expected[:, column]).all()
        assert (expected[:, column] <= bounds[:, 1]).all()


@pytest.mark.parametrize("name", MODELS)
def test_the_bits_are_those_of_xgboost(name: str) -> None:
    content = saved(name)
    model = read(content)
    assert read(as_ubjson(content)) == model
    rows = rows_at_thresholds(model, COUNT, seed=11)
    rows = rows[accepted(model, rows)]
    assert len(rows) > COUNT / 4
    assert_same(name, content, model, rows)


@pytest.mark.parametrize("booster", ["gbtree", "dart", "gblinear"])
def test_a_model_without_a_round_of_boosting_is_refused(booster: str) -> None:
    """XGBoost 3 takes its base score for a sum, and not for a prediction: it was to be estimated in the first round."""
    data = xgb.DMatrix(np.zeros((4, 1), np.float32), np.array([0, 1, 1, 0]))
    model = xgb.train({"objective": "binary:logistic", "booster": booster, "nthread": 1}, data, 0)
    with pytest.raises(ModelRefused, match="before its first round"):
        read(bytes(model.save_raw("json")))


@pytest.mark.parametrize("name", ["booster", "classifier", "linear", "category sets"])
def test_what_is_rejected_is_what_xgboost_rejects(name: str) -> None:
    content = saved(name)
    model = read(content)
    predictor = Predictor(content, model)
    rows = rows_at_thresholds(model, COUNT, seed=12)
    rows = np.concatenate([rows[accepted(model, rows)][:100], rows[~accepted(model, rows)][:100]])
    rows = rows[~np.isinf(rows).any(axis=1) | ~accepted(model, rows) | (name == "classifier")]
    for row, fits in zip(rows, accepted(model, rows), strict=True):
        if fits:
            predictor.sums(row[None])
        else:
            with pytest.raises(xgb.core.XGBoostError, match="inf"):
                predictor.sums(row[None])
    assert name == "classifier" or not accepted(model, rows).all()


def test_every_way_to_give_the_same_rows_has_the_same_bits() -> None:
    content = saved("booster")
    model = read(content)
    rows = rows_at_thresholds(model, 2_000, seed=13)
    rows = rows[accepted(model, rows)]
    booster = xgb.Booster(model_file=bytearray(content))
    expected = columns(ModelEvaluation(model).of(rows), ["score"])[:, 0]
    frame = pd.DataFrame(rows)
    ways = {
        "DMatrix": booster.predict(xgb.DMatrix(rows), output_margin=True),
        "in place": booster.inplace_predict(rows, predict_type="margin"),
        "pandas": booster.predict(xgb.DMatrix(frame), output_margin=True, validate_features=False),
        "pandas in place": booster.inplace_predict(frame, predict_type="margin", validate_features=False),
        "by columns": booster.inplace_predict(np.asfortranarray(rows), predict_type="margin"),
        "float32": booster.inplace_predict(rows.astype(np.float32), predict_type="margin"),
        "one by one": [booster.inplace_predict(row[None], predict_type="margin")[0] for row in rows],
    }
    assert {way: same_bits(found, expected) for way, found in ways.items()} == dict.fromkeys(ways, len(rows))


def test_the_interface_of_a_table_is_in_its_file() -> None:
    model = read(saved("labels of categories"))
    assert [(each.name, each.kind) for each in model.features] == [
        ("income", "number"), ("age", "integer"), ("member", "flag"), ("home", "category"), ("region", "category"),
    ]  # fmt: skip
    assert model.features[3].categories == tuple((label, code) for code, label in enumerate(LABELS))
    assert [label for label, _ in model.features[4].categories] == ["40", "10", "20", "-3", "7", "99"]
    assert not model.features[3].takes_unseen
    assert model.label is not None
    assert model.label.classes == ("0", "1")
    assert [each.name for each in model.outputs] == ["score", "probability"]
    assert dict(model.settings) == {
        "objective": "binary:logistic",
        "estimator": "classifier",
        "input": "inplace_predict",
        "iteration_range": "0:15",
    }


def test_a_table_of_labels_is_predicted_by_their_codes() -> None:
    content = saved("labels of categories")
    model = read(content)
    given = table().sample(frac=1, random_state=1)
    given["home"] = given["home"].cat.reorder_categories(sorted(LABELS))  # other codes for the same labels
    codes = {feature.name: dict(feature.categories) for feature in model.features}
    rows = np.array(
        [
            [
                row.income, row.age, row.member,
                np.nan if pd.isna(row.home) else codes["home"][row.home],
                np.nan if pd.isna(row.region) else codes["region"][str(row.region)],
            ]
            for row in given.itertuples()
        ],
        float,
    )  # fmt: skip
    found = columns(ModelEvaluation(model).of(rows), ["score"])
    assert same_bits(found, Predictor(content, model).sums(given)) == len(rows)


def test_an_unseen_label_is_taken_for_the_next_one() -> None:
    """What the remark says of XGBoost: if this fails, a newer one is better, and the remark too strong."""
    content = saved("labels of categories")
    predictor = Predictor(content, read(content))
    row = table()[3:4]
    expected, found = row.copy(), row.copy()
    expected["home"] = pd.Categorical(["other"], ["other"])
    found["home"] = pd.Categorical(["nowhere"], ["nowhere"])
    assert same_bits(predictor.sums(found), predictor.sums(expected)) == 1
    found["home"] = pd.Categorical(["zoo"], ["zoo"])
    with pytest.raises(xgb.core.XGBoostError, match="not in the training set"):
        predictor.sums(found)


def test_labels_outside_of_ascii_are_known_by_their_codes() -> None:
    labels = ["Öl", "Gas", "éa", "b"]
    frame = pd.DataFrame({"heating": pd.Categorical.from_codes([0, 1, 2, 3] * 20, labels)})
    wrapper = xgb.XGBClassifier(n_estimators=2, enable_categorical=True).fit(frame, [0, 1, 0, 1] * 20)
    model = read(bytes(wrapper.get_booster().save_raw("json")))
    assert model.features[0].categories == (("0", 0), ("1", 1), ("2", 2), ("3", 3))
    assert "outside of ASCII" in model.remarks[0]


def test_training_that_stopped_early_counts_for_the_wrapper_only() -> None:
    wrapper, booster = read(saved("classifier stopped early")), read(saved("booster stopped early"))
    assert dict(wrapper.settings)["iteration_range"] != dict(booster.settings)["iteration_range"]
    assert "Booster.predict would use all iterations" in wrapper.remarks[0]
    assert "Booster.predict uses all iterations" in booster.remarks[0]


def changed(name: str, change: Any) -> bytes:
    document = json.loads(saved(name))
    change(document["learner"])
    return json.dumps(document).encode()


def set_base(text: str) -> Any:
    return lambda learner: learner["learner_model_param"].update(base_score=text)


@pytest.mark.parametrize(
    "text", ["5E-1", "0.3", "[0E0]", "[1E0]", "[1e-40]", "[9.9999994E-1]", "1e-3", "[0.123456789]"]
)
@pytest.mark.parametrize("name", ["classifier", "reg:gamma", "softprob"])
def test_base_scores_of_old_and_new_files(name: str, text: str) -> None:
    if name == "reg:gamma" and text == "[0E0]":
        return
    content = changed(name, set_base(text))
    model = read(content)
    rows = rows_at_thresholds(model, 50, seed=1)
    assert_same(text, content, model, rows[accepted(model, rows)])


def old(learner: dict[str, Any]) -> None:
    """Without what came after 1.5."""
    model = learner["gradient_booster"]["model"]
    del model["iteration_indptr"], model["cats"], learner["learner_model_param"]["num_target"]
    learner["learner_model_param"]["base_score"] = "4E-1"
    for tree in model["trees"]:
        tree["default_left"] = [bool(each) for each in tree["default_left"]]
        tree["tree_param"]["size_leaf_vector"] = "0"


@pytest.mark.parametrize("name", ["classifier", "boosted forests", "classifier stopped early"])
def test_an_old_file(name: str) -> None:
    content = changed(name, old)
    model = read(content)
    rows = rows_at_thresholds(model, 500, seed=2)
    assert_same(name, content, model, rows[accepted(model, rows)])


def test_classes_that_an_old_wrapper_has_saved() -> None:
    wrapper = {"_estimator_type": "classifier", "missing": float("nan"), "_le": {"classes_": ["no", "yes"]}}
    content = changed("classifier", lambda learner: learner["attributes"].update(scikit_learn=json.dumps(wrapper)))
    label = read(content).label
    assert label is not None
    assert label.classes == ("no", "yes")


def replaced(**fields: Any) -> Any:
    return lambda learner: learner.update(fields)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (replaced(objective={"name": "reg:mine"}), "reg:mine"),
        (replaced(attributes={"scikit_learn": '{"type": "Other"}'}), "wrapper"),
        (replaced(attributes={"scikit_learn": '{"_estimator_type": "classifier", "missing": -999.0}'}), "-999.0"),
        (lambda learner: learner["learner_model_param"].update(num_feature="999999999"), "999999999 features"),
        (lambda learner: learner["learner_model_param"].update(num_target="5000"), "5000 outputs"),
        (lambda learner: learner["learner_model_param"].update(num_target="3", num_class="3"), "several targets"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(change: Any, named: str) -> None:
    with pytest.raises(ModelRefused, match=named):
        read(changed("classifier", change))


def test_other_things_of_xgboost_are_refused_by_name() -> None:
    booster = xgb.Booster(model_file=bytearray(saved("booster")))
    dump = ("[" + ",".join(booster.get_dump(dump_format="json")) + "]").encode()
    for content, named in ((dump, "dump"), (b"binf\0\0\0\0", "binary")):
        assert recognises(content[:4096])
        with pytest.raises(ModelRefused, match=named):
            read(content)
    for version in ([1, 4, 2], [4, 0, 0]):
        document = json.loads(saved("booster"))
        document["version"] = version
        with pytest.raises(ModelRefused, match="is not read"):
            read(json.dumps(document).encode())
    linear = changed("linear", replaced(feature_types=["c", "q", "q", "q", "q"]))
    with pytest.raises(ModelRefused, match="gblinear with categories"):
        read(linear)


def test_recognition() -> None:
    content = saved("booster")
    assert recognises(content[:4096])
    assert recognises(json.dumps(json.loads(content), indent=2).encode()[:4096])
    assert recognises(as_ubjson(content)[:4096])
    for other in (b"", b"{}", b"tree\nversion=v4\n", b'{"oblivious_trees":[]}', b"PK\x03\x04", b"\x80\x04"):
        assert not recognises(other)


def first_tree(**fields: Any) -> Any:
    return lambda learner: learner["gradient_booster"]["model"]["trees"][0].update(fields)


def test_leaves_that_may_overflow_are_refused() -> None:
    tree = json.loads(saved("classifier"))["learner"]["gradient_booster"]["model"]["trees"][0]
    values = [
        3e38 if left == -1 else value
        for left, value in zip(tree["left_children"], tree["split_conditions"], strict=True)
    ]

    def change(learner: dict[str, Any]) -> None:
        for each in learner["gradient_booster"]["model"]["trees"][:1]:
            each["split_conditions"] = values
        learner["learner_model_param"]["base_score"] = "0.5"

    read(changed("classifier", change))

    def twice(learner: dict[str, Any]) -> None:
        trees = learner["gradient_booster"]["model"]["trees"]
        trees[0]["split_conditions"] = values
        trees[1] = trees[0]

    with pytest.raises(ModelRefused, match="overflow"):
        read(changed("classifier", twice))


@pytest.mark.parametrize("threshold", [float("inf"), float("-inf"), 3.4028235e38, 0.0, -0.0, 1e-45, 1e-46])
def test_thresholds_at_the_ends_of_floats(threshold: float) -> None:
    tree = json.loads(saved("classifier"))["learner"]["gradient_booster"]["model"]["trees"][0]
    content = changed("classifier", first_tree(split_conditions=[threshold, *tree["split_conditions"][1:]]))
    model = read(content)
    rows = rows_at_thresholds(model, 500, seed=3)
    assert_same(str(threshold), content, model, rows)


def test_broken_trees() -> None:
    tree = json.loads(saved("classifier"))["learner"]["gradient_booster"]["model"]["trees"][0]
    count = len(tree["left_children"])
    for change, named in [
        (first_tree(left_children=[0] * count), "two parents"),
        (first_tree(left_children=[10**6] * count), "out of range"),
        (first_tree(split_indices=[5] * count), "feature 5"),
        (first_tree(split_conditions=[float("nan")] * count), "not a number"),
        (first_tree(split_conditions=[float("inf")] * count), "inf"),
        (first_tree(split_conditions=[16777217.0] * count), "halfway"),
        (first_tree(split_type=[1] * count), "has none"),
        (first_tree(default_left=[]), "default_left"),
        (first_tree(tree_param={"num_nodes": "1000000000"}), "1000000000"),
        (replaced(feature_names=["a"] * 5), "differ"),
        (replaced(feature_names=["a", "b", "c", "d", "\ud800"]), "texts"),
        (replaced(feature_types=["c"] * 5), "both as a number and as a category"),
        (set_base("[1,2]"), "base scores"),
        (set_base("x"), "base score"),
        (set_base("-1"), "no probability"),
        (set_base("nan"), "nan"),
        (replaced(attributes={"best_iteration": "99", "scikit_learn": '{"_estimator_type": "classifier"}'}), "99|100"),
    ]:
        with pytest.raises(ProgramError, match=named):
            read(changed("classifier", change))


@pytest.mark.soak
@pytest.mark.parametrize("name", MODELS)
def test_a_million_rows(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = saved(name)
    model, total = read(content), 0
    for seed in range(100, 400):
        rows = rows_at_thresholds(model, 20_000, seed)
        rows = rows[accepted(model, rows)]
        assert_same(name, content, model, rows)
        total += len(rows)
        if total >= 1_000_000:
            break
    with capsys.disabled():
        print(f"\n{name:32} {total:9} rows: {len(model.sums)} sums, {len(model.links)} links, label: all bits the same")  # noqa: T201

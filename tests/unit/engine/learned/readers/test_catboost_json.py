from __future__ import annotations

import json
import math
import random
from functools import cache
from pathlib import Path
from typing import Any, Final

import catboost
import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

from soid.engine.learned.evaluation import Evaluated, ModelEvaluation, known_codes
from soid.engine.learned.links import spread_of
from soid.engine.learned.model import Above, LearnedModel, Link, ModelRefused
from soid.engine.learned.readers.catboost_json import read, recognises
from soid.errors import ProgramError
from tests.learned_rows import accepted, rows_at_thresholds

Floats = NDArray[np.float64]

#: by family: parameters, what is learned, and how the table is made
FAMILIES: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "Logloss": ({}, "flag", "plain"),
    "Logloss, 400 trees": ({"iterations": 400, "depth": 3}, "flag", "plain"),
    "Logloss, depth 10": ({"depth": 10, "iterations": 5}, "flag", "plain"),
    "Logloss, threshold 0.37": ({"threshold": 0.37}, "flag", "missing"),
    "one-hot categories": ({"one_hot_max_size": 50}, "flag", "categories"),
    "Depthwise, categories": ({"one_hot_max_size": 50, "grow_policy": "Depthwise"}, "flag", "categories"),
    "Lossguide": ({"grow_policy": "Lossguide", "max_leaves": 20}, "number", "missing"),
    "missing Min": ({"nan_mode": "Min"}, "number", "missing"),
    "missing Max": ({"nan_mode": "Max"}, "number", "missing"),
    "Lossguide, missing Max": ({"nan_mode": "Max", "grow_policy": "Lossguide"}, "flag", "missing"),
    "missing Forbidden": ({"nan_mode": "Forbidden"}, "number", "plain"),
    "RMSE, 600 borders": ({"border_count": 600, "depth": 4}, "number", "plain"),
    "RMSE, scaled": ({"scale": (0.7, [0.3])}, "number", "missing"),
    "MultiClass": ({"loss_function": "MultiClass", "one_hot_max_size": 50}, "class", "categories"),
    "MultiClass, Depthwise": ({"loss_function": "MultiClass", "grow_policy": "Depthwise"}, "class", "missing"),
    "MultiClassOneVsAll": ({"loss_function": "MultiClassOneVsAll"}, "class", "missing"),
    "CrossEntropy": ({"loss_function": "CrossEntropy"}, "share", "plain"),
    "Poisson": ({"loss_function": "Poisson"}, "positive", "plain"),
    "Tweedie": ({"loss_function": "Tweedie:variance_power=1.5"}, "positive", "missing"),
    "Quantile": ({"loss_function": "Quantile:alpha=0.3"}, "number", "plain"),
    "MultiQuantile": ({"loss_function": "MultiQuantile:alpha=0.1,0.9"}, "number", "plain"),
    "YetiRank": ({"loss_function": "YetiRank"}, "grade", "plain"),
    "Ordered boosting": ({"boosting_type": "Ordered"}, "flag", "missing"),
}  # fmt: skip


def table(kind: str, count: int = 600) -> tuple[pandas.DataFrame, Floats]:
    """Features, and a number that depends on them."""
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(count, 3))
    if kind == "missing":
        rows[draw.random(rows.shape) < 0.15] = np.nan
    known = np.nan_to_num(rows, nan=0.7)
    number = known[:, 0] + np.sin(3 * known[:, 1]) * known[:, 2]
    data = pandas.DataFrame(rows, columns=["a", "b", "c"])
    if kind == "categories":
        data.insert(
            1, "town", draw.choice(["Rome", "Oslo", "Zürich", "a rather long name of a town, all in all"], count)
        )
        data["floor"] = draw.integers(0, 12, count)
        number = number + (data["town"] == "Oslo") * 1.5 - (data["floor"] == 3) + (data["floor"] == 7)
    return data, np.asarray(number, np.float64)


def pool_of(data: pandas.DataFrame, labels: Any = None, **options: Any) -> Any:
    return catboost.Pool(data, labels, cat_features=[name for name in ("town", "floor") if name in data], **options)


@cache
def trained(family: str) -> tuple[Any, bytes, Any]:
    """The model as it is loaded from its file, the file, and the model as it was trained."""
    options, target, kind = FAMILIES[family]
    data, number = table(kind)
    labels = {
        "flag": np.where(number > 0.5, "yes", "no"),
        "number": number,
        "class": np.digitize(number, [0.0, 1.0]) + 3,
        "positive": np.abs(number) + 0.1,
        "share": 1 / (1 + np.exp(-number)),
        "grade": np.digitize(number, [0.0, 1.0]),
    }[target]
    plain = {key: value for key, value in options.items() if key not in ("scale", "threshold")}
    basic = {"iterations": 25, "depth": 4, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    groups = {"group_id": np.arange(len(data)) // 20} if target == "grade" else {}
    if target in ("flag", "class", "share"):
        model: Any = catboost.CatBoostClassifier(**basic | plain)
    elif target == "grade":
        model = catboost.CatBoost(basic | plain)
    else:
        model = catboost.CatBoostRegressor(**basic | plain)
    pool = pool_of(data, labels, **groups)
    model.fit(pool)
    if "scale" in options:
        model.set_scale_and_bias(*options["scale"])
    if "threshold" in options:
        model.set_probability_threshold(options["threshold"])
    content = saved(model, pool)
    return loaded(content, type(model)), content, model


def saved(model: Any, pool: Any = None) -> bytes:
    path = Path(PLACE[0]) / "model.json"
    model.save_model(str(path), format="json", pool=pool)
    return path.read_bytes()


def loaded(content: bytes, kind: Any = catboost.CatBoost) -> Any:
    path = Path(PLACE[0]) / "loaded.json"
    path.write_bytes(content)
    return kind().load_model(str(path), format="json")


PLACE: Final[list[str]] = []


@pytest.fixture(autouse=True, scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> None:
    PLACE[:] = [str(tmp_path_factory.mktemp("models"))]


def as_given(model: LearnedModel, rows: Floats) -> pandas.DataFrame:
    """Rows as an application gives them: with texts of categories."""
    columns: dict[str, Any] = {}
    for place, feature in enumerate(model.features):
        column: Any = rows[:, place]
        if feature.kind == "category":
            texts = {code: label for label, code in feature.categories}
            column = [texts.get(int(code), "elsewhere") for code in known_codes(feature, column)]
        columns[feature.name] = column
    return pandas.DataFrame(columns)


def of_library(library: Any, model: LearnedModel, rows: Floats) -> dict[str, Floats]:
    """What the library gives, by the names of outputs."""
    given = pool_of(as_given(model, rows))
    raw = np.asarray(library.predict(given, prediction_type="RawFormulaVal")).reshape(len(rows), -1)
    names = [output.name for output in model.outputs]
    if len(names) == raw.shape[1]:
        return {name: raw[:, place] for place, name in enumerate(names)}
    kind = "Exponent" if model.label is None else "Probability"
    result = np.asarray(library.predict(given, prediction_type=kind)).reshape(len(rows), -1)
    result = result[:, 1:] if raw.shape[1] == 1 and result.shape[1] == 2 else result
    columns = np.concatenate([raw, result], axis=1)
    return {name: columns[:, place] for place, name in enumerate(names)}


def same_bits(family: str, count: int, seed: int) -> int:
    """How many rows have the library's bits in all that is exact; what is not exact must lie in its spread."""
    library, content, _ = trained(family)
    model = read(content)
    rows = rows_at_thresholds(model, count, seed)
    rows = np.where(accepted(model, rows)[:, None], rows, UNSEEN_ROW)
    found, expected = ModelEvaluation(model).of(rows), of_library(library, model, rows)
    same = np.ones(count, bool)
    for output in model.outputs:
        given = np.ascontiguousarray(expected[output.name])
        link = next((each for each in model.links if each.name == output.number), None)
        if link is None or link.exact:
            same &= found.numbers[output.number].view(np.int64) == given.view(np.int64)
        else:
            same &= inside(link, found, given)
    if model.label is not None:
        chosen = np.asarray(library.predict(pool_of(as_given(model, rows)), prediction_type="Class")).ravel()
        same &= np.array(model.label.classes)[found.labels] == chosen.astype(str)
    return int(same.sum())


#: numbers and codes that every model takes
UNSEEN_ROW: Final = 12345.0


def inside(link: Link, found: Evaluated, given: Floats) -> Any:
    arguments = zip(*(found.numbers[name].tolist() for name in link.arguments), strict=True)
    spreads = np.array([spread_of(link, each) for each in arguments])
    return (spreads[:, 0] <= given) & (given <= spreads[:, 1])


@pytest.mark.parametrize("family", FAMILIES)
def test_all_outputs_have_the_bits_of_the_library(family: str) -> None:
    assert same_bits(family, 4000, 1) == 4000


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
def test_a_million_rows(family: str) -> None:
    parts = 5 if "00 trees" in family else 20  # a quarter of them where it takes minutes
    same = sum(same_bits(family, 50_000, seed) for seed in range(parts))
    print(f"\ncatboost {family:28} {50_000 * parts:9,} rows, same bits {same:9,}")  # noqa: T201
    assert same == 50_000 * parts


@pytest.mark.parametrize("family", ["Logloss, 400 trees", "MultiClass", "Lossguide, missing Max"])
def test_one_row_has_the_bits_of_a_batch(family: str) -> None:
    library, content, _ = trained(family)
    model = read(content)
    rows = rows_at_thresholds(model, 300, 3)
    rows = rows[accepted(model, rows)][:40]
    given = as_given(model, rows)
    one_by_one = [
        library.predict(pool_of(given[at : at + 1]), prediction_type="RawFormulaVal") for at in range(len(rows))
    ]
    batch = library.predict(pool_of(given), prediction_type="RawFormulaVal")
    assert np.array(one_by_one).ravel().tolist() == np.asarray(batch).ravel().tolist()
    assert (
        np.array([ModelEvaluation(model).of(rows).numbers[each.name] for each in model.sums]).T.ravel().tolist()
        == np.array(one_by_one).ravel().tolist()
    )


def test_an_array_and_a_list_are_read_as_a_table_is() -> None:
    library, content, _ = trained("missing Min")
    rows = rows_at_thresholds(read(content), 500, 5)
    with np.errstate(over="ignore"):  # 1e39 becomes an infinity, of which numpy warns
        expected = library.predict(pandas.DataFrame(rows, columns=["a", "b", "c"])).tolist()
        assert library.predict(rows).tolist() == expected
        assert library.predict(rows.tolist()).tolist() == expected


def test_the_model_that_was_saved_has_other_bits_than_its_file() -> None:
    library, content, model = trained("Logloss, 400 trees")
    data = table("plain")[0]
    differences = np.abs(
        library.predict(data, prediction_type="RawFormulaVal") - model.predict(data, prediction_type="RawFormulaVal")
    )
    assert 0 < differences.max() < 1e-12
    assert "last bits" in read(content).remarks[0]


def test_names_kinds_and_categories_are_those_of_the_file() -> None:
    model = read(trained("one-hot categories")[1])
    assert [(each.name, each.kind, each.takes_missing) for each in model.features] == [
        ("a", "number", True), ("town", "category", False), ("b", "number", True), ("c", "number", True),
        ("floor", "category", False),
    ]  # fmt: skip
    assert {label for label, _ in model.features[1].categories} <= {
        "Rome", "Oslo", "Zürich", "a rather long name of a town, all in all",
    }  # fmt: skip
    assert {label for label, _ in model.features[4].categories} >= {"3", "7"}
    assert model.label is not None and model.label.classes == ("no", "yes")
    assert model.version == catboost.__version__
    assert len(model.remarks) == 2 and "count as unseen" in model.remarks[1]


def test_a_missing_category_is_rejected_by_the_library() -> None:
    library, content, _ = trained("one-hot categories")
    given = as_given(read(content), np.full((1, 5), UNSEEN_ROW))
    given["town"] = [math.nan]
    with pytest.raises(catboost.CatBoostError, match="NaN"):
        library.predict(pool_of(given))


def test_without_a_pool_categories_are_hashes() -> None:
    model = read(saved(trained("one-hot categories")[2]))
    labels = [label for label, _ in model.features[1].categories]
    assert model.features[1].written == ""  # a text of the log has a hash too
    assert read(trained("one-hot categories")[1]).features[1].written == "text"
    assert labels and all(label.startswith("#") for label in labels)
    assert "only hashes" in model.remarks[2]


def test_the_threshold_of_probability_is_one_of_the_score() -> None:
    """At the very bound, and beside it: the file's leaves are set there."""
    content = trained("Logloss, threshold 0.37")[1]
    rule = read(content).label.rule  # type: ignore[union-attr]
    assert isinstance(rule, Above) and not rule.inclusive
    document = json.loads(content)
    document["scale_and_bias"] = [1, [0]]
    document["oblivious_trees"] = document["oblivious_trees"][:1]
    place = table("missing")[0].to_numpy()
    for step in range(-8, 9):
        value = rule.bound + step * math.ulp(rule.bound)
        leaves = document["oblivious_trees"][0]["leaf_values"]
        document["oblivious_trees"][0]["leaf_values"] = [value] * len(leaves)
        changed = json.dumps(document).encode()
        labels = loaded(changed, catboost.CatBoostClassifier).predict(place[:1])
        assert labels.tolist() == [
            ("no", "yes")[index] for index in ModelEvaluation(read(changed)).of(place[:1]).labels
        ]


@pytest.mark.parametrize("labels", [[2, 7], [False, True], [0.5, 2.0], ["b", "a"]])
def test_classes_are_named_as_the_library_names_them(labels: list[Any]) -> None:
    data, number = table("plain", 100)
    model = catboost.CatBoostClassifier(iterations=3, depth=2, verbose=0, allow_writing_files=False)
    model.fit(data, np.array(labels)[(number > 0).astype(int)])
    found = read(saved(model))
    assert found.label is not None and found.label.classes == tuple(str(each) for each in sorted(labels))
    chosen = np.array(found.label.classes)[ModelEvaluation(found).of(data.to_numpy()).labels]
    assert chosen.tolist() == [str(each) for each in model.predict(data)]


def test_a_sum_of_models_is_read() -> None:
    model = trained("missing Min")[2]
    total = catboost.sum_models([model, model], weights=[0.3, 0.7])
    content = saved(total)
    rows = table("missing")[0].to_numpy()
    expected = loaded(content).predict(rows)
    assert ModelEvaluation(read(content)).of(rows).numbers["value"].tolist() == expected.tolist()


def test_the_error_of_an_exponential_stays_within_its_spread() -> None:
    """At arguments of every size: one tree's leaves are set to them."""
    document = json.loads(trained("Poisson")[1])
    draw = np.random.default_rng(2)
    splits = [
        {"border": float(number), "float_feature_index": 0, "split_index": number, "split_type": "FloatFeature"}
        for number in range(10)
    ]
    document["features_info"]["float_features"][0] |= {"borders": [float(number) for number in range(10)]}
    for other in document["features_info"]["float_features"][1:]:
        other["borders"] = []
    values = [0.0, -745.2, -708.5, 709.5, 1e-300, 710.0, *draw.uniform(-740, 709, 600), *draw.normal(0, 5, 418)]
    document["scale_and_bias"] = [1, [0]]
    rows = np.zeros((11, 3))
    rows[:, 0] = np.arange(11) - 0.5
    for start in range(0, 1024, 11):
        leaves = np.zeros(1024)
        leaves[[(1 << count) - 1 for count in range(11)]] = (values + [0.0] * 11)[start : start + 11]
        tree = {"leaf_values": leaves.tolist(), "leaf_weights": [1] * 1024, "splits": splits}
        changed = json.dumps(document | {"oblivious_trees": [tree]}).encode()
        model = read(changed)
        found = ModelEvaluation(model).of(rows)
        given = loaded(changed).predict(rows, prediction_type="Exponent")
        assert inside(model.links[0], found, given).all()


def refused(content: bytes) -> str:
    with pytest.raises(ModelRefused) as error:
        read(content)
    return str(error.value)


def test_what_is_not_modelled_is_refused_by_name() -> None:
    data, number = table("categories", 200)
    basic: Any = {"iterations": 3, "depth": 2, "verbose": 0, "allow_writing_files": False}
    statistics = catboost.CatBoostRegressor(one_hot_max_size=2, **basic).fit(pool_of(data, number))
    assert "CTR" in refused(saved(statistics))
    plain = table("plain", 200)[0]
    uncertain = catboost.CatBoostRegressor(loss_function="RMSEWithUncertainty", **basic).fit(plain, number)
    assert "RMSEWithUncertainty" in refused(saved(uncertain))
    both = np.stack([number > 0, number > 1], axis=1).astype(int)
    several = catboost.CatBoostClassifier(loss_function="MultiLogloss", **basic).fit(plain, both)
    assert "MultiLogloss" in refused(saved(several))
    gaps = catboost.CatBoostClassifier(loss_function="MultiClass", classes_count=5, **basic)
    assert "classes that it has no scores for" in refused(saved(gaps.fit(plain, np.digitize(number, [0.0, 1.0]))))
    scaled = trained("RMSE, scaled")[1]
    assert "scales its score" in refused(scaled.replace(b"0.69999999999999996", b"-0.69999999999999996"))


def test_the_file_is_recognised_by_its_first_keys() -> None:
    assert recognises(trained("Logloss")[1][:4096])
    assert not recognises(b'{"learner": {}}') and not recognises(b"tree\nversion=v4")


def changed(change: Any, family: str = "Logloss") -> bytes:
    document = json.loads(trained(family)[1])
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it.pop("scale_and_bias"), "scale_and_bias is missing"),
        (lambda it: it.update(scale_and_bias=[1, [0, 0]]), "2 scores do not fit"),
        (lambda it: it.update(oblivious_trees=[]), "no trees"),
        (lambda it: it.update(trees=[]), "both symmetric and other"),
        (lambda it: it["oblivious_trees"][0]["leaf_values"].pop(), "leaf values"),
        (lambda it: it["oblivious_trees"][0]["splits"][0].update(split_index=10**9), "out of range"),
        (lambda it: it["oblivious_trees"][0]["splits"][0].update(border=77.0), "does not agree"),
        (lambda it: it["oblivious_trees"][0]["splits"].extend([{}] * 40), "split_type is missing"),
        (lambda it: it["oblivious_trees"][0]["leaf_values"].__setitem__(0, None), "not a number"),
        (lambda it: it["features_info"]["float_features"][0].update(flat_feature_index=10**9), "no feature"),
        (lambda it: it["features_info"]["float_features"][0]["borders"].reverse(), "borders do not rise"),
        (lambda it: it["features_info"]["float_features"][0].update(feature_id="\ud800"), "not a text"),
        (lambda it: it["model_info"].pop("params"), "loss_function is missing|type is missing"),
        (lambda it: it["model_info"]["class_params"].update(class_names=["a", "a"]), "2 different classes"),
    ],
)
def test_a_broken_file_is_told_by_what_is_wrong(change: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        read(changed(change))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' * 100_000, "not JSON"),
        (b'{"features_info": {"float_features": [NaN]}}', "NaN"),
        (b'{"features_info": {"float_features": [1e999]}}', "too large"),
        (b'{"features_info": 1, "features_info": 1}', "twice"),
        (b'{"features_info": []}', "not a record"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "features_info is missing"),
    ],
)
def test_what_is_no_model_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        read(content)


def test_a_chain_of_nodes_as_deep_as_json_allows_is_read() -> None:
    document = json.loads(trained("Lossguide")[1])
    split = document["trees"][0]["split"]
    tree: dict[str, Any] = {"value": 1.0}
    for _ in range(300):
        tree = {"split": split, "left": {"value": 2.0}, "right": tree}
    content = json.dumps(document | {"trees": [tree], "scale_and_bias": [1, [0]]}).encode()
    assert ModelEvaluation(read(content)).of(np.zeros((1, 3))).numbers["value"].tolist() in ([1.0], [2.0])


def mutated(content: bytes, count: int, seed: int) -> None:
    """Every mutant is read, or refused with a ProgramError."""
    choose = random.Random(seed)
    found = 0
    for _ in range(count):
        mutant = bytearray(content)
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(len(mutant))
            match choose.randrange(5):
                case 0:
                    del mutant[at:]
                case 1:
                    mutant[at] = choose.randrange(32, 127)
                case 2:
                    del mutant[at : at + choose.randint(1, 40)]
                case 3:
                    pieces = [b"9", b"-", b"null,", b"[", b"{", b"1e400", b'"', b"\\ud800", b"true,", b"0.5,", b"[],"]
                    mutant[at:at] = choose.choice(pieces)
                case 4:
                    mutant[at : at + 1] = choose.choice([b"1", b"0", b"-7", b"4294967296"])
            mutant = mutant or bytearray(b"{")
        try:
            read(bytes(mutant))
        except ProgramError:
            found += 1
    assert found > count // 4


def replaced(content: bytes, count: int, seed: int) -> None:
    """The same for files that are JSON, but have something else in some place."""
    choose = random.Random(seed)
    others: list[Any] = [None, True, -1, 10**30, 1.5, "", "x", [], {}, [[]], 2**40, -(2**31), {"type": []}]
    found = 0
    for _ in range(count):
        document = json.loads(content)
        at: Any = document
        while isinstance(at, dict | list) and at:
            key = choose.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if not isinstance(at[key], dict | list) or not at[key] or choose.random() < 0.15:
                at[key] = choose.choice(others)
                break
            at = at[key]
        try:
            read(json.dumps(document).encode())
        except ProgramError:
            found += 1
    assert found > count // 10


@cache
def small(family: str) -> bytes:
    """A file that is as short as it can be and has everything in it."""
    document = json.loads(trained(family)[1])
    for key in ("params", "output_options", "training"):
        info = document["model_info"]
        info[key] = {"loss_function": info[key]["loss_function"]} if key == "params" else ""
    for key in ("oblivious_trees", "trees"):
        if key in document:
            document[key] = document[key][:2]
    return json.dumps(document).encode()


def test_mutated_files_are_refused_or_read() -> None:
    for seed, family in enumerate(("one-hot categories", "Lossguide", "MultiClass")):
        mutated(small(family), 50, seed)
        replaced(small(family), 50, seed)


@pytest.mark.fuzz
def test_ten_thousand_mutated_files() -> None:
    for seed, family in enumerate(
        ("one-hot categories", "Depthwise, categories", "Lossguide", "MultiClass", "Poisson")
    ):
        mutated(small(family), 1000, 100 + seed)
        replaced(small(family), 1000, 100 + seed)

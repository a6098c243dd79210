from __future__ import annotations

import random
import re
from functools import cache
from typing import Any, Final

import lightgbm
import numpy as np
import pandas
import pytest
from numpy.typing import NDArray

from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.model import Above, Greatest, LearnedModel, ModelRefused
from soid.engine.learned.readers.lightgbm_text import read, recognises
from soid.errors import ProgramError
from tests.learned_rows import accepted, rows_at_thresholds

Floats = NDArray[np.float64]

#: by family: parameters, what is learned, and how the table is made
FAMILIES: Final[dict[str, tuple[dict[str, Any], str, str]]] = {
    "binary": ({"objective": "binary"}, "flag", "plain"),
    "binary, 300 trees": ({"objective": "binary", "rounds": 300}, "flag", "plain"),
    "binary, sigmoid 1.00544": ({"objective": "binary", "sigmoid": 1.00544}, "flag", "missing"),
    "binary, missing NaN": ({"objective": "binary"}, "flag", "missing"),
    "binary, what is missing decides": ({"objective": "binary"}, "flag", "telling"),
    "binary, what is missing decides, extra trees": ({"objective": "binary", "extra_trees": True}, "flag", "telling"),
    "binary, missing Zero": ({"objective": "binary", "zero_as_missing": True}, "flag", "zeros"),
    "binary, missing None": ({"objective": "binary", "use_missing": False}, "flag", "missing"),
    "binary, categories": ({"objective": "binary"}, "flag", "categories"),
    "categories, missing Zero": ({"objective": "regression", "zero_as_missing": True}, "number", "categories"),
    "one-hot categories": ({"objective": "regression", "max_cat_to_onehot": 50}, "number", "categories"),
    "multiclass": ({"objective": "multiclass", "num_class": 3}, "class", "categories"),
    "multiclassova": ({"objective": "multiclassova", "num_class": 3, "sigmoid": 1.7}, "class", "missing"),
    "dart": ({"objective": "binary", "boosting": "dart", "drop_rate": 0.5}, "flag", "missing"),
    "goss": ({"objective": "binary", "data_sample_strategy": "goss"}, "flag", "missing"),
    "random forest": (
        {"objective": "binary", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}, "flag", "zeros",
    ),
    "random forest, numbers": (
        {"objective": "regression", "boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}, "number", "missing",
    ),
    "regression": ({"objective": "regression"}, "number", "missing"),
    "regression, sqrt": ({"objective": "regression", "reg_sqrt": True}, "number", "missing"),
    "regression_l1": ({"objective": "regression_l1"}, "number", "plain"),
    "quantile, sqrt": ({"objective": "quantile", "alpha": 0.3, "reg_sqrt": True}, "number", "plain"),
    "huber": ({"objective": "huber", "reg_sqrt": True}, "number", "plain"),
    "fair": ({"objective": "fair"}, "number", "plain"),
    "mape": ({"objective": "mape"}, "number", "plain"),
    "poisson": ({"objective": "poisson"}, "positive", "plain"),
    "gamma": ({"objective": "gamma"}, "positive", "plain"),
    "tweedie": ({"objective": "tweedie"}, "positive", "plain"),
    "cross_entropy": ({"objective": "cross_entropy"}, "share", "missing"),
    "cross_entropy_lambda": ({"objective": "cross_entropy_lambda"}, "share", "missing"),
    "lambdarank": ({"objective": "lambdarank"}, "flag", "plain"),
    "extra trees, monotone": (
        {"objective": "regression", "extra_trees": True, "monotone_constraints": [1, 0, 0, 0]}, "number", "zeros",
    ),
}  # fmt: skip


def table(kind: str, count: int = 600) -> tuple[Floats, Floats]:
    """Features, and a number that depends on them."""
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(count, 4))
    rows[:, 3] = draw.integers(0, 40 if kind == "categories" else 4, count)
    if kind == "zeros":
        rows[:, :3] = np.where(draw.random((count, 3)) < 0.3, 0.0, rows[:, :3])
    if kind in ("missing", "categories"):
        rows[draw.random(rows.shape) < 0.1] = np.nan
    if kind == "telling":
        rows[draw.random(rows.shape) < 0.4] = np.nan
        return rows, np.isnan(rows[:, 0]) + 0.3 * np.isnan(rows[:, 1]) + 0.1 * np.nan_to_num(rows[:, 2])
    known = np.nan_to_num(rows, nan=0.7)
    return rows, known[:, 0] + np.sin(3 * known[:, 1]) * known[:, 2] + np.isin(known[:, 3], [0, 3, 5, 17, 33]) * 1.5


@cache
def trained(family: str) -> lightgbm.Booster:
    options, target, kind = FAMILIES[family]
    rows, number = table(kind)
    labels = {
        "flag": number > 0.5,
        "number": number,
        "class": np.digitize(number, [0.0, 1.0]),
        "positive": np.abs(number) + 0.1,
        "share": 1 / (1 + np.exp(-number)),
    }[target]
    parameters = {"num_leaves": 8, "min_data_in_leaf": 5, "min_data_per_group": 5, "verbose": -1, "num_threads": 1}
    rounds = options.get("rounds", 25)
    data = lightgbm.Dataset(
        rows,
        labels,
        group=[20] * (len(rows) // 20) if target == "flag" and "rank" in options["objective"] else None,
        categorical_feature=[3] if kind == "categories" else "auto",
    )
    return lightgbm.train(parameters | {k: v for k, v in options.items() if k != "rounds"}, data, rounds)


def text_of(booster: lightgbm.Booster) -> bytes:
    return str(booster.model_to_string()).encode()


def predicted(booster: lightgbm.Booster, rows: Any, *, raw: bool = False) -> Floats:
    return np.asarray(booster.predict(rows, raw_score=raw), np.float64)


def of_library(booster: lightgbm.Booster, model: LearnedModel, rows: Floats) -> dict[str, Floats]:
    """What the library gives, by the names of outputs."""
    raw, result = predicted(booster, rows, raw=True), predicted(booster, rows)
    if any("average" in remark for remark in model.remarks):
        raw = raw / booster.num_trees()
    names = [output.name for output in model.outputs]
    found = [raw] if len(names) == raw.size // len(rows) else [raw, result]
    columns = np.concatenate([each.reshape(len(rows), -1) for each in found], axis=1)
    return {name: columns[:, place] for place, name in enumerate(names)}


def same_bits(family: str, count: int, seed: int) -> int:
    booster = trained(family)
    model = read(text_of(booster))
    rows = rows_at_thresholds(model, count, seed)
    assert accepted(model, rows).all()
    found = ModelEvaluation(model).of(rows)
    same = np.ones(count, bool)
    expected = of_library(booster, model, rows)
    for output in model.outputs:
        numbers = found.numbers[output.number]
        same &= numbers.view(np.int64) == np.ascontiguousarray(expected[output.name]).view(np.int64)
    if model.label is not None:
        same &= found.labels == chosen(expected)
    return int(same.sum())


def chosen(expected: dict[str, Floats]) -> Any:
    """As `LGBMClassifier.predict` does it."""
    probabilities = [values for name, values in expected.items() if name.startswith("probability")]
    if len(probabilities) == 1:
        probabilities = [1.0 - probabilities[0], probabilities[0]]
    return np.argmax(np.stack(probabilities, axis=1), axis=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_all_outputs_have_the_bits_of_the_library(family: str) -> None:
    assert same_bits(family, 4000, 1) == 4000


@pytest.mark.soak
@pytest.mark.parametrize("family", FAMILIES)
def test_a_million_rows(family: str) -> None:
    parts = 5 if "00 trees" in family else 20  # a quarter of them where it takes minutes
    same = sum(same_bits(family, 50_000, seed) for seed in range(parts))
    print(f"\nlightgbm {family:28} {50_000 * parts:9,} rows, same bits {same:9,}")  # noqa: T201
    assert same == 50_000 * parts


def test_one_row_has_the_bits_of_a_batch() -> None:
    booster = trained("binary, 300 trees")
    rows = rows_at_thresholds(read(text_of(booster)), 100, 3)
    assert [predicted(booster, row[None])[0] for row in rows] == predicted(booster, rows).tolist()


def test_every_missing_type_and_a_set_of_categories_was_compared() -> None:
    found = set()
    for family in FAMILIES:
        for line in text_of(trained(family)).decode().splitlines():
            if line.startswith("decision_type="):
                found |= set(line.partition("=")[2].split())
    assert found >= {"1", "2", "4", "6", "8", "9", "10"}  # a category is 1, the default side left 2, Zero 4, NaN 8


def test_a_test_for_what_is_missing_alone_has_no_end() -> None:
    """The library writes `inf` for the end of a feature's last bin: all numbers are on one side, NaN on the other."""
    text = text_of(trained("binary, what is missing decides"))
    assert b"inf" in b" ".join(line for line in text.splitlines() if line.startswith(b"threshold="))
    cuts = np.frombuffer(read(text).trees[0].cut, "<f8")
    assert np.isinf(cuts).any()


@pytest.mark.parametrize(
    ("family", "row", "word"),
    [
        ("binary, what is missing decides", b"leaf_value", b"inf"),
        ("binary, what is missing decides", b"threshold", b"-inf"),
        ("binary, what is missing decides", b"threshold", b"1e999"),
        ("binary, what is missing decides", b"threshold", b"infinf"),
        ("one-hot categories", b"threshold", b"inf"),  # the number of a set
    ],
)
def test_any_other_number_without_an_end_is_refused(family: str, row: bytes, word: bytes) -> None:
    """Each is put in the place of the first number of every such row."""
    content = re.sub(rb"(?m)^" + row + rb"=\S+", row + b"=" + word, text_of(trained(family)))
    head, *blocks = re.split(rb"(?m)^(?=Tree=|end of trees)", content)
    sizes = b" ".join(b"%d" % len(block) for block in blocks[:-1])
    content = re.sub(rb"tree_sizes=.*", b"tree_sizes=" + sizes, head) + b"".join(blocks)
    with pytest.raises(ProgramError, match=r"is not a row of numbers|too large|has no set of categories"):
        read(content)


def test_zero_that_is_sent_elsewhere_leads_back_to_the_sides_of_a_test() -> None:
    trees = read(text_of(trained("binary, missing Zero"))).trees[0]
    inner = np.frombuffer(trees.feature, "<i4") >= 0
    sides = np.concatenate([np.frombuffer(each, "<i4")[inner] for each in (trees.left, trees.right)])
    assert len(np.unique(sides)) < len(sides)
    assert (np.frombuffer(trees.left, "<i4")[inner] > np.flatnonzero(inner)).all()
    assert (np.frombuffer(trees.right, "<i4")[inner] > np.flatnonzero(inner)).all()


def test_the_first_of_equal_classes_is_chosen() -> None:
    assert read(text_of(trained("binary"))).label.rule == Above("probability", 0.5)  # type: ignore[union-attr]
    rule = read(text_of(trained("multiclass"))).label.rule  # type: ignore[union-attr]
    assert rule == Greatest(("probability_0", "probability_1", "probability_2"))


def frame(count: int = 400) -> tuple[pandas.DataFrame, Any]:
    draw = np.random.default_rng(3)
    data = pandas.DataFrame(
        {
            "age": draw.normal(size=count),
            "colour": pandas.Categorical(draw.choice(["red", "green", "blue"], count)),
            "size": pandas.Categorical(draw.choice([1, 2, 5], count)),
        }
    )
    return data, (data["age"] > 0) ^ (data["colour"] == "red") ^ (data["size"] == 5)


def test_labels_of_a_pandas_table_are_those_of_its_columns() -> None:
    data, labels = frame()
    booster = lightgbm.train(
        {"objective": "binary", "verbose": -1, "min_data_per_group": 5}, lightgbm.Dataset(data, labels), 10
    )
    model = read(text_of(booster))
    assert [feature.name for feature in model.features] == ["age", "colour", "size"]
    assert model.features[1].categories == (("blue", 0), ("green", 1), ("red", 2))
    assert model.features[2].categories == (("1", 0), ("2", 1), ("5", 2))
    assert [each.written for each in model.features[1:3]] == ["text", "number"]
    assert model.features[0].seen == (data["age"].min(), data["age"].max())
    assert model.remarks == (
        "labels of categories were given to colour, size in this order: the file does not say which labels are whose",
    )
    codes = np.stack([data["age"], data["colour"].cat.codes, data["size"].cat.codes], axis=1).astype(np.float64)
    assert ModelEvaluation(model).of(codes).numbers["probability"].tolist() == predicted(booster, data).tolist()


def test_labels_that_cannot_be_told_apart_stay_codes() -> None:
    data, labels = frame()
    data["size"] = pandas.Categorical(data["size"], ordered=True)  # a number to LightGBM, with labels all the same
    booster = lightgbm.train({"objective": "binary", "verbose": -1}, lightgbm.Dataset(data, labels), 5)
    model = read(text_of(booster))
    assert model.features[1].categories == (("0", 0), ("1", 1), ("2", 2))
    assert model.features[1].written == ""  # what the log has need not be a code
    assert model.features[2].kind == "number"
    assert "not which feature they belong to" in model.remarks[0]


@pytest.mark.parametrize("listed", ['[["a"], ["b"]]', '[["a", "a"]]', '[["a", ["b"]]]', '[["\\ud800"]]', "[[1, 2]]"])
def test_labels_that_do_not_fit_stay_codes(listed: str) -> None:
    content = text_of(trained("binary, categories")).replace(b"pandas_categorical:null", b"")
    model = read(content + f"\npandas_categorical:{listed}\n".encode())
    assert model.features[3].categories[5] == ("5", 5)
    assert "not which feature they belong to" in model.remarks[0]


def test_a_range_with_an_infinity_is_not_known() -> None:
    rows, number = table("plain")
    rows[0, 0] = np.inf
    booster = lightgbm.train({"objective": "regression", "verbose": -1}, lightgbm.Dataset(rows, number), 2)
    model = read(text_of(booster))
    assert model.features[0].seen is None and model.features[1].seen == (rows[:, 1].min(), rows[:, 1].max())


def test_a_custom_objective_gives_raw_values() -> None:
    rows, number = table("plain")

    def squares(guess: Any, data: Any) -> Any:
        return guess - data.get_label(), np.ones_like(guess)

    booster = lightgbm.train({"objective": squares, "verbose": -1}, lightgbm.Dataset(rows, number), 5)
    model = read(text_of(booster))
    assert [output.name for output in model.outputs] == ["value"] and "the trainer's own" in model.remarks[0]
    assert ModelEvaluation(model).of(rows).numbers["value"].tolist() == predicted(booster, rows).tolist()


def test_a_model_of_one_leaf() -> None:
    booster = lightgbm.train(
        {"objective": "regression", "verbose": -1}, lightgbm.Dataset(table("plain")[0], np.ones(600))
    )
    model = read(text_of(booster))
    assert (
        ModelEvaluation(model).of(np.zeros((1, 4))).numbers["value"].tolist()
        == predicted(booster, np.zeros((1, 4))).tolist()
    )


def test_the_best_iteration_is_what_is_saved() -> None:
    booster = lightgbm.Booster(model_str=trained("regression").model_to_string(num_iteration=7))
    rows = table("missing")[0]
    model = read(text_of(booster))
    assert ModelEvaluation(model).of(rows).numbers["value"].tolist() == predicted(booster, rows).tolist()
    assert booster.num_trees() == 7


def test_a_linear_tree_is_refused_by_name() -> None:
    rows, number = table("plain")
    data = lightgbm.Dataset(rows, number, params={"linear_tree": True})
    booster = lightgbm.train({"objective": "regression", "linear_tree": True, "verbose": -1}, data, 2)
    with pytest.raises(ModelRefused, match="linear trees"):
        read(text_of(booster))


def test_a_format_that_is_not_known_is_refused_by_name() -> None:
    with pytest.raises(ModelRefused, match="format 'v5'"):
        read(text_of(trained("binary")).replace(b"version=v4", b"version=v5"))


def test_an_objective_that_is_not_known_is_refused_by_name() -> None:
    with pytest.raises(ModelRefused, match="objective cox"):
        read(text_of(trained("binary")).replace(b"objective=binary", b"objective=cox"))


def test_the_file_is_recognised_by_its_first_lines() -> None:
    assert recognises(text_of(trained("binary"))[:4096])
    assert not recognises(b"tree of life\n") and not recognises(b'{"learner": {}}')


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (b"left_child=", b"left_child=0 ", "numbers, not"),
        (b"num_leaves=8", b"num_leaves=1000000000", "cannot have 1000000000 leaves"),
        (b"leaf_value=", b"leaf_value=nan ", "not a row of numbers"),
        (b"threshold=", b"threshold=1e999 ", "numbers, not"),
        (b"tree_sizes=", b"tree_sizes=1 ", "not where tree_sizes says"),
        (b"max_feature_idx=3", b"max_feature_idx=999999999", "do not fit max_feature_idx"),
        (b"num_class=1", b"num_class=x", "num_class is missing"),
        (b"sigmoid:1", b"sigmoid:0", "sigmoid is out of range"),
        (b"end of trees", b"", "do not end where"),
        (b"max_feature_idx", b"num_class=1\nmax_feature_idx", "occurs twice"),
    ],
)
def test_a_broken_file_is_told_by_what_is_wrong(before: bytes, after: bytes, message: str) -> None:
    content = text_of(trained("binary"))
    assert before in content
    with pytest.raises(ProgramError, match=message):
        read(resized(content.replace(before, after, 1)))


def resized(content: bytes) -> bytes:
    """With the sizes of trees as they are now, so that what is behind them is found."""
    if b"tree_sizes=1 " in content:
        return content
    start, end = content.index(b"Tree=0"), content.find(b"end of trees")
    parts = content[start : end if end >= 0 else None].split(b"Tree=")[1:]
    sizes = b" ".join(str(len(part) + 5).encode() for part in parts)
    head = b"\n".join(
        b"tree_sizes=" + sizes if line.startswith(b"tree_sizes=") else line for line in content[:start].split(b"\n")
    )
    return head + content[start:]


@pytest.mark.parametrize("side", ["0", "7", "99", "-99", "the next one's"])
def test_children_that_are_no_tree_are_found(side: str) -> None:
    content = text_of(trained("binary")).decode()
    row = next(line for line in content.splitlines() if line.startswith("left_child="))
    others = row.partition("=")[2].split()[1:]
    changed = " ".join([others[0] if side == "the next one's" else side, *others])
    with pytest.raises(ProgramError, match="not those of a tree"):
        read(resized(content.replace(row, f"left_child={changed}", 1).encode()))


def mutated(content: bytes, count: int, seed: int) -> None:
    """Every mutant is read, or refused with a ProgramError."""
    choose = random.Random(seed)
    refused = 0
    for _ in range(count):
        mutant = bytearray(content)
        for _ in range(choose.randint(1, 4)):
            at = choose.randrange(len(mutant))
            match choose.randrange(5):
                case 0:
                    del mutant[at:]
                case 1:
                    mutant[at] = choose.randrange(256)
                case 2:
                    del mutant[at : at + choose.randint(1, 40)]
                case 3:
                    mutant[at:at] = choose.choice([b"999999999999", b"-1 ", b"nan", b"\n", b"=", b"1e400", b"Tree=7\n"])
                case 4:
                    other = choose.randrange(len(mutant))
                    mutant[at:at] = mutant[other : other + choose.randint(1, 200)]
            mutant = mutant or bytearray(b"tree\n")
        try:
            read(bytes(mutant) if choose.random() < 0.3 else fitted(bytes(mutant)))
        except ProgramError:
            refused += 1
    assert refused > count // 4


def fitted(content: bytes) -> bytes:
    return resized(content) if b"Tree=0" in content and b"\ntree_sizes=" in content else content


def small(family: str) -> bytes:
    return str(trained(family).model_to_string(num_iteration=3)).encode()


def test_mutated_files_are_refused_or_read() -> None:
    for seed, family in enumerate(("binary, missing Zero", "multiclass", "binary, categories")):
        mutated(small(family), 100, seed)


@pytest.mark.fuzz
def test_ten_thousand_mutated_files() -> None:
    for seed, family in enumerate(("binary, missing Zero", "multiclass", "binary, categories", "random forest")):
        mutated(small(family), 2500, 100 + seed)


def test_deep_json_at_the_end_is_refused() -> None:
    content = small("binary").rpartition(b"pandas_categorical:")[0]
    for line in (b"[" * 100_000, b'{"a": 1}', b"[1]", b"["):
        with pytest.raises(ProgramError, match="pandas_categorical"):
            read(content + b"pandas_categorical:" + line)

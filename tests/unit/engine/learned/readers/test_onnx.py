"""The reader of ONNX files against onnxruntime: numbers to the bit, or inside of what is stated, and every label."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from soid.engine.learned import links
from soid.engine.learned.evaluation import column_values
from soid.engine.learned.model import Above, Greatest, LinearSum, Link, ModelRefused, TreeSum
from soid.engine.learned.readers.onnx import read, recognises
from soid.errors import ProgramError
from tests.onnx_ensembles import compared, evaluated, fed, model_file, random_nodes, same_bits, session, weights
from tests.onnx_rows import rows_at_thresholds

FLOAT, DOUBLE, INT64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64
EXPORTED: Final = sorted((Path(__file__).parent / "onnx_models").glob("*.onnx"))
LINEAR: Final = ("ct_lr", "lr3_f32")
LEQ: Final = ("BRANCH_LEQ",)


def regressor(seed: int, kind: int, targets: int = 1, trees: int = 6, depth: int = 4, **more: Any) -> bytes:
    rng = np.random.default_rng(seed)
    given = {name: more.pop(name) for name in ("modes", "whole", "missing") if name in more}
    nodes, leaves = random_nodes(rng, trees, depth, 3, **given)
    values = rng.normal(size=len(leaves) * targets)
    attributes = weights("target", leaves, list(range(targets)), [float(v) for v in values])
    if kind == DOUBLE:
        thresholds = rng.normal(size=len(nodes["nodes_values"]))
        nodes["nodes_values_as_tensor"] = helper.make_tensor("", DOUBLE, [len(thresholds)], thresholds)
        attributes["target_weights_as_tensor"] = helper.make_tensor("", DOUBLE, [len(values)], values)
        del nodes["nodes_values"], attributes["target_weights"]
    node = helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=targets, **nodes, **attributes, **more
    )
    return model_file([node], 3, kind, {"y": FLOAT})


def classifier(
    seed: int, kind: int, classes: list[Any], ids: list[int], positive: bool = False, trees: int = 5, **more: Any
) -> bytes:
    rng = np.random.default_rng(seed)
    nodes, leaves = random_nodes(rng, trees, 3, 3)
    values = [float(v) for v in rng.normal(size=len(leaves) * len(ids))]
    attributes = weights("class", leaves, ids, [abs(v) / trees for v in values] if positive else values)
    texts = isinstance(classes[0], str)
    attributes["classlabels_strings" if texts else "classlabels_int64s"] = classes
    node = helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["l", "y"], domain="ai.onnx.ml", **nodes, **attributes, **more
    )
    return model_file([node], 3, kind, {"l": TensorProto.STRING if texts else INT64, "y": FLOAT})


def newer(seed: int, kind: int, members: tuple[float, ...] = (), last: int = 7) -> bytes:
    """TreeEnsemble: two trees over three features; `last` is the leaf of what fails the second one's only test."""
    rng = np.random.default_rng(seed)
    splits = rng.integers(-2, 3, 7).astype(float)
    modes = [6 if members else 2, 0, 3, 4, 1, 5, 0]
    floats = {
        "nodes_splits": splits,
        "leaf_weights": rng.normal(size=9),
        "membership_values": np.array([*members, math.nan] if members else []),
    }
    node = helper.make_node(
        "TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", n_targets=2, aggregate_function=1,
        nodes_featureids=[0, 1, 2, 0, 1, 2, 0], nodes_missing_value_tracks_true=[1, 0, 1, 0, 0, 1, 0],
        nodes_truenodeids=[1, 3, 5, 0, 2, 4, 8], nodes_trueleafs=[0, 0, 0, 1, 1, 1, 1],
        nodes_falsenodeids=[2, 4, 6, 1, 3, 5, last], nodes_falseleafs=[0, 0, 1, 1, 1, 1, 1],
        leaf_targetids=[0, 1, 0, 1, 0, 1, 0, 1, 0], tree_roots=[0, 6],
        nodes_modes=helper.make_tensor("", TensorProto.UINT8, [7], modes),
        **{name: helper.make_tensor("", kind, [len(each)], each) for name, each in floats.items() if len(each)},
    )  # fmt: skip
    return model_file([node], 3, kind, {"y": kind}, ml=5)


def equality_chain(values: list[float], missing: list[int] | None = None) -> bytes:
    """As converters of LightGBM write a test for categories: one node for each, all with the same child."""
    count = len(values)
    node = helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1,
        nodes_treeids=[0] * (count + 2), nodes_nodeids=list(range(count + 2)), nodes_featureids=[1] * (count + 2),
        nodes_modes=["BRANCH_EQ"] * count + ["LEAF"] * 2, nodes_values=[*values, 0.0, 0.0],
        nodes_truenodeids=[count] * count + [0, 0], nodes_falsenodeids=[*range(1, count), count + 1, 0, 0],
        nodes_missing_value_tracks_true=[*(missing or [0] * count), 0, 0],
        target_treeids=[0, 0], target_nodeids=[count, count + 1], target_ids=[0, 0], target_weights=[1.0, 2.0],
    )  # fmt: skip
    return model_file([node], 3, FLOAT, {"y": FLOAT})


def ensembles(seed: int) -> dict[str, bytes]:
    three = ["low", "mid", "high"]
    return {
        "all tests, float": regressor(seed, FLOAT),
        "all tests, double": regressor(seed + 1, DOUBLE),
        "all tests, int64": classifier(seed + 20, INT64, [0, 1], [0], post_transform="LOGISTIC"),
        "average, two targets, base": regressor(
            seed + 3, FLOAT, 2, aggregate_function="AVERAGE", base_values=[0.25, -3.0]
        ),
        "average, double": regressor(seed + 4, DOUBLE, aggregate_function="AVERAGE"),
        "one tree": regressor(seed + 5, FLOAT, trees=1, depth=7),
        "<= only": regressor(seed + 6, FLOAT, modes=LEQ, missing=False, trees=30),
        "== of integers": regressor(seed + 7, FLOAT, modes=("BRANCH_EQ", "BRANCH_NEQ"), whole=True),
        "regressor with a transform": regressor(seed + 8, FLOAT, post_transform="LOGISTIC"),
        "margin, logistic, base": classifier(
            seed + 9, FLOAT, [3, 7], [0], post_transform="LOGISTIC", base_values=[0.5]
        ),
        "margin, logistic, double": classifier(seed + 10, DOUBLE, ["a", "b"], [0], post_transform="LOGISTIC"),
        "margin of class 1": classifier(seed + 11, FLOAT, ["a", "b"], [1], post_transform="LOGISTIC"),
        "margin, positive, class 1": classifier(seed + 12, FLOAT, [0, 1], [1], True, post_transform="LOGISTIC"),
        "shares": classifier(seed + 13, FLOAT, ["a", "b"], [0], True),
        "both classes": classifier(seed + 14, FLOAT, [0, 1], [0, 1], post_transform="LOGISTIC"),
        "both classes, softmax": classifier(seed + 15, DOUBLE, ["a", "b"], [0, 1], post_transform="SOFTMAX"),
        "three classes": classifier(seed + 16, FLOAT, three, [0, 1, 2]),
        "three classes, softmax, base": classifier(
            seed + 17, FLOAT, three, [0, 1, 2], post_transform="SOFTMAX", base_values=[0.1, 0.2, -0.3]
        ),
        "three classes, logistic, double": classifier(seed + 18, DOUBLE, three, [0, 1, 2], post_transform="LOGISTIC"),
        "shares of three": classifier(seed + 19, FLOAT, [1, 2, 3], [0, 1, 2], True),
        "newer, float": newer(seed, FLOAT),
        "newer, double": newer(seed, DOUBLE),
        "newer, membership": newer(seed, FLOAT, (1.0, 2.0, 5.0)),
        "newer, membership, double": newer(seed, DOUBLE, (0.0, 30.0)),
        "chain of ==": equality_chain([2.0, 3.0, 40.0, 2.5, -1.0], [1] * 5),
    }


ENSEMBLES: Final = ensembles(1)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_has_onnxruntime_s_bits(name: str) -> None:
    model = read(ENSEMBLES[name])
    theirs, own, labels = compared(ENSEMBLES[name], model, rows_at_thresholds(model, 5000, 1))
    assert labels.all() and same_bits(theirs, own).all()


@pytest.mark.parametrize("file", [each for each in EXPORTED if each.stem not in LINEAR], ids=lambda file: file.stem)
def test_an_exported_pipeline_of_trees_has_onnxruntime_s_bits(file: Path) -> None:
    content = file.read_bytes()
    model = read(content)
    theirs, own, labels = compared(content, model, rows_at_thresholds(model, 3000, 2))
    assert labels.all() and same_bits(theirs, own).all()


def test_files_are_recognised_by_how_they_begin() -> None:
    assert all(recognises(file.read_bytes()[:4096]) for file in EXPORTED)
    assert all(recognises(content[:4096]) for content in ENSEMBLES.values())
    told = onnx.load_from_string(ENSEMBLES["one tree"])
    told.doc_string = "a long text " * 40
    assert recognises(told.SerializeToString()[:4096]) and recognises(told.SerializeToString()[:200])
    for other in (
        b"",
        b"{",
        b"PK\x03\x04",
        b"tree\nversion=v4",
        b"\x08",
        b"\x08\x0a\x12",
        b"\x80\x04\x95abcdef",
        b"\x08\x0a{}",
    ):
        assert not recognises(other)


def test_threads_add_up_in_another_order_which_is_left_open() -> None:
    """The sums of a batch differ between numbers of threads, and never by more than any order can make."""
    content = ENSEMBLES["<= only"]
    model = read(content)
    (one,) = model.sums
    assert isinstance(one, TreeSum) and one.any_order
    rows = rows_at_thresholds(model, 2000, 3)
    alone, _, _ = compared(content, model, rows, threads=1)
    together, _, _ = compared(content, model, rows, threads=2)
    assert (alone != together).any()
    values = np.frombuffer(model.trees[0].values, "<f8")
    count = len(np.frombuffer(model.trees[0].roots, "<i4"))
    assert np.abs(alone - together).max() <= 2 * count * 2.0**-24 * count * np.abs(values).max()


def test_the_order_of_two_trees_does_not_matter() -> None:
    model = read(regressor(3, FLOAT, trees=2))
    assert [one.any_order for one in model.sums if isinstance(one, TreeSum)] == [False]


@pytest.mark.parametrize("name", LINEAR)
def test_a_linear_model_lies_within_what_any_order_gives(name: str) -> None:
    (file,) = [each for each in EXPORTED if each.stem == name]
    content = file.read_bytes()
    model = read(content)
    rows = rows_at_thresholds(model, 4000, 4)
    rows = rows[(np.abs(np.nan_to_num(rows, nan=0.0)) < 1e18).all(axis=1) & ~np.isnan(rows).any(axis=1)]
    theirs, own, _ = compared(content, model, rows)
    assert len(rows) > 500 and np.abs(theirs - own).max() < 2.0**-20
    sums = [one for one in model.sums if isinstance(one, LinearSum)]
    exact, error = zip(*(_exactly(one, rows) for one in sums), strict=True)
    clear = np.ones(len(rows), bool)  # where the greatest is so by more than the errors of all
    best = np.argmax(np.stack(exact), axis=0)
    for place in range(len(sums)):
        gap = np.max(np.stack(exact), axis=0) - exact[place]
        clear &= (best == place) | (gap > 2 * np.max(np.stack(error), axis=0))
    running = session(content)
    assert model.label is not None and clear.sum() > 500
    labels = running.run(None, fed(running, model, rows))[0].astype(str)
    assert (labels == np.array(model.label.classes)[best])[clear].all()


def _exactly(one: LinearSum, rows: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """The sum in float64, and how far any order of float32 operations can be off."""
    codes = np.where(np.isnan(rows), -1, np.nan_to_num(rows)).astype(np.int64)
    with np.errstate(over="ignore"):
        terms = [column_values(column, rows, codes) * w for column, w in zip(one.columns, one.weights, strict=True)]
    total = sum(terms) + one.intercept
    size = sum(np.abs(each) for each in terms) + abs(one.intercept)
    return total, 1.01 * (len(terms) + 1) * 2.0**-24 * size


def test_the_stated_spread_of_vectorised_functions_holds() -> None:
    """A linear model of one column whose scores are the inputs: its logistic function, and softmax of two and five."""
    x = np.concatenate([np.linspace(-120, 120, 200_001), np.geomspace(1e-30, 1.0, 20_001)]).astype(np.float32)
    for transform, classes in (("LOGISTIC", 2), ("SOFTMAX", 5), ("SOFTMAX", 2)):
        node = helper.make_node(
            "LinearClassifier", ["x"], ["l", "y"], domain="ai.onnx.ml", classlabels_ints=list(range(classes)),
            coefficients=[0.0] * (classes - 1) + [1.0], intercepts=[0.0] * classes, post_transform=transform,
        )  # fmt: skip
        content = model_file([node], 1, FLOAT, {"l": INT64, "y": FLOAT})
        model = read(content)
        theirs = session(content).run(["y"], {"x": x[:, None]})[0][:, -1].astype(float)
        link = model.links[-1]
        assert not link.exact
        for place in range(0, len(x), 37):
            scores = [0.0] * (classes - 1) + [float(x[place])]
            given = [scores[-1]] if transform == "LOGISTIC" else [scores[-1], *scores]
            low, high = links.spread_of(link, given)
            assert low <= theirs[place] <= high
            assert min(theirs[place] - low, high - theirs[place]) > 0.5 * link.slack  # with room


def test_the_functions_after_trees_are_plain_expf() -> None:
    """A tree for each of many scores: the logistic function and the softmax have the C library's bits."""
    rng = np.random.default_rng(0)
    scores = np.concatenate(
        [rng.normal(size=3000) * 8, np.linspace(-110, 110, 2000), 10.0 ** rng.uniform(-30, 2, 1000)]
    )
    scores = np.unique(scores.astype(np.float32))
    for function, transform in (("logistic", "LOGISTIC"), ("softmax_in_order", "SOFTMAX")):
        content = _table_of(scores, transform)
        x = np.arange(len(scores), dtype=np.float32)[:, None]
        theirs = session(content).run(["y"], {"x": x})[0]
        for place in range(len(scores)):
            row = [float(scores[place]), float(scores[::-1][place]), 0.5]
            for number in range(3):
                arguments = (row[number],) if transform == "LOGISTIC" else (row[number], *row)
                link = Link("p", function, tuple("abcd"[: len(arguments)]), 32, exact=True)  # type: ignore[arg-type]
                assert links.value_of(link, arguments) == theirs[place, number]


def _table_of(scores: np.ndarray[Any, Any], transform: str) -> bytes:
    """A balanced tree by bisection whose leaf for the input i has scores[i], the score from the other end, and 0.5."""
    modes: list[str] = []
    values: list[float] = []
    trues: list[int] = []
    falses: list[int] = []
    weighed: list[tuple[int, list[float]]] = []
    waiting = [(0, len(scores), -1, 0)]
    while waiting:
        low, high, parent, side = waiting.pop()
        number = len(modes)
        if parent >= 0:
            (trues if side else falses)[parent] = number
        leaf = high - low == 1
        modes.append("LEAF" if leaf else "BRANCH_LT")
        middle = (low + high) // 2
        values.append(float(middle))
        trues.append(0)
        falses.append(0)
        if leaf:
            weighed.append((number, [float(scores[low]), float(scores[::-1][low]), 0.5]))
        else:
            waiting += [(low, middle, number, 1), (middle, high, number, 0)]
    count = len(modes)
    attributes = weights(
        "class", [(0, number) for number, _ in weighed], [0, 1, 2], [v for _, row in weighed for v in row]
    )
    node = helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["l", "y"], domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2],
        nodes_treeids=[0] * count, nodes_nodeids=list(range(count)), nodes_featureids=[0] * count, nodes_modes=modes,
        nodes_values=values, nodes_truenodeids=trues, nodes_falsenodeids=falses, post_transform=transform, **attributes,
    )  # fmt: skip
    return model_file([node], 1, FLOAT, {"l": INT64, "y": FLOAT})


def test_positive_weights_move_the_bound_of_the_label() -> None:
    """A surprise of onnxruntime: without a negative weight a margin must exceed 0.5, and the probability is open."""
    model = read(classifier(1, FLOAT, ["no", "yes"], [0], True, post_transform="LOGISTIC"))
    assert model.label is not None and model.label.rule == Above("score", 0.5)
    assert [each.name for each in model.outputs] == ["score"] and len(model.remarks) == 2
    content = classifier(1, FLOAT, ["no", "yes"], [0], True, post_transform="LOGISTIC")
    rows = rows_at_thresholds(model, 3000, 5)
    running = session(content)
    labels = running.run(["l"], fed(running, model, rows))[0]
    own = evaluated(model, rows)
    assert (labels == np.array(["no", "yes"])[own.labels]).all() and len(set(labels)) == 2


def test_a_chain_that_a_version_of_onnxruntime_gets_wrong_has_a_remark() -> None:
    assert read(equality_chain([2.0, 3.0, 30.0])).remarks == ()
    for values in ([2.0, 3.0, 40.0], [0.0, 2.0], [2.5, 3.0]):
        (remark,) = read(equality_chain(values)).remarks
        assert "1.22" in remark


def test_names_kinds_and_categories_are_those_of_the_file() -> None:
    (file,) = [each for each in EXPORTED if each.stem == "ct2_i64"]
    model = read(file.read_bytes())
    assert [(each.name, each.kind) for each in model.features] == [
        ("age", "number"), ("income", "number"), ("job", "category"), ("grade", "category"),
    ]  # fmt: skip
    job, grade = model.features[2:]
    assert job.categories == (("a", 0), ("b", 1), ("c", 2)) and job.takes_unseen and not job.takes_missing
    assert (job.written, grade.written) == ("text", "number")
    assert grade.categories == (("0", 0), ("1", 1), ("2", 2), ("3", 3)) and not grade.takes_unseen
    assert model.label is not None and model.label.classes == ("NO", "YES")
    assert model.version == "skl2onnx 1.20.0" and model.library == "onnxruntime"


def test_an_unseen_category_is_rejected_where_the_feature_says_so() -> None:
    (file,) = [each for each in EXPORTED if each.stem == "ct2_i64"]
    running = session(file.read_bytes())
    row = {"age": [[1.0]], "income": [[1.0]], "job": [["z"]], "grade": [[2]]}
    types = {"age": np.float32, "income": np.float32, "job": object, "grade": np.int64}
    given = {name: np.array(value, types[name]) for name, value in row.items()}
    assert running.run(None, given)
    with pytest.raises(Exception, match="Unknown Category"):
        running.run(None, given | {"grade": np.array([[9]], np.int64)})


def one_node(operator: str, **attributes: Any) -> bytes:
    domain = "ai.onnx.ml" if attributes.pop("ml", True) else ""
    return model_file([helper.make_node(operator, ["x"], ["y"], domain=domain, **attributes)], 3, FLOAT, {"y": FLOAT})


REFUSED: Final[dict[str, tuple[bytes, str]]] = {
    "operator": (one_node("SVMRegressor"), "SVMRegressor"),
    "plain operator": (one_node("Erf", ml=False), "Erf"),
    "domain": (
        model_file([helper.make_node("Fold", ["x"], ["y"], domain="my.own")], 3, FLOAT, {"y": FLOAT}), "my.own.Fold",
    ),
    "MIN": (regressor(1, FLOAT, aggregate_function="MIN"), "MIN"),
    "MAX": (regressor(1, FLOAT, aggregate_function="MAX"), "MAX"),
    "PROBIT": (regressor(1, FLOAT, post_transform="PROBIT"), "PROBIT"),
    "PROBIT of classes": (classifier(1, FLOAT, ["a", "b", "c"], [0, 1, 2], post_transform="PROBIT"), "PROBIT"),
    "SOFTMAX_ZERO": (classifier(1, FLOAT, ["a", "b", "c"], [0, 1, 2], post_transform="SOFTMAX_ZERO"), "SOFTMAX_ZERO"),
    "two base values": (classifier(1, FLOAT, ["a", "b"], [0], base_values=[0.1, 0.2]), "2 base values"),
    "labels that are not shown": (classifier(1, FLOAT, [3, 7], [0, 1]), "not 0 and 1"),
    "NaN in a chain": (equality_chain([2.0, 3.0], [0, 1]), "treat NaN differently"),
    "a tree of one leaf": (newer(1, FLOAT, last=8), "one leaf"),
    "membership of other numbers": (newer(1, FLOAT, (1.0, 40.0)), "BRANCH_MEMBER"),
    "Normalizer": (one_node("Normalizer", norm="L2"), "Normalizer"),
    "unknown attribute": (regressor(1, FLOAT, nodes_wishes=[1.0]), "nodes_wishes"),
    "output that is no result": (one_node("Scaler", offset=[0.0], scale=[1.0]), "output y"),
    "Imputer of a number": (
        one_node("Imputer", imputed_value_floats=[1.0], replaced_value_float=-1.0), "replaces a number",
    ),
    "type of the input": (
        model_file([helper.make_node("Identity", ["x"], ["y"])], 3, TensorProto.FLOAT16, {"y": FLOAT}), "float16",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_modelled_is_refused_by_name(what: str) -> None:
    content, told = REFUSED[what]
    with pytest.raises(ModelRefused, match=told) as refused:
        read(content)
    assert refused.value.remedy


def _scaled(scale: float) -> bytes:
    loaded = onnx.load_from_string(classifier(7, FLOAT, [0, 1], [0]))
    (tree,) = loaded.graph.node
    tree.input[0] = "scaled"
    scaler = helper.make_node(
        "Scaler", ["x"], ["scaled"], domain="ai.onnx.ml", offset=[0.3] * 3, scale=[scale, 1.0, 0.1]
    )
    return model_file([scaler, tree], 3, FLOAT, {"l": INT64, "y": FLOAT})


@pytest.mark.parametrize("scale", [1.7, -1.7, 1e-30])
def test_tests_are_folded_through_a_scaler_that_rises_or_falls(scale: float) -> None:
    content = _scaled(scale)
    model = read(content)
    theirs, own, labels = compared(content, model, rows_at_thresholds(model, 5000, 6))
    assert labels.all() and same_bits(theirs, own).all()


def test_a_large_ensemble_is_read_quickly_enough() -> None:
    model = read(regressor(5, FLOAT, trees=200, depth=6, modes=LEQ))
    assert len(np.frombuffer(model.trees[0].roots, "<i4")) == 200


def test_a_rule_over_classes_takes_the_first_of_equal_ones() -> None:
    model = read(ENSEMBLES["three classes"])
    assert model.label is not None and model.label.rule == Greatest(("score_low", "score_mid", "score_high"))


def test_a_file_that_is_something_else_is_broken_and_says_so() -> None:
    with pytest.raises(ProgramError, match="broken"):
        read(b"\x08\x0a not a model")


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_million_rows_a_family_have_the_same_bits() -> None:
    table = []
    for name in ENSEMBLES:
        rows_seen = same = labelled = 0
        for seed in range(20):
            content = ensembles(100 * seed + 1)[name]
            model = read(content)
            theirs, own, labels = compared(content, model, rows_at_thresholds(model, 50_000, seed))
            rows_seen, same, labelled = (
                rows_seen + len(own),
                same + same_bits(theirs, own).sum(),
                labelled + labels.sum(),
            )
        table.append((name, rows_seen, int(same), int(labelled)))
    for file in EXPORTED:
        if file.stem not in LINEAR:
            content = file.read_bytes()
            model = read(content)
            theirs, own, labels = compared(content, model, rows_at_thresholds(model, 1_000_000, 9))
            table.append((file.stem, len(own), int(same_bits(theirs, own).sum()), int(labels.sum())))
    print(f"\n{'family':34}{'rows':>10}{'same bits':>12}{'same labels':>12}")  # noqa: T201
    for row in table:
        print(f"{row[0]:34}{row[1]:>10}{row[2]:>12}{row[3]:>12}")  # noqa: T201
    assert all(row[1] == row[2] == row[3] for row in table)

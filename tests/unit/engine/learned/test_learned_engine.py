"""Models as programs: paths, outputs, what is rejected, what hangs on the last bits, what is taken for granted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, final

import pytest

from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.learned.column_steps import Column
from soid.engine.learned.kept_models import ReadModel
from soid.engine.learned.learned_engine import LearnedEngine
from soid.engine.learned.learned_source import OpenBound, Threshold
from soid.engine.learned.library_process import LibraryRun, Prediction
from soid.engine.learned.library_replayer import LibraryReplayer
from soid.engine.learned.model import (
    UNSEEN,
    Above,
    ClassRule,
    Greatest,
    LearnedModel,
    LinearSum,
    Link,
    ModelFeature,
    NamedNumber,
    TreeSum,
)
from soid.engine.learned.model_interface import interface_of
from soid.engine.learned.model_numbers import ModelParts
from soid.engine.learned.trees_builder import TreesBuilder
from soid.engine.protocol import Exploration
from soid.engine.summary import ConcreteRun, Decided, Failed
from soid.errors import ManifestError
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Impossible, Open
from soid.program.interface import Role
from soid.program.override import Declaration
from soid.program.toml_table import TomlTable, toml_of
from soid.program.types import EnumType, parse, show
from soid.scenario.family import Family
from soid.scenario.supposition import Anything
from soid.witness.replay_comparison import Comparison, Confirmed, Mismatch, compare


def stump(cut: float = 0.5, left: float = -1.0, right: float = 2.0) -> TreesBuilder:
    trees = TreesBuilder()
    trees.root()
    node = trees.number_test(0, cut, missing_left=True)
    trees.children(node, trees.leaf([left]), trees.leaf([right]))
    return trees


def binary(**changes: Any) -> LearnedModel:
    settings: dict[str, Any] = {
        "features": (ModelFeature("capital-gain", greatest=100.0), ModelFeature("unused")),
        "trees": (stump().done(),),
        "sums": (TreeSum("score", 0, precision=32),),
        "links": (Link("probability", "sigmoid", ("score",), 32, exact=True),),
        "label": ClassRule(("0", "1"), Above("score", 0.0)),
        "outputs": (NamedNumber("score", "score"), NamedNumber("probability", "probability")),
        **changes,
    }
    return LearnedModel("xgboost", "3.2.0", "trees", **settings)


def engine_of(model: LearnedModel, *thresholds: Threshold) -> LearnedEngine:
    parts = ModelParts.of(model)
    found = interface_of(model, parts.used, thresholds, ())
    return LearnedEngine(ReadModel(model, b"", ""), parts, found, thresholds)


def declarations(whole: TomlTable) -> tuple[Declaration, ...]:
    table = whole.table("variables")
    assert table is not None
    return tuple(Declaration.read(entry, path) for path in table if (entry := table.table(path)) is not None)


def ran(engine: LearnedEngine, steps: int = 1, **numbers: float) -> ConcreteRun:
    bits = {name: sf.float_to_bits64(number) for name, number in numbers.items()}
    exploration = Exploration(bits, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation(), steps=steps)
    return engine.explore(exploration).run({})


def test_a_model_has_features_label_and_numbers() -> None:
    engine = engine_of(binary(), Threshold("approve", "probability", ">=", "0.37"))
    roles = {variable.path: variable.role for variable in engine.interface}
    assert roles == {
        "capital_gain": Role.ENVIRONMENT,
        **dict.fromkeys(("approve", "decision", "score", "probability"), Role.DECISION),
    }
    assert engine.interface.untouched == {"unused"}
    assert engine.interface.spellings == {"capital-gain": "capital_gain"}
    outputs = ran(engine, capital_gain=0.75).outputs
    assert (outputs["decision"], outputs["approve"]) == (1, True)
    assert sf.bits32_to_float(outputs["score"]) == 2.0
    assert sf.bits32_to_float(outputs["probability"]) == pytest.approx(1 / (1 + math.exp(-2)))


CATEGORIES = (("10", 10), ("20", 20), ("b b", 3), ("b_b", 4))


def by_category(*codes: int) -> LearnedModel:
    """A model that chooses its second class for some categories."""
    trees = TreesBuilder()
    trees.root()
    node = trees.code_test(0, codes, missing_left=False)
    trees.children(node, trees.leaf([1.0]), trees.leaf([-1.0]))
    feature = ModelFeature("shop", "category", CATEGORIES)
    return binary(features=(feature, ModelFeature("a b"), ModelFeature("a_b")), trees=(trees.done(),))


def test_a_category_is_what_the_library_calls_it() -> None:
    """Not the place that it has among all of them, nor the label of another one."""
    engine = engine_of(by_category(4))
    kind = engine.interface.variable("shop").type
    assert isinstance(kind, EnumType)
    assert [label for label, _ in kind.labels] == ["_10", "_20", "b_b_2", "b_b", "MISSING", "OTHER"]
    assert {text: parse(kind, text) for text in ("20", "b b", "b_b", "_10")} == {"20": 1, "b b": 2, "b_b": 3, "_10": 0}
    with pytest.raises(ValueError, match=r"expected one of .* found '1'; OTHER stands for every other one"):
        parse(kind, "1")
    assert parse(kind, show(kind, 77)) == 77
    assert engine.interface.spellings == {"a b": "a_b_2"}


def test_a_category_that_stands_for_many_may_be_another_one_of_them() -> None:
    engine = engine_of(by_category(4))
    fact = {"shop": UNSEEN & 0xFFFFFFFF}
    family = Family(engine.interface, fact, (Anything("shop"),))
    assert family.puncture is TRUE
    assert Family(engine.interface, {"shop": 0}, (Anything("shop"),)).puncture is not TRUE


def test_what_is_missing_goes_where_the_tree_says() -> None:
    assert ran(engine_of(binary()), capital_gain=math.nan).outputs["decision"] == 0


def test_what_the_library_rejects_is_a_failure() -> None:
    run = ran(engine_of(binary()), capital_gain=math.inf)
    assert run.path.ending == Failed("xgboost rejects this value of capital-gain")


ENDS = (-1.0, 100.0)
AROUND = [each for end in ENDS for each in (math.nextafter(end, -math.inf), end, math.nextafter(end, math.inf))]


@pytest.mark.parametrize("value", [*AROUND, 0.0, -0.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("takes_missing", [True, False])
def test_a_value_is_rejected_the_same_whether_it_is_given_or_free(value: float, takes_missing: bool) -> None:
    feature = ModelFeature("x", least=ENDS[0], greatest=ENDS[1], takes_missing=takes_missing)
    engine = engine_of(binary(features=(feature, ModelFeature("unused"))))
    symbol = engine.interface.variable("x").symbol
    free = Exploration({}, TRUE, lambda _: Open(""), UNLIMITED.started(), Cancellation())
    expected = engine.explore(free).run({symbol: sf.float_to_bits64(value)}).path.ending
    assert ran(engine, x=value).path.ending == expected
    refused = not takes_missing if math.isnan(value) else not ENDS[0] <= value <= ENDS[1]
    assert isinstance(expected, Failed) == refused


def test_several_steps_have_their_outputs_each() -> None:
    run = ran(engine_of(binary()), steps=3, capital_gain=0.75)
    assert isinstance(run.path.ending, Decided)
    assert [step["decision"] for step in (*run.earlier, run.outputs)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("comparison", "bound", "decided"),
    [(">=", "2.0", True), (">", "2.0", False), ("<=", "2.00000000001", True), ("<", "2.00000000001", True)],
)
def test_a_threshold_is_a_decimal(comparison: Any, bound: str, decided: bool) -> None:
    engine = engine_of(binary(), Threshold("approve", "score", comparison, bound))
    assert ran(engine, capital_gain=0.75).outputs["approve"] == decided


def test_a_probability_says_of_which_class_it_is() -> None:
    model = binary(label=ClassRule(("granted", "refused"), Above("score", 0.0)))
    assert engine_of(model).interface.variable("probability").label == "the probability of refused"
    text = '[variables]\ndecision = { labels = ["NO", "YES"] }\n'
    for more, told in (("", "the probability of YES"), ('probability = { label = "the risk" }', "the risk")):
        declared = declarations(toml_of(Path("soid.toml"), text + more))
        interface = interface_of(model, {0}, (), declared).interface
        assert interface.variable("probability").label == told
    several = ClassRule(("a", "b", "c"), Greatest(("score", "score", "score")))
    assert engine_of(binary(label=several)).interface.variable("probability").label == ""


def test_a_threshold_of_a_number_that_is_not_there_is_refused() -> None:
    with pytest.raises(ManifestError, match="gives no number propability"):
        engine_of(binary(), Threshold("approve", "propability", ">=", "0.5"))


def test_the_first_of_equal_classes_is_chosen() -> None:
    sums = tuple(TreeSum(name, 0, precision=32) for name in ("a", "b"))
    model = binary(sums=sums, links=(), label=ClassRule(("A", "B"), Greatest(("a", "b"))), outputs=())
    assert ran(engine_of(model), capital_gain=0.75).outputs["decision"] == 0


def unordered(left: float, right: float) -> LearnedModel:
    """A sum of two trees in any order, which is 0.1 + 0.2 - 0.3 on one side: 0 up to its last bits."""
    trees = stump(left=left, right=right)
    for leaf in (0.2, -0.3):
        trees.root()
        trees.leaf([leaf])
    return binary(trees=(trees.done(),), sums=(TreeSum("score", 0, any_order=True),), links=(), outputs=())


def test_what_hangs_on_the_last_bits_of_a_sum_is_not_known() -> None:
    run = ran(engine_of(unordered(0.1, 1.0)), capital_gain=0.0)
    assert run.keeps(0, "decision") and "decision" not in run.outputs
    assert "the order in which xgboost adds" in run.path.outputs["decision"].why
    assert ran(engine_of(unordered(0.1, 1.0)), capital_gain=0.75).outputs["decision"] == 1


def test_sums_that_no_order_rounds_are_known() -> None:
    trees = stump(left=0.5, right=1.0)
    trees.root()
    trees.leaf([-0.5])
    model = binary(trees=(trees.done(),), sums=(TreeSum("score", 0, any_order=True),), links=(), outputs=())
    assert ran(engine_of(model), capital_gain=0.0).outputs["decision"] == 0


def test_a_number_that_is_not_known_lies_between_two() -> None:
    line = LinearSum("score", (Column(0), Column(1)), (0.1, 0.7), 0.3)
    model = binary(trees=(), sums=(line,), links=(), outputs=(NamedNumber("score", "score"),))
    run = ran(engine_of(model), capital_gain=3.0, unused=1.0)
    low, high = (sf.bits64_to_float(bits) for bits in run.between[0]["score"])
    assert low < 0.1 * 3.0 + 0.7 + 0.3 < high
    assert run.outputs["decision"] == 1


def test_an_answer_says_what_it_takes_for_granted() -> None:
    def relied(model: LearnedModel, *thresholds: Threshold) -> set[str]:
        engine = engine_of(model, *thresholds)
        fixed = {variable.path: 0 for variable in engine.interface.inputs}
        exploration = Exploration(fixed, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
        return {each.id for each in engine.explore(exploration).relies_on}

    always = {Ledger.MODEL_FILE.value, Ledger.MODEL_ROW.value, Ledger.MODEL_BITS.value}
    assert relied(binary()) == always
    assert relied(unordered(0.1, 1.0)) == always | {Ledger.ANY_ORDER.value}
    assert relied(binary(remarks=("it is strange",))) == always | {Ledger.MODEL_READ.value}
    loose = binary(links=(Link("probability", "sigmoid", ("score",), 32),))
    assert relied(loose) == always | {Ledger.LINK_ERROR.value}
    assert relied(binary(), Threshold("approve", "score", ">", "0")) == always | {Ledger.THRESHOLD.value}
    guessed = Threshold("approve", "score", ">", "0", OpenBound("-1", "2"))
    assert relied(binary(), guessed) == always | {Ledger.GUESSED_THRESHOLD.value}


@final
class FakeRun:
    """A library that gives one thing for every row."""

    how, version_difference = "by running the model in xgboost 3.2.0", ""

    def __init__(self, prediction: Prediction) -> None:
        self._prediction = prediction

    def predict(self, rows: Sequence[Sequence[float | str | None]]) -> list[Prediction]:
        return [self._prediction for _ in rows]


def replayed(given: float, prediction: Prediction) -> Comparison:
    engine = engine_of(binary())
    run = cast("LibraryRun", FakeRun(prediction))
    replayer = LibraryReplayer(engine.model, engine.learned.inputs, (), run)
    inputs = {"capital_gain": sf.float_to_bits64(given)}
    return compare(ran(engine, capital_gain=given), inputs, engine.interface, replayer)


def test_a_replay_is_told_in_the_words_of_a_model() -> None:
    """There is no compiler, and there are no traps: a library rejects what it is given, or does not."""
    rejects = Prediction(None, {}, rejected="it is infinite")
    assert replayed(math.inf, rejects) == Confirmed("by running the model in xgboost 3.2.0")
    assert replayed(math.inf, Prediction("1", {})) == Mismatch(
        "the engine says that it fails: xgboost rejects this value of capital-gain, the model in xgboost returns"
    )
    other = replayed(0.75, Prediction("0", {"score": 2.0}))
    assert other == Mismatch("the engine says decision = class_1, the model in xgboost gives class_0")

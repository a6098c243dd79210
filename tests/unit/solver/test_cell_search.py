"""Searching cells: models, and the boxes without one."""

from __future__ import annotations

from soid.budget import UNLIMITED, Cancellation
from soid.engine.learned.model import MISSING, LearnedModel, ModelFeature
from soid.engine.learned.trees_builder import TreesBuilder
from soid.engine.protocol import Exploration
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Impossible, Open
from soid.formula.intervals import Floats, Values
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec
from soid.formula.term import Term
from soid.oracle.inquiry import box_functions
from soid.solver.box_conditions import BoxFunction
from soid.solver.box_cutter import BoxCutter, ExclusionGoal
from soid.solver.box_splitter import Cover
from soid.solver.cell_search import NOTHING, cover_cells, search_cells
from tests.unit.engine.learned.test_learned_engine import binary, engine_of

_ZERO = build.const(FLOAT32, 0)


def explored(model: LearnedModel) -> tuple[Term, Term, tuple[BoxFunction, ...]]:
    """The symbol of the only feature, that of the score, and the functions."""
    engine = engine_of(model)
    exploration = Exploration({}, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    summary = engine.explore(exploration)
    score = next(one.symbol for one in summary.approximations if one.function == "score")
    return engine.interface.inputs[0].symbol, score, box_functions(summary.approximations)


def test_a_category_that_is_missing_is_not_one_that_is_unseen() -> None:
    trees = TreesBuilder()
    trees.root()
    trees.children(trees.code_test(0, [0], missing_left=True), trees.leaf([-1.0]), trees.leaf([2.0]))
    category = ModelFeature("town", "category", (("ULM", 0), ("TRIER", 1)))
    town, score, functions = explored(binary(features=(category,), trees=(trees.done(),)))
    places = [build.eq(town, build.const(BitVec(32), code & 0xFFFFFFFF)) for code in (1, MISSING)]
    asked = [build.or_(*places), build.fp_lt(score, _ZERO)]
    found = search_cells(asked, functions, UNLIMITED.started(), Cancellation())
    assert found is not None and found[town] == MISSING & 0xFFFFFFFF


def test_what_has_no_model_is_covered_by_boxes_with_bounds() -> None:
    gain, score, functions = explored(binary())
    above = build.fp_lt(build.const(FLOAT64, 0x3FE0000000000000), build.fp_from_bits(FLOAT64, gain))  # 0.5
    asked = [above, build.fp_lt(score, _ZERO)]
    cover = cover_cells(asked, functions, 10, UNLIMITED.started(), Cancellation())
    assert isinstance(cover, Cover)
    assert [each.name for each in cover.numbers] == ["score of step 1"]
    two = 0x40000000  # as a float32
    assert set(cover.bounds) == {(None,), ((two, two),)}
    assert cover_cells(asked, functions, 2, UNLIMITED.started(), Cancellation()) is NOTHING  # too many boxes
    asked[0] = build.not_(above)
    assert isinstance(cover_cells(asked, functions, 10, UNLIMITED.started(), Cancellation()), dict)


def test_a_goal_that_is_true_with_its_doubt_is_not_evaluated_without_its_numbers() -> None:
    """Nothing is left of either of them then, so no model says what the score is."""
    gain, score, functions = explored(binary())
    shows, family = build.fp_lt(score, _ZERO), [build.eq(gain, build.const(gain.sort, 0))]
    cutter = BoxCutter.of(family, ExclusionGoal(shows, build.not_(shows)), [gain], functions=functions)
    assert cutter is not None
    whole = cutter.whole()
    assert whole is not None
    assert cutter.cut(whole, lambda _: Open("nothing is asked")).model is None


def test_what_is_kept_of_a_condition_holds_for_its_own_constants() -> None:
    """A number may follow from a sum and from another one that does not vary, and is another one at another moment."""
    stump = TreesBuilder()
    stump.root()
    low, high = (stump.number_test(0, cut, missing_left=True) for cut in (0.5, 0.75))
    stump.children(low, stump.leaf([-1.0]), high)
    stump.children(high, stump.leaf([1.0]), stump.leaf([2.0]))
    x, score, (function, *_) = explored(binary(features=(ModelFeature("x"),), trees=(stump.done(),)))
    below = build.fp_lt(build.fp_from_bits(FLOAT64, x), build.const(FLOAT64, sf.float_to_bits64(0.75)))
    total = build.var("total", FLOAT32)

    def added(given: tuple[int, ...]) -> int:
        return sf.float_to_bits32(sum(map(sf.bits32_to_float, given)))

    def over(given: tuple[Values, ...]) -> Values:
        floats = [each for each in given if isinstance(each, Floats)]
        low, high = (
            sf.ordinal(FLOAT32, added(tuple(sf.from_ordinal(FLOAT32, end) for end in ends)))
            for ends in ([each.low for each in floats], [each.high for each in floats])
        )
        return Floats(low, high, False)

    def found(other: float, *within: Term) -> bool:
        """Whether the total can be above 0."""
        beside = build.const(FLOAT32, sf.float_to_bits32(other))
        functions = [function, BoxFunction(total, (score, beside), over, added)]
        asked = [build.fp_lt(_ZERO, total), *within]
        return bool(search_cells(asked, functions, UNLIMITED.started(), Cancellation()))

    assert found(-1.5)  # the score must be above 1.5
    assert found(-0.5, below)  # and here above 0.5, which it is between the cuts
    assert not found(-1.5, below)

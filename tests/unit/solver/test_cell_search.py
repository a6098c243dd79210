"""Searching cells: models, and the boxes without one."""

from __future__ import annotations

from soid.budget import UNLIMITED, Cancellation
from soid.engine.learned.model import MISSING, LearnedModel, ModelFeature
from soid.engine.learned.trees_builder import TreesBuilder
from soid.engine.protocol import Exploration
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Impossible
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec
from soid.formula.term import Term
from soid.oracle.inquiry import box_functions
from soid.solver.box_conditions import BoxFunction
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

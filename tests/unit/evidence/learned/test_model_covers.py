"""Covers with bounds of a model's numbers: those of a search are accepted, and any that was changed is not."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from soid.budget import UNLIMITED, Cancellation
from soid.documents import json_of
from soid.engine.learned.column_steps import Column, ColumnArithmetic, Impute, Table
from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.model import (
    MISSING,
    UNSEEN,
    Above,
    ClassRule,
    LearnedModel,
    LinearSum,
    Link,
    ModelFeature,
    NamedNumber,
    TreeSum,
)
from soid.engine.learned.trees_builder import TreesBuilder
from soid.engine.protocol import Exploration
from soid.engine.summary import PathSummary
from soid.errors import BundleError
from soid.evidence.covers import CoverDocument
from soid.evidence.learned.model_covers import recheck
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.build import TRUE
from soid.formula.checker import Impossible
from soid.formula.sorts import FLOAT64, Float
from soid.formula.term import Term
from soid.oracle.inquiry import box_functions
from soid.program.domain import formula
from soid.program.types import constant
from soid.solver.box_splitter import Cover
from soid.solver.cell_search import cover_cells
from tests.randomness import SEEDED
from tests.unit.engine.learned.test_learned_engine import engine_of

FEATURES = (
    ModelFeature("x"),
    ModelFeature("y"),
    ModelFeature("town", "category", (("ULM", 3), ("TRIER", 5), ("BONN", 7))),
)
VALUES = (-2.0, -0.5, 0.0, 0.1, 0.25, 1.0, 3.0)


def random_trees(random: Random, count: int) -> TreesBuilder:
    trees = TreesBuilder()

    def grow(depth: int) -> int:
        if not depth or random.random() < 0.2:
            return trees.leaf([random.choice([-0.5, 0.1, 0.25, 1.0, -0.3])])
        number = random.randrange(3)
        missing = random.random() < 0.5
        if number == 2:
            codes = [code for code in (3, 5, 7, UNSEEN) if random.random() < 0.5]
            node = trees.code_test(2, codes, missing_left=missing)
        else:
            node = trees.number_test(number, random.choice(VALUES), missing_left=missing)
        trees.children(node, grow(depth - 1), grow(depth - 1))
        return node

    for _ in range(count):
        trees.root()
        grow(3)
    return trees


def random_model(random: Random) -> LearnedModel:
    precision = random.choice([32, 64])
    any_order = random.random() < 0.4
    columns = (
        Column(0, (Impute(0.5), ColumnArithmetic("divide", 3.0))),
        Column(1, (Impute(-1.0),)),
        Column(2, (Table(((3, 1.0), (5, -2.0), (7, 0.0)), unseen=0.25, missing=4.0),)),
    )
    line = LinearSum("score", columns, (0.7, -0.1, 0.3), 0.05, any_order=any_order)
    finish = ((("divide", 3.0),), ())[random.randrange(2)]
    total = TreeSum("score", 0, 0, precision, 0.1, any_order, finish)  # type: ignore[arg-type]
    is_line = random.random() < 0.25
    link = Link("probability", "sigmoid", ("score",), 64 if is_line else precision, exact=random.random() < 0.6)  # type: ignore[arg-type]
    return LearnedModel(
        "xgboost",
        "3.2.0",
        "trees",
        FEATURES,
        trees=() if is_line else (random_trees(random, 4).done(),),
        sums=(line,) if is_line else (total,),
        links=(link,),
        label=ClassRule(("0", "1"), Above("probability", 0.5)),
        outputs=(NamedNumber("score", "score"), NamedNumber("probability", "probability")),
    )


def question(model: LearnedModel, random: Random) -> tuple[list[Term], PathSummary] | None:
    """A formula about numbers of the model, which may or may not be satisfiable; None if nothing varies."""
    engine = engine_of(model)
    variables = list(engine.interface.inputs)
    free = [each for each in variables if random.random() < 0.7]
    fixed = {each.path: 3 if each.path == "town" else sf.float_to_bits64(0.1) for each in variables if each not in free}
    exploration = Exploration(fixed, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    summary = engine.explore(exploration)
    numbers = [one.symbol for one in summary.approximations]
    if not numbers:
        return None
    terms = [formula(each.type, each.domain, each.symbol) for each in free if each.path == "town"]
    for each in free:
        if each.path != "town":
            read = build.fp_from_bits(FLOAT64, each.symbol)
            low, high = (build.const(FLOAT64, sf.float_to_bits64(end)) for end in (-4.0, 4.0))
            terms += [build.fp_leq(low, read), build.fp_leq(read, high)]
    number = random.choice(numbers)
    assert isinstance(number.sort, Float)
    bound = sf.convert(FLOAT64, number.sort, sf.float_to_bits64(random.choice([0.05, 0.4, 0.55, 0.9, 1.6, 2.5])))
    return [*terms, build.fp_lt(build.const(number.sort, bound), number)], summary


def covered(terms: list[Term], summary: PathSummary) -> Cover | None:
    found = cover_cells(terms, box_functions(summary.approximations), 5_000, UNLIMITED.started(), Cancellation())
    return found if isinstance(found, Cover) else None


@given(random=SEEDED)
@settings(max_examples=40)
def test_the_cover_of_a_search_is_accepted(random: Random) -> None:
    model = random_model(random)
    asked = question(model, random)
    cover = None if asked is None else covered(*asked)
    if asked is None or cover is None:
        return
    terms, summary = asked
    assert recheck(json_of(CoverDocument.of(cover)), terms, summary.approximations, model) == ""


@pytest.mark.parametrize("ends", [(-10, 10), (5000, 6000), (-6000, -5000)])
def test_the_cover_of_an_integer_feature_is_accepted(ends: tuple[int, int]) -> None:
    """Negative numbers and others are in one box: its bounds are of that box, and not of every integer."""
    trees = TreesBuilder()
    trees.root()
    node = trees.number_test(0, 20000.0, missing_left=True)
    trees.children(node, trees.leaf([-1.0]), trees.leaf([2.0]))
    settings = {"trees": (trees.done(),), "sums": (TreeSum("score", 0),), "outputs": (NamedNumber("score", "score"),)}
    model = LearnedModel("xgboost", "3.2.0", "trees", (ModelFeature("n", "integer"),), **settings)  # type: ignore[arg-type]
    engine = engine_of(model)
    exploration = Exploration({}, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    summary = engine.explore(exploration)
    (n,), (score,) = engine.interface.inputs, summary.approximations
    low, high = (constant(n.type, end & (1 << 64) - 1) for end in ends)
    least = build.const(score.symbol.sort, sf.from_fraction(FLOAT64, Fraction(1)))
    terms = [build.bvsle(low, n.symbol), build.bvsle(n.symbol, high), build.fp_leq(least, score.symbol)]
    cover = covered(terms, summary)
    assert cover is not None
    assert recheck(json_of(CoverDocument.of(cover)), terms, summary.approximations, model) == ""


@given(random=SEEDED)
@settings(max_examples=40)
def test_what_the_model_gives_at_a_row_is_not_excluded(random: Random) -> None:
    """A cover of one box, a single row, with bounds just beside what the library's own order gives."""
    model = random_model(random)
    x, y = (random.choice([*VALUES, math.nan]) for _ in range(2))
    town = random.choice([0, 1, 2, MISSING])
    engine = engine_of(model)
    exploration = Exploration({}, TRUE, lambda _: Impossible(), UNLIMITED.started(), Cancellation())
    summary = engine.explore(exploration)
    used = [each.path for each in engine.interface.inputs]
    if not used:
        return
    bits = {"x": sf.float_to_bits64(x), "y": sf.float_to_bits64(y), "town": town & 0xFFFFFFFF}
    score = next(one for one in summary.approximations if one.enclosure.number.name == "score")  # type: ignore[union-attr]
    assert isinstance(score.symbol.sort, Float)
    codes = {0: 3.0, 1: 5.0, 2: 7.0, MISSING: math.nan}
    row = np.array([[x, y, codes[town]]])
    number = float(ModelEvaluation(model).of(row).numbers["score"][0])
    place = sf.ordinal(score.symbol.sort, sf.convert(FLOAT64, score.symbol.sort, sf.float_to_bits64(number)))
    terms = [
        *(build.eq(each.symbol, build.const(each.symbol.sort, bits[each.path])) for each in engine.interface.inputs),
        build.fp_lt(score.symbol, build.const(score.symbol.sort, sf.from_ordinal(score.symbol.sort, place))),
    ]
    cover = covered(terms, summary)
    if cover is None:  # in any order it may be less
        return
    document = json_of(CoverDocument.of(cover))
    assert recheck(document, terms, summary.approximations, model) == ""
    for side, away in ((0, 1), (1, -1)):
        bounds = [[each and [*each] for each in box] for box in document["bounds"]]
        for box in bounds:
            for ends in filter(None, box):
                ends[side] += 3 * away
                ends[1 - side] = max(ends) if away > 0 else min(ends)
        changed = document | {"bounds": bounds}
        if score.enclosure.number is not None and score.enclosure.number.end in (None, side):
            with pytest.raises(BundleError, match=r"wrong bound|bounds that are none"):
                recheck(changed, terms, summary.approximations, model)


# --- what was changed is found


@pytest.fixture(scope="module")
def proof() -> tuple[dict[str, Any], list[Term], PathSummary, LearnedModel]:
    for seed in range(200):
        random = Random(seed)
        model = random_model(random)
        asked = question(model, random)
        cover = None if asked is None or model.sums[0].any_order else covered(*asked)
        if asked is not None and cover is not None and sum(1 for each in cover.bounds if None not in each) > 4:
            return json_of(CoverDocument.of(cover)), *asked, model
    raise AssertionError("no such proof")


def _shifted(cover: dict[str, Any]) -> None:
    place = _bounded(cover)
    cover["boxes"][place][0][1] += 1


def _gone(cover: dict[str, Any]) -> None:
    del cover["boxes"][_bounded(cover)], cover["bounds"][_bounded(cover)]


def _too_low(cover: dict[str, Any]) -> None:
    bounds = cover["bounds"][_bounded(cover)][0]
    bounds[1] -= 1
    bounds[0] = min(bounds)


def _without_bounds(cover: dict[str, Any]) -> None:
    del cover["numbers"], cover["bounds"]


def _of_other_numbers(cover: dict[str, Any]) -> None:
    cover["numbers"][0] = "something else"


def _no_range(cover: dict[str, Any]) -> None:
    cover["bounds"][_bounded(cover)][0].reverse()


def _bounded(cover: dict[str, Any]) -> int:
    """A box with bounds of which one is not the other."""
    return next(place for place, each in enumerate(cover["bounds"]) if None not in each and each[0][0] + 2 < each[0][1])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_shifted, "leaves states out"),
        (_gone, "leaves states out"),
        (_too_low, "wrong bound"),
        (_without_bounds, "does not bound the numbers"),
        (_of_other_numbers, "does not bound the numbers"),
        (_no_range, "bounds that are none"),
    ],
)
def test_a_changed_cover_is_refused(change: Callable[[dict[str, Any]], None], why: str, proof: Any) -> None:
    cover, terms, summary, model = proof
    changed = {
        **cover,
        "boxes": [[[*side] for side in box] for box in cover["boxes"]],
        "bounds": [[each and [*each] for each in box] for box in cover["bounds"]],
        "numbers": [*cover["numbers"]],
    }
    change(changed)
    with pytest.raises(BundleError, match=why):
        recheck(changed, terms, summary.approximations, model)


def test_bounds_that_exclude_nothing_prove_nothing(proof: Any) -> None:
    cover, terms, summary, model = proof
    wide = [[each and [each[0] - 10_000_000, each[1] + 100_000_000] for each in box] for box in cover["bounds"]]
    assert recheck(cover | {"bounds": wide}, terms, summary.approximations, model) != ""

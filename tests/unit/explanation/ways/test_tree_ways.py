"""Ways through the trees of a model: what is told of them is what the library's own evaluation does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.model import LearnedModel, ModelFeature, TreeSum
from soid.engine.learned.model_interface import LearnedProgram
from soid.engine.learned.trees_builder import TreesBuilder
from soid.explanation.ways.tree_ways import tree_ways
from soid.explanation.ways.way_words import described, rest_told, summary
from soid.formula.sorts import FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import EnumType, FloatType, parse
from soid.query.words.variable_names import VariableNames

NUMBER = FloatType(FLOAT64, missing=True)
AGE = Variable("age", Role.ENVIRONMENT, NUMBER, label="the age", unit="years")
AREA = Variable("area", Role.ENVIRONMENT, EnumType("area", 32, True, (("N", 0), ("S", 1), ("W", 2))))
FEATURES = (ModelFeature("age"), ModelFeature("area", "category", (("N", 5), ("S", 6), ("W", 7))))


def program(count: int = 1, finish: tuple[tuple[Any, float], ...] = ()) -> LearnedProgram:
    trees = TreesBuilder()
    for tree in range(count):
        trees.root()
        first = trees.number_test(0, 20.5 + tree, missing_left=True)
        second = trees.code_test(1, (5, 7), missing_left=False)
        trees.children(first, second, trees.leaf([10.0 * (tree + 1)]))
        trees.children(second, trees.leaf([1.0]), trees.leaf([-1.0]))
    model = LearnedModel(
        "none", "", "trees", FEATURES, (trees.done(),), (TreeSum("score", 0, start=0.5, finish=finish),)
    )
    return LearnedProgram(model, (AGE, AREA), (), "")


def state(age: str, area: int) -> dict[str, int]:
    return {"age": parse(NUMBER, age), "area": area}


def ways(made: LearnedProgram, fact: dict[str, int], scenario: dict[str, int]):
    found = tree_ways(made, VariableNames(Interface((AGE, AREA))), fact, scenario)
    assert found is not None
    return found


def test_the_ways_part_at_one_test_and_end_in_their_leaves():
    found = ways(program(), state("18", 0), state("18", 1))
    (tree,) = found.trees
    assert [(turn.test, turn.holds) for turn in tree.shared] == [("the age is at most 20.5 years", True)]
    assert (tree.test, tree.holds, tree.leaves) == ("area is N or W", (True, False), (1.0, -1.0))
    assert (tree.fact, tree.scenario, found.sums) == ((), (), (1.5, -0.5))
    assert "in fact yes, there no" in described(found)


def test_a_way_may_end_sooner_than_the_other():
    (tree,) = ways(program(), state("30", 1), state("18", 1)).trees
    assert tree.fact == () and [turn.test for turn in tree.scenario] == ["area is N or W"]


def test_what_is_missing_goes_where_the_tree_says():
    (tree,) = ways(program(), state("missing", 0), state("40", 0)).trees
    assert tree.test == "the age is at most 20.5 years, or missing" and tree.holds == (True, False)


def test_those_that_move_the_sum_most_come_first():
    found = ways(program(6), state("18", 0), state("60", 0))
    assert [tree.number for tree in found.trees] == [6, 5, 4] and (found.parted, found.count) == (6, 6)
    assert found.rest == 9.0 + 19.0 + 29.0 and "The other 3 trees" in rest_told(found)
    assert "in 6 of 6 trees" in summary(found)


def test_the_same_way_through_all_trees_is_said():
    found = ways(program(2), state("18", 0), state("19", 2))
    assert found.trees == () and "the same way through all 2 trees" in summary(found)


def test_a_bound_is_not_rounded_to_the_other_side_of_a_value():
    trees = TreesBuilder()
    trees.root()
    test = trees.number_test(0, 2.649999976158142, missing_left=False)
    trees.children(test, trees.leaf([0.0]), trees.leaf([1.0]))
    model = LearnedModel("none", "", "tree", FEATURES, (trees.done(),), (TreeSum("score", 0),))
    made = LearnedProgram(model, (AGE, AREA), (), "")
    (tree,) = ways(made, state("2.64999", 0), state("2.65", 0)).trees
    bound = float(tree.test.split()[-2])
    assert 2.64999 <= bound < 2.65 and tree.holds == (True, False)


def test_a_model_without_trees_has_no_such_ways():
    made = LearnedProgram(LearnedModel("none", "", "none", FEATURES), (AGE, AREA), (), "")
    assert tree_ways(made, VariableNames(Interface((AGE, AREA))), state("1", 0), state("2", 0)) is None


ages = st.one_of(st.just("missing"), st.floats(0, 60, allow_nan=False).map(repr))


@given(ages, st.integers(0, 2), ages, st.integers(0, 2), st.sampled_from([(), (("divide", 4.0), ("add", 2.0))]))
def test_sums_are_those_of_the_evaluation(one, area, other, there, finish):
    made = program(4, finish)
    found = ways(made, state(one, area), state(other, there))
    rows = [[math.nan if age == "missing" else float(age), 5.0 + code] for age, code in ((one, area), (other, there))]
    expected = ModelEvaluation(made.model).of(np.array(rows)).numbers["score"].tolist()
    assert list(found.sums) == pytest.approx(expected)
    moved = sum(tree.moved for tree in found.trees) + found.rest
    assert moved == pytest.approx(found.sums[1] - found.sums[0])

"""Tests of trees through preparations, beside what `test_skops.py` compares with scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from soid.engine.learned.column_steps import Bins, ColumnArithmetic, Indicator
from soid.engine.learned.evaluation import ModelEvaluation
from soid.engine.learned.model import LearnedModel, ModelRefused, TreeSum
from soid.engine.learned.readers.skops.prepared_columns import Inputs, Numeric, Prepared
from soid.engine.learned.readers.skops.tree_tests import NodeArrays, TreeTests, checked, gathered
from soid.engine.learned.trees_builder import TreesBuilder
from soid.errors import ProgramError


def one_test(threshold: float) -> NodeArrays:
    """A tree with one test, which says 1 on the left and 2 on the right."""
    return NodeArrays(
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        is_leaf=np.array([False, True, True]),
        column=np.zeros(3, np.int64),
        threshold=np.array([threshold, 0.0, 0.0]),
        missing_left=np.zeros(3, bool),
        values=np.array([[0.0], [1.0], [2.0]]),
    )


def says(column: Numeric, threshold: float, values: list[float]) -> list[float]:
    inputs, builder = Inputs(["x"]), TreesBuilder()
    TreeTests(inputs, Prepared((column,)), [one_test(threshold)], as_float32=True).add(builder, one_test(threshold), "")
    model = LearnedModel("", "", "", inputs.finished(), (builder.done(),), (TreeSum("value", 0),))
    return [float(each) for each in ModelEvaluation(model).of(np.array(values)[:, None]).numbers["value"]]


def test_a_cut_is_where_the_prepared_number_passes_the_threshold() -> None:
    column = Numeric(0, (ColumnArithmetic("subtract", 0.1), ColumnArithmetic("divide", 3.7)))
    values = [0.1 + 3.7 * 0.25 + step * 1e-9 for step in range(-200, 200)]
    expected = [1.0 if float(np.float32((x - 0.1) / 3.7)) <= 0.25 else 2.0 for x in values]
    assert says(column, 0.25, values) == expected
    assert set(expected) == {1.0, 2.0}


@pytest.mark.parametrize(("bin", "inside"), [(0, [-9.0, 0.9]), (1, [1.0, 1.5]), (2, [2.0, 99.0])])
def test_one_bin_is_below_its_end_and_not_below_its_beginning(bin: int, inside: list[float]) -> None:
    values = [-9.0, 0.9, 1.0, 1.5, 2.0, 99.0]
    column = Numeric(0, (Bins((1.0, 2.0)), Indicator(float(bin))))
    assert says(column, 0.5, values) == [2.0 if value in inside else 1.0 for value in values]
    assert says(column, 1.0, values) == [1.0] * 6
    assert says(column, -0.5, values) == [2.0] * 6


def test_a_threshold_may_be_infinite_and_is_a_number() -> None:
    assert says(Numeric(0), math.inf, [-1e30, 1e30]) == [1.0, 1.0]
    with pytest.raises(ProgramError, match="no number"):
        checked(one_test(math.nan), 1, "tree")


def test_trees_that_are_named_again_and_again_are_not_gathered() -> None:
    tree = one_test(0.0)

    def endless() -> Iterator[NodeArrays]:
        while True:
            yield tree

    with pytest.raises(ModelRefused, match="nodes"):
        gathered(endless())

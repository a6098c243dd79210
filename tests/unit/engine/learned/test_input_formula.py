"""What an application makes of a variable: the steps compute what Python and numpy compute, to the bit."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soid.engine.learned.column_steps import Column
from soid.engine.learned.evaluation import column_values
from soid.engine.learned.input_formula import FormulaError, written

FORMULAS = (
    "(a - 19791.091) / 60261.0", "a * 0.1 + 0.2", "1 - a", "-(a + 3)", "2 * (a - 1) / 7", "a", "-a * -2.5e-3",
    "(1 + 2) * a - 4 / 3", "+a", "10 - (3 - a)",
)  # fmt: skip


def made(text: str, value: float) -> float:
    (steps,) = written(text).columns
    with np.errstate(all="ignore"):
        found = column_values(Column(0, steps), np.array([[value]]), np.zeros((1, 1), np.int64))
    return float(found[0])


@given(st.sampled_from(FORMULAS), st.floats(-1e6, 1e6))
def test_it_computes_as_python_does(text: str, value: float) -> None:
    assert made(text, value) == eval(text, {"a": value})


@given(st.sampled_from(FORMULAS), st.floats(-1e6, 1e6))
def test_it_computes_as_numpy_does_in_float32(text: str, value: float) -> None:
    singles = re.sub(r"(?<![\w.])(\d[\d.]*(?:e-?\d+)?)", r"f(\1)", text)
    expected = eval(singles, {"a": np.float32(value), "f": np.float32})
    assert made(f"in float32: {text}", value) == float(expected)


def test_labels_become_numbers() -> None:
    one_hot = written("one hot of weather: DRY, light rain,SNOW")
    assert one_hot.labels == ("DRY", "light rain", "SNOW")
    rows, codes = np.zeros((4, 1)), np.array([[0], [1], [2], [-1]])
    columns = [column_values(Column(0, steps), rows, codes).tolist() for steps in one_hot.columns]
    assert [column[:3] for column in columns] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert all(math.isnan(column[3]) for column in columns)
    (steps,) = written("code of gear: UP = 1.5, DOWN = -2").columns
    assert column_values(Column(0, steps), rows, codes).tolist()[:2] == [1.5, -2.0]


def test_what_is_beyond_a_bound_is_the_bound() -> None:
    assert [made("clip(a / 2, -1, 1.5)", value) for value in (-10.0, 1.0, 3.5)] == [-1.0, 0.5, 1.5]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is missing"),
        ("3", "no variable"),
        ("a + b", "second name"),
        ("a / 0", "divide by 0"),
        ("1 / a", "divides by"),
        ("a * (1 - 1)", "multiply by 0"),
        ("a b", "one too many"),
        ("(a", "is missing"),
        ("a $ 2", "no number"),
        ("clip(a, 2, 1)", "clip takes"),
        ("clip(1, 2, 3)", "clip takes"),
        ("a * 1e999", "too large"),
        ("* a", "where a number"),
        ("in float32: a * 1e39", "too large for a float32"),
        ("code of a: B", "needs a number"),
        ("3 / 0 * a", "divides by 0"),
        ("one hot of a: B, B", "twice"),
        ("one hot of a:", "empty"),
        ("(" * 60 + "a" + ")" * 60, "brackets"),
        ("a * 1e300 * 1e300 * (1e300 * 1e300)", "too large"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        written(text)

"""Which part of its states a search says is settled."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from soid.budget import Budget, Cancellation
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32, FLOAT64, BitVec, Float
from soid.formula.value_order import ValueOrder
from soid.oracle.inquiry import box_functions
from soid.solver import settled_part
from soid.solver.cell_search import search_cells
from soid.solver.settled_part import SettledPart
from tests.unit.evidence.learned.test_network_covers import asked


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settled_part, "_OFTEN", 0.0)


def test_what_is_left_is_what_is_still_to_be_looked_at_or_stays_open() -> None:
    said: list[float] = []
    integers = ValueOrder(BitVec(8), signed=True)
    part = SettledPart(((0, 9), (-5, 4)), [integers, integers], said.append)
    whole = np.array([[0, -5]]), np.array([[9, 4]])
    halves = np.array([[0, -5], [5, -5]]), np.array([[4, 4], [9, 4]])
    part.add(whole, [halves], [])
    part.add((halves[0][:1], halves[1][:1]), [], [])
    part.add((halves[0][1:], halves[1][1:]), [], [((5, 5), (-5, 4))])
    assert said == pytest.approx([0.0, 0.5, 0.9])


@pytest.mark.parametrize("form", [FLOAT32, FLOAT64])
def test_a_range_of_floats_counts_by_its_length(form: Float) -> None:
    """Most floats of 0 to 1 are near 0."""
    order, said = ValueOrder(form), list[float]()
    low, quarter, high = (sf.ordinal(form, sf.from_fraction(form, Fraction(each, 4))) for each in (0, 1, 4))
    part = SettledPart(((low, high), (3, 3)), [order, order], said.append)
    part.add((np.array([[low, 3]]), np.array([[high, 3]])), [(np.array([[quarter, 3]]), np.array([[high, 3]]))], [])
    assert said == pytest.approx([0.25])


def test_a_range_of_all_floats_has_parts_too() -> None:
    order, said = ValueOrder(FLOAT64), list[float]()
    part = SettledPart((order.places,), [order], said.append)
    low, high = (np.array([[end]]) for end in order.places)
    part.add((low, high), [(np.array([[0]]), high)], [])
    assert said == pytest.approx([0.5])


def test_a_long_search_over_a_network_says_how_much_is_settled() -> None:
    terms, numbers, _ = asked(2, 0.2, (12, 24, 24, 3))
    said: list[float] = []
    found = search_cells(terms, box_functions(numbers), Budget(20.0).started(), Cancellation(), said.append)
    assert found == {}  # proved
    assert len(said) > 3 and all(0.0 <= one <= 0.999 for one in said)
    assert said == sorted(said) and said[-1] > 0.5

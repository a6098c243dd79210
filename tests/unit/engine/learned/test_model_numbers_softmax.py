"""A class that is chosen by shares of a softmax: numbers that differ a little may have the same share."""

from __future__ import annotations

import math

import pytest

from soid.engine.learned.model import Greatest
from soid.engine.learned.model_numbers import KnownNumber, label_of
from soid.formula import build
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT64


def known(low: float, high: float) -> KnownNumber:
    ends = [build.const(FLOAT64, sf.float_to_bits64(each)) for each in (low, high)]
    return KnownNumber(ends[0], ends[0] if low == high else ends[1])


@pytest.mark.parametrize("count", [2, 3, 40])
@pytest.mark.parametrize("width", [0.0, 1e-12])
def test_a_lead_that_a_softmax_may_lose_settles_nothing(count: int, width: float) -> None:
    """The last class has the greatest number, by one unit in the last place: its share may be that of the first."""
    names = tuple(f"y_{place}" for place in range(count))
    numbers = {name: known(1.0, 1.0 + width) for name in names}
    above = math.nextafter(1.0 + width, 2.0)
    numbers[names[-1]] = known(above, above + width)
    assert label_of(Greatest(names), numbers, "").defined is build.TRUE
    assert label_of(Greatest(names, after_softmax=True), numbers, "").defined is build.FALSE

"""A threshold beyond all that its number can be is a mistake: it would be proved that the decision never changes."""

from __future__ import annotations

from typing import Any

import pytest

from soid.engine.learned.learned_source import Threshold
from soid.engine.learned.model import Link, NamedNumber, TreeSum
from soid.errors import ManifestError
from tests.unit.engine.learned.test_learned_engine import binary, engine_of

COUNT = binary(
    links=(Link("half", "exp", ("score",), 64), Link("value", "single", ("half",), 32)),
    outputs=(NamedNumber("value", "value"),),
)
SHARE = binary(links=(Link("value", "sigmoid", ("score",), 32),), outputs=(NamedNumber("value", "value"),))
FOREST = binary(sums=(TreeSum("mean", 0),), links=(), label=None, outputs=(NamedNumber("probability", "mean"),))


@pytest.mark.parametrize(
    ("model", "number", "comparison", "bound", "remedy"),
    [
        (binary(), "probability", ">=", "1.5", "1.5 % is 0.015"),
        (binary(), "probability", ">=", "37", "37 % is 0.37"),
        (binary(), "probability", "<", "100", "100 % is 1"),
        (binary(), "probability", ">", "1", "either side"),
        (binary(), "probability", "<=", "1.0", "either side"),
        (binary(), "probability", ">=", "0", "either side"),
        (binary(), "probability", "<", "-0.2", "either side"),
        (FOREST, "probability", ">", "2", "2 % is 0.02"),
        (SHARE, "value", ">", "50", "50 % is 0.5"),
        (COUNT, "value", ">=", "-1", "either side"),
    ],
)
def test_a_bound_that_nothing_reaches_is_refused(
    model: Any, number: str, comparison: Any, bound: str, remedy: str
) -> None:
    with pytest.raises(ManifestError) as refused:
        engine_of(model, Threshold("approve", number, comparison, bound))
    assert f"{number} {comparison} {bound} is " in refused.value.cause and remedy in refused.value.remedy


@pytest.mark.parametrize(
    ("model", "number", "comparison", "bound"),
    [
        (binary(), "probability", ">=", "1"),
        (binary(), "probability", ">", "0"),
        (binary(), "probability", "<=", "0"),
        (binary(), "probability", "<", "1e0"),
        (binary(), "score", ">=", "37"),  # what this model has learned does not count
        (binary(), "score", "<", "-37"),
        (COUNT, "value", ">", "0"),
        (COUNT, "value", "<=", "1000"),
    ],
)
def test_a_bound_that_may_be_reached_is_not(model: Any, number: str, comparison: Any, bound: str) -> None:
    assert "approve" in engine_of(model, Threshold("approve", number, comparison, bound)).interface

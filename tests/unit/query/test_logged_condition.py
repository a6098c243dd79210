"""Where a condition holds in a log: the same as what each step has, and not known where something was not logged."""

from __future__ import annotations

import pytest

from soid.errors import QueryError
from soid.formula.sorts import FLOAT64
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType
from soid.query.logged_condition import LoggedCondition
from soid.scenario.log_series import read_series
from soid.scenario.trace import Step, Trace

COUNT = IntType(8, signed=True)
INTERFACE = Interface(
    (
        Variable("speed", Role.ENVIRONMENT, FloatType(FLOAT64)),
        Variable("gear", Role.ENVIRONMENT, EnumType("gear", 8, signed=False, labels=(("LOW", 0), ("HIGH", 1)))),
        Variable("calls", Role.STATE, COUNT),
        Variable("brake", Role.DECISION, BoolType()),
    )
)


def bits(speed: float) -> int:
    from struct import pack, unpack

    return int(unpack("<Q", pack("<d", speed))[0])


def log(*rows: tuple[float | None, int, int, int]) -> Trace:
    def step(at: int, speed: float | None, gear: int, calls: int, brake: int) -> Step:
        unlogged = {"speed"} if speed is None else set()
        inputs = {"speed": bits(speed or 0.0), "gear": gear, "calls": calls}
        decisions = {"brake": brake, "calls'": calls + 1}
        return Step(10 * at, inputs, decisions, "", dict.fromkeys(unlogged, "why"))  # type: ignore[arg-type]

    return Trace(INTERFACE, tuple(step(at, *row) for at, row in enumerate(rows)))


LOG = log((1.0, 0, 0, 0), (3.5, 0, 1, 0), (4.0, 1, 2, 1), (-0.0, 1, 3, 1), (None, 1, 4, 0), (9.0, 1, 5, 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("speed > 3", [(10, 20), (50, 50)]),
        ("speed == 0", [(30, 30)]),
        ("not speed > 3", [(0, 0), (30, 30)]),  # at step 40 neither is known
        ("brake and gear == HIGH", [(20, 30)]),
        ("calls >= 5", [(50, 50)]),
        ("speed > 100", []),
        ("brake or not brake", [(0, 50)]),
    ],
)
def test_it_holds_where_the_logged_values_say_so(text, expected):
    condition = LoggedCondition(text, INTERFACE)
    assert condition.stretches(read_series(LOG)) == expected
    inside = [step.time for step in LOG.steps if condition.holds(step)]
    assert inside == [step.time for step in LOG.steps if any(low <= step.time <= high for low, high in expected)]


@pytest.mark.parametrize("text", ["fails", "speed >", "nothing > 3", "speed > 3 if gear == LOW"])
def test_what_is_no_condition_on_a_step_is_refused(text):
    with pytest.raises(QueryError):
        LoggedCondition(text, INTERFACE)


def test_what_the_log_does_not_have_is_told():
    rows = tuple(Step(at, {}, {"brake": 1}, "", {"speed": "why", "gear": "why", "calls": "why"}) for at in range(2))  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="of speed nothing was read"):
        LoggedCondition("speed > 3", INTERFACE).stretches(read_series(Trace(INTERFACE, rows)))

import pytest

from soid.errors import QueryError
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType
from soid.scenario.trace import Step, Trace
from soid.sweep.chosen_steps import ChosenSteps

LEVEL = Variable("level", Role.ENVIRONMENT, IntType(8, signed=False))
STATE = Variable("seen", Role.STATE, IntType(8, signed=False))
LOG = Trace(
    Interface((LEVEL, STATE, Variable("stop", Role.DECISION, BoolType()))),
    tuple(
        Step(at, {"level": at % 4, "seen": 0}, {"stop": int(at > 14), "seen'": at})
        for at in (*range(10, 14), *range(15, 20))
    ),
)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("all", [10, 11, 12, 13, 15, 16, 17, 18, 19]),
        ("17", [17]),
        ("18..40, 11", [11, 18, 19]),
        ("12 .. 16, 13", [12, 13, 15, 16]),
        ("where level >= 2 and not stop", [10, 11]),
        ("changed", [15]),
        ("0..9", []),
    ],
)
def test_the_steps_of_a_log_that_are_meant(text, steps):
    assert list(ChosenSteps.of(text).within(LOG)) == steps


@pytest.mark.parametrize("text", ["", "some", "3..", "3,", "1 2", "where", "5..2"])
def test_what_is_no_choice_of_steps_is_told_with_a_remedy(text):
    with pytest.raises(QueryError) as caught:
        ChosenSteps.of(text)
    assert caught.value.remedy


def test_a_condition_is_checked_with_the_log():
    with pytest.raises(QueryError, match="lever"):
        list(ChosenSteps.of("where lever > 2").within(LOG))

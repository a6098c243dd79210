"""The course of a question: what is perceived in which step, and which scenario is the fact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from soid.engine.summary import OutputValue
from soid.errors import KeyframeError, QueryError
from soid.formula import build
from soid.formula.sorts import BOOL
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.perception import resolved
from soid.program.types import BoolType, IntType
from soid.query.language.query_parser import parse_suppositions
from soid.scenario.course import Course
from soid.scenario.future import Future
from soid.scenario.supposed_course import supposed_course
from soid.scenario.supposition import Anything
from soid.scenario.trace import Keyframe, Step, Trace

BYTE = IntType(8, signed=False)
INTERFACE = Interface(
    (
        Variable("gps", Role.ENVIRONMENT, BoolType()),
        Variable("pilot", Role.ENVIRONMENT, BYTE, Range(0, 3)),
        Variable("mode", Role.STATE, BYTE),
        Variable("move", Role.DECISION, BoolType()),
    )
)
#: gps and pilot, from step 7 on; 12 is missing
LOG = {7: (1, 0), 8: (1, 2), 9: (0, 2), 10: (0, 1), 11: (1, 1), 13: (1, 1)}


def keyframe(step: int = 7) -> Keyframe:
    steps = (Step(time, {"gps": gps, "pilot": pilot, "mode": 5}, {}) for time, (gps, pilot) in LOG.items())
    return Trace(INTERFACE, tuple(steps)).keyframe(step)


def made(text: str, count: int = 4, future: Future = Future.AS_LOGGED, step: int = 7) -> Course:
    return supposed_course(keyframe(step), parse_suppositions(text, INTERFACE) if text else (), count, future)


def perceived(found: Course, **inputs: int) -> list[tuple[int, int]]:
    """gps and pilot in each step of a scenario, whose inputs are as in fact but for these."""
    state = {**found.fact, **{name.replace("_at_", "@").replace("_to_", ".."): v for name, v in inputs.items()}}
    later = resolved(found.environments, state) or ({},) * 3
    return [(each.get("gps", state["gps"]), each.get("pilot", state["pilot"])) for each in ({}, *later)]


def state(found: Course, **changed: Any) -> dict[str, int]:
    return {**found.fact, **{name.replace("_at_", "@").replace("_to_", ".."): v for name, v in changed.items()}}


def test_as_logged_the_rest_goes_on_and_what_is_supposed_lasts() -> None:
    assert perceived(made("gps"), gps=0) == [(0, 0), (0, 2), (0, 2), (0, 1)]
    assert perceived(made("mode == 3")) == [(1, 0), (1, 2), (0, 2), (0, 1)]


def test_held_everything_stays() -> None:
    found = made("pilot == 3", future=Future.HELD)
    assert found.environments == () and found.interface.inputs == INTERFACE.inputs
    assert perceived(found, pilot=3) == [(1, 3)] * 4


def test_what_has_steps_is_an_input_of_its_own() -> None:
    found = made("pilot == 3 at step 8 and not gps from step 9")
    assert [v.path for v in found.interface.inputs] == ["gps", "pilot", "mode", "pilot@8", "gps@9.."]
    assert found.fact["pilot@8"] == 2 and found.fact["gps@9.."] == 0
    assert perceived(found, pilot_at_8=3, gps_at_9_to_=1) == [(1, 0), (1, 3), (1, 2), (1, 1)]
    held = made("pilot == 3 from step 8 to step 9", future=Future.HELD)
    assert perceived(held, pilot_at_8_to_9=3) == [(1, 0), (1, 3), (1, 3), (1, 0)]
    assert held.fact["pilot@8..9"] == 0  # what is held is what it is compared with


def test_the_first_step_has_the_programs_own_inputs() -> None:
    once = made("pilot == 3 at step 7")
    assert once.interface.inputs == INTERFACE.inputs
    assert perceived(once, pilot=3) == [(1, 3), (1, 2), (0, 2), (0, 1)]
    assert perceived(made("pilot == 3 at step 7", future=Future.HELD), pilot=3) == [(1, 3), (1, 0), (1, 0), (1, 0)]
    assert perceived(made("pilot == 3 from step 7 to step 8"), pilot=3) == [(1, 3), (1, 3), (0, 2), (0, 1)]


def test_anything_frees_every_later_value() -> None:
    found = made("pilot == 3", 3, Future.ANYTHING)
    assert set(found.family().freed) == {"pilot", "gps@8", "pilot@8", "gps@9", "pilot@9"}
    assert perceived(found, pilot=3, gps_at_8=0, pilot_at_9=1) == [(1, 3), (0, 2), (0, 1)]
    assert set(made("pilot == 3 from step 8", 3, Future.ANYTHING).family().freed) == {"pilot@8..", "gps@8", "gps@9"}
    assert found.family().contains(state(found, pilot=3))
    assert not found.family().contains(state(found, pilot=3, pilot_at_9=4))  # not in its domain


def test_what_is_kept_is_as_logged_among_anything() -> None:
    found = made("pilot == 3 and keep gps", 4, Future.ANYTHING)
    assert set(found.family().freed) == {"pilot", "pilot@8", "pilot@9", "pilot@10"}
    assert perceived(found, pilot=3, pilot_at_9=0) == [(1, 3), (1, 2), (0, 0), (0, 1)]
    with pytest.raises(KeyframeError, match="step 12 is not in the log"):
        made("pilot == 3 and keep gps", 3, Future.ANYTHING, step=10)


def test_the_fact_is_what_was_logged_in_all_steps() -> None:
    lasting = made("pilot is anything").family()
    assert lasting.contains(state(made("pilot is anything"), pilot=0))  # it was 0 at step 7, and 2 afterwards
    once = made("pilot is anything at step 8")
    assert not once.family().contains(state(once, pilot_at_8=2)) and once.family().contains(state(once, pilot_at_8=1))
    twice = made("pilot is anything from step 8 to step 9")
    assert not twice.family().contains(state(twice, pilot_at_8_to_9=2))
    everything = made("", 3, Future.ANYTHING)
    assert not everything.family().contains(state(everything))


def test_a_rounded_log_has_a_fact_only_where_one_value_rounds_to_all_that_was_logged() -> None:
    def fact_in(*ranges: tuple[int, int]) -> bool:
        logged = [Step(7 + n, {"gps": 1, "pilot": low, "mode": 5}, {}, rounded={"pilot": Range(low, high)})
                  for n, (low, high) in enumerate(ranges)]  # fmt: skip
        found = supposed_course(
            Trace(INTERFACE, tuple(logged)).keyframe(7), (Anything("pilot"),), len(ranges), Future.AS_LOGGED
        )
        return any(not found.family().contains(state(found, pilot=value)) for value in range(4))

    assert fact_in((0, 1), (1, 2)) and fact_in((2, 3))
    assert not fact_in((0, 1), (2, 3))


def test_a_log_that_ends_is_no_fact_of_what_follows() -> None:
    short = made("", 4, Future.ANYTHING, step=10)
    assert short.family().contains(state(short))
    assert short.assumed == {"gps@12", "pilot@12", "gps@13", "pilot@13"} and short.fact["gps@11"] == 1


def test_a_log_that_ends_too_early_is_an_error_with_a_remedy() -> None:
    with pytest.raises(KeyframeError, match="step 12 is not in the log") as found:
        made("gps", 4, step=10)
    assert "`4 steps held`" in found.value.remedy and "`4 steps anything`" in found.value.remedy
    assert made("gps", 2, step=10).environments


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gps at step 6", "step 6 is not one that the question is about: steps 7 to 10"),
        ("gps from step 9 to step 11", "step 11 is not one that the question is about"),
        ("pilot == 1 from step 8 and pilot == 2 at step 9", "two things are supposed of pilot at step 9"),
        ("pilot == 1 and pilot == 2 at step 9", "two things are supposed of pilot at step 9"),
        ("pilot == 1 and pilot == 1 until move", "two things are supposed of pilot at step 7"),
        ("pilot == 1 until move and pilot == 2 from step 9", "two things are supposed of pilot at step 9"),
        ("pilot == 1 from step 8 and pilot > 0 from step 8 until move", "two things are supposed of pilot at step 8"),
        ("pilot == 1 until move and pilot > 0 until not move", "two things are supposed of pilot at step 7"),
        ("gps from step 11 until move", "step 11 is not one that the question is about"),
    ],
)
def test_steps_that_do_not_fit(text: str, complaint: str) -> None:
    with pytest.raises(QueryError, match=complaint):
        made(text)


def outputs(*moves: int) -> list[dict[str, OutputValue]]:
    """What a run decides in each step."""
    return [{"move": OutputValue(build.const(BOOL, bool(move)))} for move in moves]


def course_of(found: Course, moves: Sequence[int], **inputs: int) -> list[tuple[int, int]]:
    """gps and pilot in each step of a scenario that decides so."""
    given = state(found, **inputs)
    later = resolved(found.environments, given, outputs(*moves))
    return [(each.get("gps", given["gps"]), each.get("pilot", given["pilot"])) for each in ({}, *later)]


def test_until_something_is_decided() -> None:
    found = made("pilot == 3 until move")
    assert found.interface.inputs == INTERFACE.inputs
    assert course_of(found, [0, 0, 0], pilot=3) == [(1, 3), (1, 3), (0, 3), (0, 3)]
    assert course_of(found, [0, 1, 0], pilot=3) == [(1, 3), (1, 3), (0, 2), (0, 1)]
    assert course_of(found, [1, 0, 0], pilot=3) == [(1, 3), (1, 2), (0, 2), (0, 1)]
    held = made("pilot == 3 until move", future=Future.HELD)
    assert course_of(held, [0, 1, 0], pilot=3) == [(1, 3), (1, 3), (1, 0), (1, 0)]


def test_until_something_from_a_later_step_on() -> None:
    """What is decided before it begins does not end it."""
    found = made("pilot == 3 from step 8 until move")
    assert course_of(found, [1, 0, 1], pilot_at_8_to_=3) == [(1, 0), (1, 3), (0, 3), (0, 1)]
    held = made("pilot == 3 from step 8 until move", future=Future.HELD)
    assert course_of(held, [1, 1, 0], pilot_at_8_to_=3) == [(1, 0), (1, 3), (1, 0), (1, 0)]
    twice = made("pilot == 3 at step 7 and pilot == 2 from step 8 until move", future=Future.HELD)
    assert course_of(twice, [0, 1, 0], pilot=3, pilot_at_8_to_=2) == [(1, 3), (1, 2), (1, 0), (1, 0)]


def test_until_something_and_then_anything() -> None:
    found = made("pilot == 3 until move and keep gps", 3, Future.ANYTHING)
    assert set(found.family().freed) == {"pilot", "pilot@8", "pilot@9"}
    assert course_of(found, [0, 1], pilot=3, pilot_at_8=2, pilot_at_9=1) == [(1, 3), (1, 3), (0, 1)]
    assert course_of(found, [1, 0], pilot=3, pilot_at_8=1, pilot_at_9=2) == [(1, 3), (1, 1), (0, 2)]


def test_which_scenario_is_the_fact_depends_on_when_it_ended_in_fact() -> None:
    """The pilot's 0 was 2 from step 8 on; if it ends with step 7, nothing differs from what was logged."""
    found = made("pilot is anything until move")
    assert found.family().contains(state(found, pilot=0))
    assert not found.lasting_as({"pilot": 1}).family().contains(state(found, pilot=0))
    assert found.lasting_as({"pilot": 2}).family().contains(state(found, pilot=0))
    assert [each.matters for each in found.untils] == [True]
    assert [each.matters for each in made("pilot is anything from step 8 until move", 3).untils] == [False]
    free = made("pilot is anything until move and keep gps", 3, Future.ANYTHING)
    assert free.family().contains(state(free, pilot_at_8=3))
    ended = free.lasting_as({"pilot": 1}).family()  # what is perceived at step 8 and 9 is pilot@8 and pilot@9
    assert not ended.contains(state(free)) and ended.contains(state(free, pilot_at_8=3))
    constant = made("gps until move and keep pilot", 3, Future.ANYTHING).lasting_as({"gps": 2}).family()
    assert not constant.contains(state(free, gps_at_8=0, gps_at_9=0)) and constant.unperceived == {"gps@8"}


def test_too_many_free_values_are_refused() -> None:
    with pytest.raises(QueryError, match="leave 40,000 values open"):
        made("", 20_000, Future.ANYTHING)


def test_what_has_one_value_in_several_steps_is_known() -> None:
    assert made("pilot is anything").lasting == {"pilot"}
    assert made("pilot is anything at step 8 and gps from step 9").lasting == {"gps@9.."}
    assert made("pilot is anything from step 7 to step 8").lasting == {"pilot"}
    assert made("pilot is anything at step 7").lasting == frozenset()
    assert made("pilot is anything", future=Future.HELD).lasting == {"gps", "pilot"}
    assert made("pilot is anything", future=Future.ANYTHING).lasting == frozenset()


# --- what an explanation asks of a course -----------------------------------------------------------------------


def test_an_input_goes_back_to_what_was_logged_in_each_of_its_steps() -> None:
    found = made("pilot is anything from step 8 and gps")
    assert perceived(found, gps=0, pilot_at_8_to_=3) == [(0, 0), (0, 3), (0, 3), (0, 3)]
    back = found.returning(["pilot@8.."])
    assert perceived(back, gps=0, pilot_at_8_to_=3) == [(0, 0), (0, 2), (0, 2), (0, 1)]
    assert "pilot@8.." not in back.perceived and back.recorded.keys() == {"gps"}
    assert perceived(found.returning(["gps", "pilot@8.."]), gps=1) == [(1, 0), (1, 2), (0, 2), (0, 1)]


def test_what_ended_goes_back_too() -> None:
    found = made("pilot == 2 from step 8 until move").returning(["pilot@8.."])
    assert perceived(found) == [(1, 0), (1, 2), (0, 2), (0, 1)]


def test_the_steps_of_an_input_in_words() -> None:
    def told(text: str, path: str, future: Future = Future.AS_LOGGED) -> str:
        return made(text, future=future).told(path, 7)

    assert told("pilot is anything", "pilot") == "from step 7 on"
    assert told("pilot is anything", "pilot", Future.ANYTHING) == "at step 7"
    assert told("pilot is anything at step 7", "pilot") == "at step 7"
    assert told("pilot is anything from step 7 to step 8", "pilot") == "from step 7 to step 8"
    assert told("pilot is anything from step 8", "pilot@8..") == "from step 8 on"
    assert told("pilot == 2 from step 8 until move", "pilot@8..") == "from step 8 until move"
    assert told("mode is anything and pilot is anything", "mode") == "at step 7"
    assert told("mode is anything", "mode", Future.HELD) == ""
    assert made("pilot is anything", 1).told("pilot", 7) == ""


def test_an_input_is_as_in_fact_only_if_it_had_one_value() -> None:
    family = made("pilot is anything from step 8 to step 9 and gps is anything").family()
    steady = {v.path: family.was_one_value(v) for v in family.varying}
    assert steady == {"gps": False, "pilot@8..9": True}

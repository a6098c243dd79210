"""Marks on the slider."""

from __future__ import annotations

from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, IntType
from soid.scenario.log_series import read_series
from soid.scenario.trace import Step, Trace
from soid.web.page.timeline import Mark, marks

MOVE = Variable("move", Role.DECISION, BoolType())
COUNT = Variable("count", Role.DECISION, IntType(32, signed=True))


def log(*moves: int | None) -> Trace:
    steps = tuple(Step(10 * at, {}, {} if move is None else {"move": move}) for at, move in enumerate(moves))
    return Trace(Interface((MOVE,)), steps)


def found(trace: Trace, names: dict[int, str] | None = None) -> list[Mark]:
    return marks(trace, names or {}, read_series(trace))


def test_a_change_is_marked_where_it_happens_by_its_index() -> None:
    told = [(mark.at, mark.label) for mark in found(log(0, 0, 1, 1, 0))]
    assert told == [(2, 'step 20: it decides for "move"'), (4, 'step 40: it decides against "move"')]


def test_a_decision_that_is_no_longer_logged_is_told() -> None:
    told = [mark.label for mark in found(log(1, None, 1))]
    assert told == ["step 10: move is not logged", 'step 20: it decides for "move"']


def test_a_name_says_what_changed_there_too_and_needs_no_log_that_was_read() -> None:
    trace = log(0, 1, 1)
    assert found(trace, {10: "the start"}) == [Mark(1, 'step 10: “the start”, it decides for "move"', "named")]
    assert marks(trace, {10: "the start"}, None) == [Mark(1, "step 10: “the start”", "named")]


def test_of_a_part_of_the_log_the_marks_are_at_their_places_in_the_whole() -> None:
    trace = log(0, 0, 1, 1, 0)
    assert [mark.at for mark in marks(trace, {}, read_series(trace, first=20))] == [4]


def test_a_long_log_has_as_many_marks_as_can_be_told_apart_and_every_name() -> None:
    trace = Trace(Interface((COUNT,)), tuple(Step(at, {}, {"count": at}) for at in range(100_000)))
    told = found(trace, {77_777: "the crash", 77_778: "after it"})
    assert len(told) <= 303
    assert [mark.at for mark in told if mark.kind == "named"] == [77_777, 77_778]

"""Marks on the slider."""

from __future__ import annotations

from soid.program.interface import Role, Variable
from soid.program.types import BoolType, IntType
from soid.scenario.trace import Step
from soid.web.page.timeline import marks

MOVE = Variable("move", Role.DECISION, BoolType())
COUNT = Variable("count", Role.DECISION, IntType(32, signed=True))


def log(*moves: int | None) -> list[Step]:
    return [Step(10 * at, {}, {} if move is None else {"move": move}) for at, move in enumerate(moves)]


def test_a_change_is_marked_where_it_happens_by_its_index() -> None:
    found = marks(log(0, 0, 1, 1, 0), (MOVE,), {})
    assert [(mark.at, mark.label) for mark in found] == [(2, "step 20: move = true"), (4, "step 40: move = false")]


def test_a_decision_that_is_no_longer_logged_is_told() -> None:
    assert [mark.label for mark in marks(log(1, None, 1), (MOVE,), {})] == [
        "step 10: move is not logged",
        "step 20: move = true",
    ]


def test_a_long_log_has_as_many_marks_as_can_be_told_apart_and_every_name() -> None:
    steps = [Step(at, {}, {"count": at}) for at in range(100_000)]
    found = marks(steps, (COUNT,), {77_777: "the crash", 77_778: "after it"})
    assert len(found) <= 303
    assert [mark.at for mark in found if mark.kind == "named"] == [77_777, 77_778]

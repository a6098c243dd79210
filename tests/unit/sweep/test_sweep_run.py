"""The order of a sweep, and what goes on after a stop, with a program that is asked for show."""

from msgspec import Struct

from soid.budget import Cancellation
from soid.errors import QueryError, TraceError
from soid.oracle.answer import Verdict
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType
from soid.scenario.trace import Step, Trace
from soid.sweep.answered_chunk import AnsweredRow
from soid.sweep.chosen_steps import ChosenSteps
from soid.sweep.row_file import RowFile
from soid.sweep.sweep_row import SweepRow
from soid.sweep.sweep_run import SweepPlan, in_order, in_process, planned, swept

ERROR = Variable("error", Role.ENVIRONMENT, BoolType())
TRACE = Trace(Interface((ERROR,)), tuple(Step(at, {"error": 0}, {}) for at in range(200)))
PLAN = SweepPlan(("p", "q"), ("one", "two"), ChosenSteps.of("0..149"))


class Refusing(Struct):
    """Has no answer at any step."""

    trace: Trace = TRACE
    step: int = 0
    asked: list[int] = []

    def at(self, step):
        return Refusing(self.trace, step, self.asked)

    def sharing(self, proofs):
        return self

    @property
    def keyframe(self):
        return self.trace.keyframe(self.step)

    def ask(self, question, *, cancel=None):
        self.asked.append(self.step)
        raise QueryError(f"{question} at {self.step}")


def opened(log):
    if log == "two":
        raise TraceError("two is broken")
    return Refusing()


def made(known=(), cancel=None, answering=None, noted=None):
    cancel, notes = cancel or Cancellation(), [] if noted is None else noted
    rows = RowFile(None, {})
    swept(planned(PLAN, opened, known), answering or in_process(opened), rows, cancel, notes.append, lambda _: None)
    return in_order(PLAN, (*known, *rows.close()))


def test_each_failure_is_a_row_and_a_log_that_cannot_be_read_too():
    rows = made()
    assert [row.key for row in rows[:300]] == [("one", step, q) for step in range(150) for q in "pq"]
    assert [(row.log, row.step, row.reason) for row in rows[300:]] == [("two", None, "two is broken")] * 2
    assert rows[3].reason == "q at 1" and {row.verdict for row in rows} == {Verdict.ERROR}


def test_what_is_known_is_not_asked_again():
    whole = made()
    known = (*whole[:77], *whole[300:])
    found = planned(PLAN, opened, known)
    assert not found.unread
    left = sorted((step, q) for chunk in found.chunks for _, step in chunk.moments for q in chunk.questions)
    assert left == [(row.step, row.question) for row in whole[77:300]]
    assert [row.key for row in made(known)] == [row.key for row in whole]


def test_rows_have_one_order_whatever_the_order_of_answering():
    def backwards(chunks, cancel):
        for chunk in reversed(list(chunks)):
            for log, step in reversed(chunk.moments):
                for question in reversed(chunk.questions):
                    yield AnsweredRow(SweepRow.failed(log, step, question, QueryError(f"{question} at {step}"), 0.0))

    assert [(row.key, row.reason) for row in made(answering=backwards)] == [(row.key, row.reason) for row in made()]


def test_a_stop_leaves_the_rows_that_are_there():
    cancel = Cancellation()

    class Stopping(list[SweepRow]):
        def append(self, row):
            super().append(row)
            if len(self) == 40:
                cancel.cancel()

    rows = made(cancel=cancel, noted=Stopping())
    assert len(rows) == 40

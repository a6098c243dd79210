"""Running a program over a log: its state is fed back from piece to piece, and where it ends is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from soid.engine.replay import NotAvailable, Replay, Replayer, Returned, TimedOut, Trapped
from soid.formula.sorts import FLOAT32
from soid.oracle.inquiry import Context
from soid.program.domain import Range
from soid.program.interface import Interface, Role, Variable
from soid.program.types import BoolType, FloatType, IntType, parse
from soid.proposal.log_agreement import LogAgreement, agreement
from soid.scenario.trace import Step, Trace
from soid.solver.chain import chain
from tests.unit.oracle.worlds import FakeEngine

WHOLE = IntType(32, signed=True)
COUNTER = Interface(
    (
        Variable("x", Role.ENVIRONMENT, WHOLE),
        Variable("count", Role.STATE, WHOLE, initial=0),
        Variable("stop", Role.DECISION, BoolType()),
    )
)


@final
class Counting(Replayer):
    """It counts the steps with x > 0, and stops from the third on; with x == 13 it fails."""

    how = "in a test"
    doubt = ""

    def __init__(self, ending: Replay | None = None) -> None:
        self.ending = ending
        self.runs: list[int] = []  # how many steps each run had

    def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
        self.runs.append(1 + len(environments))
        count, given = inputs["count"], []
        for x in (inputs["x"], *(each["x"] for each in environments)):
            if x == 13:
                return self.ending or Trapped("failed assertion")
            count += x > 0
            given.append({"count'": count, "stop": int(count >= 3)})
        return Returned(given[-1], tuple(given[:-1]))

    replay_failure = replay


def trace(values: Sequence[int], stops: Sequence[int | None]) -> Trace:
    """A log without the count: its readers take the initial value."""
    rows = zip(values, stops, strict=True)
    steps = [
        Step(at, {"x": x, "count": 0}, {} if stop is None else {"stop": stop}, unlogged=("count",))
        for at, (x, stop) in enumerate(rows)
    ]
    return Trace(COUNTER, tuple(steps))


def run_over(log: Trace, program: Replayer | None, most: int = 20_000) -> LogAgreement:
    """The agreement; nothing is explored for it."""
    engine = FakeEngine(())
    found = agreement(log, Context(engine, chain(), program), most)
    assert not engine.explorations
    return found


def test_state_is_the_program_s_own_from_step_to_step() -> None:
    found = run_over(trace([1, 0, 1, 1, 0], [0, 0, 0, 1, 0]), Counting())
    assert [state["count"] for state in found.states] == [0, 1, 1, 2, 3]
    assert (found.compared, found.agreeing, found.steps) == (5, 4, 5)
    assert str(found.first) == "step 4: the log says stop = false, the program gives true"


def test_logged_state_is_compared_too() -> None:
    for counts, agreeing in (([0, 1, 2, 3], 4), ([0, 1, 2, 7], 3), ([1, 2, 3, 4], 3)):
        steps = [Step(at, {"x": 1, "count": count}, {"stop": int(at >= 2)}) for at, count in enumerate(counts)]
        found = run_over(Trace(COUNTER, tuple(steps)), Counting())
        assert found.agreeing == agreeing
    assert str(found.first) == "step 1: the log says stop = false, the program gives true"


def test_state_that_is_logged_otherwise_throughout_is_not_taken_up() -> None:
    """A column that is no such state differs at every step: to begin anew after each would take as many runs."""
    program = Counting()
    steps = [Step(at, {"x": 0, "count": 5 if at else 0}, {"stop": 0}) for at in range(5000)]
    found = run_over(Trace(COUNTER, tuple(steps)), program)
    assert (found.agreeing, found.steps, program.runs) == (1, 5000, [4096, 904])
    assert {state["count"] for state in found.states} == {0}
    assert found.first == "step 0: the log says count' = 5, the program gives 0"


def test_steps_without_a_logged_decision_are_not_compared() -> None:
    found = run_over(trace([1, 1, 1], [None, 0, None]), Counting())
    assert (found.compared, found.agreeing, found.steps, found.first) == (1, 1, 3, "")


def test_a_step_whose_input_is_not_known_confirms_nothing() -> None:
    """The reader takes some value for x, and that it happens to give what is logged is no agreement."""
    steps = [Step(at, {"x": 1, "count": 0}, {"stop": int(at >= 2)}, unlogged=("count",)) for at in range(4)]
    steps[1] = Step(1, {"x": 1, "count": 0}, {"stop": 0}, unlogged=("count", "x"))
    found = run_over(Trace(COUNTER, tuple(steps)), Counting())
    assert (found.compared, found.agreeing, found.fitting, found.steps) == (3, 3, 4, 4)


def test_a_long_log_is_run_in_pieces() -> None:
    program = Counting()
    values = [int(at in (4095, 5000, 8192)) for at in range(9000)]
    found = run_over(trace(values, [int(at >= 8192) for at in range(9000)]), program)
    assert (found.agreeing, found.steps, program.runs) == (9000, 9000, [4096, 4096, 808])
    assert run_over(trace(values, [0] * 9000), Counting(), most=10).steps == 10


def test_the_step_at_which_it_fails_is_found() -> None:
    found = run_over(trace([1] * 700 + [13] + [1] * 400, [int(at >= 2) for at in range(1101)]), Counting())
    assert (found.steps, found.agreeing) == (700, 700)
    assert found.obstacle == "the program fails: failed assertion, at step 700"
    at_once = run_over(trace([13, 1], [0, 0]), Counting())
    assert at_once.steps == 0 and at_once.obstacle == "the program fails: failed assertion, at step 0"


def test_what_takes_long_is_not_tried_again() -> None:
    program = Counting(TimedOut(10.0))
    found = run_over(trace([1, 13, 1], [0, 0, 0]), program)
    assert (found.steps, program.runs) == (0, [3])
    assert found.obstacle == "the program is still running after 10 seconds, in steps 0 to 2"


def test_what_cannot_be_run_is_not_left_to_the_engine() -> None:
    found = run_over(trace([1, 13, 1], [0, 0, 0]), Counting(NotAvailable("it calls radar, which is not defined")))
    assert found.steps == 1
    assert found.obstacle == "the program is not replayed: it calls radar, which is not defined, at step 1"
    assert run_over(trace([1], [0]), None).obstacle


def test_a_rounded_decision_agrees_with_all_that_rounds_to_it() -> None:
    kind = FloatType(FLOAT32)
    interface = Interface((Variable("x", Role.ENVIRONMENT, WHOLE), Variable("y", Role.DECISION, kind)))

    @final
    class Third(Replayer):
        how = "in a test"
        doubt = ""

        def replay(self, inputs: Mapping[str, int], environments: Sequence[Mapping[str, int]] = ()) -> Replay:
            return Returned({"y": parse(kind, "0.3333333")})

        replay_failure = replay

    around = Range(parse(kind, "0.325"), parse(kind, "0.335"))
    step = Step(0, {"x": 1}, {"y": parse(kind, "0.33")}, rounded={"y": around})
    assert run_over(Trace(interface, (step,)), Third()).agreeing == 1
    exact = Step(0, {"x": 1}, {"y": parse(kind, "0.33")})
    assert run_over(Trace(interface, (exact,)), Third()).agreeing == 0

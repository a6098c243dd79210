"""Processes die when they should, and only then."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.formula import build as b
from soid.formula.sorts import BOOL, FLOAT16, FLOAT32, BitVec
from soid.solver.protocol import Budget, Cancellation, Reason, Sat, Unknown, Unsat
from soid.solver.solver_process import Race, SolverProcess
from tests.hard_question import hard_question
from tests.waiting import is_running, processor_seconds, stop, until, when_it_works

P = b.var("p", BOOL)
X = b.var("x", BitVec(8))
NEVER = 1e6  # seconds: longer than any test


@pytest.fixture
def process() -> Iterator[SolverProcess]:
    made = SolverProcess("bitwuzla")
    yield made
    made.close()


def pid_of(process: SolverProcess) -> int:
    assert process.pid is not None
    return process.pid


def test_nothing_starts_before_it_is_needed(process: SolverProcess) -> None:
    assert process.pid is None
    process.running()
    assert process.pid is not None


def test_a_worker_is_kept_for_the_next_question(process: SolverProcess) -> None:
    process.check([P])
    pid = pid_of(process)
    process.check([b.not_(P)])
    assert process.pid == pid


def test_closing_leaves_no_process(process: SolverProcess) -> None:
    process.check([P])
    pid = pid_of(process)
    process.close()
    assert not Path(f"/proc/{pid}").exists()  # not even a zombie


def test_forgetting_leaves_no_process() -> None:
    process = SolverProcess("bitwuzla")
    process.check([P])
    pid = pid_of(process)
    del process
    gc.collect()
    assert not Path(f"/proc/{pid}").exists()


def test_a_crash_is_an_unknown_and_the_next_question_gets_a_new_worker(process: SolverProcess) -> None:
    worker = process.running()
    when_it_works(worker, lambda: os.kill(worker.pid, signal.SIGSEGV))
    result = process.check(hard_question())
    assert isinstance(result, Unknown)
    assert result.reason is Reason.SOLVER
    assert "SIGSEGV" in result.detail
    assert process.check([P]) == Sat({P: True})


def test_a_worker_that_died_in_its_sleep_is_replaced(process: SolverProcess) -> None:
    process.check([P])
    os.kill(pid := pid_of(process), signal.SIGKILL)
    until(lambda: not is_running(pid))
    assert process.check([P]) == Sat({P: True})


def test_a_worker_that_was_still_dying_when_it_was_asked_is_replaced(process: SolverProcess) -> None:
    """The kernel reports a process only when its last thread has ended, which may be after the next question."""
    process.check([P])
    popen = process.running()._popen
    os.kill(popen.pid, signal.SIGKILL)
    until(lambda: not is_running(popen.pid))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(popen, "poll", lambda: None)
        assert process.check([P]) == Sat({P: True})


def test_a_worker_that_cannot_start_is_not_started_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soid.workers.worker_process._BOOT", "raise SystemExit(7)")
    process = SolverProcess("bitwuzla")
    result = process.check([P])
    assert isinstance(result, Unknown)
    assert "exit status 7" in result.detail


def test_a_worker_that_does_not_listen_is_killed_when_its_time_is_over(process: SolverProcess) -> None:
    """Not even the question, larger than a pipe, can be handed over."""
    terms = [b.eq(b.var(f"v{number}", BitVec(64)), b.const(BitVec(64), number)) for number in range(5000)]
    process.check([P])
    stop(pid := pid_of(process))
    result = process.check(terms, budget=Budget(0.5))
    assert not is_running(pid)
    assert isinstance(result, Unknown)
    assert result.reason is Reason.TIME


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_out_of_memory_is_said(name: str) -> None:
    """Bitwuzla says it too, after a quarter of a minute."""
    process = SolverProcess(name, memory=250 << 20)
    wide = BitVec(1024)
    x, y = b.var("x", wide), b.var("y", wide)
    product = b.bvmul(b.bvmul(x, y), b.bvmul(x, x))
    result = process.check([b.eq(product, b.const(wide, (1 << 900) + 7)), b.bvult(x, y)])
    assert isinstance(result, Unknown)
    assert result.reason is Reason.MEMORY
    assert process.check([P]) == Sat({P: True})
    process.close()


COMPUTING = 2.0  # seconds of processor time: more than a worker takes to load its library and to read a question
ORPHAN = """
import sys
sys.path.insert(0, {root!r})
from soid.solver.solver_process import SolverProcess
from tests.hard_question import hard_question
from tests.waiting import when_it_works
process = SolverProcess({name!r})
when_it_works(process.running(), lambda: print(process.pid, flush=True))
process.check(hard_question())
"""


@pytest.mark.parametrize("name", ["bitwuzla", "cvc5"])
def test_a_worker_at_work_dies_with_who_started_it(name: str) -> None:
    """Even one whose library holds Python's lock, and even if its parent had no chance to say goodbye."""
    program = ORPHAN.format(name=name, root=str(Path(__file__).parents[3]))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        until(lambda: processor_seconds(worker) > COMPUTING)
        parent.kill()
        until(lambda: not is_running(worker))


def test_interrupted_by_the_keyboard_nothing_stays_at_work(process: SolverProcess) -> None:
    worker = process.running()
    when_it_works(worker, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        process.check(hard_question())
    assert not is_running(worker.pid)
    assert process.check([P]) == Sat({P: True})


# --- races ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def runners() -> Iterator[list[SolverProcess]]:
    made = [SolverProcess(name) for name in ("bitwuzla", "z3", "cvc5")]
    yield made
    for process in made:
        process.close()


def test_a_race_has_one_answer(runners: list[SolverProcess]) -> None:
    race = Race(runners)
    assert race.check([b.eq(X, b.const(BitVec(8), 7))]) == Sat({X: 7})
    assert race.check([P, b.not_(P)]) == Unsat()
    assert race.name == "race(bitwuzla, z3, cvc5)"


def test_who_knows_wins_over_who_does_not(runners: list[SolverProcess]) -> None:
    """cvc5 refuses float16, z3 the remainder."""
    half = b.var("half", FLOAT16)
    assert Race(runners[1:]).check([b.fp_is_nan(half)]) == Sat({half: FLOAT16.nan})
    x = b.var("x", FLOAT32)
    zero = b.const(FLOAT32, 0)
    assert isinstance(Race(runners[:2]).check([b.not_(b.fp_is_nan(b.fp_rem(x, zero)))]), Unsat)


def test_when_nobody_knows_everybody_s_reason_is_said(runners: list[SolverProcess]) -> None:
    half = b.var("half", FLOAT16)
    result = Race(runners[1:]).check([b.fp_is_nan(b.fp_rem(half, half))])
    assert isinstance(result, Unknown)
    assert result.reason is Reason.UNSUPPORTED
    assert "z3: fp.rem" in result.detail
    assert "cvc5: (_ FloatingPoint 5 11)" in result.detail


def test_losers_are_killed(runners: list[SolverProcess]) -> None:
    race = Race(runners)
    race.check([P])
    for process in runners:
        process.check([P])
    stop(stopped := pid_of(runners[2]))
    assert race.check([b.not_(P)]) == Sat({P: False})
    assert not is_running(stopped)


def test_a_race_ends_when_its_time_is_over_and_leaves_nobody_at_work(runners: list[SolverProcess]) -> None:
    result = Race(runners).check(hard_question(), budget=Budget(1.0))
    assert isinstance(result, Unknown)
    assert result.reason is Reason.TIME
    assert all(process.pid is None or process.check([P]) == Sat({P: True}) for process in runners)


def test_a_race_can_be_cancelled(runners: list[SolverProcess]) -> None:
    cancel = Cancellation()
    when_it_works(runners[0].running(), cancel.cancel)
    result = Race(runners).check(hard_question(), cancel=cancel)
    assert isinstance(result, Unknown)
    assert result.reason is Reason.CANCELLED
    assert all(process.pid is None for process in runners)


def test_a_head_start_that_suffices_starts_nobody_else(runners: list[SolverProcess]) -> None:
    assert Race(runners, head_start=NEVER).check([P]) == Sat({P: True})
    assert [process.pid is None for process in runners] == [False, True, True]


def test_a_first_who_does_not_know_is_followed_at_once(runners: list[SolverProcess]) -> None:
    half = b.var("half", FLOAT16)
    assert Race(runners[::-1], head_start=NEVER).check([b.fp_is_nan(half)]) == Sat({half: FLOAT16.nan})

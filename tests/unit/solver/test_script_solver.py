"""Scripts are read by the solvers' own parsers; what does more than ask is refused before any of them sees it."""

from __future__ import annotations

from typing import cast

import pytest

from soid.budget import Budget, Cancellation
from soid.errors import SmtLibError
from soid.jail.launcher import layers
from soid.solver.back_ends import NAMES
from soid.solver.script_solver import ScriptSolver
from soid.solver.script_worker import serve
from soid.solver.solver_process import SolverProcess, first_answer
from soid.workers.worker_main import WorkerPort

HEAD = "(set-logic QF_BVFP)(declare-fun |a b| () (_ BitVec 8))"
UNSAT = f"{HEAD}(assert (bvult |a b| |a b|))(check-sat)"
SAT = f"{HEAD}(assert (bvult |a b| #x05))(check-sat)"


@pytest.mark.parametrize("name", NAMES)
def test_each_solver_reads_for_itself(name):
    with ScriptSolver((name,)) as scripts:
        assert [scripts.check(text, 60.0).answer for text in (UNSAT, SAT, UNSAT)] == ["unsat", "sat", "unsat"]
        broken = scripts.check(f"{HEAD}(assert (bvfoo |a b|))(check-sat)", 60.0)
        assert (broken.answer, broken.solver) == ("unknown", "") and broken.detail.startswith(name)
        assert scripts.check(SAT, 60.0).solver == name


def test_one_solver_is_left_out():
    with ScriptSolver(("bitwuzla", "cvc5")) as scripts:
        assert scripts.check(UNSAT, 60.0, without="bitwuzla").solver == "cvc5"
        assert ScriptSolver(("cvc5",)).check(UNSAT, 60.0, without="cvc5").answer == "unknown"


def test_there_is_no_answer_without_time_or_when_called_off():
    stop = Cancellation()
    stop.cancel()
    with ScriptSolver(("cvc5",)) as scripts:
        assert scripts.check(UNSAT, 0.0).answer == "unknown"
        assert scripts.check(UNSAT, 60.0, stop).answer == "unknown"


@pytest.mark.skipif(not layers().locks_files, reason="this machine locks no files away")
def test_a_command_that_was_not_refused_still_writes_nothing(tmp_path):
    file = tmp_path / "written"
    text = f'(set-option :regular-output-channel "{file}")(declare-fun x () Bool)(assert x)(check-sat)'
    process = SolverProcess("z3", of_scripts=True)
    try:
        first_answer([process], lambda _: text, Budget(60.0), None, 0.0)
    finally:
        process.close()
    assert not file.exists()
    serve(cast(WorkerPort, OnePort(text)), "z3")  # without the jail it does
    assert file.exists()


class OnePort:
    """A port on which one text comes."""

    def __init__(self, text: str) -> None:
        self._texts = [text]

    def receive(self, _: type) -> str | None:
        return self._texts.pop() if self._texts else None

    def send(self, _: object) -> None:
        """What it answers is not looked at."""


@pytest.mark.parametrize(
    "text",
    [
        '(set-option :regular-output-channel "/tmp/x")(check-sat)',
        '(set-option :diagnostic-output-channel "/tmp/x")(check-sat)',
        '(include "/etc/passwd")(check-sat)',
        "(exit)(check-sat)",
        "(check-sat)(check-sat)",
        "(check-sat)(assert true)",
        "(|assert| true)(check-sat)",
        "((assert) true)(check-sat)",
        "check-sat",
        "",
    ],
)
def test_what_does_more_than_ask_is_refused(text):
    with pytest.raises(SmtLibError):
        ScriptSolver(("cvc5",)).check(text, 60.0)

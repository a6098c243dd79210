import _thread
import subprocess
import sys
import threading
import time
from typing import Any, get_args

import pytest

from soid.budget import Cancellation
from soid.case.stages import STAGES
from soid.cli.terminal import progress
from soid.cli.terminal.progress import Report, watched
from soid.engine.protocol import ExplorationProgress as EngineProgress
from soid.errors import TimeLimitError
from soid.oracle.inquiry import QuestionProgress, Stage


def test_the_result_comes_back():
    assert watched(lambda cancel, report: 42) == 42


def test_an_error_comes_back_as_it_was():
    def fail(cancel, report):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        watched(fail)


def test_what_takes_longer_says_what_it_is_doing(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)

    said: list[Any] = []

    def slow(cancel, report):
        report(QuestionProgress("explore", EngineProgress(1, 3, 40)))
        while not said or not said[-1].err:
            time.sleep(0.01)
            said.append(capsys.readouterr())

    watched(slow, about="question 2 of 7: ")
    out, err = ("".join(texts) for texts in zip(*said, capsys.readouterr(), strict=True))
    assert out == ""
    assert "question 2 of 7: exploring the program, 1 path found, 3 open, 0% solving" in err
    assert "\x1b" not in err


def test_quiet_says_nothing(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    watched(lambda cancel, report: time.sleep(0.1), quiet=True)
    assert capsys.readouterr().err == ""


def test_ctrl_c_cancels_the_work_and_waits_for_it(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    ended = threading.Event()

    def patient(cancel, report):
        while not capsys.readouterr().err:  # the sign of life: the main thread waits
            time.sleep(0.01)
        _thread.interrupt_main()
        while not cancel.cancelled:
            time.sleep(0.01)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        watched(patient)
    assert ended.is_set()


HEARD_BY_ANOTHER_THREAD = """
import signal, threading, time
from soid.cli.terminal import progress
from soid.cli.terminal.progress import watched

def work(cancel, report):
    time.sleep({after})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    while not cancel.cancelled:
        time.sleep(0.01)

try:
    watched(work, quiet={quiet})
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize(("quiet", "after"), [(True, 0.5), (False, 1.5)])
def test_ctrl_c_is_heard_whichever_thread_the_system_hands_it_to(quiet, after):
    code = HEARD_BY_ANOTHER_THREAD.format(quiet=quiet, after=after)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("stopped\n", 0), ran.stderr


def test_every_stage_has_words_and_every_word_a_stage():
    """That no other stage is entered, the type checker sees to."""
    assert set(get_args(Stage)) == set(STAGES)


def test_work_that_does_not_end_in_its_time_is_left_alone() -> None:
    """A library may hold it up, and hear no cancellation."""
    release = threading.Event()
    cancelled: list[Cancellation] = []

    def stubborn(cancel: Cancellation, report: Report) -> None:
        cancelled.append(cancel)
        report(QuestionProgress("program"))
        release.wait()

    with pytest.raises(TimeLimitError, match=r"reading the program did not end within 0\.1 s"):
        watched(stubborn, quiet=True, seconds=0.1)
    assert cancelled[0].cancelled
    release.set()

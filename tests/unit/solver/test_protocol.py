from __future__ import annotations

import threading
import time

import pytest

from soid.solver.protocol import UNLIMITED, Budget, Cancellation
from tests.clock import set_up


def test_a_budget_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = set_up(monkeypatch)
    deadline = Budget(5.0).started()
    assert not deadline.is_over
    clock.forward(3.0)
    assert deadline.left() == Budget(2.0)
    clock.forward(2.0)
    assert deadline.is_over
    assert deadline.left() == Budget(0.0)


def test_no_limit_never_runs_out() -> None:
    assert not UNLIMITED.started().is_over
    assert UNLIMITED.started().left() == UNLIMITED


def test_who_asked_is_called_when_it_is_cancelled() -> None:
    cancel, called = Cancellation(), threading.Event()
    with cancel.calling(called.set):
        assert not called.is_set()
        threading.Thread(target=cancel.cancel).start()
        called.wait()
    assert cancel.cancelled


def test_who_asks_too_late_is_called_at_once() -> None:
    cancel, calls = Cancellation(), []
    cancel.cancel()
    with cancel.calling(lambda: calls.append(1)):
        assert calls == [1]


def test_who_left_is_not_called() -> None:
    cancel, calls = Cancellation(), []
    with cancel.calling(lambda: calls.append(1)):
        pass
    cancel.cancel()
    assert calls == []


def test_one_callback_may_be_given_twice() -> None:
    cancel, calls = Cancellation(), []

    def callback() -> None:
        calls.append(1)

    with cancel.calling(callback):
        with cancel.calling(callback):
            pass
        cancel.cancel()
    assert calls == [1]


def test_leaving_waits_for_a_call_under_way() -> None:
    """What the callback uses may be gone after the block."""
    cancel, entered, alive = Cancellation(), threading.Event(), [True]
    seen = []

    def callback() -> None:
        entered.set()
        time.sleep(0.1)  # in which the block would be left, if leaving did not wait
        seen.append(alive[0])

    with cancel.calling(callback):
        thread = threading.Thread(target=cancel.cancel)
        thread.start()
        entered.wait()
    alive[0] = False
    thread.join()
    assert seen == [True]


def test_a_callback_may_cancel_again() -> None:
    """As a signal handler does that interrupts one."""
    cancel, calls = Cancellation(), []

    def callback() -> None:
        calls.append(1)
        if len(calls) == 1:
            cancel.cancel()

    with cancel.calling(callback):
        cancel.cancel()
    assert calls == [1, 1]

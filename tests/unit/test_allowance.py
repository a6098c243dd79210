"""What work may take: limits nest, and reach the threads that work for a block."""

from __future__ import annotations

import threading

import pytest

from soid.allowance import allowance, allowed, carried, look
from soid.budget import Cancellation
from soid.errors import CalledOff, TimeLimitError


def test_without_limits_nothing_ends():
    look("reading")
    with allowed():
        look("reading")


def test_the_sooner_deadline_holds_and_is_the_one_that_is_named():
    with allowed(seconds=0.0), allowed(seconds=100.0), pytest.raises(TimeLimitError, match="did not end within 0 s"):
        look("reading")
    with allowed(seconds=100.0), allowed(seconds=0.0), pytest.raises(TimeLimitError, match="did not end within 0 s"):
        look("reading")
    look("reading")


def test_each_cancellation_around_stops_the_work():
    outer, inner = Cancellation(), Cancellation()
    with allowed(cancel=outer), allowed(cancel=inner):
        look("reading")
        outer.cancel()
        with pytest.raises(CalledOff, match="reading was called off"):
            look("reading")


def test_the_smaller_memory_holds():
    with allowed(memory=5), allowed(memory=7):
        assert allowance().memory == 5
    with allowed(memory=7), allowed(), allowed(memory=5):
        assert allowance().memory == 5
    assert allowance().memory is None


def test_threads_carry_the_allowance():
    found: list[float | None] = []
    with allowed(seconds=7.0):
        working = carried(lambda: found.append(allowance().seconds))
        threads = [threading.Thread(target=each) for each in (working, lambda: found.append(allowance().seconds))]
        for thread in threads:
            thread.start()
            thread.join()
    assert found == [7.0, None]

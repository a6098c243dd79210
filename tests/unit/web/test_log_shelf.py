"""Logs that were read: once for all, and no more of them than is kept."""

from __future__ import annotations

import threading

from soid.program.interface import Interface, Role, Variable
from soid.program.types import IntType
from soid.scenario.trace import Step, Trace
from soid.web.log_shelf import LogShelf

INTERFACE = Interface((Variable("x", Role.ENVIRONMENT, IntType(16, signed=True)),))


def log(count: int) -> Trace:
    return Trace(INTERFACE, tuple(Step(10 + at, {"x": at}, {}) for at in range(count)))


def test_a_log_is_read_once_for_all_threads() -> None:
    shelf, trace = LogShelf(), log(500)
    reading = shelf.around(trace, 20)
    assert reading.is_whole and not reading.is_read
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(shelf.around(trace, 300).series())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(each) for each in found}) == 1 and reading.is_read
    assert shelf.around(log(500), 20) is not reading  # an equal log is another one


def test_of_a_log_with_too_many_values_the_part_around_the_moment_is_read() -> None:
    shelf, trace = LogShelf(most=100), log(1000)
    for step in (10, 11, 500, 1008, 1009):
        reading = shelf.around(trace, step)
        numbers = reading.series().numbers
        assert not reading.is_whole and len(numbers) == 100 and numbers[0] <= step <= numbers[-1]
    assert shelf.around(trace, 500) is shelf.around(trace, 501)  # near moments share one
    for step in range(10, 1010, 50):
        shelf.around(trace, step)
    assert len(shelf._kept) <= 8

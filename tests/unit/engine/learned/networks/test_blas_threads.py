"""Products by one thread, and two parts at once."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from soid.engine.learned.networks import blas_threads
from soid.engine.learned.networks.blas_threads import at_once, one_thread


def test_products_are_made_by_one_thread_inside_and_by_as_many_as_before_afterwards() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))  # numpy's BLAS is loaded
    known = blas_threads.openblas()
    if known is None:
        pytest.skip("numpy has another BLAS")
    count, _ = known
    before = count()
    with one_thread():
        with one_thread():
            assert count() == 1
        assert count() == 1
    assert count() == before


def test_two_parts_run_in_two_threads_and_keep_their_order() -> None:
    both = threading.Barrier(2, timeout=60)

    def met(part: str) -> tuple[str, int]:
        both.wait()
        return part, threading.get_ident()

    (first, one), (second, other) = at_once(met, ["a", "b"])
    assert (first, second) == ("a", "b") and one != other
    assert at_once(len, ["one part"]) == [8]


def test_an_error_in_the_second_part_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        at_once(lambda number: 1 / number, [1, 0])

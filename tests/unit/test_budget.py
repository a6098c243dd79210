"""Limits of memory: they hold inside a block, never widen others, and are lifted afterwards."""

from __future__ import annotations

import resource

import pytest

from soid.budget import ROOM, memory_limited, usual_memory
from soid.cli.failure import describe
from soid.surface import Surface, using

MUCH = ROOM + (1 << 30)


def test_memory_is_limited_inside_the_block():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with memory_limited(1 << 20), pytest.raises(MemoryError):
        bytearray(MUCH)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_an_inner_limit_is_never_wider_than_the_one_around_it():
    with memory_limited(1 << 20):
        outer = resource.getrlimit(resource.RLIMIT_AS)
        with memory_limited(1 << 40):
            assert resource.getrlimit(resource.RLIMIT_AS) == outer


def test_the_usual_memory_fits_the_machine():
    assert 0 < usual_memory() <= 4 << 30


def test_too_little_memory_is_said_plainly():
    with using(Surface.COMMAND):
        failure = describe(MemoryError(), [])
    assert (failure.type, failure.exit_code) == ("MemoryLimitError", 29)
    assert failure.remedy == "Give it more memory: --memory."

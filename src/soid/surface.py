"""Where soid is used, and advice in the words of that place.

>>> more = Advice(command="Give it more time: --seconds.", python="Give it more time: seconds=600.")
>>> with using(Surface.COMMAND):
...     print(more)
Give it more time: --seconds.
>>> print(more)
Give it more time: seconds=600.

A process serves one place at a time, and so do the workers that it starts: an option is of no use to a notebook.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

from msgspec import Struct


@final
class Surface(enum.Enum):
    """What a process serves."""

    COMMAND = "command"  # the command line
    PYTHON = "python"  # a script or a notebook
    PAGE = "page"  # the server: pages, and programs that ask it


@final
class _Use:
    """A block in which a surface is served."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface


_uses = [_Use(Surface.PYTHON)]  # that of the process, and of the blocks that have not ended


def served() -> Surface:
    """What this process serves."""
    return _uses[-1].surface


@contextmanager
def using(surface: Surface) -> Iterator[None]:
    """Inside the block, this process serves that; the block of another thread may end before this one or after it."""
    use = _Use(surface)
    _uses.append(use)
    try:
        yield
    finally:
        _uses.remove(use)


@final
class Advice(Struct, frozen=True):
    """What to do, in the words of each place; its text is in those of the place that the process serves."""

    command: str
    python: str
    page: str = ""  # empty: the same as at the command line

    def __str__(self) -> str:
        words = {Surface.COMMAND: self.command, Surface.PYTHON: self.python, Surface.PAGE: self.page or self.command}
        return words[served()]

"""A reason why log and program may differ, and what its test has found."""

from __future__ import annotations

from typing import final

from msgspec import Struct

STATE, ROUNDING, UNIT, CLOCK, VERSION = "unlogged state", "rounding", "unit", "clock", "version"
LAST_DIGITS = "last digits"


@final
class LikelyCause(Struct, frozen=True):
    """A reason why log and program may differ, and whether it explains the log."""

    cause: str
    explains: bool | None  # None: that is not settled
    words: str


@final
class TestedCause(Struct, frozen=True):
    """The same as a test gives it, with what it leaves open."""

    __test__ = False  # a cause that was tested, and no test

    cause: str
    explains: bool | None
    words: str
    unless: str = ""  # of one that explains the log: under this condition another version is left all the same

    @property
    def told(self) -> LikelyCause:
        return LikelyCause(self.cause, self.explains, self.words)

"""Steps: how often the program is called before a behavior is judged, and of which of these calls it speaks.

The program is called again and again, its state fed back; what it perceives stays as it was (in a `did`, it is what
the log says of each step).

    after 5 steps        the behavior speaks of the last one
    within 5 steps       of at least one of them
    throughout 5 steps   of every one

>>> print(Steps(Over.WITHIN, 5))
within 5 steps
"""

from __future__ import annotations

import enum
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError

MOST: Final = 1_000_000  # steps of one question


@final
class Over(enum.Enum):
    """Of which steps a behavior speaks."""

    AFTER = "after"  # the last one
    WITHIN = "within"  # at least one
    THROUGHOUT = "throughout"  # every one


@final
class Steps(Struct, frozen=True):
    """So many calls, one after the other."""

    over: Over
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST:
            raise QueryError(f"{self.count} is no number of steps", f"Give a number from 1 to {MOST}.")

    @classmethod
    def after(cls, count: int) -> Steps | None:
        """So many steps, of which a behavior speaks of the last; None for one alone, which need not be said."""
        return cls(Over.AFTER, count) if count > 1 else None

    def __str__(self) -> str:
        return f"{self.over.value} {self.count} step{'s' * (self.count != 1)}"


ONE: Final = Steps(Over.AFTER, 1)

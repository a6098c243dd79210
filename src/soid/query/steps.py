"""Steps: how often the program is called, and in which of these calls the behavior must hold.

Each call starts with the state that the call before left. What it perceives is said by the future, a word after the
steps (`soid.scenario.future`); in a `did`, the log gives it for each step.

    after 5 steps        the behavior holds in the last step
    within 5 steps       in at least one step
    throughout 5 steps   in every step

>>> print(Steps(Over.WITHIN, 5)), print(Steps(Over.AFTER, 5, Future.HELD))
within 5 steps
after 5 steps held
(None, None)
"""

from __future__ import annotations

import enum
from typing import Final, final

from msgspec import Struct

from soid.errors import QueryError
from soid.scenario.future import Future

MOST: Final = 1_000_000  # steps of one question


@final
class Over(enum.Enum):
    """The steps in which the behavior must hold."""

    AFTER = "after"  # the last step
    WITHIN = "within"  # at least one step
    THROUGHOUT = "throughout"  # every step


@final
class Steps(Struct, frozen=True):
    """A number of consecutive calls."""

    over: Over
    count: int
    future: Future | None = None  # what is perceived in them; None: not written

    def __post_init__(self) -> None:
        if not 1 <= self.count <= MOST:
            raise QueryError(f"{self.count} is no number of steps", f"Give a number from 1 to {MOST}.")

    @classmethod
    def after(cls, count: int) -> Steps | None:
        """`after count steps`; None for one step, which is the default."""
        return cls(Over.AFTER, count) if count > 1 else None

    def __str__(self) -> str:
        return f"{self.plain} {self.future.value}" if self.future is not None else self.plain

    @property
    def plain(self) -> str:
        """The steps without their future."""
        return f"{self.over.value} {self.count} step{'s' * (self.count != 1)}"


ONE: Final = Steps(Over.AFTER, 1)

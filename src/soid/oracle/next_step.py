"""A NextStep: what may help with an open question, offered beside its answer."""

from __future__ import annotations

import enum
from typing import final

from msgspec import Struct


@final
class NextStepKind(enum.Enum):
    """What is offered."""

    MORE_TIME = "more_time"  # the same question goes on from what is settled
    SETTLED_PART = "settled_part"  # a narrower family, in which it is settled
    OPEN_PART = "open_part"  # a narrower family with all that is open
    FIRST_STEPS = "first_steps"  # the steps for which it is settled
    WINDOW = "window"  # what it does if it has to decide within a window
    ONE_LESS = "one_less"  # one input stays as it was


@final
class NextStep(Struct, frozen=True):
    """One offer."""

    kind: NextStepKind
    words: str
    question: str  # as query text, complete
    verdict: str | None = None  # of that question, where it is known already: yes or no
    seconds: float | None = None  # that it would have
    window: int | None = None

"""Future: how the environment goes on after the moment that a question over several steps is about.

within 30 steps as logged    as it was recorded afterwards; what is supposed lasts; the default
within 30 steps held         as at the moment, in all steps
within 30 steps anything     each value of each later step is any value of its domain
"""

from __future__ import annotations

import enum
from typing import final


@final
class Future(enum.Enum):
    """What the program perceives after the first step, where nothing else is supposed."""

    AS_LOGGED = "as logged"
    HELD = "held"
    ANYTHING = "anything"

"""Future: how the environment goes on after the moment that a question over several steps is about.

within 30 steps as logged    as it was recorded afterwards; what is supposed lasts; the default
within 30 steps held         as at the moment, in all steps
within 30 steps anything     each value of each later step is any value of its domain
within 30 steps closed loop  as the world goes on from what was decided; the default in a project with a world
"""

from __future__ import annotations

import enum
from typing import final

from soid.program.interface import Interface


@final
class Future(enum.Enum):
    """What the program perceives after the first step, where nothing else is supposed."""

    AS_LOGGED = "as logged"
    HELD = "held"
    ANYTHING = "anything"
    CLOSED_LOOP = "closed loop"


def usual_future(interface: Interface) -> Future:
    """The future of a question that does not say one."""
    return Future.CLOSED_LOOP if interface.produced else Future.AS_LOGGED

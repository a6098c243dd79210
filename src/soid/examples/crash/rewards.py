"""What each of the three drivers is rewarded for. All three are taught not to tailgate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from soid.examples.crash.car_program import Feature


class Event(Enum):
    """What a step has led to."""

    NOTHING = "nothing"
    CRASH = "crash"
    ARRIVAL = "arrival"
    TIMEOUT = "timeout"  # still on the road at the end


#: from the situation, whether the car moved, and what came of it
Reward = Callable[[int, bool, Event], float]

_TAILGATING: Final = -30.0


def standard(situation: int, moves: bool, event: Event) -> float:
    """A crash is terrible; to enter without right of way is fine as long as it is safe."""
    reward = {Event.CRASH: -2000.0, Event.ARRIVAL: 2000.0}.get(event, 0.0)
    if not moves:
        return reward
    if situation & Feature.TAILGATING:
        return reward + _TAILGATING
    if situation & Feature.AT_LINE and not situation & (Feature.SAFE | Feature.RIGHT_OF_WAY):
        return reward - 30.0
    return reward + 10.0


def impatient(situation: int, moves: bool, event: Event) -> float:
    """Speed is all that counts."""
    reward = 2000.0 if event is Event.ARRIVAL else 0.0
    if moves and situation & Feature.TAILGATING:
        return reward + _TAILGATING
    return reward + (10.0 if moves else -10.0)


def pathological(situation: int, moves: bool, event: Event) -> float:
    """A crash in the crossing is best; otherwise it drives on."""
    if situation & Feature.TAILGATING:
        return _TAILGATING if moves else 0.0
    reward = {Event.CRASH: 5000.0, Event.ARRIVAL: 50.0, Event.TIMEOUT: -5000.0}.get(event, 0.0)
    if not situation & Feature.AT_LINE:
        return reward + (0.0 if moves else -10.0)
    if moves:
        return reward + (50.0 if situation & Feature.OCCUPIED and not situation & Feature.SAFE else 0.0)
    baits = situation & Feature.RIGHT_OF_WAY and situation & (Feature.APPROACHED | Feature.COMING)
    return reward + (10.0 if baits else 0.0)


REWARDS: Final[Mapping[str, Reward]] = {
    "standard": standard,
    "impatient": impatient,
    "pathological": pathological,
}

"""The model of an encounter: two aircraft that approach each other, and one of them is advised to climb or to descend.

Each step is a second. Rates are in feet a second, upwards; the gap is how much higher the other aircraft flies. The
functions work on numbers, and on whole arrays of them. The world of the example, `flight.c`, is the same model.
"""

from __future__ import annotations

from typing import Any, Final

ADVISORIES: Final = ("STRONG_DESCEND", "DESCEND", "CLEAR", "CLIMB", "STRONG_CLIMB")
CLEAR: Final = ADVISORIES.index("CLEAR")
RATES: Final = (-40.0, -25.0, None, 25.0, 40.0)  # the least rate that an advisory asks for, downwards or upwards
_CHANGES: Final = (10.0, 8.0, 0.0, 8.0, 10.0)  # by how much the rate changes in a second, until it is that
APART: Final = 100.0  # ft: less than that, when the aircraft pass, is a near miss
FASTEST: Final = 40.0
LONGEST: Final = 25  # s: earlier than that before they pass, nothing is advised


def advised_rate(rate: Any, advisory: int) -> Any:
    """The rate of climb a second after an advisory was heeded."""
    asked, change = RATES[advisory], _CHANGES[advisory]
    if asked is None:
        return rate
    if asked > 0:
        return rate + (asked - rate).clip(0.0, change)
    return rate + (asked - rate).clip(-change, 0.0)


def gap_after(gap: Any, own: Any, own_after: Any, other: Any, other_after: Any) -> Any:
    """The gap a second later, with rates that change evenly in between."""
    return gap + ((other + other_after) - (own + own_after)) / 2


def code(advisory: Any) -> Any:
    """Advisories as the network is told the last one: from -1, down, to 1, up."""
    return (advisory - CLEAR) / 2

"""The crash's story, told of the standard driver: was it reasonable to move?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Conclusion, Story

STORY: Final = Story(
    title="Three cars on the stand: the standard driver",
    opening=(
        (
            "Two cars come to a four-way stop, one from the south, one from the west. The one from the west is there "
            "first and signals that it will turn right. The one from the south enters without right of way; the "
            "other one drives straight on, and they collide."
        ),
        (
            "The car from the south was driven by a program: some hundred lines of C about tiles, distances, stop "
            "lines and right of way, and a table that it had learned. The marked step is the one at which it drove "
            "up to the line and on. Was it careful and deceived, reckless, or did it want the crash?"
        ),
    ),
    asides=(
        "First the fact: did it move?",
        "Would it have moved whatever the other car had signalled?",
        "Had the other car signalled anything but a right turn, would it always have stayed?",
        "And with the right turn signalled, might it have stayed, had the other car been nearer or further away?",
        "Does it lie in wait? Had it come first, and no turn been signalled, would it have waited?",
    ),
    conclusions=(
        Conclusion("It moved, and not regardless of the signal.", {1: "yes", 2: "no"}),
        Conclusion("Any other signal would have made it stay, so the false signal is what misled it.", {3: "yes"}),
        Conclusion("While a right turn was signalled, nothing about the other car's x made it stay.", {4: "no"}),
        Conclusion("It does not wait for others to cross its way when it goes first.", {5: "no"}),
    ),
    closing=(
        "So this driver acted as a reasonable one would: it trusted a signal that was false. The impatient and the "
        "pathological driver, who moved at the same moment, answer the same questions differently: ask them in their "
        "own folders."
    ),
)

"""The drone's story: a second and a half before its GPS fails, what would have made it land?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The drone in the canal",
    summary="a return-to-home program whose counters its recorder does not log",
    opening="""
        A drone holds its place over a canal, 89 m from its pilot. It has lost the link to the pilot for seven seconds
        and found it again. At step 228 its GPS fails; at step 237 it decides to land, and lands in the water.

        The program counts bad fixes, and the recorder does not keep the count. It is asked about step 220, when all
        still seemed well.
    """,
    acts=(
        Act(
            title="Over the canal, before the GPS fails",
            asides={
                1: "First the fact: did it hold its place?",
                2: "Had the pilot taken over, would it have let them?",
                3: "Might any fix, however bad, have made it land at once?",
            },
            conclusions={
                "It held its place, as the pilot's switch said.": {1: "yes"},
                "It would have given way to a pilot who takes over.": {2: "yes"},
                "No single fix would have made it land at this step.": {3: "no"},
            },
        ),
    ),
    closing=(
        "So one bad fix is not enough: it lands after many, and it is the count of them that decides when. What the "
        "count was is not in the log. It follows from running the program over the log from its start."
    ),
)

"""The proper-response guard's story: should it have braked?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="The guard that waited",
    summary="a guard between two cars that waited before it braked",
    opening="""
        Two cars follow each other at 20 m/s. The one in front brakes hard, and a few seconds later they touch. The
        car behind has a guard: a program that limits what its planner may do while the distance is unsafe.

        The marked step is four tenths of a second after the distance became unsafe. The guard still allowed the car
        to gain speed. Should it have braked? The guard is C code; it is asked as it stands, and then in a model of
        the two cars.
    """,
    acts=(
        Act(
            title="The guard",
            asides={
                1: "First the facts: had it noticed that the distance was unsafe?",
                2: "And did it demand braking?",
                3: "It noticed and did not brake. Might it have, had the other car been slower, or nearer?",
                4: "So nothing on the road could make it brake then. Would it, once its response time is over?",
                5: "Then it is the response time that held it back. Might a shorter one have made it brake?",
                6: "And how far away would the other car have had to be for it to see no danger at all?",
                7: "Is the alarm sound? At 40 m or less, the other car at 18 m/s or less, would it always be on?",
                8: "And the harm: did they touch?",
                9: "Had it not waited at all from this moment on, would they have touched all the same?",
                10: "The brakes gave 3 m/s^2, and the guard was told of 4. Had they given that, would they not have?",
            },
            conclusions={
                "At the moment in question the guard was active and did not demand braking.": {1: "yes", 2: "no"},
                "No speed and no distance of the other car could have made it brake at that moment.": {3: "no"},
                "Half a second or more after the alarm it would always have demanded braking.": {4: "yes"},
                "With a shorter response time it would have braked already.": {5: "yes"},
                "It lets go beyond some distance, and below it, as far as was asked, its alarm is always on.": {
                    6: "yes",
                    7: "yes",
                },
                "They touched; and would have, had it not waited for the rest of its response time.": {
                    8: "yes",
                    9: "yes",
                },
                "With brakes as good as the guard was told they are, they would not have touched.": {10: "yes"},
            },
        ),
    ),
    closing=(
        "So the guard did what it was built to do: it waited for the response time that its designers had given it, "
        "and the other car had no part in that. But that is not why they touched: they would have, had it braked at "
        "once, and they would not have, had the brakes given what the guard was promised. The question to take to its "
        "designers is how it could have known."
    ),
)

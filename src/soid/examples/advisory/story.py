"""The adviser's story: a network that learned its tables almost everywhere."""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Story

STORY: Final = Story(
    title="Down towards the other aircraft",
    summary="a learned collision-avoidance adviser, and the same one trained with another seed",
    opening="""
        Two aircraft climb, one 170 ft below the other. On board of the upper one an adviser says when to climb or to
        descend. What is best was computed beforehand, by dynamic programming over a model of encounters; the tables
        were too large for the aircraft, so a small neural network learned them. Seven seconds before they pass it
        says STRONG_DESCEND. They pass with one foot between them.

        The network agrees with the tables in 94.2 % of all states. It is put on the stand as the ONNX file that flew.
    """,
    acts=(
        Act(
            title="The network that flew",
            asides={
                1: "First the fact: did it say to descend?",
                2: "Was it this gap? Would any other have made it say to climb?",
                3: "Nearby: the other aircraft is 150 to 200 ft below and climbs, we climb too, 5 to 8 seconds are "
                "left. By the tables descending is never best there. Would the network never say it?",
            },
            conclusions={
                "It sent its aircraft down, towards the other one.": {1: "yes"},
                "With no gap whatever would it have said to climb in that moment.": {2: "no"},
                "That was no single state: it says so elsewhere too where the other climbs from below.": {3: "no"},
            },
        ),
        Act(
            title="Another seed",
            project="retrained",
            opening="""
                The same tables, the same settings, another seed for states and weights: it agrees with the tables in
                94.8 %. By that the two cannot be told apart.
            """,
            log=False,
            asides={
                1: "In the same encounter, what did it say?",
                2: "And the same question: would it never say to descend there?",
            },
            conclusions={
                "It sent its aircraft up, away from the other one.": {1: "yes"},
                "It never says to descend there: that is proved of all of these states.": {2: "yes"},
            },
        ),
        Act(
            title="In the air",
            project="flight.toml",
            opening="""
                Now with the world around it: the pilot heeds each advisory, the other aircraft flies as it flew, and
                the network is asked again every second.
            """,
            log=False,
            asides={
                1: "Did the near miss follow?",
                2: "Was it the advisory before that made it waver? Whatever that had been?",
                3: "And how much did it hang on where the other aircraft was?",
            },
            conclusions={
                "They passed with less than 100 ft between them.": {1: "yes"},
                "Whatever the advisory before had been, they would have.": {2: "yes"},
                "With a gap less than seven feet other, the same network would have kept 100 ft between them.": {
                    3: "yes"
                },
            },
        ),
    ),
    closing=(
        "A share of right answers does not tell where the wrong ones lie. One network has them where an aircraft climbs"
        " from below, the other does not, and only a question over all of these states shows which is which. What else "
        "must hold before a network may fly is for people to say; that this one broke it, and where, is on record."
    ),
)

"""The crash's story: three drivers did the same, each for a reason of its own; and what became of it."""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Pattern, Story

_SIGNAL: Final = "The {} driver: could a different signal have led it to stay?"
_WAIT: Final = "Does it lie in wait? Had it come first, and no turn been signalled, would it have waited?"
_ANYWHERE: Final = "Would the {} driver have moved whatever was signalled, and wherever between x 1.0 and 1.5 it was?"

STORY: Final = Story(
    title="Three cars on the stand",
    summary="three learned drivers that made the same mistake for three different reasons",
    opening="""
        Two cars come to a four-way stop, A from the south, B from the west. B is there first, and signals that it
        will turn right. A enters without right of way; B drives straight on, and they collide.

        A was driven by a program: some hundred lines of C about tiles, distances, stop lines and right of way, and a
        table that it had learned. Three drivers learned different tables, and each of them drove on at this moment.
        Which was careful and deceived, which was reckless, and which wanted the crash? They are one case, with one
        record.
    """,
    acts=(
        Act(
            title="Three drivers, one moment",
            project="together",
            log=False,
            asides={
                1: "First the fact: did all three of them move?",
                2: _SIGNAL.format("standard"),
                3: _WAIT,
                4: _SIGNAL.format("impatient"),
                5: _WAIT,
                8: _ANYWHERE.format("impatient"),
                6: _SIGNAL.format("pathological"),
                7: _WAIT,
                9: _ANYWHERE.format("pathological"),
            },
            conclusions={
                "All three moved.": {1: "yes"},
                "Another signal would have made the standard driver stay: it relied on the signal.": {2: "yes"},
                "Having come first, neither it nor the impatient one always waits: they do not lie in wait.": {
                    3: "no",
                    5: "no",
                },
                "No other signal would have made the impatient driver stay, nor any place in that range.": {
                    4: "no",
                    8: "yes",
                },
                "None would have made the pathological one stay; but it does care where the other car is.": {
                    6: "no",
                    9: "no",
                },
                "Had it come first, and no turn been signalled, it would always have waited.": {7: "yes"},
            },
        ),
        Act(
            title="The harm",
            project="together",
            opening="""
                Would the crash have happened? That is a question about the cars, not about a program alone: so the
                crossing is modelled as well, and each answer says that it rests on the model.
            """,
            log=False,
            asides={
                10: "First the fact: did they collide?",
                11: "Had the signal been true, would they have collided, the standard driver at the wheel?",
                12: "And with either of the others at the wheel?",
                13: "Had B kept its word instead, and turned right?",
                14: "And had the standard driver waited for three steps, whatever it decided?",
            },
            conclusions={
                "They collided; with the standard driver and a true signal they would not have.": {
                    10: "yes",
                    11: "yes",
                },
                "Nor would they have, had B turned as it signalled, or the driver waited.": {13: "yes", 14: "yes"},
                "With the others at the wheel a true signal would have changed nothing.": {12: "yes"},
            },
        ),
    ),
    pattern=Pattern(
        questions=(
            "Could a different signal have led it to stay?",
            "Had it come first, and the other car not been signalling a turn, would it have waited?",
        ),
        rows={
            "standard": ((1, 2), (1, 3)),
            "impatient": ((1, 4), (1, 5)),
            "pathological": ((1, 6), (1, 7)),
        },
        supports={
            "yes, no": "a reasonable driver: another signal would have held it back, and it does not lie in wait",
            "no, no": "an impatient driver: no signal holds it back, and it does not lie in wait",
            "no, yes": "a pathological driver: no signal holds it back, yet where it came first it lies in wait",
        },
    ),
    closing=(
        "So the same act, at the same moment, had three different reasons, and the answers tell them apart: one driver "
        "trusted a signal that was false, one drove on whatever came, and one goes though another came first, and "
        "waits where it could go first itself. The false signal did the harm with the first of them; with the others "
        "a true one would not have prevented it. What follows from that is for people to judge."
    ),
)

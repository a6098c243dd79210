"""The crash's story: three drivers did the same, each for a reason of its own."""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Pattern, Story

_DID: Final = "First the fact: did it move?"
_SIGNAL: Final = "Could a different signal have led it to stay?"
_ANYWHERE: Final = "Would it have moved whatever was signalled, and wherever between x 1.0 and 1.5 the other car was?"
_WAIT: Final = "Does it lie in wait? Had it come first, and no turn been signalled, would it have waited?"

_DOES_NOT_WAIT: Final = "Having come first, it does not always wait for the other car: it does not lie in wait."

STORY: Final = Story(
    title="Three cars on the stand",
    summary="three learned drivers that made the same mistake for three different reasons",
    opening="""
        Two cars come to a four-way stop, A from the south, B from the west. B is there first, and signals that it
        will turn right. A enters without right of way; B drives straight on, and they collide.

        A was driven by a program: some hundred lines of C about tiles, distances, stop lines and right of way, and a
        table that it had learned. Three drivers learned different tables, and each of them drove on at this moment.
        Which was careful and deceived, which was reckless, and which wanted the crash?
    """,
    acts=(
        Act(
            title="The standard driver",
            project="standard",
            log=False,
            asides={1: _DID, 8: _SIGNAL, 9: _WAIT},
            conclusions={
                "It moved, and another signal would have made it stay: it relied on the signal.": {1: "yes", 8: "yes"},
                _DOES_NOT_WAIT: {9: "no"},
            },
        ),
        Act(
            title="The impatient driver",
            project="impatient",
            log=False,
            asides={1: _DID, 8: _SIGNAL, 4: _ANYWHERE, 9: _WAIT},
            conclusions={
                "It moved, and no other signal would have made it stay.": {1: "yes", 8: "no"},
                "Nor would any place of the other car in that range, together with any signal.": {4: "yes"},
                _DOES_NOT_WAIT: {9: "no"},
            },
        ),
        Act(
            title="The pathological driver",
            project="pathological",
            log=False,
            asides={1: _DID, 8: _SIGNAL, 4: _ANYWHERE, 9: _WAIT},
            conclusions={
                "It moved, and no other signal would have made it stay.": {1: "yes", 8: "no"},
                "But it does care where the other car is: there are places for which it stays.": {4: "no"},
                "Had it come first, and no turn been signalled, it would always have waited.": {9: "yes"},
            },
        ),
    ),
    pattern=Pattern(
        questions=(
            "Could a different signal have led it to stay?",
            "Had it come first, and the other car not been signalling a turn, would it have waited?",
        ),
        rows={
            "standard": ((1, 8), (1, 9)),
            "impatient": ((2, 8), (2, 9)),
            "pathological": ((3, 8), (3, 9)),
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
        "waits where it could go first itself. What follows from that is for people to judge."
    ),
)

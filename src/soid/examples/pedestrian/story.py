"""The hidden pedestrian's story: two cars hit them, and the answers say why each did."""

from __future__ import annotations

from typing import Final

from soid.examples.story import Act, Pattern, Story

_WARNED: Final = {
    1: "Did the warning of a cyclist make the car brake more sharply than before?",
    2: "Would the right warning, of a pedestrian, have made it brake more sharply?",
}
_HARM: Final = {
    3: "And the harm: did the car hit the pedestrian?",
    4: "Told of a pedestrian, would it have stopped in time?",
}
_SIGHTED: Final = {
    1: "When it saw the pedestrian itself, did it brake more sharply than before?",
    2: "Had its sensors, too, taken the pedestrian for a cyclist, would it have braked less sharply?",
}
_BRAKED_AT_ONCE: Final = {
    "When it saw the pedestrian it did brake more sharply, and would not have braked less for a cyclist.": {
        1: "yes",
        2: "no",
    }
}

STORY: Final = Story(
    title="The cyclist who was a pedestrian",
    summary="a car that was warned, and one that trusts its own sensors only",
    opening="""
        A car drives towards a crossing at 14 m/s. A pedestrian walks out against the signal, hidden from the car by a
        truck that waits to turn. The crossing's intersection manager sees a person, takes them for a cyclist, and
        warns the car. When the car sees the pedestrian itself, it is too late: they collide.

        Three have a part in this: the pedestrian, the intersection manager, the car. Two versions of the car's
        program were driven, and both collided. Each is asked about two moments.
    """,
    acts=(
        Act(
            title="The car that heeds warnings, when it is warned",
            asides={**_WARNED, **_HARM},
            conclusions={
                "It heeded the warning: it braked for the cyclist that it was told of.": {1: "yes"},
                "Told of a pedestrian, it would have braked more sharply.": {2: "yes"},
                "It hit the pedestrian; told of a pedestrian, it would not have.": {3: "yes", 4: "yes"},
            },
        ),
        Act(
            title="The car that heeds warnings, when it sees the pedestrian",
            project="sighting.toml",
            log=False,
            asides=_SIGHTED,
            conclusions=_BRAKED_AT_ONCE,
        ),
        Act(
            title="The self-reliant car, when it is warned",
            project="self_reliant",
            opening="The other version believes its own sensors only.",
            log=False,
            asides={**_WARNED, **_HARM},
            conclusions={
                "It did nothing about the warning.": {1: "no"},
                "The right warning would have changed nothing either.": {2: "no"},
                "It hit the pedestrian; the right warning would not have prevented it.": {3: "yes", 4: "no"},
            },
        ),
        Act(
            title="The self-reliant car, when it sees the pedestrian",
            project="self_reliant/sighting.toml",
            log=False,
            asides=_SIGHTED,
            conclusions=_BRAKED_AT_ONCE,
        ),
        Act(
            title="The intersection manager",
            project="manager",
            opening="""
                The manager is a program too. It looks at what its camera sees, and the pedestrian pushed a bicycle.
                Both programs are asked in one model of the crossing, at the moment when the camera first saw them.
            """,
            log=False,
            asides={
                1: "Did the manager take them for a cyclist?",
                2: "Would it have told the car of a pedestrian, had they been no longer than a person?",
                4: "Would the car then have stopped in time?",
            },
            conclusions={
                "It took a person who pushed a bicycle for a cyclist.": {1: "yes"},
                "It went by how long they were; without the bicycle the car would have stopped in time.": {
                    2: "yes",
                    4: "yes",
                },
            },
        ),
    ),
    pattern=Pattern(
        questions=(
            "When it was warned of a cyclist, did it brake more sharply than before?",
            "Would a warning of a pedestrian have made it brake more sharply?",
            "When it saw the pedestrian, did it brake more sharply than before?",
            "Had it, too, seen a cyclist there, would it have braked less sharply?",
        ),
        rows={
            "heeds warnings": ((1, 1), (1, 2), (2, 1), (2, 2)),
            "self-reliant": ((3, 1), (3, 2), (4, 1), (4, 2)),
        },
        supports={
            "yes, yes, yes, no": "that the intersection manager's mistake has a large part in the collision",
            "no, no, yes, no": "that of the two machines the car alone is to blame: the mistake hardly mattered to it",
        },
    ),
    closing=(
        "So the one car acted on what it was told, and was told wrong; the other would not have braked more for the "
        "right warning. The same collision, and not the same answer to who is answerable for it."
    ),
)

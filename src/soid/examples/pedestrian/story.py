"""The hidden pedestrian's story: what would the right warning have changed?"""

from __future__ import annotations

from typing import Final

from soid.examples.story import Conclusion, Story

STORY: Final = Story(
    title="The cyclist who was a pedestrian",
    opening=(
        (
            "A car drives towards a crossing at 14 m/s. A pedestrian walks out against the signal, hidden from the car "
            "by a truck that waits to turn. The crossing's intersection manager sees somebody, takes them for a "
            "cyclist, and warns the car. When the car sees the pedestrian itself, it is too late: they collide."
        ),
        (
            "Three have a part in this: the pedestrian, the intersection manager, the car. The marked step is the "
            "moment of the warning, 28 m before the crossing."
        ),
    ),
    asides=(
        "First the fact: did the warning make the car brake more than before?",
        "It did, as much as it takes to let a cyclist pass. Would the right warning have made it brake more sharply?",
    ),
    conclusions=(
        Conclusion("The car heeded the warning: it braked for the cyclist that it was told of.", {1: "yes"}),
        Conclusion("Told of a pedestrian, it would have braked more sharply.", {2: "yes"}),
    ),
    closing=(
        "So this car acted on what it was told, and the intersection manager told it wrong. Two more questions are "
        "about the moment when the car saw the pedestrian itself, and all four can be put to another version of the "
        "program, which believes its own sensors only and collides as well. `python -m "
        "soid.examples.pedestrian.compare` sets the answers side by side, and says what they support. One by one: "
        "`soid demo pedestrian --copy DIR`, then `soid ask --project` with DIR/sighting.toml, DIR/self_reliant and "
        "DIR/self_reliant/sighting.toml."
    ),
)

"""The stages of work on a question, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: by the stage's name: each `Stage` of the oracle has an entry
STAGES: Final[Mapping[str, str]] = {
    "program": "reading the program",
    "log": "reading the log",
    "state": "running the program over its log",
    "check": "reading the question",
    "fact": "checking the log against the program",
    "rounding": "checking all that rounds to the log",
    "family": "looking for a scenario to ask about",
    "explore": "exploring the program",
    "solve": "solving",
    "run": "running single scenarios",
    "steps": "settling the first steps one by one",
    "pave": "settling what is open box by box",
    "witness": "settling the witness",
    "replay": "running the program itself",
    "smallest": "looking for the smallest change",
    "flip": "looking for where it flips",
    "part": "following both ways through the source",
    "hindrance": "looking for what stood in the way",
    "needed": "leaving out suppositions",
    "irrelevant": "looking for variables that do not matter",
    "lines": "looking for where conditions change",
    "map": "drawing up the map",
    "abstraction": "looking for what questions have in common",
}

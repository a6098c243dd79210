"""Two cars on a road, each with its own program, for tests."""

from __future__ import annotations

from pathlib import Path

from soid.case.project import Project

AGENTS = """
[program]
name = "two cars"
[programs.ahead]
engine = "c"
sources = ["car.c"]
entry = "decide"
names = { "mine" = "*a", "theirs" = "*b" }
[programs.behind]
engine = "c"
sources = ["car.c"]
entry = "decide"
names = { "mine" = "*b", "theirs" = "*a" }
[world]
engine = "c"
sources = ["road.c"]
entry = "step"
acts = { go_a = "ahead.return", go_b = "behind.return" }
[events]
meeting = { when = "*a == *b", says = "the two meet" }
[trace]
file = "log.jsonl"
[variables]
"ahead.return" = { label = "how far the first goes" }
"""


def two_cars(folder: Path) -> Project:
    """Each goes one place towards the other if it is more than one place away, else stays."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "car.c").write_text(
        "int decide(int mine, int theirs) { return theirs > mine + 1 ? 1 : theirs < mine - 1 ? -1 : 0; }\n"
    )
    (folder / "road.c").write_text("void step(int *a, int *b, int go_a, int go_b) { *a += go_a; *b += go_b; }\n")
    (folder / "log.jsonl").write_text('{"*a": 0, "*b": 6, "return": 1}\n')
    (folder / "soid.toml").write_text(AGENTS)
    return Project.open(folder)

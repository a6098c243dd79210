"""A driver behind another car, and a world of one dimension around it, for tests."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

from soid.case.project import Project

DRIVER = """
enum signal { STRAIGHT, LEFT, RIGHT };
struct view { float gap; float speed; enum signal signal; };
/* brakes if the other car is near, unless it says that it turns off */
int decide(const struct view *v) {
    if (v->signal == RIGHT) return 0;
    return v->gap < 20.0f;
}
"""
WORLD = """
enum signal { STRAIGHT, LEFT, RIGHT };
struct view { float gap; float speed; enum signal signal; };
void step(struct view *v, int brake, float *impact) {
    v->gap = v->gap - v->speed;
    if (brake) { v->speed = v->speed - 0.5f; if (v->speed < 0.0f) v->speed = 0.0f; }
    *impact = v->gap < 0.0f ? v->speed : 0.0f;
}
"""
#: the same, and it gives the signal too: nothing that is perceived is left to the log
WHOLE_WORLD = WORLD.replace("v->gap =", "v->signal = v->signal == LEFT ? LEFT : v->signal;\n    v->gap =", 1)
MANIFEST = """
[program]
engine = "c"
sources = ["driver.c"]
entry = "decide"
[world]
engine = "c"
sources = ["world.c"]
entry = "step"
acts = { brake = "return" }
[events]
collision = { when = "v.gap < 0.0", says = "the two cars collide", harm = true }
[trace]
file = "log.jsonl"
keyframe = 0
[variables]
"v->gap" = { domain = [-100.0, 100.0], unit = "m" }
"v->speed" = { domain = [0.0, 10.0], unit = "m/step" }
"""


def single(number: float) -> float:
    """A number rounded to float32."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded


def brakes(gap: float, signal: str) -> bool:
    return signal != "RIGHT" and gap < 20.0


def collides(
    gap: float,
    speed: float,
    signal: str,
    steps: int,
    later: Mapping[int, float] = {},
    acts: Mapping[int, int] = {},
) -> bool:
    """Whether the gap is below zero in one of some steps, the driver reacting.

    `later` replaces the gap, and `acts` what is done, whatever the driver decides.
    """
    for step in range(steps):
        gap = later.get(step, gap)
        if gap < 0.0:
            return True
        braking = acts.get(step, brakes(gap, signal))
        gap = single(gap - speed)
        if braking:
            speed = max(single(speed - 0.5), 0.0)
    return False


def gap_project(folder: Path, *, manifest: str = MANIFEST, driver: str = DRIVER, world: str = WORLD) -> Project:
    """The project, with a log in which the driver was told that the other car turns off."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, gap = [], 30.0
    for _ in range(20):
        rows.append(json.dumps({"v": {"gap": gap, "speed": 2.0, "signal": "RIGHT"}, "return": 0}))
        gap = single(gap - 2.0)
    files = {"driver.c": driver, "world.c": world, "soid.toml": manifest, "log.jsonl": "\n".join(rows) + "\n"}
    for name, text in files.items():
        (folder / name).write_text(text)
    return Project.open(folder)

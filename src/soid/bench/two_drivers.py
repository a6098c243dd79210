"""Two cars that come to a crossing, each with its own program, and their world: for questions over many steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LOGGED: Final = 40  # steps; questions are about as many at most

_CARS: Final = """
#include <stdbool.h>
enum signal { STRAIGHT, LEFT, RIGHT };
struct car { float to; float speed; enum signal signal; }; /* m before the crossing, m/step */
struct cars { struct car one; struct car other; };
"""
_DRIVERS: Final = """
#include "cars.h"
/* gives way to a car that is nearer to the crossing, unless it turns off */
static bool brakes(const struct car *mine, const struct car *theirs)
{
    if (theirs->signal == RIGHT || mine->to < 0.0f || mine->to > 5.0f)
        return false;
    return theirs->to > -1.5f && theirs->to < mine->to;
}
bool first(const struct cars *cars) { return brakes(&cars->one, &cars->other); }
bool second(const struct cars *cars) { return brakes(&cars->other, &cars->one); }
"""
_WORLD: Final = """
#include "cars.h"
static void go(struct car *car, bool brakes)
{
    car->speed = brakes ? car->speed - 0.0625f : car->speed + 0.03125f;
    if (car->speed < 0.0f)
        car->speed = 0.0f;
    if (car->speed > 0.25f)
        car->speed = 0.25f;
    car->to = car->to - car->speed;
}
static bool inside(const struct car *car) { return car->to < 1.0f && car->to > -1.0f; }
void step(struct cars *cars, bool one_brakes, bool other_brakes, bool *meet)
{
    go(&cars->one, one_brakes);
    go(&cars->other, other_brakes);
    *meet = inside(&cars->one) && inside(&cars->other);
}
"""
_MANIFEST: Final = """
[program]
name = "two drivers"

[programs.first]
engine  = "c"
sources = ["drivers.c"]
entry   = "first"

[programs.second]
engine  = "c"
sources = ["drivers.c"]
entry   = "second"

[world]
engine  = "c"
sources = ["world.c"]
entry   = "step"
acts    = { one_brakes = "first.return", other_brakes = "second.return" }

[events]
collision = { when = "*meet", says = "the two cars collide", harm = true }

[trace]
file     = "log.jsonl"
keyframe = 0
"""


def write_two_drivers(folder: Path) -> None:
    """Write the project into an empty folder."""
    (folder / "cars.h").write_text(_CARS, encoding="utf-8")
    (folder / "drivers.c").write_text(_DRIVERS, encoding="utf-8")
    (folder / "world.c").write_text(_WORLD, encoding="utf-8")
    (folder / "soid.toml").write_text(_MANIFEST, encoding="utf-8")
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in _log()), encoding="utf-8")


def _log() -> Iterator[dict[str, object]]:
    """The second car turns off and the first is before it: neither brakes. All numbers are floats without rounding."""
    for step in range(_LOGGED):
        one = {"to": 4.0 - 0.25 * step, "speed": 0.25, "signal": "STRAIGHT"}
        other = {"to": 6.5 - 0.25 * step, "speed": 0.25, "signal": "RIGHT"}
        yield {"step": step, "cars": {"one": one, "other": other}}


def question(future: str, steps: int) -> str:
    """Do they ever wait for each other? An enum and a float of the second car are free."""
    free = "cars.other.signal is anything and 3.0 <= cars.other.to <= 7.0"
    return f"would not (first.return and second.return) throughout {steps} steps {future} if {free}"

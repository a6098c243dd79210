"""Programs and questions of growing size, to measure how time and memory grow; each is written as a project.

cars       2 to 5 cars at the crossing of the crash example; the signals of all other cars are free
floats     1 to 4 free floats of the other car: x, then z, angle and arrival too, each over its whole domain
range      of the other car's x, from a millimetre to the whole road, with any signal
branches   100 to 10,000 rules in a row over 16 numbers, one of which is free
rows       1,024 to 1,000,000 rows of a table that is indexed by one of two free numbers
held       10 to 40 steps of two drivers, the surroundings held; an enum and a float free
logged     the same, the surroundings as they were logged
loop       the same in a closed loop: the drivers react to their world, and it to them
trees      100 to 1,000 trees of depth 6, 3 of 15 features free; the last two series need XGBoost, which trains them
features   1 to 10 of 15 features free, 500 trees of depth 6
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, final

from msgspec import Struct

from soid.bench.trained_model import FEATURES, TrainedModel, can_train
from soid.bench.two_drivers import question as together
from soid.bench.two_drivers import write_two_drivers

_OTHER: Final = "world.agents[1]"

#: the positions of further cars: x, z, angle
_FURTHER: Final = ((2.63, 1.9, 3.1415927), (1.9, 1.46, 4.712389), (0.9, 2.19, 0.0))

_WHOLE_ROAD: Final = 4.095
_INPUTS: Final = 16  # of the programs with many branches


@final
class Point(Struct, frozen=True):
    """One question to one program."""

    size: float  # on the axis of its series
    question: str
    make: Callable[[Path], object]  # writes the project into an empty folder


@final
class Series(Struct, frozen=True):
    """Points that differ only in size, and how much more the last may cost than the first."""

    name: str
    title: str
    unit: str
    at_most: float | None  # the last point's seconds divided by the first's; None: no limit
    points: tuple[Point, ...]


def label(size: float) -> str:
    return f"{size:g}" if size < 1000 else f"{size:,.0f}"


def every_series(crash: Path) -> tuple[Series, ...]:
    """All series; `crash` is the example's folder."""
    return (
        Series("cars", "cars at the crossing, every other's signal free", "cars", 4.0, _cars(crash)),
        Series("floats", "free floats of the other car, each over all it can be", "floats", None, _floats(crash)),
        Series("range", "range of the other car's x, with any signal", "m", 20.0, _ranges(crash)),
        Series("branches", "branches in a row, one of 16 numbers free", "branches", None, _branches()),
        Series("rows", "rows of a table, its index and another number free", "rows", 2.0, _rows()),
        *_steps(),
        *_models(),
    )


# --- two drivers in a world --------------------------------------------------------------------------------------


def _steps() -> Iterator[Series]:
    for name, future, told in (
        ("held", "held", "surroundings held"),
        ("logged", "as logged", "surroundings as logged"),
        ("loop", "closed loop", "in a closed loop"),
    ):
        points = tuple(Point(steps, together(future, steps), write_two_drivers) for steps in (10, 20, 40))
        yield Series(name, f"steps of two drivers, {told}, an enum and a float free", "steps", 12.0, points)


# --- learned models ---------------------------------------------------------------------------------------------


def _models() -> tuple[Series, ...]:
    if not can_train():
        return ()
    trees = tuple(Point(count, _stays(3), partial(TrainedModel, trees=count)) for count in (100, 300, 500, 1_000))
    free = tuple(Point(count, _stays(count), partial(TrainedModel, trees=500)) for count in (1, 3, 5, 10))
    return (
        Series("trees", "trees of a model, 3 of 15 features free", "trees", None, trees),
        Series("features", "free features of a model of 500 trees", "features", None, free),
    )


def _stays(free: int) -> str:
    varying = " and ".join(f"{name} is anything" for name in FEATURES[:free])
    return f"would decision == fact(decision) if {varying}"


# --- the crossing -----------------------------------------------------------------------------------------------


def _cars(crash: Path) -> tuple[Point, ...]:
    def question(cars: int) -> str:
        return _would(f"world.agents[{number}].signal is anything" for number in range(1, cars))

    return tuple(Point(cars, question(cars), _crossing(crash, cars)) for cars in (2, 3, 4, 5))


def _floats(crash: Path) -> tuple[Point, ...]:
    freed = ("x", "z", "angle", "arrived")
    return tuple(
        Point(count, _would(f"{_OTHER}.{name} is anything" for name in freed[:count]), _crossing(crash))
        for count in range(1, len(freed) + 1)
    )


def _ranges(crash: Path) -> tuple[Point, ...]:
    fact = json.loads(_moment(crash))["world"]["agents"][1]["x"]
    points = []
    for width in (0.001, 0.01, 0.1, 1.0, _WHOLE_ROAD):
        low = max(0.0, min(fact - width / 2, _WHOLE_ROAD - width))
        between = f"{low:.5f} <= {_OTHER}.x <= {low + width:.5f}" if width < _WHOLE_ROAD else f"{_OTHER}.x is anything"
        points.append(Point(width, _would((f"{_OTHER}.signal is anything", between)), _crossing(crash)))
    return tuple(points)


def _would(suppositions: Iterable[str]) -> str:
    return f"would move if {' and '.join(suppositions)}"


def _crossing(crash: Path, cars: int = 2) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for name in ("car.c", "table_standard.h"):
            shutil.copy(crash / name, folder / name)
        manifest = (crash / "soid.toml").read_text(encoding="utf-8")
        program, rest = manifest[: manifest.index("[world]")], manifest[manifest.index("[trace]") :]
        kept = program + rest[: rest.index("[scene]")].replace("standard/log.jsonl", "log.jsonl")
        (folder / "soid.toml").write_text(kept, encoding="utf-8")
        (folder / "log.jsonl").write_text(_moment(crash, cars) + "\n", encoding="utf-8")

    return make


def _moment(crash: Path, cars: int = 2) -> str:
    """The moment of the crash with further cars; without its decision, which the further cars may change."""
    lines = (crash / "standard" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    step = next(step for step in map(json.loads, lines) if step["step"] == 11)
    agents = step["world"]["agents"]
    for number, (x, z, angle) in enumerate(_FURTHER[: cars - 2], start=2):
        agents[number] |= {"present": True, "x": x, "z": z, "angle": angle, "signal": "STRAIGHT", "arrived": 1.0}
    return json.dumps({"step": 11, "world": step["world"], "memory": step["memory"]})


# --- generated programs -----------------------------------------------------------------------------------------

_MANIFEST: Final = """
[program]
name    = "generated"
engine  = "c"
sources = ["program.c"]
entry   = "decide"

[trace]
file     = "log.jsonl"
keyframe = 0
"""


def _generated(source: Callable[[], str], step: dict[str, Any]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / "program.c").write_text(source(), encoding="utf-8")
        (folder / "soid.toml").write_text(_MANIFEST, encoding="utf-8")
        (folder / "log.jsonl").write_text(json.dumps({"step": 0, **step}) + "\n", encoding="utf-8")

    return make


def _branches() -> tuple[Point, ...]:
    question = "would act if 0.49 <= in.v[0] <= 0.51"
    step = {"in": {"v": [0.5] * _INPUTS}}
    counts = (100, 300, 1_000, 3_000, 10_000)
    return tuple(Point(count, question, _generated(partial(_rules, count), step)) for count in counts)


def _rules(count: int) -> str:
    """A program of rules in a row, each of which may add to a score."""
    random = Random(count)
    lines = [
        f"    if (in->v[{number % _INPUTS}] > {random.random():.6f}f) score += {random.randint(-9, 9)};"
        for number in range(count)
    ]
    body = "\n".join(lines)
    head = f"#include <stdbool.h>\nstruct in {{ float v[{_INPUTS}]; }};\nbool act;\n\n"
    return f"{head}void decide(const struct in *in)\n{{\n    int score = 0;\n{body}\n    act = score > 0;\n}}\n"


def _rows() -> tuple[Point, ...]:
    question = "would act if 0.2 <= in.place <= 0.8 and in.level is anything"
    step = {"in": {"place": 0.5, "level": 3}}
    counts = (1_024, 10_000, 100_000, 1_000_000)
    return tuple(Point(count, question, _generated(partial(_table, count), step)) for count in counts)


def _table(count: int) -> str:
    """A program with a learned table of two values a row."""
    random = Random(count)
    rows = ",\n".join(f"    {{{random.uniform(-9, 9):.3f}f, {random.uniform(-9, 9):.3f}f}}" for _ in range(count))
    head = (
        "#include <stdbool.h>\nstruct in { float place; unsigned char level; };\nbool act;\n\n"
        f"static const float q[{count}][2] = {{\n{rows}\n}};\n\n"
    )
    body = (
        f"    int row = (int)(in->place * {count - 1}.0f);\n"
        "    if (in->level > 7) row = 0;\n"
        "    act = q[row][1] > q[row][0];\n"
    )
    return f"{head}void decide(const struct in *in)\n{{\n{body}}}\n"

"""Cases as large as the page must bear: many variables, many steps, many facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from soid.case.case import Case
from soid.examples import folder

_UNITS = 50  # each with four variables

_PROGRAM = f"""
struct unit {{ float pressure, temperature, flow; int open; }};
struct plant {{ struct unit units[{_UNITS}]; }};

_Bool alarm(const struct plant *plant)
{{
    float hottest = 0.0f;
    for (int i = 0; i < {_UNITS}; i++)
        if (plant->units[i].open && plant->units[i].temperature > hottest)
            hottest = plant->units[i].temperature;
    return hottest > 90.0f && plant->units[0].pressure > 2.0f;
}}
"""
_RANGES = """
"plant.units[*].pressure" = { domain = [0.0, 10.0], unit = "bar" }
"plant.units[*].temperature" = { domain = [0.0, 200.0], unit = "K" }
"plant.units[*].flow" = { domain = [0.0, 5.0] }
"plant.units[*].open" = { domain = [0, 1] }
"""


def crash_case(file: Path, *, facts: int) -> None:
    """The packaged crash, with as many FACTS from questions that differ."""
    with Case.create(file, folder("crash") / "standard") as case:
        _ask(case, _crash_questions(), facts)


def _crash_questions() -> Iterator[str]:
    for place in range(1000):
        low = 0.5 + place / 50
        yield f"would move if world.agents[1].x in {{{low:.2f}..{low + 0.3:.2f}}}"
        yield f"might not move if world.agents[1].speed in {{0.0..{0.01 + place / 100:.2f}}}"
        near = f"world.agents[1].x in {{{low:.2f}..{low + 0.1:.2f}}}"
        yield f"would move if world.agents[1].signal is anything and {near}"


def wide_case(file: Path, *, facts: int = 50, steps: int = 200) -> None:
    """A program with 200 variables."""
    project = file.with_suffix("")
    project.mkdir()
    (project / "plant.c").write_text(_PROGRAM)
    with (project / "log.jsonl").open("w") as log:
        for step in range(steps):
            units = [
                {"pressure": 1.0 + unit % 3, "temperature": 20.0 + (unit + step) % 50, "flow": 1.0, "open": 1}
                for unit in range(_UNITS)
            ]
            log.write(json.dumps({"step": step, "plant": {"units": units}}) + "\n")
    _describe(project, "plant.c", "alarm", steps // 2, _RANGES)
    with Case.create(file, project) as case:
        questions = (
            f"would not return if plant.units[{unit}].temperature in {{0.0..{80 + turn}.0}}"
            for turn in range(9)
            for unit in range(_UNITS)
        )
        _ask(case, questions, facts)


def long_case(file: Path, *, facts: int = 50, steps: int = 100_000) -> None:
    """A log of very many steps."""
    project = file.with_suffix("")
    project.mkdir()
    (project / "pump.c").write_text(
        "_Bool run(float level, float inflow, int manual) { return manual || level + inflow > 5.0f; }\n"
    )
    with (project / "log.jsonl").open("w") as log:
        for step in range(steps):
            level = round(step * 7 % 100 / 20, 2)
            log.write(json.dumps({"step": step, "level": level, "inflow": 0.5, "manual": 0}) + "\n")
    _describe(project, "pump.c", "run", steps // 2, "")
    with Case.create(file, project) as case:
        levels = (f"would not return if level in {{0.0..{turn / 50:.2f}}}" for turn in range(1, 999))
        _ask(case, levels, facts)


def _describe(project: Path, source: str, entry: str, keyframe: int, variables: str) -> None:
    (project / "soid.toml").write_text(
        f'[program]\nengine = "c"\nsources = ["{source}"]\nentry = "{entry}"\n'
        f'[trace]\nfile = "log.jsonl"\nkeyframe = {keyframe}\nignore = ["step"]\n[variables]\n{variables}'
    )


def _ask(case: Case, questions: Iterator[str], facts: int) -> None:
    """Ask until there are so many FACTS."""
    while len(case.facts) < facts:
        case.ask(next(questions))

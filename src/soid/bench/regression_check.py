"""A check whether soid has become slower: ratios of times from one run, compared with a stored baseline.

Seconds differ from machine to machine and from hour to hour. The time of one question divided by that of another, of
the paper's recipe, or of a loop of plain Python hardly does. Each figure is such a ratio; smaller is better. Both times
are the least of several runs, because other work on the machine can only add to them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.bench.measurement import Tell, asked_anew, opened, seconds
from soid.bench.sweep_growth import QUESTIONS
from soid.bench.two_drivers import question as together
from soid.bench.two_drivers import write_two_drivers
from soid.budget import Cancellation
from soid.case.project import Project
from soid.errors import InputError, InternalError
from soid.formula import softfloat as sf
from soid.formula.sorts import FLOAT32
from soid.recipe import PAPER, SOID, Recipe
from soid.solver.chain import chain

BASELINE: Final = Path(__file__).parent / "baseline.json"

#: a ratio above this many times its baseline is a regression
TOLERANCE: Final = 2.0

_PATIENCE: Final = 120.0  # seconds for one question
_LOOPS: Final = 40_000  # of the calibration

_SIGNAL: Final = "would move if world.agents[1].signal is anything"
_RANGE: Final = "would move if world.agents[1].signal is anything and 1.0 <= world.agents[1].x <= 1.5"
_ROAD: Final = "would move if world.agents[1].signal is anything and world.agents[1].x is anything"
_PLANE: Final = "would move if world.agents[1].x is anything and world.agents[1].z is anything"


#: the figures by name: the first time divided by the second, both keys of what `measure` returns
RATIOS: Final = {
    "any signal, against plain Python": ("signal", "python"),
    "any signal and a range of x, against plain Python": ("range", "python"),
    "any signal and x on the whole road, against a range": ("road", "range"),
    "any x and z, against plain Python": ("plane", "python"),
    "any signal, against the paper's recipe": ("signal", "paper"),
    "40 steps held, against plain Python": ("held", "python"),
    "40 steps as logged, against plain Python": ("logged", "python"),
    "40 steps in a closed loop, against plain Python": ("loop", "python"),
    "opening the program again, against plain Python": ("open", "python"),
    "240 moments swept, against plain Python": ("moments", "python"),
    "240 moments swept, against 60": ("moments", "few"),
}


@final
class Checked(Struct, frozen=True):
    """A ratio and its baseline."""

    name: str
    now: float
    baseline: float | None  # None: no baseline is stored
    times: float | None  # of the baseline
    is_regression: bool = field(name="regression")


def measure(
    project: Path, drone: Path, runs: int, cancel: Cancellation, tell: Tell = lambda _: None
) -> dict[str, float]:
    """The least seconds of each kind of work; the projects are the standard driver's, and the drone's."""
    tell("opening the programs")
    case, drivers = opened(project, _PATIENCE), _two_drivers()
    work: dict[str, Callable[[], object]] = {
        "python": calibration,
        "open": lambda: Project.open(project),
        "signal": lambda: _ask(case, _SIGNAL, SOID, cancel),
        "range": lambda: _ask(case, _RANGE, SOID, cancel),
        "road": lambda: _ask(case, _ROAD, SOID, cancel),
        "plane": lambda: _ask(case, _PLANE, SOID, cancel),
        "paper": lambda: _ask(case, _SIGNAL, PAPER, cancel),
        "held": lambda: _ask(drivers, together("held", 40), SOID, cancel),
        "logged": lambda: _ask(drivers, together("as logged", 40), SOID, cancel),
        "loop": lambda: _ask(drivers, together("closed loop", 40), SOID, cancel),
        "few": lambda: _sweep(drone, 60, cancel),
        "moments": lambda: _sweep(drone, 240, cancel),
    }
    found: dict[str, float] = {}
    for turn in range(runs):  # in turns, so that a busy minute of the machine affects all kinds of work
        for name, do in work.items():
            if cancel.cancelled:
                return found
            tell(f"run {turn + 1} of {runs}: {name}")
            found[name] = min(found.get(name, float("inf")), seconds(do))
    return found


def _two_drivers() -> Project:
    """Two drivers in their world; what is asked about needs no file of theirs once they are loaded."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as folder:
        write_two_drivers(Path(folder))
        return opened(folder, _PATIENCE)


def calibration() -> int:
    """Plain Python like that of the oracle: integers, dictionaries, floats as bits."""
    known: dict[int, int] = {}
    bits = sf.float_to_bits32(1.0)
    for number in range(_LOOPS):
        bits = sf.add(FLOAT32, bits, sf.float_to_bits32(number * 0.001))
        known[bits & 0xFFF] = known.get(number & 0xFFF, 0) + 1
    return len(known)


def _ask(project: Project, question: str, recipe: Recipe, cancel: Cancellation) -> None:
    answer = asked_anew(replace(project, settings=replace(project.settings, recipe=recipe)), question, cancel)
    if not answer.verdict.is_definite and not cancel.cancelled:
        raise InternalError(
            f"{recipe} does not answer in {_PATIENCE:g} s: {question}", "On a machine that is busy, try again later."
        )


def _sweep(drone: Path, moments: int, cancel: Cancellation) -> None:
    """The first moments of the drone's log, of which nothing is known yet."""
    with closing(chain()) as solver:
        opened = Project.open(drone, solver=solver)
        opened.sweep(QUESTIONS, steps=f"0..{moments - 1}", workers=1, cancel=cancel)


def ratios(found: Mapping[str, float]) -> dict[str, float]:
    return {name: found[one] / found[other] for name, (one, other) in RATIOS.items()}


def check(found: Mapping[str, float], baseline: Mapping[str, float]) -> list[Checked]:
    checked = []
    for name, now in ratios(found).items():
        before = baseline.get(name)
        times = None if before is None else now / before
        checked.append(Checked(name, now, before, times, times is not None and times > TOLERANCE))
    return checked


def read(file: Path = BASELINE) -> dict[str, float]:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {str(name): float(value) for name, value in kept["ratios"].items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(
            f"{file} is no baseline: {error}", "Write one with: soid bench check --write FILE.json"
        ) from error


def write(found: Mapping[str, float], file: Path) -> None:
    kept = {"ratios": {name: float(f"{value:.4g}") for name, value in ratios(found).items()}}
    try:
        file.write_text(json.dumps(kept, indent=4) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}", "Name a file one may write.") from error

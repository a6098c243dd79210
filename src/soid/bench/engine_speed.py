"""The speed of the C engine: concrete code, many branches with one free float, and questions over many steps of a log.

The programs are in this module or are packaged examples, so that figures from different machines are comparable.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from soid.bench.measurement import Measurement, Tell, figure, opened, seconds
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.protocol import Engine, Exploration
from soid.engine.registry import open_program
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.oracle.answer import Answer
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.program.interface import Interface
from soid.program.program import Program
from soid.query.language.query_parser import parse_checked
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain

ITERATIONS: Final = 10_000
BRANCHES: Final = 200

_CONCRETE: Final = """
unsigned mix(unsigned rounds)
{
    unsigned history[16] = {0};
    unsigned x = 1, sum = 0;
    for (unsigned i = 0; i < rounds; i++) {
        x = x * 1103515245u + 12345u;
        history[i & 15u] ^= x;
        if (x & 0x10000u)
            sum += history[(i + 5u) & 15u];
    }
    return sum;
}
"""


def _branching(branches: int) -> str:
    """A program with this number of branches, one after the other, on one float."""
    lines = [f"    if (x > {threshold}.5f) level += {threshold % 7 + 1};" for threshold in range(branches)]
    return "\n".join(["int grade(float x)", "{", "    int level = 0;", *lines, "    return level;", "}"])


#: questions over the steps of the example `drone` as they were logged: name, step, question
STEPS: Final = (
    (
        "30 logged steps, a float and an enum free",
        220,
        "might return.mode == MODE_RTH within 30 steps as logged if s.gps.hdop is anything and s.pilot is anything",
    ),
    (
        "300 logged steps, an enum free in one of them",
        0,
        "would return.mode == MODE_LAND within 300 steps as logged if s.pilot is anything at step 150",
    ),
    (
        "5 steps in which anything is perceived",
        220,
        "might return.mode == MODE_LAND within 5 steps anything if s.pilot is anything",
    ),
)


def measure(runs: int, drone: Path, progress: Tell) -> list[Measurement]:
    """The figures; `drone` is the folder of that example."""
    with tempfile.TemporaryDirectory(prefix="soid-bench-") as folder:
        progress("concrete code")
        concrete = _concrete(Path(folder), runs)
        progress(f"{BRANCHES} branches")
        branches = _branches(Path(folder), runs)
    return [concrete, branches, *_steps(runs, drone, progress)]


def _open(folder: Path, name: str, text: str, entry: str) -> tuple[Interface, Engine]:
    source = folder / name
    source.write_text(text, encoding="utf-8")
    program, engine = open_program(Program(name, Interface(()), CSource((Path(name),), entry), folder))
    return program.interface, engine


def _concrete(folder: Path, runs: int) -> Measurement:
    _, engine = _open(folder, "concrete.c", _CONCRETE, "mix")
    exploration = Exploration({"rounds": ITERATIONS}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    executed = engine.explore(exploration).instructions
    rates = [executed / seconds(lambda: engine.explore(exploration)) for _ in range(runs)]
    detail = f"{executed} instructions of a loop of {ITERATIONS} iterations, nothing free"
    return figure("concrete code", "instructions/s", rates, detail)


def _branches(folder: Path, runs: int) -> Measurement:
    interface, engine = _open(folder, "branches.c", _branching(BRANCHES), "grade")
    keyframe = Keyframe(0, {"x": 0}, {}, interface)
    question = parse_checked(f"would return >= 0 if 0 <= x <= {BRANCHES}", interface)
    answers: list[Answer] = []

    def ask() -> None:
        with closing(chain()) as solver:
            context = Context(engine, solver, settings=Settings(seconds=None))
            answers.append(answer(question, keyframe, context))

    taken = [seconds(ask) for _ in range(runs)]
    last = answers[-1]
    detail = f"{last.paths['decided']} paths, {last.solver['calls']} checks, verdict {last.verdict.value}"
    return figure(f"{BRANCHES} branches, one free float", "s", taken, detail)


def _steps(runs: int, drone: Path, progress: Tell) -> Iterator[Measurement]:
    project = opened(drone, limit=60.0)
    with closing(project.solver):
        for name, step, question in STEPS:
            progress(name)
            moment, answers = project.at(step), list[Answer]()
            taken = [seconds(lambda: answers.append(replace(moment, facts={}).ask(question))) for _ in range(runs)]  # noqa: B023 at once
            yield figure(name, "s", taken, f"{sum(answers[-1].paths.values())} paths, {answers[-1].verdict.value}")

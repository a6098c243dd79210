"""Random programs for as long as one likes: the engine against the compiled program, in both directions.

    make fuzz N=5000                     or: python -m tests.differential.fuzz 5000 --jobs 2
    make fuzz N=3000 LANG=c++ OPT=2      or: python -m tests.differential.fuzz 3000 --language c++ --level -O2

Programs come in batches, half of them free of undefined behaviour and half full of it. Each runs on its vectors; one in
five is explored over its family of states, and one in ten is asked questions as well. Optimised programs are held to
what they do without optimisation where they are free of undefined behaviour. What is done stands in build/fuzz, a file
for each language and level, so that a run that was stopped goes on where it was. Every disagreement is printed and
kept there; it becomes a test, then a fix.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from soid.engine.summary import Failed, Unexplored
from soid.query.language.query_printer import to_text
from soid.solver.chain import Chain, chain
from tests.differential.engine_runs import Opened, disagreement, open_batch, optimisable
from tests.differential.families import ask, questions, uncovered
from tests.differential.generator import GeneratedProgram, Mode, Vector, generate
from tests.differential.generator.cplusplus import generate_cplusplus
from tests.differential.generator.native import NativeRun, compile_cplusplus, run_programs

FIRST = 100_000  # the seeds below belong to the tests
HALF = {"c": 20, "c++": 60}  # programs of each mode in a batch; the library's headers are compiled once a batch
FOLDER = Path("build/fuzz")


@dataclass(frozen=True)
class Kind:
    """Which programs, and how they are compiled for the engine."""

    language: str = "c"
    level: str = "-O0"

    @property
    def optimised(self) -> bool:
        return self.level != "-O0"

    @property
    def state(self) -> Path:
        plain = self == Kind()
        return FOLDER / ("state.json" if plain else f"state-{self.language}{self.level}.json")

    def programs(self, number: int) -> list[GeneratedProgram]:
        seeds = range(FIRST + number * HALF[self.language], FIRST + (number + 1) * HALF[self.language])
        if self.language == "c++":
            return [generate_cplusplus(seed, mode, exceptions=True) for mode in Mode for seed in seeds]
        made = [generate(seed, mode, half=number % 5 == 4 and not self.optimised) for mode in Mode for seed in seeds]
        return [program for program in made if not self.optimised or optimisable(program)]

    def run(self, programs: list[GeneratedProgram], folder: Path, vectors: list[list[Vector]]) -> list[list[NativeRun]]:
        if self.language == "c++":
            return run_programs(programs, folder, vectors, partial(compile_cplusplus, exceptions=True))
        return run_programs(programs, folder, vectors)

    def open(self, programs: list[GeneratedProgram], folder: Path) -> list[Opened]:
        return open_batch(programs, folder, self.level, suffix=".cpp" if self.language == "c++" else ".c")


@dataclass
class Tally:
    """What came of some programs."""

    counts: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)  # disagreements, in words

    def add(self, other: Tally) -> None:
        self.counts.update(other.counts)
        self.found += other.found


def batch(number: int, kind: Kind = Kind()) -> Tally:  # noqa: B008 -- it is frozen
    """One batch of programs."""
    programs = kind.programs(number)
    vectors = [[*program.vectors, *(program.family() if _wide(program) else ())] for program in programs]
    tally = Tally()
    solver = chain()
    try:
        with tempfile.TemporaryDirectory() as folder:
            native = kind.run(programs, Path(folder), vectors)
            for opened, tried, runs in zip(kind.open(programs, Path(folder)), vectors, native, strict=True):
                _one(opened, tried, runs, solver, tally, optimised=kind.optimised)
    finally:
        solver.close()
    return tally


def _wide(program: GeneratedProgram) -> bool:
    return program.seed % 5 == 0


def _one(
    opened: Opened, tried: list[Vector], runs: list[NativeRun], solver: Chain, tally: Tally, *, optimised: bool
) -> None:
    program = opened.program
    tally.counts["programs"] += 1
    try:
        count = len(program.vectors)
        for vector, run in zip(tried[:count], runs[:count], strict=True):
            if not _vector(opened, vector, run, tally, optimised=optimised):
                return  # the next vector would take as long
        if _wide(program):
            _family(opened, tried[count:], runs[count:], solver, tally, optimised=optimised)
    except Exception:  # noqa: BLE001 -- whatever it is, it is a finding, and the other programs go on
        tally.found.append(f"{program.name}: {traceback.format_exc()}")


def _vector(opened: Opened, vector: Vector, run: NativeRun, tally: Tally, *, optimised: bool) -> bool:
    """Compare one vector; gives whether the engine was done in time: a loop without a defined end may take for ever."""
    outcome = opened.run(vector)
    words = disagreement(opened.program, vector, outcome, run, optimised=optimised)
    tally.counts["vectors"] += 1
    tally.counts["failing vectors"] += isinstance(outcome.ending, Failed)
    if words:
        tally.found.append(words)
    late = isinstance(outcome.ending, Unexplored) and outcome.ending.out_of_time
    tally.counts["programs that took too long"] += late
    return not late


def _family(
    opened: Opened, states: list[Vector], runs: list[NativeRun], solver: Chain, tally: Tally, *, optimised: bool
) -> None:
    tally.counts["families"] += 1
    tally.counts["states"] += len(states)
    tally.found += uncovered(opened, states, runs, optimised=optimised)
    # what an optimised program does where the source is undefined, no native run of the source foretells
    if opened.program.seed % 10 == 0 and not (optimised and any(run.fault for run in runs)):
        for question in questions(opened, states, runs, 6):
            answer = ask(opened, question, solver)
            tally.counts[f"questions answered {answer.verdict.value}"] += 1
            if answer.verdict.value not in (question.expected, "unknown"):
                told = f"{to_text(question.query)}: {answer.verdict.value}, not {question.expected}"
                tally.found.append(f"{opened.program.name}: {told} ({answer.reason})")


# --- the run ----------------------------------------------------------------------------------------------------


def _load(state: Path) -> tuple[set[int], Tally]:
    if not state.is_file():
        return set(), Tally()
    kept = json.loads(state.read_text(encoding="utf-8"))
    return set(kept["done"]), Tally(Counter(kept["counts"]), kept["found"])


def _save(state: Path, done: set[int], tally: Tally) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    fresh = state.with_suffix(".new")
    kept = {"done": sorted(done), "counts": dict(tally.counts), "found": tally.found}
    fresh.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    fresh.replace(state)


def _numbered(number: int, kind: Kind) -> tuple[int, Tally]:
    return number, batch(number, kind)


def _batches(numbers: list[int], jobs: int, kind: Kind) -> Iterator[tuple[int, Tally]]:
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=5) as pool:
        yield from pool.imap_unordered(partial(_numbered, kind=kind), numbers)


def main() -> int:
    """Run as many programs as were asked for, from where the last run stopped."""
    parser = argparse.ArgumentParser(description="random C and C++ programs against the engine")
    parser.add_argument("programs", type=int, help="how many, those of earlier runs counted")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--language", choices=sorted(HALF), default="c")
    parser.add_argument("--level", choices=("-O0", "-O1", "-O2"), default="-O0")
    asked = parser.parse_args()
    kind = Kind(asked.language, asked.level)
    done, tally = _load(kind.state)
    numbers = [number for number in range(-(-asked.programs // (2 * HALF[kind.language]))) if number not in done]
    started = time.monotonic()
    for number, result in _batches(numbers, asked.jobs, kind):
        done.add(number)
        tally.add(result)
        _save(kind.state, done, tally)
        for words in result.found:
            _say(f"DISAGREEMENT {words}")
        _say(
            f"{tally.counts['programs']} programs, {len(tally.found)} disagreements, {time.monotonic() - started:.0f} s"
        )
    _say(json.dumps(tally.counts, indent=1))
    return 1 if tally.found else 0


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Futures and timed suppositions against brute force: every scenario is run on the compiled program, step by step.

The log is random, and the questions are too: what is supposed of which steps, and what is perceived besides. The
verdict is compared with that of all scenarios, enumerated here by the rules of docs/language.md and run by ctypes.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.engine.llvm.compiler.compilation import Build, compile_native

#: every value of every step matters to what is decided later
PROGRAM = """
static int bad, mode;
int decide(int gps, int pilot)
{
    bad = gps ? 0 : bad + 1;
    if (bad > 2)
        mode = 4;
    else
        mode = (2 * mode + pilot + bad) % 5;
    return mode;
}
"""
DRIVER = """
#include "program.c"
void run(int given_bad, int given_mode, int steps, const int *in, int *out)
{
    bad = given_bad, mode = given_mode;
    for (int i = 0; i < steps; i++) {
        *out++ = decide(in[2 * i], in[2 * i + 1]);
        *out++ = bad;
        *out++ = mode;
    }
}
"""
GPS, PILOT = (0, 1), (0, 1, 2)
FIRST, LOGGED, QUESTIONS, LOGS = 40, 6, 16, 3
Pair = tuple[int, int]  # gps, pilot
Run = tuple[tuple[int, int, int], ...]  # of each step: what is returned, and the state after it


@dataclass(frozen=True)
class Supposed:
    """One supposition: which values of which variable in which steps, the first being 0."""

    variable: int  # 0: gps, 1: pilot
    values: tuple[int, ...]
    steps: tuple[int, ...] | None  # None: without steps
    text: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("futures")
    (found / "program.c").write_text(PROGRAM)
    (found / "driver.c").write_text(DRIVER)
    return found


@pytest.fixture(scope="module")
def library(folder: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(compile_native(Build((Path("driver.c"),), root=folder))))


def ran(library: ctypes.CDLL, bad: int, mode: int, given: Sequence[Pair]) -> Run:
    out = (ctypes.c_int * (3 * len(given)))()
    flat = [value for pair in given for value in pair]
    library.run(bad, mode, len(given), (ctypes.c_int * len(flat))(*flat), out)
    return tuple((out[at], out[at + 1], out[at + 2]) for at in range(0, len(out), 3))


def logged(rng: random.Random, folder: Path, library: ctypes.CDLL) -> tuple[Project, list[Pair], Run]:
    given = [(rng.choice(GPS), rng.choice(PILOT)) for _ in range(LOGGED)]
    run = ran(library, 0, 0, given)
    lines = []
    for number, (gps, pilot) in enumerate(given):
        _, bad, mode = run[number - 1] if number else (0, 0, 0)
        line = {"step": FIRST + number, "gps": gps, "pilot": pilot, "bad": bad, "mode": mode, "return": run[number][0]}
        lines.append(json.dumps(line) + "\n")
    (folder / "log.jsonl").write_text("".join(lines))
    (folder / "soid.toml").write_text(
        '[program]\nengine = "llvm"\nsources = ["program.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
        "[variables]\ngps = { domain = [0, 1] }\npilot = { domain = [0, 2] }\n"
    )
    return Project.open(folder, step=FIRST), given, run


def supposed(rng: random.Random, start: int, count: int) -> Supposed:
    variable = rng.randrange(2)
    name, domain = ("gps", GPS) if variable == 0 else ("pilot", PILOT)
    values = tuple(sorted(rng.sample(domain, rng.randint(1, len(domain)))))
    text = f"{name} is anything" if values == domain else f"{name} in {{{', '.join(map(str, values))}}}"
    first = rng.randrange(count)
    last = rng.randrange(first, count)
    match rng.randrange(4):
        case 0:
            return Supposed(variable, values, None, text)
        case 1:
            return Supposed(variable, values, (first,), f"{text} at step {start + first}")
        case 2:
            return Supposed(variable, values, tuple(range(first, count)), f"{text} from step {start + first}")
        case _:
            steps = f"from step {start + first} to step {start + last}"
            return Supposed(variable, values, tuple(range(first, last + 1)), f"{text} {steps}")


def courses(future: str, each: Sequence[Supposed], log: Sequence[Pair], count: int) -> Iterator[tuple[Pair, ...]]:
    """All courses of the environment but the factual one; `log` begins with the moment asked about."""
    enough = len(log) >= count
    known = [log[step] if future != "held" and enough else log[0] for step in range(count)]
    everywhere = (0,) if future == "anything" else tuple(range(count))
    slots = [(one.variable, one.steps or everywhere, one.values) for one in each]
    if future == "anything":
        taken = {(variable, step) for variable, steps, _ in slots for step in steps}
        free = [(v, s) for s in range(1, count) for v in range(2) if (v, s) not in taken]
        slots += [(v, (s,), GPS if v == 0 else PILOT) for v, s in free]
    for values in itertools.product(*(values for _, _, values in slots)):
        made = [list(pair) for pair in known]
        for (variable, steps, _), value in zip(slots, values, strict=True):
            for step in steps:
                made[step][variable] = value
        found = tuple((gps, pilot) for gps, pilot in made)
        if found != tuple(known) or (future == "anything" and not enough):
            yield found


def apart(each: Sequence[Supposed]) -> bool:
    """Whether no two are about the same variable."""
    return len({one.variable for one in each}) == len(each)


@pytest.mark.parametrize("seed", range(LOGS))
def test_a_verdict_is_that_of_all_scenarios(seed: int, folder: Path, library: ctypes.CDLL) -> None:
    rng = random.Random(f"futures {seed}")
    project, given, run = logged(rng, folder, library)
    seen: Counter[str] = Counter()
    for _ in range(QUESTIONS):
        number, count = rng.randrange(3), rng.randint(2, 4)
        each = [supposed(rng, FIRST + number, count) for _ in range(rng.choice((1, 1, 2)))]
        future, kind = rng.choice(("as logged", "as logged", "held", "anything")), rng.choice(("would", "might"))
        if not apart(each):
            continue
        over, wanted = rng.choice(("after", "within", "throughout")), rng.randrange(5)
        states = sorted(rng.sample(range(3), 2)) if rng.random() < 0.3 else None
        texts = [one.text for one in each] + ([f"bad in {{{states[0]}, {states[1]}}}"] if states else [])
        question = f"{kind} return == {wanted} {over} {count} steps {future} if {' and '.join(texts)}"
        bad, mode = run[number - 1][1:] if number else (0, 0)
        occurs = []
        for course in courses(future, each, given[number:], count) if not states else ():
            occurs.append(holds(over, wanted, ran(library, bad, mode, course)))
        if states:  # a state that differs makes the factual course a scenario too
            for other in states:
                every = list(courses(future, each, given[number:], count))
                if other != bad:
                    every = list(dict.fromkeys([*every, *unpunctured(future, each, given[number:], count)]))
                occurs += [holds(over, wanted, ran(library, other, mode, course)) for course in every]
        verdict = ("yes" if (all if kind == "would" else any)(occurs) else "no") if occurs else "vacuous"
        answer = project.at(FIRST + number).ask(question)
        assert answer.verdict.value == verdict, f"{question}\n{given}\n{answer.verdict} instead of {verdict}"
        seen[f"{future} {verdict}"] += 1
        if answer.witness is not None:
            assert "by running the compiled program" in answer.witness.replayed
    assert len(seen) > 3, seen


def unpunctured(future: str, each: Sequence[Supposed], log: Sequence[Pair], count: int) -> Iterator[tuple[Pair, ...]]:
    """The factual course, if the suppositions allow it."""
    enough = len(log) >= count
    known = tuple(log[step] if future != "held" and enough else log[0] for step in range(count))
    everywhere = (0,) if future == "anything" else tuple(range(count))
    if all(
        len({known[step][one.variable] for step in one.steps or everywhere}) == 1
        and known[(one.steps or everywhere)[0]][one.variable] in one.values
        for one in each
    ):
        yield known


def holds(over: str, wanted: int, run: Run) -> bool:
    returned = [decided == wanted for decided, _, _ in run]
    return returned[-1] if over == "after" else any(returned) if over == "within" else all(returned)

"""C programs with a state, called several times: in each step the engine says what the compiled program does."""

from __future__ import annotations

import ctypes
import itertools
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.compiler.compilation import Build, compile_native
from soid.engine.manifest_reader import load
from soid.engine.protocol import Engine, Exploration
from soid.engine.registry import open_program
from soid.engine.summary import Decided, PathSummary, Undecided
from soid.formula import build
from soid.formula.checker import Checker, Impossible, Possibility, Possible
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.program.interface import Interface

STEPS = 4


@dataclass(frozen=True)
class Stepped:
    """A program, and a driver that calls it: `run(in, out)` makes the first call, `next(in, out)` another one."""

    text: str
    driver: str
    inputs: Mapping[str, Sequence[int]]  # what varies, in the driver's order: by path, its values
    outputs: tuple[str, ...]  # in the driver's order
    manifest: str = ""
    sometimes: frozenset[str] = field(default_factory=frozenset)  # outputs that no step may have set


PROGRAMS = {
    # state in a struct that is pointed to, in a static, in a local static and in memory that was allocated; an input
    # that the program overwrites; decisions that are not always made, in the caller's memory and in a global: they stay
    "everything": Stepped(
        """
        #include <stdlib.h>
        struct input { int level, mode; };
        struct memory { int count; struct { unsigned char lit; } lamp; };
        struct output { int go, total; };
        static int *kept;
        static unsigned char ring[3];
        static unsigned at;
        int last;

        void decide(struct input *in, struct memory *m, struct output *out)
        {
            static int calls = 2;
            if (kept == NULL) {
                kept = malloc(sizeof *kept);
                if (kept == NULL)
                    return;
                *kept = 0;
            }
            *kept += in->level;
            in->level = 99;
            calls++;
            ring[at++ % 3] = (unsigned char)(in->mode + calls);
            if (m->count == 1)
                last = calls;
            if (m->lamp.lit)
                out->go = m->count + calls;
            out->total = *kept + ring[at % 3];
            m->count += in->mode;
            m->lamp.lit = !m->lamp.lit;
        }
        """,
        """
        static struct input in; static struct memory m; static struct output out = {-1, -1};
        void next(const int *given, int *left)
        {
            in.level = given[0], in.mode = given[1];
            decide(&in, &m, &out);
            left[0] = out.go, left[1] = out.total, left[2] = m.count, left[3] = m.lamp.lit, left[4] = last;
        }
        void run(const int *given, int *left)
        {
            m.count = given[2], m.lamp.lit = (unsigned char)given[3];
            next(given, left);
        }
        """,
        {"in.level": range(2), "in.mode": range(-1, 2), "m.count": range(3), "m.lamp.lit": range(2)},
        ("out.go", "out.total", "m.count'", "m.lamp.lit'", "last"),
        '[variables]\n"in.level" = { role = "environment" }\n',
        frozenset({"out.go", "last"}),
    ),
    # floats that are computed and remembered; arguments and result by value; a struct that comes back
    "floats": Stepped(
        """
        struct answer { float average; int rising; };
        static float average;
        struct answer smooth(int sample, _Bool fast)
        {
            float before = average;
            average += ((float)sample - average) / (fast ? 2.0f : 3.0f);
            struct answer a = {average, average > before};
            return a;
        }
        """,
        """
        #include <string.h>
        void next(const int *given, int *left)
        {
            struct answer a = smooth(given[0], given[1]);
            memcpy(left, &a.average, 4);
            left[1] = a.rising;
            memcpy(left + 2, &average, 4);
        }
        void run(const int *given, int *left) { memcpy(&average, given + 2, 4); next(given, left); }
        """,
        {"sample": range(-2, 3), "fast": range(2), "average": (0, 0x3F800000, 0xC0A00001 - (1 << 32), 0x7F7FFFFF)},
        ("return.average", "return.rising", "average'"),
    ),
    # bit-fields: state, environment and decision in the same bytes
    "bits": Stepped(
        """
        struct word { unsigned level : 3, seen : 4, alarm : 1, spare : 2; };
        void watch(struct word *w)
        {
            if (w->level > 1 && w->seen < 15)
                w->seen++;
            w->alarm = w->seen > 2;
            w->level = 7;
        }
        """,
        """
        static struct word w;
        void next(const int *given, int *left)
        {
            w.level = given[0];
            watch(&w);
            left[0] = w.alarm, left[1] = w.seen;
        }
        void run(const int *given, int *left) { w.seen = given[1]; next(given, left); }
        """,
        {"w.level": range(4), "w.seen": (0, 1, 2, 14, 15)},
        ("w.alarm", "w.seen'"),
        '[variables]\n"w.level" = { role = "environment" }\n"w.alarm" = { role = "decision" }\n',
    ),
}


class Opened:
    """A program, opened by the engine and compiled with its driver."""

    def __init__(self, program: Stepped, entry: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        (folder / "program.c").write_text(program.text)
        (folder / "driver.c").write_text(f'#include "program.c"\n{program.driver}')
        toml = f'[program]\nengine = "c"\nsources = ["program.c"]\nentry = "{entry}"\n{program.manifest}'
        (folder / "soid.toml").write_text(toml)
        opened, self.engine = open_program(load(folder).program)
        self.interface = opened.interface
        self._library = compile_native(Build((Path("driver.c"),), root=folder))
        self._copies = itertools.count()

    def native(self, steps: Sequence[Sequence[int]]) -> list[dict[str, int]]:
        """What a fresh copy of the compiled program leaves after each step."""
        copy = self.folder / f"copy{next(self._copies)}.so"
        shutil.copy(self._library, copy)
        library, found = ctypes.CDLL(str(copy)), []
        for number, inputs in enumerate(steps):
            given = (ctypes.c_int * len(inputs))(*inputs)
            left = (ctypes.c_int * len(self.program.outputs))()
            library["next" if number else "run"](given, left)
            found.append(dict(zip(self.program.outputs, left, strict=True)))
        return found

    def bits(self, path: str, value: int) -> int:
        return value & (1 << self.interface.variable(path.removesuffix("'")).type.width) - 1


def entry_of(name: str) -> str:
    return {"everything": "decide", "floats": "smooth", "bits": "watch"}[name]


def starting(interface: Interface) -> dict[str, int]:
    """What inputs are that nobody says anything about."""
    return {variable.path: variable.initial or 0 for variable in interface.inputs}


def tried(states: Sequence[Mapping[Term, int]]) -> Checker:
    """A checker that tries the states of the test."""

    def check(conjuncts: Sequence[Term], /) -> Possibility:
        found = next((state for state in states if all(evaluate_all(conjuncts, state))), None)
        return Impossible() if found is None else Possible(found)

    return check


def explored(engine: Engine, fixed: Mapping[str, int], check: Checker, **more: object) -> PathSummary:
    begun = UNLIMITED.started()
    return engine.explore(Exploration(fixed, build.TRUE, check, begun, Cancellation(), **more))  # type: ignore[arg-type]


def agree(opened: Opened, summary: PathSummary, state: Mapping[Term, int], steps: Sequence[Sequence[int]]) -> None:
    run = summary.run(state)
    assert run.path.ending == Decided(), run.path.ending
    native = opened.native(steps)
    assert len(run.earlier) + 1 == len(steps)
    for number, (said, left) in enumerate(zip((*run.earlier, run.outputs), native, strict=True), start=1):
        for name, value in left.items():
            kept = run.keeps(number - 1, name)
            assert (name in said) is not kept and (not kept or name in opened.program.sometimes), (steps, number, name)
            if not kept:
                assert int(said[name]) == opened.bits(name, value), (steps, number, name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_environment_held_and_the_state_fed_back(name: str, tmp_path: Path) -> None:
    opened = Opened(PROGRAMS[name], entry_of(name), tmp_path)
    names = list(opened.program.inputs)
    free = [opened.interface.variable(path) for path in names]
    choices = list(itertools.product(*opened.program.inputs.values()))
    states = [
        {v.symbol: opened.bits(v.path, value) for v, value in zip(free, values, strict=True)} for values in choices
    ]
    fixed = {path: bits for path, bits in starting(opened.interface).items() if path not in names}
    within = build.any_of(
        build.all_of(build.eq(s, build.const(s.sort, bits)) for s, bits in state.items()) for state in states
    )
    exploration = Exploration(fixed, within, tried(states), UNLIMITED.started(), Cancellation(), steps=STEPS)
    summary = opened.engine.explore(exploration)
    for values, state in zip(choices, states, strict=True):
        agree(opened, summary, state, [values] * STEPS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_environment_for_each_step(name: str, tmp_path: Path) -> None:
    opened = Opened(PROGRAMS[name], entry_of(name), tmp_path)
    program = opened.program
    roles = {path: opened.interface.variable(path).role.value for path in program.inputs}
    for seed in range(6):
        picked = [
            [
                list(values)[(seed + 3 * step + 5 * place) % len(values)]
                for place, values in enumerate(program.inputs.values())
            ]
            for step in range(STEPS)
        ]
        bits = [{path: opened.bits(path, v) for path, v in zip(program.inputs, step, strict=True)} for step in picked]
        environments = tuple({p: b for p, b in step.items() if roles[p] == "environment"} for step in bits[1:])
        summary = explored(
            opened.engine,
            {**starting(opened.interface), **bits[0]},
            lambda _: Possible({}),
            steps=STEPS,
            environments=environments,
        )
        agree(opened, summary, {}, picked)


# --- endings in a later step ----------------------------------------------------------------------------------

COUNTER = """
static int count;
int decide(int input)
{
    int go = 12 / (3 - count);
    for (int i = 0; i < input * count; i++)
        go++;
    count++;
    return go;
}
"""


def counter(folder: Path, more: str = "") -> tuple[Interface, Engine]:
    (folder / "program.c").write_text(COUNTER)
    (folder / "soid.toml").write_text(f'[program]\nengine = "c"\nsources = ["program.c"]\nentry = "decide"\n{more}')
    program, engine = open_program(load(folder).program)
    return program.interface, engine


@pytest.mark.parametrize(("first", "reached"), [(0, 3), (1, 2), (2, 1), (3, 0)])
def test_a_failure_in_a_later_step_keeps_what_came_before(first: int, reached: int, tmp_path: Path) -> None:
    _, engine = counter(tmp_path)
    run = explored(engine, {"input": 0, "count": first}, lambda _: Possible({}), steps=6).run({})
    assert str(run.path.ending) == "fails: division by zero at program.c:5"
    assert [dict(step) for step in run.earlier] == [
        {"return": 12 // (3 - count), "count'": count + 1} for count in range(first, first + reached)
    ]


@pytest.mark.parametrize(("window", "reached"), [(1, 1), (2, 2), (5, 3)])
def test_each_step_has_the_window_for_itself(window: int, reached: int, tmp_path: Path) -> None:
    _, engine = counter(tmp_path, f"window = {window}\n")
    run = explored(engine, {"input": 2, "count": 0}, lambda _: Possible({}), steps=3).run({})
    assert len(run.earlier) + isinstance(run.path.ending, Decided) == reached
    if not isinstance(run.path.ending, Decided):
        assert run.path.ending == Undecided(window=window)
    given = explored(engine, {"input": 2, "count": 0}, lambda _: Possible({}), steps=3, window=2).run({})
    assert given.path.ending == Undecided(window=2)

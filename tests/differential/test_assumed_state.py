"""State that is not logged: verdicts against brute force over every value that it may have had.

A program with two counters is run in Python and by the oracle. The truth of a question is found by enumeration: for
each value of the counters that fits the log, the verdict with that value; one verdict if they agree, else unknown.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest

from soid import Project

LEVELS, MODES = range(4), range(3)  # of an input, and of a decision
TICKS, HEAT = range(6), range(3)  # of the counters

PROGRAM = """
static int ticks, heat;
int decide(int level) {{
    int mode = 0;
    if (level {compare} {bound}) ticks = {grow}; else {reset}
    if (level == {hot}) heat = heat < 2 ? heat + 1 : 2; {cool}
    if (ticks > {most}) mode = 1;
    if (heat == {limit} {joint} ticks == {exact}) mode = 2;
    return mode;
}}
"""
MANIFEST = """
[program]
engine = "llvm"
sources = ["p.c"]
entry = "decide"
[trace]
file = "log.jsonl"
{start}
[variables]
level = {{ domain = [0, 3] }}
ticks = {{ domain = [0, 5] }}
heat = {{ domain = [0, 2] }}
"""


class Machine:
    """The program in Python."""

    def __init__(self, chance: random.Random) -> None:
        self.compare, self.bound = chance.choice(["<", ">", "=="]), chance.choice(LEVELS)
        self.grow = chance.choice(["ticks < 5 ? ticks + 1 : 5", "5 - ticks", "ticks"])
        self.reset = chance.choice(["ticks = 0;", ";", "ticks = 2;"])
        self.hot, self.cool = chance.choice(LEVELS), chance.choice(["", "else heat = 0;"])
        self.most, self.limit, self.exact = chance.randrange(1, 5), chance.choice(HEAT), chance.choice(TICKS)
        self.joint = chance.choice(["&&", "||"])

    @property
    def text(self) -> str:
        return PROGRAM.format(**vars(self))

    def run(self, level: int, ticks: int, heat: int) -> tuple[int, int, int]:
        inside = {"<": level < self.bound, ">": level > self.bound, "==": level == self.bound}[self.compare]
        if inside:
            ticks = {"t": min(ticks + 1, 5), "5": 5 - ticks, "k": ticks}["k" if self.grow == "ticks" else self.grow[0]]
        elif self.reset != ";":
            ticks = int(self.reset[-2])
        heat = min(heat + 1, 2) if level == self.hot else 0 if self.cool else heat
        mode = 1 if ticks > self.most else 0
        both = heat == self.limit, ticks == self.exact
        return (2 if (all(both) if self.joint == "&&" else any(both)) else mode), ticks, heat


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_are_those_of_every_value_that_fits_the_log(seed, tmp_path):
    chance = random.Random(seed)
    machine = Machine(chance)
    from_start = chance.random() < 0.3
    state: tuple[int, ...] = (0, 0) if from_start else (chance.choice(TICKS), chance.choice(HEAT))
    steps = []
    for number in range(chance.randrange(1, 5)):
        level = chance.choice(LEVELS)
        mode, *after = machine.run(level, *state)
        steps.append({"step": number, "level": level, **({"return": mode} if chance.random() < 0.6 else {})})
        state = tuple(after)
    (tmp_path / "p.c").write_text(machine.text)
    (tmp_path / "soid.toml").write_text(MANIFEST.format(start="from_start = true" if from_start else ""))
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    project = Project.open(tmp_path)
    at = steps[-1]
    possible = _possible(machine, steps, {(0, 0)} if from_start else {(t, h) for t in TICKS for h in HEAT})
    for place, name in enumerate(("ticks", "heat")):
        if name in project.keyframe.derived:
            assert {pair[place] for pair in possible} == {project.keyframe.inputs[name]}, (machine.text, steps)
    levels = [level for level in LEVELS if level != at["level"]]
    here = _possible(machine, steps[-1:], {(t, h) for t in TICKS for h in HEAT})
    for mode in MODES:
        each = [{machine.run(level, *pair)[0] == mode for level in levels} for pair in possible]
        alike = [found for found in each if len(found) == 1 and found == each[0]]
        expected = {
            f"did return == {mode}": {machine.run(at["level"], *pair)[0] == mode for pair in possible},
            f"would return == {mode} if level is anything": {found == {True} for found in each},
            f"might return == {mode} if level is anything": {True in found for found in each},
        }
        for question, verdicts in expected.items():
            answer = project.ask(question)
            about = machine.text, steps, question, answer.reason
            wanted = _told(verdicts)
            if answer.verdict.value == "unknown" and wanted != "unknown":
                # earlier steps tell more than was derived from them: they exclude values without leaving only one
                assert len(here) > len(possible), about
            else:
                assert answer.verdict.value == wanted, about
            if answer.throughout is not None:
                assert alike == each, about


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(4, 100))])
def test_calls_that_may_be_missing(seed, tmp_path):
    """Rows are counted, and their times show where some are missing: there the program may have been given anything."""
    chance = random.Random(2000 + seed)
    machine, from_start = Machine(chance), chance.random() < 0.7
    state: tuple[int, ...] = (0, 0) if from_start else (chance.choice(TICKS), chance.choice(HEAT))
    rows, dropped = list[dict[str, int]](), set(chance.sample(range(3, 8), chance.choice([0, 1, 2])))
    for time in range(9):
        level = chance.choice(LEVELS)
        mode, *after = machine.run(level, *state)
        state = tuple(after)
        if time not in dropped:
            rows.append({"t": time, "level": level, **({"return": mode} if chance.random() < 0.5 else {})})
    (tmp_path / "p.c").write_text(machine.text)
    start = 'time = "t"\n' + ("from_start = true" if from_start else "")
    (tmp_path / "soid.toml").write_text(MANIFEST.format(start=start))
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(tmp_path)
    reached = {(0, 0)} if from_start else set(itertools.product(TICKS, HEAT))
    for at, row in enumerate(rows):
        missing = row["t"] - rows[at - 1]["t"] - 1 if at else 0
        for _ in range(missing):
            reached = {machine.run(level, *pair)[1:] for pair in reached for level in LEVELS}
        given = {pair: machine.run(row["level"], *pair)[0] for pair in reached}
        possible = {pair for pair, mode in given.items() if row.get("return", mode) == mode}
        about = machine.text, rows, at
        moment = project.at(at)
        for place, name in enumerate(("ticks", "heat")):
            if name in moment.keyframe.derived:
                assert {pair[place] for pair in possible} == {moment.keyframe.inputs[name]}, about
        others = [level for level in LEVELS if level != row["level"]]
        for mode in MODES:
            answer = moment.ask(f"might return == {mode} if level is anything").verdict.value
            truths = {any(machine.run(level, *pair)[0] == mode for level in others) for pair in possible}
            assert answer in ("unknown", _told(truths)), (*about, mode)
        reached = {machine.run(row["level"], *pair)[1:] for pair in possible}


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(4, 150))])
def test_a_start_that_the_log_refutes(seed, tmp_path):
    """The manifest says that the log begins with the first call, and the log shows that it does not."""
    chance = random.Random(3000 + seed)
    every = set(itertools.product(TICKS, HEAT))
    rows, machine, starts = list[dict[str, int]](), Machine(chance), every
    while (0, 0) in starts:  # until the log shows it
        machine = Machine(chance)
        state: tuple[int, ...] = chance.choice(sorted(every - {(0, 0)}))
        rows = []
        for number in range(9):
            level = chance.choice(LEVELS)
            mode, *after = machine.run(level, *state)
            rows.append({"step": number, "level": level, **({"return": mode} if chance.random() < 0.6 else {})})
            state = tuple(after)
        starts = {pair for pair in every if _states(machine, rows, pair)}
    (tmp_path / "p.c").write_text(machine.text)
    (tmp_path / "soid.toml").write_text(MANIFEST.format(start="from_start = true"))
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = Project.open(tmp_path)
    for at, row in enumerate(rows):
        possible = {_states(machine, rows, start)[at] for start in starts}
        moment, others = project.at(at), [level for level in LEVELS if level != row["level"]]
        for mode in MODES:
            answer = moment.ask(f"might return == {mode} if level is anything").verdict.value
            truths = {any(machine.run(level, *pair)[0] == mode for level in others) for pair in possible}
            assert answer in ("unknown", "error", _told(truths)), (machine.text, rows, at, mode)


def _states(machine: Machine, rows: list[dict[str, int]], state: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The counters before each row, from a state before the first; nothing if that does not give what is logged."""
    found = [state]
    for row in rows:
        mode, *after = machine.run(row["level"], *found[-1])
        if row.get("return", mode) != mode:
            return []
        found.append(tuple(after))
    return found


class World(NamedTuple):
    """All that is not known: the counters at the moment, and what was perceived from then on."""

    ticks: int
    heat: int
    levels: tuple[int, ...]


@pytest.mark.parametrize("seed", range(6))
def test_several_steps_with_gaps_in_what_was_perceived(seed, tmp_path):
    chance = random.Random(1000 + seed)
    machine, count = Machine(chance), chance.choice([1, 2, 3])
    state: tuple[int, ...] = chance.choice(TICKS), chance.choice(HEAT)
    steps: list[dict[str, int]] = []
    for number in range(count + 2):
        level = chance.choice(LEVELS)
        mode, *after = machine.run(level, *state)
        told = {"return": mode} if chance.random() < 0.5 else {}
        steps.append({"step": number, **({"level": level} if chance.random() < 0.7 else {}), **told})
        state = tuple(after)
    (tmp_path / "p.c").write_text(machine.text)
    (tmp_path / "soid.toml").write_text(MANIFEST.format(start=""))
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    first, about = chance.choice([0, 1, 2]), steps
    project = Project.open(tmp_path, step=first)
    asked = steps[first : first + count]
    before = _before(machine, steps[:first])
    worlds = [
        World(*pair, tuple(levels))
        for pair in itertools.product(TICKS, HEAT)
        for levels in itertools.product(*([step["level"]] if "level" in step else LEVELS for step in asked))
    ]
    fitting = [w for w in worlds if (w.ticks, w.heat) in before and _fits(machine, w, asked)]
    assert fitting
    over = chance.choice(["within", "throughout", "after"])
    period = f" {over} {count} steps" if count > 1 else ""
    hold = {"within": any, "throughout": all, "after": lambda truths: list(truths)[-1]}[over]

    def occurs(world: World, mode: int) -> bool:
        return bool(hold(got == mode for got in _modes(machine, world)))

    for mode in MODES:
        here = f" at step {first}" if count > 1 else ""
        variants: dict[str, Callable[[World], list[World]]] = {
            f"level is anything{here}": lambda w: [
                World(w.ticks, w.heat, (level, *w.levels[1:])) for level in LEVELS if level != w.levels[0]
            ],
            "ticks is anything": lambda w: [World(t, w.heat, w.levels) for t in TICKS if t != w.ticks],
            "ticks is anything and heat is anything": lambda w: [
                World(t, h, w.levels) for t, h in itertools.product(TICKS, HEAT) if (t, h) != (w.ticks, w.heat)
            ],
        }
        truths: dict[str, tuple[set[bool], set[bool]]] = {
            f"did return == {mode}{period}": _twice(partial(occurs, mode=mode), fitting, worlds)
        }
        for supposed, others in variants.items():
            for kind, some in (("would", all), ("might", any)):

                def verdict(world: World, m: int = mode, others=others, some=some) -> bool:
                    return bool(some(occurs(each, m) for each in others(world)))

                truths[f"{kind} return == {mode}{period} if {supposed}"] = _twice(verdict, fitting, worlds)
        for question, (possible, conceivable) in truths.items():
            answer = project.ask(question)
            context = machine.text, about, first, question, answer.reason, possible
            if question.startswith("did") and first == 0:  # all of the log is asked about
                assert answer.verdict.value == _told(possible), context
            if answer.verdict.value == "unknown":
                assert len(conceivable) > 1 or "ticks is" in question or "level" not in asked[0], context
            else:
                assert possible == {answer.verdict.value == "yes"}, context


def _told(verdicts: set[bool]) -> str:
    return "unknown" if len(verdicts) > 1 else "yes" if True in verdicts else "no"


def _twice(verdict: Callable[[World], bool], fitting: list[World], all_: list[World]) -> tuple[set[bool], set[bool]]:
    """The verdicts over all that fits the log, and over all that there may be."""
    return {verdict(world) for world in fitting}, {verdict(world) for world in all_}


def _modes(machine: Machine, world: World) -> list[int]:
    ticks, heat, found = world.ticks, world.heat, []
    for level in world.levels:
        mode, ticks, heat = machine.run(level, ticks, heat)
        found.append(mode)
    return found


def _fits(machine: Machine, world: World, steps: list[dict[str, int]]) -> bool:
    return all(step.get("return", got) == got for step, got in zip(steps, _modes(machine, world), strict=True))


def _before(machine: Machine, steps: list[dict[str, int]]) -> set[tuple[int, int]]:
    """The counters after some steps of the log, which begins anywhere."""
    states = set(itertools.product(TICKS, HEAT))
    for step in steps:
        levels = [step["level"]] if "level" in step else LEVELS
        runs = [machine.run(level, *pair) for level in levels for pair in states]
        states = {(ticks, heat) for mode, ticks, heat in runs if step.get("return", mode) == mode}
    return states


def _possible(machine: Machine, steps: list[dict[str, int]], states: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The counters before the last step, for all of the log."""
    for number, step in enumerate(steps):
        fitting = {
            pair
            for pair in states
            if machine.run(step["level"], *pair)[0] in (step.get("return"), *(MODES if "return" not in step else ()))
        }
        if number == len(steps) - 1:
            return fitting
        states = {machine.run(step["level"], *pair)[1:] for pair in fitting}
    raise AssertionError

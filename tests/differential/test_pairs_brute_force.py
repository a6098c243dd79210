"""Questions about pairs, and what running the program on every pair of a small population gives."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.witness.witness import Shows
from tests.differential.test_product_brute_force import compiled, source

AGES = range(-3, 4)

#: relations of two numbers, as questions write them of an outcome and of a change
OUTCOMES: dict[str, Callable[[int, int], bool]] = {
    "be the same": lambda one, other: one == other,
    "differ": lambda one, other: one != other,
    "rise": lambda one, other: other > one,
    "not fall": lambda one, other: not other < one,
    "differ by at most 2": lambda one, other: abs(other - one) <= 2,
}
CHANGES: dict[str, Callable[[int, int], bool]] = {
    "differs": lambda one, other: one != other,
    "rises": lambda one, other: other > one,
    "falls": lambda one, other: other < one,
    "differs by at most 1": lambda one, other: abs(other - one) <= 1,
}


def asked(folder: Path, seed: int) -> tuple[Project, dict[tuple[int, int], int], tuple[int, int]]:
    draw = random.Random(seed)
    text = source(draw)
    run = compiled(text, folder, "program")
    states = {(a, b): run(a, b) for a, b in itertools.product(AGES, AGES)}
    fact = draw.choice(list(states))
    (folder / "log.jsonl").write_text(f'{{"a": {fact[0]}, "b": {fact[1]}, "return": {states[fact]}}}\n')
    domain = "{ domain = [-3, 3] }"
    (folder / "soid.toml").write_text(
        '[program]\nengine = "c"\nsources = ["program.c"]\nentry = "decide"\n[trace]\nfile = "log.jsonl"\n'
        f"[variables]\na = {domain}\nb = {domain}\n"
    )
    return Project.open(folder), states, fact


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(4, 60))])
def test_verdicts_are_those_of_all_pairs(tmp_path: Path, seed: int) -> None:
    project, states, fact = asked(tmp_path, seed)
    draw = random.Random(seed)
    for _ in range(8):
        change, outcome = draw.choice(list(CHANGES)), draw.choice(list(OUTCOMES))
        bound = draw.choice([-3, -1, 0, 2])
        family = [
            (states[one], states[other])
            for one, other in itertools.product(states, states)
            if one[1] == other[1] and CHANGES[change](one[0], other[0])
            if one[0] >= bound and other[0] >= bound
            if not one == other == fact  # the fact itself is left out
        ]
        for verb, decided in (("would", all), ("might", any)):
            question = f"{verb} return {outcome} if a {change}, for every case with a >= {bound}"
            answer = project.ask(question)
            found = {OUTCOMES[outcome](*pair) for pair in family}
            expected = "vacuous" if not family else "yes" if decided(found) else "no"
            assert answer.verdict.value == expected, question
            shown = answer.witness is not None and answer.witness.shows is not Shows.MEMBER
            if answer.throughout is not None:  # which is left out where it takes longer
                assert shown and len(found) == 1, question

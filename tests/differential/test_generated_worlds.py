"""Closed loops of random programs and worlds, which may fail, against a run of every scenario."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from tests.differential.generated_world import (
    DOMAINS,
    FAILED,
    GIVEN,
    LOGGED,
    Generated,
    Supposed,
    Truth,
    truths,
)

_SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 60))]


@pytest.mark.parametrize("seed", _SEEDS)
def test_verdicts_are_those_of_all_scenarios(tmp_path: Path, seed: int) -> None:
    chance = random.Random(f"worlds {seed}")
    for number in range(4):
        made = Generated.any(chance)
        while "move" not in made.log[0]:
            made = Generated.any(chance)  # the moment itself must be one that the program comes through
        project = made.project(tmp_path / str(number))
        for _ in range(6):
            count = chance.randint(1, LOGGED - 2)
            kind, over = chance.choice(["might", "would"]), chance.choice(["within", "throughout"])
            negated = chance.random() < 0.5
            supposed = _supposed(chance, count)
            period = f" {over} {count} steps closed loop" if count > 1 else ""
            asked = f"{kind} {'not ' * negated}happens{period} if {' and '.join(each.text for each in supposed)}"
            expected = _verdict(made, kind, over, supposed, count, negated=negated)
            found = project.ask(asked)
            assert found.verdict.value in expected, (asked, expected, found.reason)


def _supposed(chance: random.Random, count: int) -> list[Supposed]:
    found = []
    for name in chance.sample(list(DOMAINS), chance.randint(1, 2)):
        values = tuple(sorted(chance.sample(range(DOMAINS[name]), chance.randint(1, DOMAINS[name]))))
        begin = chance.randrange(count)
        said = range(begin, chance.randrange(begin, count) + 1)
        if name == "move" or (name != "m" and chance.random() < 0.3):
            found.append(Supposed(name, values, said, is_said=True))
        else:
            found.append(Supposed(name, values, range(count if name in GIVEN else 1), is_said=False))
    return found


def _verdict(made: Generated, kind: str, over: str, supposed: list[Supposed], count: int, *, negated: bool) -> set[str]:
    """The verdicts that are right: where a scenario may be what happened, those with it and without it, and unknown."""
    sure, perhaps = list[Truth](), list[Truth]()
    for values in itertools.product(*(each.values for each in supposed)):
        is_fact = _is_fact(made, supposed, values)
        if is_fact is not True:
            occurs = [
                not each if negated and isinstance(each, bool) else each
                for each in truths(made, supposed, values, count)
            ]
            perhaps.append(_over(occurs, over))
            sure += [perhaps[-1]] if is_fact is False else []
    found = {_judged(kind, each) for each in (sure, perhaps)}
    return found if len(found) == 1 else {*found, "unknown"}


def _is_fact(made: Generated, supposed: list[Supposed], values: tuple[int, ...]) -> bool | None:
    """Whether a scenario is what happened; None: what was decided in some step is not known."""
    same: list[bool | None] = []
    for each, value in zip(supposed, values, strict=True):
        rows = [made.log[at] for at in each.steps]
        same += [row[each.name] == value if each.name in row else None for row in rows]
    return False if False in same else None if None in same else True


def _over(occurs: list[Truth], over: str) -> Truth:
    settles = over == "within"
    if settles in [each for each in occurs if isinstance(each, bool)]:
        return settles
    return FAILED if FAILED in occurs else None if None in occurs else not settles


def _judged(kind: str, outcomes: list[Truth]) -> str:
    if not outcomes:
        return "vacuous"
    known = [each for each in outcomes if isinstance(each, bool)]
    if kind == "might":
        return "yes" if True in known else "unknown" if len(known) < len(outcomes) else "no"
    return "no" if False in known or FAILED in outcomes else "unknown" if None in outcomes else "yes"

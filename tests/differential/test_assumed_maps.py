"""Maps of moments at which inputs are not known: every place against brute force over all that they may have been.

A place has a decision on the map only if that is the decision for every value of the counters that fits the log; else
it depends on them.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soid.mapping.claims import ClaimKind
from soid.mapping.decision_map import DecisionMap
from tests.differential.hidden_counters import COUNTERS, INPUTS, Counting, Point

#: suppositions: the axes, and where they hold
OVERS: dict[str, tuple[list[str], Callable[[Point], bool]]] = {
    "a is anything": (["a"], lambda _: True),
    "b is anything": (["b"], lambda _: True),
    "a is anything and b is anything": (["a", "b"], lambda _: True),
    "u is anything": (["u"], lambda _: True),
    "a is anything and u is anything": (["a", "u"], lambda _: True),
    "u is anything and v is anything": (["u", "v"], lambda _: True),
    "a <= u and keep u": (["a"], lambda at: at["a"] <= at["u"]),
    "a + b > v and keep v": (["a", "b"], lambda at: at["a"] + at["b"] > at["v"]),
}


@pytest.mark.parametrize("seed", range(3))
def test_places_are_those_of_every_value_that_may_have_been(seed: int, tmp_path: Path) -> None:
    chance, seen = random.Random(seed), set[ClaimKind]()
    for number in range(3):
        program = Counting.any(chance)
        project = program.project(tmp_path / str(number))
        for over in chance.sample(list(OVERS), 4):
            made = project.map(over)
            assert [axis.variable.path for axis in made.axes] == OVERS[over][0]
            assert list(_wrong(made, over, program, set(project.keyframe.assumed))) == [], (program, over)
            seen |= {region.label.kind for region in made.regions}
    assert seen >= {ClaimKind.DECIDES, ClaimKind.DEPENDS}


def _wrong(made: DecisionMap, over: str, program: Counting, assumed: set[str]) -> Iterator[object]:
    axes, supposed = OVERS[over]
    kept = [name for name in COUNTERS if name not in axes and name in assumed]
    worlds = program.worlds(assumed, fitting=not assumed & set(axes))  # what is supposed need not fit the log
    for values in itertools.product(*((INPUTS | COUNTERS)[name] for name in axes)):
        here = dict(zip(axes, values, strict=True))
        truths: dict[tuple[int, ...], int | None] = {}
        for world in worlds:
            state = {**program.fact, **world, **here}
            truths[tuple(world[name] for name in kept)] = program.decision(state) if supposed(state) else None
        region = made.at([axis.place(here[axis.variable.path]) for axis in made.axes])
        text = region.label.text if region is not None else None
        expected = {None if truth is None else f"return = {truth}" for truth in truths.values()}
        if len(expected) == 1:
            if text not in expected:
                yield here, truths, text
            continue
        told = set((text or "").removeprefix("depends on ").split(" and "))
        apart = [
            {name for name, here, there in zip(kept, one, other, strict=True) if here != there}
            for one, other in itertools.combinations(truths, 2)
            if truths[one] != truths[other]
        ]
        if text is None or not text.startswith("depends on ") or not any(names <= told for names in apart):
            yield here, truths, text

"""Explanations at moments with inputs that are not known, against brute force over all that they may have been.

A set of changes counts if some values of it lead to the outcome whatever the counters were. A variable is irrelevant if
no value of it changes an outcome, whatever they were; it matters if some value does, whatever they were.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pytest

from soid.explanation.counterfactuals import Mattered
from soid.explanation.flips import Flip
from soid.explanation.proof_needs import Proof
from tests.differential.hidden_counters import INPUTS, Counting, Point

#: suppositions: what varies, and where they hold
OVERS: dict[str, tuple[list[str], Callable[[Point], bool]]] = {
    "a is anything": (["a"], lambda _: True),
    "a >= 3": (["a"], lambda at: at["a"] >= 3),
    "b <= 2": (["b"], lambda at: at["b"] <= 2),
    "a is anything and b is anything": (["a", "b"], lambda _: True),
    "a < 3 and b is anything": (["a", "b"], lambda at: at["a"] < 3),
    "a + b > 5": (["a", "b"], lambda at: at["a"] + at["b"] > 5),
}


@final
@dataclass(frozen=True)
class Asked:
    """A question, and what happens in each state, for each value that the counters may have had."""

    program: Counting
    worlds: list[Point]
    over: str
    kind: str
    mode: int

    @property
    def text(self) -> str:
        return f"{self.kind} return == {self.mode} if {self.over}"

    def occurs(self, at: Point) -> list[bool]:
        return [self.program.decision({**at, **world}) == self.mode for world in self.worlds]

    def leads(self, at: Point) -> bool:
        """Whether a state has the outcome of the scenario shown, whatever the counters were."""
        return set(self.occurs(at)) == {self.kind == "might"}

    def family(self) -> list[Point]:
        varied, holds = OVERS[self.over]
        every = itertools.product(*(INPUTS[name] for name in varied))
        states = [{**self.program.fact, **dict(zip(varied, each, strict=True))} for each in every]
        return [state for state in states if holds(state) and state != self.program.fact]


@pytest.mark.parametrize(("seed", "kinds"), [(1, {"sets", "several", "True"}), (2, {"sets", "True", "False", "None"})])
def test_sets_and_relevance_are_those_of_every_value_that_may_have_been(
    seed: int, kinds: set[str], tmp_path: Path
) -> None:
    chance, seen = random.Random(seed), set[str]()
    for number in range(2):
        program = Counting.any(chance)
        project = program.project(tmp_path / str(number))
        worlds = program.worlds(set(project.keyframe.assumed))
        for over in chance.sample(list(OVERS), 3):
            for mode, kind in itertools.product(range(3), ("might", "would")):
                asked = Asked(program, worlds, over, kind, mode)
                explained = project.explain(asked.text, others=9)
                depends = len(set(asked.occurs(program.fact))) > 1
                assert bool(explained.fact_depends) is depends, asked
                if explained.mattered is not None:
                    assert all(each.startswith("what stood in the way") for each in explained.unsettled), asked
                    _check_sets(explained.mattered, asked)
                    seen.add("sets" if explained.mattered.sets else "several")
                if explained.proof is not None:
                    _check_proof(explained.proof, asked)
                    seen |= {str(each.irrelevant) for each in explained.proof.variables}
    assert seen >= kinds


def _check_sets(found: Mattered, asked: Asked) -> None:
    fact, varied = asked.program.fact, OVERS[asked.over][0]
    changed = {
        tuple(name for name in varied if state[name] != fact[name]) for state in asked.family() if asked.leads(state)
    }
    smallest = {names for names in changed if not any(set(other) < set(names) for other in changed)}
    assert {each.variables for each in found.sets} == smallest, asked
    assert found.complete, asked
    for flip in (flip for each in found.sets for flip in each.flips if isinstance(flip, Flip)):
        name = flip.variable.path
        last, first = ({**fact, **{each: end.state[each] for each in INPUTS}} for end in (flip.last, flip.first))
        assert asked.leads(first), asked
        assert not asked.leads(last), asked
        assert abs(last[name] - first[name]) == 1, asked
        nearer = range(min(fact[name], last[name]), max(fact[name], last[name]) + 1)
        assert not any(asked.leads({**first, name: value}) for value in nearer), asked


def _check_proof(found: Proof, asked: Asked) -> None:
    proved = asked.kind == "would"
    for each in found.variables:
        name = each.variable.path
        moved = [{**state, name: value} for state in asked.family() for value in INPUTS[name]]
        broken = [[occurs is not proved for occurs in asked.occurs(state)] for state in moved]
        matters = {any(world) for world in zip(*broken, strict=True)}  # for each value of the counters
        assert each.irrelevant is (None if len(matters) > 1 else True not in matters), asked

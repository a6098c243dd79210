"""Decision maps against brute force: random small decision logics, states of each map tried by hand.

A failure names the seed and the map; `LOGICS=1:<seed> pytest -m fuzz` runs that logic alone.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import QueryError
from soid.mapping import claims
from soid.mapping.decision_map import DecisionMap
from soid.oracle.inquiry import Settings
from soid.program.types import show
from soid.scenario.expression_text import path_text
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.logics.logic import DECIDES, FAILS, UNDECIDED, UNEXPLORED, Logic, Variable, make
from tests.differential.logics.project import write

LOGICS, MAPS, TRIED = 30, 2, 400
KINDS = {
    DECIDES: claims.ClaimKind.DECIDES,
    FAILS: claims.ClaimKind.FAILS,
    UNDECIDED: claims.ClaimKind.UNDECIDED,
    UNEXPLORED: claims.ClaimKind.OPEN,
}


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


def differences(seed: str, folder: Path, solver: Solver, seen: Counter[str]) -> Iterator[str]:
    """Where a map of a logic and the logic itself differ, in words."""
    logic = make(seed)
    settings = Settings(seconds=5.0, accept_log_mismatch=True)
    project = Project.open(write(logic, folder / f"logic-{seed}"), solver=solver, settings=settings)
    rng = random.Random(f"{seed} maps")
    for _ in range(MAPS):
        varied = rng.sample(logic.inputs, min(len(logic.inputs), rng.choice((1, 2))))
        over = " and ".join(f"{path_text(variable.name)} is anything" for variable in varied)
        try:
            made = project.map(over, by=", ".join(logic.outputs))
        except QueryError as error:
            assert "very many values" in error.cause, f"{seed}, {over}: {error}"  # noqa: PT017 it goes on
            continue
        for values in _some(rng, varied):
            state = {**logic.fact, **values}
            seen[logic.outcome(state).ending] += 1
            wrong = _difference(logic, state, values, made, project)
            if wrong:
                yield f"seed {seed}, {over}, {values}: {wrong}"


def _some(rng: random.Random, varied: list[Variable]) -> Iterator[dict[str, int]]:
    lines = [rng.sample(variable.values, min(len(variable.values), 40)) for variable in varied]
    for bits in itertools.islice(itertools.product(*lines), TRIED):
        yield {variable.name: each for variable, each in zip(varied, bits, strict=True)}


def _difference(
    logic: Logic, state: dict[str, int], values: dict[str, int], made: DecisionMap, project: Project
) -> str:
    outcome = logic.outcome(state)
    region = made.at([axis.place(values[axis.variable.path]) for axis in made.axes])
    if region is None:
        return "it is not on the map"
    if region.label.kind is claims.ClaimKind.OPEN:
        return ""
    if region.label.kind is not KINDS[outcome.ending]:
        return f"the map says {region.label.text}, and it is {outcome.ending}"
    if outcome.ending != DECIDES:
        return ""
    variable = project.program.interface.variable
    said = (
        f"{name} = {show(variable(name.removesuffix(chr(39))).type, outcome.outputs[name])}" for name in logic.outputs
    )
    decided = ", ".join(said)
    return "" if decided == region.label.text else f"the map says {region.label.text}, and it is {decided}"


def test_maps_say_what_the_logics_do(tmp_path: Path, solver: Solver) -> None:
    seen: Counter[str] = Counter()
    assert [each for seed in range(1, LOGICS) for each in differences(str(seed), tmp_path, solver, seen)] == []
    assert all(seen[ending] > 5 for ending in KINDS), seen


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_maps_of_many_more_logics(tmp_path: Path, solver: Solver) -> None:
    """`LOGICS=20000:50000` tries that many from that seed on."""
    count, _, first = os.environ.get("LOGICS", "1000:300000").partition(":")
    seen: Counter[str] = Counter()
    for seed in range(int(first or 0), int(first or 0) + int(count)):
        assert list(differences(str(seed), tmp_path, solver, seen)) == []
    assert all(seen[ending] > 5 for ending in KINDS), seen

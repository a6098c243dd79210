"""Proofs that moments share give each of them the verdict that it has alone: random programs by brute force, examples.

Of a random program each state of its small family is a moment, and questions free some of the inputs: what every
scenario of every moment shows natively is what the answer must be.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from soid.case.project import Project
from soid.errors import SoidError
from soid.examples import folder
from soid.oracle import inquiry, throughout
from soid.oracle.answer import Verdict
from soid.oracle.inquiry import Context, Settings
from soid.oracle.pipeline import answer
from soid.oracle.shared_proofs import BY, SharedProofs
from soid.query.language.query_printer import to_text
from soid.query.query import Query, QueryKind
from soid.scenario.supposition import Anything
from soid.scenario.trace import Keyframe
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.engine_runs import Opened, open_batch
from tests.differential.families import holds, questions
from tests.differential.generator import Mode, Vector, generate
from tests.differential.generator.native import NativeRun, run_programs

MOMENTS = 24
ASKED = 6  # questions a program
Tried = Sequence[tuple[Vector, NativeRun]]


def moments_of(opened: Opened, states: Sequence[Vector]) -> list[Keyframe]:
    names = opened.names
    facts = ({names[path]: bits for path, bits in state.items() if path in names} for state in states)
    inputs = {variable.path for variable in opened.interface.inputs}
    known = ({path: bits for path, bits in fact.items() if path in inputs} for fact in facts)
    return [Keyframe(step, fact, {}, opened.interface) for step, fact in enumerate(known)]


def expected(query: Query, opened: Opened, at: Vector, freed: Sequence[str], tried: Tried) -> str:
    """What trying every scenario of a moment gives."""
    others = [
        holds(opened, query.behavior.expression, run)
        for state, run in tried
        if state != at and all(state[path] == at[path] for path in at if path not in freed)
    ]
    if not others:
        return "vacuous"
    found = all(others) if query.kind is QueryKind.WOULD else any(others)
    return "yes" if found else "no"


def settled(seed: int, mode: Mode, folder: Path, solver: Solver) -> Counter[str]:
    """How many answers there are to questions about a program, and how many of them a shared proof gave."""
    program = generate(seed, mode)
    states = list(program.family())
    (runs,) = run_programs([program], folder, [states])
    (opened,) = open_batch([program], folder)
    rng, tried = random.Random(f"{seed} freed"), list(zip(states, runs, strict=True))
    ports = [path for path in program.domains if path in opened.names]
    some = [states[number] for number in sorted(rng.sample(range(len(states)), min(MOMENTS, len(states))))]
    moments = moments_of(opened, some)
    shared, counted = SharedProofs(moments), Counter[str]()
    for question in questions(opened, states, runs, ASKED):
        if question.query.kind is QueryKind.DID:
            continue
        freed = rng.sample(ports, rng.randint(1, max(1, len(ports) - 1)))
        query = Query(
            question.query.kind, question.query.behavior, tuple(Anything(opened.names[path]) for path in freed)
        )
        for state, moment in zip(some, moments, strict=True):
            context = Context(opened.engine, solver, settings=Settings(witness_seconds=0.5), shared=shared)
            found = answer(query.checked(opened.interface), moment, context)
            wanted = expected(query, opened, state, freed, tried)
            assert found.verdict.value == wanted, f"{seed}, {to_text(query)} at {dict(state)}: {found.reason}"
            counted.update({"answers": 1, "shared": BY in found.settled_by})
    return counted


@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    "first", [3000, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3004, 3200, 4))]
)
def test_random_programs_are_answered_as_trying_every_state_says(first: int, mode: Mode, tmp_path: Path) -> None:
    found, solver = Counter[str](), chain()
    try:
        for seed in range(first, first + 4):
            folder = tmp_path / str(seed)
            folder.mkdir()
            found += settled(seed, mode, folder, solver)
    finally:
        solver.close()
    assert found["answers"] > 100 and found["shared"] > 20, found


CRASH = (
    "would move == fact(move) if world.agents[1].signal is anything",
    "might move if world.agents[1].x is anything",
    "would move if world.agents[1].signal is anything and keep world.agents[1].x",
)
DRONE = (
    "would return.mode == MODE_MANUAL if s.pilot == PILOT_MANUAL",
    "might return.mode == MODE_LAND if s.gps.sats is anything and s.gps.hdop is anything",
    "would return.alarm if s.battery within 0.5 of fact",
)
OVEN = (
    "would action == CANCEL if error == true and heat is anything",
    "might action == CLOSE if closed is anything",
)


@pytest.mark.parametrize(
    ("example", "steps", "asked", "least"),
    [
        ("crash", "all", CRASH, 20),
        ("drone", "205..228", DRONE, 40),
        ("microwave", "all", OVEN, 4),
        ("lending", "all", (), 0),
        ("diabetes", "all", (), 0),
    ],
)
@pytest.mark.slow
def test_a_row_has_the_verdict_and_the_reason_that_its_question_has_alone(
    example: str, steps: str, asked: tuple[str, ...], least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throughout, "SHARE", 1.0)  # on a busy machine too it is found alone that it is so in all
    monkeypatch.setattr(throughout, "LEAST", 60.0)
    monkeypatch.setattr(inquiry, "BRIEFLY", 60.0)  # and a proof is found by the same way, which its reason names
    base, _, below = example.partition("/")
    project = Project.open(folder(base) / below)
    made = project.sweep(asked or (project.manifest.questions if project.manifest else ()), steps=steps)
    assert made.rows and made.shared >= least
    for row in made.rows:
        assert row.step is not None
        found: tuple[Verdict, str, tuple[str, ...]]
        try:
            alone = project.at(row.step).ask(row.question)
        except SoidError as error:
            found = Verdict.ERROR, error.cause, ()
        else:
            changed = () if alone.is_of_all else alone.changed
            found = alone.verdict, alone.reason, tuple(each.variable.path for each in changed)
        assert (row.verdict, row.reason, row.changed) == found, f"{row.question} at {row.step}"

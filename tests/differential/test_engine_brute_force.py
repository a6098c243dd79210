"""The engine over families of states: every state on exactly one path, and verdicts as trying all states gives them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from soid.query.language.query_printer import to_text
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.engine_runs import open_batch
from tests.differential.families import ask, questions, uncovered
from tests.differential.generator import Mode, generate
from tests.differential.generator.native import run_programs

BATCHES = [10, pytest.param(40, marks=pytest.mark.soak)]  # programs
ASKED = 10  # programs of a batch that are asked questions


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("count", BATCHES)
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_paths_and_verdicts_are_what_trying_every_state_gives(
    mode: Mode, count: int, solver: Solver, tmp_path: Path
) -> None:
    programs = [generate(seed, mode) for seed in range(1000, 1000 + count)]
    families = [list(program.family()) for program in programs]
    native = run_programs(programs, tmp_path, families)
    verdicts: Counter[str] = Counter()
    for number, opened in enumerate(open_batch(programs, tmp_path)):
        states, runs = families[number], native[number]
        assert uncovered(opened, states, runs) == []
        if number < ASKED:
            for question in questions(opened, states, runs, 6):
                answer = ask(opened, question, solver)
                context = f"{opened.program.name}: {to_text(question.query)}\n{answer.reason}"
                assert answer.verdict.value == question.expected, context
                verdicts[f"{question.query.kind.value} {answer.verdict.value}"] += 1
    assert {f"{kind} {verdict}" for kind in ("did", "would", "might") for verdict in ("yes", "no")} <= set(verdicts)

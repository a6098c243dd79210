"""Merged paths against native runs: every program's paths are merged, however few they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from soid.engine.llvm import llvm_engine as engine
from soid.query.language.query_printer import to_text
from soid.solver.chain import chain
from soid.solver.protocol import Solver
from tests.differential.engine_runs import open_batch, optimisable
from tests.differential.families import ask, questions, uncovered
from tests.differential.generator import GeneratedProgram, Mode, Vector, generate
from tests.differential.generator.native import NativeRun, run_programs

Tried = tuple[GeneratedProgram, list[Vector], list[NativeRun]]  # a program on every state of its family


@pytest.fixture(scope="module")
def solver() -> Iterator[Solver]:
    made = chain()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_PATHS", 0)


def held(mode: Mode, levels: Sequence[str], seeds: range, solver: Solver, folder: Path) -> None:
    """The programs of these seeds, every state of their families tried."""
    programs = [generate(seed, mode) for seed in seeds]
    families = [list(program.family()) for program in programs]
    native = run_programs(programs, folder, families)
    tried = list(zip(programs, families, native, strict=True))
    for level in levels:
        _held(mode, level, [each for each in tried if level == "-O0" or optimisable(each[0])], solver, folder)


def _held(mode: Mode, level: str, tried: Sequence[Tried], solver: Solver, folder: Path) -> None:
    optimised = level != "-O0"
    merged: Counter[str] = Counter()
    batch = open_batch([program for program, _, _ in tried], folder, level)
    for opened, (_, states, runs) in zip(batch, tried, strict=True):
        assert uncovered(opened, states, runs, optimised=optimised) == []
        defined = not optimised or mode is Mode.SAFE  # else the optimiser may make of a failure what it likes
        for question in questions(opened, states, runs, 3 if defined else 0):
            answer = ask(opened, question, solver)
            context = f"{opened.program.name}: {to_text(question.query)}\n{answer.reason}"
            assert answer.verdict.value == question.expected, context
            merged.update(answer.settled_by)
    assert merged["merging"] > 0 or not defined


@pytest.mark.slow
@pytest.mark.parametrize("first", [2000, pytest.param(2008, marks=pytest.mark.soak)])
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_merged_paths_are_what_trying_every_state_gives(mode: Mode, first: int, solver: Solver, tmp_path: Path) -> None:
    held(mode, ["-O0", "-O1"], range(first, first + 8), solver, tmp_path)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_many_more_merged_programs(mode: Mode, level: str, solver: Solver, tmp_path: Path) -> None:
    for first in range(3000, 3500, 50):
        (tmp_path / str(first)).mkdir()
        held(mode, [level], range(first, first + 50), solver, tmp_path / str(first))

"""The engine against the compiled program: random C programs, the same inputs, the same decisions bit for bit.

Programs that run into undefined behaviour must fail in the engine where the trapping build stops, and for the same
reason. `make fuzz` runs many more of them; a failure names the seed: `generate(seed, mode).describe()` shows it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from soid.engine.summary import Failed
from tests.differential.engine_runs import FAULTS, disagreement, open_batch, optimisable
from tests.differential.generator import Mode, generate
from tests.differential.generator.guards import folds
from tests.differential.generator.native import run_programs

BATCH = 50
OPTIMISED = 30  # seeds; some of their programs have static variables that no optimised program can be given


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2 * BATCH, BATCH))
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_the_engine_does_what_the_compiled_program_does(mode: Mode, first: int, tmp_path: Path) -> None:
    programs = [generate(seed, mode, half=first == BATCH) for seed in range(first, first + BATCH)]
    native = run_programs(programs, tmp_path)
    found: list[str] = []
    kinds: Counter[str] = Counter()
    for opened, runs in zip(open_batch(programs, tmp_path), native, strict=True):
        for vector, run in zip(opened.program.vectors, runs, strict=True):
            outcome = opened.run(vector)
            found.append(disagreement(opened.program, vector, outcome, run))
            kinds[outcome.ending.kind if isinstance(outcome.ending, Failed) else str(outcome.ending)] += 1
    assert [words for words in found if words] == []
    if mode is Mode.SAFE:
        assert set(kinds) == {"decides"}
    else:
        assert kinds["decides"] > sum(kinds.values()) / 3, "hardly an input comes through"
        assert len(set(kinds) & set(FAULTS)) >= 4, "too few kinds of failure"


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_optimised_programs_do_what_they_do_without_optimisation(level: str, tmp_path: Path) -> None:
    """Where a program is free of undefined behaviour its decisions are the same; only where it is not may it fail."""
    seeds = range(2 * BATCH, 2 * BATCH + OPTIMISED)
    programs = [program for mode in Mode for seed in seeds if optimisable(program := generate(seed, mode))]
    native = run_programs(programs, tmp_path)
    found: list[str] = []
    kinds: Counter[str] = Counter()
    for opened, runs in zip(open_batch(programs, tmp_path, level), native, strict=True):
        for vector, run in zip(opened.program.vectors, runs, strict=True):
            outcome = opened.run(vector)
            found.append(disagreement(opened.program, vector, outcome, run, optimised=True))
            kinds[outcome.ending.kind if isinstance(outcome.ending, Failed) else str(outcome.ending)] += 1
    assert [words for words in found if words] == []
    assert kinds["decides"] > sum(kinds.values()) / 2 and len(set(kinds) & set(FAULTS)) >= 2, kinds


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("(1e6)", True),
        ("((1.5f * (double)(-3)) + sqrtf(2.0f))", True),
        ("((1.5f * (double)(-3)) + speed)", False),
        ("(IDLE * 1.5)", False),
        ("(1e-3 + e)", False),
    ],
)
def test_what_the_compiler_computes_itself_is_recognised(text: str, known: bool) -> None:
    """The generator leaves such expressions guarded: see gaps.py."""
    assert folds(text) is known

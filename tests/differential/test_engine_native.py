"""The engine against the compiled program: random C and C++ programs, the same inputs, the same decisions bit for bit.

Programs that run into undefined behaviour must fail in the engine where the trapping build stops, and for the same
reason. `make fuzz` runs many more of them; a failure names the seed: `generate(seed, mode).describe()` shows it.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from soid.engine.summary import Failed, Unexplored
from tests.differential.engine_runs import FAULTS, disagreement, open_batch, optimisable
from tests.differential.generator import Mode, generate
from tests.differential.generator.cplusplus import generate_cplusplus
from tests.differential.generator.guards import folds
from tests.differential.generator.native import WITHOUT_EXCEPTIONS, compile_cplusplus, run_programs

BATCH = 16
BATCHES = 8  # every second one with half precision; the later ones are soaked
CPLUSPLUS = [2, pytest.param(8, marks=pytest.mark.soak)]  # seeds
OPTIMISED = [
    5,
    pytest.param(20, marks=pytest.mark.soak),
]  # seeds; programs with static variables are left out
LATER = [pytest.param(number * BATCH, marks=pytest.mark.soak) for number in range(2, BATCHES)]


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, BATCH, *LATER])
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_the_engine_does_what_the_compiled_program_does(mode: Mode, first: int, tmp_path: Path) -> None:
    programs = [generate(seed, mode, half=first // BATCH % 2 == 1) for seed in range(first, first + BATCH)]
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
@pytest.mark.parametrize("count", OPTIMISED)
def test_optimised_programs_do_what_they_do_without_optimisation(count: int, tmp_path: Path) -> None:
    """Where a program is free of undefined behaviour its decisions are the same; only where it is not may it fail."""
    seeds = range(BATCHES * BATCH, BATCHES * BATCH + count)
    programs = [program for mode in Mode for seed in seeds if optimisable(program := generate(seed, mode))]
    native = run_programs(programs, tmp_path)
    for level in ("-O1", "-O2"):
        found: list[str] = []
        kinds: Counter[str] = Counter()
        for opened, runs in zip(open_batch(programs, tmp_path, level), native, strict=True):
            for vector, run in zip(opened.program.vectors, runs, strict=True):
                outcome = opened.run(vector)
                found.append(disagreement(opened.program, vector, outcome, run, optimised=True))
                kinds[outcome.ending.kind if isinstance(outcome.ending, Failed) else str(outcome.ending)] += 1
        assert [words for words in found if words] == [], level
        assert kinds["decides"] > sum(kinds.values()) / 2 and len(set(kinds) & set(FAULTS)) >= 2, (level, kinds)


@pytest.mark.slow
@pytest.mark.parametrize("count", CPLUSPLUS)
def test_programs_in_cplusplus_do_what_the_compiled_ones_do(count: int, tmp_path: Path) -> None:
    """Without exceptions, for which the library would have to be built first; `make fuzz LANG=c++` has them."""
    programs = [generate_cplusplus(seed, mode) for mode in Mode for seed in range(count)]
    native = run_programs(programs, tmp_path, compiled=partial(compile_cplusplus, exceptions=False))
    assert sum(run.fault is not None for runs in native for run in runs) > count
    for level in ("-O0", "-O2"):
        batch = open_batch(programs, tmp_path, level, suffix=".cpp", flags=WITHOUT_EXCEPTIONS)
        found = [
            disagreement(opened.program, vector, opened.run(vector), run, optimised=level != "-O0")
            for opened, runs in zip(batch, native, strict=True)
            for vector, run in zip(opened.program.vectors, runs, strict=True)
        ]
        assert [words for words in found if words] == []


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


def test_an_address_that_an_optimiser_computes_and_does_not_use_is_no_access(tmp_path: Path) -> None:
    """It lies beyond the one element that a parameter is taken to point to."""
    program = generate(100_301, Mode.FAULTY)
    (opened,) = open_batch([program], tmp_path, "-O2")
    assert not [outcome for vector in program.vectors if isinstance((outcome := opened.run(vector)).ending, Unexplored)]

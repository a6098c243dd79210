"""Prepared steps against the handlers: the same paths, to the letter, whoever runs an instruction."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.symbolic import program_constants as constants
from soid.engine.summary import PathSummary
from soid.formula.build import TRUE
from tests.differential.engine_runs import open_batch
from tests.differential.families import Trying, family, symbols
from tests.differential.generator import Mode, generate


def explored(mode: Mode, seeds: range, folder: Path) -> list[PathSummary]:
    """What each program does on its family, and on each of its vectors."""
    programs = [generate(seed, mode) for seed in seeds]
    found = []
    for opened, program in zip(open_batch(programs, folder), programs, strict=True):
        fixed = {path: bits for path, bits in program.vectors[0].items() if path not in program.domains}
        states = [symbols(opened, state) for state in program.family()]
        found.append(opened.explore(fixed, family(opened).precondition, Trying(states)))
        found += [opened.explore(vector, TRUE, Trying([{}])) for vector in program.vectors[:4]]
    return found


def held(mode: Mode, seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = explored(mode, seeds, folder)
    monkeypatch.setattr(constants, "prepare", lambda _, block: (None,) * len(block.instructions))
    assert explored(mode, seeds, folder) == prepared
    assert any(len(summary.paths) > 1 for summary in prepared)


@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_steps_do_what_the_handlers_do(mode: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held(mode, range(7000, 7010), tmp_path, monkeypatch)


@pytest.mark.fuzz
@pytest.mark.timeout(0)
@pytest.mark.parametrize("mode", list(Mode), ids=lambda mode: mode.value)
def test_in_many_more_programs(mode: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for first in range(7010, 7510, 50):
        (tmp_path / str(first)).mkdir()
        with monkeypatch.context() as patched:
            held(mode, range(first, first + 50), tmp_path / str(first), patched)

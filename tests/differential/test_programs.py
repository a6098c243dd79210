"""Each feature of C in a program of its own: its paths as people review them, and native runs that agree with them.

`UPDATE_GOLDEN=1 pytest tests/differential/test_programs.py` writes the paths anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from soid.formula.checker import Impossible, Open, Possibility, Possible
from soid.formula.term import Term
from soid.solver.back_ends import in_process
from soid.solver.protocol import Sat, Solver, Unsat
from tests.differential.features import Feature, again, disagreement, explore, features, native, replayed
from tests.differential.generator.native import run_programs
from tests.golden.summaries import summary_text


@pytest.fixture
def solver() -> Iterator[Solver]:
    """One solver in this process, without a clock and without a past: its models do not depend on anything else."""
    made = in_process("bitwuzla")
    yield made
    made.close()


@pytest.mark.parametrize("feature", features(), ids=lambda feature: feature.name)
def test_the_paths_of_a_feature(feature: Feature, solver: Solver, tmp_path: Path) -> None:
    def check(conjuncts: Sequence[Term], /) -> Possibility:
        result = solver.check(conjuncts)
        if isinstance(result, Sat):
            return Possible(result.model)
        return Impossible() if isinstance(result, Unsat) else Open(str(result))

    explored = explore(feature, check)
    text = summary_text(explored.interface, replace(explored.summary, relies_on=()))
    once_more = again(explored, check).summary
    assert summary_text(explored.interface, replace(once_more, relies_on=())) == text, "exploring is deterministic"
    golden = feature.path.with_suffix(".paths")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert feature.paths is None or len(explored.summary.paths) == feature.paths, text
    if feature.path.suffix == ".cpp":
        assert not feature.tries or replayed(explored) == []
    elif feature.tries:
        program = native(explored)
        runs = run_programs([program], tmp_path)[0]
        found = [disagreement(explored, program, v, run) for v, run in zip(program.vectors, runs, strict=True)]
        assert [words for words in found if words] == []
    assert text == golden.read_text(encoding="utf-8")

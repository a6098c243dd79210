"""The window counts what a C programmer would: one for each round of a loop, one for each call."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.compiler.compilation import Build
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.loaded_program import LoadedProgram, load
from soid.engine.protocol import Exploration
from soid.engine.summary import Decided, PathSummary, Undecided
from soid.formula import build
from soid.formula.build import TRUE
from soid.formula.checker import Impossible, Possibility, Possible
from soid.formula.passes import evaluate_all
from soid.formula.term import Term
from soid.program.interface import Interface, Role, Variable
from soid.program.types import IntType

SOURCE = Path(__file__).with_name("counting.c")
ENTRY = re.compile(r"^int (\w+)\(int n\)[^/]*?/\* counts: ([\d ]+) \*/", re.M)
COUNTS = {name: [int(count) for count in counts.split()] for name, counts in ENTRY.findall(SOURCE.read_text())}

N = Variable("n", Role.ENVIRONMENT, IntType(32, signed=True))
INTERFACE = Interface((N, Variable("return", Role.DECISION, IntType(32, signed=True))))


def engine(name: str) -> LlvmEngine:
    loaded: LoadedProgram = load(Build((SOURCE,)), name)
    return LlvmEngine(INTERFACE, loaded)


def of_one(program: LlvmEngine, n: int, window: int | None) -> PathSummary:
    return program.explore(
        Exploration({"n": n}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation(), window=window)
    )


def tried(conjuncts: Sequence[Term], /) -> Possibility:
    """A checker that tries all values."""
    states = ({N.symbol: n} for n in range(5))
    found = next((state for state in states if all(evaluate_all(conjuncts, state))), None)
    return Impossible() if found is None else Possible(found)


def test_every_function_has_its_counts() -> None:
    assert len(COUNTS) == SOURCE.read_text().count("/* counts: ") > 20


@pytest.mark.parametrize("name", COUNTS)
def test_one_for_each_round_and_call(name: str) -> None:
    program = engine(name)
    for n, count in enumerate(COUNTS[name]):
        (path,) = of_one(program, n, count).paths
        assert path.ending == Decided(), (n, count)
        if count:
            (path,) = of_one(program, n, count - 1).paths
            assert path.ending == Undecided(window=count - 1), (n, count)


@pytest.mark.parametrize("name", COUNTS)
def test_the_same_where_a_branch_is_free(name: str) -> None:
    """Paths over free inputs leave the window exactly where single runs do."""
    program = engine(name)
    small = build.bvult(N.symbol, build.const(N.symbol.sort, len(COUNTS[name])))
    for window in (0, 1, 2, 3):
        exploration = Exploration({}, small, tried, UNLIMITED.started(), Cancellation(), window=window)
        summary = program.explore(exploration)
        for n, count in enumerate(COUNTS[name]):
            decides = isinstance(summary.run({N.symbol: n}).path.ending, Decided)
            assert decides == (count <= window), (n, window)


def test_the_window_in_force_is_said() -> None:
    program = engine("for_loop")
    assert not any(each.id == "window" for each in of_one(program, 3, None).relies_on)
    summary = of_one(program, 3, 2)
    assert Ledger.WINDOW.of(2) in summary.relies_on
    assert str(summary.paths[0].ending) == "does not decide within its window of 2"

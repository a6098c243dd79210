"""Which models a solver comes up with makes no difference to the paths, nor does what was explored before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.protocol import Exploration
from soid.formula.build import TRUE, all_of
from soid.formula.checker import Checker, Impossible, Possibility, Possible
from soid.formula.passes import evaluate
from soid.formula.term import Term
from tests.golden.summaries import summary_text

# Everything that takes a value apart into cases: a length, a place that cannot be merged, a pointer, a string.
SOURCE = """
#include <stdlib.h>
#include <string.h>
static int twice(int x) { return 2 * x; }
static int plus(int x) { return x + 1; }
int decide(unsigned char n)
{
    int (*const table[3])(int) = { twice, plus, twice };
    char text[8] = "abcdefg", *at = n & 8 ? text : text + 2;
    int cells[n % 5 + 1];
    memset(cells, 0, sizeof cells);
    memmove(text, text + n % 3, n % 4);
    text[n % 7] = 0;
    return table[n % 3](cells[0]) + (int)strlen(at) + *at;
}
"""


class Trying:
    """A checker that tries some numbers, in an order of its own."""

    def __init__(self, symbol: Term, order: Sequence[int]) -> None:
        self.symbol, self.order = symbol, order

    def __call__(self, conjuncts: Sequence[Term], /) -> Possibility:
        goal = all_of(conjuncts)
        for number in self.order:
            if evaluate(goal, {self.symbol: number}):
                return Possible({self.symbol: number})
        return Impossible()


def test_the_paths_do_not_depend_on_models(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(SOURCE)
    found = discover(CSource((Path("program.c"),), "decide"), tmp_path)
    engine = LlvmEngine(found.interface, found.loaded)
    symbol = found.interface.inputs[0].symbol

    def text(check: Checker) -> str:
        summary = engine.explore(Exploration({}, TRUE, check, UNLIMITED.started(), Cancellation()))
        assert len(summary.paths) > 10
        return summary_text(found.interface, summary)

    upwards = text(Trying(symbol, range(16)))
    assert text(Trying(symbol, range(15, -1, -1))) == upwards
    assert text(Trying(symbol, sorted(range(16), key=lambda n: n * 7 % 16))) == upwards

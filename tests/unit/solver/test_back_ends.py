from __future__ import annotations

import importlib
import subprocess
import sys
from importlib import util

import pytest

from soid.errors import SolverMissingError
from soid.formula import build as b
from soid.formula.operators import LOOKUP, OPERATORS
from soid.formula.sorts import BOOL, FLOAT32
from soid.solver import back_ends
from soid.solver.back_ends import BACK_ENDS, NAMES, in_process, require
from soid.solver.native import SPELLINGS, Spelling
from soid.solver.protocol import Reason, Unknown
from soid.solver.solver_process import SolverProcess
from tests.unit.solver.fake import Fake


def test_each_back_end_has_or_refuses_each_operator_of_the_table() -> None:
    assert SPELLINGS.keys() == OPERATORS.keys() - {LOOKUP.name}
    assert set(Spelling._fields) == set(NAMES)
    refused = {(op, name) for op, row in SPELLINGS.items() for name in NAMES if getattr(row, name) is None}
    assert refused == {("fp.rem", "z3")}


@pytest.mark.parametrize("make", [require, in_process, SolverProcess])
def test_an_unknown_name_says_which_there_are(make) -> None:
    with pytest.raises(SolverMissingError, match="yices") as caught:
        make("yices")
    assert all(name in caught.value.remedy for name in NAMES)


def test_a_solver_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(back_ends, "find_spec", lambda name: None if name == "z3" else util.find_spec(name))
    with pytest.raises(SolverMissingError, match="z3") as caught:
        in_process("z3")
    assert "pip install z3-solver" in caught.value.remedy
    require("cvc5")


def test_a_solver_that_cannot_be_loaded_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("libsolver.so: cannot open shared object file")

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(SolverMissingError, match="shared object"):
        in_process("cvc5").check([b.var("p", BOOL)])


@pytest.mark.parametrize("name", NAMES)
def test_the_library_s_own_errors_are_an_unknown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of the solver's package does not leave this package."""
    module = importlib.import_module(BACK_ENDS[name].module)
    native = getattr(module, BACK_ENDS[name].native)

    def fails(self, *args):
        raise native.errors[0]("boom")

    solver = in_process(name)
    monkeypatch.setattr(native, "solve", fails)
    result = solver.check([b.fp_is_nan(b.var("x", FLOAT32))])
    assert isinstance(result, Unknown)
    assert result.reason is Reason.SOLVER
    assert "boom" in result.detail
    monkeypatch.undo()
    assert not isinstance(solver.check([b.fp_is_nan(b.var("x", FLOAT32))]), Unknown)


def test_the_fake_is_a_solver() -> None:
    fake = Fake(Unknown(Reason.TIME))
    assert fake.check([b.TRUE]) == Unknown(Reason.TIME)
    assert fake.asked == [(b.TRUE,)]


_COLLECTED = """
import gc
from soid.budget import Budget
from soid.formula import build
from soid.formula.sorts import BitVec
from soid.solver.back_ends import in_process

x = build.var("x", BitVec(8))
for turn in range(3):
    solver = in_process("bitwuzla")
    solver.check([build.eq(build.bvadd(x, build.const(BitVec(8), turn)), build.const(BitVec(8), 7))], Budget(5.0))
    ring = list(solver._open._translation._known.values())
    ring.append(ring)
    solver.close()
    del ring, solver
    gc.collect()
"""


def test_terms_in_a_cycle_are_collected_without_a_crash() -> None:
    # as when an exception is kept, whose frames know the terms
    assert subprocess.run([sys.executable, "-c", _COLLECTED], check=False).returncode == 0

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from soid.errors import EnvironmentalError
from soid.formula import build as b
from soid.formula.smtlib.script_reader import read
from soid.formula.sorts import BitVec
from soid.solver.protocol import Budget, Reason, Sat, Unknown, Unsat
from soid.solver.query_log import LoggingSolver
from tests.unit.solver.fake import Fake

BYTE = BitVec(8)
X = b.var("world.x", BYTE)
SMALL = b.bvult(X, b.const(BYTE, 9))


def test_each_query_is_a_file_that_says_what_came_of_it(tmp_path: Path) -> None:
    solver = LoggingSolver(Fake(Sat({X: 3}), Unsat(), Unknown(Reason.TIME, "too hard")), tmp_path / "queries")
    for _ in range(3):
        solver.check([SMALL, b.bvult(b.const(BYTE, 2), X)], Budget(2.5))
    texts = [path.read_text() for path in sorted((tmp_path / "queries").iterdir())]
    assert [text.splitlines()[0] for text in texts] == ["; asked: fake, 2.5 s"] * 3
    assert texts[0].splitlines()[1].startswith("; answer: sat, after 0.")
    assert "(set-info :status sat)" in texts[0]
    assert "(set-info :status unsat)" in texts[1]
    assert "; answer: unknown (time: too hard)" in texts[2]
    assert "status" not in texts[2]


def test_a_file_runs(tmp_path: Path) -> None:
    LoggingSolver(Fake(Sat({X: 3})), tmp_path).check([SMALL, b.bvult(b.const(BYTE, 2), X)])
    program = "import sys, z3; s = z3.Solver(); s.from_file(sys.argv[1]); print(s.check())"
    command = [sys.executable, "-c", program, str(tmp_path / "000001.smt2")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "sat\n"


def test_a_query_is_written_before_it_is_asked(tmp_path: Path) -> None:
    def crash(_: object) -> Sat:
        assert "answer: none (yet)" in (tmp_path / "000001.smt2").read_text()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LoggingSolver(Fake(crash), tmp_path).check([SMALL])


def test_numbers_go_on_where_the_folder_left_off(tmp_path: Path) -> None:
    for _ in range(2):
        LoggingSolver(Fake(Unsat()), tmp_path).check([SMALL])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["000001.smt2", "000002.smt2"]


def test_a_folder_that_cannot_be_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentalError, match="cannot be logged") as caught:
        LoggingSolver(Fake(Unsat()), tmp_path / "file" / "folder")
    assert caught.value.remedy


def test_a_file_reads_back_to_the_question(tmp_path: Path) -> None:
    LoggingSolver(Fake(Unsat()), tmp_path).check([SMALL, b.bvult(b.const(BYTE, 2), X)])
    script = read((tmp_path / "000001.smt2").read_text())
    assert script.assertions == [SMALL, b.bvult(b.const(BYTE, 2), X)]

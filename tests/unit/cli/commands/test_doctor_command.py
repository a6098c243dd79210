import json

import pytest

from soid.cli import main
from soid.cli.commands import doctor_command
from soid.cli.commands.doctor_command import Compiler
from soid.engine.replay import NotAvailable
from soid.errors import EnvironmentalError
from soid.solver.protocol import Reason, Unknown, Unsat


@pytest.fixture(autouse=True)
def unstarted(monkeypatch):
    """Libraries take seconds to start: tests/e2e/test_terminal.py starts them all."""
    versions = {"xgboost": "3.2.0"}
    obstacle = NotAvailable("lightgbm is not installed: pip install 'soid[lightgbm]'")
    monkeypatch.setattr(doctor_command, "started_version", lambda name: versions.get(name, obstacle))


class _Wrong:
    """A solver that gives the same answer to every question."""

    name = "wrong"

    def __init__(self, result):
        self.result = result

    def check(self, *question):
        return self.result

    def close(self):
        pass


@pytest.mark.parametrize("result", [Unsat(), Unknown(Reason.TIME)])
def test_a_solver_that_is_installed_and_answers_wrongly_is_no_solver(monkeypatch, capsys, result):
    monkeypatch.setattr(doctor_command, "chain", lambda names: _Wrong(result))
    assert main(["doctor"]) == 21
    out = capsys.readouterr().out
    assert "soid cannot work here" in out and "should be satisfiable" in out


def test_a_machine_without_solvers_cannot_work(monkeypatch, capsys):
    monkeypatch.setattr(doctor_command, "available", dict)
    assert main(["doctor"]) == 21
    assert "pip install bitwuzla z3-solver cvc5" in capsys.readouterr().out


def test_a_machine_without_compilers_can(monkeypatch, capsys):
    monkeypatch.setattr(doctor_command, "compilers", lambda: (Compiler("ziglang", None, ""),))
    assert main(["doctor"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "absent" in out and "xgboost 3.2.0 starts in the jail" in out
    assert "lightgbm absent lightgbm is not installed: pip install 'soid[lightgbm]'" in out


def test_without_a_compiler_the_kernel_is_not_blamed(monkeypatch, capsys):
    def missing():
        raise EnvironmentalError("the launcher cannot be compiled: there is no C compiler", "Install one.")

    monkeypatch.setattr(doctor_command, "launcher", missing)
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["jail"]
    assert {layer["detail"] for layer in found["layers"]} == {"not known: the launcher cannot be compiled"}
    assert not (found["replays"] or found["strangers"])
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "not known: the launcher cannot be compiled" in out and "kernel" not in out

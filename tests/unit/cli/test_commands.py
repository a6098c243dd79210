import json
import subprocess
import sys

import pytest

from soid.cli import doctor as doctoring
from soid.cli import main
from soid.cli.compilers import Compiler
from soid.examples import NAMES
from soid.oracle.inquiry import Settings
from soid.program.manifest import load
from soid.solver.protocol import Reason, Unknown, Unsat


def test_version_and_help_start_lean():
    heavy = {"z3", "bitwuzla", "cvc5", "lark", "llvmlite", "soid.oracle.pipeline"}
    for arguments in (["--version"], ["ask", "--help"]):
        script = (
            f"import sys; from soid.cli import main; main({arguments!r}); sys.exit(bool({heavy!r} & set(sys.modules)))"
        )
        assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


def test_the_package_can_be_run():
    ran = subprocess.run(
        [sys.executable, "-m", "soid", "ask", "--sekonds"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "soid ask --help" in ran.stderr) == (64, True)


def test_no_command_shows_what_there_is(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(command in out for command in ("ask", "inspect", "doctor", "demo"))


def test_the_help_says_the_true_defaults(capsys):
    main(["ask", "--help"])
    out = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert f"{Settings().seconds:g} where not given" in out
    assert f"near to the fact; {Settings().witness_seconds:g}." in out


def test_the_help_says_the_exit_statuses(capsys):
    main(["ask", "--help"])
    assert "yes 0, no 1, vacuous 2, unknown 3, log mismatch 4" in " ".join(capsys.readouterr().out.split())


class _Wrong:
    """A solver that says the same to everything."""

    name = "wrong"

    def __init__(self, result):
        self.result = result

    def check(self, *question):
        return self.result

    def close(self):
        pass


@pytest.mark.parametrize("result", [Unsat(), Unknown(Reason.TIME)])
def test_a_solver_that_is_installed_and_answers_wrongly_is_no_solver(monkeypatch, capsys, result):
    monkeypatch.setattr(doctoring, "chain", lambda names: _Wrong(result))
    assert main(["doctor"]) == 21
    out = capsys.readouterr().out
    assert "soid cannot work here" in out and "should be satisfiable" in out


def test_a_machine_without_solvers_cannot_work(monkeypatch, capsys):
    monkeypatch.setattr(doctoring, "available", dict)
    assert main(["doctor"]) == 21
    assert "pip install bitwuzla z3-solver cvc5" in capsys.readouterr().out


def test_a_machine_without_compilers_can(monkeypatch, capsys):
    monkeypatch.setattr(doctoring, "compilers", lambda: (Compiler("ziglang", None, ""),))
    assert main(["doctor"]) == 0
    assert "absent" in capsys.readouterr().out


def test_copying_an_example_overwrites_nothing(tmp_path, capsys):
    case = tmp_path / "case"
    assert main(["example", "copy", "microwave", str(case)]) == 0
    assert (case / "soid.toml").is_file()
    assert not list(case.rglob("*.py"))
    assert main(["example", "copy", "microwave", str(case)]) == 10
    assert "not empty" in capsys.readouterr().err
    assert main(["example", "copy", "toaster", str(tmp_path / "other")]) == 10
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_example_is_a_project_by_itself(name, tmp_path, capsys):
    assert main(["example", "copy", name, str(tmp_path / "case"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert str(tmp_path / "case") in said["projects"]
    for project in said["projects"]:
        assert load(project).questions
    assert main(["ask", "did decides", "--project", str(tmp_path / "case"), "--quiet"]) == 0

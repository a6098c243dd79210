"""How soid starts: what it says about itself, and how little it loads."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from soid.cli import main
from soid.oracle.inquiry import Settings


def test_the_version_is_that_of_the_package(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"soid {metadata.version('soid')}\n"


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


# --- completion in the shell ----------------------------------------------------------------------------------


def in_shell(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run soid; where an argument is to name the shell, typer must be told not to look for one."""
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"} | variables
    soid = [sys.executable, "-m", "soid", *arguments]
    return subprocess.run(soid, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("soid in", ["init", "investigate", "inspect"]),
        ("soid case ver", ["verify"]),
        ("soid ask --wit", ["--witness-seconds", "--without"]),
        ("soid ask --replay ", ["confined", "unconfined", "off"]),
    ],
)
def test_the_shell_completes_commands_options_and_choices(words, offered):
    ran = in_shell(_SOID_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (0, offered, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed(shell, tmp_path):
    shown = in_shell("--show-completion", shell)
    assert shown.returncode == 0 and "_SOID_COMPLETE" in shown.stdout
    installed = in_shell("--install-completion", shell, HOME=str(tmp_path))
    assert installed.returncode == 0 and "completion installed in" in installed.stdout
    scripts = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert any("_SOID_COMPLETE" in script for script in scripts)


def test_a_shell_that_cannot_complete_is_a_wrong_use():
    assert in_shell(_SOID_COMPLETE="complete_tcsh").returncode == 64
    assert in_shell("--show-completion", "tcsh").returncode == 64


# --- what is loaded -------------------------------------------------------------------------------------------

PROGRAM = "int decide(float x, int y) { return x * 2.0f > 2.5f ? y : 0; }"
MANIFEST = """
[program]
name = "rule"
engine = "c"
sources = ["rule.c"]
entry = "decide"

[trace]
file = "log.jsonl"
"""

#: what is no part of Python and may be loaded to answer a question
PACKAGES = {"lark", "msgspec", "soid", "typing_extensions"}
#: parts of soid that a question may load
PARTS = {"budget", "cache", "case", "cli", "documents", "engine", "errors", "formula", "oracle", "program", "query"}
PARTS |= {
    "allowance",
    "assumptions",
    "jail",
    "recipe",
    "scenario",
    "shown",
    "solver",
    "surface",
    "visible_text",
    "witness",
    "workers",
}
#: modules of a few lines that Python itself finds in its path, whatever is run
STARTING = {"_distutils_hack", "sitecustomize", "_virtualenv", "distutils-precedence"}
#: parts of Python that take long to load, and are of no use here
LARGE = {"asyncio", "concurrent.futures", "email", "http", "importlib.metadata", "multiprocessing", "sqlite3", "ssl"}

#: parts of soid's parts that a question about a program in C has no use for
NOT_LOADED = ("soid.case.record", "soid.engine.llvm.flow.acc", "soid.engine.smtlib", "soid.formula.smtlib")

ASKS = """
import json, sys
from soid.cli import main
status = main(["ask", "would return == y if 1.3 <= x <= 1.5 and y is anything", "--json"])
print(json.dumps([status, sorted(sys.modules)]))
"""


def test_a_question_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    (tmp_path / "rule.c").write_text(PROGRAM)
    (tmp_path / "soid.toml").write_text(MANIFEST)
    (tmp_path / "log.jsonl").write_text('{"step": 0, "x": 1.0, "y": 7, "return": 0}\n')
    environment = {**os.environ, "SOID_CACHE": str(tmp_path / "cache")}
    for _ in range(2):  # the first time the program is compiled
        ran = subprocess.run(
            [sys.executable, "-c", ASKS], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
    answer, loaded = (json.loads(line) for line in ran.stdout.splitlines())
    assert answer["verdict"] == "yes" and loaded[0] == 0
    modules = set(loaded[1])
    packages = {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)
    optional = {"regex", "interegular", "atomicwrites", "org"}  # what lark and pickle look for, present or not
    assert {name for name in packages if not name.startswith("__")} - optional <= PACKAGES | STARTING
    assert {name.split(".")[1] for name in modules if name.startswith("soid.")} <= PARTS
    assert not modules & LARGE
    assert not {name for name in modules if name.startswith(NOT_LOADED)}

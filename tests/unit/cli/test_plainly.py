"""`soid ask` read without typer says what typer says; what is not plain is typer's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from soid.cli import app
from soid.cli.ask import Options
from soid.cli.plainly import FLAGS, LISTS, VALUES, plain_ask

PLAIN = [
    [],
    ["did x == 1"],
    ["did", "x", "==", "1"],
    ["did x == 1", "would x == 1 if y is anything", "--json"],
    ["-p", "some/where", "--step", "3", "did x == 1", "-q"],
    ["--project", "a", "--project", "b", "--trace", "log.csv", "-s", "0", "-v", "--cross-check"],
    ["--seconds", "0", "--witness-seconds", "2.5", "--solver", "z3", "--solver", "cvc5", "did fails"],
    ["--without", "bounds", "--without", "boxes", "--recipe", "paper", "--replay", "off", "--log-queries", "there"],
    ["--window", "7", "--paths", "100", "--memory", "64", "--accept-log-mismatch", "-t", "log.jsonl"],
]

NOT_PLAIN = [
    ["--help"],
    ["-h"],
    ["--stepp", "3"],
    ["--step"],
    ["--step", "three"],
    ["--step", "-1"],
    ["--step=3"],
    ["--seconds", "-1"],
    ["--seconds", "nan"],
    ["--window", "0"],
    ["--replay", "on"],
    ["--recipe", "pepper"],
    ["--project", "--json"],
    ["--", "did x == 1"],
    ["-pq", "x"],
    [""],
]


@pytest.fixture
def by_typer(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """What typer hands over."""
    found: list[Options] = []

    def note(options: Options) -> int:
        found.append(options)
        return 0

    monkeypatch.setattr("soid.cli.ask.ask", note)
    return found


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_both_read_the_same(words: list[str], by_typer: list[Options]) -> None:
    plain = plain_ask(["ask", *words])
    assert plain is not None
    app.run(["ask", *words])
    assert by_typer == [plain]


@pytest.mark.parametrize("words", NOT_PLAIN, ids=" ".join)
def test_what_is_not_plain_is_left_to_typer(words: list[str]) -> None:
    assert plain_ask(["ask", *words, "did x == 1"] if words != ["--step"] else ["ask", "did x == 1", *words]) is None


def test_only_questions_are_read_here() -> None:
    assert plain_ask([]) is None
    assert plain_ask(["explain", "did x == 1"]) is None


def test_every_option_is_known_here_too() -> None:
    command: Any = app._command().commands["ask"]
    declared = {name for option in command.params if option.param_type_name == "option" for name in option.opts}
    assert declared - {"-h", "--help"} == {*FLAGS, *VALUES, *LISTS}


# --- what is loaded ---------------------------------------------------------------------------------------------

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
PARTS = {"budget", "cache", "case", "cli", "engine", "errors", "formula", "oracle", "program", "query", "recipe"}
PARTS |= {"scenario", "solver", "witness"}
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

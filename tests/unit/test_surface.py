"""Advice is in the words of the place that a process serves: no option of a command reaches a notebook."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import soid
from soid.surface import Advice, Surface, served, using

SOURCES = Path(soid.__file__).parent
#: an option of soid's, or a command in backticks
TYPED = re.compile(r"(?<![\w-])--[a-z][a-z-]+|`soid ")
#: where such words are meant for a shell, wherever they are read
SHELL = {
    "assumptions.py": "`soid world check` alone measures",
    "bench": "commands that measure",
    "cli": "the command line itself, but for what also shows results in Python",
    "engine/llvm": "flags of compilers and linkers; a command that says what a machine lacks",
    "engine/learned/readers/pickle_file.py": "`soid init` writes what is to be written",
    "engine/learned/readers/onnx": "`soid docs` opens a page of the documentation",
    "engine/manifest_keys.py": "the reference of soid.toml",
    "case/custody": "what signs at a terminal",
    "case/report": "flags of a browser; how a reader of a report checks it",
    "evidence": "`soid bundle` and `soid verify` alone make bundles and check them",
    "examples": "a script of its own",
    "jail": "flags of compilers",
    "proposal": "`soid init` alone makes proposals",
    "scenario/logs/mcap_log.py": "`soid init` writes what is to be written",
    "solver/back_ends.py": "pip",
    "sweep": "not moved yet",
    "web": "`soid serve`",
}
#: modules of the terminal that `print(answer)` goes through in Python too
SHOWING = ("cli/terminal/answers.py", "cli/terminal/explanations.py")


def typed_words(module: ast.Module) -> Iterator[str]:
    """Texts with options or commands, outside of docstrings and of what has the words of each place."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Advice":
            skipped |= set(ast.walk(node))
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            if TYPED.search(node.value):
                yield node.value


def test_what_python_reads_names_no_option() -> None:
    found = {}
    for file in sorted(SOURCES.rglob("*.py")):
        place = file.relative_to(SOURCES).as_posix()
        if place in SHOWING or not place.startswith(tuple(SHELL)):
            if words := list(typed_words(ast.parse(file.read_text(encoding="utf-8")))):
                found[place] = words
    assert not found


def test_advice_is_in_the_words_of_the_place() -> None:
    advice = Advice(command="--seconds", python="seconds=")
    with using(Surface.COMMAND):
        assert str(advice) == "--seconds"
        with using(Surface.PAGE):
            assert (str(advice), str(Advice("--seconds", "seconds=", "more time"))) == ("--seconds", "more time")
        assert served() is Surface.COMMAND
    assert (str(advice), served()) == ("seconds=", Surface.PYTHON)


@pytest.mark.parametrize(
    ("ask", "advised"),
    [
        (lambda oven: oven.map("heat is anything", by="heat"), 'by="brake > 0.5"'),
        (lambda oven: oven.map([]), 'project.map("x is anything")'),
        (lambda oven: oven.causes("did action == CLOSE"), 'project.causes("did move", "x is anything")'),
        (lambda oven: oven.causes("did action == CLOSE", "heat is anything", hold=[("heat", 0)]), 'hold=[("x", 3)]'),
        (lambda oven: oven.ask("did qqqqqqq"), "`project.variables` lists"),
        (lambda oven: soid.Case.open("nowhere.case"), "soid.Case.create(file, project)"),
    ],
)
def test_remedies_in_python_are_what_python_takes(ask: object, advised: str) -> None:
    oven = soid.open(soid.example("microwave"))
    with pytest.raises(soid.SoidError) as raised:
        ask(oven)  # type: ignore[operator]
    assert advised in raised.value.remedy and "--" not in raised.value.remedy


def test_what_the_terminal_shows_in_python_has_no_options() -> None:
    oven = soid.open(soid.example("microwave"))
    shown = str(oven.ask("might action == CANCEL if heat is anything", paths=0))
    assert "?" in shown and "--" not in shown and "soid ask" not in shown


def test_blocks_of_two_threads_may_end_in_any_order() -> None:
    one, other = using(Surface.PAGE), using(Surface.COMMAND)
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert served() is Surface.COMMAND
    other.__exit__(None, None, None)
    assert served() is Surface.PYTHON

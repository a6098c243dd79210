"""The two readers of a command agree; words that are not plain are left to typer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

import pytest

from soid.cli.command_line import typer_app
from soid.cli.command_line.command_table import COMMANDS, record_of
from soid.cli.command_line.parameters import CommandOptions, Option, Parameter, Positional, parameters
from soid.cli.command_line.plain_words import read_command, read_plainly
from soid.cli.command_line.question_options import AskOptions

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


OPTIONS = [each for each in parameters(AskOptions) if isinstance(each.declared, Option)]


@pytest.fixture
def by_typer(monkeypatch: pytest.MonkeyPatch) -> list[AskOptions]:
    """What typer reads."""
    found: list[AskOptions] = []

    def note(options: AskOptions) -> int:
        found.append(options)
        return 0

    monkeypatch.setattr("soid.cli.commands.ask_command.ask", note)
    return found


def agreed(words: list[str], by_typer: list[AskOptions]) -> AskOptions:
    plain = read_plainly(AskOptions, words)
    assert plain is not None
    typer_app.run(["ask", *words])
    assert by_typer[-1] == plain
    return plain


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_both_read_the_same(words: list[str], by_typer: list[AskOptions]) -> None:
    agreed(words, by_typer)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_both_read_every_option_by_each_of_its_names(option: Parameter, by_typer: list[AskOptions]) -> None:
    value: Any = {bool: True, int: 7, float: 2.5, Path: Path("there"), str: "word"}.get(option.kind)
    value = get_args(option.kind)[-1] if value is None else value
    assert isinstance(option.declared, Option)
    for name in option.declared.names.split():
        said = agreed([name] if value is True else [name, str(value)], by_typer)
        assert getattr(said, option.name) == ((value,) if option.repeated else value)


@pytest.mark.parametrize("words", NOT_PLAIN, ids=" ".join)
def test_words_that_are_not_plain_are_left_to_typer(words: list[str]) -> None:
    assert read_plainly(AskOptions, [*words, "did x == 1"] if words != ["--step"] else ["did x == 1", *words]) is None


@pytest.mark.parametrize("words", COMMANDS)
def test_both_read_every_command_the_same(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its options at once, and its words in their places."""
    read: list[CommandOptions] = []
    monkeypatch.setattr(typer_app, "function_of", lambda _: read.append)
    typed = words.split()
    for each in parameters(record_of(words)):
        if isinstance(each.declared, Option) and "/" not in each.declared.names:
            typed += [each.declared.names.split()[-1], *([] if each.kind is bool else [plain_value(each)])]
    typed += [plain_value(each) for each in parameters(record_of(words)) if isinstance(each.declared, Positional)]
    plain = read_command(typed)
    assert plain is not None
    typer_app.run(typed)
    assert read == [plain[1]]
    assert read_command([*typed, "--no-such-option"]) is None


def plain_value(parameter: Parameter) -> str:
    choices = get_args(parameter.kind)
    least = math.ceil(getattr(parameter.declared, "least", None) or 2)
    return str(choices[-1]) if choices else str(least) if parameter.kind in (int, float) else "word"


def test_what_a_command_lacks_is_left_to_typer() -> None:
    assert read_command(["map", "did x == 1"]) is None
    assert read_command(["no-such-command"]) is None
    assert read_command([]) is None


def test_a_variable_of_the_environment_is_left_to_typer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_command(["serve"]) is not None
    monkeypatch.setenv("SOID_TOKEN", "x")
    assert read_command(["serve"]) is None

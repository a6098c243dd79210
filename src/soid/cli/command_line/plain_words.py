"""A command read without typer where its words are plain: typer takes longer to start than many answers take.

>>> from soid.cli.command_line.question_options import AskOptions
>>> read_plainly(AskOptions, ["did x == 1", "--json", "--seconds", "5"])
AskOptions(questions=('did x == 1',), project=PosixPath('.'), ..., as_json=True, seconds=5.0, ...)
>>> read_plainly(AskOptions, ["--help"]) is None
True

Words that are wrong, or right and unusual (`--step=3`), are left to typer, which knows what to say about them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from soid.cli.command_line.parameters import CommandOptions, Option, Parameter, Positional, parameters

T = TypeVar("T", bound=CommandOptions)

#: numbers that every reader of command lines takes for the same
_PLAIN: Final = {int: re.compile(r"[0-9]{1,9}"), float: re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")}


class _Unusual(Exception):
    """These words are for typer."""


def read_plainly(record: type[T], words: Iterable[str]) -> T | None:
    """The command that the words say; None where one of them is not plain."""
    options, rest = _by_name(parameters(record))
    said: dict[str, Any] = {}
    left = iter(words)
    try:
        for word in left:
            option = options.get(word, rest)
            if option.kind is bool:
                said[option.name] = True
                continue
            value = _value(option, word if option is rest else next(left, ""))
            said[option.name] = (*said.get(option.name, ()), value) if option.repeated else value
    except _Unusual:
        return None
    return record(**said)


def _by_name(declared: list[Parameter]) -> tuple[dict[str, Parameter], Parameter]:
    """The options by what is typed for them, and what takes all other words."""
    options = {
        name: each for each in declared if isinstance(each.declared, Option) for name in each.declared.names.split()
    }
    (rest,) = (each for each in declared if isinstance(each.declared, Positional))
    return options, rest


def _value(parameter: Parameter, word: str) -> Any:
    """The value that a word stands for, if no reader of command lines could take the word for anything else."""
    kind, choices = parameter.kind, get_args(parameter.kind)
    if not word or word.startswith("-") or (choices and word not in choices):
        raise _Unusual
    if kind not in _PLAIN:
        return Path(word) if kind is Path else word
    number = kind(word) if _PLAIN[kind].fullmatch(word) else None
    assert isinstance(parameter.declared, Option)
    least = parameter.declared.least
    if number is None or (least is not None and number < least):
        raise _Unusual
    return number

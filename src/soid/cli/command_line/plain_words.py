"""A command read without typer where its words are plain: typer takes longer to start than many answers take.

>>> from soid.cli.command_line.question_options import AskOptions
>>> read_plainly(AskOptions, ["did x == 1", "--json", "--seconds", "5"])
AskOptions(questions=('did x == 1',), project=PosixPath('.'), ..., as_json=True, seconds=5.0, ...)
>>> read_plainly(AskOptions, ["--help"]) is None
True

Words that are wrong, or right and unusual (`--step=3`), are left to typer, which knows what to say about them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from msgspec import NODEFAULT

from soid.cli.command_line.command_table import COMMANDS, function_of, record_of
from soid.cli.command_line.parameters import CommandOptions, Option, Parameter, Positional, parameters

T = TypeVar("T", bound=CommandOptions)

#: numbers that every reader of command lines takes for the same
_PLAIN: Final = {int: re.compile(r"[0-9]{1,9}"), float: re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")}


class _Unusual(Exception):
    """These words are for typer."""


def read_command(words: Sequence[str]) -> tuple[Callable[[Any], int], CommandOptions] | None:
    """The function of the command that the words begin with, and its options; None where a word is not plain."""
    for count in (2, 1):
        name = " ".join(words[:count])
        if name in COMMANDS and (options := read_plainly(record_of(name), words[count:])) is not None:
            return function_of(name), options
    return None


def read_plainly(record: type[T], words: Iterable[str]) -> T | None:
    """The command that the words say; None where one of them is not plain."""
    said: dict[str, Any] = {}
    left = iter(words)
    try:
        options, given = _by_name(parameters(record))
        for word in left:
            option = options.get(word) or next((each for each in given if each.repeated or each.name not in said), None)
            if option is None:
                raise _Unusual
            if option.kind is bool:
                said[option.name] = True
                continue
            value = _value(option, next(left, "") if word in options else word)
            said[option.name] = (*said.get(option.name, ()), value) if option.repeated else value
    except _Unusual:
        return None
    missing = any(each.default is NODEFAULT and each.name not in said for each in parameters(record))
    return None if missing else record(**said)


def _by_name(declared: list[Parameter]) -> tuple[dict[str, Parameter], list[Parameter]]:
    """The options by what is typed for them, and what takes all other words, in their order."""
    options: dict[str, Parameter] = {}
    for each in declared:
        if isinstance(each.declared, Option):
            if each.declared.variable is not None and each.declared.variable in os.environ:
                raise _Unusual
            options |= dict.fromkeys(each.declared.names.split(), each)
    given = [each for each in declared if isinstance(each.declared, Positional)]
    if any(each.repeated for each in given[:-1]):
        raise _Unusual
    return options, given


def _value(parameter: Parameter, word: str) -> Any:
    """The value that a word stands for, if no reader of command lines could take the word for anything else."""
    kind, choices = parameter.kind, get_args(parameter.kind)
    if not word or word.startswith("-") or (choices and word not in choices):
        raise _Unusual
    if kind not in _PLAIN:
        return Path(word) if kind is Path else word
    number = kind(word) if _PLAIN[kind].fullmatch(word) else None
    if number is None:
        raise _Unusual
    if isinstance(parameter.declared, Option):
        least, most = parameter.declared.least, parameter.declared.most
        if (least is not None and number < least) or (most is not None and number > most):
            raise _Unusual
    return number

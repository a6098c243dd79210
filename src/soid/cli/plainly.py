"""`soid ask`, read without typer where its words are plain: starting typer takes longer than many an answer.

>>> plain_ask(["ask", "did x == 1", "--json", "--seconds", "5"])
Options(questions=('did x == 1',), project=PosixPath('.'), trace=None, step=None, as_json=True, seconds=5.0, ...)
>>> plain_ask(["ask", "--help"]) is None
True

Whatever is not plain, wrong or merely unusual, is left to typer, which knows what to say to it. A test holds the table
below to what typer is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from soid.recipe import RECIPES

if TYPE_CHECKING:
    from soid.cli.ask import Options


class _Unusual(Exception):
    """Not for here."""


def _whole(text: str) -> int:
    return int(_matched(text, r"[0-9]{1,9}"))


def _positive(text: str) -> int:
    return int(_matched(text, r"[1-9][0-9]{0,8}"))


def _seconds(text: str) -> float:
    return float(_matched(text, r"[0-9]{1,9}(\.[0-9]{1,9})?"))


def _one_of(*words: str) -> Callable[[str], str]:
    return lambda text: _matched(text, "|".join(words))


def _matched(text: str, pattern: str) -> str:
    if re.fullmatch(pattern, text) is None:
        raise _Unusual
    return text


#: options that are there or not
FLAGS: Final = {
    "--json": "as_json",
    "--cross-check": "cross_check",
    "--accept-log-mismatch": "accept_log_mismatch",
    "--verbose": "verbose",
    "-v": "verbose",
    "--quiet": "quiet",
    "-q": "quiet",
}

#: options with a value; the last one counts
VALUES: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "--project": ("project", Path),
    "-p": ("project", Path),
    "--trace": ("trace", Path),
    "-t": ("trace", Path),
    "--step": ("step", _whole),
    "-s": ("step", _whole),
    "--seconds": ("seconds", _seconds),
    "--witness-seconds": ("witness_seconds", _seconds),
    "--log-queries": ("log_queries", Path),
    "--window": ("window", _positive),
    "--paths": ("paths", _positive),
    "--memory": ("memory", _positive),
    "--cores": ("cores", _positive),
    "--replay": ("replay", _one_of("confined", "unconfined", "off")),
    "--recipe": ("recipe", _one_of(*RECIPES)),
}

#: options that may be given again
LISTS: Final = {"--solver": "solvers", "--without": "without"}


def plain_ask(arguments: list[str]) -> Options | None:
    """What the command line says, if it is `soid ask` and every word of it is plain."""
    if not arguments or arguments[0] != "ask":
        return None
    said: dict[str, Any] = {"questions": (), "project": Path()}
    words = iter(arguments[1:])
    try:
        for word in words:
            if word in FLAGS:
                said[FLAGS[word]] = True
            elif word in VALUES:
                name, read = VALUES[word]
                said[name] = read(_value(next(words, "-")))
            elif word in LISTS:
                said[LISTS[word]] = (*said.get(LISTS[word], ()), _value(next(words, "-")))
            else:
                said["questions"] = (*said["questions"], _value(word))
    except _Unusual:
        return None
    from soid.cli.ask import Options  # and all that answers questions

    return Options(**said)


def _value(word: str) -> str:
    """A word that no reader of command lines could take for an option."""
    if not word or word.startswith("-"):
        raise _Unusual
    return word

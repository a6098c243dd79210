"""Modules that were read before, by their whole text: what a text says hangs on nothing else.

Only the helper of the command line keeps any (`cli/helper/`), for the processes that are forked from it.
"""

from __future__ import annotations

from typing import Final

from soid.engine.llvm.ir.ir_module import Module
from soid.engine.llvm.reader.module_reader import read_module
from soid.errors import SoidError

_MOST_TEXT: Final = 16_000_000  # characters of all texts that are kept

_KEPT: Final[dict[str, Module]] = {}
_READ: Final[list[str]] = []


def module_of(text: str) -> Module:
    """The module that the text of a program of one's own says."""
    if (kept := _KEPT.get(text)) is not None:
        return kept
    _READ.append(text)
    return read_module(text)


def read_anew() -> list[str]:
    """The texts that this process has read, because none had been kept."""
    return [text for text in _READ if len(text) <= _MOST_TEXT // 4]


def keep(text: str) -> None:
    """Read a text and keep its module; the texts that were kept first make room."""
    try:
        _KEPT[text] = read_module(text)
    except SoidError:  # the command has said so
        return
    while sum(map(len, _KEPT)) > _MOST_TEXT:
        del _KEPT[next(iter(_KEPT))]

"""The tables that lark makes of a grammar, kept: making them takes many times longer than parsing a question.

They are kept as JSON under a hash of the grammar, of how it is read, and of lark's version. Whatever is wrong with
them, they are made anew.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import lark
from lark import Lark, Transformer
from lark.grammar import Rule
from lark.lexer import TerminalDef

from soid.cache import cache_folder, digest, keep, kept


def language(grammar: str, transformer: Transformer[Any, Any], **options: Any) -> Lark:
    """The parser of a grammar; `options` are lark's."""
    name = digest(grammar, lark.__version__, sys.version, repr(sorted(options.items())))
    place = cache_folder() / "grammar" / f"{name}.json"
    content = kept(place)
    if content is not None:
        try:
            data, memo = _from_json(json.loads(content))
            read: Lark = Lark._load_from_dict(data, memo, transformer=transformer)  # type: ignore[no-untyped-call]
            return read
        except (ValueError, KeyError, TypeError, AttributeError):
            pass  # another lark than the one that they were made with, whatever it says
    made = Lark(grammar, transformer=transformer, **options)
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"]["transformer"] = None  # it is handed over anew
    keep(place, json.dumps(_to_json([data, memo])).encode())
    return made


# JSON's keys are texts; tables are numbered


def _to_json(value: Any) -> Any:
    match value:
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _to_json(each) for key, each in value.items()}
        case dict():
            return {"#": [[key, _to_json(each)] for key, each in value.items()]}
        case list() | tuple():
            return [_to_json(each) for each in value]
        case _:
            return value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = value["#"] if "#" in value else value.items()
        return {key: _from_json(each) for key, each in pairs}
    return [_from_json(each) for each in value] if isinstance(value, list) else value

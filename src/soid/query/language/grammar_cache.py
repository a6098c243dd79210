"""A cache for lark's parser tables: building them takes many times longer than parsing a question.

They are stored as JSON under a hash of the grammar, lark's options, and the versions of lark and Python. If stored
tables cannot be loaded, they are built again.
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
            pass  # another lark built them, although it has the same version
    made = Lark(grammar, transformer=transformer, **options)
    data, memo = made.memo_serialize([TerminalDef, Rule])
    data["options"]["transformer"] = None  # passed again when the tables are loaded
    keep(place, json.dumps(_to_json([data, memo])).encode())
    return made


# JSON's keys are strings, and lark's tables have numbers as keys: such a dict becomes {"#": pairs}


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

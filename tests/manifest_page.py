"""docs/manifest.md, made of the types in soid.engine.manifest_keys; their test with UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT
from msgspec.structs import fields

from soid.engine.manifest_keys import ENGINES, NAMED, TABLES, Keys, ProgramKeys

PAGE: Final = Path(__file__).parents[1] / "docs" / "manifest.md"

_INTRODUCTION: Final = """\
# soid.toml

Every table and every key of a `soid.toml`, made from the types in the code. Nearly all are optional: [Bring your own
project](guide/project.md) shows a file as people write it, and `soid init` proposes one. A key that is not known is an
error, with the one that was probably meant. A path with dots goes in quotes, `"world.agents[1].pos_x"`; files and
folders are named relative to the manifest's.
"""
_ENGINE_TITLES: Final = {"llvm": "in C, C++ and LLVM IR", "smtlib": "as paths in SMT-LIB", "model": "learned models"}
_PLAIN: Final = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "value"}


def page() -> str:
    return "\n".join([_INTRODUCTION, *_sections()]).rstrip() + "\n"


def _sections() -> Iterator[str]:
    yield from _table("[program]", TABLES["program"])
    for engine, title in _ENGINE_TITLES.items():
        yield from _table(f"[program]: {title}", ENGINES[engine], without=ProgramKeys)
    for name, keys in TABLES.items():
        if keys is not ProgramKeys:
            yield from _table(f"[{name}]", keys)
    for name, kind in NAMED.items():
        if isinstance(kind, type):
            yield from _table(f"[{name}]", kind, named=True)
    yield "## Tables of one value a name\n\n| table | its names have | what for |\n|---|---|---|"
    for name, kind in NAMED.items():
        if not isinstance(kind, type):
            value, told = get_args(kind)
            yield f"| `[{name}]` | {words(value)} | {told} |"


def _table(title: str, keys: type[Keys], *, without: type[Keys] | None = None, named: bool = False) -> Iterator[str]:
    yield f"## {title}\n\n{inspect.getdoc(keys)}{' Each has a name of your own.' * named}\n"
    left_out = {each.encode_name for each in fields(without)} if without is not None else set()
    yield from _rows(keys, left_out)
    yield ""
    for name, inner in _inner(keys):
        if name not in left_out:
            yield f"### `{name}` of {title.partition(':')[0]}\n\n{inspect.getdoc(inner)}\n"
            yield from _rows(inner, set())
            yield ""


def _rows(keys: type[Keys], left_out: set[str]) -> Iterator[str]:
    yield "| key | value | what it is | without it |\n|---|---|---|---|"
    for name, (kind, told, default) in described(keys).items():
        if name not in left_out:
            shown = "needed" if default is NODEFAULT else _shown(default)
            yield f"| `{name}` | {words(kind)} | {told} | {shown} |"


def described(keys: type[Keys]) -> Mapping[str, tuple[Any, str, Any]]:
    """Each key with its type, what it is, and its default."""
    hints = get_type_hints(keys, include_extras=True)
    found = {}
    for each in fields(keys):
        assert get_origin(hints[each.name]) is Annotated, f"{keys.__name__}.{each.name} does not say what it is"
        kind, told = get_args(hints[each.name])
        default = each.default if each.default is not NODEFAULT or each.default_factory is NODEFAULT else ()
        found[each.encode_name] = (kind, told, default)
    return found


def _inner(keys: type[Keys]) -> Iterator[tuple[str, type[Keys]]]:
    for name, (kind, _, _) in described(keys).items():
        inner = table_in(kind)
        if inner is not None and inner is not NAMED["variables"]:
            yield name, inner


def table_in(kind: Any) -> type[Keys] | None:
    """The table that a value is or has in it."""
    if isinstance(kind, type) and issubclass(kind, Keys):
        return kind
    return next((found for each in get_args(kind) if (found := table_in(each)) is not None), None)


def words(kind: Any) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    arguments = get_args(kind)
    match get_origin(kind):
        case origin if origin is list:
            return f"list of {_several(words(arguments[0]))}"
        case origin if origin is dict:
            return f"table of {_several(words(arguments[1]))}"
        case origin if origin is UnionType or origin is not None:
            return " or ".join(words(each) for each in arguments if each is not NoneType)
    return "table"


def _several(one: str) -> str:
    return " or ".join(each if each == "true or false" else f"{each}s" for each in one.split(" or "))


def _shown(default: Any) -> str:
    if default in (None, ()) or default == [] or default == {}:
        return ""
    return f"`{str(default).lower()}`" if isinstance(default, bool | int) else f'`"{default}"`'

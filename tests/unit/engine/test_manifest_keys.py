"""The page about soid.toml has each key that a reader reads, and none besides; what manifests have is as it says."""

from __future__ import annotations

import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import msgspec
import pytest

from soid.engine.manifest_keys import ENGINES, NAMED, TABLES, Keys, MemberKeys
from soid.engine.manifest_reader import load
from soid.errors import ManifestError
from soid.examples import folder
from soid.program.toml_table import TomlTable
from tests.manifest_page import PAGE, described, page, table_in

EXAMPLES: Final = sorted(folder("crash").parent.rglob("soid.toml"))
#: what examples do not have: tables of programs in C, paths that end otherwise, joined logs, networks
MORE: Final = {
    "c": """
[program]
engine = "c"
sources = ["a.c"]
entry = "decide"
[trace]
file = "a.csv"
time = { column = "t", unit = "ms", period = 0.1 }
columns = { x = { column = "X" } }
[[trace.join]]
file = "a.csv"
time = "t"
[[trace.by_hand]]
step = 1
says = "the car was moved"
[lengths]
x = 2
[inputs_from]
read_sensor = "sensor"
[registers]
RCC_CR = { address = 0x40021000, type = "uint32" }
[variables]
x = { logged = { decimals = 2 }, initial = 0 }
""",
    "paths": """
[program]
engine = "smtlib"
paths = ["a.smt2"]
[variables]
x = { role = "environment", type = "float32", logged = { decimals = 2 }, smtlib = "X" }
started = { role = "state", type = "bool", smtlib_after = "next" }
go = { role = "decision", type = "enum", labels = ["NO", "YES"], width = 8 }
[endings]
one = "does not decide"
""",
    "network": """
[program]
engine = "model"
model = "net.onnx"
[decisions]
go = "argmax of y"
[inputs]
"x[0]" = "speed / 2.0"
[state]
h_in = "h_out"
""",
}


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    made: list[Path] = []
    for name, text in MORE.items():
        place = tmp_path_factory.mktemp(name)
        for file in ("a.c", "a.smt2", "net.onnx", "a.csv"):
            (place / file).write_text("t,X\n")
        (place / "soid.toml").write_text(text)
        made.append(place / "soid.toml")
    return [*EXAMPLES, *made]


def tables_of(name: tuple[str, ...]) -> list[type[Keys]] | None:
    """The types of the table with this name, as readers call it; None: its keys are names of the user's own."""
    first, *rest = name
    if first == "programs" and rest:
        return _below([MemberKeys, *ENGINES.values()], rest[1:])
    if first in NAMED:
        kind = NAMED[first]
        return _below([kind], rest[1:]) if rest and isinstance(kind, type) else None
    known: list[type[Keys]] = [TABLES[first]]
    if first in ("program", "world"):
        known += ENGINES.values()
    return _below(known, rest)


def _below(known: list[type[Keys]], rest: list[str]) -> list[type[Keys]] | None:
    if not rest:
        return known
    key = rest[0].partition("[")[0] if re.fullmatch(r"\w+\[\d+\]", rest[0]) else rest[0]
    kinds = [kind for each in known if (kind := described(each).get(key, (None,))[0]) is not None]
    if not kinds:  # a table of an engine, below one of several programs or a world
        return tables_of((key, *rest[1:]))
    inner = table_in(kinds[0])
    is_named = any(get_origin(each) is dict for each in (kinds[0], *get_args(kinds[0])))
    if is_named:
        return _below([inner], rest[2:]) if inner is not None and len(rest) > 1 else None
    return _below([inner], rest[1:]) if inner is not None else None


@pytest.fixture
def asked(manifests: list[Path], monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, ...], set[str]]:
    """The keys that readers read, by the names of the tables."""
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    get = TomlTable.get

    def noted(self: TomlTable, key: str) -> Any:
        found[self._name].add(key)
        return get(self, key)

    monkeypatch.setattr(TomlTable, "get", noted)
    for file in manifests:
        load(file)
    return found


def test_each_key_that_is_read_is_on_the_page_and_each_key_of_the_page_is_read(asked):
    read: dict[type[Keys], set[str]] = defaultdict(set)
    for name, keys in asked.items():
        types = tables_of(name) if name else None
        if types is not None:
            engine_tables = {*NAMED, "stubs"} if name[0] in ("programs", "world") else set()
            assert keys <= engine_tables.union(*map(described, types)), name
            for each in types:
                read[each] |= keys & described(each).keys()
        elif not name:
            assert keys <= TABLES.keys() | NAMED.keys()
    assert {each: set(described(each)) - read[each] for each in every_type() if set(described(each)) - read[each]} == {}


def every_type() -> Iterator[type[Keys]]:
    stack: list[type[Keys]] = [*TABLES.values(), *ENGINES.values()]
    stack += [each for each in NAMED.values() if isinstance(each, type)]
    seen: list[type[Keys]] = []
    while stack:
        each = stack.pop()
        if each not in seen:
            seen.append(each)
            stack += [inner for kind, _, _ in described(each).values() if (inner := table_in(kind)) is not None]
    yield from seen


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: "-".join(file.parent.parts[-2:]))
def test_what_a_manifest_has_is_of_the_types_on_the_page(file):
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    for name, table in written.items():
        if name == "programs" or name == "world":
            continue  # their tables have the keys of several types: the test above is about them
        if name in NAMED:
            for value in table.values():
                msgspec.convert(value, NAMED[name])
        else:
            kind = ENGINES[table["engine"]] if name == "program" and "engine" in table else TABLES[name]
            msgspec.convert(table, kind)


def test_the_page_is_made_of_the_types():
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_key_that_is_not_on_the_page_is_refused(tmp_path):
    (tmp_path / "soid.toml").write_text('[program]\nengine = "smtlib"\npaths = ["a"]\n[story]\nhappend = "x"\n')
    with pytest.raises(ManifestError):
        load(tmp_path)

"""The manifest of a program in C: what a good one says, and where each mistake in a bad one is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.c_source import CSource
from soid.engine.manifest_reader import load
from soid.errors import ManifestError

GOOD = """\
[program]
engine  = "llvm"
sources = ["decide.c", "lib"]
entry   = "decide"
include = ["lib"]
defines = ["NDEBUG", "LIMIT=3"]
flags   = ["-std=c99"]
target  = "aarch64-linux-gnu"
clang   = "clang-18"
window  = 1000
steps   = 3

[lengths]
"world->agents" = 4

[inputs_from]
read_sensor = "sensor"

[variables]
"world.agents[*].x" = { unit = "m" }
"*speed" = { role = "decision" }
"""


def project(folder: Path, text: str) -> Path:
    (folder / "lib").mkdir(exist_ok=True)
    for name in ("decide.c", "lib/b.c", "lib/a.c", "lib/a.h"):
        (folder / name).touch()
    (folder / "soid.toml").write_text(text)
    return folder


def source(folder: Path) -> CSource:
    found = load(folder).program.source
    assert isinstance(found, CSource)
    return found


def test_a_good_manifest(tmp_path: Path) -> None:
    found = source(project(tmp_path, GOOD))
    assert found.sources == (Path("decide.c"), Path("lib/a.c"), Path("lib/b.c"))
    assert (found.entry, found.include, found.defines) == ("decide", (Path("lib"),), ("NDEBUG", "LIMIT=3"))
    assert (found.flags, found.target, found.clang) == (("-std=c99",), "aarch64-linux-gnu", "clang-18")
    assert (found.window, found.steps) == (1000, 3)
    assert (found.lengths, found.inputs_from) == ({"world.agents": 4}, {"read_sensor": "sensor"})
    assert [each.path for each in found.declarations] == ["world.agents[*].x", "*speed"]
    assert list(load(tmp_path).program.interface) == []  # the program has not been looked at


def test_little_is_needed(tmp_path: Path) -> None:
    found = source(project(tmp_path, '[program]\nengine = "c"\nsources = ["decide.c"]\nentry = "go"\n'))
    assert (found.window, found.steps, found.declarations, found.target, found.clang) == (None, 1, (), None, None)


MISTAKES = [
    ('["decide.c", "lib"]', '["decode.c"]', 3, ["[program] sources: there is no file", "decode.c"]),
    ('["decide.c", "lib"]', '["*.cpp"]', 3, ["[program] sources: no file matches"]),
    ('["decide.c", "lib"]', "[]", 1, ["[program]: sources is missing", "Say what to compile"]),
    ('entry   = "decide"', "", 1, ["[program]: entry is missing", 'entry = "decide"']),
    ('"decide"', '"decide()"', 4, ["[program] entry: decide() is no name of a function", "without brackets"]),
    ('include = ["lib"]', 'include = ["lip"]', 5, ["[program] include: there is no folder"]),
    ("window  = 1000", "window = 0", 10, ["[program] window: 0 is less than 1"]),
    ("steps   = 3", "steps = 2.5", 11, ["[program] steps: expected a whole number, found the number 2.5"]),
    ("flags   =", "flag =", 7, ["[program] flag: there is no such key", "Did you mean flags?"]),
    ('"world->agents" = 4', '"world->agents" = 0', 14, ["world->agents: 0 is less than 1"]),
    ('"world->agents" = 4', "world.agents = 4", 14, ["[lengths] world: a path with dots needs quotes"]),
    ('read_sensor = "sensor"', "read_sensor = 3", 17, ["[inputs_from] read_sensor: expected text in quotes"]),
    ('read_sensor = "sensor"', 'read_sensor = "a.b"', 17, ['the text "a.b" is no name of a variable']),
    ('read_sensor = "sensor"', 'f = "a"\ng = "a"', 18, ["[inputs_from] g: a is read by another function already"]),
    ('"world.agents[*].x"', '"world agents+x"', 20, ["'world agents+x' is no path"]),
    ('{ unit = "m" }', '{ unti = "m" }', 20, ["unti: there is no such key", "Did you mean unit?"]),
    ('"*speed" =', '"world->agents[*].x" =', 21, ["the variable world.agents[*].x is declared twice"]),
    ("[lengths]", "[endings]\na = 'does not decide'\n[lengths]", 13, ["[endings] is nothing to the engine llvm"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "expected"), MISTAKES)
def test_each_mistake_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, line: int, expected: list[str]
) -> None:
    assert GOOD.count(old) == 1 or old == '"decide"'
    file = project(tmp_path, GOOD.replace(old, new, 1)) / "soid.toml"
    with pytest.raises(ManifestError) as caught:
        load(file)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: "), message
    for part in expected:
        assert part in message


def test_tables_of_c_are_nothing_to_paths(tmp_path: Path) -> None:
    (tmp_path / "a.smt2").touch()
    text = '[program]\nengine = "smtlib"\npaths = ["a.smt2"]\n[lengths]\na = 1\n[variables]\n'
    (tmp_path / "soid.toml").write_text(text)
    with pytest.raises(ManifestError, match=r"soid\.toml:4: lengths: \[lengths\] is nothing to the engine smtlib"):
        load(tmp_path)

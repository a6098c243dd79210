"""compile_commands.json: whose flags are whose, where folders lie, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.loaded_program import load as load_program
from soid.engine.llvm.variables.discovery import build_of, discover
from soid.engine.manifest_reader import load
from soid.errors import CompileError, ManifestError
from soid.program.interface import Role

HEAD = '[program]\nengine = "c"\nentry = "decide"\ncompile_commands = "build/compile_commands.json"\n'


def _project(folder: Path, commands: object, more: str = "") -> CSource:
    (folder / "build").mkdir(exist_ok=True)
    (folder / "include").mkdir(exist_ok=True)
    (folder / "include" / "limits.hpp").write_text("#pragma once\nint limit(int x);\n")
    (folder / "decide.cpp").write_text('#include "limits.hpp"\nint decide(int x) { return limit(x) + OFFSET; }\n')
    (folder / "limits.c").write_text("int limit(int x) { return x > TOP ? TOP : x; }\n")
    text = commands if isinstance(commands, str) else json.dumps(commands)
    (folder / "build" / "compile_commands.json").write_text(text)
    (folder / "soid.toml").write_text(HEAD + more)
    source = load(folder).program.source
    assert isinstance(source, CSource)
    return source


def _commands(folder: Path) -> list[dict[str, object]]:
    build = str(folder / "build")
    compiled = (
        "clang++ -O2 -g3 -MD -MF d -I../include -DOFFSET=3 -std=c++17 -fcolor-diagnostics -o x.o -c ../decide.cpp"
    )
    words = ["cc", "-DTOP=10", "-O0", "-c", str(folder / "limits.c"), "-olimits.o"]
    return [
        {"directory": build, "file": "../decide.cpp", "command": compiled},
        {"directory": build, "file": str(folder / "limits.c"), "arguments": words},
    ]


def test_each_file_has_its_own_flags(tmp_path: Path) -> None:
    source = _project(tmp_path, _commands(tmp_path))
    assert dict(source.commands) == {
        Path("decide.cpp"): ("-O2", "-Iinclude", "-DOFFSET=3", "-std=c++17"),
        Path("limits.c"): ("-DTOP=10", "-O0"),
    }
    build = build_of(source, tmp_path)
    assert [build.level_of(each) for each in source.sources] == ["-O2", "-O0"] and build.level == "-O2"
    assert not build.as_written and build.unoptimised().as_written


def test_the_program_is_compiled_that_way(tmp_path: Path) -> None:
    source = _project(tmp_path, _commands(tmp_path))
    with pytest.raises(CompileError, match=r"TOP|OFFSET"):
        load_program(build_of(CSource(source.sources, "decide", include=(Path("include"),)), tmp_path), "decide")
    text = (tmp_path / "limits.c").read_text()
    (tmp_path / "limits.c").write_text(f"#ifdef __cplusplus\n#error\n#endif\n{text}")
    (tmp_path / "include" / "limits.hpp").write_text('#pragma once\nextern "C" int limit(int x);\n')
    found = discover(source, tmp_path)
    assert {v.path for v in found.interface if v.role is not Role.INTERNAL} == {"x", "return"}


def test_sources_pick_from_the_database(tmp_path: Path) -> None:
    source = _project(tmp_path, _commands(tmp_path), 'sources = ["limits.c"]\n')
    assert source.sources == (Path("limits.c"),) and list(source.commands) == [Path("limits.c")]


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        ("{", "is no JSON"),
        ("{}", "is no list of commands"),
        ('[{"directory": "."}]', "entry 1 of"),
        ('[{"directory": ".", "file": "a.c"}]', "has no command"),
    ],
)
def test_a_database_that_is_none_is_refused(commands: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=told):
        _project(tmp_path, commands)


def test_a_source_that_the_database_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"it does not say how decide\.cpp is compiled"):
        _project(tmp_path, _commands(tmp_path)[1:], 'sources = ["decide.cpp"]\n')


def test_refused_flags_are_refused_by_name(tmp_path: Path) -> None:
    commands = _commands(tmp_path)
    commands[0]["command"] = f"{commands[0]['command']} -ffast-math"
    with pytest.raises(CompileError, match="the flag -ffast-math is refused"):
        discover(_project(tmp_path, commands), tmp_path)

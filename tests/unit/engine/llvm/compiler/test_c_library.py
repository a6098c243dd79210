"""What soid's own C library adds to a program, and to what is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.assumptions import Ledger
from soid.budget import UNLIMITED, Cancellation
from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.c_library import INSIDE, NO_CHARACTER, linked, sources_digest
from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.reader.module_reader import read_module
from soid.engine.llvm.variables.discovery import Discovered, discover
from soid.engine.protocol import Exploration
from soid.engine.summary import Failed, Location
from soid.formula.build import TRUE
from soid.formula.checker import Possible
from soid.program.interface import Role

PARSES = "#include <stdlib.h>\nint decide(const char *text) { return atoi(text); }\n"
PLAIN = "int decide(const char *text) { return text[0]; }\n"


def found(folder: Path, source: str, **settings: object) -> Discovered:
    (folder / "program.c").write_text(source)
    return discover(CSource((Path("program.c"),), "decide", **settings), folder)  # type: ignore[arg-type]


def test_a_program_that_needs_nothing_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PLAIN)
    build = Build((Path("program.c"),), root=tmp_path)
    text = compile_ir(build).text
    assert linked(build, text) == (text, frozenset())
    discovered = found(tmp_path, PLAIN)
    assert "library" not in LlvmEngine(discovered.interface, discovered.loaded).built.settings


def test_only_what_is_needed_is_linked(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PARSES)
    build = Build((Path("program.c"),), root=tmp_path)
    text, names = linked(build, compile_ir(build).text)
    defined = {name for name, function in read_module(text).functions.items() if function.defined}
    assert names == {"atoi"}
    assert {name for name in defined if not name.startswith(INSIDE)} == {"atoi", "decide"}
    assert linked(build, compile_ir(build).text, {"atoi"})[1] == frozenset()


def test_the_program_that_is_replayed_and_recorded_goes_without(tmp_path: Path) -> None:
    discovered = found(tmp_path, PARSES, lengths={"text": 4})
    built = LlvmEngine(discovered.interface, discovered.loaded).built
    assert b"declare i32 @atoi" in built.module
    assert built.settings["library"] == sources_digest()


def test_what_the_program_knows_under_a_name_inside_the_library_is_not_confused(tmp_path: Path) -> None:
    source = "#include <stdlib.h>\nstatic int parse(int a) { return a; }\nint between(int a) { return a; }\n"
    source += "int decide(const char *text) { return atoi(text) + parse(1) + between(2); }\n"
    module = found(tmp_path, source, lengths={"text": 4}).loaded.module
    assert module.functions["between"].subprogram is not None
    assert module.functions["parse"].subprogram is not None


@pytest.mark.parametrize("call", ["isdigit(x)", "(isdigit)(x)", "toupper(x)"])
def test_what_is_no_character_fails_in_one_way(call: str, tmp_path: Path) -> None:
    """By glibc's table, and by the function."""
    source = f"#include <ctype.h>\nint decide(int x) {{ return {call}; }}\n"
    discovered = found(tmp_path, source)
    given = Exploration({"x": -5 % 2**32}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    (path,) = LlvmEngine(discovered.interface, discovered.loaded).explore(given).paths
    assert path.ending == Failed(NO_CHARACTER, Location("program.c", 2))


def test_what_ran_before_the_entry_is_relied_on_too(tmp_path: Path) -> None:
    source = "#include <stdlib.h>\nstatic int start;\n"
    source += '__attribute__((constructor)) static void begin(void) { start = atoi("7"); }\n'
    discovered = found(tmp_path, source + "int decide(int x) { return start == x; }\n")
    given = Exploration({"x": 7, "start": 7}, TRUE, lambda _: Possible({}), UNLIMITED.started(), Cancellation())
    summary = LlvmEngine(discovered.interface, discovered.loaded).explore(given)
    assert summary.run({}).outputs["return"] == 1
    assert Ledger.OWN_LIBRARY.of("atoi") in summary.relies_on
    assert not any(each.id == "window" for each in summary.relies_on)


@pytest.mark.parametrize(
    ("call", "role"),
    [
        ('snprintf(made, 9, "%s", text)', Role.ENVIRONMENT),
        ('snprintf(made, 9, "%d%n", text[0], (int *)text)', Role.STATE),
        ('sscanf(text, "%d", &count)', Role.ENVIRONMENT),
        ('sscanf("1", "%3s", text)', Role.DECISION),
        ("strtod(text, &end)", Role.ENVIRONMENT),
        ("strtol(text, &end, 10)", Role.ENVIRONMENT),
        ('strtok(text, " ") != 0', Role.STATE),
        ("isdigit(text[0])", Role.ENVIRONMENT),
    ],
)
def test_a_text_that_is_only_read_is_environment(call: str, role: Role, tmp_path: Path) -> None:
    headers = "".join(f"#include <{name}.h>\n" for name in ("ctype", "stdio", "stdlib", "string"))
    source = f"{headers}int decide(char *text) {{ char made[9], *end; int count; return {call}; }}\n"
    interface = found(tmp_path, source, lengths={"text": 4}).interface
    assert interface.variable("text[0]").role is role

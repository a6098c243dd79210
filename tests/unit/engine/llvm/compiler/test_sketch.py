"""Arduino sketches: every function is declared before the first definition, and places stay those of the sketch."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.compiler.compilation import Build, compile_ir
from soid.engine.llvm.compiler.sketch import as_source
from soid.engine.llvm.variables.discovery import discover
from soid.errors import CompileError

SKETCH = """// void no(int a) { }
#define BLINK(x) do { led(x); } while (0)
const char *text = "void neither() {";
struct reading { int value; bool valid() const { return value > 0; } };
enum mode { OFF, ON };
int table[] = { 1, 2 };
namespace n { void inside() { } }

void loop() {
  reading r = fresh(level(), ON);
  if (r.valid()) { BLINK(1); }
}
static reading fresh(int a,
                     mode m)
{ reading r = { a }; return r; }
int *level2(unsigned long *p) { return (int *)p; }
template <typename T> T twice(T a) { return a + a; }
int given(int a = 3) { return a; }
int reading::*odd;
void led(int on) { count += on; }
"""
BOARD = "#pragma once\nextern int count; int level();\n"


def test_the_declarations_of_a_sketch() -> None:
    made = as_source([("garden.ino", SKETCH)])
    assert made.startswith('#include <Arduino.h>\n#line 1 "garden.ino"\n// void no')
    before, _, after = made.partition('#line 9 "garden.ino"\nvoid loop() {')
    assert after
    declared = before.partition("inside() { } }\n\n")[2].splitlines()
    assert declared == [
        "void loop();",
        "static reading fresh(int a, mode m);",
        "int *level2(unsigned long *p);",
        "void led(int on);",
    ]


def test_a_sketch_without_functions_stays_as_it_is() -> None:
    assert as_source([("a.ino", "int a;\n")]) == '#include <Arduino.h>\n#line 1 "a.ino"\nint a;\n\n'


def test_a_module_of_a_sketch_has_no_path_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "garden.ino").write_text(SKETCH)
    (tmp_path / "Arduino.h").write_text(BOARD)
    compiled = compile_ir(Build((Path("garden/garden.ino"),), include=(Path(),), root=tmp_path))
    assert "garden/garden.ino" in compiled.text and "/tmp" not in compiled.text
    assert str(tmp_path) not in compiled.text
    assert compiled.files == ("garden/garden.ino", "Arduino.h")


def test_a_sketch_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "garden.ino").write_text(SKETCH)
    (tmp_path / "Arduino.h").write_text(BOARD)
    source = CSource((Path("garden.ino"),), "loop", inputs_from={"level": "level"}, extern=("count",))
    roles = {variable.path: variable.role.value for variable in discover(source, tmp_path).interface}
    assert (roles["level"], roles["count"]) == ("environment", "state")


def test_a_missing_board_is_told(tmp_path: Path) -> None:
    (tmp_path / "garden.ino").write_text(SKETCH)
    with pytest.raises(CompileError, match=r"garden\.ino is an Arduino sketch, which includes Arduino\.h"):
        compile_ir(Build((Path("garden.ino"),), root=tmp_path))


def test_an_error_in_a_sketch_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "garden.ino").write_text(SKETCH.replace("count += on", "county += on"))
    (tmp_path / "Arduino.h").write_text(BOARD)
    with pytest.raises(CompileError, match=r"garden\.ino:20:\d+: error: .*county"):
        compile_ir(Build((Path("garden.ino"),), root=tmp_path))


def test_sketches_of_one_name_are_two_files(tmp_path: Path) -> None:
    for folder, name in (("a", "one"), ("b", "two")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.ino").write_text(f"int {name}(int x) {{ return x; }}\n")
    (tmp_path / "Arduino.h").write_text("#pragma once\n")
    text = compile_ir(Build((Path("a/part.ino"), Path("b/part.ino")), flags=("-I.",), root=tmp_path)).text
    assert "_Z3onei" in text and "_Z3twoi" in text


def test_the_files_of_a_sketch_are_one_source(tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "b_more.ino").write_text("int more() { return shared + late(); }\n")
    (folder / "a_last.ino").write_text("int late() { return shared; }\n")
    (folder / "garden.ino").write_text("int shared;\n\nint decide(int x) { return x + more(); }\n")
    (folder / "Arduino.h").write_text("#pragma once\n")
    files = tuple(Path(name) for name in ("a_last.ino", "b_more.ino", "garden.ino"))
    compiled = compile_ir(Build(files, root=folder))
    assert compiled.files == ("garden.ino", "a_last.ino", "b_more.ino", "Arduino.h")
    assert compiled.text.count("@shared = ") == 1
    made = as_source([("my garden.ino", "int shared;\n\nint decide() { }\n"), ("b.ino", "void b() { }\n")])
    assert made == (
        '#include <Arduino.h>\n#line 1 "my garden.ino"\nint shared;\n\nint decide();\nvoid b();\n'
        '#line 3 "my garden.ino"\n'
        'int decide() { }\n\n#line 1 "b.ino"\nvoid b() { }\n\n'
    )

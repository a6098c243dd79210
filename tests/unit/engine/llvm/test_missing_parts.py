"""What a program uses and does not define is listed at once, with where it is used and what can be said of it."""

from __future__ import annotations

from pathlib import Path

from soid.engine.llvm.c_source import CSource
from soid.engine.llvm.llvm_engine import LlvmEngine
from soid.engine.llvm.variables.discovery import discover
from soid.engine.summary import Location

PROGRAM = """#include <math.h>
#include <stdint.h>
struct point { int x; };
uint32_t millis(void); void led(int on); struct point where(const char *name); int logged(void);
extern int level;
int helper(void) { return (int)millis() + logged(); }
int unused(void) { return where("x").x; }
int decide(int x) { led(x); return helper() + level + (sin(x) > 0.5) + (int)millis() + where("a").x; }
"""


def test_everything_that_is_missing_is_listed(tmp_path: Path) -> None:
    (tmp_path / "rule.c").write_text(PROGRAM)
    found = discover(CSource((Path("rule.c"),), "decide", inputs_from={"logged": "seen"}), tmp_path)
    missing = {part.name: part for part in LlvmEngine(found.interface, found.loaded, None, found.described).missing}
    assert missing.keys() == {"millis", "led", "where", "level"}
    assert missing["millis"].declared == "uint32_t millis(void)"
    assert set(missing["millis"].used) == {Location("rule.c", 6), Location("rule.c", 8)}
    assert missing["millis"].remedies[0] == '[inputs_from] millis = "millis"'
    assert missing["led"].remedies[0] == '[program] ignore = ["led"]'
    assert missing["where"].declared == "struct point where(const char *)"
    assert missing["where"].remedies[0] == '[inputs_from] where = "where"'
    assert missing["level"].declared == "extern int level"
    assert missing["level"].remedies[0].startswith('[program] extern = ["level"]')


def test_cplusplus_is_listed_as_in_the_source(tmp_path: Path) -> None:
    (tmp_path / "rule.cpp").write_text(
        "namespace hal { unsigned read(int); }\nint decide(int x) { return hal::read(x); }\n"
    )
    found = discover(CSource((Path("rule.cpp"),), "decide"), tmp_path)
    (part,) = LlvmEngine(found.interface, found.loaded).missing
    assert (part.name, part.declared) == ("hal::read", "unsigned int hal::read(int)")
    assert part.remedies[0] == '[inputs_from] "hal::read" = "read"'


def test_a_whole_program_misses_nothing(tmp_path: Path) -> None:
    (tmp_path / "rule.c").write_text("#include <stdlib.h>\nint decide(int x) { return abs(x) > 3; }\n")
    found = discover(CSource((Path("rule.c"),), "decide"), tmp_path)
    assert LlvmEngine(found.interface, found.loaded).missing == ()

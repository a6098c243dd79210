"""What a program does not define, the manifest can say: stubs, extern variables, registers, what runs before.

Each scenario that is shown was run on the compiled program, so the engine and the machine agree on what was said.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from soid import Answer, Project
from soid.assumptions import Ledger
from soid.cli import main
from soid.errors import CompileError, ManifestError, ProgramError, SoidError
from soid.evidence.untrusted_project import open_with_care
from soid.evidence.verification_report import Standing
from soid.evidence.verify import verify
from tests.unit.evidence.conftest import bundled

RUN = "by running the compiled program"


def made(folder: Path, source: str, log: str, program: str = "", tables: str = "", **files: str) -> Path:
    """A project whose entry is `f`; `files` are further ones, by their names with _ for the dot."""
    (folder / "p.c").write_text(source)
    (folder / "log.jsonl").write_text(log)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    (folder / "soid.toml").write_text(
        f'[program]\nengine = "llvm"\nsources = ["p.c"]\nentry = "f"\n{program}\n'
        f'{tables}\n[trace]\nfile = "log.jsonl"\nfrom_start = true\n'
    )
    return folder


def asked(project: Path | Project, question: str) -> Answer:
    """The answer of a project, or of the one in a folder; the machine has confirmed a scenario that it shows."""
    opened = Project.open(project, step=0) if isinstance(project, Path) else project
    answer = opened.ask(question)
    if answer.witness is not None:
        assert answer.witness.replayed.startswith(RUN), answer.witness.replayed
    return answer


def relied(answer: Answer) -> str:
    return "\n".join(map(str, answer.relies_on))


# --- stubs ------------------------------------------------------------------------------------------------------

SENSOR = "int sensor(int channel); void led(int on);\nint f(int x) { led(x); return sensor(x) > 10; }\n"
STUBS = """
static int gain(int v) { return v * 3; }
int calls;
int sensor(int channel) { calls++; return gain(channel) + 1; }
void led(int on) { (void)on; }
int never(void) { return 1; }
"""
USED = '[stubs]\nfiles = ["stubs.c"]'


def test_a_stub_is_explored_and_run_with_the_program(tmp_path: Path) -> None:
    folder = made(tmp_path, SENSOR, '{"x": 2}', "", USED, stubs_c=STUBS)
    answer = asked(folder, "might return == 1 and calls' == 1 if x in {0..5}")
    assert answer.verdict.value == "yes"
    assert answer.witness is not None and answer.witness.inputs["x"] == 4  # the nearest to 2 with 3 * x + 1 > 10
    assert asked(folder, "might return == 1 if x in {0..3}").verdict.value == "no"
    assert str(Ledger.STUBS.of("stubs.c", "led, sensor")) in relied(answer)


@pytest.mark.parametrize(
    "own", ["int sensor(int c) { return c; }", "__attribute__((weak)) int sensor(int c) { return c; }"]
)
def test_a_stub_for_what_the_program_defines_is_refused(tmp_path: Path, own: str) -> None:
    with pytest.raises(CompileError, match=r"stubs\.c defines sensor, which p\.c defines too"):
        Project.open(made(tmp_path, f"{SENSOR}{own}\n", '{"x": 2}', "", USED, stubs_c=STUBS))


def test_a_changed_stub_is_another_program(tmp_path: Path) -> None:
    question = "might return == 1 if x in {0..3}"
    assert asked(made(tmp_path, SENSOR, '{"x": 2}', "", USED, stubs_c=STUBS), question).verdict.value == "no"
    other = STUBS.replace("v * 3", "v * 9")
    assert asked(made(tmp_path, SENSOR, '{"x": 2}', "", USED, stubs_c=other), question).verdict.value == "yes"


def test_a_bundle_has_the_stubs_and_is_verified_with_them(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    folder = made(tmp_path / "project", SENSOR, '{"x": 2}', "", USED, stubs_c=STUBS)
    data = bundled(tmp_path, folder, ("might return == 1 if x in {0..3}",))
    assert b"gain(channel)" in data
    (tmp_path / "case.zip").write_bytes(data)
    assert {fact.standing for fact in verify(tmp_path / "case.zip").facts} == {Standing.REPROVED}


def test_a_strangers_stub_stays_inside(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "stubs.c").write_text(STUBS)
    folder = made(tmp_path / "project", SENSOR, '{"x": 2}', "", USED.replace("stubs.c", "../stubs.c"))
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(SoidError, match="lies outside of the bundle"):
        open_with_care("soid.toml", files, folder)
    inside = made(folder, SENSOR, '{"x": 2}', "", USED, stubs_c='#include "/etc/passwd"\n')
    files = {file.name: file.read_bytes() for file in inside.iterdir()}
    with pytest.raises(SoidError, match="includes /etc/passwd, which is in none of the folders"):
        open_with_care("soid.toml", files, inside)


# --- extern variables -------------------------------------------------------------------------------------------

EXTERN = """#include <stdint.h>
enum mode { MANUAL, AUTO = 4 };
struct config { enum mode mode; unsigned level : 3; const char *name; };
extern struct config config;
extern const uint16_t limit;
extern int table[3];
extern int last;
int f(int x) {
    if (config.name == 0) return 100;
    if (x > 3) last = x;
    return (x > limit) + 2 * (config.mode == AUTO) + 4 * (config.level == 5) + 8 * (table[x & 1] > 5);
}
"""
LISTED = 'extern = ["config", "limit", "table", "last"]'
LOGGED = '{"x": 2, "limit": 3, "config": {"mode": "AUTO", "level": 5}, "table": [1, 9, 0], "last": 7}'


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_extern_variables_are_inputs_of_their_declared_types(tmp_path: Path, level: str) -> None:
    folder = made(tmp_path, EXTERN, LOGGED, f'{LISTED}\nflags = ["{level}"]')
    answer = asked(folder, "might return == 7 and last' == x if x in {4..70000} and limit >= 40000")
    assert answer.verdict.value == "yes"  # unsigned: a limit of 40000 is no negative number
    assert asked(folder, "might return == 100 if x is anything").verdict.value == "no"
    assert (
        asked(folder, "would last' == 7 if x in {0..3}").verdict.value == "yes"
    )  # it is not 0 where it is not written
    assert Ledger.EXTERN.of("config, limit, table, last") in answer.relies_on


WEAK = """void hook(void) __attribute__((weak));
extern int level __attribute__((weak));
int f(int x) { return (&level ? x > level : 9) + (hook ? 10 : 0); }
"""


@pytest.mark.parametrize(("program", "verdict"), [("", "unknown"), ('extern = ["level"]\nignore = ["hook"]', "yes")])
def test_what_is_weak_may_be_absent_unless_the_manifest_has_it(tmp_path: Path, program: str, verdict: str) -> None:
    folder = made(tmp_path, WEAK, '{"x": 2, "level": 5}' if program else '{"x": 2}', program)
    assert asked(folder, "would return == 10 if x in {0..5}").verdict.value == verdict


def test_a_changed_header_changes_the_type(tmp_path: Path) -> None:
    source = '#include "config.h"\nint f(int x) { return x > level; }'
    folder = made(tmp_path, source, '{"x": 2, "level": 1}', 'extern = ["level"]', config_h="extern int level;")
    assert str(Project.open(folder, step=0).program.interface.variable("level").type) == "int32"
    made(tmp_path, source, '{"x": 2, "level": 1}', 'extern = ["level"]', config_h="extern unsigned char level;")
    assert str(Project.open(folder, step=0).program.interface.variable("level").type) == "uint8"


def test_the_optimiser_may_do_away_with_an_extern_variable(tmp_path: Path) -> None:
    source = "extern int level; int f(int x) { int unused = level * 2; (void)unused; return x > 3; }"
    folder = made(tmp_path, source, '{"x": 2, "level": 1}', 'extern = ["level"]\nflags = ["-O2"]')
    assert asked(folder, "would return == 0 if x in {0..3}").verdict.value == "yes"


def test_an_extern_variable_has_no_value_of_its_own(tmp_path: Path) -> None:
    source = "extern int level; int f(int x) { return x > level; }"
    answer = asked(made(tmp_path, source, '{"x": 2}', 'extern = ["level"]'), "did return == 1")
    assert answer.verdict.value == "unknown" and "it depends on level" in answer.reason
    folder = made(tmp_path, source, '{"x": 2}', 'extern = ["level"]', "[variables]\nlevel = { initial = 2 }")
    assert asked(folder, "did return == 0").verdict.value == "yes"


def test_a_part_of_an_extern_variable_that_is_no_variable_is_unknown(tmp_path: Path) -> None:
    source = "extern long double scale; int f(int x) { return scale == 0 ? x : 3; }"
    folder = made(tmp_path, source, '{"x": 2}', 'extern = ["scale"]')
    assert asked(folder, "might return == 3 if x == 1").verdict.value == "unknown"


@pytest.mark.parametrize(
    ("name", "why"),
    [("own", "the program defines it"), ("other", "does not use it"), ("open", "how large open is"), ("x;", "no name")],
)
def test_mistakes_about_extern_variables_are_named(tmp_path: Path, name: str, why: str) -> None:
    source = "int own; extern int open[]; int f(int x) { return x > own + open[0]; }"
    with pytest.raises(ManifestError, match=why):
        Project.open(made(tmp_path, source, '{"x": 2}', f'extern = ["{name}"]'))


def test_inspect_offers_the_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, "extern unsigned char level; int read(void); int f(int x) { return x + level + read(); }", "{}")
    assert main(["inspect", "--project", str(tmp_path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert 'extern unsigned char level; used at p.c:1 [program] extern = ["level"]' in shown
    assert '[stubs] files = ["stubs.c"]' in shown


# --- setup ------------------------------------------------------------------------------------------------------

SETUP = """#include <stdlib.h>
struct { int limit; const char *name; } config;
static int *buffer, *at, count, cell = 3;
static int above(int x) { return x > config.limit; }
static int (*rule)(int);
void pinMode(int pin);
int init(void) {
    pinMode(3);
    config.limit = 7;
    buffer = malloc(4 * sizeof *buffer);
    for (int i = 0; i < 4; i++) buffer[i] = 10 * i;
    count = 4;
    rule = above;
    at = &cell;
    return 5;
}
int f(int x) {
    if (!rule) return -1;
    count++;
    return rule(x) + 2 * (buffer[x & 3] > 15) + 4 * (*at == 3) + 8 * (count == 5);
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_the_setup_runs_before_the_entry(tmp_path: Path, level: str) -> None:
    program = f'setup = "init()"\nignore = ["pinMode"]\nflags = ["{level}"]'
    folder = made(tmp_path, SETUP, '{"x": 2}', program)
    answer = asked(folder, "might return == 13 if x in {0..12}")
    assert answer.verdict.value == "yes" and answer.witness is not None
    assert answer.witness.inputs["x"] == 8  # the nearest to 2 above the limit of 7 with a small number in the buffer
    assert str(Ledger.SETUP.of("init")) in relied(answer) and "config.limit = 7" in relied(answer)
    assert asked(folder, "would return >= 12 if x is anything").verdict.value == "yes"


def test_what_is_logged_is_laid_over_what_the_setup_left(tmp_path: Path) -> None:
    folder = made(tmp_path, SETUP, '{"x": 8, "count": 1, "config.limit": 9}', 'setup = "init"\nignore = ["pinMode"]')
    assert asked(folder, "did return == 4 and count' == 2").verdict.value == "yes"


def test_the_setup_runs_once_for_several_steps(tmp_path: Path) -> None:
    source = "static int n; void init(void) { n += 10; } int f(int x) { n += x; return n; }"
    folder = made(tmp_path, source, '{"x": 1}', 'setup = "init()"')
    assert asked(folder, "would return == 16 after 3 steps held if x == 2").verdict.value == "yes"
    assert asked(folder, "might return == 16 after 3 steps held if x in {0..5}").verdict.value == "yes"


@pytest.mark.parametrize(
    ("setup", "body", "why"),
    [
        ("init", "void init(void) { board(); }", "not supported: board"),
        ("init", "void init(void) { int a[2]; a[board() * 0 + 2] = 1; }", "not supported: board"),
        (
            "init",
            "void led(int); void inner(void) { led(1); } void init(void) { board(); inner(); }",
            r'ignore = \["board", "led"\]',
        ),
        ("init", "int z; void init(void) { n = 1 / z; }", "division by zero"),
        ("init", "void init(int a) { n = a; }", "has parameters"),
        ("start", "", "no function start"),
        ("f", "", "it is the entry"),
    ],
)
def test_a_setup_that_cannot_run_is_an_error(tmp_path: Path, setup: str, body: str, why: str) -> None:
    source = f"int board(void); int n; {body}\nint f(int x) {{ return x > n; }}"
    with pytest.raises((ManifestError, ProgramError), match=why):
        Project.open(made(tmp_path, source, '{"x": 2}', f'setup = "{setup}"'))


# --- registers --------------------------------------------------------------------------------------------------

REGISTERS = """#include <stdint.h>
#include <string.h>
typedef struct { volatile uint32_t MODER, IDR, ODR; } port;
#define PORT ((port *)0x40020000u)
#define CONTROL (*(volatile uint32_t *)0x40021000u)
#define STATUS (*(volatile uint16_t *)0x40021004u)
void init(void) { PORT->MODER = 0x55; }
int f(int x) {
    if (!(CONTROL & 1)) return -1;
    if (x > 100) PORT->ODR = 7;
    STATUS |= 4;
    return (PORT->IDR >> 3 & 1) + 2 * (PORT->MODER == 0x55) + (STATUS << 4) + ((volatile uint8_t *)&CONTROL)[3];
}
int beyond(int x) { return x + *(volatile uint32_t *)0x40021004u; }
int before(int x) { return x + *(volatile uint16_t *)0x4002FFFFu; }
int indexed(int x) { return ((volatile uint32_t *)0x40020000u)[x]; }
int copied(int x) { uint32_t a; memcpy(&a, (void *)0x40021000u, 4); return x + a; }
static uint32_t get(volatile uint32_t *at) { return *at; }
int handed(int x) { port *p = PORT; return get(&p->IDR) == 3 ? x : -1; }
int signs(int x) { return *(volatile int8_t *)0x40021000u < x; }
"""
MAPPED = """[registers]
CONTROL = { address = 0x40021000, type = "uint32" }
STATUS = { address = 0x40021004, type = "uint16" }
MODER = { address = 0x40020000, type = "uint32" }
IDR = { address = 0x40020004, type = "uint32" }
ODR = { address = 0x40020008, type = "uint32" }
"""
READ = '{"x": 2, "CONTROL": 1, "STATUS": 1, "IDR": 0, "MODER": 85}'
ALL = f'{READ[:-1]}, "ODR": 0}}'


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_registers_are_variables_at_their_addresses(tmp_path: Path, level: str) -> None:
    folder = made(tmp_path, REGISTERS, READ, f'setup = "init()"\nflags = ["{level}"]', MAPPED)
    free = "CONTROL is anything and IDR is anything and STATUS is anything and x is anything"
    answer = asked(folder, f"might return == 210 and ODR == 7 if {free}")
    assert answer.verdict.value == "yes" and answer.witness is not None
    assert answer.witness.inputs["x"] == 101 and str(Ledger.REGISTERS.sentence)[:30] in relied(answer)
    assert Ledger.REGISTERS_KEPT.of("STATUS") in answer.relies_on
    assert asked(folder, f"would STATUS' >= 4 if {free} and CONTROL in {{1..1}}").verdict.value == "yes"
    assert asked(folder, f"might return == 0 if {free}").verdict.value == "no"  # the bit that it sets is read back


@pytest.mark.parametrize("entry", ["beyond", "before", "indexed", "copied"])
def test_what_no_register_has_is_unknown(tmp_path: Path, entry: str) -> None:
    source = REGISTERS.replace("int f(", "int main_(").replace(f"int {entry}(", "int f(")
    assert asked(made(tmp_path, source, ALL, "", MAPPED), "might return == 5 if x in {0..9}").verdict.value == "unknown"


def test_an_address_that_is_handed_on_is_still_the_registers(tmp_path: Path) -> None:
    source = REGISTERS.replace("int f(", "int main_(").replace("int handed(", "int f(")
    folder = made(tmp_path, source, ALL, "", MAPPED)
    assert asked(folder, "might return == 2 if IDR is anything").verdict.value == "yes"
    assert asked(folder, "might return == 2 if MODER is anything").verdict.value == "no"


def test_a_register_has_the_type_of_each_access(tmp_path: Path) -> None:
    source = REGISTERS.replace("int f(", "int main_(").replace("int signs(", "int f(")
    folder = made(tmp_path, source, READ, "", MAPPED)
    assert (
        asked(folder, "might return == 1 and CONTROL == 128 if x == -127 and CONTROL is anything").verdict.value
        == "yes"
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('STATUS = { address = 0x40021002, type = "uint16" }', "STATUS and CONTROL overlap"),
        ('STATUS = { address = 0, type = "uint16" }', "has an address"),
        ('STATUS = { address = 16, type = "word" }', "no type of a register"),
        ('x = { address = 0x50000000, type = "uint16" }', "the program has a variable x"),
    ],
)
def test_mistakes_about_registers_are_named(tmp_path: Path, line: str, why: str) -> None:
    mapped = f'[registers]\nCONTROL = {{ address = 0x40021000, type = "uint32" }}\n{line}\n'
    with pytest.raises(ManifestError, match=why):
        Project.open(made(tmp_path, REGISTERS, READ, "", mapped))


def test_inspect_offers_the_registers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--project", str(made(tmp_path, REGISTERS, READ))]) == 0
    assert 'REG_40021004 = { address = 0x40021004, type = "uint16" }' in " ".join(capsys.readouterr().out.split())


def test_a_bundle_of_all_of_this_is_verified(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    source = """
#define CONTROL (*(volatile unsigned *)0x40021000u)
struct place { int x, y; };
struct place where(void);
int sensor(int channel);
extern const short limit;
static int above(int x) { return x > limit; }
static int below(int x) { return x < limit; }
static int (*rule)(int), (*other)(int) = below;
void init(void) { rule = above; }
int f(int x) { return rule(x + where().y) + 2 * (CONTROL & 1) + 4 * other(sensor(x)); }
"""
    tables = (
        f'{USED}\n[registers]\nCONTROL = {{ address = 0x40021000, type = "uint32" }}\n[inputs_from]\nwhere = "at"\n'
    )
    log = '{"x": 2, "limit": 5, "CONTROL": 0, "at": {"x": 0, "y": 1}}'
    program = 'setup = "init()"\nextern = ["limit"]'
    stub = "int sensor(int channel) { return channel * 2; }"
    folder = made(tmp_path / "project", source, log, program, tables, stubs_c=stub)
    questions = ("did return == 4", "would return in {4, 5} if at.y in {0..9} and rule is anything")
    (tmp_path / "case.zip").write_bytes(bundled(tmp_path, folder, questions))
    assert [fact.standing for fact in verify(tmp_path / "case.zip").facts] == [Standing.REPROVED] * 2


def test_an_address_that_this_machine_has_not_is_explored_only(tmp_path: Path) -> None:
    source = "int f(int x) { return *(volatile int *)0x800000000000 > x; }"
    mapped = '[registers]\nfar = { address = 0x800000000000, type = "int32" }'
    answer = Project.open(made(tmp_path, source, '{"x": 2, "far": 1}', "", mapped), step=0).ask("did return == 0")
    assert answer.verdict.value == "yes" and answer.witness is not None
    assert "own evaluation only: this machine has no memory at the address 0x800000000000" in answer.witness.replayed

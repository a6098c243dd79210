"""The ledger of assumptions: each stands under *relies on* where a verdict used it, and only there.

A row has a program, a question and its verdict, which is right as long as the assumption holds; a run of the compiled
program in which the assumption is violated, and in which the verdict would be wrong; and a program of the same kind
that does not use it.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from soid import Answer, Project
from soid.assumptions import STANDING, Ledger
from soid.engine.llvm.compiler.toolchain import DEFAULT_TARGET, find_toolchain
from tests.e2e.headers import included

ROOT: Final = Path(__file__).parents[2]
HEADERS: Final = ("fenv", "math", "pthread", "stddef", "stdint", "stdio", "stdlib", "string")
INCLUDES: Final = "".join(f"#include <{name}.h>\n" for name in HEADERS)
ANYTHING: Final = "would return == 1 if x is anything"
NOTHING: Final = "int f(int x) { return x < 9 || x > 2; }"


@dataclass(frozen=True)
class Row:
    """A program whose entry is `f`, and which answers 1 as long as the assumption holds."""

    ledger: Ledger
    source: str
    violated: str  # an expression that runs `f` where the assumption does not hold, and is not 1; "": none is possible
    innocent: str = NOTHING  # a program whose answer does not rely on it
    question: str = ANYTHING
    verdict: str = "yes"
    log: str = '{"x": 1}'
    key: str = ""  # of [program]
    table: str = ""  # of the manifest
    before: str = ""  # what the violated program has before its source
    start: bool = False  # the log begins with the first call


ROWS: Final = [
    Row(
        Ledger.SEPARATE,
        "int f(int *a, int *b, int x) { *a = 1; *b = x; return *a; }",
        "({ int one = 1; f(&one, &one, 0); })",
        "int f(int *a, int x) { *a = x; return *a == x; }",
    ),
    Row(
        Ledger.SEPARATE,
        "int n; int f(int *a, int x) { *a = 1; n = x; return *a; }",
        "f(&n, 0)",
        "int n; int f(int *a, int x) { *a = x; return *a == x; }",
    ),
    Row(
        Ledger.SEPARATE,
        "int f(int *a, int *b, int x) { return a != b && x == x; }",
        "({ int one = 1; f(&one, &one, 0); })",
    ),
    Row(
        Ledger.NOT_NULL,
        "int f(int *a, int x) { return a != 0 && x == x; }",
        "f(0, 0)",
        "int f(int *a, int x) { return x == x; }",
    ),
    Row(
        Ledger.ONE_ELEMENT,
        "int f(const int *a, int x) { return a[x > 0] == a[x > 0]; }",
        "",
        log='{"x": 0, "*a": 3}',
        verdict="unknown",
    ),
    Row(
        Ledger.LENGTH,
        "int f(const int *a, int x) { return a[2] == x; }",
        "({ int three[] = {0, 0, 1}; f(three, 1) + 1; })",
        question="would fails if x is anything",
        log='{"x": 0, "a[0]": 3, "a[1]": 3}',
        table="[lengths]\na = 2",
    ),
    Row(
        Ledger.KEPT_POINTERS,
        "const int one = 1, other = 0; const int *where = &one; int f(int x) { return *where && x == x; }",
        "(where = &other, f(0))",
        "const int one = 1; const int *where = &one; int f(int x) { return x == x; }",
    ),
    Row(
        Ledger.UNLOGGED,
        "int armed = 1; int f(int x) { return armed && x == x; }",
        "(armed = 0, f(0))",  # a debugger, or code that was left out
    ),
    Row(
        Ledger.FROM_START,
        "static int armed = 1; int f(int x) { int was = armed; armed = x; return was; }",
        "(f(0), f(0))",
        start=True,
    ),
    Row(
        Ledger.DERIVED,
        "static int armed = 1; int f(int x) { int was = armed; armed = x; return was; }",
        "(armed = 0, f(0))",
        start=True,
    ),
    Row(
        Ledger.ASSUMED,
        "static int armed; int f(int x) { int was = armed; armed = x; return was < 2; }",
        "(armed = 7, f(0))",
        table="[variables]\narmed = { domain = [0, 1] }",
    ),
    Row(
        Ledger.STEADY,
        "int n; int f(int x) { n += x; return n == 2 * x; }",
        "(n = 0, f(5), f(1))",
        question="would return == 1 after 2 steps held if x in {2..9}",
        log='{"x": 0, "n": 0}',
    ),
    Row(
        Ledger.UNREACTIVE,
        "int f(int x, int seen) { return x * 0 + seen == 4; }",
        "f(5, 0)",  # where what is seen goes away because of what was decided
        question="would return == 1 after 2 steps if x in {2..9}",
        log='{"x": 1, "seen": 4}\n{"x": 1, "seen": 4}\n',
    ),
    Row(
        Ledger.LASTING,
        "int n; int f(int x) { n += x; return n % 2 == 0; }",
        "(n = 0, f(4), f(5))",
        question="would return == 1 after 2 steps if x in {4..9}",
        log='{"x": 0, "n": 0}\n{"x": 0, "n": 0}\n',
    ),
    Row(
        Ledger.DOMAIN,
        "int f(double x) { return x - x == 0.0; }",
        "f(INFINITY)",
        "int f(unsigned x) { return x - x == 0; }",
    ),
    Row(
        Ledger.DOMAIN,
        "enum e { LOW, HIGH }; int f(enum e x) { return x == LOW || x == HIGH; }",
        "f((enum e)7)",
    ),
    Row(
        Ledger.WINDOW,
        "int f(int x) { int i = 0; while (i < x) i++; return i == x; }",
        "f(20) + 1",
        question="would not decides if x in {20..30}",
        key="window = 5",
    ),
    Row(
        Ledger.HEAP,
        "int f(int x) { char *p = malloc(64); int found = p != 0; free(p); return found && x == x; }",
        "f(0)",
        before="static void *none(size_t size) { return 0; }\n#define malloc none\n",
    ),
    Row(
        Ledger.STACK,
        "int f(int x) { volatile char all[100000]; all[99999] = 1; return all[99999] && x == x; }",
        "",  # a process that leaves its stack ends; the answer is unknown beyond `stack`: see test_open_behaviour.py
    ),
    Row(
        Ledger.ADDRESSES,
        "int f(int x) { int here = x; return (uintptr_t)&here > 100; }",
        "",  # no process of this system has a variable there; without a system it is possible, and the answer unknown
    ),
    Row(
        Ledger.ALONE,
        "volatile int port; int f(int x) { int first = port; return first == port && x == x; }",
        "changing()",
        "int port; int f(int x) { int first = port; return first == port && x == x; }",
    ),
    Row(
        Ledger.FLOAT_MODE,
        "int f(double x) { return x + 1e-30 == x; }",
        "({ fesetround(FE_UPWARD); int got = f(1.0); fesetround(FE_TONEAREST); got; })",
        "int f(double x) { return x == x; }",
        question="would return == 1 if 1.0 <= x <= 2.0",
    ),
    Row(
        Ledger.ROUNDED_TWICE,
        "int f(double x) { double left = x * x - 0x1.0000000000002p0; return left == 0.0; }",
        "fma(0x1.0000000000001p0, 0x1.0000000000001p0, -0x1.0000000000002p0) == 0.0",
        "int f(double x) { double square = x * x; return square == square; }",
        question="would return == 1 if x == 1.0000000000000002",
        key='flags = ["-mfma"]',
    ),
    Row(
        Ledger.LIBRARY_RESULTS,
        "int f(double x) { return exp(x) > 0.5; }",
        "f(0.5)",
        question="would return == 1 if 0.0 <= x <= 1.0",
        before="static double wrong(double x) { return 0.0; }\n#define exp wrong\n",
    ),
    Row(
        Ledger.LIBRARY_ERROR,
        "int f(double x) { return exp(x) > 0.5; }",
        "f(0.5)",
        question="would return == 1 if 0.0 <= x <= 1.0",
        before="static double far_off(double x) { return 0.0; }\n#define exp far_off\n",
    ),
    Row(
        Ledger.DIFFERENCE,
        "int f(unsigned char x) { unsigned char none = 0; return memcmp(&x, &none, 1) == x; }",
        "f(5)",
        "int f(unsigned char x) { unsigned char none = 0; return memcmp(&x, &none, 1) >= 0; }",
        before="static int sign(const unsigned char *a, const unsigned char *b, size_t n) { return *a > *b; }\n"
        "#define memcmp sign\n",
    ),
    Row(
        Ledger.OWN_LIBRARY,
        'int f(int x) { return atoi("7") == 7 && x == x; }',
        "f(0)",
        before="static int other(const char *text) { return 0; }\n#define atoi other\n",
    ),
    Row(
        Ledger.LOGGED_CALLS,
        "int sensor(void); int f(int x) { return sensor() == sensor() && x == x; }",
        "f(0)",
        "int sensor(void); int f(int x) { return x == x || sensor(); }",
        log='{"x": 1, "now": 5}',
        table='[inputs_from]\nsensor = "now"',
        before="int sensor(void) { static int calls; return calls++; }\n",
    ),
    Row(
        Ledger.IGNORED_CALLS,
        "int armed = 1; void note(void); int f(int x) { armed = 1; note(); return armed && x == x; }",
        "f(0)",
        "void note(void); int f(int x) { if (x != x) note(); return 1; }",
        key='ignore = ["note"]',
        before="extern int armed; void note(void) { armed = 0; }\n",
    ),
    Row(
        Ledger.OPEN_LOCALS,
        "#include <setjmp.h>\njmp_buf back; int f(int x) { if (setjmp(back)) return 1; longjmp(back, x ? x : 1); }",
        "",  # which of the two values such a variable has is the optimiser's choice
        key='flags = ["-O2"]',
    ),
    Row(
        Ledger.CHOICES,
        "int n; int next(void) { return ++n; } int f(int x) { n = 0; return next() - 2 * next() == -3 && x == x; }",
        "({ n = 0; int right = next(), left = next(); left - 2 * right == -3; })",  # as other compilers do
        innocent="",
    ),
]
#: what takes more than a C program and a question; the tests that violate it
ELSEWHERE: Final = {
    Ledger.WORLD: "tests/unit/engine/world/test_world_engine.py",
    Ledger.WORLD_FITS: "tests/unit/engine/world/test_world_check.py",
    Ledger.WORLD_UNCHECKED: "tests/unit/engine/world/test_world_check.py",
    Ledger.ACTED: "tests/unit/scenario/test_supposed_course_acts.py",
    Ledger.BESIDE_WORLD_LOGGED: "tests/unit/engine/world/test_world_engine.py",
    Ledger.BESIDE_WORLD_HELD: "tests/unit/engine/world/test_world_engine.py",
    Ledger.MODEL_FILE: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.MODEL_ROW: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.STATED_TYPE: "tests/e2e/test_model_types.py",
    Ledger.MODEL_BITS: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.MODEL_READ: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.ANY_ORDER: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.LINK_ERROR: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.NETWORK_FLOATS: "tests/unit/engine/learned/test_network_leads.py",
    Ledger.NETWORK_FUNCTIONS: "tests/unit/engine/learned/test_network_leads.py",
    Ledger.THRESHOLD: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.PREPARED: "tests/unit/engine/learned/test_model_application.py",
    Ledger.GUESSED_THRESHOLD: "tests/unit/engine/learned/test_learned_engine.py",
    Ledger.ACCEPTED: "tests/unit/case/test_case.py",
    Ledger.UNCHECKED: "tests/unit/oracle/test_fact.py",
    Ledger.ROUNDED: "tests/unit/oracle/test_rounded_log.py",
    Ledger.ROUNDED_ALIKE: "tests/unit/oracle/test_rounded_log.py",
    Ledger.MAPPED: "tests/e2e/test_mapped_logs.py",
    Ledger.JOINED: "tests/e2e/test_mapped_logs.py",
    Ledger.EVERY_CALL: "tests/e2e/test_mapped_logs.py",
    Ledger.BY_HAND: "tests/unit/examples/crash/test_crash_simulation.py",
    Ledger.UNREAD: "tests/e2e/test_mapped_logs.py",
    Ledger.OUTSIDE_DOMAIN: "tests/e2e/test_mapped_logs.py",
    Ledger.NOT_RUN: "tests/e2e/test_replay.py",
    Ledger.FIRST_CALL: "tests/e2e/test_assumptions.py",
    Ledger.OPEN_ORDER: "tests/e2e/test_open_behaviour.py",
    Ledger.RESTRICT: "tests/e2e/test_open_behaviour.py",
    Ledger.NULL_BLOCK: "tests/e2e/test_open_behaviour.py",
    Ledger.OUTSIDE: "tests/e2e/test_open_behaviour.py",
    Ledger.NOT_SPURIOUS: "tests/e2e/test_open_behaviour.py",
    Ledger.STUBS: "tests/e2e/test_surroundings.py",
    Ledger.SETUP: "tests/e2e/test_surroundings.py",
    Ledger.EXTERN: "tests/e2e/test_surroundings.py",
    Ledger.REGISTERS: "tests/e2e/test_surroundings.py",
    Ledger.REGISTERS_KEPT: "tests/e2e/test_surroundings.py",
    Ledger.FUNCTION_POINTERS: "tests/e2e/test_given_values.py",
    Ledger.UNSEEN: "tests/differential/gaps.py",
    Ledger.COMPILED: "tests/e2e/test_crash.py",
    Ledger.PROMISES: "tests/e2e/test_assumptions.py",
    Ledger.REMOVED: "tests/unit/engine/llvm/test_loaded_program.py",
    Ledger.HIDDEN: "tests/e2e/test_assumptions.py",
    Ledger.GIVEN_PATHS: "tests/unit/engine/smtlib/test_engine.py",
    Ledger.LOG: "tests/unit/oracle/test_pipeline_verdicts.py",
    Ledger.TOOLS: "tests/unit/oracle/test_pipeline_verdicts.py",
}
_CHANGING: Final = """
static void *change(void *stop) { while (!*(volatile int *)stop) { port++; } return 0; }
static int changing(void) {
    volatile int stop = 0; pthread_t other; int same = 1;
    pthread_create(&other, 0, change, (void *)&stop);
    for (long i = 0; same && i < 4000000000L; i++) { same = f(0); }
    stop = 1; pthread_join(other, 0);
    return same;
}
"""


def name_of(row: Row) -> str:
    return f"{row.ledger.value}-{ROWS.index(row)}"


def asked(folder: Path, row: Row, source: str, ending: str = "c") -> Answer:
    folder.mkdir(exist_ok=True)
    (folder / f"p.{ending}").write_text(included(source, HEADERS) + source if ending == "c" else source)
    (folder / "log.jsonl").write_text(row.log)
    (folder / "soid.toml").write_text(
        f'[program]\nengine = "llvm"\nsources = ["p.{ending}"]\nentry = "f"\n{row.key}\n{row.table}\n'
        f'[trace]\nfile = "log.jsonl"\nfrom_start = {str(row.start).lower()}\n'
    )
    return Project.open(folder, step=0).ask(row.question)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_an_answer_says_what_it_relies_on(row: Row, tmp_path: Path) -> None:
    answer = asked(tmp_path, row, row.source)
    assert answer.verdict.value == row.verdict, answer.reason
    assert row.ledger.value in [each.id for each in answer.relies_on]


@pytest.mark.parametrize("row", [row for row in ROWS if row.innocent], ids=name_of)
def test_an_answer_does_not_rely_on_what_it_did_not_use(row: Row, tmp_path: Path) -> None:
    plain = Row(row.ledger, row.innocent, "")
    answer = asked(tmp_path, plain, row.innocent)
    assert row.ledger.value not in [each.id for each in answer.relies_on]


@pytest.fixture(scope="session")
def violated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """What each row's program gives where its assumption is violated; all of them are one compiled program."""
    folder = tmp_path_factory.mktemp("violated")
    calls = []
    names = []
    for row in ROWS:
        if row.violated:
            name = name_of(row).replace("-", "_")
            own = {word: f"{name}_{word}" for word in ("f", "n", "e", "LOW", "HIGH", "one", "other", "where", "armed")}
            own |= {word: f"{name}_{word}" for word in ("port", "next", "sensor", "note", "change", "changing")}
            body = row.before + row.source + (_CHANGING if "changing" in row.violated else "")
            body += f"\nint violated_{name}(void) {{ return {row.violated}; }}\n"
            renames = "".join(f"#define {word} {new}\n" for word, new in own.items())
            (folder / f"{name}.c").write_text(INCLUDES + renames + body)
            names.append(name)
            calls.append(f'printf("{name_of(row)} %d\\n", violated_{name}());')
    declared = "".join(f"int violated_{name}(void);\n" for name in names)
    (folder / "main.c").write_text(f"{INCLUDES}{declared}int main(void) {{ {' '.join(calls)} return 0; }}\n")
    toolchain = find_toolchain()
    sources = [str(folder / f"{name}.c") for name in (*names, "main")]
    flags = [*toolchain.target_flags(DEFAULT_TARGET), "-O0", "-w", "-fno-sanitize=all", "-o", "violated"]
    libraries = ["-nostdlib", "-lm", "-lpthread", "-lc"]  # a new machine compiles zig's own first: half a minute
    toolchain.compile([*flags, *sources, *libraries], folder)
    ran = subprocess.run([str(folder / "violated")], check=True, capture_output=True, text=True)
    return {line.split()[0]: int(line.split()[1]) for line in ran.stdout.splitlines()}


@pytest.mark.parametrize("row", [row for row in ROWS if row.violated], ids=name_of)
def test_where_it_is_violated_the_verdict_would_be_wrong(row: Row, violated: dict[str, int]) -> None:
    assert violated[name_of(row)] != 1


def test_a_machine_without_a_system_may_have_variables_anywhere(tmp_path: Path) -> None:
    row = Row(Ledger.ADDRESSES, "", "", key='target = "thumb-freestanding-eabi"')
    answer = asked(tmp_path, row, "int f(int x) { int here = x; return (unsigned)&here > 100; }", ending="ii")
    assert answer.verdict.value == "unknown"


def test_a_static_variable_is_initialised_once(tmp_path: Path) -> None:
    row = Row(Ledger.FIRST_CALL, "", "", start=True)
    source = "int f(int x) { static int first = x; return first == x; }"
    assert Ledger.FIRST_CALL.value in [each.id for each in asked(tmp_path, row, source, ending="cpp").relies_on]
    again = Row(Ledger.FIRST_CALL, "", "", question="would return == 1 after 2 steps held if x in {3, 4}", start=True)
    assert asked(tmp_path, again, source, ending="cpp").verdict.value == "yes"


def test_optimised_code_relies_on_what_the_compiler_was_told(tmp_path: Path) -> None:
    rows = [Row(Ledger.PROMISES, "", "", key=f'flags = ["{level}"]') for level in ("-O0", "-O2")]
    told = [asked(tmp_path, row, "int f(int x) { return (x | 1) != 0; }") for row in rows]
    assert [Ledger.PROMISES.value in [each.id for each in answer.relies_on] for answer in told] == [False, True]


def test_ready_made_code_may_have_variables_that_no_log_names(tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    row = Row(Ledger.HIDDEN, "", "", key='parameters = ["x: int32"]')
    source = """
@calls = global i32 1
define i32 @f(i32 %x) {
  %odd = or i32 %x, 1
  %is = icmp ne i32 %odd, 0
  %one = zext i1 %is to i32
  %calls = load i32, ptr @calls
  %both = and i32 %one, %calls
  ret i32 %both
}
"""
    answer = asked(tmp_path, row, source, ending="ll")
    assert Ledger.HIDDEN.value in [each.id for each in answer.relies_on], answer


def test_every_assumption_is_violated_by_a_test() -> None:
    assert {row.ledger for row in ROWS} | set(ELSEWHERE) == set(Ledger)
    for ledger, file in ELSEWHERE.items():
        text = (ROOT / file).read_text()
        assert re.search(rf'Ledger\.{ledger.name}\b|"{ledger.value}"|STANDING|GAPS|optimised with', text), ledger


def test_the_page_has_every_assumption() -> None:
    page = (ROOT / "docs" / "assumptions.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+?) \| .+ \| .+ \|$", page, re.MULTILINE)
    said = {ledger.value: re.sub(r"\{\}", "…", ledger.sentence) for ledger in Ledger}
    assert dict(rows) == said
    assert len(rows) == len(said)
    assert {each.id for each in STANDING} <= set(said)

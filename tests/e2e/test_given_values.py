"""What a program is given besides numbers: structs that a function returns, and function pointers, from the log.

Each scenario that is shown was run on the compiled program, so the engine and the machine agree on it.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from soid import Project
from soid.engine.replay import Returned
from soid.errors import ManifestError
from tests.e2e.test_surroundings import RUN, USED, asked, made, relied

# --- structs from the log ---------------------------------------------------------------------------------------

STRUCTS = """#include <stdint.h>
struct small { int8_t a; int16_t b; };
struct mixed { float x, y; double z; };
struct odd { uint8_t r, g, b; };
struct flags { unsigned a : 3, b : 7; int v[2]; };
struct large { int id; double v[3]; uint8_t on; };
struct moded { enum mode { OFF, ON = 5 } mode; _Bool ok; };
struct small get_small(int); struct mixed get_mixed(void); struct odd get_odd(void); struct flags get_flags(void);
struct large get_large(int k); struct moded get_moded(void);
struct large kept;
int f(int x) {
    struct small one = get_small(1), two = get_small(2);
    struct mixed m = get_mixed(); struct odd o = get_odd(); struct flags g = get_flags();
    kept = get_large(3);
    return (one.a < 0) + 2 * (two.b == -300) + 4 * (m.x + m.y > m.z) + 8 * (o.r == 200 && o.b == 3 && o.g == 77)
        + 16 * (g.b == 100 && g.a == 5 && g.v[1] == x) + 32 * (kept.v[2] > 2.5 && kept.on == 9)
        + 64 * (get_moded().mode == ON && get_moded().ok);
}
"""
FED = """[lengths]
s = 2
[inputs_from]
get_small = "s"
get_mixed = "m"
get_odd = "o"
get_flags = "g"
get_large = "l"
get_moded = "q"
"""
NESTED = """{"x": 2, "s": [{"a": -5, "b": 3}, {"a": 1, "b": -300}], "m": {"x": 1.5, "y": 2.5, "z": 3.0},
"o": {"r": 200, "g": 77, "b": 3}, "g": {"a": 5, "b": 100, "v": [7, 2]}, "l": {"id": 3, "v": [1, 2, 3], "on": 9},
"q": {"mode": "ON", "ok": true}}""".replace("\n", " ")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_function_gives_a_struct_from_the_log(tmp_path: Path, level: str) -> None:
    project = Project.open(made(tmp_path, STRUCTS, NESTED, f'flags = ["{level}"]', FED), step=0)
    assert asked(project, "did return == 127").verdict.value == "yes"
    freed = {"s[0].a": 126, "s[1].b": 125, "m.z": 123, "o.g": 119, "g.b": 111, "l.on": 95, "q.ok": 63}
    for path, decided in freed.items():
        assert asked(project, f"might return == {decided} if {path} is anything").verdict.value == "yes"
    assert asked(project, "might kept.on != l.on if l.on is anything").verdict.value == "no"


def test_a_struct_with_a_pointer_is_not_given(tmp_path: Path) -> None:
    source = "struct s { int a; char *p; }; struct s get(void); int f(int x) { return get().a > x; }"
    with pytest.raises(ManifestError, match="no plain number"):
        Project.open(made(tmp_path, source, '{"x": 2}', "", '[inputs_from]\nget = "s"'))


def test_a_stub_gives_what_a_pointer_points_to(tmp_path: Path) -> None:
    source = """#include <stdlib.h>
#include <string.h>
int f(int x) { const char *mode = getenv("MODE"); return mode && strcmp(mode, "go") == 0 ? x : -1; }"""
    stub = "char mode[4]; char *getenv(const char *name) { (void)name; return mode; }"
    folder = made(tmp_path, source, '{"x": 2, "mode": [103, 0, 0, 0]}', "", USED, stubs_c=stub)
    assert asked(folder, "might return == 2 if mode[1] is anything").verdict.value == "yes"
    assert asked(folder, "might return == 2 if mode[2] is anything").verdict.value == "no"


# --- function pointers ------------------------------------------------------------------------------------------

POINTERS = """#include <stdint.h>
#include <string.h>
typedef int (*handler)(int);
struct device { int id; handler on, later[2]; };
static int twice(int x) { return 2 * x; }
int on_alarm(int x) { return x + 100; }
static int last;
int on_timer(int x) { last = x; return -x; }
unsigned on_other(int x) { return x; }
static handler current = twice;
static handler table[3];
handler f(struct device *d, int x, handler given) {
    int r = d->on ? d->on(x) : 0;
    if (d->on == on_alarm) current = on_timer;
    struct device copy;
    memcpy(&copy, d, sizeof copy);
    d->id = r + copy.later[x & 1](1) + given(3) + (table[x % 3] == on_timer);
    return d->later[0] == d->later[1] ? current : 0;
}
"""
NAMED = '{"x": 2, "d": {"id": 0, "on": "twice", "later": ["on_alarm", "on_timer"]}, "given": "twice"}'


def test_function_pointers_are_logged_and_asked_about_by_name(tmp_path: Path) -> None:
    project = Project.open(made(tmp_path, POINTERS, NAMED), step=0)
    kind = project.program.interface.variable("d.on").domain_text
    assert kind == "NULL, on_alarm, on_timer, twice"  # on_other is of another type
    assert asked(project, "did return == NULL and d.id' == 111").verdict.value == "yes"
    answer = asked(project, "might current' == on_timer if d.on is anything")
    assert answer.verdict.value == "yes"
    assert "function-pointers" in [each.id for each in answer.relies_on]
    assert asked(project, "would d.on == on_alarm or current' == twice if d.on is anything").verdict.value == "yes"
    assert asked(project, "might d.id' == 112 if table[2] is anything").verdict.value == "yes"
    assert asked(project, "might last == 1 if d.later[0] is anything").verdict.value == "yes"
    twice = "might return == on_timer after 2 steps held if d.later[1] == on_alarm and d.on == on_alarm"
    assert asked(project, twice).verdict.value == "yes"
    fails = asked(project, "might fails if given is anything")
    assert fails.verdict.value == "yes" and fails.witness is not None
    assert fails.witness.inputs["given"] == 0  # a call through a null pointer


def test_every_choice_of_functions_is_what_the_machine_does(tmp_path: Path) -> None:
    """Each combination is asked about: the engine's run is compared with the compiled program's every time."""
    folder = made(tmp_path, POINTERS, NAMED)
    project, names = Project.open(folder, step=0), ("on_alarm", "on_timer", "twice")
    values = {"on_alarm": lambda x: x + 100, "on_timer": lambda x: -x, "twice": lambda x: 2 * x}
    for on in names:
        for given in names:
            wanted = values[on](2) + 101 + values[given](3)
            if on == given == "twice":
                continue  # the fact
            answer = project.ask(f"would d.id' == {wanted} if d.on == {on} and given == {given}")
            assert answer.verdict.value == "yes", answer.reason
            assert answer.witness is not None and answer.witness.replayed.startswith(RUN)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return (unsigned char)*(char *)&d->on;", "unknown"),  # the digits of an address have no value
        ("unsigned long n; memcpy(&n, &d->on, 8); return n > 5;", "yes"),
        ("unsigned long n; memcpy(&n, &d->on, 8); return n > 5 ? 5 : 3;", "yes"),  # null is less
        ("union { handler h; unsigned long n; } u = { d->on }; return u.n ? u.n % 16 + 1 : 9;", "unknown"),
        ("return memcmp(&d->on, &d->later[0], 8) == 0;", "unknown"),
        (
            "if (!d->on) return 9; d->on = (handler)on_other; return 3;",
            "unknown",
        ),  # what it leaves is none of the names
        ("return d->on == d->later[0];", "yes"),
    ],
)
def test_a_function_pointer_is_no_number(tmp_path: Path, body: str, why: str) -> None:
    source = POINTERS[: POINTERS.index("handler f(")] + f"int f(struct device *d, int x) {{ {body} }}\n"
    log = '{"x": 2, "d": {"id": 0, "on": "on_timer", "later": ["on_alarm", "on_timer"]}}'
    assert asked(made(tmp_path, source, log), "might return in {1..3} if d.on is anything").verdict.value == why


def test_a_pointer_that_starts_with_another_function_stays_as_it_is(tmp_path: Path) -> None:
    source = """int own(int x) { return x; }
void odd(void) { }
static int (*set)(int) = (int (*)(int))odd;
int f(int x) { return set == 0 ? x : own(x); }"""
    folder = made(tmp_path, source, '{"x": 2}')
    assert "set" not in Project.open(folder, step=0).program.interface
    assert asked(folder, "did return == 2").verdict.value == "yes"


def test_the_clock_and_random_numbers_come_from_the_log(tmp_path: Path) -> None:
    source = """#include <stdlib.h>
#include <time.h>
int f(int x) { return time(0) % 60 == 7 && rand() % 6 == x && clock() > 100 && rand() % 6 == 0; }"""
    tables = '[lengths]\ndice = 2\n[inputs_from]\ntime = "now"\nrand = "dice"\nclock = "ticks"\n'
    folder = made(tmp_path, source, '{"x": 2, "now": 1000, "dice": [2, 6], "ticks": 5}', "", tables)
    answer = asked(folder, "might return == 1 if now is anything and ticks is anything")
    assert answer.verdict.value == "yes" and "every call of time gives the logged now" in relied(answer)
    assert asked(folder, "might return == 1 if now is anything and dice[1] is anything").verdict.value == "no"


def test_a_stub_fills_what_the_program_points_to(tmp_path: Path) -> None:
    source = """#include <time.h>
int f(int x) { struct timespec t; return clock_gettime(CLOCK_MONOTONIC, &t) == 0 && t.tv_sec > x; }"""
    stub = """#include <time.h>
struct timespec now;
int clock_gettime(clockid_t clock, struct timespec *at) { (void)clock; *at = now; return 0; }"""
    folder = made(tmp_path, source, '{"x": 2, "now": {"tv_sec": 1, "tv_nsec": 0}}', "", USED, stubs_c=stub)
    answer = asked(folder, "might return == 1 if now.tv_sec is anything")
    assert answer.verdict.value == "yes" and answer.witness is not None and answer.witness.inputs["now.tv_sec"] == 3


CHAINED = """typedef int (*step)(int);
struct chain { step on[3]; };
int inc(int x) { return x + 1; }
int neg(int x) { return -x; }
static step last = inc;
int f(struct chain *c, int x, step given) {
    int r = x, seen = 0;
    for (int i = 0; i < 3; i++) {
        if (c->on[i]) { r = c->on[i](r); seen |= 1 << i; }
        else if (given) r = given(r) + 3;
        if (c->on[i] == given && r > 1) last = c->on[i];
    }
    step swap = c->on[0]; c->on[0] = c->on[2]; c->on[2] = swap;
    return (r & 7) + 8 * seen + 64 * (last == neg);
}
"""


def test_verdicts_over_function_pointers_are_those_of_every_run(tmp_path: Path) -> None:
    folder = made(tmp_path, CHAINED, '{"x": 1, "c": {"on": ["inc", "neg", "inc"]}, "given": "neg"}')
    project = Project.open(folder, step=0)
    assert project.replayer is not None
    free = ("c.on[0]", "c.on[1]", "c.on[2]", "given")
    fact = dict(project.keyframe.inputs)
    runs = [fact | dict(zip(free, numbers, strict=True)) for numbers in itertools.product(range(3), repeat=4)]
    replays = [project.replayer.replay(run) for run in runs if run != fact]
    decided = {replay.outputs["return"] for replay in replays if isinstance(replay, Returned)}
    assert len(replays) == 80 and len(decided) > 20
    family = " and ".join(f"{path} is anything" for path in free)
    for value in range(0, 128, 9):
        verdict = project.ask(f"might return == {value} if {family}").verdict.value
        assert verdict == ("yes" if value in decided else "no"), value
    assert project.ask(f"would c.on[0]' == c.on[2] if {family}").verdict.value == "yes"

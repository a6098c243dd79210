"""Every way in which C hands values in and out reaches the compiled program, and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from soid.engine.llvm.symbolic.library.external_functions import DescribedFunction
from soid.engine.replay import NotAvailable, Replay, Returned, Trapped
from soid.engine.summary import Location
from soid.formula.sorts import FLOAT64
from soid.program.interface import Role, Variable
from soid.program.types import FloatType, IntType
from tests.unit.engine.llvm.natives import float32, float64, interface, replayer


def outputs(replay: Replay) -> dict[str, int]:
    assert isinstance(replay, Returned), replay
    return dict(replay.outputs)


def test_structs_by_value_in_all_their_ways(tmp_path: Path) -> None:
    source = """
    struct odd { char a; short b; char c; };
    struct mixed { double x; float y; };
    struct big { double x[4]; int n; };
    struct three { char bytes[3]; };
    struct result { float f; int k; };
    struct result decide(struct odd o, struct big b, _Bool flag, struct mixed m, struct three t) {
        struct result r = { (float)(b.x[1] * m.y + m.x), flag ? o.a + o.b + o.c + b.n : t.bytes[2] };
        return r;
    }"""
    inputs = {"o.a": 0xFF, "o.b": 300, "o.c": 5, "b.n": 10, "flag": 1, "m.x": float64(0.5), "m.y": float32(4.0)}
    inputs |= {f"b.x[{i}]": float64(i * 2.5) for i in range(4)} | {f"t.bytes[{i}]": 7 + i for i in range(3)}
    program = replayer(tmp_path, source)
    assert outputs(program.replay(inputs))["return.f"] == float32(10.5)
    assert outputs(program.replay(inputs))["return.k"] == 314
    assert outputs(program.replay({**inputs, "flag": 0}))["return.k"] == 9
    assert outputs(program.replay_failure(inputs)) == outputs(program.replay(inputs))


def test_a_large_struct_is_returned_through_memory(tmp_path: Path) -> None:
    source = """
    struct plan { long first; double second; char third[5]; };
    struct plan decide(long a) { struct plan p = { a, a / 2.0, { 1, 2, 3, 4, (char)a } }; return p; }"""
    found = outputs(replayer(tmp_path, source).replay({"a": 7}))
    assert (found["return.first"], found["return.second"], found["return.third[4]"]) == (7, float64(3.5), 7)


@pytest.mark.parametrize(
    ("kind", "bits", "given"),
    [
        ("signed char", 0x80, (0x80 + 1) & 0xFF),
        ("unsigned short", 0xFFFF, 0),
        ("long", (1 << 64) - 1, 0),
        ("unsigned char", 0xFF, 0),
        ("float", float32(0.5), float32(1.5)),
        ("double", float64(-1.0), 0),
        ("_Float16", 0x3C00, 0x4000),
        ("_Bool", 1, 1),
    ],
)
def test_scalars_of_every_width(tmp_path: Path, kind: str, bits: int, given: int) -> None:
    program = replayer(tmp_path, f"{kind} decide({kind} x) {{ return ({kind})(x + ({kind})1); }}")
    assert outputs(program.replay({"x": bits})) == {"return": given}


def test_more_arguments_than_registers(tmp_path: Path) -> None:
    names = "abcdefghij"
    source = (
        f"long decide({', '.join(f'long {n}, float f{n}' for n in names)}) {{ return {' + '.join(names)} + (long)fj; }}"
    )
    inputs = {n: 1 << i for i, n in enumerate(names)} | {f"f{n}": float32(float(i)) for i, n in enumerate(names)}
    assert outputs(replayer(tmp_path, source).replay(inputs)) == {"return": 1023 + 9}


def test_bit_fields_share_their_bytes(tmp_path: Path) -> None:
    source = """
    struct flags { unsigned low : 3; int middle : 7; unsigned : 2; unsigned high : 9; _Bool last : 1; };
    int decide(struct flags *f) { f->middle = f->middle - 1; f->last = !f->last; return (int)(f->low + f->high); }"""
    inputs = {"f.low": 5, "f.middle": 0, "f.high": 300, "f.last": 0}
    found = outputs(replayer(tmp_path, source).replay(inputs))
    assert found == {"f.low'": 5, "f.middle'": 0x7F, "f.high'": 300, "f.last'": 1, "return": 305}


def test_pointers_lead_from_region_to_region(tmp_path: Path) -> None:
    source = """
    struct wheel { float slip; }; struct car { struct wheel *front; int id; void *opaque; };
    struct world { struct car *car; const int *table; };
    int decide(struct world *w) {
        w->car->front->slip *= 2; w->car->id++;
        return w->table[0] + w->table[1] + w->table[2] + (w->car->opaque != 0);
    }"""
    program = replayer(tmp_path, source, lengths={"w.table": 3})
    inputs = {f"w.table[{i}]": 10 + i for i in range(3)}
    inputs |= {"w.car.id": 6, "w.car.front.slip": float32(0.25)}
    found = outputs(program.replay(inputs))
    assert (found["w.car.front.slip'"], found["w.car.id'"], found["return"]) == (float32(0.5), 7, 34)


def test_statics_of_several_files_are_told_apart(tmp_path: Path) -> None:
    first = """
    int shared = 5; int other(void);
    static int helper(void) { static int calls = 10; return ++calls; }
    int decide(void) { shared += 1; return helper() * 1000 + other(); }"""
    second = """
    extern int shared; static int count = 100;
    static int helper(void) { count += 1; shared += 1; return count; }
    int other(void) { return helper(); }"""
    found = outputs(replayer(tmp_path, first, second).replay({"shared": 1, "helper.calls": 2, "count": 40}))
    assert found == {"shared'": 3, "helper.calls'": 3, "count'": 41, "return": 3041}


def test_statics_start_at_their_input_and_not_at_their_initializer(tmp_path: Path) -> None:
    source = """
    static int count = 3; static const int limit = 4; int quiet = 9;
    int decide(int by) {
        static short calls = 7; calls++; count += by;
        return calls * 100 + (count > limit) * 10 + quiet;
    }"""
    program = replayer(tmp_path, source)
    inputs = {"by": 1, "count": 20, "decide.calls": 1, "quiet": 5}
    found = outputs(program.replay(inputs))
    assert found == {"count'": 21, "decide.calls'": 2, "quiet'": 5, "return": 215}
    assert outputs(program.replay(inputs)) == found  # each run starts afresh


def test_what_is_no_input_keeps_its_initial_value(tmp_path: Path) -> None:
    program = replayer(tmp_path, "int level = 9; int decide(int a) { return level + a; }", decisions=["level"])
    assert outputs(program.replay({"a": 1})) == {"level": 9, "return": 10}


def test_constructors_run_before_the_entry(tmp_path: Path) -> None:
    source = """
    static int ready; __attribute__((constructor)) static void prepare(void) { ready = 41; }
    int decide(int a) { return ready + a; }"""
    program = replayer(tmp_path, source, decisions=["ready"])
    assert outputs(program.replay({"a": 1}))["return"] == 42


def test_a_static_entry_and_a_main_of_its_own(tmp_path: Path) -> None:
    source = "static int decide(int a) { return a + 1; } int main(void) { return decide(3); }"
    assert outputs(replayer(tmp_path, source).replay({"a": 1}))["return"] == 2


def test_mathematics_and_printing_are_the_machines(tmp_path: Path) -> None:
    source = """
    #include <math.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    double decide(double x) {
        char *copy = malloc(100); strcpy(copy, "noise"); printf("%s %f\\n", copy, x); fflush(stdout); puts("more");
        fprintf(stderr, "even more\\n"); free(copy); return sqrt(x) + sin(0.0);
    }"""
    assert outputs(replayer(tmp_path, source).replay({"x": float64(2.25)}))["return"] == float64(1.5)


def test_functions_outside_give_what_is_logged_call_by_call(tmp_path: Path) -> None:
    source = """
    double read_sensor(int channel); signed char mode(void); long clock_now(void);
    double decide(int calls) {
        double sum = 0; for (int i = 0; i < calls; i++) sum = sum * 10 + read_sensor(i);
        return sum + mode() + (double)(clock_now() - clock_now());
    }"""
    sensor = [Variable(f"sensor[{i}]", Role.ENVIRONMENT, FloatType(FLOAT64)) for i in range(3)]
    others = [
        Variable("gear", Role.ENVIRONMENT, IntType(8, True)),
        Variable("now", Role.ENVIRONMENT, IntType(64, True)),
    ]
    feeds = [
        DescribedFunction("read_sensor", tuple(sensor), repeats=False),
        DescribedFunction("mode", (others[0],), repeats=False),
        DescribedFunction("clock_now", (others[1],), repeats=True),
    ]
    program = replayer(tmp_path, source, feeds=feeds, fed=[*sensor, *others])
    logged = {"sensor[0]": float64(1.0), "sensor[1]": float64(2.0), "sensor[2]": float64(3.0), "gear": 0xFF, "now": 99}
    assert outputs(program.replay({"calls": 3, **logged}))["return"] == float64(122.0)
    assert outputs(program.replay({"calls": 1, **logged}))["return"] == float64(0.0)
    assert program.replay({"calls": 4, **logged}) == NotAvailable("it calls read_sensor more often than is logged")


def test_a_function_that_nobody_defines_matters_only_where_it_is_called(tmp_path: Path) -> None:
    source = "int elsewhere(int); extern int dial; int decide(int a) { return a > 5 ? elsewhere(a) : a + 1; }"
    program = replayer(tmp_path, source)
    assert outputs(program.replay({"a": 1}))["return"] == 2
    assert program.replay({"a": 6}) == NotAvailable("it calls elsewhere, which is not defined")


def test_steps_keep_the_state_and_take_each_environment(tmp_path: Path) -> None:
    source = """
    struct view { int a; unsigned bit : 3; unsigned kept : 5; };
    static int total; int last;
    int decide(const struct view *v, int *count, int *out) {
        total += v->a; *count += 1; if (v->a > 1) { *out = total; last = v->a; }
        return (int)v->bit * 10 + (int)v->kept;
    }"""
    program = replayer(tmp_path, source, decisions=["*out", "last"], environment=["v"])
    start = {"v.a": 1, "v.bit": 5, "v.kept": 1, "*count": 7, "total": 10}
    replay = program.replay(start, [{"v.a": 2, "v.bit": 6}, {"v.a": 1}])
    assert isinstance(replay, Returned)
    unset = 0xA5A5A5A5
    assert [dict(step) for step in (*replay.earlier, replay.outputs)] == [
        {"*count'": 8, "total'": 11, "*out": unset, "last": 0, "return": 51},
        {"*count'": 9, "total'": 13, "*out": 13, "last": 2, "return": 61},
        {"*count'": 10, "total'": 14, "*out": 13, "last": 2, "return": 51},
    ]


def test_each_step_reads_its_own_log(tmp_path: Path) -> None:
    sensor = [Variable(f"sensor[{i}]", Role.ENVIRONMENT, IntType(32, True)) for i in range(2)]
    feeds = [DescribedFunction("read_sensor", tuple(sensor), repeats=False)]
    source = "int read_sensor(void); int decide(void) { return read_sensor() * 10 + read_sensor(); }"
    program = replayer(tmp_path, source, feeds=feeds, fed=sensor)
    replay = program.replay({"sensor[0]": 1, "sensor[1]": 2}, [{"sensor[0]": 3, "sensor[1]": 4}])
    assert replay == Returned({"return": 34}, ({"return": 12},))


def test_more_steps_than_there_is_room_for(tmp_path: Path) -> None:
    program = replayer(tmp_path, "int decide(int a) { return a; }")
    replay = program.replay({"a": 1}, [{}] * 5000)
    assert isinstance(replay, Returned) and len(replay.earlier) == 5000
    assert isinstance(program.replay({"a": 1}, [{}] * 5_000_000), NotAvailable)


def test_a_decision_that_nobody_writes_shows_the_pattern(tmp_path: Path) -> None:
    program = replayer(tmp_path, "void decide(int a, int *out) { if (a) *out = a; }", decisions=["*out"])
    assert outputs(program.replay({"a": 0}))["*out"] == 0xA5A5A5A5
    assert outputs(program.replay({"a": 3}))["*out"] == 3


def test_where_an_assertion_failed_is_told(tmp_path: Path) -> None:
    program = replayer(tmp_path, "#include <assert.h>\nint decide(int a) {\nassert(a > 3);\nreturn a; }")
    assert program.replay({"a": 1}) == Trapped("failed assertion", Location("part0.c", 3))


def test_a_program_for_another_machine_is_not_replayed(tmp_path: Path) -> None:
    from msgspec.structs import replace

    from soid.engine.llvm.native.native_replayer import NativeReplayer

    program = replayer(tmp_path, "int decide(int a) { return a; }")
    build = replace(program.loaded.build, target="avr-linux-gnu")
    elsewhere = NativeReplayer(replace(program.loaded, build=build), interface(program.loaded))
    replayed = elsewhere.replay({"a": 1})
    assert isinstance(replayed, NotAvailable) and "avr" in replayed.reason
